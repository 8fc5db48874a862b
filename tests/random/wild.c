/* wild.c - accesses that are outside of their objects, for the threads that a launch chooses.
 *
 * Some accesses of a right program get a second index. It is not another element of the object: so
 * all that a thread does before it is refused it does in the right program too, whoever else is
 * wrong. What comes out is that of the plain C if nobody is refused.
 */
#include "random.h"

/* How an index is cut to the axis. */
enum cut { NOT_CUT, BY_MASK, BY_REST };
enum { SPOTS_MAX = 2000, SITES_MAX = 5, FAR = 1 << 20 }; /* FAR: behind the end of any object */

/* An access that may become wrong. */
struct spot {
    struct expr **at;
    struct var *counter; /* of the loop around */
    int64_t count[2];    /* of elements on each axis, 0: there is none */
    enum cut cut;
    bool is_part; /* the array begins within a larger object */
    bool only_base;
};

struct search {
    struct program *p;
    struct dice d;
    struct spot spots[SPOTS_MAX];
    int spot_count;
    struct var *counter;
};

static void add(struct search *w, struct spot spot)
{
    spot.counter = w->counter;
    if (w->spot_count < SPOTS_MAX)
        w->spots[w->spot_count++] = spot;
}

static int64_t all_threads(const struct program *p)
{
    return (int64_t)program_threads(p) * program_blocks(p);
}

/* An array of block memory, which may stand in a buffer that all blocks have. */
static struct spot of_shared(const struct program *p, struct expr **at, const struct var *v)
{
    const bool is_part = v->shape == POINTER || v->place == AT_GLOBAL;
    return (struct spot){
        .at = at, .count = {is_part ? all_threads(p) : program_threads(p)}, .is_part = is_part};
}

static void take_expr(struct expr *e, void *user)
{
    struct search *w = user;
    const struct var *v = e->var;
    struct spot spot = {.at = &e->kid[WILD], .cut = BY_MASK};
    switch (e->kind) {
    case X_PART:
    case X_REDUCE: spot.count[0] = v->columns; break;
    case X_FIELD: spot.count[0] = v->count; break;
    case X_ITEM:
        if (e->kid[0])
            spot.count[0] = e->kid[1] ? v->count / v->columns : v->count;
        if (e->kid[1])
            spot.count[1] = v->columns;
        break;
    case X_BYTES: spot.count[0] = bytes_count(e); break;
    case X_INPUT: spot.count[0] = INPUTS; break;
    case X_MATRIX:
        spot.count[0] = HEIGHT;
        spot.count[1] = WIDTH;
        spot.cut = NOT_CUT;
        break;
    case X_SHARED:
        spot = of_shared(w->p, spot.at, v);
        spot.cut = spot.is_part ? NOT_CUT : BY_REST;
        break;
    case X_OWN: spot = of_shared(w->p, spot.at, v); break;
    case X_ROW:
        spot = (struct spot){spot.at, .count = {(int64_t)(4 * row_cells(w->p)) / e->op + 1}};
        spot.is_part = true; /* it may begin at the second element */
        break;
    case X_RECORD: spot = (struct spot){spot.at, .count = {(int64_t)row_cells(w->p)}}; break;
    case X_CELL: spot = (struct spot){spot.at, .count = {CELLS}}; break;
    default: break;
    }
    if (spot.count[0])
        add(w, spot);
}

static void take_stmt(struct search *w, struct stmt *s)
{
    struct spot spot = {.at = &s->value[WILD]};
    const enum type t = s->value[0] ? s->value[0]->type : I32;
    const struct var *v = s->from[0];
    if (s->kind == S_STORE && v)
        spot.count[0] = all_threads(w->p) * w->p->vectors[v->count == 4][v->type];
    else if (s->kind == S_STORE || s->kind == S_OWN_ATOMIC)
        spot.count[0] = all_threads(w->p) * w->p->slots[t];
    else if (s->kind == S_ATOMIC)
        spot.count[0] = CELLS;
    else if (s->kind == S_EXCHANGE)
        spot = of_shared(w->p, spot.at, v);
    else
        return;
    spot.only_base = s->kind == S_EXCHANGE;
    add(w, spot);
}

static void take_block(struct search *w, struct block *b)
{
    const struct visitor v = {take_expr, NULL, w};
    for (struct stmt *s = b->first; s; s = s->next) {
        struct var *outer = w->counter;
        visit_expr(s->target, &v);
        for (int i = 0; i < DECLARED_MAX; i++)
            visit_expr(s->value[i], &v);
        take_stmt(w, s);
        if (s->kind == S_LOOP)
            w->counter = s->var;
        take_block(w, &s->body);
        take_block(w, &s->other);
        for (int i = 0; i < s->arms; i++)
            take_block(w, &s->arm[i].body);
        w->counter = outer;
    }
}

static void take_program(struct search *w)
{
    const struct visitor v = {take_expr, NULL, w};
    struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++)
        visit_expr(p->shared_start[i], &v);
    for (int i = 0; i < p->helpers; i++)
        if (p->helper[i]) {
            take_block(w, &p->helper[i]->body);
            visit_expr(p->helper[i]->result, &v);
        }
    take_block(w, &p->body);
}

/* ---- what is wrong ------------------------------------------------------------------------- */

/* Amounts with which any index is outside: in place of one, where it begins at 0, or added. */
static int64_t amount(struct dice *d, int64_t count, bool is_place)
{
    const int what = dice_below(d, 10);
    const int64_t behind = count + (what < 3 ? 0 : dice_below(d, 40)),
                  far = INT64_C(1) << (int[]){20, 31, 32, 33, 40, 45}[dice_below(d, 6)];
    const int64_t number = what < 6 ? behind : far + dice_below(d, 40) + (far < 2 * FAR ? FAR : 0);
    return dice_below(d, 2) ? number : is_place && what < 3 ? -1 : -number;
}

/* The type of a constant: one that holds it, or wraps around to what is outside too. */
static enum type type_of(struct dice *d, int64_t amount)
{
    static const enum type any[] = {I32, I32, U32, I64, U64};
    const bool is_small = amount < 1 << 30 && amount > -(1 << 30);
    return is_small ? any[dice_below(d, 5)] : dice_below(d, 3) ? I64 : U64;
}

/* From a later trip of the loop on, or for some lanes. */
static struct expr *condition(struct search *w, struct var *counter)
{
    struct program *p = w->p;
    struct expr *e = NULL;
    if (counter && dice_percent(&w->d, 60)) {
        e = expr_new(p, X_COMPARE, I32);
        e->op = O_NOT_LESS;
        e->kid[0] = expr_new(p, X_VAR, I32);
        e->kid[0]->var = counter;
        e->kid[1] = expr_integer(p, I32, (uint64_t)(1 + dice_below(&w->d, 4)));
    } else if (dice_percent(&w->d, 25)) {
        e = expr_new(p, X_BINARY, I32);
        e->op = B_AND;
        e->kid[0] = expr_new(p, X_PLACE, I32);
        e->kid[0]->op = dice_below(&w->d, 2) ? P_LANE : P_THREAD;
        e->kid[1] = expr_integer(p, I32, (uint64_t)(1 + dice_below(&w->d, 37)));
    }
    return e;
}

static enum wild_form form_of(struct search *w, const struct spot *s)
{
    if (s->only_base)
        return F_BASE;
    enum wild_form form;
    do
        form = (enum wild_form)dice_below(&w->d, WILD_FORMS);
    while ((form == F_COMPLEMENT && s->is_part) || (form == F_WIDER && s->cut == NOT_CUT));
    return form;
}

static void spoil(struct search *w, const struct spot *s)
{
    struct dice *d = &w->d;
    struct expr *e = expr_new(w->p, X_WILD, I64);
    const bool has_two = s->count[1] != 0;
    e->op = (int)form_of(w, s);
    e->sub = has_two && dice_below(d, 2);
    e->index = w->p->wilds++;
    e->kid[0] = condition(w, s->counter);
    *s->at = e;
    if (e->op == F_WIDER) {
        const int more = (int)s->count[e->sub] << (1 + dice_below(d, 3));
        e->type = I32;
        e->bits = (uint64_t)(s->cut == BY_REST ? more : dice_percent(d, 50) ? more - 1 : INT32_MAX);
        return;
    }
    const bool is_flat = e->op == F_BASE || e->op == F_LATER;
    const int64_t count = has_two && is_flat ? s->count[0] * s->count[1] : s->count[e->sub];
    const bool is_place = e->op == F_CHOOSE && !s->is_part;
    e->bits = (uint64_t)amount(d, count, is_place);
    e->type = type_of(d, (int64_t)e->bits);
    e->safe = e->op != F_COMPLEMENT && dice_percent(d, 25);
}

void make_wild(struct program *p)
{
    struct search *w = program_alloc(p, sizeof *w);
    w->p = p;
    w->d.state = ~p->seed * 3;
    dice_next(&w->d);
    program_number(p);
    take_program(w);
    p->wild_blocks = dice_percent(&w->d, 25);
    for (int sites = 1 + dice_below(&w->d, SITES_MAX); sites > 0 && w->spot_count; sites--) {
        const int at = dice_below(&w->d, w->spot_count);
        spoil(w, &w->spots[at]);
        w->spots[at] = w->spots[--w->spot_count];
    }
}

/* ---- a launch ------------------------------------------------------------------------------ */

bool wild_launch(struct program *p, int number)
{
    p->fill = number % FILLS;
    const int threads = program_threads(p);
    struct dice d = {p->seed * 7 + (uint64_t)number};
    struct wild *w = &p->wild;
    *w = (struct wild){.block = -1, .last = threads};
    for (int i = 0; i < WILD_AMOUNTS; i++)
        w->by[i] = amount(&d, FAR, false);
    if (number == 0) /* nobody is wrong */
        return true;
    w->sites = dice_below(&d, 2) ? (1 << SITES_MAX) - 1 : 1 << dice_below(&d, p->wilds);
    if (dice_below(&d, 2))
        w->block = dice_below(&d, program_blocks(p));
    if (p->wild_blocks)
        return threads == 1;
    const int what = dice_below(&d, 6);
    if (what < 5)
        w->first = dice_below(&d, threads);
    if (what < 3)
        w->last = w->first + 1;
    return w->last - w->first == 1;
}
