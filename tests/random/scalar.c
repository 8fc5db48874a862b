/* scalar.c - a program as plain C that executes it statement by statement over all threads.
 *
 * Control flow is masks: a statement runs for the threads of its mask, an `if` splits it, a loop
 * goes on while a thread is in it. Leaving (break, continue, goto, return) takes the thread out of
 * every mask up to that of the statement it leaves. So a collective is executed once for each of
 * its instances, for exactly the threads that reach it.
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

static int push_copy(struct writer *w, enum mask_kind kind, int label)
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

static void declare(struct writer *w, const struct var *v)
{
    line(w);
    if (v->shape == STRUCT)
        fprintf(w->to, "struct record%d_%d ", w->p->number, v->structure->id);
    else
        fprintf(w->to, "%s %s", types[v->type].scalar, v->shape == POINTER ? "*" : "");
    write_name(w->to, v);
    fputs("[NT]", w->to);
    if (v->shape == ARRAY || v->shape == VECTOR)
        fprintf(w->to, "[%d]", v->count);
    fputs(";\n", w->to);
}

static void prepare_all(struct writer *w, const struct stmt *s)
{
    for (int i = 0; i < DECLARED_MAX; i++)
        scalar_prepare(w, s->value[i]);
}

static void declaration(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->var;
    declare(w, v);
    prepare_all(w, s);
    each(w, top(w));
    fputs("{\n", w->to);
    int n = 0;
    for (int f = 0; f < (v->shape == STRUCT ? FIELDS : 1); f++) {
        int count = v->shape == STRUCT ? v->structure->field[f].count : v->count;
        for (int i = 0; i < (count ? count : 1); i++, n++) {
            line(w);
            fputs("    ", w->to);
            write_name(w->to, v);
            fputs("[t]", w->to);
            if (v->shape == STRUCT)
                fprintf(w->to, ".f%d", f);
            if (count)
                fprintf(w->to, "[%d]", i);
            fputs(" = ", w->to);
            value(w, s->value[n]);
            fputs(";\n", w->to);
        }
    }
    line(w);
    fputs("}\n", w->to);
}

static void assignment(struct writer *w, const struct stmt *s)
{
    scalar_prepare(w, s->value[0]);
    each(w, top(w));
    value(w, s->target);
    fputs(" = ", w->to);
    value(w, s->value[0]);
    fputs(";\n", w->to);
}

static void vector(struct writer *w, const struct stmt *s)
{
    const char *rounds = is_half(s->var->type) ? types[s->var->type].name : "";
    for (int i = 0; i < s->var->count; i++) {
        struct expr part = {.kind = X_PART, .type = s->var->type, .var = s->var, .index = i};
        each(w, top(w));
        value(w, &part);
        fprintf(w->to, " = %s((", rounds);
        part.var = s->from[0];
        value(w, &part);
        fprintf(w->to, ") %s (", binary_text[s->op]);
        part.var = s->from[1];
        value(w, s->from[1] ? &part : s->value[0]);
        fputs("));\n", w->to);
    }
}

/* An element of a buffer as a number, and back: what to put around it. */
static void open_stored(struct writer *w, const char *what, enum type t)
{
    if (is_half(t))
        fprintf(w->to, "%s_%s", what, types[t].name);
    fputc('(', w->to);
}

static void output(struct writer *w, enum type t, int slot)
{
    fprintf(w->to, "out_%s[(BLOCK_NUMBER * NT + t) * %d + %d]", types[t].name, w->p->slots[t],
            slot);
}

static void store(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    scalar_prepare(w, s->value[0]);
    each(w, top(w));
    output(w, t, s->slot);
    fputs(" = ", w->to);
    open_stored(w, "put", t);
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
    open_stored(w, "get", t);
    fprintf(w->to, "cells_%s[%d]), v = ", types[t].name, cell);
    value(w, s->value[0]);
    fprintf(w->to, "; cells_%s[%d] = ", types[t].name, cell);
    open_stored(w, "put", t);
    updated(w, s);
    fputs("); }\n", w->to);
}

static void own_atomic(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    prepare_all(w, s);
    each(w, top(w));
    fprintf(w->to, "{ %s old = ", types[t].scalar);
    open_stored(w, "get", t);
    output(w, t, s->slot);
    fputs("), v = ", w->to);
    value(w, s->value[0]);
    fputs("; ", w->to);
    output(w, t, s->slot);
    fputs(" = ", w->to);
    open_stored(w, "put", t);
    if (s->op == A_CAS) {
        fputs("old == v ? ", w->to);
        value(w, s->value[1]);
        fputs(" : old", w->to);
    } else {
        updated(w, s);
    }
    fputs("); ", w->to);
    write_name(w->to, s->var);
    fputs("[t] = old; }\n", w->to);
}

static void block(struct writer *w, struct block *b);

static void open_brace(struct writer *w)
{
    line(w);
    fputs("{\n", w->to);
    w->depth++;
}

static void close_brace(struct writer *w)
{
    w->depth--;
    line(w);
    fputs("}\n", w->to);
}

static void scope(struct writer *w, struct block *b)
{
    open_brace(w);
    block(w, b);
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
    each(w, live);
    fprintf(w->to, "i%d[t]++;\n", s->var->id);
}

/* The threads that do not go on: those of the trip that the condition takes out. */
static void endless_exit(struct writer *w, struct stmt *s)
{
    int trip = top(w), stay = push_copy(w, M_ARM, 0);
    loop_condition(w, s, stay);
    each(w, trip);
    fprintf(w->to, "m%d[t] = !m%d[t];\n", stay, stay);
    scope(w, &s->other);
    leave(w, w->masks - 3); /* this one, the trip's and the loop's */
    w->masks--;
}

static void loop(struct writer *w, struct stmt *s)
{
    open_brace(w);
    declare(w, s->var);
    int live = push_copy(w, M_LOOP, 0);
    each(w, live);
    fprintf(w->to, "i%d[t] = %d;\n", s->var->id, s->op == L_WHILE ? -1 : 0);
    line(w);
    fprintf(w->to, "while (any_of(m%d, NT)) {\n", live);
    w->depth++;
    if (s->op == L_WHILE)
        step(w, s, live);
    if (s->op == L_FOR || s->op == L_WHILE)
        loop_condition(w, s, live);
    open_brace(w);
    push_copy(w, M_TRIP, 0);
    if (s->op == L_ENDLESS)
        endless_exit(w, s);
    block(w, &s->body);
    w->masks--;
    close_brace(w);
    if (s->op != L_WHILE)
        step(w, s, live);
    if (s->op == L_DO)
        loop_condition(w, s, live);
    close_brace(w);
    w->masks--;
    close_brace(w);
}

static void choice(struct writer *w, struct stmt *s)
{
    open_brace(w);
    scalar_prepare(w, s->value[0]);
    int from = push_copy(w, M_ARM, 0), id = w->names++;
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

static void call_arguments(struct writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper;
    prepare_all(w, s);
    for (int i = 0; i < h->parameters; i++) {
        declare(w, h->parameter[i]);
        each(w, top(w));
        write_name(w->to, h->parameter[i]);
        fputs("[t] = ", w->to);
        value(w, s->value[i]);
        fputs(";\n", w->to);
    }
    if (!h->pointer)
        return;
    declare(w, h->pointer);
    each(w, top(w));
    write_name(w->to, h->pointer);
    fputs("[t] = ", w->to);
    for (int i = s->from[1] ? 1 : 0; i >= 0; i--) {
        if (i == 1) {
            fputs("(", w->to);
            value(w, s->value[h->parameters]);
            fputs(") ? ", w->to);
        }
        write_name(w->to, s->from[i]);
        fputs(s->from[i]->shape == POINTER ? "[t]" : "", w->to);
        fputs(i ? " : " : ";\n", w->to);
    }
}

static void return_value(struct writer *w, struct expr *e)
{
    scalar_prepare(w, e);
    each(w, top(w));
    fprintf(w->to, "h%d[t] = ", w->result);
    value(w, e);
    fputs(";\n", w->to);
}

/* call - the helper's body once more, as if written here. */
static void call(struct writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper, *outer = w->helper;
    int outer_result = w->result;
    open_brace(w);
    call_arguments(w, s);
    w->helper = h;
    w->result = w->names++;
    line(w);
    fprintf(w->to, "%s h%d[NT];\n", types[h->type].scalar, w->result);
    open_brace(w);
    push_copy(w, M_ROOT, 0);
    block(w, (struct block *)&h->body);
    return_value(w, h->result);
    w->masks--;
    close_brace(w);
    each(w, top(w));
    write_name(w->to, s->var);
    fprintf(w->to, "[t] = h%d[t];\n", w->result);
    w->helper = outer;
    w->result = outer_result;
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
            return_value(w, s->value[0]);
        leave(w, find_mask(w, M_ROOT, M_ROOT, -1));
    }
}

static void statement(struct writer *w, struct stmt *s)
{
    switch (s->kind) {
    case S_DECLARE: declaration(w, s); break;
    case S_ASSIGN: assignment(w, s); break;
    case S_VECTOR: vector(w, s); break;
    case S_COPY:
        each(w, top(w));
        fputs("memcpy(&", w->to);
        write_name(w->to, s->var);
        fputs("[t], &", w->to);
        write_name(w->to, s->from[0]);
        fputs(s->from[0]->is_parameter ? ", sizeof " : "[t], sizeof ", w->to);
        write_name(w->to, s->var);
        fputs("[t]);\n", w->to);
        break;
    case S_STORE: store(w, s); break;
    case S_ATOMIC: atomic(w, s); break;
    case S_OWN_ATOMIC: own_atomic(w, s); break;
    case S_IF: branch(w, s); break;
    case S_LOOP: loop(w, s); break;
    case S_SWITCH: choice(w, s); break;
    case S_LABEL:
        open_brace(w);
        push_copy(w, M_LABEL, s->op);
        block(w, &s->body);
        w->masks--;
        close_brace(w);
        break;
    case S_BREAK:
    case S_CONTINUE:
    case S_GOTO:
    case S_RETURN: leaving(w, s); break;
    case S_BARRIER:
    case S_WARP_SYNC:
    case S_FENCE: break;
    case S_CALL: call(w, s); break;
    }
}

static void block(struct writer *w, struct block *b)
{
    for (struct stmt *s = b->first; s; s = s->next)
        statement(w, s);
}

/* ---- the function -------------------------------------------------------------------------- */

static void structure(struct writer *w)
{
    for (int kind = 0; kind < 2; kind++) {
        fprintf(w->before, "struct record%d_%d%s {", w->p->number, w->p->structure.id,
                kind ? "_stored" : "");
        for (int f = 0; f < FIELDS; f++) {
            const struct type_info *t = &types[w->p->structure.field[f].type];
            int count = w->p->structure.field[f].count;
            fprintf(w->before, " %s f%d", kind ? t->stored : t->scalar, f);
            fprintf(w->before, count ? "[%d];" : ";", count);
        }
        fputs(" };\n", w->before);
    }
}

static void structure_parameter(struct writer *w, const struct var *v, int number)
{
    const char *end = "_stored";
    fprintf(w->to, "    struct record%d_%d r%d;\n", w->p->number, v->structure->id, v->id);
    for (int f = 0; f < FIELDS; f++) {
        enum type t = v->structure->field[f].type;
        int count = v->structure->field[f].count;
        for (int i = 0; i < (count ? count : 1); i++) {
            char at[16] = "";
            if (count)
                snprintf(at, sizeof at, "[%d]", i);
            fprintf(w->to, "    r%d.f%d%s = ", v->id, f, at);
            open_stored(w, "get", t);
            fprintf(w->to, "((const struct record%d_%d%s *)arg[%d])->f%d%s);\n", w->p->number,
                    v->structure->id, end, number, f, at);
        }
    }
}

static void parameters(struct writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    for (int i = 0; i < count; i++) {
        const struct buffer *b = &list[i];
        const char *name = types[b->type].stored;
        if (b->count) {
            fprintf(w->to, "    %s *%s = arg[%d];\n", name, b->name, i);
        } else if (b->var->shape == STRUCT) {
            structure_parameter(w, b->var, i);
        } else {
            fprintf(w->to, "    %s %s = ", types[b->type].scalar, b->name);
            open_stored(w, "get", b->type);
            fprintf(w->to, "*(const %s *)arg[%d]);\n", name, i);
        }
    }
}

static void shared(struct writer *w)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        line(w);
        fprintf(w->to, "%s s%d[NT];\n", types[p->shared[i]->type].scalar, p->shared[i]->id);
        scalar_prepare(w, p->shared_start[i]);
        each(w, top(w));
        fprintf(w->to, "s%d[t] = ", p->shared[i]->id);
        value(w, p->shared_start[i]);
        fputs(";\n", w->to);
    }
}

static void write_back(struct writer *w)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        const struct var *v = p->shared[i];
        if (v->place != AT_GLOBAL)
            continue;
        line(w);
        fprintf(w->to, "ALL all_s%d[BLOCK_NUMBER * NT + t] = ", v->id);
        open_stored(w, "put", v->type);
        fprintf(w->to, "s%d[t]);\n", v->id);
    }
}

static void body(struct writer *w)
{
    const struct program *p = w->p;
    FILE *to = w->to;
    fprintf(to, "void kernel%d(void *const *arg)\n{\n", p->number);
    parameters(w);
    fprintf(to,
            "    for (int bz = 0; bz < %d; bz++)\n    for (int by = 0; by < %d; by++)\n"
            "    for (int bx = 0; bx < %d; bx++) {\n",
            p->grid[2], p->grid[1], p->grid[0]);
    w->depth = 2;
    int root = scalar_push(w, M_ROOT, 0);
    line(w);
    fprintf(to, "memset(m%d, 1, NT);\n", root);
    shared(w);
    open_brace(w);
    block(w, &w->p->body);
    close_brace(w);
    write_back(w);
    fputs("    }\n}\n", to);
}

void write_scalar(FILE *to, struct program *p)
{
    char *text = NULL;
    size_t size = 0;
    struct writer w = {.before = to, .p = p};
    w.to = open_memstream(&text, &size);
    if (!w.to) {
        perror("random");
        exit(1);
    }
    program_number(p);
    fprintf(to, "\n#undef NT\n#undef NX\n#undef NY\n#undef GX\n#undef BLOCK_NUMBER\n");
    fprintf(to, "#define NT %d\n#define NX %d\n#define NY %d\n#define GX %d\n", program_threads(p),
            p->block[0], p->block[1], p->grid[0]);
    fprintf(to, "#define BLOCK_NUMBER ((bz * %d + by) * %d + bx)\n", p->grid[1], p->grid[0]);
    if (p->has_structures)
        structure(&w);
    body(&w);
    fclose(w.to);
    fwrite(text, 1, size, to);
    free(text);
}
