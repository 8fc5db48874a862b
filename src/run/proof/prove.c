/* prove.c - which accesses of a launch are in bounds, whatever its threads do.
 *
 * base/proof_abi.h has the terms. A term's range is computed from the leaves up, once for all
 * threads. Of a loop's counter a range is guessed, and tested: it has the first value, and an
 * iteration does not lead out of it. So the counter never leaves it, by induction on the
 * iterations. However the guess came about, only the test counts.
 *
 * A range that rests on a guess holds while that guess is made. Loops are nested, and so are
 * guesses: level 1 is the outermost.
 */
#include "run/proof/proof.h"
#include "run/proof/wrapped.h"
#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 1 << 16, DEPTH_MAX = 400, HINTS_MAX = 8, LEVEL_BITS = 4, WORD_BITS = 64 };
enum { LEVELS = 1 << LEVEL_BITS, OWN_TERMS = 512 };

typedef struct lw__wrapped range;

struct guess {
    uint32_t term;   /* a counter */
    uint32_t number; /* used once */
};

struct prover {
    const struct lw__launch *launch;
    const struct lw_proofs *proofs;
    const struct lw_term *terms;
    range *ranges; /* of the terms */
    /* 0: the range is not known. KNOWN: it is. Else it rests on a guess: its level, below its
     * number */
    uint32_t *rests;
    struct guess guesses[LEVELS]; /* from 1 to level */
    uint32_t level, last_guess;
    uint32_t used;             /* a bit for each level that the term in work rests on */
    uint64_t hints[HINTS_MAX]; /* what counters are compared with */
    int hint_count;
    int work, depth; /* what is left */
};

enum { KNOWN = 1 << LEVEL_BITS }; /* number 1, which no guess has, of level 0 */

static range range_of(struct prover *p, uint32_t term);

/* ---- leaves ---------------------------------------------------------------------------------- */

static range of_argument(const struct prover *p, const struct lw_term *term)
{
    const size_t at = (size_t)term->number, bytes = term->bits / 8;
    uint64_t value = 0;
    if (at + bytes > p->launch->args_bytes)
        return lw__wrapped_all(term->bits);
    memcpy(&value, p->launch->args + at, bytes); /* the lowest byte is first */
    return lw__wrapped_one(term->bits, value);
}

static range of_place(const struct prover *p, const struct lw_term *term)
{
    const lw_dim3 block = p->launch->block, grid = p->launch->grid;
    const uint32_t sizes[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
    const uint32_t threads = block.x * block.y * block.z;
    const int64_t n = term->number;
    if (n == LW_PLACE_DYNAMIC_BYTES)
        return lw__wrapped_one(term->bits, p->launch->dynamic_bytes);
    uint64_t most;
    if (n < LW_PLACE_BLOCK_DIM)
        most = sizes[n] - 1;
    else if (n < LW_PLACE_LANE)
        return lw__wrapped_one(term->bits, sizes[n - LW_PLACE_BLOCK_DIM]);
    else if (n >= LW_PLACE_GLOBAL)
        most = (uint64_t)sizes[n - LW_PLACE_GLOBAL] * sizes[n - LW_PLACE_GLOBAL + 3] - 1;
    else if (n == LW_PLACE_LINEAR)
        most = threads - 1;
    else if (n == LW_PLACE_LANE)
        most = (threads < LW_WARP_SIZE ? threads : LW_WARP_SIZE) - 1;
    else
        most = (threads - 1) / LW_WARP_SIZE;
    return lw__wrapped_of(term->bits, 0, most, 1);
}

/* Of a parameter's object: its bytes, or how far after its start the argument points. */
static range of_object(const struct prover *p, const struct lw_term *term)
{
    const struct lw__launch *launch = p->launch;
    const size_t param = (size_t)term->number;
    if (param >= launch->object_count || !launch->objects[param].memory)
        return term->kind == LW_TERM_SIZE ? lw__wrapped_one(term->bits, 0)
                                          : lw__wrapped_all(term->bits);
    const struct lw__object *object = &launch->objects[param];
    if (term->kind == LW_TERM_SIZE)
        return lw__wrapped_one(term->bits, object->bytes);
    uint64_t pointer;
    memcpy(&pointer, launch->args + object->place, sizeof pointer);
    return lw__wrapped_one(term->bits, pointer - (uint64_t)(uintptr_t)object->memory);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* The counter after an iteration in which it was one of the guess. */
static range after(struct prover *p, uint32_t term, range guess)
{
    const range known = p->ranges[term];
    const uint32_t rests = p->rests[term];
    p->guesses[++p->level] = (struct guess){term, ++p->last_guess};
    p->ranges[term] = guess;
    p->rests[term] = p->last_guess << LEVEL_BITS | p->level;
    const range found = range_of(p, p->terms[term].b);
    p->ranges[term] = known;
    p->rests[term] = rests;
    p->used &= (1u << p->level) - 1;
    p->level--;
    return found;
}

/* True if a guess is made of the counter. */
static bool is_guessed(const struct prover *p, uint32_t counter)
{
    uint32_t k = p->level;
    while (k && p->guesses[k].term != counter)
        k--;
    return k;
}

/* What an iteration leaves of a range that is too large may be a range that holds, if that is not
 * all. */
static bool try(struct prover *p, uint32_t term, range first, range large, range *found)
{
    const unsigned bits = p->terms[term].bits;
    const range guess = lw__wrapped_either(bits, first, after(p, term, large));
    const bool holds = guess.width != lw__wrapped_mask(bits) &&
                       lw__wrapped_holds(bits, guess, after(p, term, guess));
    if (holds)
        *found = guess;
    else if (large.stride > 1)
        return try(p, term, first, lw__wrapped_of(bits, large.low, large.width, 1), found);
    return holds;
}

/* From where it starts up to a number, or down to it. */
static bool try_up(struct prover *p, uint32_t term, range first, uint64_t to, uint64_t stride,
                   range *found)
{
    const unsigned bits = p->terms[term].bits;
    const uint64_t width = (to - first.low) & lw__wrapped_mask(bits);
    return try(p, term, first, lw__wrapped_of(bits, first.low, width, stride), found);
}

static bool try_down(struct prover *p, uint32_t term, range first, uint64_t to, uint64_t stride,
                     range *found)
{
    const unsigned bits = p->terms[term].bits;
    uint64_t width = (first.low + first.width - to) & lw__wrapped_mask(bits);
    width -= stride ? width % stride : 0;
    return try(p, term, first, lw__wrapped_of(bits, first.low + first.width - width, width, stride),
               found);
}

/* A loop that ends where the counter equals a number: up to that, or to the one before it. */
static bool try_hints(struct prover *p, uint32_t term, range first, uint64_t stride, int from,
                      range *found)
{
    bool holds = false;
    for (int i = from, count = p->hint_count; i < count && !holds; i++)
        for (uint64_t before = 0; before < 2 && !holds; before++)
            holds = try_up(p, term, first, p->hints[i] - before, stride, found) ||
                    try_down(p, term, first, p->hints[i] + before, stride, found);
    return holds;
}

/* The ranges to guess are those in the direction of the first iteration, then the others. */
static bool try_all(struct prover *p, uint32_t term, range first, range next, range *found)
{
    const unsigned bits = p->terms[term].bits;
    const uint64_t half = UINT64_C(1) << (bits - 1), mask = lw__wrapped_mask(bits);
    const uint64_t stride = lw__wrapped_either(bits, first, next).stride;
    const bool is_up = ((next.low - first.low) & mask) < half;
    for (int k = 0; k < 2; k++)
        if ((k == 0) == is_up ? try_up(p, term, first, half - 1, stride, found) ||
                                    try_up(p, term, first, mask, stride, found)
                              : try_down(p, term, first, half, stride, found) ||
                                    try_down(p, term, first, 0, stride, found))
            return true;
    return false;
}

static range of_times(struct prover *p, const struct lw_term *term)
{
    const unsigned from = p->terms[term->b].bits;
    const range most = lw__wrapped_one(from, lw__wrapped_mask(from));
    return lw__wrapped_holds(from, range_of(p, term->b), most)
               ? lw__wrapped_all(term->bits)
               : lw__wrapped_resize(LW_TERM_ZEXT, range_of(p, term->a), from, term->bits);
}

/* A counter after some number of iterations, at most that of b. */
static range of_counted(struct prover *p, const struct lw_term *term)
{
    enum { ITERATIONS_MAX = 64 };
    const struct lw_term *counter = &p->terms[term->a];
    const range iterations = range_of(p, term->b), whole = range_of(p, term->a);
    const uint64_t most = lw__wrapped_unsigned(64, iterations).high;
    if (lw__wrapped_is_empty(64, iterations) || most > ITERATIONS_MAX || p->level + 1 == LEVELS ||
        is_guessed(p, term->a))
        return whole;
    range found = range_of(p, counter->a);
    for (uint64_t k = 0; k < most; k++) {
        const range next = after(p, term->a, found);
        if (lw__wrapped_holds(term->bits, found, next))
            break;
        found = lw__wrapped_either(term->bits, found, next);
    }
    return found.width < whole.width ? found : whole;
}

static range of_counter(struct prover *p, uint32_t term)
{
    const unsigned bits = p->terms[term].bits;
    const range first = range_of(p, p->terms[term].a);
    range found = lw__wrapped_all(bits);
    if (lw__wrapped_is_empty(bits, first) || p->level + 1 == LEVELS)
        return lw__wrapped_is_empty(bits, first) ? first : found;
    const int hints = p->hint_count;
    const range next = after(p, term, first);
    if (lw__wrapped_holds(bits, first, next))
        found = first;
    else if (!try_all(p, term, first, next, &found))
        try_hints(p, term, first, lw__wrapped_either(bits, first, next).stride, hints, &found);
    p->hint_count = hints;
    return found;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void add_hint(struct prover *p, uint64_t number)
{
    bool is_new = p->hint_count < HINTS_MAX;
    for (int i = 0; is_new && i < p->hint_count; i++)
        is_new = p->hints[i] != number;
    if (is_new)
        p->hints[p->hint_count++] = number;
}

static range of_limited(struct prover *p, const struct lw_term *term)
{
    const range a = range_of(p, term->a), b = range_of(p, term->b);
    if (term->number == LW_ORDER_NE && !b.width && p->level)
        add_hint(p, b.low);
    return lw__wrapped_limit(term->bits, a, (enum lw_term_order)term->number, b);
}

/* Are the sums and products of which the term is made within its bits, as signed numbers? Where
 * they overflow, the code may have extended their operands instead. */
static bool is_exact(struct prover *p, uint32_t number, int depth)
{
    const struct lw_term *term = &p->terms[number];
    const enum lw_term_kind kind = (enum lw_term_kind)term->kind;
    const unsigned bits = term->bits;
    const bool is_choice = kind == LW_TERM_EITHER;
    if (!is_choice && kind != LW_TERM_ADD && kind != LW_TERM_SUBTRACT && kind != LW_TERM_MULTIPLY &&
        kind != LW_TERM_SHL)
        return true;
    if (!depth || !is_exact(p, term->a, depth - 1) || !is_exact(p, term->b, depth - 1))
        return false;
    const range a = lw__wrapped_resize(LW_TERM_SEXT, range_of(p, term->a), bits, 64),
                b = lw__wrapped_resize(LW_TERM_SEXT, range_of(p, term->b), bits, 64);
    const range wide = is_choice ? a : lw__wrapped_compute(kind, 64, a, b);
    const struct lw__signed ends = lw__wrapped_signed(64, wide);
    const int64_t most = (int64_t)(lw__wrapped_mask(bits) >> 1);
    return lw__wrapped_is_empty(64, wide) || (ends.low >= -most - 1 && ends.high <= most);
}

static range extended(struct prover *p, const struct lw_term *term)
{
    enum { DEPTH = 12 };
    return is_exact(p, term->a, DEPTH)
               ? lw__wrapped_resize((enum lw_term_kind)term->kind, range_of(p, term->a),
                                    p->terms[term->a].bits, term->bits)
               : lw__wrapped_all(term->bits);
}

static range compute(struct prover *p, uint32_t number)
{
    const struct lw_term *term = &p->terms[number];
    const unsigned bits = term->bits;
    switch (term->kind) {
    case LW_TERM_CONSTANT: return lw__wrapped_one(bits, (uint64_t)term->number);
    case LW_TERM_ARGUMENT: return of_argument(p, term);
    case LW_TERM_PLACE: return of_place(p, term);
    case LW_TERM_START:
    case LW_TERM_SIZE: return of_object(p, term);
    case LW_TERM_SEXT:
    case LW_TERM_ZEXT: return extended(p, term);
    case LW_TERM_TRUNC:
        return lw__wrapped_resize((enum lw_term_kind)term->kind, range_of(p, term->a),
                                  p->terms[term->a].bits, bits);
    case LW_TERM_EITHER:
        return lw__wrapped_either(bits, range_of(p, term->a), range_of(p, term->b));
    case LW_TERM_WHERE: {
        const bool is_never = lw__wrapped_is_empty(p->terms[term->b].bits, range_of(p, term->b));
        return is_never ? lw__wrapped_none(bits) : range_of(p, term->a);
    }
    case LW_TERM_LIMITED: return of_limited(p, term);
    case LW_TERM_DISTANCE:
        return lw__wrapped_distance(bits, range_of(p, term->a), range_of(p, term->b), term->number);
    case LW_TERM_COUNTER: return of_counter(p, number);
    case LW_TERM_COUNTED: return of_counted(p, term);
    case LW_TERM_TIMES: return of_times(p, term);
    case LW_TERM_ANY: return lw__wrapped_all(bits);
    default:
        return lw__wrapped_compute((enum lw_term_kind)term->kind, bits, range_of(p, term->a),
                                   range_of(p, term->b));
    }
}

/* True if the range of the term is at hand. What it rests on, the term in work does, too. */
static bool is_known(struct prover *p, uint32_t term)
{
    const uint32_t rests = p->rests[term], level = rests & (LEVELS - 1);
    if (rests <= KNOWN)
        return rests;
    if (level > p->level || p->guesses[level].number != rests >> LEVEL_BITS)
        return false;
    p->used |= 1u << level;
    return true;
}

static range range_of(struct prover *p, uint32_t term)
{
    if (is_known(p, term))
        return p->ranges[term];
    if (!p->work || !p->depth)
        return lw__wrapped_all(p->terms[term].bits);
    const uint32_t used = p->used;
    p->used = 0;
    p->work--;
    p->depth--;
    const range found = compute(p, term);
    p->depth++;
    const uint32_t level = p->used ? 31 - (uint32_t)__builtin_clz(p->used) : 0;
    p->ranges[term] = found;
    p->rests[term] = level ? p->guesses[level].number << LEVEL_BITS | level : KNOWN;
    p->used |= used;
    return found;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool holds(struct prover *p, const struct lw_proof *row)
{
    enum { BITS = 64 };
    const range at = range_of(p, row->at), bytes = range_of(p, row->bytes),
                size = range_of(p, row->size);
    if (lw__wrapped_is_empty(BITS, at) || lw__wrapped_is_empty(BITS, bytes))
        return true; /* no thread comes there */
    const struct lw__signed from = lw__wrapped_signed(BITS, at);
    const uint64_t most = lw__wrapped_unsigned(BITS, bytes).high;
    const uint64_t room = lw__wrapped_unsigned(BITS, size).low;
    return from.low >= 0 && most <= room && (uint64_t)from.high <= room - most;
}

struct own_memory {
    range ranges[OWN_TERMS];
    uint32_t rests[OWN_TERMS];
};

/* Of many terms they have memory of their own, which close() frees. */
static bool open(struct prover *p, struct own_memory *own, int work)
{
    const size_t count = (size_t)p->proofs->term_count + 1;
    p->terms = (const struct lw_term *)(p->proofs->rows + p->proofs->count);
    p->ranges = own->ranges;
    p->rests = own->rests;
    p->last_guess = KNOWN >> LEVEL_BITS;
    p->work = work;
    p->depth = DEPTH_MAX;
    if (count > OWN_TERMS) {
        p->ranges = malloc(count * (sizeof *p->ranges + sizeof *p->rests));
        p->rests = (uint32_t *)(p->ranges + count);
        if (!p->ranges)
            return false;
    }
    memset(p->rests, 0, count * sizeof *p->rests);
    return true;
}

static void close(struct prover *p, struct own_memory *own)
{
    if (p->ranges != own->ranges)
        free(p->ranges);
}

bool lw__prove(const struct lw__launch *launch, const struct lw_proofs *proofs,
               uint64_t proved[LW_PROOF_WORDS])
{
    struct prover p = {.launch = launch, .proofs = proofs};
    struct own_memory own;
    if (!open(&p, &own, WORK_MAX))
        return false;
    for (uint32_t i = 0; i < proofs->count; i++)
        if (holds(&p, &proofs->rows[i]))
            proved[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
    close(&p, &own);
    return true;
}

bool lw__prove_all(const struct lw__launch *launch, const struct lw_proofs *proofs)
{
    struct prover p = {.launch = launch, .proofs = proofs};
    struct own_memory own;
    bool all = !proofs->is_partial && open(&p, &own, LW_PROVE_WORK);
    if (!all)
        return false;
    for (uint32_t i = 0; i < proofs->count && all; i++)
        all = holds(&p, &proofs->rows[i]);
    close(&p, &own);
    return all;
}
