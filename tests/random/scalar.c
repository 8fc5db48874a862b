/* scalar.c - a program as plain C that executes it statement by statement over all threads.
 *
 * Control flow is masks: a statement runs for the threads of its mask, an `if` splits it, a loop
 * goes on while a thread is in it. Leaving (break, continue, goto, return) takes the thread out of
 * every mask up to that of the statement it leaves. A thread that jumps into a loop waits in a mask
 * of its own, and comes into those of the loop and of all within at the entry. So a collective is
 * executed once for each of its instances, for exactly the threads that reach it.
 */
#include "scalar.h"
#include <stdlib.h>
#include <string.h>

int scalar_push(struct writer *w, enum mask_kind kind, int label)
{
    int id = w->names++;
    line(w);
    fprintf(w->to, "mask m%d[NT] = {0};\n", id);
    w->mask[w->masks].kind = kind;
    w->mask[w->masks].label = label;
    w->mask[w->masks++].id = id;
    return id;
}

int scalar_push_copy(struct writer *w, enum mask_kind kind, int label)
{
    int from = top(w), id = scalar_push(w, kind, label);
    line(w);
    fprintf(w->to, "memcpy(m%d, m%d, NT);\n", id, from);
    return id;
}

/* leave - the threads of the innermost mask out of all up to the one at `last`. */
static void leave(struct writer *w, int last)
{
    each(w, top(w));
    for (int i = last; i < w->masks; i++)
        fprintf(w->to, "m%d[t] = ", w->mask[i].id);
    fputs("0;\n", w->to);
}

static int find_mask(const struct writer *w, enum mask_kind a, enum mask_kind b, int label)
{
    int i = w->masks - 1;
    while (i > 0 && ((w->mask[i].kind != a && w->mask[i].kind != b) ||
                     (label >= 0 && w->mask[i].label != label)))
        i--;
    return i;
}

/* ---- statements ---------------------------------------------------------------------------- */

void scalar_declare(struct writer *w, const struct var *v)
{
    line(w);
    if (v->shape == STRUCT)
        fprintf(w->to, "struct record%d_%d ", w->p->number, v->structure->id);
    else
        fprintf(w->to, "%s ", types[v->type].scalar);
    fputs(v->shape == POINTER || v->is_reference ? "*" : "", w->to);
    write_name(w->to, v);
    fputs("[NT]", w->to);
    if (array_of(v))
        fprintf(w->to, "[%d]", array_of(v));
    if (v->shape == ARRAY || v->shape == VECTOR)
        fprintf(w->to, "[%d]", v->count);
    fputs(";\n", w->to);
}

static void prepare_all(struct writer *w, const struct stmt *s)
{
    for (int i = 0; i < DECLARED_MAX; i++)
        scalar_prepare(w, s->value[i]);
}

/* The `number`-th of an array of structs. */
static void values(struct writer *w, const struct stmt *s, int number)
{
    const struct var *v = s->var;
    int n = 0;
    for (int f = 0; f < (v->shape == STRUCT ? FIELDS : 1); f++) {
        int count = v->shape == STRUCT ? v->structure->field[f].count : v->count;
        for (int i = 0; i < (count ? count : 1); i++, n++) {
            line(w);
            fputs("    ", w->to);
            scalar_name(w->to, v);
            if (array_of(v))
                fprintf(w->to, "[%d]", number);
            if (v->shape == STRUCT)
                fprintf(w->to, ".f%d", f);
            if (count)
                fprintf(w->to, "[%d]", i);
            fputs(" = ", w->to);
            value(w, s->value[n]);
            fputs(";\n", w->to);
        }
    }
}

static void declaration(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->var;
    scalar_declare(w, v);
    prepare_all(w, s);
    if (v->is_reference) {
        scalar_refer(w, v, s->value[0]);
        return;
    }
    each(w, top(w));
    fputs("{\n", w->to);
    for (int i = 0; i < (array_of(v) ? array_of(v) : 1); i++)
        values(w, s, i);
    line(w);
    fputs("}\n", w->to);
}

static void assignment(struct writer *w, const struct stmt *s)
{
    scalar_prepare(w, s->value[0]);
    each(w, top(w));
    scalar_place(w->to, w->p, s->target);
    fputs(" = ", w->to);
    value(w, s->value[0]);
    fputs(";\n", w->to);
}

/* The scalar operand is taken first: it may be an element of the vector that changes. */
static void vector(struct writer *w, const struct stmt *s)
{
    struct expr part = {.kind = X_PART, .type = s->var->type};
    each(w, top(w));
    fprintf(w->to, "{ %s v", types[part.type].scalar);
    if (!s->from[1]) {
        fputs(" = ", w->to);
        value(w, s->value[0]);
    }
    for (part.index = 0; part.index < s->var->count; part.index++) {
        fputs("; ", w->to);
        part.var = s->var;
        value(w, &part);
        fprintf(w->to, " = %s((", is_half(part.type) ? types[part.type].name : "");
        part.var = s->from[0];
        value(w, &part);
        fprintf(w->to, ") %s ", binary_text[s->op]);
        part.var = s->from[1];
        if (s->from[1])
            value(w, &part);
        else
            fputc('v', w->to);
        fputc(')', w->to);
    }
    fputs("; }\n", w->to);
}

static void output(struct writer *w, enum type t, int slot)
{
    fprintf(w->to, "out_%s[(BLOCK_NUMBER * NT + t) * %d + %d]", types[t].name, w->p->slots[t],
            slot);
}

static void store_vector(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->from[0];
    const bool four = v->count == 4;
    struct expr part = {.kind = X_PART, .type = v->type, .var = s->from[0]};
    each(w, top(w));
    fputs("{", w->to);
    for (part.index = 0; part.index < v->count; part.index++) {
        fprintf(w->to,
                " %s_%s[((BLOCK_NUMBER * NT + t) * %d + %d) * %d + %d] = ", vectors_text[four],
                types[v->type].name, w->p->vectors[four][v->type], s->slot, v->count, part.index);
        scalar_open_stored(w->to, "put", v->type);
        value(w, &part);
        fputs(");", w->to);
    }
    fputs(" }\n", w->to);
}

static void store(struct writer *w, const struct stmt *s)
{
    if (s->from[0]) {
        store_vector(w, s);
        return;
    }
    enum type t = s->value[0]->type;
    scalar_prepare(w, s->value[0]);
    each(w, top(w));
    output(w, t, s->slot);
    fputs(" = ", w->to);
    scalar_open_stored(w->to, "put", t);
    value(w, s->value[0]);
    fputs(");\n", w->to);
}

/* updated - what an atomic makes of `old` and the statement's value, as a number. */
static void updated(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    bool f = is_float(t);
    static const char *const format[ATOMICS] = {"old + v", "old < v ? old : v", "old > v ? old : v",
                                                "old & v", "old | v",           "old ^ v",
                                                "v",       "old + v",           "old - v"};
    const char *text = format[s->op];
    if (f && s->op == A_MIN)
        text = "LESSER(old, v)";
    if (f && s->op == A_MAX)
        text = "GREATER(old, v)";
    fprintf(w->to, is_half(t) ? "%s(%s)" : "(%s)(%s)", is_half(t) ? types[t].name : types[t].scalar,
            text);
}

static void atomic(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    int cell = s->op == A_SUB ? A_ADD : s->op;
    scalar_prepare(w, s->value[0]);
    each(w, top(w));
    fprintf(w->to, "{ %s old = ", types[t].scalar);
    scalar_open_stored(w->to, "get", t);
    fprintf(w->to, "cells_%s[%d]), v = ", types[t].name, cell);
    value(w, s->value[0]);
    fprintf(w->to, "; cells_%s[%d] = ", types[t].name, cell);
    scalar_open_stored(w->to, "put", t);
    updated(w, s);
    fputs("); }\n", w->to);
}

static void own_atomic(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    prepare_all(w, s);
    each(w, top(w));
    fprintf(w->to, "{ %s old = ", types[t].scalar);
    scalar_open_stored(w->to, "get", t);
    output(w, t, s->slot);
    fputs("), v = ", w->to);
    value(w, s->value[0]);
    fputs("; ", w->to);
    output(w, t, s->slot);
    fputs(" = ", w->to);
    scalar_open_stored(w->to, "put", t);
    if (s->op == A_CAS) {
        fputs("old == v ? ", w->to);
        value(w, s->value[1]);
        fputs(" : old", w->to);
    } else {
        updated(w, s);
    }
    fputs("); ", w->to);
    scalar_name(w->to, s->var);
    fputs(" = old; }\n", w->to);
}

static void exchange(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->var, *from = s->from[0];
    open_brace(w);
    prepare_all(w, s);
    line(w);
    fputs("int32_t n[NT];\n", w->to);
    each(w, top(w));
    fputs("n[t] = (int32_t)(", w->to);
    value(w, s->value[1]);
    fputs(") & 31;\n", w->to);
    each(w, top(w));
    fprintf(w->to, "s%d[t] = ", from->id);
    value(w, s->value[0]);
    fputs(";\n", w->to);
    line(w);
    fprintf(w->to, "move(m%d, NT, MOVE_TO, sizeof *s%d, s%d, n, ", top(w), from->id, from->id);
    write_name(w->to, v);
    fputs(");\n", w->to);
    close_brace(w);
}

static void turn(struct writer *w, const struct stmt *s)
{
    open_brace(w);
    prepare_all(w, s);
    line(w);
    fputs("uint32_t u[NT];\n", w->to);
    each(w, top(w));
    fputs("u[t] = ", w->to);
    value(w, s->value[0]);
    fputs(";\n", w->to);
    line(w);
    fprintf(w->to, "in_turn(m%d, NT, u, &chain, ", top(w));
    write_name(w->to, s->var);
    fputs(");\n", w->to);
    close_brace(w);
}

static void scope(struct writer *w, struct block *b)
{
    open_brace(w);
    scalar_block(w, b);
    close_brace(w);
}

static void branch(struct writer *w, struct stmt *s)
{
    open_brace(w);
    scalar_prepare(w, s->value[0]);
    int from = top(w), no = scalar_push(w, M_ARM, 0);
    w->masks--;
    int yes = scalar_push(w, M_ARM, 0);
    each(w, from);
    fprintf(w->to, "m%d[t] = !(m%d[t] = !!(", no, yes);
    value(w, s->value[0]);
    fputs("));\n", w->to);
    scope(w, &s->body);
    w->mask[w->masks - 1].id = no;
    scope(w, &s->other);
    w->masks--;
    close_brace(w);
}

/* loop_condition - takes those out of the mask who do not go on. */
static void loop_condition(struct writer *w, struct stmt *s, int live)
{
    scalar_prepare(w, s->value[0]);
    each(w, live);
    fprintf(w->to, "m%d[t] = i%d[t] < (int32_t)((", live, s->var->id);
    value(w, s->value[0]);
    fprintf(w->to, ") & %d);\n", s->trips);
    if (!s->value[1])
        return;
    scalar_prepare(w, s->value[1]);
    each(w, live);
    fprintf(w->to, "m%d[t] = !!(", live);
    value(w, s->value[1]);
    fputs(");\n", w->to);
}

static void step(struct writer *w, const struct stmt *s, int live)
{
    int by = s->op == L_STRIDE ? program_threads(w->p) * program_blocks(w->p) : 1;
    each(w, live);
    fprintf(w->to, "i%d[t] += %d;\n", s->var->id, by);
}

/* The threads that do not go on: those of the trip that the condition takes out. */
static void endless_exit(struct writer *w, struct stmt *s)
{
    int trip = top(w), stay = scalar_push_copy(w, M_ARM, 0);
    loop_condition(w, s, stay);
    each(w, trip);
    fprintf(w->to, "m%d[t] = !m%d[t];\n", stay, stay);
    scope(w, &s->other);
    leave(w, w->masks - 3); /* this one, the trip's and the loop's */
    w->masks--;
}

static void begin(struct writer *w, const struct stmt *s)
{
    fprintf(w->to, "i%d[t] = %s;\n", s->var->id,
            s->op == L_STRIDE  ? "BLOCK_NUMBER * NT + t"
            : s->op == L_WHILE ? "-1"
                               : "0");
}

/* Those that begin the loop at its entry wait for it; the others are in it. */
static int enter(struct writer *w, struct stmt *s)
{
    int from = top(w);
    if (!s->value[2])
        return scalar_push_copy(w, M_LOOP, 0);
    scalar_prepare(w, s->value[2]);
    int waiting = scalar_push(w, M_ENTRY, s->entry), live = scalar_push(w, M_LOOP, 0);
    each(w, from);
    fprintf(w->to, "m%d[t] = !(m%d[t] = !!(", live, waiting);
    value(w, s->value[2]);
    fputs("));\n", w->to);
    return live;
}

/* The innermost entry of this number is here: its threads come into all masks behind its own. */
static void entry(struct writer *w, const struct stmt *s)
{
    int at = find_mask(w, M_ENTRY, M_ENTRY, s->op), waiting = w->mask[at].id;
    for (int i = at + 1; i < w->masks; i++) {
        if (w->mask[i].kind == M_LOOP) {
            each(w, waiting);
            begin(w, w->mask[i].loop);
        }
        each(w, waiting);
        fprintf(w->to, "m%d[t] = 1;\n", w->mask[i].id);
    }
    line(w);
    fprintf(w->to, "memset(m%d, 0, NT);\n", waiting);
}

/* while threads are in the loop, or wait for an entry in it */
static void open_trips(struct writer *w, const struct stmt *s, int live)
{
    line(w);
    fprintf(w->to, "while (any_of(m%d, NT)", live);
    for (int i = 0; i < w->masks; i++)
        if (w->mask[i].kind == M_ENTRY && holds_entry(s, w->mask[i].label))
            fprintf(w->to, " || any_of(m%d, NT)", w->mask[i].id);
    fputs(") {\n", w->to);
    w->depth++;
}

static void loop(struct writer *w, struct stmt *s)
{
    open_brace(w);
    scalar_declare(w, s->var);
    int live = enter(w, s);
    w->mask[w->masks - 1].loop = s;
    each(w, live);
    begin(w, s);
    open_trips(w, s, live);
    if (s->op == L_WHILE)
        step(w, s, live);
    if (s->op == L_FOR || s->op == L_WHILE || s->op == L_STRIDE || s->op == L_WALK)
        loop_condition(w, s, live);
    open_brace(w);
    scalar_push_copy(w, M_TRIP, 0);
    if (s->op == L_ENDLESS)
        endless_exit(w, s);
    scalar_block(w, &s->body);
    w->masks--;
    close_brace(w);
    if (s->op != L_WHILE)
        step(w, s, live);
    if (s->op == L_DO)
        loop_condition(w, s, live);
    close_brace(w);
    w->masks -= s->value[2] ? 2 : 1;
    close_brace(w);
}

static void choice(struct writer *w, struct stmt *s)
{
    open_brace(w);
    scalar_prepare(w, s->value[0]);
    int from = scalar_push_copy(w, M_ARM, 0), id = w->names++;
    w->masks--;
    line(w);
    fprintf(w->to, "uint32_t e%d[NT];\n", id);
    each(w, from);
    fprintf(w->to, "e%d[t] = 1u << (uint32_t)(", id);
    value(w, s->value[0]);
    fprintf(w->to, ") %% %du;\n", SWITCH_VALUES);
    int taken = 0;
    for (int i = 0; i < s->arms; i++)
        taken |= s->arm[i].labels & ((1 << SWITCH_VALUES) - 1);
    int run = scalar_push(w, M_SWITCH, 0), rest = ~taken & ((1 << SWITCH_VALUES) - 1);
    for (int i = 0; i < s->arms; i++) {
        int labels = s->arm[i].labels;
        int values = (labels & ~(1 << SWITCH_VALUES)) | (labels >> SWITCH_VALUES ? rest : 0);
        each(w, from);
        fprintf(w->to, "m%d[t] |= (e%d[t] & %d) != 0;\n", run, id, values);
        scope(w, &s->arm[i].body);
        if (!s->arm[i].falls_through)
            leave(w, w->masks - 1);
    }
    w->masks--;
    close_brace(w);
}

static void leaving(struct writer *w, struct stmt *s)
{
    switch (s->kind) {
    case S_BREAK: leave(w, find_mask(w, M_LOOP, M_SWITCH, -1)); break;
    case S_CONTINUE: leave(w, find_mask(w, M_TRIP, M_TRIP, -1)); break;
    case S_GOTO: leave(w, find_mask(w, M_LABEL, M_LABEL, s->op)); break;
    default:
        if (w->helper)
            scalar_return(w, s->value[0]);
        leave(w, find_mask(w, M_ROOT, M_ROOT, -1));
    }
}

static void statement(struct writer *w, struct stmt *s)
{
    switch (s->kind) {
    case S_DECLARE: declaration(w, s); break;
    case S_ASSIGN: assignment(w, s); break;
    case S_VECTOR: vector(w, s); break;
    case S_COPY: scalar_copy(w, s->target, s->value[0]); break;
    case S_STORE: store(w, s); break;
    case S_ATOMIC: atomic(w, s); break;
    case S_OWN_ATOMIC: own_atomic(w, s); break;
    case S_EXCHANGE: exchange(w, s); break;
    case S_TURN: turn(w, s); break;
    case S_IF: branch(w, s); break;
    case S_LOOP: loop(w, s); break;
    case S_SWITCH: choice(w, s); break;
    case S_LABEL:
        open_brace(w);
        scalar_push_copy(w, M_LABEL, s->op);
        scalar_block(w, &s->body);
        w->masks--;
        close_brace(w);
        break;
    case S_ENTRY: entry(w, s); break;
    case S_BREAK:
    case S_CONTINUE:
    case S_GOTO:
    case S_RETURN: leaving(w, s); break;
    case S_BARRIER:
    case S_WARP_SYNC:
    case S_FENCE:
    case S_ASSERT: break;
    case S_CALL: scalar_call(w, s); break;
    }
}

void scalar_block(struct writer *w, struct block *b)
{
    for (struct stmt *s = b->first; s; s = s->next)
        statement(w, s);
}
