/* place.c - the offset of each temporary in the memory that all of them share.
 *
 * The temporaries that are alive at one time take some bytes; the maximum over time is the least
 * that any plan takes. The first attempt uses exactly so much memory. It places the temporaries in
 * the order of their first use, each in the smallest gap that it fits. A gap at the end of the
 * memory is filled from the end. In a chain at most two temporaries are alive at a time; they are
 * at the two ends, so this always succeeds.
 *
 * If the attempt fails, the same with unbounded memory succeeds. Another plan places the largest
 * temporaries first, each at the lowest free offset. This is often better, but compares all pairs
 * that are alive together. It is tried if the pairs are not too many.
 */
#include "ops/graph.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_ALIGN = 64, PAIRS_PER_TENSOR = 32 };

struct gap {
    size_t begin, end;
};

struct placing {
    struct lw__graph_tensor **order, **by_end; /* by first use, by last use */
    struct gap *gaps;                          /* by offset, none of them empty */
    size_t count, gap_count;
    uint64_t *looks;
};

static size_t room(const struct lw__graph_tensor *t)
{
    return (t->bytes + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN;
}

/* ---- gaps ---- */

static void take_gap(struct placing *p, size_t at, size_t begin, size_t bytes)
{
    struct gap *g = &p->gaps[at];

    assert(at < p->gap_count && (begin == g->begin || begin + bytes == g->end));
    if (begin == g->begin)
        g->begin += bytes;
    else
        g->end -= bytes;
    if (g->begin == g->end)
        memmove(g, g + 1, (--p->gap_count - at) * sizeof *g);
}

/* Together with the gaps that it touches. */
static void give_back(struct placing *p, size_t begin, size_t end)
{
    size_t low = 0, high = p->gap_count;

    if (begin == end)
        return;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        ++*p->looks;
        if (p->gaps[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && p->gaps[low - 1].end == begin)
        begin = p->gaps[--low].begin;
    else
        memmove(&p->gaps[low + 1], &p->gaps[low], (p->gap_count++ - low) * sizeof *p->gaps);
    p->gaps[low] = (struct gap){begin, end};
    assert(!low || p->gaps[low - 1].end < begin);
    assert(low + 1 == p->gap_count || end <= p->gaps[low + 1].begin);
    if (low + 1 < p->gap_count && p->gaps[low + 1].begin == end) {
        p->gaps[low].end = p->gaps[low + 1].end;
        memmove(&p->gaps[low + 1], &p->gaps[low + 2], (--p->gap_count - low - 1) * sizeof *p->gaps);
    }
}

/* The smallest that has room; gap_count: none. */
static size_t choose_gap(const struct placing *p, size_t bytes)
{
    size_t best = p->gap_count, best_bytes = SIZE_MAX;

    for (size_t k = 0; k < p->gap_count; k++) {
        const size_t there = p->gaps[k].end - p->gaps[k].begin;

        ++*p->looks;
        if (there < bytes || there >= best_bytes)
            continue;
        best = k;
        best_bytes = there;
    }
    return best;
}

/* ---- in the order of first use ---- */

static int by_last(const void *a, const void *b)
{
    const struct lw__graph_tensor *x = *(struct lw__graph_tensor *const *)a;
    const struct lw__graph_tensor *y = *(struct lw__graph_tensor *const *)b;

    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* False: it takes more than `memory` bytes. */
static bool place_in_order(struct placing *p, size_t memory)
{
    size_t ended = 0;

    p->gaps[0] = (struct gap){0, memory};
    p->gap_count = memory ? 1 : 0;
    for (size_t k = 0; k < p->count; k++) {
        struct lw__graph_tensor *t = p->order[k];
        const size_t bytes = room(t);

        assert(t->first <= t->last && (!k || p->order[k - 1]->first <= t->first));
        for (; p->by_end[ended]->last < t->first; ended++) {
            const struct lw__graph_tensor *old = p->by_end[ended];

            give_back(p, old->offset, old->offset + room(old));
        }
        t->offset = 0;
        if (!bytes)
            continue;
        size_t at = choose_gap(p, bytes);
        if (at == p->gap_count)
            return false;
        t->offset = p->gaps[at].begin && p->gaps[at].end == memory && memory != SIZE_MAX
                        ? memory - bytes
                        : p->gaps[at].begin;
        assert(t->offset % PLACE_ALIGN == 0);
        take_gap(p, at, t->offset, bytes);
    }
    return true;
}

/* The most bytes that are alive at a time; *pairs: how many are alive together, at most. */
static size_t most_alive(const struct placing *p, uint64_t *pairs)
{
    size_t alive = 0, most = 0, ended = 0;

    *pairs = 0;
    for (size_t k = 0; k < p->count; k++) {
        for (; p->by_end[ended]->last < p->order[k]->first; ended++)
            alive -= room(p->by_end[ended]);
        assert(ended <= k);
        alive += room(p->order[k]);
        *pairs += k - ended;
        most = alive > most ? alive : most;
    }
    return most;
}

/* ---- the largest first ---- */

/* The pairs that are alive together: k with who[begin[k]] to who[begin[k + 1] - 1]. */
struct pairs {
    size_t *who, *begin;
    size_t *sorted;              /* numbers, the largest tensor first */
    struct gap *taken;           /* by the pairs of one tensor */
    struct lw__graph_tensor **t; /* by number */
};

static bool make_pairs(struct pairs *pairs, const struct placing *p, uint64_t count)
{
    pairs->t = p->order;
    pairs->begin = calloc(p->count + 2, sizeof *pairs->begin);
    pairs->who = malloc((2 * count + 1) * sizeof *pairs->who);
    pairs->sorted = malloc((p->count + 1) * sizeof *pairs->sorted);
    pairs->taken = malloc((p->count + 1) * sizeof *pairs->taken);
    return pairs->begin && pairs->who && pairs->sorted && pairs->taken;
}

static void free_pairs(struct pairs *pairs)
{
    free(pairs->begin);
    free(pairs->who);
    free(pairs->sorted);
    free(pairs->taken);
}

/* Each pair once; `sorted` serves as the list of those that are alive. */
static void each_pair(const struct placing *p, struct pairs *pairs,
                      void (*visit)(struct pairs *pairs, size_t a, size_t b))
{
    size_t alive = 0;

    for (size_t k = 0; k < p->count; k++) {
        size_t left = 0;

        for (size_t i = 0; i < alive; i++) {
            const size_t other = pairs->sorted[i];

            ++*p->looks;
            if (p->order[other]->last < p->order[k]->first)
                continue;
            visit(pairs, k, other);
            pairs->sorted[left++] = other;
        }
        pairs->sorted[left++] = k;
        alive = left;
    }
}

/* To where the next one begins, two numbers on. */
static void count_pair(struct pairs *pairs, size_t a, size_t b)
{
    pairs->begin[a + 2]++;
    pairs->begin[b + 2]++;
}

static void note_pair(struct pairs *pairs, size_t a, size_t b)
{
    pairs->who[pairs->begin[a + 1]++] = b;
    pairs->who[pairs->begin[b + 1]++] = a;
}

static int by_size(const void *a, const void *b, void *tensors)
{
    struct lw__graph_tensor *const *t = tensors;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (t[x]->bytes != t[y]->bytes)
        return t[x]->bytes < t[y]->bytes ? 1 : -1;
    return x < y ? -1 : x > y;
}

static int by_begin(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* At the lowest offset that no pair of it, as far as they are placed, takes. */
static void place_low(struct placing *p, struct pairs *pairs, size_t k)
{
    struct lw__graph_tensor *t = pairs->t[k];
    size_t count = 0;

    for (size_t i = pairs->begin[k]; i < pairs->begin[k + 1]; i++) {
        const struct lw__graph_tensor *other = pairs->t[pairs->who[i]];

        ++*p->looks;
        if (other->offset != SIZE_MAX)
            pairs->taken[count++] = (struct gap){other->offset, other->offset + room(other)};
    }
    assert(t->offset == SIZE_MAX); /* it has no place yet */
    qsort(pairs->taken, count, sizeof *pairs->taken, by_begin);
    t->offset = 0;
    for (size_t i = 0; i < count && pairs->taken[i].begin < t->offset + room(t); i++)
        if (pairs->taken[i].end > t->offset)
            t->offset = pairs->taken[i].end;
}

/* False: memory is short. */
static bool place_largest_first(struct placing *p, uint64_t count)
{
    struct pairs pairs = {0};
    const bool is_made = make_pairs(&pairs, p, count);

    if (is_made) {
        each_pair(p, &pairs, count_pair);
        for (size_t k = 2; k <= p->count; k++)
            pairs.begin[k] += pairs.begin[k - 1];
        each_pair(p, &pairs, note_pair);
        assert(pairs.begin[p->count] == 2 * count); /* all that most_alive counted */
        for (size_t k = 0; k < p->count; k++) {
            pairs.sorted[k] = k;
            p->order[k]->offset = SIZE_MAX;
        }
        qsort_r(pairs.sorted, p->count, sizeof *pairs.sorted, by_size, p->order);
        for (size_t k = 0; k < p->count; k++)
            place_low(p, &pairs, pairs.sorted[k]);
    }
    free_pairs(&pairs);
    return is_made;
}

/* ---- the best ---- */

static size_t end_of(const struct placing *p)
{
    size_t end = 0;

    for (size_t k = 0; k < p->count; k++)
        if (p->order[k]->offset + p->order[k]->bytes > end)
            end = p->order[k]->offset + p->order[k]->bytes;
    return end;
}

/* False: memory is short. */
static bool place(struct placing *p)
{
    memcpy(p->by_end, p->order, p->count * sizeof *p->order);
    qsort(p->by_end, p->count, sizeof *p->by_end, by_last);
    uint64_t pairs;
    const size_t least = most_alive(p, &pairs);
    if (place_in_order(p, least)) {
        assert(end_of(p) <= least);
        return true;
    }
    size_t end;
    if (pairs <= p->count * PAIRS_PER_TENSOR) {
        if (!place_largest_first(p, pairs))
            return false;
        end = end_of(p);
        if (!place_in_order(p, SIZE_MAX) || end_of(p) > end)
            return place_largest_first(p, pairs);
        return true;
    }
    return place_in_order(p, SIZE_MAX);
}

bool lw__place_all(struct lw__graph_tensor **order, size_t count, uint64_t *looks)
{
    struct placing p = {.order = order, .count = count, .looks = looks};

    p.by_end = malloc((count + 1) * sizeof *p.by_end);
    p.gaps = malloc((count + 2) * sizeof *p.gaps);
    bool is_placed = p.by_end && p.gaps && place(&p);
    free(p.by_end);
    free(p.gaps);
    return is_placed;
}
