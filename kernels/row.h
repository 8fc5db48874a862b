/* row.h - sums along rows in the order of docs/order.md, a warp a row or a leaf. Thread t is the
 * lanes t and t + 32 of a leaf; later it is leaf t of the row.
 */
#ifndef LW_KERNELS_ROW_H
#define LW_KERNELS_ROW_H
#include "view.h"

enum { LEAF = 1024, TERMS = LEAF / WARP_SIZE, ROW_LEAVES = WARP_SIZE };

/* Before a loop over the terms: GPUs keep them in registers, so no index may be left. */
#ifdef GPU
#define EACH_TERM _Pragma("unroll")
#else
#define EACH_TERM _Pragma("nounroll")
#endif

/* In a kernel: room for a leaf, and for the nodes of TREE_ADD, that GPUs do not need. */
enum { TREE_LEVELS = 48 };
#ifdef GPU
#define LEAF_ROOM(A, name) A *const name = 0
#define TREE_ROOM(T, name) T *const name = 0
#else
#define LEAF_ROOM(A, name) SHARED A name[LEAF]
#define TREE_ROOM(T, name) SHARED T name[TREE_LEVELS]
#endif

/* The terms of a leaf of n elements: an even number. */
DEVICE static int terms_of(size_t n)
{
    return (int)((n + 2 * WARP_SIZE - 1) / (2 * WARP_SIZE)) * 2;
}

/* The aligned tree over what comes one by one: nodes[b], in block memory, is the node that bit b of
 * `count` stands for. merge(a, b) has a on the left. TREE_ADD takes one more; TREE_ROOT gives the
 * root over `count`, at least one. One thread computes, which needs little code. */
#define TREE_ADD(T, nodes, count, node, merge)                                                     \
    do {                                                                                           \
        warp_sync();                                                                               \
        if (lane_id() == 0) {                                                                      \
            T node_ = (node);                                                                      \
            int bit_ = 0;                                                                          \
            for (; (count) >> bit_ & 1; bit_++)                                                    \
                node_ = merge((nodes)[bit_], node_);                                               \
            (nodes)[bit_] = node_;                                                                 \
        }                                                                                          \
        warp_sync();                                                                               \
    } while (0)
#define TREE_ROOT(T, nodes, count, root, merge)                                                    \
    do {                                                                                           \
        if (lane_id() == 0) {                                                                      \
            int bit_ = ctz((uint64_t)(count));                                                     \
            T node_ = (nodes)[bit_];                                                               \
            while ((count) >> ++bit_)                                                              \
                if ((count) >> bit_ & 1)                                                           \
                    node_ = merge((nodes)[bit_], node_);                                           \
            (nodes)[0] = node_;                                                                    \
        }                                                                                          \
        warp_sync();                                                                               \
        (root) = (nodes)[0];                                                                       \
    } while (0)

/* The row, or whatever else, that a warp is for: blocks are 32 threads wide. */
DEVICE static size_t warp_index(void)
{
    return (size_t)block_idx.x * block_dim.y + thread_idx.y;
}

/* The items, of `count`, that a warp is for: consecutive ones. */
struct span {
    size_t begin, end;
};
DEVICE static struct span warp_span(size_t count)
{
    const size_t warps = (size_t)grid_dim.x * (size_t)block_dim.y;
    const size_t each = (count + warps - 1) / warps, begin = min_size(warp_index() * each, count);
    return (struct span){begin, min_size(begin + each, count)};
}

#endif
