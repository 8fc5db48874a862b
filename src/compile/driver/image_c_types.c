/* image_c_types.c - C types of parameters for the header, from their layouts (docs/layout.md).
 *
 * A struct by value becomes struct FILE_NAME with the same fields at the same offsets. NAME is its
 * tag or typedef name. 16-bit floats in it are uint16_t, pointers void *, bit-fields bytes. A
 * packed struct is its bytes.
 */
#include "compile/driver/image.h"
#include "text/layout.h"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- one type ---- */

/* C has no such type everywhere. */
static bool is_short_float(lw_dtype dtype)
{
    return lw__dtype_is_float(dtype) && lw__dtypes[dtype].bytes < sizeof(float);
}

/* How C has an element of a struct. */
static const char *c_name(lw_dtype dtype)
{
    const char *const bits = lw__dtypes[dtype].bytes == 1 ? "uint8_t" : "uint16_t";
    return is_short_float(dtype) ? bits : dtype == LW_I32 ? "int" : lw__dtypes[dtype].c_name;
}

static void indent(struct lw__text *out, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        lw__text_add(out, "    ");
}

/* A space follows each. */
static const char reserved[] =
    "alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class "
    "compl concept const_cast consteval constexpr constinit co_await co_return co_yield "
    "decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept "
    "not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires "
    "static_assert static_cast template this thread_local throw true try typeid typename "
    "using virtual wchar_t xor xor_eq ";

bool lw__image_is_reserved(const char *name, size_t length)
{
    for (const char *word = reserved; *word; word = strchr(word, ' ') + 1)
        if (!strncmp(word, name, length) && word[length] == ' ')
            return true;
    return false;
}

/* The first field from here on that is no bit-field: those have no place of their own. */
static const struct lw__type *skip_bits(const struct lw__type *field)
{
    while (field && field->width)
        field = field->next;
    return field;
}

#define EACH_PLACED(field, type)                                                                   \
    (const struct lw__type *field = skip_bits((type)->inner); field; field = skip_bits(field->next))

static bool is_union(const struct lw__type *type)
{
    unsigned count = 0;
    for
        EACH_PLACED(field, type)
        {
            if (field->offset || !field->bytes)
                return false;
            count++;
        }
    return count > 1;
}

static size_t align_of(const struct lw__type *type);

/* Of a struct, as C aligns one of these fields; 0: C would place them otherwise. */
static size_t align_of_fields(const struct lw__type *type)
{
    size_t end = 0, align = 1;
    for
        EACH_PLACED(field, type)
        {
            const size_t step = align_of(field);
            if (field->offset % step || (field->offset < end && !is_union(type)))
                return 0;
            end = field->offset + field->bytes > end ? field->offset + field->bytes : end;
            align = step > align ? step : align;
        }
    return type->bytes % align || type->bytes < end ? 0 : align;
}

static size_t align_of(const struct lw__type *type)
{
    while (type->form == LW_ARRAY)
        type = type->inner;
    const size_t align = type->form == LW_STRUCT ? align_of_fields(type) : type->bytes;
    return align ? align : 1; /* bytes */
}

/* Bytes that no field has, except for alignment padding. */
static void write_gap(size_t from, size_t to, size_t align, unsigned level, struct lw__text *out)
{
    if ((from + align - 1) / align * align >= to)
        return;
    indent(out, level);
    lw__text_add(out, "unsigned char bytes_%zu[%zu];\n", from, to - from);
}

static void write_struct(const struct lw__type *type, const char *tag, unsigned level,
                         struct lw__text *out);

static void write_name(const struct lw__type *field, struct lw__text *out)
{
    const bool is_reserved = lw__image_is_reserved(field->name, (size_t)field->name_length);
    if (field->name_length)
        lw__text_add(out, "%.*s%s", field->name_length, field->name, is_reserved ? "_" : "");
    else
        lw__text_add(out, "unnamed_%zu", field->offset);
}

/* `TYPE NAME;`: "a4(a2(f32))" is `float NAME[4][2]`, a short vector an aligned array. */
static void write_field(const struct lw__type *field, unsigned level, struct lw__text *out)
{
    const struct lw__type *type = field;
    while (type->form == LW_ARRAY)
        type = type->inner;
    indent(out, level);
    if (type->form == LW_STRUCT)
        write_struct(type, NULL, level, out);
    else
        lw__text_add(out, "%s", type->form == LW_POINTER ? "void" : c_name(type->dtype));
    lw__text_add(out, type->form == LW_POINTER ? " *" : " ");
    write_name(field, out);
    assert(type->form == LW_SCALAR || type->form == LW_VECTOR || type->form == LW_POINTER ||
           type->form == LW_STRUCT);
    for (; field != type; field = field->inner)
        lw__text_add(out, "[%zu]", field->count);
    if (type->form == LW_VECTOR)
        lw__text_add(out, "[%zu] __attribute__((aligned(%zu)))", type->bytes / type->inner->bytes,
                     type->bytes);
    lw__text_add(out, ";\n");
}

/* `struct TAG { ... }`; tag NULL: none. */
static void write_struct(const struct lw__type *type, const char *tag, unsigned level,
                         struct lw__text *out)
{
    const size_t align = align_of_fields(type);
    const bool all = align && is_union(type);
    size_t end = 0;
    lw__text_add(out, "%s%s%s {\n", all ? "union" : "struct", tag ? " " : "", tag ? tag : "");
    if (!align) {
        indent(out, level + 1);
        lw__text_add(out, "unsigned char bytes[%zu];\n", type->bytes);
    } else {
        for
            EACH_PLACED(field, type)
            {
                if (!all)
                    write_gap(end, field->offset, align_of(field), level + 1, out);
                write_field(field, level + 1, out);
                end = field->offset + field->bytes;
            }
        if (!all)
            write_gap(end, type->bytes, align, level + 1, out);
    }
    indent(out, level);
    lw__text_add(out, "}");
}

/* ---- parameters ---- */

bool lw__image_is_struct(const struct lw__manifest_param *param)
{
    const char *layout = param->layout;
    return (*layout == 's' || *layout == 'v' || *layout == 'a') && layout[1] >= '0' &&
           layout[1] <= '9';
}

static struct lw__type *read_type(const struct lw__manifest_param *param)
{
    struct lw__type *type;
    if (lw__type_read(param->layout, &type) != LW_OK)
        lw__out_of_memory();
    return type;
}

/* The last word of "const struct particle"; "" for a type without a name. */
static const char *last_word(const char *type, size_t *length)
{
    const char *end = type + strlen(type);
    while (end > type && !isalnum((unsigned char)end[-1]) && end[-1] != '_')
        end--;
    const char *begin = end;
    while (begin > type && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    *length = (size_t)(end - begin);
    const bool is_word = (*length == 6 && !strncmp(begin, "struct", 6)) ||
                         (*length == 5 && !strncmp(begin, "union", 5));
    if (is_word)
        *length = 0;
    return begin;
}

/* FILE_particle; if another layout has that name as well, with the parameter's number. */
static const char *tag_of(const struct lw__image_options *o, const struct lw__manifest *m,
                          size_t param)
{
    const struct lw__manifest_param *p = &m->params[param];
    size_t length;
    const char *name = last_word(p->type, &length);
    bool is_taken = !length || strpbrk(p->type, "{(") != NULL;
    size_t other_length;
    for (size_t i = 0; i < param && !is_taken; i++) {
        const char *other = last_word(m->params[i].type, &other_length);
        is_taken = lw__image_is_struct(&m->params[i]) && other_length == length &&
                   !strncmp(other, name, length) && strcmp(m->params[i].layout, p->layout) != 0;
    }
    return is_taken ? lw__format(o->arena, "%s_struct_%zu", o->file, param + 1)
                    : lw__format(o->arena, "%s_%.*s", o->file, (int)length, name);
}

/* "struct FILE_particle": its definition. */
const char *lw__image_type(const struct lw__image_options *o, const struct lw__manifest *m,
                           size_t param)
{
    struct lw__type *type = read_type(&m->params[param]);
    const bool all = type && type->form == LW_STRUCT && is_union(type) && align_of_fields(type);
    lw__type_free(type);
    return lw__format(o->arena, "%s %s", all ? "union" : "struct", tag_of(o, m, param));
}

static void define(const struct lw__image_options *o, const struct lw__manifest *m, size_t param,
                   struct lw__text *out)
{
    const char *tag = tag_of(o, m, param);
    struct lw__type *type = read_type(&m->params[param]);
    lw__text_add(out, "\n/* %s */\n", m->params[param].type);
    if (type && type->form == LW_STRUCT) {
        write_struct(type, tag, 0, out);
        lw__text_add(out, ";\n");
    } else if (type) {
        type->name = "v";
        type->name_length = 1;
        lw__text_add(out, "struct %s {\n", tag);
        write_field(type, 1, out);
        lw__text_add(out, "};\n");
    }
    lw__type_free(type);
}

static bool is_defined(const struct lw__image_options *o, const struct lw__manifest *m,
                       size_t param)
{
    const char *own = lw__image_type(o, m, param);
    for (size_t i = 0; i < param; i++)
        if (lw__image_is_struct(&m->params[i]) && !strcmp(lw__image_type(o, m, i), own))
            return true;
    return false;
}

void lw__image_types(const struct lw__image_options *o, const struct lw__manifest *m,
                     struct lw__text *out)
{
    for (size_t i = 0; i < m->param_count; i++)
        if (lw__image_is_struct(&m->params[i]) && !is_defined(o, m, i))
            define(o, m, i, out);
}

const char *lw__image_scalar(const char *layout)
{
    lw_dtype dtype;
    if (!lw__dtype_find(layout, strlen(layout), &dtype))
        return NULL;
    return is_short_float(dtype) ? "float" : c_name(dtype);
}

void lw__image_asserts(const struct lw__image_options *o, const struct lw__manifest *m,
                       struct lw__text *out)
{
    for (size_t i = 0; i < m->param_count; i++)
        if (lw__image_is_struct(&m->params[i]))
            lw__text_add(out, "_Static_assert(sizeof(%s) == %zu, \"\");\n", lw__image_type(o, m, i),
                         m->params[i].size);
}
