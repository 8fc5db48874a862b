/* operands.c - names and operands to slots of the frame. */
#include "decoder.h"
#include <string.h>

/* ---- names, slots, instructions ---- */

void add_name(struct names *n, const struct token *t, uint32_t at, uint32_t count)
{
    n->rows = grow(n->rows, n->count, sizeof *n->rows);
    n->rows[n->count++] = (struct name){t->text, t->length, at, count};
}

const struct name *find_name(const struct names *n, const struct token *t)
{
    for (uint32_t k = n->count; k-- > 0;)
        if (n->rows[k].length == t->length && !memcmp(n->rows[k].text, t->text, t->length))
            return &n->rows[k];
    return NULL;
}

uint32_t add_slot(struct decoder *d, uint64_t value)
{
    struct function *f = d->f;

    f->frame = grow(f->frame, f->frame_slots, sizeof *f->frame);
    f->frame[f->frame_slots] = value;
    return f->frame_slots++;
}

static uint32_t constant(struct decoder *d, uint64_t value)
{
    const struct names *n = &d->constants;
    const struct token none = {"", 0, 0};

    for (uint32_t k = 0; k < n->count; k++)
        if (d->f->frame[n->rows[k].at] == value)
            return n->rows[k].at;
    add_name(&d->constants, &none, add_slot(d, value), 1);
    return d->f->frame_slots - 1;
}

static uint32_t special(struct decoder *d, enum special which)
{
    if (d->f->special[which] == NO_SLOT)
        d->f->special[which] = add_slot(d, POISON);
    return d->f->special[which];
}

struct instruction *emit(struct decoder *d, uint32_t op, uint32_t line)
{
    struct function *f = d->f;

    f->code = grow(f->code, f->code_count, sizeof *f->code);
    f->code[f->code_count] = (struct instruction){.op = (uint16_t)op, .count = 1, .line = line};
    return &f->code[f->code_count++];
}

/* ---- operands ---- */

bool unknown(struct decoder *d, const struct token *t)
{
    return reader_fail(d->in, t->line, "'%.*s' is not known", (int)t->length, t->text);
}

/* %r12 of `.reg .b32 %r<20>`, or a name by itself. */
bool find_register(struct decoder *d, const struct token *t, uint32_t *slot)
{
    struct token prefix = *t;
    const struct name *n = find_name(&d->slots, t);
    uint64_t number = 0;

    if (n) {
        *slot = n->at;
        return true;
    }
    while (prefix.length && prefix.text[prefix.length - 1] >= '0' &&
           prefix.text[prefix.length - 1] <= '9')
        prefix.length--;
    n = find_name(&d->registers, &prefix);
    for (size_t k = prefix.length; k < t->length && number < UINT32_MAX; k++)
        number = 10 * number + (uint64_t)(t->text[k] - '0');
    if (!n || prefix.length == t->length || number >= n->count)
        return false;
    *slot = n->at + (uint32_t)number;
    return true;
}

static bool find_special(struct decoder *d, const struct token *t, uint32_t *slot)
{
    static const char *const names[SPECIALS] = {[TID_X] = "%tid.x",
                                                [TID_Y] = "%tid.y",
                                                [TID_Z] = "%tid.z",
                                                [CTAID_X] = "%ctaid.x",
                                                [CTAID_Y] = "%ctaid.y",
                                                [CTAID_Z] = "%ctaid.z",
                                                [NCTAID_X] = "%nctaid.x",
                                                [NCTAID_Y] = "%nctaid.y",
                                                [NCTAID_Z] = "%nctaid.z",
                                                [NTID_X] = "%ntid.x",
                                                [NTID_Y] = "%ntid.y",
                                                [NTID_Z] = "%ntid.z",
                                                [LANE] = "%laneid",
                                                [LANES_UP_TO] = "%lanemask_le",
                                                [LANES_BEHIND] = "%lanemask_gt"};

    for (int i = 0; i < SPECIALS; i++)
        if (names[i] && is_word(t, names[i])) {
            *slot = special(d, (enum special)i);
            return true;
        }
    return false;
}

static const struct variable *find_variable(const struct variable *v, const struct token *t)
{
    while (v && !is_word(t, v->name))
        v = v->next;
    return v;
}

/* The address of what has a name. */
static bool find_address(struct decoder *d, const struct token *t, uint32_t *slot)
{
    const struct variable *v = d->f->is_entry ? find_variable(d->parameters, t) : NULL;

    if (d->local.length && d->local.length == t->length &&
        !memcmp(d->local.text, t->text, t->length)) {
        *slot = special(d, LOCAL_BEGIN);
        return true;
    }
    v = v ? v : find_variable(d->in->module->variables, t);
    if (!v)
        return false;
    *slot = v->is_shared && !v->bytes ? special(d, DYNAMIC_BEGIN) : constant(d, v->address);
    return true;
}

bool value_of(struct decoder *d, const struct token *t, uint32_t *slot)
{
    uint64_t number;

    if (parse_number(t, &number)) {
        *slot = constant(d, number);
        return true;
    }
    return find_register(d, t, slot) || find_special(d, t, slot) || find_address(d, t, slot) ||
           unknown(d, t);
}

static bool read_operand(struct decoder *d, struct operand *o)
{
    uint64_t offset = 0;

    *o = (struct operand){.token = reader_next(d->in)};
    if (is_word(&o->token, "{")) {
        do {
            if (o->count == VECTOR_MAX)
                return reader_fail(d->in, o->token.line, "too long a vector");
            o->words[o->count++] = reader_next(d->in);
        } while (reader_take(d->in, ","));
        return reader_expect(d->in, "}");
    }
    if (!is_word(&o->token, "["))
        return true;
    o->is_address = true;
    o->token = reader_next(d->in);
    if (reader_take(d->in, "+") && !reader_number(d->in, &offset))
        return false;
    o->offset = (int32_t)offset;
    if ((int64_t)offset != o->offset)
        return reader_fail(d->in, o->token.line, "too large an offset");
    return reader_expect(d->in, "]");
}

bool read_operands(struct decoder *d, struct operand *o, uint32_t *count)
{
    *count = 0;
    if (reader_take(d->in, ";"))
        return true;
    do {
        if (*count == OPERANDS_MAX)
            return reader_fail(d->in, d->in->token.line, "too many operands");
        if (!read_operand(d, &o[(*count)++]))
            return false;
    } while (reader_take(d->in, ","));
    return reader_expect(d->in, ";");
}
