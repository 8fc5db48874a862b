/* expression.c - random expressions of a wanted type; without effects, so that their order is
 * nobody's business, and uniform where all threads of the block must agree. */
#include "generate.h"
#include "language.h"
#include <math.h>
#include <string.h>

static int below(struct generator *g, int n)
{
    return dice_below(&g->d, n);
}

static bool percent(struct generator *g, int n)
{
    return dice_percent(&g->d, n);
}

enum type any_type(struct generator *g)
{
    return percent(g, 85)     ? g->palette[below(g, PALETTE)]
           : g->wants[W_HALF] ? (enum type)below(g, TYPES)
                              : (enum type)below(g, BOOL + 1);
}

enum type integer_type(struct generator *g)
{
    static const enum type wide[] = {I32, U32, I64, U64, I32};
    return wide[below(g, 5)];
}

/* find_var - a variable of this shape in scope; type NO_TYPE: any. */
struct var *find_var(struct generator *g, enum shape shape, enum type type, bool uniform)
{
    struct var *found = NULL;
    int count = 0;
    for (int i = 0; i < g->vars; i++) {
        struct var *v = g->scope[i];
        if (v->shape == shape && (type == NO_TYPE || v->type == type) && (!uniform || v->uniform) &&
            below(g, ++count) == 0)
            found = v;
    }
    return found;
}

struct expr *generate_constant(struct generator *g, enum type type)
{
    static const int64_t odd[] = {0, 1, -1, 2, 7, 31, 32, 127, 128, 255, 256, 1000, -100, 65535};
    static const double real[] = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 0.1, 2049.0, 1e10, -7.25};
    uint64_t bits = (uint64_t)odd[below(g, 14)];
    bits = percent(g, 25) ? dice_next(&g->d) : percent(g, 10) ? (uint64_t)1 << below(g, 64) : bits;
    struct expr *e = expr_new(g->p, X_CONST, type);
    int width = types[type].bits;
    if (is_float(type))
        e->real = percent(g, 3) ? INFINITY : percent(g, 3) ? NAN : real[below(g, 10)];
    else if (is_signed(type)) /* the least one is no literal */
        e->bits = (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
    else
        e->bits = bits << (64 - width) >> (64 - width);
    if (is_signed(type) && (int64_t)e->bits == -((int64_t)1 << (width - 2)) * 2)
        e->bits = 1;
    return e;
}

/* ---- leaves -------------------------------------------------------------------------------- */

static struct expr *of_var(struct generator *g, enum expr_kind kind, struct var *v)
{
    struct expr *e = expr_new(g->p, kind, v->type);
    e->var = v;
    return e;
}

static struct expr *of_two(struct generator *g, enum type type, enum binary op, struct expr *a,
                           struct expr *b)
{
    struct expr *e = expr_new(g->p, X_BINARY, type == U32 ? U32 : I32);
    e->op = op;
    e->kid[0] = expr_cast(g->p, type, a);
    e->kid[1] = expr_cast(g->p, type, b);
    return e;
}

static struct expr *of_place(struct generator *g, enum place place)
{
    struct expr *e = expr_new(g->p, X_PLACE, I32);
    e->op = place;
    return e;
}

/* bits_of_row - of threads in a row, whose first has low bits that a compiler knows: some bits of
 * each one's number. Sums of numbers of 32 bits with a sign would be of halves (binary_guard). */
static struct expr *bits_of_row(struct generator *g)
{
    static const uint8_t masks[] = {1, 3, 5, 7, 12, 31, 32, 48, 63, 64, 127, 255};
    static const enum binary ops[] = {B_AND, B_AND, B_OR, B_XOR, B_SHR};
    static const short blocks[] = {16, 32, 64, 96, 256, 320};
    const enum type type = percent(g, 50) ? U32 : I16;
    struct expr *e = of_place(g, percent(g, 70) ? P_THREAD : P_LANE);
    if (percent(g, 30))
        e = of_two(g, type, B_MUL, e, expr_integer(g->p, I32, 2 + (uint64_t)below(g, 3)));
    if (percent(g, 70)) {
        struct expr *threads = expr_integer(g->p, I32, (uint64_t)blocks[below(g, 6)]);
        e = of_two(g, type, B_ADD, of_two(g, type, B_MUL, of_place(g, P_BLOCK_X), threads), e);
    }
    if (percent(g, 30))
        e = of_two(g, type, B_ADD, e, expr_integer(g->p, I32, (uint64_t)below(g, 41)));
    for (int more = 1 + percent(g, 30); more--;) {
        enum binary op = ops[below(g, 5)];
        uint64_t by = op == B_SHR ? 1 + (uint64_t)below(g, 7) : masks[below(g, 12)];
        e = of_two(g, type, op, e, expr_integer(g->p, I32, by));
    }
    return e;
}

/* Mostly the thread's own, so that threads differ. */
static struct expr *index_expr(struct generator *g, int depth, bool uniform)
{
    if (!uniform && percent(g, 10))
        return bits_of_row(g);
    if (!uniform && percent(g, depth > 0 ? 50 : 90)) {
        struct expr *e = expr_new(g->p, X_PLACE, I32);
        e->op = percent(g, 70) ? P_THREAD : P_LANE;
        return e;
    }
    return generate_expr(g, percent(g, 70) ? I32 : U32, depth > 0 ? depth - 1 : 0, uniform);
}

/* bytes_type - as which an array may be read and written, too: its elements or smaller ones. */
static enum type bytes_type(struct generator *g, const struct var *v)
{
    static const enum type all[] = {U8, I8, U16, I16, U32, U64};
    enum type t = all[below(g, 6)];
    return types[t].bits <= types[v->type].bits ? t : U8;
}

static struct expr *item(struct generator *g, struct var *v, int depth, bool uniform)
{
    struct expr *e = of_var(g, X_ITEM, v);
    bool is_whole_number = !is_float(v->type) && v->type != BOOL;
    if (g->wants[W_REFERENCE] && is_whole_number && !v->columns && percent(g, 30)) {
        e->kind = X_BYTES;
        e->type = bytes_type(g, v);
    }
    e->kid[0] = index_expr(g, depth, uniform);
    e->kid[1] = v->columns ? index_expr(g, depth, uniform) : NULL;
    return e;
}

static struct expr *part(struct generator *g, struct var *v, int depth, bool uniform)
{
    if (v->shape == ARRAY)
        return item(g, v, depth, uniform);
    struct expr *e = of_var(g, v->shape == VECTOR ? X_PART : X_FIELD, v);
    e->kid[0] = array_of(v) ? index_expr(g, depth, uniform) : NULL;
    if (v->shape == VECTOR) {
        e->index = below(g, v->count);
    } else {
        e->index = below(g, FIELDS);
        int count = v->structure->field[e->index].count;
        e->type = v->structure->field[e->index].type;
        e->sub = count ? below(g, count) : 0;
    }
    return e;
}

/* generate_part - some element of a vector, an array or a struct. */
struct expr *generate_part(struct generator *g, struct var *v)
{
    return part(g, v, 1, false);
}

static struct expr *of_aggregate(struct generator *g, enum type type, int depth, bool uniform)
{
    static const enum shape shapes[] = {VECTOR, ARRAY, STRUCT};
    enum shape shape = shapes[below(g, 3)];
    bool any = shape == STRUCT || percent(g, 40);
    struct var *v = find_var(g, shape, any ? NO_TYPE : type, uniform);
    struct expr *e = v ? part(g, v, depth, uniform) : NULL;
    if (e && e->kind == X_PART && percent(g, 40) && !g->p->language->lacks.reductions) {
        e->kind = X_REDUCE;
        e->op = is_float(v->type) ? R_MAX + below(g, 2) : below(g, REDUCTIONS);
    }
    return e;
}

/* Elements of block memory: one's own always, others' while nobody writes. */
static struct expr *of_shared(struct generator *g, enum type type, int depth, bool uniform)
{
    struct var *v = find_var(g, g->helper ? POINTER : SHARED, type, false);
    if (!v || g->departing)
        return NULL;
    bool others =
        g->helper ? !g->helper->writes && !g->helper->is_block : g->state[v->shared_index] != OWNED;
    if (g->helper && g->helper->is_block)
        return NULL;
    if (!others)
        return uniform ? NULL : of_var(g, X_OWN, v);
    if (!g->helper)
        g->state[v->shared_index] = READABLE;
    struct expr *e = of_var(g, X_SHARED, v);
    e->kid[0] = index_expr(g, depth, uniform);
    return e;
}

/* What the compiler knows of each lane of its own, where it knows the block: numbers of threads and
 * constants about as great. */
static struct expr *place_leaf(struct generator *g, enum type type, bool uniform)
{
    struct expr *e = expr_integer(g->p, I32, (uint64_t)(below(g, 8) ? below(g, 40) : -below(g, 9)));
    if (percent(g, uniform ? 20 : 65)) {
        e = expr_new(g->p, X_PLACE, I32);
        e->op = uniform ? P_BLOCK_DIM_X : below(g, P_GLOBAL_X);
    }
    return expr_cast(g->p, type, e);
}

/* A variable, a place or a constant: may as well be computed where nobody asks for it. */
static struct expr *plain_leaf(struct generator *g, enum type type, bool uniform)
{
    if (g->by_place)
        return place_leaf(g, type, uniform);
    struct var *v = find_var(g, SCALAR, percent(g, 60) ? type : NO_TYPE, uniform);
    struct expr *e = v && percent(g, 60) ? of_var(g, X_VAR, v) : NULL;
    if (!e && percent(g, 50)) {
        e = expr_new(g->p, X_PLACE, I32);
        e->op = uniform ? UNIFORM_PLACES + below(g, PLACES - UNIFORM_PLACES) : below(g, PLACES);
    }
    return expr_cast(g->p, type, e ? e : generate_constant(g, type));
}

/* random.h, X_ROW. */
static struct expr *cell(struct generator *g, enum expr_kind kind, enum type type)
{
    struct expr *e = expr_new(g->p, kind, type);
    e->index = below(g, 7) - 3;
    e->safe = percent(g, 30);
    e->bits = e->safe ? (uint64_t)below(g, 4) : 0;
    return e;
}

struct expr *generate_record(struct generator *g, int field)
{
    const struct structure *s = &g->p->structure;
    struct expr *e = cell(g, X_RECORD, field < 0 ? I32 : s->field[field].type);
    e->op = field;
    e->sub = field >= 0 && s->field[field].count ? below(g, s->field[field].count) : 0;
    return e;
}

static struct expr *row(struct generator *g, enum type type, int depth)
{
    if (g->wants[W_STRUCT] && percent(g, 40))
        return generate_record(g, below(g, FIELDS));
    struct expr *e = cell(g, X_ROW, type);
    e->op = type == BOOL || percent(g, 40) ? 1 : 2 << below(g, 2);
    e->op = g->p->language->lacks.long_halves && is_half(type) && e->op > 2 ? 2 : e->op;
    e->sub = below(g, e->op);
    if (e->op == 1 && depth > 0 && percent(g, 40))
        e->kid[0] = generate_expr(g, any_type(g), depth - 1, false);
    return e;
}

static struct expr *leaf(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = NULL;
    struct var *v;
    if (g->by_place && percent(g, 90))
        return place_leaf(g, type, uniform);
    switch (below(g, 11)) {
    case 0:
    case 1:
    case 2:
    case 10:
        v = find_var(g, SCALAR, type, uniform);
        v = v ? v : find_var(g, SCALAR, NO_TYPE, uniform);
        e = v ? of_var(g, X_VAR, v) : NULL;
        break;
    case 3:
        v = find_var(g, COUNTER, NO_TYPE, uniform);
        e = v ? of_var(g, X_VAR, v) : NULL;
        break;
    case 4:
    case 5: e = of_aggregate(g, type, depth, uniform); break;
    case 6: e = of_shared(g, type, depth, uniform); break;
    case 7:
        e = expr_new(g->p, X_PLACE, I32);
        e->op = uniform ? UNIFORM_PLACES + below(g, PLACES - UNIFORM_PLACES) : below(g, PLACES);
        break;
    case 8: break;
    default: return generate_constant(g, type);
    }
    if (!e && !g->helper && !uniform && g->wants[W_ROW] && percent(g, 60))
        e = row(g, type, g->only_uniform ? 0 : depth);
    if (!e && !g->helper && percent(g, 75)) {
        bool is_matrix = g->wants[W_MATRIX] && percent(g, 40);
        e = expr_new(g->p, is_matrix ? X_MATRIX : X_INPUT, type);
        e->kid[0] = index_expr(g, depth, uniform);
        e->kid[1] = is_matrix ? index_expr(g, depth, uniform) : NULL;
    }
    if (!e && !uniform && percent(g, 60)) {
        e = expr_new(g->p, X_PLACE, I32);
        e->op = below(g, 2) ? P_LANE : P_THREAD;
    }
    return expr_cast(g->p, type, e ? e : generate_constant(g, type));
}

/* ---- operators ----------------------------------------------------------------------------- */

/* Another type that leaves `type` the common one of the two. */
static enum type partner_type(struct generator *g, enum type type)
{
    for (int i = 0; i < 8; i++) {
        enum type other = any_type(g);
        if (common(type, other) == type)
            return other;
    }
    return type;
}

static struct expr *binary(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_BINARY, type);
    e->op = is_float(type) ? below(g, B_DIV + 1) : below(g, BINARIES);
    if (e->op == B_SHL && is_signed(type))
        e->op = B_SHR;
    enum type first = type, second = partner_type(g, type);
    if (e->op == B_SHL || e->op == B_SHR)
        second = percent(g, 50) ? I32 : U8;
    else if (percent(g, 50))
        first = second, second = type;
    e->kid[0] = generate_expr(g, first, depth - 1, uniform);
    e->kid[1] = generate_expr(g, second, depth - 1, uniform);
    return e;
}

static struct expr *compare(struct generator *g, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_COMPARE, I32);
    enum type a = g->by_place && percent(g, 60) ? I32 : any_type(g);
    enum type b = percent(g, 50) ? a : any_type(g);
    e->op = below(g, COMPARISONS);
    e->kid[0] = generate_expr(g, a, depth - 1, uniform);
    e->kid[1] = generate_expr(g, b, depth - 1, uniform);
    return e;
}

static struct expr *logic(struct generator *g, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_LOGIC, I32);
    bool plain = g->plain;
    e->op = below(g, 2);
    e->kid[0] = generate_condition(g, uniform);
    g->plain = plain || (g->only_uniform && !uniform);
    e->kid[1] = depth > 1 ? compare(g, depth - 1, uniform) : generate_condition(g, uniform);
    g->plain = plain;
    return e;
}

static struct expr *unary(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_UNARY, type);
    e->op = is_float(type) ? U_MINUS : below(g, 2);
    e->kid[0] = generate_expr(g, type, depth - 1, uniform);
    return e;
}

static struct expr *choose(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_CHOOSE, type);
    bool plain = g->plain, by_place = g->by_place;
    g->by_place |= g->wants[W_PLACES] && percent(g, 30);
    e->kid[0] = generate_condition(g, uniform);
    g->plain = plain || (g->only_uniform && !uniform);
    e->kid[1] = generate_expr(g, type, depth - 1, uniform);
    e->kid[2] = generate_expr(g, partner_type(g, type), depth - 1, uniform);
    g->plain = plain;
    g->by_place = by_place;
    return e;
}

static struct expr *maths(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_MATHS, type);
    do
        e->op = below(g, MATHS);
    while (g->only_uniform && e->op >= MATHS_TWO && e->op < MATHS_LOOPS);
    int kids = e->op == MATHS_THREE ? 3 : e->op >= MATHS_TWO ? 2 : 1;
    bool half = type == F32 && kids == 1 && g->wants[W_HALF] && percent(g, 30);
    for (int i = 0; i < kids; i++)
        e->kid[i] = generate_expr(g, half ? F16 : type, depth - 1, uniform);
    return e;
}

static struct expr *bit_count(struct generator *g, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_BITS, I32);
    enum type type = any_type(g);
    e->op = below(g, BIT_COUNTS);
    e->kid[0] = generate_expr(g, is_float(type) ? U32 : type, depth - 1, uniform);
    return e;
}

/* Operands of any whole numbers' types, in which bool is none. */
static struct expr *overflow(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_OVERFLOW, type);
    e->op = below(g, OVERFLOWS);
    for (int i = 0; i < 2; i++) {
        enum type own = percent(g, 50) ? type : any_type(g);
        own = is_float(own) || own == BOOL ? type : own;
        e->kid[i] = generate_expr(g, own, depth - 1, uniform);
    }
    return e;
}

static struct expr *whole(struct generator *g, enum type type, int depth, bool uniform)
{
    struct expr *e = expr_new(g->p, X_WHOLE, type);
    e->op = below(g, WHOLES);
    int kids = e->op >= W_THREE ? 3 : e->op >= W_TWO ? 2 : 1;
    for (int i = 0; i < kids; i++)
        e->kid[i] = generate_expr(g, i && e->op == W_ROTATE ? I32 : type, depth - 1, uniform);
    return e;
}

static struct expr *exponent(struct generator *g, enum exponent op, enum type type, int depth,
                             bool uniform)
{
    struct expr *e = expr_new(g->p, X_EXPONENT, op == E_OF ? I32 : type);
    e->op = op;
    e->kid[0] = generate_expr(g, type, depth - 1, uniform);
    if (op == E_LDEXP || op == E_POWI)
        e->kid[1] = generate_expr(g, I32, depth - 1, uniform);
    return e;
}

/* A whole number that `type` can take by way of C's own conversion. */
static struct expr *from_another(struct generator *g, enum type type, int depth, bool uniform)
{
    int what = below(g, 6);
    if (what == 0)
        return expr_cast(g->p, type, compare(g, depth, uniform));
    if (what == 1)
        return expr_cast(g->p, type, logic(g, depth, uniform));
    if (what == 2 && percent(g, 25))
        return expr_cast(g->p, type, exponent(g, E_OF, percent(g, 60) ? F32 : F64, depth, uniform));
    if (what == 2)
        return expr_cast(g->p, type, bit_count(g, depth, uniform));
    return expr_cast(g->p, type, generate_expr(g, any_type(g), depth - 1, uniform));
}

struct expr *generate_expr(struct generator *g, enum type type, int depth, bool uniform)
{
    if (g->plain)
        return plain_leaf(g, type, uniform);
    if (g->together > 0 && !uniform && percent(g, 25)) {
        g->together--;
        return expr_cast(g->p, type, generate_together(g, false, false));
    }
    int what = below(g, 10);
    if (depth <= 0 || what < 2)
        return leaf(g, type, depth, uniform);
    if (what == 2)
        return from_another(g, type, depth, uniform);
    if (promoted(type) != type)
        return what < 6 ? from_another(g, type, depth, uniform) : leaf(g, type, depth, uniform);
    if (what == 3)
        return unary(g, type, depth, uniform);
    if (what == 4)
        return choose(g, type, depth, uniform);
    if (what == 5 && (type == F32 || type == F64) && percent(g, 25) && !g->only_uniform) {
        enum exponent op = (enum exponent)below(g, g->p->language->lacks.powers ? E_POWI : E_OF);
        return exponent(g, op, type, depth, uniform);
    }
    if (what == 5 && (type == F32 || type == F64))
        return maths(g, type, depth, uniform);
    if (what == 5 && !is_float(type) && !g->p->language->lacks.overflow && percent(g, 30))
        return overflow(g, type, depth, uniform);
    if (what == 5 && !is_float(type) && percent(g, 40))
        return whole(g, type, depth, uniform);
    return binary(g, type, depth, uniform);
}

static struct expr *any_condition(struct generator *g, bool uniform)
{
    int what = below(g, 10);
    if (what < 6)
        return compare(g, 2, uniform);
    if (what == 6 && !uniform && percent(g, 50))
        return bits_of_row(g);
    if (what < 8) { /* a pattern over the lanes */
        struct expr *e = expr_new(g->p, X_BINARY, I32);
        e->op = B_AND;
        e->kid[0] = expr_new(g->p, X_PLACE, I32);
        e->kid[0]->op = uniform ? P_BLOCK_X : below(g, 2) ? P_LANE : P_THREAD;
        e->kid[1] = expr_integer(g->p, I32, (uint64_t)(1 + below(g, 37)));
        return e;
    }
    return what == 8 ? logic(g, 2, uniform) : generate_expr(g, any_type(g), 1, uniform);
}

struct expr *generate_condition(struct generator *g, bool uniform)
{
    bool by_place = g->by_place;
    g->by_place |= g->wants[W_PLACES] && percent(g, 60);
    struct expr *e = any_condition(g, uniform);
    g->by_place = by_place;
    return e;
}

/* ---- together ------------------------------------------------------------------------------ */

/* may_meet - may threads do something together here? */
bool may_meet(const struct generator *g)
{
    return (!g->only_uniform || !g->parted) && !g->passing;
}

static struct expr *reduce_by_user(struct generator *g, struct expr *e)
{
    e->index = below(g, USER_OPERATORS);
    e->type = user_operators[e->index].type;
    if (e->type == F32 && g->wants[W_HALF] && percent(g, 50))
        e->type = percent(g, 50) ? F16 : BF16;
    e->kid[0] = generate_expr(g, e->type, 2, false);
    return e;
}

static struct expr *move(struct generator *g, struct expr *e)
{
    e->safe = !g->wants[W_BORROW];
    e->type = any_type(g);
    int kept = g->together;
    g->together = e->safe ? 0 : kept; /* the arguments are written twice then */
    g->plain = e->safe && g->only_uniform;
    e->kid[0] = generate_expr(g, e->type, e->safe ? 0 : 2, false);
    g->plain = false;
    struct expr *number = generate_expr(g, I32, 1, false);
    if (percent(g, 70)) {
        struct expr *within = expr_new(g->p, X_BINARY, I32);
        within->op = B_AND;
        within->kid[0] = number;
        within->kid[1] = expr_integer(g->p, I32, (uint64_t)(percent(g, 50) ? 31 : 3));
        number = within;
    }
    e->kid[1] = number;
    g->together = kept;
    return e;
}

/* A number of each thread's own, of a type whose sums and products show their order. */
static enum type ordered_type(struct generator *g)
{
    enum type half = percent(g, 50) ? F16 : BF16;
    return g->wants[W_HALF] && percent(g, 40) ? half : percent(g, 60) ? F32 : F64;
}

static struct expr *own_input(struct generator *g, enum type type)
{
    struct expr *e = expr_new(g->p, X_INPUT, type);
    e->kid[0] = expr_new(g->p, X_PLACE, I32);
    e->kid[0]->op = P_THREAD;
    return e;
}

/* generate_together - an operation of the warp or the block; uniform: with one result for all. */
struct expr *generate_together(struct generator *g, bool is_block, bool uniform)
{
    struct expr *e = expr_new(g->p, X_TOGETHER, I32);
    bool computes = percent(g, 30), (*has)(enum together op) = g->p->language->has_collective;
    const struct together_info *info;
    do {
        e->op = below(g, TOGETHERS);
        info = &togethers[e->op];
    } while ((computes && (info->moves || info->is_vote)) || info->is_block != is_block ||
             info->takes_nothing || (has && !has((enum together)e->op)) ||
             (e->op == T_block_broadcast && (!g->wants[W_BORROW] || uniform)) ||
             (uniform && info->scans));
    if (info->moves)
        return move(g, e);
    if (info->by_user)
        return reduce_by_user(g, e);
    if (info->is_vote) {
        e->type = info->result;
        e->kid[0] =
            percent(g, 30) ? generate_expr(g, any_type(g), 1, false) : generate_condition(g, false);
        return e;
    }
    bool by_order = !g->helper && percent(g, 50);
    enum type type = by_order ? ordered_type(g) : any_type(g);
    if (info->takes_integers && is_float(type))
        type = integer_type(g);
    e->type = promoted(type);
    e->kid[0] = by_order ? own_input(g, type) : generate_expr(g, type, 2, false);
    return e;
}
