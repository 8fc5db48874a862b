/* statement.c - random statements that are not control flow: variables and memory. */
#include "generate.h"
#include <string.h>

static int below(struct generator *g, int n)
{
    return dice_below(&g->d, n);
}

static bool percent(struct generator *g, int n)
{
    return dice_percent(&g->d, n);
}

/* ---- variables ----------------------------------------------------------------------------- */

void generate_declare_scalar(struct generator *g)
{
    struct var *v = var_new(g->p, any_type(g), SCALAR);
    v->uniform = g->uniform && percent(g, 25);
    struct expr *e;
    if (v->uniform && percent(g, 50))
        e = expr_cast(g->p, v->type, generate_together(g, true, true));
    else if (v->uniform)
        e = generate_expr(g, v->type, 2, true);
    else
        e = generate_value(g, v->type);
    if (e->kind == X_CAST ? e->kid[0]->kind == X_TOGETHER : e->kind == X_TOGETHER)
        if (togethers[(e->kind == X_CAST ? e->kid[0] : e)->op].is_block)
            memset(g->state, 0, sizeof g->state);
    struct stmt *s = append_stmt(g, S_DECLARE);
    s->var = v;
    s->value[0] = e;
    enter_scope(g, v);
}

void generate_declare_aggregate(struct generator *g, enum shape shape)
{
    enum type type = any_type(g);
    struct var *v = var_new(g->p, shape == VECTOR && type == BOOL ? U8 : type, shape);
    struct stmt *s = stmt_new(g->p, S_DECLARE);
    s->var = v;
    if (shape == STRUCT) {
        v->structure = &g->p->structure;
        for (int f = 0, n = 0; f < FIELDS; f++) {
            int count = v->structure->field[f].count;
            for (int i = 0; i < (count ? count : 1); i++)
                s->value[n++] = generate_expr(g, v->structure->field[f].type, 1, false);
        }
    } else {
        v->count = shape == VECTOR ? 2 + below(g, 3) : 2 << below(g, 3);
        for (int i = 0; i < v->count; i++)
            s->value[i] = generate_expr(g, v->type, 1, false);
    }
    *g->end = s;
    g->end = &s->next;
    enter_scope(g, v);
}

static void declare_some_aggregate(struct generator *g)
{
    static const enum shape shapes[] = {VECTOR, STRUCT, ARRAY};
    enum shape shape = shapes[below(g, 3)];
    if (!g->wants[shape == VECTOR ? W_VECTOR : shape == STRUCT ? W_STRUCT : W_ARRAY])
        shape = g->wants[W_VECTOR] ? VECTOR : g->wants[W_STRUCT] ? STRUCT : ARRAY;
    generate_declare_aggregate(g, shape);
}

void generate_assign_scalar(struct generator *g)
{
    struct var *v = find_var(g, SCALAR, NO_TYPE, false);
    if (!v || v->is_parameter || (v->uniform && !g->uniform)) {
        generate_declare_scalar(g);
        return;
    }
    struct expr *target = expr_new(g->p, X_VAR, v->type), *e = NULL;
    target->var = v;
    if (percent(g, 40)) { /* compound, where the types allow */
        enum type other = v->uniform ? v->type : any_type(g), type = common(v->type, other);
        if (type != NO_TYPE) {
            e = expr_new(g->p, X_BINARY, type);
            e->op = is_float(type) ? below(g, B_DIV + 1) : B_ADD + below(g, 3);
            e->op = !is_float(type) && percent(g, 50) ? B_AND + below(g, 3) : e->op;
            e->kid[0] = expr_new(g->p, X_VAR, v->type);
            e->kid[0]->var = v;
            e->kid[1] = v->uniform ? generate_expr(g, other, 1, true) : generate_value(g, other);
            e = expr_cast(g->p, v->type, e);
        }
    }
    if (!e)
        e = v->uniform ? generate_expr(g, v->type, 2, true) : generate_value(g, v->type);
    struct stmt *s = append_stmt(g, S_ASSIGN);
    s->var = v;
    s->target = target;
    s->value[0] = e;
}

void generate_assign_part(struct generator *g)
{
    static const enum shape shapes[] = {VECTOR, ARRAY, STRUCT};
    static const enum expr_kind kinds[] = {X_PART, X_ITEM, X_FIELD};
    int which = below(g, 3);
    struct var *v = find_var(g, shapes[which], NO_TYPE, false);
    if (!v || v->is_parameter) {
        declare_some_aggregate(g);
        return;
    }
    struct stmt *s = stmt_new(g->p, S_ASSIGN);
    struct expr *target = expr_new(g->p, kinds[which], v->type);
    target->var = v;
    if (which == 0)
        target->index = below(g, v->count);
    else if (which == 1)
        target->kid[0] = generate_expr(g, I32, 1, false);
    else {
        target->index = below(g, FIELDS);
        int count = v->structure->field[target->index].count;
        target->type = v->structure->field[target->index].type;
        target->sub = count ? below(g, count) : 0;
    }
    s->var = v;
    s->target = target;
    s->value[0] = generate_value(g, target->type);
    *g->end = s;
    g->end = &s->next;
}

/* Elementwise: wrapping where unsigned, any where float, bits where signed. */
void generate_vector(struct generator *g)
{
    struct var *v = find_var(g, VECTOR, NO_TYPE, false);
    if (!v) {
        declare_some_aggregate(g);
        return;
    }
    struct var *a = v, *b = NULL;
    for (int i = 0; i < g->vars; i++) {
        struct var *u = g->scope[i];
        if (u->shape != VECTOR || u->type != v->type || u->count != v->count)
            continue;
        a = percent(g, 50) ? u : a;
        b = percent(g, 50) ? u : b;
    }
    struct stmt *s = stmt_new(g->p, percent(g, 15) && a != v ? S_COPY : S_VECTOR);
    s->var = v;
    s->from[0] = a;
    if (s->kind == S_VECTOR) {
        s->from[1] = b;
        s->op = is_float(v->type)    ? below(g, B_DIV + 1)
                : is_signed(v->type) ? B_AND + below(g, 3)
                                     : B_ADD + below(g, 3);
        if (!b)
            s->value[0] = generate_expr(g, v->type, 1, false);
    }
    *g->end = s;
    g->end = &s->next;
}

void generate_copy_structure(struct generator *g)
{
    struct var *a = find_var(g, STRUCT, NO_TYPE, false), *b = find_var(g, STRUCT, NO_TYPE, false);
    if (!a || a->is_parameter || (a == b && g->helper)) {
        declare_some_aggregate(g);
        return;
    }
    struct stmt *s = append_stmt(g, S_COPY);
    s->var = a;
    if (g->helper || percent(g, 60))
        s->from[0] = b;
    else
        s->value[0] = generate_record(g, -1);
}

/* ---- memory -------------------------------------------------------------------------------- */

void generate_store(struct generator *g)
{
    if (g->helper) {
        generate_assign_scalar(g);
        return;
    }
    struct var *v = g->wants[W_VECTOR] ? find_var(g, VECTOR, NO_TYPE, false) : NULL;
    if (v && v->count != 3 && percent(g, 50)) {
        append_stmt(g, S_STORE)->from[0] = v;
        return;
    }
    struct expr *e = generate_value(g, any_type(g));
    append_stmt(g, S_STORE)->value[0] = e;
}

void generate_own_shared(struct generator *g)
{
    struct var *v = find_var(g, g->helper ? POINTER : SHARED, NO_TYPE, false);
    bool may = v && (g->helper ? g->helper->writes && !g->helper->is_block
                               : g->state[v->shared_index] != READABLE);
    if (!may) {
        if (g->uniform && !g->helper && v)
            append_barrier(g);
        return;
    }
    if (!g->helper)
        g->state[v->shared_index] = OWNED;
    struct expr *target = expr_new(g->p, X_OWN, v->type);
    target->var = v;
    struct expr *e = generate_value(g, v->type);
    struct stmt *s = append_stmt(g, S_ASSIGN);
    s->var = v;
    s->target = target;
    s->value[0] = e;
}

static enum type atomic_type(struct generator *g)
{
    enum type type = any_type(g);
    return type == BOOL ? U8 : type;
}

void generate_atomic(struct generator *g)
{
    if (g->helper)
        return;
    enum type type = atomic_type(g);
    int op = is_float(type) ? A_MIN + below(g, 2) : below(g, ATOMICS);
    op = op == A_CAS && g->only_uniform ? A_ADD : op; /* a loop, each thread its own trips */
    struct expr *e = op == A_EXCHANGE ? expr_integer(g->p, type, 77) : generate_value(g, type);
    struct stmt *s = append_stmt(g, S_ATOMIC);
    s->op = op;
    s->value[0] = e;
}

/* On an element that no other thread touches, so that the old value is known too. */
void generate_own_atomic(struct generator *g)
{
    struct var *v = find_var(g, SCALAR, NO_TYPE, false);
    if (g->helper || !v || v->is_parameter || v->uniform || v->type == BOOL)
        return;
    struct expr *e = generate_value(g, v->type);
    struct stmt *s = append_stmt(g, S_OWN_ATOMIC);
    s->var = v;
    do
        s->op = below(g, ATOMICS);
    while (is_float(v->type) && s->op != A_ADD && s->op != A_SUB && s->op != A_MIN &&
           s->op != A_MAX && s->op != A_EXCHANGE);
    s->value[0] = e;
    if (s->op == A_CAS) {
        s->value[0] = percent(g, 60) ? expr_integer(g->p, v->type, 0) : e;
        s->value[1] = generate_expr(g, v->type, 1, false);
    }
}
