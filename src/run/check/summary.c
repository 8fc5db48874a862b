/* summary.c - who accessed a granule, in two words for each kind of access.
 *
 * Threads are ordered by barriers alone here, so order is a tree: two accesses by different threads
 * are ordered iff they are of one block and of different epochs of it. Where two accesses are not
 * ordered, every later thread is unordered with one of them, so the last and one other suffice:
 * one of another block, if there is any, else of another warp in the epoch, else of another lane.
 */
#include "run/check/check.h"
#include <assert.h>

static const struct lw__interval *interval_of(const struct lw__intervals *intervals, uint64_t entry)
{
    return &intervals->rows[entry >> 32];
}

static uint32_t lane_of(uint64_t entry)
{
    return entry >> LW_SITE_BITS & ((1 << LW_LANE_BITS) - 1);
}

uint64_t lw__summary_entry(uint32_t interval, uint32_t lane, uint32_t site)
{
    return (uint64_t)interval << 32 | (uint64_t)lane << LW_SITE_BITS | site;
}

/* How far two accesses are apart. */
enum distance { SAME_THREAD, ORDERED, OTHER_LANE, OTHER_WARP, OTHER_BLOCK };

static enum distance distance_of(const struct lw__intervals *intervals, uint64_t a, uint64_t b)
{
    const struct lw__interval *x = interval_of(intervals, a), *y = interval_of(intervals, b);
    if (x->block != y->block)
        return OTHER_BLOCK;
    if (x->epoch != y->epoch)
        return ORDERED;
    if (x->warp != y->warp)
        return OTHER_WARP;
    return lane_of(a) == lane_of(b) ? SAME_THREAD : OTHER_LANE;
}

uint64_t lw__summary_find(const struct lw__intervals *intervals, const struct lw__summary *summary,
                          uint64_t now)
{
    if (!summary->last || (lw__entry_is_same_thread(summary->last, now) && !summary->other))
        return 0;
    if (distance_of(intervals, summary->last, now) > ORDERED)
        return summary->last;
    if (summary->other && distance_of(intervals, summary->other, now) > ORDERED)
        return summary->other;
    return 0;
}

void lw__summary_add(const struct lw__intervals *intervals, struct lw__summary *summary,
                     uint64_t now)
{
    assert(now >> 32 && now >> 32 < intervals->count && (summary->last || !summary->other));
    if (!summary->last) {
        summary->last = now;
        return;
    }
    if (lw__entry_is_same_thread(summary->last, now))
        return;
    const enum distance last = distance_of(intervals, summary->last, now);
    const enum distance other =
        summary->other ? distance_of(intervals, summary->other, now) : ORDERED;
    if (last >= other)
        summary->other = last > ORDERED ? summary->last : 0;
    summary->last = now;
}
