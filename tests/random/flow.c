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
    bool uniform, may_break, may_continue;
    int label;
};

static struct flow save(const struct generator *g)
{
    return (struct flow){g->uniform, g->may_break, g->may_continue, g->label};
}

static void restore(struct generator *g, struct flow f)
{
    g->uniform = f.uniform;
    g->may_break = f.may_break;
    g->may_continue = f.may_continue;
    g->label = f.label;
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
    g->together = percent(g, 25);
    struct expr *e = generate_condition(g, false);
    g->together = 0;
    return e;
}

void generate_branch(struct generator *g)
{
    struct flow f = save(g);
    enum shared_state start[SHARED_MAX], then[SHARED_MAX];
    bool uniform = g->uniform && percent(g, 35);
    struct expr *e = uniform ? generate_condition(g, true) : condition(g);
    struct stmt *s = append_stmt(g, S_IF);
    s->value[0] = e;
    g->uniform = uniform;
    memcpy(start, g->state, sizeof start);
    generate_inside(g, &s->body, few(g));
    memcpy(then, g->state, sizeof then);
    if (uniform)
        memcpy(g->state, start, sizeof start);
    if (percent(g, 50))
        generate_inside(g, &s->other, few(g));
    restore(g, f);
    if (uniform)
        join(g, then);
}

/* leave - if (condition) { something; break, continue, goto or return }. */
void generate_leave(struct generator *g)
{
    bool may_return = g->wants[W_RETURN] && !(g->helper && g->helper->is_block);
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
    struct expr *e = condition(g);
    struct stmt *s = append_stmt(g, S_IF);
    s->value[0] = e;
    g->uniform = false;
    int number = below(g, 2);
    generate_inside(g, &s->body, number);
    struct stmt **end = &s->body.first;
    while (*end)
        end = &(*end)->next;
    *end = stmt_new(g->p, kinds[below(g, count)]);
    (*end)->op = g->label;
    if ((*end)->kind == S_RETURN && g->helper)
        (*end)->value[0] = generate_expr(g, g->helper->type, 1, false);
    restore(g, f);
}

static struct var *counter(struct generator *g, bool uniform)
{
    struct var *v = var_new(g->p, I32, COUNTER);
    v->uniform = uniform;
    return v;
}

static void divergent_loop(struct generator *g)
{
    struct flow f = save(g);
    int vars = g->vars;
    enum loop_form form = (enum loop_form)below(g, 4);
    g->uniform = false;
    struct var *v = counter(g, false);
    struct expr *trips = generate_expr(g, I32, 1, false);
    enter_scope(g, v);
    struct expr *extra = percent(g, 40) ? condition(g) : NULL;
    struct stmt *s = append_stmt(g, S_LOOP);
    s->op = form;
    s->trips = percent(g, 60) ? 3 : 7;
    s->var = v;
    s->value[0] = trips;
    s->value[1] = extra;
    g->may_break = true;
    g->may_continue = false; /* who is told to leave stays for ever */
    if (form == L_ENDLESS)
        generate_inside(g, &s->other, few(g));
    g->may_continue = true;
    generate_inside(g, &s->body, few(g));
    g->vars = vars;
    restore(g, f);
}

/* barrier_loop - all threads make the same trips; a barrier stands at the begin or the end. */
void generate_barrier_loop(struct generator *g)
{
    struct flow f = save(g);
    enum shared_state before[SHARED_MAX];
    int vars = g->vars;
    memcpy(before, g->state, sizeof before);
    for (int i = 0; i < SHARED_MAX; i++)
        g->state[i] = OWNED; /* the trips do not depend on what the body writes */
    struct var *v = counter(g, true);
    struct expr *trips = percent(g, 50) ? expr_integer(g->p, I32, (uint64_t)(1 + below(g, 3)))
                                        : generate_expr(g, I32, 1, true);
    memcpy(g->state, before, sizeof before);
    struct stmt *s = append_stmt(g, S_LOOP);
    s->op = below(g, 3);
    s->trips = 3;
    s->var = v;
    s->value[0] = trips;
    enter_scope(g, v);
    g->may_break = g->may_continue = false;
    g->label = -1;
    bool at_end = percent(g, 50);
    struct stmt *first = stmt_new(g->p, S_BARRIER);
    if (!at_end) {
        s->body.first = first;
        memset(g->state, 0, sizeof g->state);
    }
    generate_inside(g, &s->body, few(g));
    struct stmt **end = &s->body.first;
    while (*end)
        end = &(*end)->next;
    if (at_end)
        *end = first, memset(g->state, 0, sizeof g->state);
    g->vars = vars;
    restore(g, f);
    join(g, before);
}

void generate_loop(struct generator *g)
{
    if (g->uniform && !g->helper && percent(g, g->wants[W_BARRIER_LOOP] ? 60 : 10))
        generate_barrier_loop(g);
    else
        divergent_loop(g);
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
    generate_inside(g, &s->body, 2 + below(g, 3));
    restore(g, f);
}
