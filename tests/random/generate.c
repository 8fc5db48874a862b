/* generate.c - random statements and programs.
 *
 * Uniform flow is where all threads of the block are that have not returned: only there stand
 * barriers and operations of the block. Elements of block memory are their threads' or everybody's
 * to read, by turns, with a barrier between; each thread has its own elements of the outputs; and
 * every cell for atomics has one operation. So there is no race and no order to depend on.
 */
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

struct stmt *append_stmt(struct generator *g, enum stmt_kind kind)
{
    struct stmt *s = stmt_new(g->p, kind);
    *g->end = s;
    g->end = &s->next;
    return s;
}

/* store_var - what a variable holds becomes known outside. */
static void store_var(struct generator *g, struct var *v)
{
    struct expr *e = expr_new(g->p, X_VAR, v->type);
    e->var = v;
    append_stmt(g, S_STORE)->value[0] = e;
}

static void together(struct generator *g);

/* inside - statements for a block of its own; names declared there end with it. */
void generate_inside(struct generator *g, struct block *b, int count)
{
    struct stmt **end = g->end;
    int vars = g->vars;
    g->end = block_end(b);
    g->depth++;
    if (g->begins_together)
        together(g);
    g->begins_together = false;
    generate_statements(g, count);
    if (g->entry >= 0 && percent(g, 40)) {
        generate_entry(g);
        generate_statements(g, 1 + below(g, 2));
    }
    if (!g->helper && g->vars > vars) {
        struct var *last = g->scope[g->vars - 1];
        if (last->shape == SCALAR)
            store_var(g, last);
    }
    g->depth--;
    g->end = end;
    g->vars = vars;
}

void enter_scope(struct generator *g, struct var *v)
{
    if (g->vars < SCOPE_MAX)
        g->scope[g->vars++] = v;
}

/* value - any value; sometimes with something done together in it. */
struct expr *generate_value(struct generator *g, enum type type)
{
    g->together = percent(g, 30) && may_meet(g) ? 1 + below(g, 2) : 0;
    struct expr *e = generate_expr(g, type, 1 + below(g, 3), false);
    g->together = 0;
    return e;
}

void append_barrier(struct generator *g)
{
    append_stmt(g, S_BARRIER);
    memset(g->state, 0, sizeof g->state);
}

/* ---- helpers ------------------------------------------------------------------------------- */

static struct var *pointee(struct generator *g, const struct helper *h)
{
    struct var *found = NULL;
    int count = 0;
    for (int i = 0; i < g->vars; i++) {
        struct var *v = g->scope[i];
        enum shared_state wrong = h->writes || h->is_block ? READABLE : OWNED;
        if (v->shape == SHARED && v->type == h->pointer->type &&
            g->state[v->shared_index] != wrong && below(g, ++count) == 0)
            found = v;
    }
    return found;
}

static void call_helper(struct generator *g, struct helper *h)
{
    struct var *pointers[2] = {NULL, NULL};
    if (h->pointer) {
        pointers[0] = pointee(g, h);
        pointers[1] = h->is_block ? NULL : pointee(g, h);
        if (!pointers[0])
            return;
        if (pointers[1] == pointers[0])
            pointers[1] = NULL;
        for (int i = 0; i < 2; i++)
            if (pointers[i])
                g->state[pointers[i]->shared_index] = h->writes || h->is_block ? OWNED : READABLE;
    }
    struct expr *argument[PARAMETERS_MAX + 1] = {0};
    for (int i = 0; i < h->parameters; i++)
        argument[i] = generate_argument(g, h->parameter[i]);
    if (pointers[1])
        argument[h->parameters] = generate_condition(g, false);
    struct var like = {.type = h->gives ? I32 : h->type,
                       .shape = h->gives ? STRUCT : SCALAR,
                       .structure = h->gives ? &g->p->structure : NULL};
    struct var *v = generate_like(g, &like);
    struct stmt *s = append_stmt(g, S_CALL);
    s->var = v;
    s->helper = h;
    memcpy(s->from, pointers, sizeof pointers);
    memcpy(s->value, argument, sizeof argument);
    if (h->is_block)
        memset(g->state, 0, sizeof g->state);
}

/* generate_call_there - a helper without a pointer called at the end of that block. */
void generate_call_there(struct generator *g, struct block *b, struct helper *h)
{
    struct stmt **end = g->end;
    int vars = g->vars;
    g->end = block_end(b);
    call_helper(g, h);
    if (!g->helper && !h->gives)
        store_var(g, g->scope[g->vars - 1]);
    g->end = end;
    g->vars = vars;
}

static void call(struct generator *g)
{
    int limit = g->helper ? g->helper->id : g->p->helpers;
    struct helper *h = limit ? g->p->helper[below(g, limit)] : NULL;
    if (h && (g->uniform || !h->is_block) && !(h->pointer && (g->helper || g->departing)))
        call_helper(g, h);
}

/* Own elements written, others' read, all given back. */
static void block_helper(struct generator *g, struct helper *h)
{
    struct expr *target = expr_new(g->p, X_OWN, h->pointer->type);
    target->var = h->pointer;
    struct expr *e = generate_expr(g, h->pointer->type, 2, false);
    struct stmt *s = append_stmt(g, S_ASSIGN);
    s->target = target;
    s->var = h->pointer;
    s->value[0] = e;
    append_stmt(g, S_BARRIER);
    struct var *v = var_new(g->p, h->pointer->type, SCALAR);
    struct expr *other = expr_new(g->p, X_SHARED, v->type);
    other->var = h->pointer;
    other->kid[0] = generate_expr(g, I32, 2, false);
    s = append_stmt(g, S_DECLARE);
    s->var = v;
    s->value[0] = other;
    append_stmt(g, S_BARRIER);
    enter_scope(g, v);
}

/* elements_of - how many a short vector of the type has. */
int elements_of(struct generator *g, enum type type)
{
    const int count = 2 + below(g, 3);
    return g->p->language->lacks.long_halves && is_half(type) ? 2 : count;
}

static struct var *make_parameter(struct generator *g)
{
    enum shape shape = g->wants[W_STRUCT] && percent(g, 30)   ? STRUCT
                       : g->wants[W_VECTOR] && percent(g, 20) ? VECTOR
                                                              : SCALAR;
    enum type type = any_type(g);
    struct var *v = var_new(g->p, shape == VECTOR && type == BOOL ? U8 : type, shape);
    v->count = shape == VECTOR ? elements_of(g, v->type) : 0;
    v->is_reference = shape != VECTOR && g->wants[W_REFERENCE] && percent(g, 45);
    if (shape == STRUCT) {
        v->type = I32;
        v->structure = &g->p->structure;
    }
    return v;
}

static void make_helper(struct generator *g, bool with_pointer)
{
    struct program *p = g->p;
    struct helper *h = program_alloc(p, sizeof *h);
    h->id = p->helpers;
    h->type = any_type(g);
    h->gives = !with_pointer && g->wants[W_STRUCT] && percent(g, 30);
    h->parameters = 1 + below(g, 3);
    for (int i = 0; i < h->parameters; i++) {
        h->parameter[i] = make_parameter(g);
        enter_scope(g, h->parameter[i]);
    }
    if (with_pointer) {
        h->pointer = var_new(p, p->shared[below(g, p->shareds)]->type, POINTER);
        h->is_block = percent(g, 30);
        h->writes = percent(g, 50);
        enter_scope(g, h->pointer);
    }
    g->helper = h;
    g->uniform = false;
    g->parted = !h->is_block;
    g->end = &h->body.first;
    g->budget = 6;
    g->label = -1;
    if (h->gives)
        generate_declare_aggregate(g, STRUCT);
    if (h->is_block)
        block_helper(g, h);
    else if (g->wants[W_DIVERGENT] && may_meet(g))
        together(g);
    if (!h->is_block)
        generate_statements(g, 1 + below(g, 4));
    h->result = h->gives ? generate_structure(g) : generate_value(g, h->type);
    g->vars = g->first_vars;
    g->helper = NULL;
    p->helper[p->helpers++] = h;
}

/* ---- choosing ------------------------------------------------------------------------------ */

static void together(struct generator *g)
{
    bool of_block = g->uniform && !g->helper && percent(g, 50);
    g->together = of_block ? 0 : below(g, 2);
    struct expr *e = generate_together(g, of_block, false);
    g->together = 0;
    struct var *v = var_new(g->p, of_block || percent(g, 70) ? e->type : any_type(g), SCALAR);
    struct stmt *s = append_stmt(g, S_DECLARE);
    s->var = v;
    s->value[0] = expr_cast(g->p, v->type, e);
    enter_scope(g, v);
    if (of_block)
        memset(g->state, 0, sizeof g->state);
    if (!g->helper && percent(g, 80))
        store_var(g, v);
}

static void claim(struct generator *g)
{
    g->together = percent(g, 25) && may_meet(g);
    struct expr *e = generate_condition(g, false);
    g->together = 0;
    struct stmt *s = append_stmt(g, S_ASSERT);
    s->op = below(g, 2);
    s->value[0] = e;
}

static void synchronise(struct generator *g)
{
    if (g->uniform && !g->helper)
        append_barrier(g);
    else if (!g->passing && percent(g, 50))
        append_stmt(g, S_WARP_SYNC);
    else
        append_stmt(g, S_FENCE)->op = below(g, FENCES);
}

static void statement(struct generator *g)
{
    struct choice {
        int weight;
        void (*make)(struct generator *g);
    } choices[] = {
        {14, generate_declare_scalar},
        {14, generate_assign_scalar},
        {g->wants[W_VECTOR] ? 10 : 0, generate_vector},
        {g->wants[W_VECTOR] || g->wants[W_STRUCT] || g->wants[W_ARRAY] ? 10 : 0,
         generate_assign_part},
        {g->wants[W_STRUCT] || g->wants[W_ARRAY] ? 5 : 0, generate_copy},
        {g->wants[W_REFERENCE] ? 8 : 0, generate_reference},
        {10, generate_store},
        {g->p->shareds ? 12 : 0, generate_own_shared},
        {g->p->shareds && !g->helper ? 6 : 0, generate_exchange},
        {g->uniform && !g->helper && g->wants[W_TURN] ? 4 : 0, generate_turn},
        {g->wants[W_ATOMIC] ? 12 : 0, generate_atomic},
        {g->wants[W_ATOMIC] ? 6 : 2, generate_own_atomic},
        {!may_meet(g)            ? 0
         : g->wants[W_DIVERGENT] ? 14
                                 : 5,
         together},
        {5, synchronise},
        {g->only_uniform ? 0 : 4, claim},
        {g->p->helpers && !g->passing ? 10 : 0, call},
        {g->depth < 4 ? 12 : 0, generate_branch},
        {g->depth < 3 ? 9 : 0, generate_loop},
        {g->depth < 3 && g->wants[W_SWITCH] ? 9 : 0, generate_choice},
        {g->depth < 3 && g->wants[W_GOTO] ? 6 : 0, generate_labelled},
        {g->depth < 4 && g->depth > 0 ? 14 : 3, generate_leave},
        {g->uniform && g->wants[W_RETURN] ? 3 : 0, generate_departure},
    };
    int total = 0, count = (int)(sizeof choices / sizeof choices[0]), i = 0;
    for (int k = 0; k < count; k++)
        total += choices[k].weight;
    int at = below(g, total);
    while (at >= choices[i].weight)
        at -= choices[i++].weight;
    choices[i].make(g);
}

void generate_statements(struct generator *g, int count)
{
    for (int i = 0; i < count && g->budget > 0; i++) {
        g->budget--;
        statement(g);
    }
}

/* ---- the program --------------------------------------------------------------------------- */

/* Most blocks are of one or two warps, a part of one often among them: the time to compile grows
 * with the block, and what more warps show, fewer kernels are enough for. */
static void choose_launch(struct generator *g)
{
    static const int usual[][3] = {{31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {48, 1, 1},
                                   {64, 1, 1}, {7, 5, 1},  {8, 4, 1},  {4, 4, 3}};
    static const int larger[][3] = {{100, 1, 1}, {16, 4, 1}, {7, 5, 2}, {8, 4, 4}};
    static const int seldom[][3] = {{1, 1, 1}, {320, 1, 1}}; /* the last takes long to compile */
    const int among = below(g, 100);
    memcpy(g->p->block,
           among < 3    ? seldom[below(g, 2)]
           : among < 20 ? larger[below(g, 4)]
                        : usual[below(g, 8)],
           sizeof g->p->block);
    g->p->grid[0] = 1 + below(g, 3);
    g->p->grid[1] = percent(g, 30) ? 1 + below(g, 2) : 1;
    g->p->grid[2] = percent(g, 15) ? 1 + below(g, 2) : 1;
    g->p->fixed_block = percent(g, 20);
}

static void choose_types(struct generator *g)
{
    static const enum type usual[] = {I8, I16, I32, I64, U8, U16, U32, U64, BOOL, F32, F64, F32};
    for (int i = 0; i < PALETTE; i++)
        g->palette[i] = usual[below(g, 12)];
    g->palette[0] = I32;
    if (g->wants[W_HALF])
        g->palette[1] = percent(g, 50) ? F16 : BF16;
    for (int f = 0; f < FIELDS; f++) {
        g->p->structure.field[f].type = g->palette[below(g, PALETTE)];
        g->p->structure.field[f].count = percent(g, 40) ? 2 : 0;
        enum type t = g->p->structure.field[f].type;
        if (!is_float(t) && t != BOOL && types[t].bits <= 32 && percent(g, 25)) {
            g->p->structure.field[f].count = 0;
            g->p->structure.field[f].width = 1 + below(g, types[t].bits - 1);
        }
    }
}

static void make_parameters(struct generator *g)
{
    struct program *p = g->p;
    p->parameters = below(g, 3);
    for (int i = 0; i < p->parameters; i++) {
        bool is_struct = g->wants[W_STRUCT] && percent(g, 40);
        enum type type = any_type(g);
        enum type kept = is_struct ? I32 : is_half(type) ? F32 : type;
        struct var *v = var_new(p, kept, is_struct ? STRUCT : SCALAR);
        v->is_parameter = v->uniform = true;
        v->structure = is_struct ? &p->structure : NULL;
        for (size_t k = 0; k < sizeof v->value;
             k++) /* small in each byte: no NaN, bool is 0 or 1 */
            v->value[k] = is_struct || v->type == BOOL ? (unsigned char)below(g, 2)
                                                       : (unsigned char)below(g, 64);
        p->parameter[i] = v;
        enter_scope(g, v);
    }
}

static void make_shared(struct generator *g)
{
    struct program *p = g->p;
    int count = g->wants[W_SHARED_HELPER] ? 1 + below(g, SHARED_MAX) : below(g, SHARED_MAX);
    bool has_dynamic = false;
    for (int i = 0; i < count; i++) {
        struct var *v = var_new(p, any_type(g), SHARED);
        if (i > 0 && percent(g, 50))
            v->type = p->shared[0]->type;
        v->place = (enum place_of_shared)below(g, 4);
        if (v->place == AT_LAUNCH && has_dynamic)
            v->place = AT_FILE;
        has_dynamic |= v->place == AT_LAUNCH;
        v->shared_index = i;
        p->shared[i] = v;
        p->shared_start[i] = generate_expr(g, v->type, 2, false);
        g->state[i] = OWNED;
    }
    p->shareds = count;
}

static void make_tables(struct generator *g)
{
    struct stmt **end = &g->p->tables.first;
    for (int i = 1 + below(g, 2); i > 0; i--) {
        struct stmt *s = stmt_new(g->p, S_DECLARE);
        s->var = var_new(g->p, any_type(g), ARRAY);
        if (g->p->language->lacks.half_tables && is_half(s->var->type))
            s->var->type = F32;
        s->var->is_parameter = s->var->uniform = true;
        s->var->count = 2 << below(g, 3);
        for (int k = 0; k < s->var->count; k++)
            s->value[k] = generate_constant(g, s->var->type);
        *end = s;
        end = &s->next;
        enter_scope(g, s->var);
    }
}

/* What must be there, once, among the rest. */
static void wanted(struct generator *g)
{
    if (g->wants[W_VECTOR])
        generate_declare_aggregate(g, VECTOR);
    if (g->wants[W_STRUCT])
        generate_declare_aggregate(g, STRUCT);
    if (g->wants[W_ARRAY])
        generate_declare_aggregate(g, ARRAY);
    if (g->wants[W_RETURN])
        generate_leave(g);
    if (g->wants[W_RETURN] && percent(g, 50))
        append_barrier(g);
    if (g->wants[W_RETURN] && percent(g, 35))
        generate_departure(g);
    if (g->wants[W_BARRIER_LOOP])
        generate_barrier_loop(g);
    if (g->wants[W_SWITCH])
        generate_choice(g);
    if (g->wants[W_ATOMIC])
        generate_atomic(g);
    if (g->wants[W_GOTO])
        generate_labelled(g);
    if (g->wants[W_ENTRY])
        generate_divergent_loop(g);
    if (g->wants[W_TURN])
        generate_turn(g);
    for (int i = 0; g->wants[W_SHARED_HELPER] && i < g->p->helpers; i++)
        if (g->p->helper[i]->pointer) {
            append_barrier(g);
            call_helper(g, g->p->helper[i]);
        }
}

/* What atomics have left in block memory. */
static void dump_cells(struct generator *g)
{
    bool any = false;
    for (int t = 0; t < TYPES; t++)
        for (int op = 0; op < CELLS && g->atomics[t]; op++) {
            if (!any)
                append_barrier(g);
            any = true;
            struct expr *e = expr_new(g->p, X_CELL, (enum type)t);
            e->op = op;
            append_stmt(g, S_STORE)->value[0] = e;
        }
}

static void dump(struct generator *g)
{
    if (g->p->block_cells)
        dump_cells(g);
    for (int i = 0; i < g->vars; i++) {
        struct var *v = g->scope[i];
        if (v->shape == SCALAR && !v->is_parameter)
            store_var(g, v);
        else if (v->shape == VECTOR || v->shape == STRUCT || v->shape == ARRAY)
            append_stmt(g, S_STORE)->value[0] = generate_part(g, v);
    }
}

/* Control flow in which threads part other than by a guard. */
static const enum want divergent[] = {W_SWITCH, W_GOTO, W_RETURN, W_ENTRY, W_TURN};

/* draw - a program of any size. */
static struct program *draw(uint64_t seed, uint64_t state, const struct language *language,
                            bool only_uniform)
{
    struct generator g = {.p = program_create(seed),
                          .d = {state},
                          .only_uniform = only_uniform,
                          .label = -1,
                          .entry = -1};
    struct program *p = g.p;
    p->language = language;
    dice_next(&g.d);
    for (int i = 0; i < WANTS; i++)
        g.wants[i] = percent(&g, 40);
    for (size_t i = 0; i < sizeof divergent / sizeof *divergent; i++)
        g.wants[divergent[i]] &= !only_uniform;
    g.wants[W_ENTRY] &= !language->lacks.entries;
    g.wants[W_TURN] &= percent(&g, 25); /* blocks of such run in gangs of a warp */
    choose_launch(&g);
    choose_types(&g);
    make_parameters(&g);
    p->hides = !only_uniform && seed % 4 == 3;
    int parameters = g.vars;
    make_shared(&g);
    g.vars = parameters;
    if (g.wants[W_TABLE])
        make_tables(&g);
    memmove(g.scope, g.scope + parameters, (size_t)(g.vars - parameters) * sizeof *g.scope);
    g.vars = g.first_vars = g.vars - parameters;
    p->block_cells = !only_uniform && percent(&g, 40);
    int helpers = below(&g, 3);
    for (int i = 0; i < helpers; i++)
        make_helper(&g, false);
    if (g.wants[W_SHARED_HELPER])
        make_helper(&g, true);
    for (int i = 0; i < p->parameters; i++)
        enter_scope(&g, p->parameter[i]);
    for (int i = 0; i < p->shareds; i++)
        enter_scope(&g, p->shared[i]);
    g.uniform = true;
    g.parted = false;
    g.end = &p->body.first;
    g.budget = 14;
    generate_statements(&g, 1 + below(&g, 5));
    wanted(&g);
    generate_statements(&g, 1 + below(&g, 5));
    dump(&g);
    return p;
}

/* ---- the size ------------------------------------------------------------------------------ */

static void count_expr(struct expr *e, void *user)
{
    (void)e;
    ++*(int *)user;
}

static void count_stmt(struct stmt *s, void *user)
{
    (void)s;
    ++*(int *)user;
}

/* is_large - as what takes long to compile: so many nodes, for each warp of the block. */
static bool is_large(struct program *p, int most)
{
    int nodes = 0;
    struct visitor count = {count_expr, count_stmt, &nodes};
    visit_program(p, &count);
    return nodes * program_threads(p) > most * 32;
}

/* The largest third takes most of the time, and an hour of the others shows more: one in eight
 * stays, and in place of the rest stand the first that are smaller. */
struct program *generate(uint64_t seed, const struct language *language, bool only_uniform,
                         bool is_small)
{
    struct dice d = {~seed};
    struct program *p = draw(seed, seed, language, only_uniform);
    const int most = is_small ? 80 : 500;
    bool stays = dice_below(&d, 8) == 0 && !is_small;
    for (uint64_t again = 1; !stays && is_large(p, most); again++) {
        program_destroy(p);
        p = draw(seed, seed + (again << 48), language, only_uniform);
    }
    return p;
}
