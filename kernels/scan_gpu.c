/* scan_gpu.c - running sums, products, maxima and minima along rows, the last axis of a view, in
 * one pass: a leaf is read once, then waits for what the leaves before it come to.
 *
 *     scan_clear  empties the nodes; needed where rows have several leaves
 *     scan_A      the result; A is the type of accumulation
 *     scan_f32    scan_float for sums of f32 in f32
 *
 * A leaf is 32 lines of 32 elements, and a warp goes through it line by line. A node of the aligned
 * tree is published by the last of its leaves; leaf i publishes one, that of the 2^t leaves up to
 * it, t the trailing ones of i, from its own total and its nodes to the left. Leaf i needs the
 * nodes that the bits of i stand for: lane b awaits that of bit b. So no leaf waits for a later
 * one.
 *
 * shapes   out: a floating type, of int64 i64 or u64; x, out: `s`, rows of s.extent[3] elements of
 *          stride 1; nodes: rows x leaves, each of sizeof(A) / 4 words
 * launch   blocks 32 threads wide of at most 4 warps, a warp a leaf; scan_clear: any
 * sync     a word of a node is 32 bits of its value and READY; it comes whole or not at all
 * numeric  docs/order.md, scan
 * source   Hillis & Steele 1986, in a warp; the single pass after Merrill & Garland 2016
 */
#include "scan.h"

enum { WARPS_MAX = 4 };
#define READY ((uint64_t)1 << 32)

DEVICE static float load_f32(const void *x, int type, size_t i)
{
    (void)type;
    return ((const float *)x)[i];
}
DEVICE static void store_f32(void *out, int type, size_t i, float v)
{
    (void)type;
    ((float *)out)[i] = v;
}
#define combine_f32 combine_float
#define identity_f32 identity_float

KERNEL void scan_clear(void *nodes, size_t words)
{
    const size_t step = (size_t)grid_dim.x * block_dim.x * block_dim.y;

    for (size_t i = warp_index() * block_dim.x + thread_idx.x; i < words; i += step)
        ((uint64_t *)nodes)[i] = 0;
}

#define A float
#define OP SCAN_ADD
#define AT_ONCE 8
#define LOAD load_f32
#define STORE store_f32
#define NAME(kernel) kernel##_f32
#include "scan_once.inc"
#define A float
#define OP op
#define AT_ONCE 1
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "scan_once.inc"
#define A double
#define OP op
#define AT_ONCE 1
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "scan_once.inc"
#define A int64_t
#define OP op
#define AT_ONCE 1
#define LOAD load_int64
#define STORE store_whole
#define NAME(kernel) kernel##_int64
#include "scan_once.inc"
