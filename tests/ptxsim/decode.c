/* decode.c - the statements of a function, as instructions.
 *
 * A register is a slot of the frame, and so is each constant. Predicated instructions other than
 * bra are skipped by one in front of them. Parameters of functions, and those of their calls, are
 * slots; those of an entry have addresses.
 */
#include "decoder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MNEMONIC_MAX = 64 };

/* ---- the table ---- */

/* Operands as letters: d a register that is written, s a value, M an address. */
static const struct row {
    const char *mnemonic, *operands;
} rows[OPCODES] = {
#define VALUE1(name, text, ...) {text, "ds"},
#define VALUE2(name, text, ...) {text, "dss"},
#define VALUE3(name, text, ...) {text, "dsss"},
#define LOAD(name, text, ...) {text, "dM"},
#define STORE(name, text, ...) {text, "Md"},
#define VALUE4(name, text, ...) {text, "dssss"},
#define ATOMIC(name, text, ...) {text, "dMs"},
#define CONTROL(name, text, operands) {text, operands},
#include "instructions.def"
};

enum { BUCKETS = 2048 }; /* more than rows */
static uint16_t bucket[BUCKETS];
static bool is_hashed; /* under the lock of driver.c, as all here */

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261u;

    while (*text)
        h = (h ^ (unsigned char)*text++) * 16777619u;
    return h % BUCKETS;
}

static void hash_rows(void)
{
    for (uint16_t op = 0; op < OPCODES; op++) {
        uint32_t at = hash(rows[op].mnemonic);
        while (bucket[at])
            at = (at + 1) % BUCKETS;
        bucket[at] = op + 1;
    }
    is_hashed = true;
}

/* OPCODES: there is none. */
static uint32_t find_opcode(const char *mnemonic)
{
    if (!is_hashed)
        hash_rows();
    for (uint32_t at = hash(mnemonic); bucket[at]; at = (at + 1) % BUCKETS)
        if (!strcmp(rows[bucket[at] - 1].mnemonic, mnemonic))
            return bucket[at] - 1u;
    return OPCODES;
}

/* ---- mnemonics ---- */

/* Modifiers that say nothing here: all memory is seen by all at once. */
static bool is_idle(const char *part, const char *first)
{
    static const char *const idle[] = {"nc",  "volatile", "relaxed", "acquire", "release",
                                       "gpu", "cta",      "sys",     "v2",      "v4"};

    if (strcmp(first, "ld") && strcmp(first, "st") && strcmp(first, "atom"))
        return !strcmp(part, "uni") && (!strcmp(first, "bra") || !strcmp(first, "ret"));
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (!strcmp(part, idle[i]))
            return true;
    return false;
}

/* Where only the width matters the table has .b32 (of a load, which widens, .u32). */
static void unify_type(char *type, const char *first)
{
    const bool is_number = strchr("sufb", *type) && type[1] >= '0' && type[1] <= '9';

    if (!is_number)
        return;
    if (!strcmp(first, "mov") || !strcmp(first, "selp") || !strcmp(first, "st"))
        *type = 'b';
    else if ((!strcmp(first, "ld") && *type != 's') || (!strcmp(first, "setp") && *type == 'b'))
        *type = 'u';
}

static bool normalise(struct decoder *d, const struct token *t, char *mnemonic)
{
    char text[MNEMONIC_MAX], *rest = text, *part, *first = NULL;
    size_t length = 0;

    if (t->length >= sizeof text)
        return unknown(d, t);
    memcpy(text, t->text, t->length);
    text[t->length] = '\0';
    while ((part = strsep(&rest, "."))) {
        if (first && is_idle(part, first))
            continue;
        if (first && !rest)
            unify_type(part, first);
        length += (size_t)sprintf(mnemonic + length, "%s%s", first ? "." : "", part);
        first = first ? first : part;
    }
    return true;
}

/* ---- one instruction ---- */

/* The slots of a vector go into the function's lists. */
static bool put_data(struct decoder *d, struct instruction *i, const struct operand *o)
{
    struct function *f = d->f;

    if (!o->count)
        return value_of(d, &o->token, &i->d);
    i->count = (uint16_t)o->count;
    i->d = f->list_count;
    uint32_t slot;
    for (uint32_t k = 0; k < o->count; k++) {
        if (!value_of(d, &o->words[k], &slot))
            return false;
        f->lists = grow(f->lists, f->list_count, sizeof *f->lists);
        f->lists[f->list_count++] = slot;
    }
    return o->count > 1 || reader_fail(d->in, o->token.line, "a vector of one element");
}

static bool put_address(struct decoder *d, struct instruction *i, const struct operand *o)
{
    i->offset = o->offset;
    return o->is_address ? value_of(d, &o->token, &i->a)
                         : reader_fail(d->in, o->token.line, "an address in [] was expected");
}

/* Loads, stores and atomics: the data in d, the address in a, what else there is in b and c. */
static bool put_access(struct decoder *d, struct instruction *i, const struct operand *o,
                       uint32_t count)
{
    const bool is_store = rows[i->op].operands[0] == 'M';

    if (count < 2 || count > 4)
        return reader_fail(d->in, i->line, "%u operands", count);
    if (!put_data(d, i, &o[is_store ? 1 : 0]) || !put_address(d, i, &o[is_store ? 0 : 1]))
        return false;
    if (count > 2 && !value_of(d, &o[2].token, &i->b))
        return false;
    i->c = i->b;
    return count <= 3 || value_of(d, &o[3].token, &i->c);
}

static bool put_values(struct decoder *d, struct instruction *i, const struct operand *o,
                       uint32_t count)
{
    uint32_t *const to[OPERANDS_MAX] = {&i->d, &i->a, &i->b, &i->c, &i->e};

    for (uint32_t k = 0; k < count; k++) {
        if (o[k].count || o[k].is_address)
            return reader_fail(d->in, i->line, "operand %u is not a value", k + 1);
        if (rows[i->op].operands[k] == 'd' && !find_register(d, &o[k].token, to[k]))
            return unknown(d, &o[k].token);
        if (rows[i->op].operands[k] != 'd' && !value_of(d, &o[k].token, to[k]))
            return false;
    }
    return true;
}

/* mov.b32 {a, b}, c and mov.b32 c, {a, b}: what is taken apart is spread over the operands. */
static uint32_t spread(struct operand *o, char *mnemonic)
{
    struct operand flat[3];

    if (o[0].count == 2 && !o[1].count) {
        flat[0].token = o[0].words[0], flat[1].token = o[0].words[1], flat[2].token = o[1].token;
        strcat(mnemonic, ".unpack");
    } else if (o[1].count == 2 && !o[0].count) {
        flat[0].token = o[0].token, flat[1].token = o[1].words[0], flat[2].token = o[1].words[1];
        strcat(mnemonic, ".pack");
    } else {
        return 2;
    }
    for (int k = 0; k < 3; k++)
        o[k] = (struct operand){.token = flat[k].token};
    return 3;
}

/* A parameter of a function, or of a call of one: a slot. */
static bool is_slot(struct decoder *d, const struct operand *o)
{
    return o->is_address && find_name(&d->slots, &o->token) && o->token.text[0] != '%';
}

static bool decode_values(struct decoder *d, const struct token *t)
{
    char mnemonic[MNEMONIC_MAX + 8];
    struct operand o[OPERANDS_MAX];
    uint32_t count;

    if (!normalise(d, t, mnemonic) || !read_operands(d, o, &count))
        return false;
    if (!strncmp(mnemonic, "mov.", 4) && count == 2)
        count = spread(o, mnemonic);
    if (count == 2 && strstr(mnemonic, ".param.") && (is_slot(d, &o[0]) || is_slot(d, &o[1]))) {
        if (o[0].offset || o[1].offset)
            return reader_fail(d->in, t->line, "a part of a parameter");
        struct operand moved[2] = {{.token = o[0].token}, {.token = o[1].token}};
        return put_values(d, emit(d, OP_mov_b64, t->line), moved, 2);
    }
    uint32_t op = find_opcode(mnemonic);
    if (op == OPCODES)
        return unknown(d, t);
    struct instruction *i = emit(d, op, t->line);
    if (strchr(rows[op].operands, 'M'))
        return put_access(d, i, o, count);
    if (strlen(rows[op].operands) != count)
        return reader_fail(d->in, t->line, "%u operands", count);
    return put_values(d, i, o, count);
}

/* ---- calls ---- */

static bool slot_of(struct decoder *d, const struct token *t, uint32_t *slot)
{
    return find_register(d, t, slot) || unknown(d, t);
}

/* call.uni (result), name, (arguments); */
static bool decode_call(struct decoder *d, const struct token *t)
{
    struct reader *in = d->in;
    struct function *f = d->f;
    struct call c = {.result = NO_SLOT, .line = t->line};

    if (reader_take(in, "(")) {
        const struct token result = reader_next(in);
        if (!slot_of(d, &result, &c.result) || !reader_expect(in, ")") || !reader_expect(in, ","))
            return false;
    }
    const struct token name = reader_next(in);
    if (reader_take(in, ",") && reader_expect(in, "(") && !reader_take(in, ")")) {
        do {
            const struct token argument = reader_next(in);
            c.arguments = grow(c.arguments, c.argument_count, sizeof *c.arguments);
            if (!slot_of(d, &argument, &c.arguments[c.argument_count++]))
                break;
        } while (reader_take(in, ","));
        (void)reader_expect(in, ")");
    }
    c.name = copy_word(&name);
    emit(d, OP_call, t->line)->offset = (int32_t)f->call_count;
    f->calls = grow(f->calls, f->call_count, sizeof *f->calls);
    f->calls[f->call_count++] = c;
    return !*in->log && reader_expect(in, ";");
}

/* ---- flow ---- */

static bool decode_branch(struct decoder *d, const struct token *t, uint32_t op, uint32_t guard)
{
    const struct token target = reader_next(d->in);

    emit(d, op, t->line)->a = guard;
    add_name(&d->jumps, &target, d->f->code_count - 1, t->line);
    return reader_expect(d->in, ";");
}

/* The instruction behind @%p or @!%p; without a guard, NO_SLOT. */
static bool decode_instruction(struct decoder *d, const struct token *t, uint32_t guard,
                               bool is_negated)
{
    if (is_word(t, "bra") || is_word(t, "bra.uni"))
        return decode_branch(d, t,
                             guard == NO_SLOT ? OP_bra
                             : is_negated     ? OP_bra_unless
                                              : OP_bra_if,
                             guard);
    if (guard != NO_SLOT)
        emit(d, is_negated ? OP_skip_if : OP_skip_unless, t->line)->a = guard;
    if (is_word(t, "call.uni") || is_word(t, "call"))
        return decode_call(d, t);
    return decode_values(d, t);
}

static bool decode_guarded(struct decoder *d)
{
    const bool is_negated = reader_take(d->in, "!");
    const struct token predicate = reader_next(d->in), t = reader_next(d->in);
    uint32_t guard;

    return slot_of(d, &predicate, &guard) && decode_instruction(d, &t, guard, is_negated);
}

static bool resolve_jumps(struct decoder *d)
{
    for (uint32_t k = 0; k < d->jumps.count; k++) {
        const struct name *jump = &d->jumps.rows[k];
        const struct token t = {jump->text, jump->length, jump->count};
        const struct name *label = find_name(&d->labels, &t);
        if (!label)
            return unknown(d, &t);
        d->f->code[jump->at].offset = (int32_t)label->at;
    }
    return true;
}

/* ---- declarations ---- */

/* What two { } one after the other declare by the same name has one slot. */
static void declare_slot(struct decoder *d, const struct token *t)
{
    for (uint32_t k = 0; k < d->scoped.count; k++) {
        const struct name *n = &d->scoped.rows[k];
        if (n->count == d->depth && n->length == t->length &&
            !memcmp(n->text, t->text, t->length)) {
            add_name(&d->slots, t, n->at, 1);
            return;
        }
    }
    add_name(&d->scoped, t, d->f->frame_slots, d->depth);
    add_name(&d->slots, t, add_slot(d, POISON), 1);
}

/* .reg .b32 %r<20>, %x; */
static bool declare_registers(struct decoder *d)
{
    const struct token type = reader_next(d->in);
    uint64_t count = 1;

    if (!type_bits(type.text, type.length))
        return unknown(d, &type);
    do {
        const struct token name = reader_next(d->in);
        const bool is_row = reader_take(d->in, "<");
        if (is_row && (!reader_number(d->in, &count) || !reader_expect(d->in, ">")))
            return false;
        if (!is_row) {
            declare_slot(d, &name);
            continue;
        }
        add_name(&d->registers, &name, d->f->frame_slots, (uint32_t)count);
        for (uint64_t k = 0; k < count; k++)
            add_slot(d, POISON);
    } while (reader_take(d->in, ","));
    return reader_expect(d->in, ";");
}

/* .param .b32 param0; of a call: a slot. */
static bool declare_parameter(struct decoder *d)
{
    if (!reader_take(d->in, ".b32") && !reader_take(d->in, ".b64"))
        return unknown(d, &d->in->token);
    const struct token name = reader_next(d->in);
    declare_slot(d, &name);
    return reader_expect(d->in, ";");
}

/* .local .align 8 .b8 name[20]; the one of a function. */
static bool declare_local(struct decoder *d)
{
    if (d->local.length)
        return reader_fail(d->in, d->in->token.line, "a second local array");
    uint64_t align;
    if (!reader_expect(d->in, ".align") || !reader_number(d->in, &align) ||
        !reader_expect(d->in, ".b8"))
        return false;
    d->local = reader_next(d->in);
    uint64_t bytes;
    if (!reader_expect(d->in, "[") || !reader_number(d->in, &bytes))
        return false;
    if (align > LOCAL_ALIGN_MAX || bytes > LOCAL_BYTES_MAX)
        return reader_fail(d->in, d->local.line, "too large a local array");
    d->f->local_bytes = (uint32_t)bytes;
    d->f->local_align = (uint32_t)align;
    return reader_expect(d->in, "]") && reader_expect(d->in, ";");
}

static bool decode_directive(struct decoder *d, const struct token *t)
{
    if (is_word(t, ".reg"))
        return declare_registers(d);
    if (is_word(t, ".param"))
        return declare_parameter(d);
    if (is_word(t, ".local"))
        return declare_local(d);
    if (is_word(t, ".shared"))
        return read_variable(d->in, true);
    if (!is_word(t, ".pragma"))
        return unknown(d, t);
    while (d->in->token.length && !reader_take(d->in, ";"))
        reader_next(d->in);
    return true;
}

/* ---- a body ---- */

static bool decode_brace(struct decoder *d, const struct token *t)
{
    if (*t->text == '}') {
        d->slots.count = d->visible[d->depth--];
        return true;
    }
    if (++d->depth == DEPTH_MAX)
        return reader_fail(d->in, t->line, "{ } nest too deeply");
    d->visible[d->depth] = d->slots.count;
    return true;
}

static bool decode_statement(struct decoder *d)
{
    const struct token t = reader_next(d->in);

    if (is_word(&t, "{") || is_word(&t, "}"))
        return decode_brace(d, &t);
    if (is_word(&t, "@"))
        return decode_guarded(d);
    if (t.length && *t.text == '.')
        return decode_directive(d, &t);
    if (reader_take(d->in, ":")) {
        add_name(&d->labels, &t, d->f->code_count, 1);
        return true;
    }
    return t.length ? decode_instruction(d, &t, NO_SLOT, false)
                    : reader_fail(d->in, t.line, "the text ends in a function");
}

/* The result, if there is one, and the parameters of a .func are slots from the first on. */
static void declare_parameters(struct decoder *d)
{
    struct function *f = d->f;

    for (const struct variable *v = d->parameters; v && !f->is_entry; v = v->next) {
        const struct token name = {v->name, strlen(v->name), 0};
        const uint32_t slot = add_slot(d, POISON);
        add_name(&d->slots, &name, slot, 1);
        if (slot == f->result)
            continue;
        const uint32_t k = slot - (f->result == NO_SLOT ? 0 : 1);
        f->parameters = grow(f->parameters, k, sizeof *f->parameters);
        f->parameters[k] = slot;
    }
}

bool decode_body(struct reader *in, struct function *f, const struct variable *parameters)
{
    struct decoder d = {.in = in, .f = f, .parameters = parameters, .depth = 1};
    bool works = true;

    for (int i = 0; i < SPECIALS; i++)
        f->special[i] = NO_SLOT;
    declare_parameters(&d);
    while (works && d.depth)
        works = decode_statement(&d);
    emit(&d, OP_ret, in->token.line);
    works = works && resolve_jumps(&d);
    free(d.registers.rows);
    free(d.slots.rows);
    free(d.scoped.rows);
    free(d.labels.rows);
    free(d.jumps.rows);
    free(d.constants.rows);
    return works;
}
