/* layout.c - from the library's one-line description of a type (docs/layout.md) to a tree.
 *
 * A recursive descent over the text, one function a production. A cursor that turned NULL means
 * that the text or the memory failed; every step passes that on, so it is looked at once, at the
 * end.
 */
#include "cli/core/cli.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at; /* NULL after a mistake */
    bool out_of_memory;
};

static struct cli_type *read_type(struct reader *r);
static struct cli_type *read_scalar(struct reader *r);

static bool accept(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (!r->at || strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void expect(struct reader *r, const char *word)
{
    if (!accept(r, word))
        r->at = NULL;
}

static size_t read_count(struct reader *r)
{
    if (!r->at || !isdigit((unsigned char)*r->at)) {
        r->at = NULL;
        return 0;
    }
    char *end;
    size_t count = strtoull(r->at, &end, 10);
    r->at = end;
    return count;
}

static struct cli_type *new_type(struct reader *r, enum cli_form form)
{
    struct cli_type *type = calloc(1, sizeof *type);
    if (type)
        type->form = form;
    else
        r->out_of_memory = true, r->at = NULL;
    return type;
}

/* read_inner - "( layout )", what type is made of. */
static void read_inner(struct reader *r, struct cli_type *type)
{
    expect(r, "(");
    type->inner = read_type(r);
    expect(r, ")");
}

/* read_bits - "WIDTH . BIT ( dtype )" of a bit-field. */
static struct cli_type *read_bits(struct reader *r)
{
    const size_t width = read_count(r);
    expect(r, ".");
    const size_t bit = read_count(r);
    expect(r, "(");
    struct cli_type *type = read_scalar(r);
    expect(r, ")");
    if (type) {
        type->width = (unsigned)width;
        type->bit = (unsigned)bit;
    }
    return type;
}

/* read_field - "NAME @ OFFSET : layout"; a name may be empty (an unnamed member). */
static struct cli_type *read_field(struct reader *r)
{
    const char *name = r->at;
    size_t length = name ? strcspn(name, "@") : 0;
    if (name)
        r->at += length;
    expect(r, "@");
    size_t offset = read_count(r);
    expect(r, ":");
    struct cli_type *field = accept(r, "w") ? read_bits(r) : read_type(r);
    if (field) {
        field->name = name;
        field->name_length = (int)length;
        field->offset = offset;
    }
    return field;
}

static struct cli_type *read_struct(struct reader *r)
{
    struct cli_type *type = new_type(r, CLI_STRUCT), **last;
    if (!type)
        return NULL;
    type->bytes = read_count(r);
    expect(r, "(");
    last = &type->inner;
    bool is_union = false;
    while (r->at && *r->at != ')') {
        if (type->inner)
            expect(r, ",");
        *last = read_field(r);
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
static struct cli_type *read_sequence(struct reader *r, enum cli_form form)
{
    struct cli_type *type = new_type(r, form);
    if (!type)
        return NULL;
    type->count = read_count(r);
    read_inner(r, type);
    size_t places = form == CLI_VECTOR && type->count == 3 ? 4 : type->count;
    type->bytes = places * (type->inner ? type->inner->bytes : 0);
    return type;
}

static struct cli_type *read_reference(struct reader *r, enum cli_form form)
{
    struct cli_type *type = new_type(r, form);
    if (!type)
        return NULL;
    type->bytes = sizeof(void *);
    if (form == CLI_TENSOR)
        type->bytes += read_count(r) * 2 * sizeof(ptrdiff_t);
    read_inner(r, type);
    return type;
}

static struct cli_type *read_scalar(struct reader *r)
{
    size_t length = r->at ? strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    lw_dtype dtype;
    if (length == 0 || !lw__dtype_find(r->at, length, &dtype)) {
        r->at = NULL;
        return NULL;
    }
    r->at += length;
    struct cli_type *type = new_type(r, CLI_SCALAR);
    if (type) {
        type->dtype = dtype;
        type->bytes = lw_dtype_size(dtype);
    }
    return type;
}

/* No dtype's name begins with s, a, v, p or t. */
static struct cli_type *read_type(struct reader *r)
{
    if (accept(r, "void"))
        return new_type(r, CLI_VOID);
    if (accept(r, "s"))
        return read_struct(r);
    if (accept(r, "a"))
        return read_sequence(r, CLI_ARRAY);
    if (accept(r, "v"))
        return read_sequence(r, CLI_VECTOR);
    if (accept(r, "pc") || accept(r, "p"))
        return read_reference(r, CLI_POINTER);
    if (accept(r, "tc") || accept(r, "t"))
        return read_reference(r, CLI_TENSOR);
    return read_scalar(r);
}

int cli_layout_read(const char *text, struct cli_type **type)
{
    struct reader reader = {.at = text};
    *type = read_type(&reader);
    if (reader.at && *reader.at == '\0')
        return CLI_DONE;
    cli_layout_free(*type);
    *type = NULL;
    if (reader.out_of_memory)
        return cli_fail_memory(sizeof **type);
    return cli_fail(CLI_LAUNCH, "a defect in Lanewise: the layout '%s' cannot be read", text);
}

void cli_layout_free(struct cli_type *type)
{
    while (type) {
        struct cli_type *next = type->next;
        cli_layout_free(type->inner);
        free(type);
        type = next;
    }
}
