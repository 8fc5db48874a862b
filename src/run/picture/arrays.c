/* arrays.c - the memory that a kernel can name: its parameters, and its variables in block memory.
 *
 * A parameter's type is that of the manifest, its shape that of the argument. Variables have theirs
 * after the name of their row (base/ref_abi.h). Where neither is known, as of DYNAMIC_SHARED, the
 * first access tells the type.
 */
#include "run/picture/picture.h"
#include "text/layout.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Elements without a type of their own are shown as words, or bytes. */
static void take_words(struct lw__array *a)
{
    a->dtype = a->bytes % 4 ? LW_U8 : LW_U32;
    a->element = lw_dtype_size(a->dtype);
    a->has_type = true;
}

/* By the text of a type; "": none is known. False: memory is short. */
static bool take_layout(struct lw__array *a, const char *text)
{
    struct lw__type *type = NULL;
    if (*text && lw__type_read(text, &type) == LW_E_MEMORY)
        return false;
    for (const struct lw__type *t = type; t && t->form != LW_STRUCT; t = t->inner) {
        if (t->form == LW_SCALAR) {
            a->dtype = t->dtype;
            a->element = t->bytes;
            a->has_type = true;
        } else if ((t->form == LW_ARRAY || t->form == LW_VECTOR) && a->rank < LW_ARRAY_RANK &&
                   t->count) {
            a->extent[a->rank++] = t->form == LW_VECTOR && t->count == 3 ? 4 : t->count;
        }
    }
    lw__type_free(type);
    if (*text && !a->has_type)
        take_words(a), a->rank = 0;
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

void lw__array_count(struct lw__array *a)
{
    size_t all = 1;
    assert(!a->has_type == !a->element && a->rank <= LW_ARRAY_RANK);
    a->count = a->element ? a->bytes / a->element : 0;
    for (int i = 0; i < a->rank; i++)
        all *= a->extent[i];
    if (a->rank && all == a->count)
        return;
    a->rank = 1;
    a->extent[0] = a->count;
}

static bool take_argument(struct lw__array *a, const struct lw__object *object)
{
    a->name = lw__copy_string(object->name);
    a->memory = object->memory;
    a->bytes = object->bytes;
    if (object->layout && !take_layout(a, object->layout))
        return false;
    if (!object->rank)
        return true;
    a->rank = object->rank;
    for (int i = 0; i < object->rank; i++)
        a->extent[i] = (size_t)object->extent[i];
    return true;
}

static bool take_variable(struct lw__array *a, const struct lw_ref_row *row, size_t dynamic_bytes)
{
    a->name = lw__copy_string(row->name);
    a->is_block = true;
    a->bytes = row->kind == LW_REF_DYNAMIC ? dynamic_bytes : row->bytes;
    return take_layout(a, row->name + strlen(row->name) + 1);
}

/* False: memory is short. */
static bool keep_first(struct lw__array *a)
{
    if (a->is_block || !a->memory || !a->count || a->count > LW_ARRAY_FIRST)
        return true;
    a->first = malloc(a->bytes);
    if (a->first)
        memcpy(a->first, a->memory, a->bytes);
    return a->first;
}

struct lw__array *lw__arrays_create(const struct lw__ref_block *block)
{
    const struct lw__launch *request = block->launch->request;
    const struct lw_ref_kernel *kernel = block->launch->code->kernel;
    struct lw__array *arrays = calloc(kernel->row_count + 1, sizeof *arrays);
    bool ok = arrays;
    for (size_t i = 0; ok && i < kernel->row_count; i++) {
        const struct lw_ref_row *row = &kernel->rows[i];
        const bool is_argument = row->kind == LW_REF_ARGUMENT && row->place < request->object_count;
        if (is_argument && request->objects[row->place].memory)
            ok = take_argument(&arrays[i], &request->objects[row->place]);
        else if (row->kind == LW_REF_SHARED || row->kind == LW_REF_DYNAMIC)
            ok = take_variable(&arrays[i], row, request->dynamic_bytes);
        else
            continue;
        lw__array_count(&arrays[i]);
        ok = ok && arrays[i].name && keep_first(&arrays[i]);
    }
    if (!ok && arrays)
        lw__arrays_free(arrays, kernel->row_count);
    return ok ? arrays : NULL;
}

void lw__arrays_free(struct lw__array *arrays, size_t count)
{
    for (size_t i = 0; arrays && i < count; i++)
        free(arrays[i].first), free(arrays[i].name);
    free(arrays);
}
