/* matmul.h - what the kernels of a matrix product share: the problem, and where blocks stand in it.
 *
 *     out[b][r][c] = sum over k of x[b][r][k] y[b][k][c]   (+ bias[b][r][c])
 *
 * The sum's order (docs/order.md): a chain of fma over CHAIN consecutive terms, chains merged by
 * the aligned tree. A node is `group` chains next to each other, a power of two of them; a block
 * makes one node of its elements. More than one node a sum: they go to `parts`, and matmul_merge
 * joins them.
 */
#ifndef LW_KERNELS_MATMUL_H
#define LW_KERNELS_MATMUL_H
#include "view.h"

enum { CHAIN = 1024 }; /* ORDER CHAIN: src/ops/attention.c */

/* ORDER MATMUL: src/ops/matmul_launch.c */
struct matmul {
    size_t m, n, k;      /* rows, columns, terms */
    size_t batches, b;   /* of products; b of them in the inner of the two axes of batch */
    size_t group, nodes; /* chains a node, nodes a sum */
    size_t levels;       /* of a node's tree that are kept in parts, in front of the nodes */
    size_t lines, pitch; /* rows and columns of a part: at least m and n */
    struct view x, y, out, bias;
    size_t parts; /* where parts begins, in elements */
    bool has_bias;
};

/* Which elements a block makes, of which node. */
struct spot {
    size_t column, row, batch, node; /* column and row count tiles */
};

/* Blocks are counted by columns, rows, batch, nodes. */
DEVICE static struct spot spot_of(size_t block, size_t columns, size_t rows, size_t batches)
{
    struct spot s = {block, 0, 0, 0};
    if (block < columns) /* divisions take longer than a small block's work */
        return s;
    s.column = block % columns;
    block /= columns;
    s.row = block % rows;
    block /= rows;
    s.batch = block % batches;
    s.node = block / batches;
    return s;
}

DEVICE static ptrdiff_t of_batch(const struct matmul *p, struct view v, size_t batch)
{
    return p->batches == 1 ? v.offset : view_at(v, batch / p->b, batch % p->b, 0, 0);
}

/* Where part `slot` of parts lies: first the levels of all nodes, then the nodes. */
DEVICE static size_t part_at(const struct matmul *p, size_t level, struct spot s)
{
    return p->parts + ((level * p->nodes + s.node) * p->batches + s.batch) * p->lines * p->pitch;
}
#endif
