/* sort_gpu.c - the sorts of sort.c on GPUs, by blocks of 256 threads.
 *
 *     sort_row_BYTES     a row of at most PART elements, all passes
 *     sort_count_BYTES, sort_sum, sort_move_BYTES   a pass, as in sort.c
 *
 * A warp has ITEMS times 32 elements of a part that lie side by side. Its lanes find those with
 * their digit by a vote for each bit, so equal digits keep their order. The place of an element is
 * that of its digit in the part, plus the number of equal digits before it: in the warps before, in
 * its own warp before, and in the lanes below.
 *
 * shapes   as in sort.c; a part is PART elements
 * launch   256 threads; row: a block a row; sum: a block a digit; count, move: a block a part
 * source   Merrill and Grimshaw, High performance and scalable radix sorting, 2011
 */
#include "sort.h"

/* ORDER SORT: src/ops/sort.c */
enum { THREADS = 256, WARPS = THREADS / WARP_SIZE, ITEMS = 8, PART = THREADS * ITEMS };
enum { COUNTS = 4 }; /* that a thread of sort_sum adds itself */

KERNEL BLOCK(256) void sort_sum(size_t parts, void *counts, void *totals)
{
    const size_t digit = (size_t)block_idx.x;
    uint32_t *c = (uint32_t *)counts + digit * parts, before = 0;

    for (size_t first = 0; first < parts; first += COUNTS * THREADS) {
        const size_t p = first + COUNTS * (size_t)thread_idx.x;
        uint32_t own[COUNTS], count = 0;
        for (size_t k = 0; k < COUNTS; k++) {
            own[k] = p + k < parts ? c[p + k] : 0;
            count += own[k];
        }
        uint32_t place = before + block_exclusive_sum(count);
        for (size_t k = 0; k < COUNTS; k++) {
            if (p + k < parts)
                c[p + k] = place;
            place += own[k];
        }
        before += block_sum(count);
    }
    if (thread_idx.x == 0)
        ((uint32_t *)totals)[digit] = before;
}

/* The lanes among `active` ones with the same digit. */
DEVICE static uint32_t lanes_with(uint32_t digit, uint32_t active)
{
    uint32_t same = active;

    for (int b = 0; b < 8; b++) {
        const uint32_t have = ballot(digit >> b & 1);
        same &= digit >> b & 1 ? have : ~have;
    }
    return same;
}

#define T uint32_t
#define NAME(kernel) kernel##_4
#include "sort_gpu.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "sort_gpu.inc"
