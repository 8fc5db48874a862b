/* type_layout.c - reads a parameter's type from its one-line text; the grammar is docs/layout.md.
 *
 * The library only needs the outermost form and the size of what stands inside; the rest is checked
 * for form and skipped. A value's size is computed bottom-up.
 */
#include "run/program/program.h"
#include <string.h>

enum { DEPTH_MAX = 100, POINTER_BYTES = 8, RANK_MAX = 4 };

struct type {
    char form;      /* '1' dtype, 's', 'a', 'v', 'p', 't', or 'o' for void */
    bool is_const;  /* p, t: what it points to */
    lw_dtype dtype; /* 1, v: the (element's) type */
    size_t count;   /* a, v: elements; t: rank */
    size_t bytes;
};

static bool read_type(const char **at, struct type *type, struct type *inner, int depth);

static bool accept(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length))
        return false;
    *at += length;
    return true;
}

static bool read_number(const char **at, size_t *value)
{
    const char *start = *at;

    for (*value = 0; **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (size_t)(**at - '0'), value))
            return false;
    return *at != start;
}

static bool read_dtype(const char **at, struct type *type)
{
    for (int i = 0; i < LW_DTYPE_COUNT; i++)
        if (accept(at, lw_dtype_name((lw_dtype)i))) {
            *type = (struct type){
                .form = '1', .dtype = (lw_dtype)i, .bytes = lw_dtype_size((lw_dtype)i)};
            return true;
        }
    return false;
}

/* w WIDTH . BIT ( dtype ): a field of bits, which takes whole bytes here */
static bool read_bits(const char **at, struct type *type)
{
    enum { BYTE = 8 };
    size_t width, bit;

    if (!accept(at, "w") || !read_number(at, &width) || !accept(at, ".") ||
        !read_number(at, &bit) || !accept(at, "(") || !read_dtype(at, type) || !accept(at, ")"))
        return false;
    if (lw__dtype_is_float(type->dtype) || !width || width > BYTE * type->bytes || bit >= BYTE)
        return false;
    type->bytes = (bit + width + BYTE - 1) / BYTE;
    return true;
}

/* s BYTES ( NAME @ OFFSET : layout , ... ) */
static bool read_struct(const char **at, struct type *type, int depth)
{
    type->form = 's';
    if (!read_number(at, &type->bytes) || !accept(at, "("))
        return false;
    for (bool first = true; !accept(at, ")"); first = false) {
        size_t offset;
        struct type field, inner;

        if (!first && !accept(at, ","))
            return false;
        *at += strcspn(*at, "@(),:"); /* the name */
        if (!accept(at, "@") || !read_number(at, &offset) || !accept(at, ":") ||
            !(**at == 'w' ? read_bits(at, &field) : read_type(at, &field, &inner, depth)))
            return false;
        if (offset > type->bytes || field.bytes > type->bytes - offset)
            return false;
    }
    return true;
}

/* ( layout ) */
static bool read_inner(const char **at, struct type *inner, int depth)
{
    struct type innermost;

    return accept(at, "(") && read_type(at, inner, &innermost, depth) && accept(at, ")");
}

/* a COUNT ( layout ), v COUNT ( layout ) */
static bool read_repeated(const char **at, char form, struct type *type, struct type *inner,
                          int depth)
{
    size_t room;

    type->form = form;
    if (!read_number(at, &type->count) || !read_inner(at, inner, depth))
        return false;
    if (form == 'v' && (inner->form != '1' || type->count < 2))
        return false;
    type->dtype = inner->dtype;
    room = form == 'v' && type->count == 3 ? 4 : type->count;
    return !__builtin_mul_overflow(inner->bytes, room, &type->bytes);
}

/* p ( layout ), pc ( layout ), t RANK ( layout ), tc RANK ( layout ) */
static bool read_reference(const char **at, char form, struct type *type, struct type *inner,
                           int depth)
{
    type->form = form;
    type->bytes = POINTER_BYTES;
    type->is_const = accept(at, "c");
    if (form == 't') {
        if (!read_number(at, &type->count) || type->count < 1 || type->count > RANK_MAX)
            return false;
        type->bytes += 2 * type->count * sizeof(ptrdiff_t);
    }
    return read_inner(at, inner, depth);
}

/* One type; *inner is what it is made of, where it has the forms a, v, p, t. */
static bool read_type(const char **at, struct type *type, struct type *inner, int depth)
{
    *type = *inner = (struct type){0};
    if (depth > DEPTH_MAX)
        return false;
    if (read_dtype(at, type))
        return true;
    if (accept(at, "void")) {
        type->form = 'o';
        return true;
    }
    if (accept(at, "s"))
        return read_struct(at, type, depth + 1);
    if (accept(at, "a"))
        return read_repeated(at, 'a', type, inner, depth + 1);
    if (accept(at, "v"))
        return read_repeated(at, 'v', type, inner, depth + 1);
    if (accept(at, "p"))
        return read_reference(at, 'p', type, inner, depth + 1);
    return accept(at, "t") && read_reference(at, 't', type, inner, depth + 1);
}

bool lw__layout_read(const char *layout, lw_param *param, size_t *bytes)
{
    const char *at = layout;
    struct type type, inner;

    if (!read_type(&at, &type, &inner, 0) || *at)
        return false;
    if (type.form == 'o' || type.form == 'a' || (type.form == 't' && inner.form == 'o'))
        return false;
    *bytes = type.bytes;
    if (type.form == '1') {
        param->kind = LW_PARAM_SCALAR;
        param->has_dtype = true;
        param->dtype = type.dtype;
    } else if (type.form == 's' || type.form == 'v') {
        param->kind = LW_PARAM_STRUCT;
    } else {
        param->kind = type.form == 'p' ? LW_PARAM_POINTER : LW_PARAM_TENSOR;
        param->is_const = type.is_const;
        param->has_dtype = inner.form == '1' || inner.form == 'v';
        param->dtype = inner.dtype;
        param->element_bytes = inner.bytes;
        param->rank = type.form == 't' ? (int)type.count : 0;
    }
    return true;
}
