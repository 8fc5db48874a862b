/* flow.c - random control flow, uniform or divergent. */
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

/* ---- control flow -------------------------------------------------------------------------- */

struct flow {
    bool uniform, parted, departing, passing, may_break, may_continue;
    int label;
    const struct stmt *common;
};

static struct flow save(const struct generator *g)
{
    return (struct flow){g->uniform,   g->parted,       g->departing, g->passing,
                         g->may_break, g->may_continue, g->label,     g->common};
}

static void restore(struct generator *g, struct flow f)
{
    g->uniform = f.uniform;
    g->parted = f.parted;
    g->departing = f.departing;
    g->passing = f.passing;
    g->may_break = f.may_break;
    g->may_continue = f.may_continue;
    g->label = f.label;
    g->common = f.common;
}

/* join - after two ways that threads of the block came together. */
static void join(struct generator *g, const enum shared_state other[SHARED_MAX])
{
    bool conflict = false;
    for (int i = 0; i < SHARED_MAX; i++) {
        conflict |= g->state[i] != FREE && other[i] != FREE && g->state[i] != other[i];
        g->state[i] = g->state[i] == FREE ? other[i] : g->state[i];
    }
    if (conflict)
        append_barrier(g);
}

static int few(struct generator *g)
{
    return 1 + below(g, 3);
}

static struct expr *condition(struct generator *g)
{
    g->together = percent(g, 25) && may_meet(g);
    struct expr *e = generate_condition(g, false);
    g->together = 0;
    return e;
}

/* guard - i < n, where i is the thread's own number and n the same for all. */
static struct expr *guard(struct generator *g)
{
    struct expr *e = expr_new(g->p, X_COMPARE, I32);
    e->kid[0] = expr_new(g->p, X_PLACE, I32);
    e->kid[0]->op = below(g, UNIFORM_PLACES);
    e->kid[1] = percent(g, 50) ? expr_integer(g->p, I32, (uint64_t)below(g, 70))
                               : generate_expr(g, I32, 1, true);
    return e;
}

/* trip - i OP n, where i counts the loop's trips and n are those that all make. */
static struct expr *trip(struct generator *g, const struct stmt *loop, enum comparison op)
{
    struct expr *e = expr_new(g->p, X_COMPARE, I32);
    e->op = op;
    e->kid[0] = expr_new(g->p, X_VAR, I32);
    e->kid[0]->var = loop->var;
    e->kid[1] = expr_integer(g->p, I32, (uint64_t)loop->common);
    return e;
}

static void exchange_states(struct generator *g, enum shared_state other[SHARED_MAX])
{
    enum shared_state mine[SHARED_MAX];
    memcpy(mine, g->state, sizeof mine);
    memcpy(g->state, other, sizeof mine);
    memcpy(other, mine, sizeof mine);
}

/* call_in_both - the same helper in both arms: threads of the two do not meet in it. `then` is what
 * the first arm of a uniform branch leaves, NULL for a divergent one. */
static void call_in_both(struct generator *g, struct stmt *s, enum shared_state *then)
{
    int limit = g->helper ? g->helper->id : g->p->helpers;
    struct helper *h = limit ? g->p->helper[below(g, limit)] : NULL;
    if (!h || h->pointer || g->passing || g->vars == SCOPE_MAX)
        return;
    if (then)
        exchange_states(g, then);
    generate_call_there(g, &s->body, h);
    if (then)
        exchange_states(g, then);
    generate_call_there(g, &s->other, h);
}

void generate_branch(struct generator *g)
{
    struct flow f = save(g);
    enum shared_state start[SHARED_MAX], then[SHARED_MAX];
    bool same = g->only_uniform ? percent(g, 50) : g->uniform && percent(g, 35);
    bool uniform = g->uniform && same, is_guard = !same && (g->only_uniform || percent(g, 20));
    struct expr *e = same ? generate_condition(g, true) : is_guard ? guard(g) : condition(g);
    struct stmt *s = append_stmt(g, S_IF);
    s->value[0] = e;
    g->uniform = uniform;
    g->parted = g->parted || !same;
    memcpy(start, g->state, sizeof start);
    generate_inside(g, &s->body, few(g));
    memcpy(then, g->state, sizeof then);
    if (uniform)
        memcpy(g->state, start, sizeof start);
    if (!is_guard && percent(g, 50))
        generate_inside(g, &s->other, few(g));
    if (!is_guard && percent(g, 30))
        call_in_both(g, s, uniform ? then : NULL);
    restore(g, f);
    if (uniform)
        join(g, then);
}

/* leaving_arm - without an entry: those who jump there would leave a loop that they have not been
 * in. */
static void leaving_arm(struct generator *g, struct block *b, int count)
{
    int entry = g->entry, vars = g->entry_vars;
    g->entry = -1;
    generate_inside(g, b, count); /* which may have loops with entries of their own */
    g->entry = entry;
    g->entry_vars = vars;
}

/* who_leaves - nobody by other than a return, while all make their trips. */
static struct expr *who_leaves(struct generator *g, enum stmt_kind how)
{
    struct expr *e = condition(g), *both;
    if (!g->common || (how != S_BREAK && how != S_CONTINUE))
        return e;
    both = expr_new(g->p, X_LOGIC, I32);
    both->kid[0] = trip(g, g->common, O_NOT_LESS);
    both->kid[1] = e;
    return both;
}

/* leave - if (condition) { something; break, continue, goto or return }, or the same with what
 * follows as the first arm. */
void generate_leave(struct generator *g)
{
    bool may_return = g->wants[W_RETURN] && !(g->helper && g->helper->is_block) &&
                      !(g->helper && g->helper->gives && !find_var(g, STRUCT, NO_TYPE, false));
    enum stmt_kind kinds[4];
    int count = 0;
    if (g->may_break)
        kinds[count++] = S_BREAK;
    if (g->may_continue)
        kinds[count++] = S_CONTINUE;
    if (g->label >= 0)
        kinds[count++] = S_GOTO;
    if (may_return && (count == 0 || percent(g, 20)))
        kinds[count++] = S_RETURN;
    if (count == 0)
        return;
    struct flow f = save(g);
    enum stmt_kind kind = kinds[below(g, count)];
    struct expr *e = who_leaves(g, kind);
    struct stmt *s = append_stmt(g, S_IF);
    s->value[0] = e;
    g->uniform = false;
    s->is_behind = percent(g, 40);
    g->begins_together = may_meet(g) && percent(g, 30);
    leaving_arm(g, &s->body, below(g, 2));
    struct stmt **end = block_end(&s->body);
    *end = stmt_new(g->p, kind);
    (*end)->op = g->label;
    if ((*end)->kind == S_RETURN && g->helper)
        (*end)->value[0] =
            g->helper->gives ? generate_structure(g) : generate_expr(g, g->helper->type, 1, false);
    restore(g, f);
}

/* leave_there - at the end of that block. */
static void leave_there(struct generator *g, struct block *b)
{
    struct stmt **end = g->end;
    g->end = block_end(b);
    g->depth++;
    generate_leave(g);
    g->depth--;
    g->end = end;
}

static struct var *counter(struct generator *g, bool uniform, enum loop_form form)
{
    struct var *v = var_new(g->p, I32, COUNTER);
    v->uniform = uniform;
    v->count = form == L_WALK;
    return v;
}

/* walking - some of the loops that may, do. */
static enum loop_form walking(struct generator *g, enum loop_form form)
{
    bool may = g->wants[W_WALK] && !g->helper && form == L_FOR;
    return may && percent(g, 60) ? L_WALK : form;
}

/* The last number of a grid-stride loop: four trips of all threads, at most. */
static int stride_end(const struct program *p)
{
    int end = 1;
    while (end < 2 * program_threads(p) * program_blocks(p))
        end *= 2;
    return end - 1;
}

/* Those who will jump in have nothing of what was declared on the way. */
static void hide_declared(struct generator *g)
{
    static struct var hidden = {.shape = HIDDEN};
    for (int i = g->entry_vars; i < g->vars; i++)
        if (g->scope[i]->shape != COUNTER)
            g->scope[i] = &hidden;
}

/* What a loop may hide that begins while an entry has no place yet: if it takes the entry in, those
 * who jump there come to its beginning in the next trip. */
struct hidden {
    int entry, count;
    struct var *scope[SCOPE_MAX];
};

static void begin_around_entry(struct generator *g, struct hidden *h)
{
    h->entry = g->entry;
    h->count = h->entry < 0 ? 0 : g->vars - g->entry_vars;
    if (!h->count)
        return;
    memcpy(h->scope, g->scope + g->entry_vars, (size_t)h->count * sizeof *h->scope);
    hide_declared(g);
}

/* It has not: all is there again. */
static void end_around_entry(struct generator *g, const struct hidden *h)
{
    if (h->count && g->entry == h->entry)
        memcpy(g->scope + g->entry_vars, h->scope, (size_t)h->count * sizeof *h->scope);
}

/* trips_of - how many a loop makes, before that is cut to few. */
static struct expr *trips_of(struct generator *g, bool uniform)
{
    return g->wants[W_PLACES] && percent(g, 40) ? expr_integer(g->p, I32, (uint64_t)below(g, 8))
                                                : generate_expr(g, I32, 1, uniform);
}

/* Without a barrier, though all threads may make the same trips. */
static void plain_loop(struct generator *g)
{
    int vars = g->vars;
    struct hidden h;
    begin_around_entry(g, &h);
    enum loop_form form =
        percent(g, 40) ? L_STRIDE : walking(g, (enum loop_form)below(g, L_ENDLESS));
    struct var *v = counter(g, g->uniform && form != L_STRIDE, form);
    struct expr *trips = trips_of(g, true);
    struct flow f = save(g);
    g->uniform = false;
    g->parted = g->parted || form == L_STRIDE;
    struct stmt *s = append_stmt(g, S_LOOP);
    s->op = form;
    s->trips = form == L_STRIDE ? stride_end(g->p) : percent(g, 60) ? 3 : 7;
    s->var = v;
    s->value[0] = trips;
    enter_scope(g, v);
    generate_inside(g, &s->body, few(g));
    g->vars = vars;
    restore(g, f);
    end_around_entry(g, &h);
}

/* generate_entry - the place where some threads jump in. */
void generate_entry(struct generator *g)
{
    append_stmt(g, S_ENTRY)->op = g->entry;
    hide_declared(g);
    g->entry = -1;
}

/* enter_by_side - some threads begin the loop at an entry, which will be somewhere in its body. */
static void enter_by_side(struct generator *g, struct stmt *loop, struct expr *who)
{
    loop->value[2] = who;
    loop->entry = g->entry = g->p->entries++;
    g->entry_vars = g->vars;
}

/* place_entry - at the end of the block, if it has found no other place. */
static void place_entry(struct generator *g, struct block *b, int entry)
{
    struct stmt **end = g->end;
    g->end = block_end(b);
    if (entry >= 0 && g->entry == entry)
        generate_entry(g);
    g->end = end;
}

void generate_divergent_loop(struct generator *g)
{
    struct flow f = save(g);
    int vars = g->vars;
    struct hidden h;
    begin_around_entry(g, &h);
    enum loop_form form = walking(g, (enum loop_form)below(g, L_STRIDE + 1));
    g->uniform = false;
    struct var *v = counter(g, false, form);
    struct expr *trips = trips_of(g, false);
    bool may_enter = g->wants[W_ENTRY] && g->entry < 0 && g->p->entries < LABELS;
    struct expr *who = may_enter && percent(g, 60) ? condition(g) : NULL;
    enter_scope(g, v);
    struct expr *extra = percent(g, 40) ? condition(g) : NULL;
    struct stmt *s = append_stmt(g, S_LOOP);
    s->op = form;
    s->trips = form == L_STRIDE ? stride_end(g->p) : percent(g, 60) ? 3 : 7;
    s->var = v;
    s->value[0] = trips;
    s->value[1] = extra;
    g->common = NULL;
    g->may_break = true;
    g->may_continue = false; /* who is told to leave stays for ever */
    if (form == L_ENDLESS)
        leaving_arm(g, &s->other, few(g));
    g->may_continue = true;
    if (who)
        enter_by_side(g, s, who);
    generate_inside(g, &s->body, 1 + below(g, 2));
    place_entry(g, &s->body, who ? s->entry : -1);
    if (percent(g, 50))
        leave_there(g, &s->body);
    generate_inside(g, &s->body, below(g, 2));
    g->vars = vars;
    restore(g, f);
    end_around_entry(g, &h);
}

/* common_trips - a block of the loop's first trips alone, in which all threads are: they enter it
 * together, behind a barrier. Later trips pass it by, so that what is shared may be behind it as
 * it was before. */
static void common_trips(struct generator *g, struct stmt *loop)
{
    struct flow f = save(g);
    enum shared_state before[SHARED_MAX];
    bool conflict = false;
    struct stmt **end = g->end, *s;
    g->end = block_end(&loop->body);
    s = append_stmt(g, S_IF);
    g->end = end;
    s->value[0] = trip(g, loop, O_LESS);
    memcpy(before, g->state, sizeof before);
    s->body.first = stmt_new(g->p, S_BARRIER);
    memset(g->state, 0, sizeof g->state);
    g->uniform = true;
    g->common = NULL;
    g->may_break = g->may_continue = false;
    g->depth++;
    generate_inside(g, &s->body, below(g, 3));
    g->depth--;
    restore(g, f);
    for (int i = 0; i < SHARED_MAX; i++)
        conflict |= before[i] != FREE && g->state[i] != FREE && g->state[i] != before[i];
    if (conflict)
        *block_end(&s->body) = stmt_new(g->p, S_BARRIER);
    for (int i = 0; i < SHARED_MAX; i++)
        if (conflict || g->state[i] == FREE)
            g->state[i] = before[i];
}

/* parting_loop - all threads make the first trips together, with barriers, and leave in later ones,
 * each in its own. */
static void parting_loop(struct generator *g, struct stmt *s)
{
    s->trips = 7;
    s->common = 1 + below(g, 3);
    g->uniform = false;
    g->common = s;
    g->may_break = g->may_continue = true;
    g->label = -1;
    generate_inside(g, &s->body, below(g, 2));
    if (percent(g, 30))
        leave_there(g, &s->body);
    common_trips(g, s);
    leave_there(g, &s->body);
    generate_inside(g, &s->body, below(g, 2));
}

static void barrier_loop(struct generator *g, struct stmt *s)
{
    bool at_end = percent(g, 50);
    struct stmt *first = stmt_new(g->p, S_BARRIER);
    s->trips = 3;
    g->may_break = g->may_continue = false;
    g->label = -1;
    if (!at_end) {
        s->body.first = first;
        memset(g->state, 0, sizeof g->state);
    }
    generate_inside(g, &s->body, few(g));
    if (at_end) {
        *block_end(&s->body) = first;
        memset(g->state, 0, sizeof g->state);
    }
}

/* barrier_loop - all threads make the same trips, with a barrier at the begin or the end; or the
 * same first trips, with one in each. */
void generate_barrier_loop(struct generator *g)
{
    struct flow f = save(g);
    enum shared_state before[SHARED_MAX];
    int vars = g->vars;
    bool parts = !g->only_uniform && percent(g, 40);
    memcpy(before, g->state, sizeof before);
    for (int i = 0; i < SHARED_MAX; i++)
        g->state[i] = OWNED; /* the trips do not depend on what the body writes */
    enum loop_form form = walking(g, (enum loop_form)below(g, 3));
    struct var *v = counter(g, !parts, form);
    struct expr *trips = percent(g, 50)
                             ? expr_integer(g->p, I32, (uint64_t)(1 + below(g, parts ? 7 : 3)))
                             : generate_expr(g, I32, 1, true);
    memcpy(g->state, before, sizeof before);
    struct stmt *s = append_stmt(g, S_LOOP);
    s->op = form;
    s->var = v;
    s->value[0] = trips;
    enter_scope(g, v);
    if (parts)
        parting_loop(g, s);
    else
        barrier_loop(g, s);
    g->vars = vars;
    restore(g, f);
    join(g, before);
}

void generate_loop(struct generator *g)
{
    if (g->uniform && !g->helper && percent(g, g->wants[W_BARRIER_LOOP] ? 60 : 10))
        generate_barrier_loop(g);
    else if (g->only_uniform)
        plain_loop(g);
    else
        generate_divergent_loop(g);
}

void generate_choice(struct generator *g)
{
    struct flow f = save(g);
    struct expr *e = generate_expr(g, percent(g, 60) ? I32 : U32, 2, false);
    struct stmt *s = append_stmt(g, S_SWITCH);
    s->value[0] = e;
    s->arms = 2 + below(g, ARMS - 1);
    int by_default = percent(g, 60) ? below(g, s->arms) : -1;
    for (int v = 0; v < SWITCH_VALUES; v++)
        if (percent(g, 80))
            s->arm[below(g, s->arms)].labels |= 1 << v;
    g->uniform = false;
    g->may_break = true;
    for (int i = 0; i < s->arms; i++) {
        struct arm *a = &s->arm[i];
        a->labels |= i == by_default ? 1 << SWITCH_VALUES : 0;
        a->falls_through = i + 1 < s->arms && percent(g, 40);
        generate_inside(g, &a->body, 1 + below(g, 2));
    }
    restore(g, f);
}

void generate_labelled(struct generator *g)
{
    if (g->p->labels == LABELS)
        return;
    struct flow f = save(g);
    struct stmt *s = append_stmt(g, S_LABEL);
    s->op = g->label = g->p->labels++;
    g->uniform = false;
    generate_inside(g, &s->body, 1 + below(g, 2));
    leave_there(g, &s->body);
    generate_inside(g, &s->body, 1 + below(g, 2));
    restore(g, f);
}

/* if_decided - the branch on what is known of each thread. */
static struct stmt *if_decided(struct generator *g, struct var *decided)
{
    struct stmt *s = append_stmt(g, S_IF);
    s->value[0] = expr_new(g->p, X_VAR, I32);
    s->value[0]->var = decided;
    return s;
}

/* generate_departure - some threads will return, which is known before: in an arm of their own, and
 * where they pass behind it, they are missed by none of the others, who may be anywhere. */
void generate_departure(struct generator *g)
{
    if (g->helper || g->p->labels == LABELS || g->vars == SCOPE_MAX)
        return;
    struct flow f = save(g);
    const int label = g->p->labels++;
    struct expr *e = condition(g);
    struct stmt *s = append_stmt(g, S_DECLARE);
    s->var = var_new(g->p, I32, COUNTER);
    s->value[0] = expr_cast(g->p, I32, e);
    enter_scope(g, s->var);
    s = if_decided(g, s->var);
    s->departs = g->departing = true;
    g->uniform = g->may_break = g->may_continue = false;
    g->common = NULL;
    generate_inside(g, &s->body, below(g, 3));
    g->departing = false;
    g->uniform = true;
    if (percent(g, 70)) {
        s->other.first = stmt_new(g->p, S_BARRIER);
        memset(g->state, 0, sizeof g->state);
    }
    generate_inside(g, &s->other, few(g));
    g->uniform = false;
    g->departing = g->passing = true;
    struct stmt *both = append_stmt(g, S_LABEL);
    both->op = g->label = label;
    generate_inside(g, &both->body, few(g));
    g->passing = false;
    g->label = -1;
    s = if_decided(g, s->value[0]->var);
    s->is_behind = percent(g, 40);
    generate_inside(g, &s->body, below(g, 2));
    *block_end(&s->body) = stmt_new(g->p, S_RETURN);
    restore(g, f);
}
