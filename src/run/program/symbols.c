/* symbols.c - variables of the device: buffers that a program has by their names.
 *
 * The compiler makes parameters of them, behind those of the source (compile/common/symbols.c).
 */
#include "run/program/program.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct lw__symbol *lw__symbol_find(const lw_program *p, const char *name)
{
    for (struct lw__symbol *s = atomic_load(&p->symbols); s; s = s->next)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

/* A new buffer with the value that the code has. */
static lw_status create(lw_program *p, const struct lw__manifest_param *row, const lw_param *param,
                        lw_buffer **buffer)
{
    const size_t element = param->element_bytes ? param->element_bytes : 1;
    const size_t count = row->symbol_bytes / element;
    void *value = NULL;

    LW_TRY(p->device->ops->symbol(p->code.loaded, row->name, &value));
    if (param->has_dtype)
        LW_TRY(lw__buffer_create(p->device, param->dtype,
                                 row->symbol_bytes / lw_dtype_size(param->dtype), buffer));
    else
        LW_TRY(lw__buffer_create_structs(p->device, element, count, buffer));
    const lw_status status = lw__memory_write(*buffer, 0, value, row->symbol_bytes);
    if (status)
        lw_buffer_destroy(*buffer);
    else
        lw__buffer_list(*buffer);
    return status;
}

lw_status lw__symbols_open(lw_program *p)
{
    const struct lw__manifest *m = &p->code.manifest;
    lw_program *keeper = p->root ? p->root : p;

    if (!p->device->ops->load)
        return LW_OK;
    for (size_t i = 0; i < m->param_count; i++) {
        const struct lw__manifest_param *row = &m->params[i];

        if (!row->is_symbol || lw__symbol_find(keeper, row->name))
            continue;
        struct lw__symbol *s = calloc(1, sizeof *s);
        if (!s)
            return lw__fail(LW_E_MEMORY, "out of memory: the variables of '%s'", p->name);
        const lw_status status = create(p, row, &p->params[i], &s->buffer);
        if (status) {
            free(s);
            return status;
        }
        s->name = row->name;
        s->param = &p->params[i];
        s->next = atomic_load(&keeper->symbols);
        atomic_store(&keeper->symbols, s);
    }
    return LW_OK;
}

void lw__symbols_close(lw_program *p)
{
    for (struct lw__symbol *next, *s = atomic_load(&p->symbols); s; s = next) {
        next = s->next;
        lw_buffer_destroy(s->buffer);
        free(s);
    }
}
