/* prove.c - which accesses of a launch are in bounds, whatever its threads do.
 *
 * base/proof_abi.h has the terms of their offsets. A term's range is computed from the leaves up,
 * once for all threads. Of a loop's counter a range is guessed, and tested: it has the first value,
 * and an iteration does not lead out of it. So the counter never leaves it, by induction on the
 * iterations. However the guess came about, only the test counts.
 */
#include "run/proof/proof.h"
#include "run/proof/wrapped.h"
#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 1 << 16, DEPTH_MAX = 400, HINTS_MAX = 8, WORD_BITS = 64 };

/* What is known of a term; of a counter also what is guessed. */
struct known {
    struct lw__wrapped range, guess;
    uint64_t guesses; /* under which the range was computed; 0: none, UINT64_MAX: it was not */
    bool is_guessed;
};

struct prover {
    const struct lw__launch *launch;
    const struct lw_term *terms;
    uint32_t count;
    struct known *known;
    uint64_t guesses, last_guesses; /* of the counters in work, by a number that is used once */
    lw__wide hints[HINTS_MAX];      /* what they are compared with */
    int hint_count;
    int work, depth;
};

static struct lw__wrapped range_of(struct prover *p, uint32_t term);

static struct lw__wrapped one(unsigned bits, lw__wide number)
{
    return lw__wrapped_of(bits, number, number);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static struct lw__wrapped of_argument(const struct prover *p, const struct lw_term *term)
{
    const size_t at = (size_t)term->number, bytes = term->bits / 8;
    int64_t value = 0;
    if (at + bytes > p->launch->args_bytes)
        return lw__wrapped_all(term->bits);
    memcpy(&value, p->launch->args + at, bytes); /* the lowest byte is first */
    return one(term->bits, value);
}

static struct lw__wrapped of_place(const struct prover *p, const struct lw_term *term)
{
    const lw_dim3 block = p->launch->block, grid = p->launch->grid;
    const uint32_t sizes[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const int64_t n = term->number;
    if (n < LW_PLACE_BLOCK_DIM)
        return lw__wrapped_of(term->bits, 0, (lw__wide)sizes[n] - 1);
    if (n < LW_PLACE_LANE)
        return one(term->bits, sizes[n - LW_PLACE_BLOCK_DIM]);
    const uint64_t most = n == LW_PLACE_LANE ? LW_WARP_SIZE - 1 : (threads - 1) / LW_WARP_SIZE;
    return lw__wrapped_of(term->bits, 0, (lw__wide)most);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* The counter after an iteration in which it was one of the guess. */
static struct lw__wrapped after(struct prover *p, uint32_t term, struct lw__wrapped guess)
{
    struct known *known = &p->known[term];
    const uint64_t before = p->guesses;
    known->guess = guess;
    known->is_guessed = true;
    p->guesses = ++p->last_guesses;
    const struct lw__wrapped range = range_of(p, p->terms[term].b);
    known->is_guessed = false;
    p->guesses = before;
    return range;
}

/* What an iteration leaves of a range that is too large may be a range that holds; *found becomes
 * that if it is narrower. */
static bool try(struct prover *p, uint32_t term, struct lw__wrapped first, struct lw__wrapped large,
                struct lw__wrapped *found)
{
    const struct lw__wrapped guess = lw__wrapped_either(first, after(p, term, large));
    const bool holds = guess.high - guess.low < found->high - found->low &&
                       lw__wrapped_holds(guess, after(p, term, guess));
    if (holds)
        *found = guess;
    return holds;
}

/* From where it starts up to a number, or down to it. */
static bool try_up(struct prover *p, uint32_t term, struct lw__wrapped first, lw__wide to,
                   struct lw__wrapped *found)
{
    to = first.low + lw__wrapped_modulo(to - first.low, first.bits);
    return try(p, term, first, lw__wrapped_of(first.bits, first.low, to), found);
}

static bool try_down(struct prover *p, uint32_t term, struct lw__wrapped first, lw__wide to,
                     struct lw__wrapped *found)
{
    to = first.high - lw__wrapped_modulo(first.high - to, first.bits);
    return try(p, term, first, lw__wrapped_of(first.bits, to, first.high), found);
}

/* A loop that ends where the counter equals a number: up to that, or to the one before it. */
static void try_hints(struct prover *p, uint32_t term, struct lw__wrapped first, int from,
                      struct lw__wrapped *found)
{
    for (int i = from, count = p->hint_count; i < count; i++)
        for (int before = 0; before < 2; before++) {
            try_up(p, term, first, p->hints[i] - before, found);
            try_down(p, term, first, p->hints[i] + before, found);
        }
}

static struct lw__wrapped of_counter(struct prover *p, uint32_t term)
{
    const unsigned bits = p->terms[term].bits;
    const lw__wide half = (lw__wide)1 << (bits - 1);
    if (p->known[term].is_guessed)
        return p->known[term].guess;
    const struct lw__wrapped first = range_of(p, p->terms[term].a);
    if (lw__wrapped_is_empty(first))
        return first;
    struct lw__wrapped found = lw__wrapped_all(bits);
    const int hints = p->hint_count;
    bool holds = try(p, term, first, first, &found);
    holds |= try_up(p, term, first, half - 1, &found);
    holds |= try_up(p, term, first, 2 * half - 1, &found);
    holds |= try_down(p, term, first, -half, &found);
    holds |= try_down(p, term, first, 0, &found);
    if (!holds)
        try_hints(p, term, first, hints, &found);
    p->hint_count = hints;
    return found;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void add_hint(struct prover *p, lw__wide number)
{
    bool is_new = p->hint_count < HINTS_MAX;
    for (int i = 0; is_new && i < p->hint_count; i++)
        is_new = p->hints[i] != number;
    if (is_new)
        p->hints[p->hint_count++] = number;
}

static struct lw__wrapped of_limited(struct prover *p, const struct lw_term *term)
{
    const struct lw__wrapped a = range_of(p, term->a), b = range_of(p, term->b);
    if (term->number == LW_ORDER_NE && b.low == b.high && p->guesses)
        add_hint(p, b.low);
    return lw__wrapped_limit(a, (enum lw_term_order)term->number, b);
}

static struct lw__wrapped compute(struct prover *p, uint32_t number)
{
    const struct lw_term *term = &p->terms[number];
    switch (term->kind) {
    case LW_TERM_CONSTANT: return one(term->bits, term->number);
    case LW_TERM_ARGUMENT: return of_argument(p, term);
    case LW_TERM_PLACE: return of_place(p, term);
    case LW_TERM_SEXT:
    case LW_TERM_ZEXT:
    case LW_TERM_TRUNC:
        return lw__wrapped_resize((enum lw_term_kind)term->kind, range_of(p, term->a), term->bits);
    case LW_TERM_EITHER: return lw__wrapped_either(range_of(p, term->a), range_of(p, term->b));
    case LW_TERM_WHERE: return lw__wrapped_where(range_of(p, term->a), range_of(p, term->b));
    case LW_TERM_LIMITED: return of_limited(p, term);
    case LW_TERM_COUNTER: return of_counter(p, number);
    case LW_TERM_ANY: return lw__wrapped_all(term->bits);
    default:
        return lw__wrapped_compute((enum lw_term_kind)term->kind, range_of(p, term->a),
                                   range_of(p, term->b));
    }
}

static struct lw__wrapped range_of(struct prover *p, uint32_t term)
{
    struct known *known = &p->known[term];
    if (!known->guesses || known->guesses == p->guesses)
        return known->range;
    if (p->work == WORK_MAX || p->depth == DEPTH_MAX)
        return lw__wrapped_all(p->terms[term].bits);
    p->work++;
    p->depth++;
    const struct lw__wrapped range = compute(p, term);
    p->depth--;
    known->range = range;
    known->guesses = p->guesses;
    return range;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_within(struct prover *p, const struct lw_proof *row)
{
    const struct lw__launch *launch = p->launch;
    uint64_t pointer;
    if (row->param >= launch->object_count || !launch->objects[row->param].memory)
        return false;
    const struct lw__object *object = &launch->objects[row->param];
    memcpy(&pointer, launch->args + object->place, sizeof pointer);
    const lw__wide start = (lw__wide)pointer - (lw__wide)(uintptr_t)object->memory;
    const struct lw__wrapped range = range_of(p, row->offset);
    const struct lw__span offset = lw__wrapped_signed(range);
    return lw__wrapped_is_empty(range) ||
           (start + offset.low >= 0 && start + offset.high + row->bytes <= (lw__wide)object->bytes);
}

bool lw__prove(const struct lw__launch *launch, const struct lw_proofs *proofs,
               uint64_t proved[LW_PROOF_WORDS])
{
    const struct lw_term *terms = (const struct lw_term *)(proofs->rows + proofs->count);
    struct prover p = {.launch = launch, .terms = terms, .count = proofs->term_count};
    p.known = calloc((size_t)p.count + 1, sizeof *p.known);
    if (!p.known)
        return false;
    for (uint32_t i = 0; i < p.count; i++)
        p.known[i].guesses = UINT64_MAX;
    for (uint32_t i = 0; i < proofs->count; i++)
        if (is_within(&p, &proofs->rows[i]))
            proved[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
    free(p.known);
    return true;
}
