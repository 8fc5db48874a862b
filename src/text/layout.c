/* layout.c - from the one-line description of a type (docs/layout.md) to a tree.
 *
 * A recursive descent over the text, one function a production. The text is not trusted. A cursor
 * that turned NULL means that the text or the memory failed; every step passes that on, so it is
 * looked at once, at the end.
 */
#include "text/layout.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 100, RANK_MAX = 4, BYTE = 8 };

struct reader {
    const char *at; /* NULL after a mistake */
    int depth;
    bool out_of_memory;
};

static struct lw__type *read_type(struct reader *r);
static struct lw__type *read_scalar(struct reader *r);

static bool accept(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (!r->at || strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void need(struct reader *r, bool is_so)
{
    if (!is_so)
        r->at = NULL;
}

static void expect(struct reader *r, const char *word)
{
    need(r, accept(r, word));
}

static size_t read_count(struct reader *r)
{
    size_t count = 0;
    need(r, r->at && *r->at >= '0' && *r->at <= '9');
    for (; r->at && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(count, 10, &count) ||
            __builtin_add_overflow(count, (size_t)(*r->at - '0'), &count)) {
            r->at = NULL;
            return 0;
        }
    return count;
}

static struct lw__type *new_type(struct reader *r, enum lw__form form)
{
    struct lw__type *type = calloc(1, sizeof *type);
    if (type)
        type->form = form;
    else
        r->out_of_memory = true, r->at = NULL;
    return type;
}

/* read_inner - "( layout )", what type is made of: never NULL where the text goes on. */
static void read_inner(struct reader *r, struct lw__type *type)
{
    expect(r, "(");
    type->inner = read_type(r);
    expect(r, ")");
}

/* read_bits - "WIDTH . BIT ( dtype )" of a bit-field. */
static struct lw__type *read_bits(struct reader *r)
{
    const size_t width = read_count(r);
    expect(r, ".");
    const size_t bit = read_count(r);
    expect(r, "(");
    struct lw__type *type = read_scalar(r);
    expect(r, ")");
    if (type) {
        need(r, !lw__dtype_is_float(type->dtype) && width && width <= BYTE * type->bytes &&
                    bit < BYTE);
        type->width = (unsigned)width;
        type->bit = (unsigned)bit;
    }
    return type;
}

/* read_field - "NAME @ OFFSET : layout"; a name may be empty (an unnamed member). */
static struct lw__type *read_field(struct reader *r, size_t room)
{
    const char *name = r->at;
    size_t length = name ? strcspn(name, "@(),:") : 0;
    if (name)
        r->at += length;
    expect(r, "@");
    size_t offset = read_count(r);
    expect(r, ":");
    struct lw__type *field = accept(r, "w") ? read_bits(r) : read_type(r);
    if (field) {
        const size_t bits = field->bit + field->width;
        const size_t bytes = bits ? (bits + BYTE - 1) / BYTE : field->bytes;
        need(r, r->at && offset <= room && bytes <= room - offset);
        field->name = name;
        field->name_length = (int)length;
        field->offset = offset;
    }
    return field;
}

static struct lw__type *read_struct(struct reader *r)
{
    struct lw__type *type = new_type(r, LW_STRUCT), **last;
    if (!type)
        return NULL;
    type->bytes = read_count(r);
    expect(r, "(");
    last = &type->inner;
    bool is_union = false;
    while (r->at && *r->at != ')') {
        if (type->inner)
            expect(r, ",");
        *last = read_field(r, type->bytes);
        if (!*last)
            return type;
        is_union = *last != type->inner && !(*last)->offset && !(*last)->bit;
        type->count++;
        last = &(*last)->next;
    }
    if (is_union)
        type->count = 1;
    expect(r, ")");
    return type;
}

/* read_sequence - the rest of an array or a short vector. */
static struct lw__type *read_sequence(struct reader *r, enum lw__form form)
{
    struct lw__type *type = new_type(r, form);
    if (!type)
        return NULL;
    type->count = read_count(r);
    read_inner(r, type);
    if (!r->at)
        return type;
    const size_t places = form == LW_VECTOR && type->count == 3 ? 4 : type->count;
    type->dtype = type->inner->dtype;
    need(r, form == LW_ARRAY || (type->inner->form == LW_SCALAR && type->count >= 2));
    need(r, r->at && !__builtin_mul_overflow(places, type->inner->bytes, &type->bytes));
    return type;
}

static struct lw__type *read_reference(struct reader *r, enum lw__form form)
{
    struct lw__type *type = new_type(r, form);
    if (!type)
        return NULL;
    type->is_const = accept(r, "c");
    if (form == LW_TENSOR) {
        type->count = read_count(r);
        need(r, r->at && type->count >= 1 && type->count <= RANK_MAX);
    }
    type->bytes = sizeof(void *) + type->count * 2 * sizeof(ptrdiff_t);
    read_inner(r, type);
    return type;
}

static struct lw__type *read_scalar(struct reader *r)
{
    size_t length = r->at ? strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    lw_dtype dtype;
    if (length == 0 || !lw__dtype_find(r->at, length, &dtype)) {
        r->at = NULL;
        return NULL;
    }
    r->at += length;
    struct lw__type *type = new_type(r, LW_SCALAR);
    if (type) {
        type->dtype = dtype;
        type->bytes = lw__dtypes[dtype].bytes;
    }
    return type;
}

/* No dtype's name begins with s, a, v, p or t. */
static struct lw__type *read_form(struct reader *r)
{
    if (accept(r, "void"))
        return new_type(r, LW_VOID);
    if (accept(r, "s"))
        return read_struct(r);
    if (accept(r, "a"))
        return read_sequence(r, LW_ARRAY);
    if (accept(r, "v"))
        return read_sequence(r, LW_VECTOR);
    if (accept(r, "p"))
        return read_reference(r, LW_POINTER);
    if (accept(r, "t"))
        return read_reference(r, LW_TENSOR);
    return read_scalar(r);
}

static struct lw__type *read_type(struct reader *r)
{
    need(r, r->depth++ <= DEPTH_MAX);
    struct lw__type *type = read_form(r);
    assert(type || !r->at); /* where the text goes on there is a type */
    r->depth--;
    return type;
}

lw_status lw__type_read(const char *text, struct lw__type **type)
{
    struct reader reader = {.at = text};
    *type = read_type(&reader);
    if (reader.at && *reader.at == '\0')
        return LW_OK;
    lw__type_free(*type);
    *type = NULL;
    return reader.out_of_memory ? LW_E_MEMORY : LW_E_INTERNAL;
}

void lw__type_free(struct lw__type *type)
{
    while (type) {
        struct lw__type *next = type->next;
        lw__type_free(type->inner);
        free(type);
        type = next;
    }
}
