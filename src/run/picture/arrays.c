/* arrays.c - the memory that a kernel can name: its parameters, and its variables in block memory.
 *
 * A parameter's type is that of the manifest, its shape that of the argument. Variables have theirs
 * behind the name of their row (base/ref_abi.h). Where neither is known, as of DYNAMIC_SHARED, the
 * first access tells the type.
 */
#include "run/picture/picture.h"
#include <stdlib.h>
#include <string.h>

/* ---- layouts, as docs/layout.md has them ----------------------------------------------------- */

static bool take_dtype(struct lw__array *a, const char *text)
{
    for (int t = 0; t < LW_DTYPE_COUNT; t++) {
        const char *name = lw_dtype_name((lw_dtype)t);
        const size_t length = strlen(name);
        if (strncmp(text, name, length) || (text[length] && text[length] != ')'))
            continue;
        a->dtype = (lw_dtype)t;
        a->element = lw_dtype_size((lw_dtype)t);
        a->has_type = true;
        return true;
    }
    return false;
}

/* "pc(", "t2(", "a32(", "v4(": what is inside; *count: 32. */
static const char *inside(const char *text, size_t *count)
{
    const size_t word = strspn(text, "ptacv");
    char *end;
    *count = strtoul(text + word, &end, 10);
    return word && *end == '(' ? end + 1 : NULL;
}

/* Elements without a type of their own are shown as words, or bytes. */
static void take_words(struct lw__array *a)
{
    a->dtype = a->bytes % 4 ? LW_U8 : LW_U32;
    a->element = lw_dtype_size(a->dtype);
    a->has_type = true;
}

static void take_layout(struct lw__array *a, const char *text)
{
    size_t count;
    for (const char *at = text; at && !a->has_type; at = inside(at, &count)) {
        if (take_dtype(a, at))
            return;
        (void)inside(at, &count);
        if ((*at == 'a' || *at == 'v') && a->rank < LW_ARRAY_RANK && count)
            a->extent[a->rank++] = *at == 'v' && count == 3 ? 4 : count;
    }
    if (*text)
        take_words(a), a->rank = 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

void lw__array_count(struct lw__array *a)
{
    size_t all = 1;
    a->count = a->element ? a->bytes / a->element : 0;
    for (int i = 0; i < a->rank; i++)
        all *= a->extent[i];
    if (a->rank && all == a->count)
        return;
    a->rank = 1;
    a->extent[0] = a->count;
}

static void take_argument(struct lw__array *a, const struct lw__object *object)
{
    a->name = lw__copy_string(object->name);
    a->memory = object->memory;
    a->bytes = object->bytes;
    if (object->layout)
        take_layout(a, object->layout);
    if (!object->rank)
        return;
    a->rank = object->rank;
    for (int i = 0; i < object->rank; i++)
        a->extent[i] = (size_t)object->extent[i];
}

static void take_variable(struct lw__array *a, const struct lw_ref_row *row, size_t dynamic_bytes)
{
    a->name = lw__copy_string(row->name);
    a->is_block = true;
    a->bytes = row->kind == LW_REF_DYNAMIC ? dynamic_bytes : row->bytes;
    take_layout(a, row->name + strlen(row->name) + 1);
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
            take_argument(&arrays[i], &request->objects[row->place]);
        else if (row->kind == LW_REF_SHARED || row->kind == LW_REF_DYNAMIC)
            take_variable(&arrays[i], row, request->dynamic_bytes);
        else
            continue;
        lw__array_count(&arrays[i]);
        ok = arrays[i].name && keep_first(&arrays[i]);
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
