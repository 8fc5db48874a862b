/* scan_gpu.c - running sums, products, maxima and minima along rows, the last axis of a view, in
 * one pass: a leaf is read once, then waits for what the leaves before it come to.
 *
 *     scan_clear  empties the nodes; needed where rows have several leaves
 *     scan_A      the result; A is the type of accumulation
 *     scan_f32    scan_float for sums of f32 in f32
 *
 * A leaf is 32 lines of 32 elements, a warp's. Leaves publish their totals at once; the last of 32
 * leaves publishes the node of the aligned tree over them, the last of 32 such nodes the one over
 * these, and so on. Leaf i needs the nodes that the bits of i stand for. It combines
 * published nodes into them, five bits at a time: so few waits follow one another, and no leaf
 * waits for a later one.
 *
 * shapes   out: a floating type, of int64 i64 or u64; x, out: `s`, rows of s.extent[3] elements of
 *          stride 1; nodes: rows x tree_nodes(leaves), each of sizeof(A) / 4 words
 *          start: of exclusive ones the first result of a row, where it has one
 * launch   blocks 32 threads wide of at most 4 warps, a warp a leaf; scan_clear: any
 * sync     a word of a node is 32 bits of its value and READY; it comes whole or not at all
 * numeric  docs/order.md, scan
 * source   Hillis & Steele 1986, in a warp; the single pass after Merrill & Garland 2016
 */
#include "scan.h"

enum { WARPS_MAX = 4, FAN_BITS = 5, FAN = 1 << FAN_BITS };
#define READY ((uint64_t)1 << 32)

/* ORDER NODES: src/ops/scan.c. Of a row: leaves, 32 of them, 32 of these ... */
DEVICE static size_t tree_nodes(size_t leaves)
{
    return leaves + leaves / (FAN - 1);
}

KERNEL void scan_clear(void *nodes, size_t words)
{
    const size_t step = (size_t)grid_dim.x * block_dim.x * block_dim.y;

    for (size_t i = warp_index() * block_dim.x + thread_idx.x; i < words; i += step)
        ((uint64_t *)nodes)[i] = 0;
}

/* ---- sums of f32 in f32 ---- */

#define A float
#define NAME(kernel) kernel##_f32
#define combine_f32 combine_float
#define identity_f32 identity_float
#include "scan_before.inc"
#undef A
#undef NAME

/* A line has a bank more than elements, so that lanes that go down their lines meet at none. */
enum { LINE_ROOM = WARP_SIZE + 1, LEAF_ROOM = LINES * LINE_ROOM };

/* From or to `lines`: the leaf's n elements, side by side. */
DEVICE static void bring_lines(const float *x, size_t n, float *lines)
{
    if (n == LEAF) {
#pragma unroll
        for (int k = 0; k < LINES; k++)
            lines[k * LINE_ROOM + lane_id()] = x[k * WARP_SIZE + lane_id()];
    } else {
#pragma nounroll
        for (int k = 0; k < LINES; k++) {
            const size_t j = (size_t)k * WARP_SIZE + lane_id();
            lines[k * LINE_ROOM + lane_id()] = j < n ? x[j] : identity_f32(SCAN_ADD);
        }
    }
    warp_sync();
}

DEVICE static void store_lines(float *out, size_t n, const float *lines)
{
    warp_sync();
    if (n == LEAF) {
#pragma unroll
        for (int k = 0; k < LINES; k++)
            out[k * WARP_SIZE + lane_id()] = lines[k * LINE_ROOM + lane_id()];
    } else {
#pragma nounroll
        for (size_t j = lane_id(); j < n; j += WARP_SIZE)
            out[j] = lines[j / WARP_SIZE * LINE_ROOM + lane_id()];
    }
}

/* Loops of constant trips: so the line stays in registers. */
#define STEP(step)                                                                                 \
    _Pragma("unroll") for (int j = WARP_SIZE - 1; j >= step; j--) v[j] =                           \
        combine_f32(SCAN_ADD, v[j - step], v[j]);

/* Lane k has line k in registers, and needs nobody for the five steps of its scan: a seventh of the
 * instructions that a warp takes for a line. */
KERNEL void scan_f32(int op, bool exclusive, bool has_start, float start, struct shape s,
                     size_t count, size_t leaves, struct view from, const void *x, int xt,
                     struct view to, void *out, int ot, void *nodes)
{
    SHARED float room[WARPS_MAX][LEAF_ROOM];
    const size_t i = warp_index(), row = i / leaves, leaf = i % leaves;
    float *const lines = room[thread_idx.y], *const mine = lines + lane_id() * LINE_ROOM;
    float v[WARP_SIZE];

    (void)op, (void)has_start, (void)start, (void)xt, (void)ot;
    if (i >= count)
        return;
    const size_t n = min_size(s.extent[3] - leaf * LEAF, LEAF);
    bring_lines((const float *)x + view_row(s, from, row) + leaf * LEAF, n, lines);
#pragma unroll
    for (int j = 0; j < WARP_SIZE; j++)
        v[j] = mine[j];
    STEP(1)
    STEP(2)
    STEP(4)
    STEP(8)
    STEP(16)

    const float totals = scan_warp_f32(SCAN_ADD, v[WARP_SIZE - 1]);
    const float before = below_f32(SCAN_ADD, totals);
    const float all = warp_broadcast(totals, WARP_SIZE - 1);
    const float prefix = leaves > 1 ? before_leaf_f32(SCAN_ADD, leaf, leaves, all,
                                                      (uint64_t *)nodes + row * tree_nodes(leaves))
                                    : identity_f32(SCAN_ADD);
    float earlier = identity_f32(SCAN_ADD);
#pragma unroll
    for (int j = 0; j < WARP_SIZE; j++) {
        const float here = v[j], in_line = exclusive ? earlier : here;
        const float sum = combine_f32(SCAN_ADD, prefix, combine_f32(SCAN_ADD, before, in_line));
        mine[j] = exclusive ? sum + 0 : sum; /* the sum of nothing is +0 */
        earlier = here;
    }
    store_lines((float *)out + view_row(s, to, row) + leaf * LEAF, n, lines);
}

/* ---- all others ---- */

#define A float
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "scan_once.inc"
#define A double
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "scan_once.inc"
#define A int64_t
#define LOAD load_int64
#define STORE store_whole
#define NAME(kernel) kernel##_int64
#include "scan_once.inc"
