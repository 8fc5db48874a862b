/* clock.c - what is known: of a block all before an epoch, of threads all before a time.
 *
 * A clock is a tree over the bits of a key. A leaf is of a warp and has the times of its lanes, or
 * of a block and has its epoch. Nodes are never changed once made, and trees share them. So what is
 * the same in two clocks is one node in both, as a rule, and a join goes only where they differ.
 *
 * What a join makes goes on with the *line* of what it was made from: of two nodes of a line the
 * later one includes the other, which one comparison tells. So a thread that joins what has been
 * left with an address since it was last there does not look at it, however much that is.
 * source   Okasaki, Gill, "Fast mergeable integer maps", Workshop on ML (1998)
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>

/* Keys of a block: its own, then its warps' */
enum { KEYS = 64, TIMES = 2 * LW_WARP_SIZE };

struct lw__clock {
    size_t holds;
    uint64_t span, key;         /* key is one of so many keys; 1: a leaf */
    uint64_t line, number;      /* of the line; the number in it */
    bool has_next;              /* the line has gone on */
    struct lw__clock *sides[2]; /* the halves of the span; NULL in a leaf */
    uint64_t times[];           /* of a leaf: all before is known; of each lane, then of its atomic
                                 * writes; of a block one, its epoch's */
};

static uint64_t key_of_block(uint64_t block)
{
    return block * KEYS;
}

static uint64_t key_of_warp(uint64_t block, uint32_t thread)
{
    return block * KEYS + 1 + thread / LW_WARP_SIZE;
}

static size_t times_of(uint64_t key)
{
    return key % KEYS ? TIMES : 1;
}

struct lw__clock *lw__clock_hold(struct lw__clock *clock)
{
    assert(!clock || clock->holds > 0);
    if (clock)
        clock->holds++;
    return clock;
}

void lw__clock_release(struct lw__clock *clock)
{
    while (clock && --clock->holds == 0) {
        struct lw__clock *upper = clock->sides[1];
        lw__clock_release(clock->sides[0]);
        free(clock);
        clock = upper;
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct lw__clock *leaf(struct lw__clocks *clocks, uint64_t key)
{
    struct lw__clock *clock = calloc(1, sizeof *clock + times_of(key) * sizeof clock->times[0]);
    clocks->failed |= !clock;
    if (clock) {
        clock->holds = clock->span = 1;
        clock->key = key;
        clock->line = ++clocks->lines;
    }
    return clock;
}

/* The holds of both halves go to it. owns: a hold of it */
static struct lw__clock *node(struct lw__clocks *clocks, uint64_t span, struct lw__clock *lower,
                              struct lw__clock *upper)
{
    struct lw__clock *clock = lower && upper ? malloc(sizeof *clock) : NULL;
    clocks->failed |= !clock;
    assert(!clock || (lower->key < upper->key && lower->span < span && upper->span < span));
    if (!clock) {
        lw__clock_release(lower);
        lw__clock_release(upper);
        return NULL;
    }
    *clock = (struct lw__clock){.holds = 1,
                                .span = span,
                                .key = upper->key,
                                .line = ++clocks->lines,
                                .sides = {lower, upper}};
    return clock;
}

static bool is_within(const struct lw__clock *clock, uint64_t key)
{
    return ((clock->key ^ key) & -clock->span) == 0;
}

static bool is_upper(uint64_t key, uint64_t span)
{
    return key & span / 2;
}

/* What of a clock within the span is in that half of it; NULL: nothing. */
static struct lw__clock *half(struct lw__clock *clock, uint64_t span, bool upper)
{
    if (clock->span == span)
        return clock->sides[upper];
    return is_upper(clock->key, span) == upper ? clock : NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_later(const struct lw__clock *a, const struct lw__clock *b)
{
    return a->line == b->line && a->number >= b->number;
}

/* `both` includes a and b, and may be NULL: it is the next of a line whose last one of them is. */
static struct lw__clock *go_on(struct lw__clock *both, struct lw__clock *a, struct lw__clock *b)
{
    struct lw__clock *last = !a->has_next ? a : !b->has_next ? b : NULL;
    if (last && both) {
        both->line = last->line;
        both->number = last->number + 1;
        last->has_next = true;
    }
    return both;
}

/* Of two that are the same always this one, so that all come to share it. */
static struct lw__clock *elder(struct lw__clock *a, struct lw__clock *b)
{
    return a->line < b->line ? a : b;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Is a time of a above that of b; is one below? Times are less than 2^63: the sign of a difference
 * tells, of which compilers make vectors. */
static inline void compare(const uint64_t *a, const uint64_t *b, size_t count, bool *above,
                           bool *below)
{
    uint64_t a_less = 0, b_less = 0;
    for (size_t i = 0; i < count; i++) {
        a_less |= a[i] - b[i];
        b_less |= b[i] - a[i];
    }
    *below = a_less >> 63;
    *above = b_less >> 63;
}

static struct lw__clock *join_leaves(struct lw__clocks *clocks, struct lw__clock *a,
                                     struct lw__clock *b)
{
    assert(a->key == b->key && a->span == 1 && b->span == 1);
    bool above, below;
    if (times_of(a->key) == TIMES)
        compare(a->times, b->times, TIMES, &above, &below);
    else
        compare(a->times, b->times, 1, &above, &below);
    if (!above || !below)
        return lw__clock_hold(above ? a : below ? b : elder(a, b));
    struct lw__clock *both = leaf(clocks, a->key);
    for (size_t i = 0; both && i < times_of(a->key); i++)
        both->times[i] = a->times[i] > b->times[i] ? a->times[i] : b->times[i];
    return go_on(both, a, b);
}

/* Of two in one span, of which one at least has it. */
static struct lw__clock *join_halves(struct lw__clocks *clocks, uint64_t span, struct lw__clock *a,
                                     struct lw__clock *b)
{
    struct lw__clock *halves[2];
    bool is_a = true, is_b = true;
    for (int upper = 0; upper < 2; upper++) {
        struct lw__clock *of_a = half(a, span, upper), *of_b = half(b, span, upper);
        halves[upper] = lw__clock_join(clocks, of_a, of_b);
        is_a &= halves[upper] == of_a;
        is_b &= halves[upper] == of_b;
    }
    if (!is_a && !is_b)
        return go_on(node(clocks, span, halves[0], halves[1]), a, b);
    lw__clock_release(halves[0]);
    lw__clock_release(halves[1]);
    return lw__clock_hold(!is_b ? a : !is_a ? b : elder(a, b));
}

struct lw__clock *lw__clock_join(struct lw__clocks *clocks, struct lw__clock *a,
                                 struct lw__clock *b)
{
    if (!b || (a && is_later(a, b)))
        return lw__clock_hold(a);
    if (!a || is_later(b, a))
        return lw__clock_hold(b);
    const uint64_t span = a->span > b->span ? a->span : b->span, apart = a->key ^ b->key;
    if (apart & -span) {
        const bool is_first = a->key < b->key;
        return go_on(node(clocks, UINT64_C(2) << (63 - __builtin_clzll(apart)),
                          lw__clock_hold(is_first ? a : b), lw__clock_hold(is_first ? b : a)),
                     a, b);
    }
    return span == 1 ? join_leaves(clocks, a, b) : join_halves(clocks, span, a, b);
}

struct lw__clock *lw__clock_without(struct lw__clocks *clocks, struct lw__clock *clock,
                                    uint64_t block)
{
    const uint64_t key = key_of_block(block);
    if (!clock || (clock->span <= KEYS && clock->key / KEYS == block))
        return NULL;
    if (clock->span <= KEYS || !is_within(clock, key))
        return lw__clock_hold(clock);
    const bool upper = is_upper(key, clock->span);
    struct lw__clock *rest = lw__clock_without(clocks, clock->sides[upper], block);
    struct lw__clock *other = lw__clock_hold(clock->sides[!upper]);
    if (!rest)
        return other;
    return node(clocks, clock->span, upper ? other : rest, upper ? rest : other);
}

/* ---- what threads did themselves ------------------------------------------------------------- */

/* The lanes of a leaf, whose hold is taken, and their block before the epoch of this time. owns: a
 * hold of it */
static struct lw__clock *with_epoch(struct lw__clocks *clocks, uint64_t block, uint64_t time,
                                    struct lw__clock *lanes)
{
    struct lw__clock *epoch = leaf(clocks, key_of_block(block));
    if (epoch)
        epoch->times[0] = time >> 32 << 32;
    struct lw__clock *both = lw__clock_join(clocks, epoch, lanes);
    lw__clock_release(epoch);
    lw__clock_release(lanes);
    return both;
}

struct lw__clock *lw__clock_of_thread(struct lw__clocks *clocks, uint64_t block, uint32_t thread,
                                      uint64_t time, uint64_t writes)
{
    struct lw__clock *lanes = leaf(clocks, key_of_warp(block, thread));
    if (lanes) {
        lanes->times[thread % LW_WARP_SIZE] = time + 1;
        lanes->times[LW_WARP_SIZE + thread % LW_WARP_SIZE] = writes + 1;
    }
    return with_epoch(clocks, block, time, lanes);
}

struct lw__clock *lw__clock_of_warp(struct lw__clocks *clocks, uint64_t block,
                                    const struct lw__order *threads, int first, int end,
                                    const bool *active)
{
    struct lw__clock *lanes = leaf(clocks, key_of_warp(block, (uint32_t)first));
    uint64_t time = 0;
    for (int i = first; lanes && i < end; i++)
        if (active[i - first]) {
            time = threads[i].time;
            lanes->times[i - first] = time + 1;
        }
    return with_epoch(clocks, block, time, lanes);
}

/* ---- what is known --------------------------------------------------------------------------- */

static const struct lw__clock *find(const struct lw__clock *clock, uint64_t key)
{
    while (clock && clock->span > 1)
        clock = is_within(clock, key) ? clock->sides[is_upper(key, clock->span)] : NULL;
    return clock && clock->key == key ? clock : NULL;
}

bool lw__clock_knows(const struct lw__clock *clock, const struct lw__access *first, uint32_t lanes,
                     uint32_t *lane)
{
    const bool is_write = first->kind == LW_KIND_ATOMIC_WRITE;
    *lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    if (!lanes)
        return true;
    const struct lw__clock *epoch = find(clock, key_of_block(first->block));
    if (epoch && first->clock < epoch->times[0])
        return true;
    const struct lw__clock *warp = find(clock, key_of_warp(first->block, first->thread));
    for (; warp && lanes; lanes &= lanes - 1) {
        *lane = (uint32_t)__builtin_ctz(lanes);
        const uint64_t *times = &warp->times[*lane];
        if (first->clock >= times[0] && !(is_write && first->clock < times[LW_WARP_SIZE]))
            return false;
    }
    return !lanes;
}
