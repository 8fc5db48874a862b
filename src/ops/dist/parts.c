/* parts.c - how the parts of an axis lie in the aligned tree of leaves.
 *
 * A rank holds the leaves whole that lie in its part; they make up few aligned subtrees, at most
 * two of each size. A leaf that a border of parts cuts is made by one rank, that which holds its
 * first element: others send it theirs. So every leaf has one rank, and ranks follow each other in
 * the order of leaves.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <stdlib.h>

enum { LEVELS = 64, PER_RANK = 2 * LEVELS + 1 };

lw_status lw__parts_cover(const lw_part *parts, int count)
{
    size_t next = 0;

    for (int r = 0; r < count; r++) {
        if (parts[r].global != parts[0].global)
            return lw_fail(LW_E_SHAPE, "rank %d says that the axis has %zu elements, rank 0 %zu", r,
                           parts[r].global, parts[0].global);
        if (parts[r].first != next || parts[r].count > parts[r].global - next)
            return lw_fail(LW_E_SHAPE,
                           "rank %d has elements %zu to %zu of %zu; need parts in the order of "
                           "ranks, this one from %zu on",
                           r, parts[r].first, parts[r].first + parts[r].count, parts[r].global,
                           next);
        next += parts[r].count;
    }
    if (next != parts[0].global)
        return lw_fail(LW_E_SHAPE, "the parts end at element %zu of %zu; need all of the axis",
                       next, parts[0].global);
    return LW_OK;
}

/* ---- nodes ---- */

struct listing {
    struct lw__node *nodes;
    size_t count, slot, leaves, leaf, global;
    int rank;
};

static void add(struct listing *l, size_t first, int level)
{
    const size_t begin = first * l->leaf, span = l->leaf << level;

    assert(begin < l->global && l->count < (size_t)PER_RANK * (size_t)(l->rank + 1));
    assert(!l->count || l->nodes[l->count - 1].end == begin);
    l->nodes[l->count++] =
        (struct lw__node){.rank = l->rank,
                          .level = level,
                          .leaf = first,
                          .begin = begin,
                          .end = l->global - begin < span ? l->global : begin + span,
                          .slot = l->slot++};
}

/* The leaves a up to b as the largest aligned nodes. */
static void add_leaves(struct listing *l, size_t a, size_t b)
{
    while (a < b) {
        int level = 0;

        /* a node may reach beyond the last leaf, but is no larger than it takes */
        while (!(a >> level & 1) && (size_t)1 << level < l->leaves - a &&
               (((size_t)2 << level) <= b - a || b == l->leaves))
            level++;
        add(l, a, level);
        a = (size_t)1 << level < b - a ? a + ((size_t)1 << level) : b;
    }
}

static void add_part(struct listing *l, const lw_part *part)
{
    const size_t end = part->first + part->count;
    const size_t a = lw__divide_up(part->first, l->leaf);
    const size_t b = end == l->global ? l->leaves : end / l->leaf;

    l->slot = 0;
    if (!part->count)
        return;
    if (a < b)
        add_leaves(l, a, b);
    if (end != l->global && end % l->leaf && b >= a)
        add(l, b, 0); /* it begins here and ends with a later rank */
}

/* ---- merges ---- */

struct stack {
    size_t node[LEVELS + 1], index[LEVELS + 1], round[LEVELS + 1];
    int level[LEVELS + 1];
    int top;
};

static void merge_top(lw_comm *c, struct stack *s)
{
    struct lw__merge *merges = c->merges.memory;
    const int right = s->top--, left = s->top;

    assert(s->level[left] == s->level[right] && s->index[left] + 1 == s->index[right]);
    if (s->round[left] < s->round[right])
        s->round[left] = s->round[right];
    merges[c->merge_count++] = (struct lw__merge){s->node[left], s->node[right], s->round[left]++};
    if (c->rounds < s->round[left])
        c->rounds = s->round[left];
    s->level[left]++;
    s->index[left] /= 2;
}

/* Nodes come in the order of leaves. The last one has nothing to its right. */
static void find_merges(lw_comm *c)
{
    struct stack s = {.top = -1};

    for (size_t k = 0; k < c->node_count; k++) {
        const struct lw__node *n = lw__dist_node(c, k);

        s.top++;
        s.node[s.top] = k;
        s.level[s.top] = n->level;
        s.index[s.top] = n->leaf >> n->level;
        s.round[s.top] = 0;
        while (s.index[s.top] & 1)
            merge_top(c, &s);
    }
    while (s.top > 0) {
        if (s.index[s.top] & 1) {
            merge_top(c, &s);
        } else {
            s.level[s.top]++;
            s.index[s.top] /= 2;
        }
    }
    assert(c->merge_count + 1 == c->node_count || !c->node_count);
}

lw_status lw__own_nodes(lw_comm *c, lw_part part, size_t leaf, size_t *count)
{
    struct listing l = {.leaf = leaf, .global = part.global, .rank = c->transport.rank};

    *count = 0;
    LW_TRY(lw__room(&c->nodes, PER_RANK * sizeof(struct lw__node)));
    l.nodes = c->nodes.memory;
    l.leaves = lw__divide_up(l.global, leaf);
    add_part(&l, &part);
    *count = l.count;
    return LW_OK;
}

lw_status lw__dist_nodes(lw_comm *c, size_t leaf)
{
    const size_t most = (size_t)c->transport.size * PER_RANK;
    struct listing l = {.leaf = leaf, .global = c->parts[0].global};

    LW_TRY(lw__room(&c->nodes, most * sizeof(struct lw__node)));
    LW_TRY(lw__room(&c->merges, most * sizeof(struct lw__merge)));
    l.nodes = c->nodes.memory;
    l.leaves = lw__divide_up(l.global, leaf);
    for (l.rank = 0; l.rank < c->transport.size; l.rank++)
        add_part(&l, &c->parts[l.rank]);
    assert(!l.global == !l.count && (!l.count || l.nodes[l.count - 1].end == l.global));
    c->node_count = l.count;
    c->merge_count = c->rounds = 0;
    find_merges(c);
    return LW_OK;
}
