/* statement.c - random statements that are not control flow: variables and memory. */
#include "generate.h"
#include "language.h"
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
    v->is_volatile = g->wants[W_REFERENCE] && !g->only_uniform && percent(g, 8);
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

/* declare - a struct, vector or array, with values. */
static void declare(struct generator *g, struct var *v)
{
    struct stmt *s = stmt_new(g->p, S_DECLARE);
    s->var = v;
    for (int f = 0, n = 0; f < FIELDS && v->shape == STRUCT; f++) {
        int count = v->structure->field[f].count;
        for (int i = 0; i < (count ? count : 1); i++)
            s->value[n++] = generate_expr(g, v->structure->field[f].type, 1, false);
    }
    for (int i = 0; i < v->count && v->shape != STRUCT; i++)
        s->value[i] = generate_expr(g, v->type, 1, false);
    *g->end = s;
    g->end = &s->next;
    enter_scope(g, v);
}

void generate_declare_aggregate(struct generator *g, enum shape shape)
{
    enum type type = any_type(g);
    struct var *v = var_new(g->p, shape == VECTOR && type == BOOL ? U8 : type, shape);
    if (shape == STRUCT) {
        v->type = I32;
        v->structure = &g->p->structure;
        v->count = percent(g, 30) ? 2 << below(g, 2) : 0;
    } else {
        v->count = shape == VECTOR ? elements_of(g, v->type) : 2 << below(g, 3);
        v->columns = (shape == VECTOR || v->count > 2) && percent(g, 30) ? 2 : 0;
        v->columns <<= shape == VECTOR && v->columns ? below(g, 2) : 0;
        v->is_volatile =
            shape == VECTOR && g->wants[W_REFERENCE] && !g->only_uniform && percent(g, 15);
    }
    declare(g, v);
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
    int which = below(g, 3);
    struct var *v = find_var(g, shapes[which], NO_TYPE, false);
    if (!v || v->is_parameter) {
        declare_some_aggregate(g);
        return;
    }
    struct stmt *s = stmt_new(g->p, S_ASSIGN);
    struct expr *target = generate_part(g, v);
    s->var = v;
    s->target = target;
    s->value[0] = generate_value(g, target->type);
    *g->end = s;
    g->end = &s->next;
}

static struct expr *whole(struct generator *g, struct var *v)
{
    static const enum expr_kind kinds[] = {[VECTOR] = X_PART, [ARRAY] = X_ITEM, [STRUCT] = X_FIELD};
    struct expr *e = expr_new(g->p, kinds[v->shape], v->type);
    e->var = v;
    e->index = -1;
    if (array_of(v))
        e->kid[0] = generate_expr(g, I32, 1, false);
    return e;
}

/* Elementwise: wrapping where unsigned, any where float, bits where signed. */
void generate_vector(struct generator *g)
{
    struct var *v = find_var(g, VECTOR, NO_TYPE, false);
    if (!v || v->columns) {
        declare_some_aggregate(g);
        return;
    }
    struct var *a = v, *b = NULL;
    for (int i = 0; i < g->vars; i++) {
        struct var *u = g->scope[i];
        if (u->shape != VECTOR || u->type != v->type || u->count != v->count || u->columns)
            continue;
        a = percent(g, 50) ? u : a;
        b = percent(g, 50) ? u : b;
    }
    bool is_copy = percent(g, 15) && a != v;
    struct stmt *s = stmt_new(g->p, is_copy ? S_COPY : S_VECTOR);
    s->var = v;
    if (is_copy) {
        s->target = whole(g, v);
        s->value[0] = whole(g, a);
    } else {
        s->from[0] = a;
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

/* find_like - another variable of the same kind. */
static struct var *find_like(struct generator *g, const struct var *v)
{
    struct var *found = NULL;
    int count = 0;
    for (int i = 0; i < g->vars; i++) {
        struct var *u = g->scope[i];
        bool is_like = u->shape == v->shape && (v->shape == STRUCT || u->type == v->type) &&
                       (v->shape == STRUCT || u->count == v->count);
        if (is_like && u != v && below(g, ++count) == 0)
            found = u;
    }
    return found;
}

void generate_copy(struct generator *g)
{
    struct var *a = find_var(g, percent(g, 50) ? STRUCT : ARRAY, NO_TYPE, false);
    struct var *b = a ? find_like(g, a) : NULL;
    bool is_record = a && a->shape == STRUCT && !g->helper && percent(g, 40);
    if (!a || a->is_parameter || (!b && !is_record)) {
        declare_some_aggregate(g);
        return;
    }
    struct stmt *s = append_stmt(g, S_COPY);
    s->var = a;
    s->target = whole(g, a);
    s->value[0] = is_record ? generate_record(g, -1) : whole(g, b);
}

/* ---- references ---------------------------------------------------------------------------- */

/* may_hold - may a variable hold what such a reference is to? Block memory may while it is called
 * for only. */
static bool may_hold(struct generator *g, const struct var *u, const struct var *v, bool is_call)
{
    if (u->is_parameter || u->uniform || u->is_volatile)
        return false;
    if (v->shape == STRUCT)
        return u->shape == STRUCT;
    if (u->shape == SHARED)
        return is_call && !g->departing && u->type == v->type &&
               g->state[u->shared_index] != READABLE;
    if (u->shape == POINTER)
        return is_call && u->type == v->type && g->helper->writes && !g->helper->is_block;
    for (int f = 0; f < FIELDS && u->shape == STRUCT; f++)
        if (u->structure->field[f].type == v->type && !u->structure->field[f].width)
            return true;
    return (u->shape == SCALAR || u->shape == ARRAY) && u->type == v->type;
}

static struct expr *place_in(struct generator *g, struct var *u, const struct var *v)
{
    static const enum expr_kind kinds[] = {[SCALAR] = X_VAR,
                                           [ARRAY] = X_ITEM,
                                           [STRUCT] = X_FIELD,
                                           [SHARED] = X_OWN,
                                           [POINTER] = X_OWN};
    if (v->shape == STRUCT)
        return whole(g, u);
    struct expr *e = expr_new(g->p, kinds[u->shape], v->type);
    e->var = u;
    if (u->shape == ARRAY || (u->shape == STRUCT && u->count))
        e->kid[0] = generate_expr(g, I32, 1, false);
    if (u->shape == ARRAY && u->columns)
        e->kid[1] = generate_expr(g, I32, 1, false);
    while (u->shape == STRUCT &&
           (u->structure->field[e->index].type != v->type || u->structure->field[e->index].width))
        e->index++;
    if (u->shape == STRUCT && u->structure->field[e->index].count)
        e->sub = below(g, u->structure->field[e->index].count);
    if (u->shape == SHARED)
        g->state[u->shared_index] = OWNED;
    return e;
}

/* A place that the reference may be to; NULL: there is none. */
static struct expr *place(struct generator *g, const struct var *v, bool is_call)
{
    struct var *found = NULL;
    int count = 0;
    for (int i = 0; i < g->vars; i++)
        if (may_hold(g, g->scope[i], v, is_call) && below(g, ++count) == 0)
            found = g->scope[i];
    return found ? place_in(g, found, v) : NULL;
}

static struct expr *place_or_other(struct generator *g, const struct var *v, bool is_call)
{
    struct expr *e = place(g, v, is_call);
    if (!e || g->only_uniform || !percent(g, 35))
        return e;
    struct expr *choice = expr_new(g->p, X_CHOOSE, e->type);
    choice->safe = percent(g, 40);
    choice->kid[0] = generate_condition(g, false);
    choice->kid[1] = e;
    choice->kid[2] = place(g, v, is_call);
    return choice->kid[2] ? choice : e;
}

void generate_reference(struct generator *g)
{
    bool is_struct = g->wants[W_STRUCT] && percent(g, 25);
    struct var *v = var_new(g->p, is_struct ? I32 : any_type(g), is_struct ? STRUCT : SCALAR);
    v->is_reference = true;
    v->structure = is_struct ? &g->p->structure : NULL;
    struct expr *e = place_or_other(g, v, false);
    if (!e) {
        generate_declare_scalar(g);
        return;
    }
    struct stmt *s = append_stmt(g, S_DECLARE);
    s->var = v;
    s->value[0] = e;
    enter_scope(g, v);
}

struct var *generate_like(struct generator *g, const struct var *like)
{
    struct var *v = var_new(g->p, like->type, like->shape);
    v->count = like->count;
    v->structure = like->structure;
    if (v->shape != SCALAR) {
        declare(g, v);
        return v;
    }
    struct stmt *s = append_stmt(g, S_DECLARE);
    s->var = v;
    s->value[0] = generate_constant(g, v->type);
    enter_scope(g, v);
    return v;
}

struct expr *generate_structure(struct generator *g)
{
    struct var *v = find_var(g, STRUCT, NO_TYPE, false);
    return v ? whole(g, v) : NULL;
}

/* generate_argument - declares a variable where there is none to pass. */
struct expr *generate_argument(struct generator *g, const struct var *parameter)
{
    const bool is_reference = parameter->is_reference;
    if (parameter->shape == SCALAR && !is_reference)
        return generate_expr(g, parameter->type, 1, false);
    struct expr *e = is_reference ? place_or_other(g, parameter, true) : NULL;
    if (e)
        return e;
    if (is_reference || !find_like(g, parameter))
        generate_like(g, parameter);
    if (is_reference)
        return place_or_other(g, parameter, true);
    if (parameter->shape == STRUCT && !g->helper && percent(g, 25))
        return generate_record(g, -1);
    return whole(g, find_like(g, parameter));
}

/* ---- memory -------------------------------------------------------------------------------- */

void generate_store(struct generator *g)
{
    if (g->helper) {
        generate_assign_scalar(g);
        return;
    }
    struct var *v = g->wants[W_VECTOR] ? find_var(g, VECTOR, NO_TYPE, false) : NULL;
    if (v && v->count != 3 && !v->columns && percent(g, 50)) {
        append_stmt(g, S_STORE)->from[0] = v;
        return;
    }
    struct expr *e = generate_value(g, any_type(g));
    append_stmt(g, S_STORE)->value[0] = e;
}

void generate_own_shared(struct generator *g)
{
    struct var *v = find_var(g, g->helper ? POINTER : SHARED, NO_TYPE, false);
    bool may = v && !g->departing &&
               (g->helper ? g->helper->writes && !g->helper->is_block
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

/* generate_exchange - lanes of a warp write their elements of block memory and read others'. */
void generate_exchange(struct generator *g)
{
    struct var *from = find_var(g, SHARED, NO_TYPE, false);
    if (!from || g->helper || g->departing || !may_meet(g) ||
        g->state[from->shared_index] == READABLE)
        return;
    g->state[from->shared_index] = OWNED;
    struct expr *e = generate_value(g, from->type);
    struct expr *lane = generate_expr(g, I32, 1, false);
    const struct var like = {.type = from->type, .shape = SCALAR};
    struct var *v = generate_like(g, &like);
    struct stmt *s = append_stmt(g, S_EXCHANGE);
    s->var = v;
    s->from[0] = from;
    s->value[0] = e;
    s->value[1] = lane;
}

/* generate_turn - one warp after the other changes what all of them have; the others wait. */
void generate_turn(struct generator *g)
{
    struct expr *e = generate_value(g, U32);
    const struct var like = {.type = U32, .shape = SCALAR};
    struct var *v = generate_like(g, &like);
    struct stmt *s = append_stmt(g, S_TURN);
    s->op = below(g, 2);
    s->var = v;
    s->value[0] = e;
    memset(g->state, 0, sizeof g->state);
}

static enum type atomic_type(struct generator *g)
{
    enum type type = any_type(g);
    const bool lacks = g->p->language->lacks.half_atomics && is_half(type);
    return type == BOOL ? U8 : lacks ? F32 : type;
}

void generate_atomic(struct generator *g)
{
    if (g->helper || (g->departing && g->p->block_cells))
        return;
    enum type type = atomic_type(g);
    int op = is_float(type) ? A_MIN + below(g, 2) : below(g, ATOMICS);
    op = op == A_CAS && g->only_uniform ? A_ADD : op; /* a loop, each thread its own trips */
    struct expr *e = op == A_EXCHANGE ? expr_integer(g->p, type, 77) : generate_value(g, type);
    struct stmt *s = append_stmt(g, S_ATOMIC);
    g->atomics[type] = true;
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
    while (is_float(v->type) && s->op != A_ADD && s->op != A_SUB &&
           ((g->p->language->lacks.half_atomics && is_half(v->type)) ||
            (s->op != A_MIN && s->op != A_MAX && s->op != A_EXCHANGE)));
    s->value[0] = e;
    if (s->op == A_CAS) {
        s->value[0] = percent(g, 60) ? expr_integer(g->p, v->type, 0) : e;
        s->value[1] = generate_expr(g, v->type, 1, false);
    }
}
