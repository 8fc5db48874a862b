/* check.c - is a tree a program as generate.c makes them, and what is in it?
 *
 * The shrinker changes trees at will and asks here. Walking in the order of execution, with helpers
 * where they are called, it checks: names are declared, jumps have a target, block operations and
 * assignments to uniform variables are in uniform flow, and between two barriers no element of
 * block memory is both written by its thread and read by others. A loop's body is walked twice, so
 * that what one trip leaves meets what the next begins with.
 */
#include "random.h"
#include <string.h>

enum { NAMES_MAX = 800, OWNED_BIT = 1, READ_BIT = 2 };

struct walk {
    struct program *p;
    bool *found;
    const char *why;
    const struct var *scope[NAMES_MAX];
    int names;
    bool uniform, may_break, may_continue, in_arm, in_condition;
    bool departing, passing; /* generate.h */
    bool changes_cells;      /* since the last barrier */
    unsigned labels;         /* bit: inside that label's block */
    int entered[LABELS]; /* names where that entry's loop begins, 1 added; 0: it is not around */
    int loops;
    const struct stmt *common; /* the loop of which this is the body, and all make first trips */
    const struct helper *helper;
    unsigned char state[SHARED_MAX];
};

static bool fail(struct walk *w, const char *why)
{
    w->why = w->why ? w->why : why;
    return false;
}

static void declare(struct walk *w, const struct var *v)
{
    if (w->names < NAMES_MAX)
        w->scope[w->names++] = v;
    else
        fail(w, "too many names");
}

static bool in_scope(struct walk *w, const struct var *v)
{
    for (int i = w->names - 1; i >= 0; i--)
        if (w->scope[i] == v)
            return true;
    return fail(w, "a name that is not declared");
}

static void touch(struct walk *w, const struct var *v, unsigned char how)
{
    if (w->departing)
        fail(w, "block memory is shared with those who return");
    if (v->shape == POINTER) {
        for (int i = 0; i < 2; i++)
            if (v->actual[i])
                touch(w, v->actual[i], how);
        return;
    }
    w->state[v->shared_index] |= how;
    if (w->state[v->shared_index] == (OWNED_BIT | READ_BIT))
        fail(w, "block memory is written and read without a barrier between");
}

/* ---- expressions --------------------------------------------------------------------------- */

static bool is_uniform(const struct expr *e)
{
    switch (e->kind) {
    case X_VAR:
    case X_PART:
    case X_REDUCE:
    case X_FIELD:
    case X_ITEM:
    case X_BYTES:
        if (!e->var->uniform)
            return false;
        break;
    case X_ROW:
    case X_RECORD:
    case X_CELL:
    case X_OWN: return false;
    case X_PLACE: return e->op >= UNIFORM_PLACES;
    case X_TOGETHER:
        return togethers[e->op].is_block && e->op != T_block_broadcast && !togethers[e->op].scans;
    case X_WILD: return true; /* of those that are not refused */
    default: break;
    }
    for (int i = 0; i < KIDS; i++)
        if (e->kid[i] && !is_uniform(e->kid[i]))
            return false;
    return true;
}

static void meet(struct walk *w)
{
    if (w->passing)
        fail(w, "a collective where those pass who return");
}

static void found_together(struct walk *w, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    w->found[C_DIVERGENT] |= !w->uniform || w->in_arm;
    w->found[C_BLOCK_OP] |= info->is_block;
    w->found[C_BARRIER_LOOP] |= info->is_block && w->loops > 0;
    w->found[C_MOVE] |= info->moves;
    w->found[C_BORROWED] |= info->moves && !e->safe;
    w->found[C_VOTE] |= info->is_vote;
    w->found[C_USER_OPERATOR] |= info->by_user;
    w->found[C_SCAN] |= info->scans;
    w->found[C_REDUCE] |= !info->moves && !info->is_vote && !info->by_user;
    w->found[C_IN_CONDITION] |= w->in_condition;
    if (info->is_block && (!w->uniform || w->in_arm))
        fail(w, "an operation of the block in divergent flow");
    meet(w);
}

static void expression(struct walk *w, const struct expr *e);

static void kids(struct walk *w, const struct expr *e)
{
    bool outer = w->in_arm;
    for (int i = 0; i < KIDS; i++) {
        w->in_arm = outer || ((e->kind == X_LOGIC || e->kind == X_CHOOSE) && i > 0);
        expression(w, e->kid[i]);
    }
    w->in_arm = outer;
}

static void expression(struct walk *w, const struct expr *e)
{
    if (!e)
        return;
    if (e->var)
        in_scope(w, e->var);
    w->found[C_HALF] |= is_half(e->type);
    w->found[C_VECTOR] |= e->kind == X_PART || e->kind == X_REDUCE;
    w->found[C_STRUCT] |= e->kind == X_FIELD || e->kind == X_RECORD;
    w->found[C_ARRAY] |= e->kind == X_ITEM || e->kind == X_BYTES;
    if ((e->kind == X_INPUT || e->kind == X_MATRIX || e->kind == X_ROW || e->kind == X_RECORD) &&
        w->helper)
        fail(w, "a helper has no inputs");
    kids(w, e);
    if (e->kind == X_CELL && (w->changes_cells || !w->p->block_cells))
        fail(w, "a cell is read without a barrier before");
    if (e->kind == X_SHARED)
        touch(w, e->var, READ_BIT);
    if (e->kind != X_TOGETHER)
        return;
    found_together(w, e);
    if (togethers[e->op].is_block)
        memset(w->state, 0, sizeof w->state);
}

/* ---- statements ---------------------------------------------------------------------------- */

static void block(struct walk *w, const struct block *b);

/* trips_body - of a loop of which all make first trips; NULL: any other body. */
static void trips_body(struct walk *w, const struct block *b, const struct stmt *common)
{
    const struct stmt *outer = w->common;
    int names = w->names;
    w->common = common;
    block(w, b);
    w->common = outer;
    w->names = names;
}

static void body(struct walk *w, const struct block *b)
{
    trips_body(w, b, NULL);
}

/* is_trip - `i < n`, or `i >= n` with more, for the first trips of that loop or fewer, or those and
 * more. */
static bool is_trip(const struct expr *e, enum comparison op, const struct stmt *loop)
{
    if (op == O_NOT_LESS && e->kind == X_LOGIC && e->op == 0)
        e = e->kid[0];
    if (e->kind != X_COMPARE || e->op != (int)op || e->kid[0]->kind != X_VAR ||
        e->kid[0]->var != loop->var || e->kid[1]->kind != X_CONST)
        return false;
    const int64_t n = (int64_t)e->kid[1]->bits;
    return op == O_LESS ? n <= loop->common : n >= loop->common;
}

/* exits - is there a break or continue that goes to the loop or switch whose block this is? None
 * counts that is behind the loop's common trips, where one is given. */
static bool exits(const struct block *b, bool by_break, bool by_continue, const struct stmt *loop)
{
    for (const struct stmt *s = b->first; s; s = s->next) {
        bool inner = s->kind == S_LOOP;
        if ((s->kind == S_BREAK && by_break) || (s->kind == S_CONTINUE && by_continue))
            return true;
        if (inner)
            continue;
        bool is_later = loop && s->kind == S_IF && is_trip(s->value[0], O_NOT_LESS, loop);
        if ((!is_later && exits(&s->body, by_break, by_continue, loop)) ||
            exits(&s->other, by_break, by_continue, loop))
            return true;
        for (int i = 0; i < s->arms; i++)
            if (exits(&s->arm[i].body, false, by_continue, loop))
                return true;
    }
    return false;
}

static void branch(struct walk *w, const struct stmt *s)
{
    unsigned char start[SHARED_MAX], then[SHARED_MAX];
    bool outer = w->uniform, is_early = w->common && is_trip(s->value[0], O_LESS, w->common);
    bool one_arm = is_early || (outer && is_uniform(s->value[0]));
    w->uniform = one_arm;
    w->found[C_BEHIND] |= leaves_behind(s);
    w->found[C_COMMON] |= is_early;
    memcpy(start, w->state, sizeof start);
    body(w, &s->body);
    memcpy(then, w->state, sizeof then);
    if (one_arm)
        memcpy(w->state, start, sizeof start);
    w->uniform = outer && one_arm;
    body(w, &s->other);
    for (int i = 0; i < SHARED_MAX; i++)
        w->state[i] |= one_arm ? then[i] : 0;
    w->uniform = outer;
}

static void condition(struct walk *w, const struct stmt *s)
{
    bool arm = w->in_arm;
    w->in_condition = true;
    expression(w, s->value[0]);
    w->in_arm = true;
    expression(w, s->value[1]);
    w->in_arm = arm;
    w->in_condition = false;
}

/* by_side - some threads begin the loop at its entry, in one trip or the other. */
static void by_side(struct walk *w, const struct stmt *s)
{
    w->in_condition = true;
    expression(w, s->value[2]);
    w->in_condition = false;
    if (!holds_entry(s, s->entry))
        fail(w, "a jump to nowhere");
    w->entered[s->entry] = w->names + 1;
    w->found[C_ENTRY] = true;
}

/* entry - those who jump there have nothing of what was declared on the way. */
static void entry(struct walk *w, const struct stmt *s)
{
    if (!w->entered[s->op])
        fail(w, "an entry of no loop");
    for (int i = w->entered[s->op] - 1; w->entered[s->op] && i < w->names; i++)
        if (w->scope[i] && w->scope[i]->shape != COUNTER)
            w->scope[i] = NULL;
}

static void loop(struct walk *w, const struct stmt *s)
{
    struct walk outer = *w;
    if (s->value[2])
        by_side(w, s);
    bool by_all = w->uniform && !s->value[2] && s->op != L_STRIDE && is_uniform(s->value[0]) &&
                  (!s->value[1] || is_uniform(s->value[1])) && s->op != L_ENDLESS;
    bool same = by_all && !exits(&s->body, true, true, NULL);
    bool begins_same = by_all && s->common && !exits(&s->body, true, true, s);
    if (s->var->uniform && !same)
        fail(w, "the counter of a divergent loop is not uniform");
    w->uniform = same;
    w->found[C_STRIDE] |= s->op == L_STRIDE;
    w->may_break = true;
    w->loops++;
    declare(w, s->var);
    for (int pass = 0; pass < 2; pass++) {
        if (s->op != L_DO)
            condition(w, s);
        w->may_continue = false;
        body(w, &s->other);
        w->may_continue = true;
        trips_body(w, &s->body, begins_same ? s : NULL);
        if (s->op == L_DO)
            condition(w, s);
    }
    for (int i = 0; i < SHARED_MAX; i++)
        w->state[i] |= outer.state[i];
    w->names = outer.names;
    w->uniform = outer.uniform;
    w->may_break = outer.may_break;
    w->may_continue = outer.may_continue;
    if (s->value[2])
        w->entered[s->entry] = 0;
    w->loops--;
}

static void choice(struct walk *w, const struct stmt *s)
{
    bool uniform = w->uniform, may_break = w->may_break;
    w->uniform = false;
    w->may_break = true;
    w->found[C_SWITCH] = true;
    for (int i = 0; i < s->arms; i++) {
        w->found[C_FALL_THROUGH] |= s->arm[i].falls_through;
        body(w, &s->arm[i].body);
    }
    w->uniform = uniform;
    w->may_break = may_break;
}

static void gives(struct walk *w, const struct helper *h, const struct expr *e)
{
    if (is_whole(e) != h->gives || (h->gives && e->kind != X_FIELD))
        fail(w, "a helper gives something else");
}

static void helper_body(struct walk *w, const struct helper *h)
{
    bool may_break = w->may_break, may_continue = w->may_continue, uniform = w->uniform;
    int names = w->names;
    unsigned labels = w->labels;
    const struct helper *outer = w->helper;
    w->may_break = w->may_continue = false;
    w->labels = 0;
    w->helper = h;
    w->uniform = uniform && h->is_block;
    for (int i = 0; i < h->parameters; i++)
        declare(w, h->parameter[i]);
    if (h->pointer)
        declare(w, h->pointer);
    block(w, &h->body);
    expression(w, h->result);
    gives(w, h, h->result);
    w->uniform = uniform;
    w->labels = labels;
    w->helper = outer;
    w->names = names;
    w->may_break = may_break;
    w->may_continue = may_continue;
}

/* refer - a reference gets a place; block memory's only for the time of a call. */
static void refer(struct walk *w, const struct var *v, const struct expr *e, bool is_call)
{
    const struct expr *places[2];
    const int count = places_of(e, places);
    w->found[C_REFERENCE] = true;
    if (!is_place(e) || e->type != v->type || is_whole(e) != (v->shape == STRUCT))
        fail(w, "a reference to what is no such place");
    for (int i = 0; i < count && !w->why; i++)
        if (places[i]->kind == X_OWN && !is_call)
            fail(w, "a reference to block memory that lasts");
        else if (places[i]->kind == X_OWN)
            touch(w, places[i]->var, OWNED_BIT);
}

static void arguments(struct walk *w, const struct stmt *s)
{
    for (int i = 0; i < s->helper->parameters && !w->why; i++) {
        const struct var *v = s->helper->parameter[i];
        const struct expr *e = s->value[i];
        bool is_scalar = v->shape == SCALAR;
        if (v->is_reference)
            refer(w, v, e, true);
        else if (is_whole(e) == is_scalar || e->type != v->type ||
                 (v->shape == VECTOR && (e->kind != X_PART || e->var->count != v->count)) ||
                 (v->shape == STRUCT && e->kind == X_PART))
            fail(w, "an argument of another kind");
    }
}

static void call(struct walk *w, const struct stmt *s)
{
    const struct helper *h = s->helper;
    w->found[C_HELPER] = true;
    if ((s->var->shape == STRUCT) != h->gives)
        fail(w, "a variable for something else");
    if (h != w->p->helper[h->id] || (w->helper && w->helper->id <= h->id)) {
        fail(w, "a helper that is not there");
        return;
    }
    if (h->is_block && !w->uniform)
        fail(w, "a helper of the block in divergent flow");
    arguments(w, s);
    if (h->pointer && !w->why) {
        w->found[C_SHARED_HELPER] = true;
        for (int i = 0; i < 2; i++) {
            h->pointer->actual[i] = s->from[i];
            if (s->from[i])
                in_scope(w, s->from[i]);
        }
    }
    if (!w->why)
        helper_body(w, h);
}

/* copied - all of one for all of the other. */
static void copied(struct walk *w, const struct stmt *s)
{
    const struct expr *to = s->target, *from = s->value[0];
    bool is_record = from->kind == X_RECORD && to->kind == X_FIELD;
    if (!is_whole(from) || (!is_record && from->kind != to->kind) ||
        (to->kind != X_FIELD &&
         (to->var->type != from->var->type || to->var->count != from->var->count)))
        fail(w, "a copy of another kind");
}

static void leaving(struct walk *w, const struct stmt *s)
{
    if (s->kind == S_BREAK && !w->may_break)
        fail(w, "a break of nothing");
    if (s->kind == S_CONTINUE && !w->may_continue)
        fail(w, "a continue of nothing");
    if (s->kind == S_GOTO && !(w->labels >> s->op & 1))
        fail(w, "a goto to nowhere");
    if (s->kind == S_RETURN && w->helper && w->helper->is_block)
        fail(w, "a return before others' barrier");
    if (s->kind == S_RETURN && w->helper)
        gives(w, w->helper, s->value[0]);
    w->found[C_BREAK] |= s->kind == S_BREAK;
    w->found[C_CONTINUE] |= s->kind == S_CONTINUE;
    w->found[C_GOTO] |= s->kind == S_GOTO;
    w->found[C_RETURN] |= s->kind == S_RETURN;
}

static void assigned(struct walk *w, const struct stmt *s)
{
    const struct var *v = s->var;
    for (int i = 0; i < 2; i++)
        if (s->kind != S_CALL && s->from[i])
            in_scope(w, s->from[i]);
    if (s->kind != S_DECLARE)
        in_scope(w, v);
    bool is_written = !s->target || (s->target->var == v && s->target->kind != X_SHARED);
    if (v->is_parameter || (v->shape == COUNTER && s->kind != S_DECLARE) || !is_written)
        fail(w, "what cannot be assigned");
    if (v->uniform && (!w->uniform || s->kind == S_CALL || !is_uniform(s->value[0])))
        fail(w, "a uniform variable gets a value that is not");
    if (s->target && s->target->kind == X_OWN)
        touch(w, v, OWNED_BIT);
}

static void labelled(struct walk *w, const struct stmt *s)
{
    bool uniform = w->uniform;
    w->uniform = false;
    w->labels |= 1u << s->op;
    body(w, &s->body);
    w->labels &= ~(1u << s->op);
    w->uniform = uniform;
}

static void meeting_of_block(struct walk *w, const struct stmt *s)
{
    w->found[C_BARRIER_LOOP] |= w->loops > 0;
    w->found[C_TURN] |= s->kind == S_TURN;
    if (!w->uniform)
        fail(w, "a barrier in divergent flow");
    w->changes_cells = false;
    memset(w->state, 0, sizeof w->state);
}

static void statement(struct walk *w, const struct stmt *s)
{
    w->in_condition = s->kind == S_IF || s->kind == S_SWITCH;
    if (s->target)
        for (int i = 0; i < KIDS; i++)
            expression(w, s->target->kid[i]);
    for (int i = 0; i < DECLARED_MAX && s->kind != S_LOOP; i++)
        expression(w, s->value[i]);
    w->in_condition = false;
    if (s->var && s->kind != S_LOOP)
        assigned(w, s);
    switch (s->kind) {
    case S_DECLARE:
        w->found[C_HALF] |= is_half(s->var->type);
        w->found[C_VECTOR] |= s->var->shape == VECTOR;
        w->found[C_STRUCT] |= s->var->shape == STRUCT;
        w->found[C_ARRAY] |= s->var->shape == ARRAY;
        if (s->var->is_reference)
            refer(w, s->var, s->value[0], false);
        declare(w, s->var);
        break;
    case S_STORE:
        if (s->from[0])
            in_scope(w, s->from[0]);
        if (w->helper)
            fail(w, "a helper has no outputs");
        break;
    case S_ATOMIC:
        w->changes_cells = true;
        if (w->departing && w->p->block_cells)
            fail(w, "an atomic of those who return");
        /* fallthrough */
    case S_OWN_ATOMIC: w->found[C_ATOMIC] = true; break;
    case S_COPY: copied(w, s); break;
    case S_IF: branch(w, s); break;
    case S_LOOP: loop(w, s); break;
    case S_SWITCH: choice(w, s); break;
    case S_LABEL: labelled(w, s); break;
    case S_ENTRY: entry(w, s); break;
    case S_BARRIER:
    case S_TURN: meeting_of_block(w, s); break;
    case S_WARP_SYNC: meet(w); break;
    case S_EXCHANGE:
        w->found[C_EXCHANGE] = true;
        meet(w);
        touch(w, s->from[0], OWNED_BIT);
        break;
    case S_CALL: call(w, s); break;
    case S_BREAK:
    case S_CONTINUE:
    case S_GOTO:
    case S_RETURN: leaving(w, s); break;
    default: break;
    }
}

/* departure - those who stay meet without the others; nobody does where all pass. */
static const struct stmt *departure(struct walk *w, const struct stmt *s)
{
    w->found[C_DEPART] = true;
    expression(w, s->value[0]);
    w->departing = true;
    w->uniform = false;
    body(w, &s->body);
    w->departing = false;
    w->uniform = true;
    body(w, &s->other);
    w->uniform = false;
    w->departing = w->passing = true;
    statement(w, s = s->next);
    w->passing = false;
    statement(w, s = s->next);
    w->departing = false;
    w->uniform = true;
    return s;
}

static void block(struct walk *w, const struct block *b)
{
    for (const struct stmt *s = b->first; s && !w->why; s = s->next)
        if (w->uniform && is_departure(s))
            s = departure(w, s);
        else
            statement(w, s);
}

bool program_check(struct program *p, bool found[FEATURES], const char **why)
{
    struct walk w = {.p = p, .found = found, .uniform = true};
    memset(found, 0, FEATURES * sizeof *found);
    for (int i = 0; i < p->parameters; i++)
        declare(&w, p->parameter[i]);
    for (const struct stmt *s = p->tables.first; s; s = s->next)
        declare(&w, s->var);
    for (int i = 0; i < p->shareds; i++) {
        expression(&w, p->shared_start[i]);
        w.state[i] = OWNED_BIT;
    }
    for (int i = 0; i < p->shareds; i++)
        declare(&w, p->shared[i]);
    block(&w, &p->body);
    *why = w.why;
    return !w.why;
}
