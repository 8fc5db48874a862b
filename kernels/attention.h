/* attention.h - what the kernels of attention share: the problem, which keys a query sees, and
 * parts.
 *
 *     out[q] = sum over keys k that q sees of softmax(scale * query[q] . key[k]) value[k]
 *
 * Keys are taken in leaves of LEAF, chained within a chunk of CHUNK; chunks merge by the aligned
 * tree (docs/order.md). A node is `group` chunks next to each other, a power of two of them, and a
 * block's share of the keys; the nodes of a row meet in attention_merge.
 */
#ifndef LW_KERNELS_ATTENTION_H
#define LW_KERNELS_ATTENTION_H
#include "view.h"

enum { LEAF = 128, CHUNK = 1024, LEVELS = 8, PART_EXTRA = 2 };
enum { CHAIN = 1024, DEPTH_LEVELS = 24 }; /* of depths. ORDER CHAIN: kernels/matmul.h */

/* ORDER ATTENTION: src/ops/attention.c */
struct attention {
    size_t batches, heads, sharers;     /* heads of q; so many of them share a head of k and v */
    size_t queries, keys, depth, width; /* width: the depth of v and out */
    size_t group, nodes, levels;        /* chunks a node, nodes a row; levels that lie in parts */
    size_t parts, scores;               /* where they begin, in elements */
    struct view q, k, v, out;           /* axes: batch, head, position, depth */
    double scale;
    size_t window;            /* 0: all */
    bool causal, keeps_parts; /* keeps_parts: rows go to parts, though they have one node */
    uint32_t later;           /* keys behind these, which another call has */
};

DEVICE static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A row of out: one query of one head. Rows are counted in C order. */
struct row {
    size_t number, batch, head, query;
};

DEVICE static struct row row_of(const struct attention *p, size_t number)
{
    struct row r = {.number = number, .query = number % p->queries};
    number /= p->queries;
    r.head = number % p->heads;
    r.batch = number / p->heads;
    return r;
}

/* The keys that a query sees: begin up to end. */
struct span {
    size_t begin, end;
};

DEVICE static struct span span_of(const struct attention *p, size_t query)
{
    const ptrdiff_t keys = (ptrdiff_t)p->keys, window = (ptrdiff_t)p->window;
    const ptrdiff_t own = (ptrdiff_t)query + keys + (ptrdiff_t)p->later - (ptrdiff_t)p->queries;
    ptrdiff_t begin = window ? own - window + 1 : 0;
    ptrdiff_t end = p->causal ? own + 1 : window ? own + window : keys;

    begin = begin < 0 ? 0 : begin > keys ? keys : begin;
    end = end > keys ? keys : end;
    return (struct span){(size_t)begin, (size_t)(end < begin ? begin : end)};
}

/* The part of a row in a slot: `width` sums, then the maximum and the sum of weights. Slots are the
 * levels of all nodes, then the nodes. */
DEVICE static size_t part_of(const struct attention *p, size_t level, size_t node, size_t row)
{
    const size_t rows = p->batches * p->heads * p->queries;
    return p->parts + ((level * p->nodes + node) * rows + row) * (p->width + PART_EXTRA);
}
#endif
