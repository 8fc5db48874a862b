/* history.c - all accesses to a granule that a later one may race with.
 *
 * Where fences order, no summary in constant space is exact. An access may be forgotten once one of
 * the same thread's kind, or a write, is ordered after it: what comes later and races with the
 * first races with the second. Lanes of a warp that do the same at the same time share a row.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct row {
    struct lw__access access; /* thread: of the warp's first lane */
    uint32_t lanes;
};

struct lw__history {
    size_t count, capacity, kept; /* kept: rows that the last look left */
    struct row rows[];
};

static uint32_t lane_of(const struct lw__access *access)
{
    return access->thread % LW_WARP_SIZE;
}

/* The first row after the thread's last atomic write; 0: there is none. */
static size_t after_own(const struct lw__history *h, const struct lw__access *now)
{
    for (size_t i = h ? h->count : 0; i-- > 0;) {
        const struct lw__access *a = &h->rows[i].access;
        if (a->kind == LW_KIND_ATOMIC_WRITE && a->block == now->block &&
            a->thread == now->thread - lane_of(now) && h->rows[i].lanes >> lane_of(now) & 1)
            return i + 1;
    }
    return 0;
}

bool lw__history_find(struct lw__history *const *history, enum lw__kind kind,
                      const struct lw__access *now, bool coherent, lw__is_ordered *is_ordered,
                      const void *user, struct lw__access *found)
{
    const size_t first = coherent && kind & LW_KIND_ATOMIC_READ ? after_own(*history, now) : 0;
    for (size_t i = first; *history && i < (*history)->count; i++) {
        const struct row *row = &(*history)->rows[i];
        uint32_t lane = 0;
        if (row->access.kind != kind || is_ordered(user, &row->access, row->lanes, now, &lane))
            continue;
        *found = row->access;
        found->thread += lane;
        return true;
    }
    return false;
}

static bool joins(const struct row *row, const struct lw__access *now)
{
    const struct lw__access *a = &row->access;
    return a->block == now->block && a->thread == now->thread - lane_of(now) &&
           a->clock == now->clock && a->kind == now->kind && a->site == now->site;
}

bool lw__history_add(struct lw__history **history, const struct lw__access *now,
                     lw__is_ordered *is_ordered, const void *user)
{
    enum { FIRST = 4 };
    struct lw__history *h = *history;
    if (h && h->count && joins(&h->rows[h->count - 1], now)) {
        h->rows[h->count - 1].lanes |= UINT32_C(1) << lane_of(now);
        return true;
    }
    if (h && h->count >= 2 * h->kept + FIRST) {
        /* Rows that nothing later needs go. */
        size_t kept = 0;
        for (size_t i = 0; i < h->count; i++) {
            const struct row *row = &h->rows[i];
            const bool covers = now->kind == LW_KIND_WRITE || now->kind == row->access.kind;
            uint32_t lane;
            if (!covers || !is_ordered(user, &row->access, row->lanes, now, &lane))
                h->rows[kept++] = *row;
        }
        h->count = h->kept = kept;
    }
    if (!h || h->count == h->capacity) {
        const size_t capacity = h ? 2 * h->capacity : FIRST;
        struct lw__history *more = realloc(h, sizeof *more + capacity * sizeof more->rows[0]);
        if (!more)
            return false;
        if (!h)
            more->count = more->kept = 0;
        more->capacity = capacity;
        *history = h = more;
    }
    assert(h->count < h->capacity && h->kept <= h->count);
    h->rows[h->count] = (struct row){*now, UINT32_C(1) << lane_of(now)};
    h->rows[h->count++].access.thread -= lane_of(now);
    return true;
}

struct lw__history *lw__history_copy(const struct lw__history *history)
{
    const size_t bytes = sizeof *history + history->capacity * sizeof history->rows[0];
    struct lw__history *copy = malloc(bytes);
    if (copy)
        memcpy(copy, history, bytes);
    return copy;
}
