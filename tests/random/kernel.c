/* kernel.c - statements of a program in the kernel language. */
#include "kernel.h"
#include <string.h>

static void expression(struct kernel_writer *w, const struct expr *e)
{
    kernel_expression(w->to, w->p, e);
}

static void condition(struct kernel_writer *w, const struct expr *e)
{
    kernel_condition(w->to, w->p, e);
}

/* implied - the expression without the cast that an assignment makes anyway. */
static const struct expr *implied(const struct expr *e)
{
    return e->kind == X_CAST ? e->kid[0] : e;
}

/* assigned - what a variable of the expression's type gets. */
static void assigned(struct kernel_writer *w, const struct expr *e)
{
    kernel_operand(w->to, w->p, implied(e), e->type);
}

static void type_name(struct kernel_writer *w, const struct var *v)
{
    if (v->shape == STRUCT)
        fprintf(w->to, "struct record%d_%d ", w->p->number, v->structure->id);
    else if (v->shape == VECTOR)
        fprintf(w->to, "%s%d ", w->p->language->vector[v->type], v->count);
    else
        fprintf(w->to, "%s ", w->p->language->type[v->type]);
}

void kernel_declared(struct kernel_writer *w, const struct var *v)
{
    const bool has_plain =
        w->p->language->has_plain_volatile || (v->shape == SCALAR && !is_half(v->type));
    fputs(v->is_volatile && has_plain ? "volatile " : "", w->to);
    type_name(w, v);
    fputs(is_cxx_reference(w->p, v)                ? "&"
          : v->is_reference || v->shape == POINTER ? "*"
                                                   : "",
          w->to);
    write_name(w->to, v);
}

static void structure(struct kernel_writer *w, const struct stmt *s)
{
    int n = 0;
    fputc('{', w->to);
    for (int f = 0; f < FIELDS; f++) {
        int count = s->var->structure->field[f].count;
        fputs(count ? "{" : "", w->to);
        for (int i = 0; i < (count ? count : 1); i++) {
            expression(w, s->value[n++]);
            fputs(i + 1 < count ? ", " : "", w->to);
        }
        fprintf(w->to, "%s%s", count ? "}" : "", f + 1 < FIELDS ? ", " : "}");
    }
}

static void elements(struct kernel_writer *w, const struct stmt *s)
{
    for (int i = 0; i < s->var->count; i++) {
        fputs(i ? ", " : "{", w->to);
        expression(w, s->value[i]);
    }
    fputc('}', w->to);
}

/* All of an array begin alike. */
static void repeated(struct kernel_writer *w, const struct stmt *s,
                     void (*one)(struct kernel_writer *w, const struct stmt *s))
{
    const int count = array_of(s->var);
    for (int i = 0; i < (count ? count : 1); i++) {
        fputs(i ? ", " : count ? "{" : "", w->to);
        one(w, s);
    }
    fputs(count ? "}" : "", w->to);
}

void kernel_declaration(struct kernel_writer *w, const struct stmt *s)
{
    const struct var *v = s->var;
    kernel_declared(w, v);
    if (v->shape == ARRAY && v->columns)
        fprintf(w->to, "[%d][%d]", v->count / v->columns, v->columns);
    else if (v->shape == ARRAY || array_of(v))
        fprintf(w->to, "[%d]", v->shape == ARRAY ? v->count : array_of(v));
    fputs(" = ", w->to);
    if (v->is_reference) {
        kernel_address(w->to, w->p, s->value[0], v);
    } else if (v->shape == SCALAR || v->shape == COUNTER) {
        assigned(w, s->value[0]);
    } else if (v->shape == STRUCT) {
        repeated(w, s, structure);
    } else {
        repeated(w, s, elements);
    }
    fputs(";\n", w->to);
}

/* x = x + e is written x += e where the operands need no guard. */
static void assignment(struct kernel_writer *w, const struct stmt *s)
{
    const struct expr *e = implied(s->value[0]);
    bool is_compound = e->kind == X_BINARY && same_place(e->kid[0], s->target) &&
                       !binary_guard(e, 0) && !binary_guard(e, 1) &&
                       (is_float(e->type) ||
                        (e->op != B_DIV && e->op != B_REM && e->op != B_SHL && e->op != B_SHR)) &&
                       (is_float(e->type) == is_float(s->target->type));
    bool is_converted = w->p->language->halves_by_name && e->type != s->target->type &&
                        (is_half(e->type) || is_half(s->target->type));
    is_compound &= !is_converted;
    kernel_place(w->to, w->p, s->target);
    fprintf(w->to, " %s= ", is_compound ? binary_text[e->op] : "");
    if (is_compound)
        kernel_operand(w->to, w->p, e->kid[1], e->type);
    else
        assigned(w, s->value[0]);
    fputs(";\n", w->to);
}

static void vector(struct kernel_writer *w, const struct stmt *s)
{
    write_name(w->to, s->var);
    fputs(" = ", w->to);
    write_name(w->to, s->from[0]);
    fprintf(w->to, " %s ", binary_text[s->op]);
    if (s->from[1]) {
        write_name(w->to, s->from[1]);
    } else {
        w->p->language->scalar(w->to, w->p, s->value[0], s->var->type);
    }
    fputs(";\n", w->to);
}

/* The element of that number of a thread's own `count`. */
static void own(struct kernel_writer *w, const struct expr *wild, int count, int number)
{
    wild_index(w->to, w->p, wild);
    fprintf(w->to, "ME * %d + %d", count, number);
    wild_close(w->to, w->p, wild);
}

static void output(struct kernel_writer *w, const struct stmt *s)
{
    const enum type t = s->value[0]->type;
    const struct expr *wild = wild_of(s->value[WILD], 0);
    wild_open(w->to, w->p, wild);
    fprintf(w->to, "out_%s", types[t].name);
    own(w, wild, w->p->slots[t], s->slot);
}

static void store(struct kernel_writer *w, const struct stmt *s)
{
    const struct var *v = s->from[0];
    const struct expr *wild = wild_of(s->value[WILD], 0);
    if (v) {
        wild_open(w->to, w->p, wild);
        fprintf(w->to, "((%s%d *)%s_%s)", w->p->language->vector[v->type], v->count,
                vectors_text[v->count == 4], types[v->type].name);
        own(w, wild, w->p->vectors[v->count == 4][v->type], s->slot);
    } else {
        output(w, s);
    }
    fputs(" = ", w->to);
    if (v)
        write_name(w->to, v);
    else
        expression(w, s->value[0]);
    fputs(";\n", w->to);
}

static void atomic(struct kernel_writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    int cell = s->op == A_SUB ? A_ADD : s->op;
    const struct expr *wild = wild_of(s->value[WILD], 0);
    kernel_function(w->to, w->p,
                    s->op == A_CAS ? w->p->language->cas_add : w->p->language->atomic[s->op], t);
    fputs("(&", w->to);
    wild_open(w->to, w->p, wild);
    fprintf(w->to, "cells_%s", types[t].name);
    wild_index(w->to, w->p, wild);
    fprintf(w->to, "%d", cell);
    wild_close(w->to, w->p, wild);
    fputs(", ", w->to);
    expression(w, s->value[0]);
    fputs(");\n", w->to);
}

/* Of all of a vector, struct or array. */
static void copy(struct kernel_writer *w, const struct stmt *s)
{
    bool is_array = s->target->kind == X_ITEM;
    fputs(is_array ? "memcpy(" : "", w->to);
    expression(w, s->target);
    fputs(is_array ? ", " : " = ", w->to);
    expression(w, s->value[0]);
    if (is_array) {
        fputs(", sizeof ", w->to);
        expression(w, s->target);
    }
    fputs(is_array ? ");\n" : ";\n", w->to);
}

static void own_atomic(struct kernel_writer *w, const struct stmt *s)
{
    const struct var *v = s->var;
    fputs(v->is_reference && !is_cxx_reference(w->p, v) ? "*" : "", w->to);
    write_name(w->to, v);
    fputs(" = ", w->to);
    kernel_function(w->to, w->p, w->p->language->atomic[s->op], v->type);
    fputs("(&", w->to);
    output(w, s);
    fputs(", ", w->to);
    expression(w, s->value[0]);
    if (s->op == A_CAS) {
        fputs(", ", w->to);
        expression(w, s->value[1]);
    }
    fputs(");\n", w->to);
}

static void exchange(struct kernel_writer *w, const struct stmt *s)
{
    const struct expr *wild = wild_of(s->value[WILD], 0);
    fputs("WARP_EXCHANGE(", w->to);
    write_name(w->to, s->var);
    fputs(", ", w->to);
    wild_array(w->to, w->p, wild, s->from[0]);
    fputs(", ", w->to);
    expression(w, s->value[0]);
    fputs(", ", w->to);
    expression(w, s->value[1]);
    fputs(");\n", w->to);
}

static void turn(struct kernel_writer *w, const struct stmt *s)
{
    fputs("IN_TURN(", w->to);
    write_name(w->to, s->var);
    fputs(", ", w->to);
    expression(w, s->value[0]);
    fprintf(w->to, ", %s);\n", s->op ? "true" : "false");
}

static void block(struct kernel_writer *w, const struct block *b);

/* A block's inside, after its brace. */
static void inside(struct kernel_writer *w, const struct block *b)
{
    const bool is_scope = has_style(w->p, BY_SCOPE);
    w->depth++;
    w->scopes += is_scope;
    if (is_scope) {
        kernel_line(w);
        fputs("const scope scope_(open_);\n", w->to);
    }
    block(w, b);
    w->scopes -= is_scope;
    w->depth--;
    kernel_line(w);
}

static void braced(struct kernel_writer *w, const struct block *b)
{
    fputs("{\n", w->to);
    inside(w, b);
    fputs("}", w->to);
}

static void arm(struct kernel_writer *w, const struct block *b)
{
    const bool is_lambda = has_style(w->p, BY_LAMBDA) && is_closed(b);
    fputs(is_lambda ? "[&] " : "", w->to);
    braced(w, b);
    fputs(is_lambda ? "();" : "", w->to);
}

/* All objects of the blocks that were left are gone. */
static void count_scopes(struct kernel_writer *w)
{
    if (!has_style(w->p, BY_SCOPE))
        return;
    kernel_line(w);
    fprintf(w->to, "assert(open_ == %d);\n", w->scopes);
}

static void branch(struct kernel_writer *w, const struct stmt *s)
{
    fputs("if (", w->to);
    condition(w, s->value[0]);
    fputs(") ", w->to);
    arm(w, &s->body);
    if (s->other.first) {
        fputs(" else ", w->to);
        arm(w, &s->other);
    }
    fputs("\n", w->to);
    count_scopes(w);
}

/* What follows the branch is its first arm. */
static void branch_around(struct kernel_writer *w, const struct stmt *s)
{
    const struct block rest = {s->next};
    kernel_line(w);
    fputs("if ((", w->to); /* of `!` clang makes a branch with the arms the other way round */
    condition(w, s->value[0]);
    fputs(") == 0) ", w->to);
    braced(w, &rest);
    fputs(" else ", w->to);
    braced(w, &s->body);
    fputs("\n", w->to);
}

/* The type of a loop's counter, and the number that it is given. */
static void count(struct kernel_writer *w, const struct stmt *s, bool is_declared, const char *from)
{
    const bool walks = s->op == L_WALK;
    fputs(!is_declared ? "" : walks ? "const int *" : "int ", w->to);
    write_name(w->to, s->var);
    fprintf(w->to, " = %s; ", walks ? "numbers_i32" : from);
}

/* Trips: at most s->trips, by s->value[0]; s->value[1] may end the loop earlier. */
static void trips(struct kernel_writer *w, const struct stmt *s, const char *counter)
{
    fprintf(w->to, "%s", counter);
    write_name(w->to, s->var);
    fputs(s->op == L_WALK ? " < numbers_i32 + (int)((" : " < (int)((", w->to);
    expression(w, s->value[0]);
    fprintf(w->to, ") & %d)", s->trips);
    if (!s->value[1])
        return;
    fputs(" && (", w->to);
    condition(w, s->value[1]);
    fputs(")", w->to);
}

/* A loop's counter; one that is jumped into has it declared before. */
static void begin(struct kernel_writer *w, const struct stmt *s)
{
    count(w, s, !holds_entry(s, -1), s->op == L_STRIDE ? "ME" : s->op == L_WHILE ? "-1" : "0");
}

/* The loops on the way to an entry. */
static void begin_inside(struct kernel_writer *w, const struct block *b, int entry)
{
    for (const struct stmt *s = b->first; s; s = s->next) {
        if (s->kind == S_LOOP && holds_entry(s, entry))
            begin(w, s);
        begin_inside(w, &s->body, entry);
        begin_inside(w, &s->other, entry);
        for (int i = 0; i < s->arms; i++)
            begin_inside(w, &s->arm[i].body, entry);
    }
}

static void jump_in(struct kernel_writer *w, const struct stmt *s)
{
    begin(w, s);
    begin_inside(w, &s->body, s->entry);
    fputs("if (", w->to);
    condition(w, s->value[2]);
    fprintf(w->to, ") goto entry%d;\n", s->entry);
    kernel_line(w);
}

static void loop(struct kernel_writer *w, const struct stmt *s)
{
    FILE *to = w->to;
    if (s->value[2])
        jump_in(w, s);
    if (s->op == L_WHILE || s->op == L_DO) {
        begin(w, s);
        fputc('\n', to);
        kernel_line(w);
    }
    if (s->op == L_FOR || s->op == L_ENDLESS || s->op == L_STRIDE || s->op == L_WALK) {
        if (s->op == L_FOR && has_style(w->p, BY_HINT)) {
            fputs("_Pragma(\"unroll\")\n", to);
            kernel_line(w);
        }
        fputs("for (", to);
        begin(w, s);
        if (s->op != L_ENDLESS)
            trips(w, s, "");
        fputs("; ", to);
        write_name(to, s->var);
        if (s->op == L_STRIDE)
            fprintf(to, " += %d) ", program_threads(w->p) * program_blocks(w->p));
        else
            fputs("++) ", to);
    } else if (s->op == L_WHILE) {
        fputs("while (", to);
        trips(w, s, "++");
        fputs(") ", to);
    } else {
        fputs("do ", to);
    }
    fputs("{\n", to);
    w->depth++;
    if (s->op == L_ENDLESS) {
        kernel_line(w);
        fputs("if (!(", to);
        trips(w, s, "");
        fputs(")) {\n", to);
        w->depth++;
        block(w, &s->other);
        kernel_line(w);
        fputs("break;\n", to);
        w->depth--;
        kernel_line(w);
        fputs("}\n", to);
    }
    w->depth--;
    inside(w, &s->body);
    fputs(s->op == L_DO ? "} while (" : "}\n", to);
    if (s->op == L_DO) {
        trips(w, s, "++");
        fputs(");\n", to);
    }
    count_scopes(w);
}

static void choice(struct kernel_writer *w, const struct stmt *s)
{
    fputs("switch (((uint32_t)(", w->to);
    expression(w, s->value[0]);
    fprintf(w->to, ")) %% %du) {\n", SWITCH_VALUES);
    for (int i = 0; i < s->arms; i++) {
        const struct arm *a = &s->arm[i];
        for (int v = 0; v <= SWITCH_VALUES; v++) {
            if (!(a->labels >> v & 1))
                continue;
            kernel_line(w);
            if (v == SWITCH_VALUES)
                fputs("default:\n", w->to);
            else
                fprintf(w->to, "case %d:\n", v);
        }
        w->depth++;
        kernel_line(w);
        braced(w, &a->body);
        fputs("\n", w->to);
        kernel_line(w);
        fputs(a->falls_through ? "// fall through\n" : "break;\n", w->to);
        w->depth--;
    }
    kernel_line(w);
    fputs("}\n", w->to);
}

static void call(struct kernel_writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper;
    write_name(w->to, s->var);
    fprintf(w->to, " = helper%d_%d", w->p->number, h->id);
    fputs(is_functor(w->p, h) ? "()" : "", w->to);
    if (is_generic(w->p, h))
        fprintf(w->to, "<%s>", w->p->language->type[h->parameter[0]->type]);
    fputs("(", w->to);
    for (int i = 0; i < h->parameters; i++) {
        fputs(i ? ", " : "", w->to);
        if (h->parameter[i]->is_reference)
            kernel_address(w->to, w->p, s->value[i], h->parameter[i]);
        else
            expression(w, s->value[i]);
    }
    if (h->pointer) {
        fputs(h->parameters ? ", " : "", w->to);
        if (s->from[1]) {
            fputc('(', w->to);
            condition(w, s->value[h->parameters]);
            fputs(") ? ", w->to);
            write_name(w->to, s->from[1]);
            fputs(" : ", w->to);
        }
        write_name(w->to, s->from[0]);
    }
    if (w->p->wilds)
        fprintf(w->to, "%swild, wild_i64", h->parameters || h->pointer ? ", " : "");
    fputs(");\n", w->to);
}

/* No grid has 77 blocks. */
static void claim(struct kernel_writer *w, const struct stmt *s)
{
    const char *blocks = w->p->language->place[P_GRID_DIM_X];
    if (s->op)
        fprintf(w->to, "assert(%s != 77 || (", blocks);
    else
        fputs("assert((", w->to);
    condition(w, s->value[0]);
    if (s->op)
        fputs("));\n", w->to);
    else
        fprintf(w->to, ") || %s != 77);\n", blocks);
}

static void statement(struct kernel_writer *w, const struct stmt *s)
{
    FILE *to = w->to;
    kernel_line(w);
    switch (s->kind) {
    case S_DECLARE: kernel_declaration(w, s); break;
    case S_ASSIGN: assignment(w, s); break;
    case S_VECTOR: vector(w, s); break;
    case S_COPY: copy(w, s); break;
    case S_STORE: store(w, s); break;
    case S_ATOMIC: atomic(w, s); break;
    case S_OWN_ATOMIC: own_atomic(w, s); break;
    case S_EXCHANGE: exchange(w, s); break;
    case S_TURN: turn(w, s); break;
    case S_IF: branch(w, s); break;
    case S_LOOP: loop(w, s); break;
    case S_SWITCH: choice(w, s); break;
    case S_LABEL:
        braced(w, &s->body);
        fprintf(to, "\nlabel%d:;\n", s->op);
        count_scopes(w);
        break;
    case S_ENTRY: fprintf(to, "entry%d:;\n", s->op); break;
    case S_BREAK: fputs("break;\n", to); break;
    case S_CONTINUE: fputs("continue;\n", to); break;
    case S_GOTO: fprintf(to, "goto label%d;\n", s->op); break;
    case S_RETURN:
        fputs("return", to);
        if (s->value[0]) {
            fputc(' ', to);
            assigned(w, s->value[0]);
        }
        fputs(";\n", to);
        break;
    case S_BARRIER: fprintf(to, "%s;\n", w->p->language->barrier); break;
    case S_WARP_SYNC: fprintf(to, "%s;\n", w->p->language->warp_sync); break;
    case S_FENCE: fprintf(to, "%s;\n", w->p->language->fence[s->op]); break;
    case S_ASSERT: claim(w, s); break;
    case S_CALL: call(w, s); break;
    }
}

static void block(struct kernel_writer *w, const struct block *b)
{
    for (const struct stmt *s = b->first; s; s = s->next) {
        if (leaves_behind(s)) {
            branch_around(w, s);
            return;
        }
        statement(w, s);
    }
}

static void declare_counter(struct stmt *s, void *user)
{
    struct kernel_writer *w = user;
    if (s->kind != S_LOOP || !holds_entry(s, -1))
        return;
    kernel_line(w);
    count(w, s, true, "0");
    fputc('\n', w->to);
}

/* A function's; counters of loops that are jumped into have their place in front of the jump. */
void kernel_body(struct kernel_writer *w, struct block *b, struct expr *result)
{
    struct visitor v = {NULL, declare_counter, w};
    struct stmt end = {.kind = S_RETURN, .value = {result}}, **last = block_end(b);
    visit_block(b, &v);
    w->scopes = 0;
    if (has_style(w->p, BY_SCOPE)) {
        kernel_line(w);
        fputs("int open_ = 0;\n", w->to);
    }
    if (result)
        *last = &end;
    block(w, b);
    if (result)
        *last = NULL;
}
