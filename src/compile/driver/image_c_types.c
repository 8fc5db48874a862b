/* image_c_types.c - C types of parameters for the header, from their layouts (docs/layout.md).
 *
 * A struct by value becomes struct FILE_NAME with the same fields at the same offsets. NAME is its
 * tag or typedef name. 16-bit floats in it are uint16_t, pointers void *, bit-fields bytes. A
 * packed struct is its bytes.
 */
#include "compile/driver/image.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one layout ---- */

struct shape {
    uint64_t size, align;
};

/* How C has an element of a struct. */
static const char *c_name(lw_dtype dtype)
{
    const bool is_half = dtype == LW_F16 || dtype == LW_BF16;
    return is_half ? "uint16_t" : dtype == LW_I32 ? "int" : lw__dtypes[dtype].c_name;
}

static const char *close_of(const char *open)
{
    int depth = 0;
    for (; *open; open++) {
        depth += *open == '(' ? 1 : *open == ')' ? -1 : 0;
        if (!depth)
            return open;
    }
    return open;
}

static struct shape write_type(const char **at, const char *name, unsigned level,
                               struct lw__text *out);

static void indent(struct lw__text *out, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        lw__text_add(out, "    ");
}

static const char *const reserved[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "bitand",
    "bitor",
    "bool",
    "catch",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
};

bool lw__image_is_reserved(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == length && !strncmp(reserved[i], name, length))
            return true;
    return false;
}

/* After the bit-fields that a list of fields begins with: they have no place of their own. */
static const char *skip_bits(const char *at)
{
    for (;;) {
        const char *sign = at + strcspn(at, "@,()"), *type = strchr(sign, ':');
        if (*sign != '@' || !type || type[1] != 'w')
            return at;
        at = close_of(strchr(type, '('));
        at += *at == ')';
        at += *at == ',';
    }
}

/* One field in order. */
struct field {
    char name[256];
    uint64_t offset;
    const char *type; /* its layout */
};

static const char *read_field(const char *at, struct field *f)
{
    const char *sign = strchr(at, '@');
    const size_t length = sign ? (size_t)(sign - at) : 0;
    char *end;
    *f = (struct field){0};
    f->offset = strtoull(sign ? sign + 1 : at, &end, 10);
    if (length)
        snprintf(f->name, sizeof f->name - 1, "%.*s", (int)length, at);
    else
        snprintf(f->name, sizeof f->name, "unnamed_%llu", (unsigned long long)f->offset);
    if (lw__image_is_reserved(f->name, strlen(f->name)))
        strcat(f->name, "_");
    f->type = *end == ':' ? end + 1 : end;
    return f->type;
}

static bool is_union(const char *at)
{
    unsigned count = 0;
    struct field f;
    struct lw__text none = {0};
    while (*(at = skip_bits(at)) && *at != ')') {
        const char *type = read_field(at, &f);
        struct shape shape = write_type(&type, "", 0, &none);
        if (f.offset || !shape.size)
            break;
        count++;
        at = *type == ',' ? type + 1 : type;
    }
    lw__text_free(&none);
    return *at == ')' && count > 1;
}

/* Bytes that no field has, except for alignment padding. */
static void write_gap(uint64_t from, uint64_t to, uint64_t align, unsigned level,
                      struct lw__text *out)
{
    if ((from + align - 1) / align * align >= to)
        return;
    indent(out, level);
    lw__text_add(out, "unsigned char bytes_%llu[%llu];\n", (unsigned long long)from,
                 (unsigned long long)(to - from));
}

/* The fields, from after the parenthesis; false: C would place them otherwise. */
static bool write_fields(const char *at, uint64_t size, bool is_union, unsigned level,
                         struct lw__text *out, uint64_t *align)
{
    uint64_t end = 0;
    struct field f;
    *align = 1;
    while (*(at = skip_bits(at)) && *at != ')') {
        struct lw__text own = {0};
        const char *type = read_field(at, &f);
        struct shape shape = write_type(&type, f.name, level + 1, &own);
        const uint64_t step = shape.align ? shape.align : 1;
        const bool fits = f.offset % step == 0 && (is_union || f.offset >= end);
        if (!is_union)
            write_gap(end, f.offset, step, level + 1, out);
        if (own.data)
            lw__text_add_bytes(out, own.data, own.length);
        lw__text_free(&own);
        if (!fits)
            return false;
        end = f.offset + shape.size > end ? f.offset + shape.size : end;
        *align = step > *align ? step : *align;
        at = *type == ',' ? type + 1 : type;
    }
    if (!is_union)
        write_gap(end, size, *align, level + 1, out);
    return size % *align == 0 && size >= end;
}

/* "s12(x@0:f32,...)" as `struct TAG { ... }`; tag NULL: none. */
static struct shape write_struct(const char **at, const char *tag, unsigned level,
                                 struct lw__text *out)
{
    char *open;
    struct shape shape = {.size = strtoull(*at + 1, &open, 10)};
    struct lw__text fields = {0};
    const bool all = is_union(open + 1);
    bool fits = write_fields(open + 1, shape.size, all, level, &fields, &shape.align);
    lw__text_add(out, "%s%s%s {\n", all && fits ? "union" : "struct", tag ? " " : "",
                 tag ? tag : "");
    if (fits && fields.data) {
        lw__text_add_bytes(out, fields.data, fields.length);
    } else {
        indent(out, level + 1);
        lw__text_add(out, "unsigned char bytes[%llu];\n", (unsigned long long)shape.size);
        shape.align = 1;
    }
    indent(out, level);
    lw__text_add(out, "}");
    lw__text_free(&fields);
    *at = *close_of(open) ? close_of(open) + 1 : close_of(open);
    return shape;
}

/* "a4(a2(f32))" is `float NAME[4][2]`, a short vector an aligned array. */
static struct shape write_array(const char **at, const char *name, unsigned level,
                                struct lw__text *out)
{
    const bool is_vector = **at == 'v';
    char *open;
    uint64_t count = strtoull(*at + 1, &open, 10);
    struct lw__text longer = {0}, element = {0};
    if (is_vector && count == 3)
        count = 4;
    lw__text_add(&longer, "%s[%llu]", name, (unsigned long long)count);
    *at = open + (*open == '(');
    struct shape shape = write_type(at, longer.data ? longer.data : name, level, &element);
    shape.size *= count;
    if (is_vector) {
        shape.align = shape.size;
        if (element.length > 2) /* in front of ";\n" */
            element.length -= 2;
        lw__text_add(&element, " __attribute__((aligned(%llu)));\n",
                     (unsigned long long)shape.size);
    }
    if (element.data)
        lw__text_add_bytes(out, element.data, element.length);
    if (**at == ')')
        ++*at;
    lw__text_free(&longer);
    lw__text_free(&element);
    return shape;
}

static struct shape write_scalar(const char **at, const char *name, unsigned level,
                                 struct lw__text *out)
{
    const size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789");
    struct shape shape = {0, 1};
    lw_dtype dtype;
    if (lw__dtype_find(*at, length, &dtype)) {
        indent(out, level);
        lw__text_add(out, "%s %s;\n", c_name(dtype), name);
        shape = (struct shape){lw__dtypes[dtype].bytes, lw__dtypes[dtype].bytes};
    }
    *at += length;
    return shape;
}

static bool is_call(const char *at, const char *word) /* "p(": the word and a parenthesis */
{
    const size_t length = strlen(word);
    return !strncmp(at, word, length) && at[length] == '(';
}

/* `TYPE NAME;` as a field; *at moves past the type. */
static struct shape write_type(const char **at, const char *name, unsigned level,
                               struct lw__text *out)
{
    if (is_call(*at, "p") || is_call(*at, "pc")) {
        const char *end = close_of(strchr(*at, '('));
        *at = *end ? end + 1 : end;
        indent(out, level);
        lw__text_add(out, "void *%s;\n", name);
        return (struct shape){8, 8};
    }
    if (**at == 's' && (*at)[1] >= '0' && (*at)[1] <= '9') {
        indent(out, level);
        struct shape shape = write_struct(at, NULL, level, out);
        lw__text_add(out, " %s;\n", name);
        return shape;
    }
    if ((**at == 'a' || **at == 'v') && (*at)[1] >= '0' && (*at)[1] <= '9')
        return write_array(at, name, level, out);
    return write_scalar(at, name, level, out);
}

/* ---- parameters ---- */

static bool is_struct_layout(const char *layout)
{
    return (*layout == 's' || *layout == 'v' || *layout == 'a') && layout[1] >= '0' &&
           layout[1] <= '9';
}

bool lw__image_is_struct(const struct lw__manifest_param *param)
{
    return is_struct_layout(param->layout);
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
static void add_tag(const struct lw__image_options *o, const struct lw__manifest *m, size_t param,
                    struct lw__text *out)
{
    size_t length, other_length;
    const struct lw__manifest_param *p = &m->params[param];
    const char *name = last_word(p->type, &length);
    bool is_taken = !length || strpbrk(p->type, "{(") != NULL;
    for (size_t i = 0; i < param && !is_taken; i++) {
        const char *other = last_word(m->params[i].type, &other_length);
        is_taken = lw__image_is_struct(&m->params[i]) && other_length == length &&
                   !strncmp(other, name, length) && strcmp(m->params[i].layout, p->layout) != 0;
    }
    if (is_taken)
        lw__text_add(out, "%s_struct_%zu", o->file, param + 1);
    else
        lw__text_add(out, "%s_%.*s", o->file, (int)length, name);
}

/* "struct FILE_particle": its definition. */
void lw__image_type(const struct lw__image_options *o, const struct lw__manifest *m, size_t param,
                    struct lw__text *out)
{
    const char *layout = m->params[param].layout, *at = layout;
    struct lw__text text = {0};
    if (*layout == 's')
        write_struct(&at, NULL, 0, &text);
    lw__text_add(out, text.data && !strncmp(text.data, "union", 5) ? "union " : "struct ");
    add_tag(o, m, param, out);
    lw__text_free(&text);
}

static void define(const struct lw__image_options *o, const struct lw__manifest *m, size_t param,
                   struct lw__text *out)
{
    struct lw__text tag = {0};
    const char *at = m->params[param].layout;
    add_tag(o, m, param, &tag);
    if (*at == 's') {
        lw__text_add(out, "\n/* %s */\n", m->params[param].type);
        write_struct(&at, tag.data, 0, out);
        lw__text_add(out, ";\n");
    } else {
        lw__text_add(out, "\n/* %s */\nstruct %s {\n", m->params[param].type, tag.data);
        write_type(&at, "v", 1, out);
        lw__text_add(out, "};\n");
    }
    lw__text_free(&tag);
}

static bool is_defined(const struct lw__image_options *o, const struct lw__manifest *m,
                       size_t param)
{
    struct lw__text own = {0}, other = {0};
    bool found = false;
    lw__image_type(o, m, param, &own);
    for (size_t i = 0; i < param && !found; i++) {
        if (!lw__image_is_struct(&m->params[i]))
            continue;
        other.length = 0;
        lw__image_type(o, m, i, &other);
        found = own.data && other.data && !strcmp(own.data, other.data);
    }
    lw__text_free(&own);
    lw__text_free(&other);
    return found;
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
    return dtype == LW_F16 || dtype == LW_BF16 ? "float" : c_name(dtype);
}

void lw__image_asserts(const struct lw__image_options *o, const struct lw__manifest *m,
                       struct lw__text *out)
{
    for (size_t i = 0; i < m->param_count; i++) {
        if (!lw__image_is_struct(&m->params[i]))
            continue;
        lw__text_add(out, "_Static_assert(sizeof(");
        lw__image_type(o, m, i, out);
        lw__text_add(out, ") == %zu, \"\");\n", m->params[i].size);
    }
}
