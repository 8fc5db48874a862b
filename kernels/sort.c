/* sort.c - stable sorts of rows by radix, from the lowest digit of the keys on, on processors.
 *
 *     sort_short_BYTES   a row of at most SHORT elements, by insertion
 *     sort_row_BYTES     a row, all passes
 *     sort_count_BYTES   of a pass: how many elements of a part have each digit
 *     sort_sum           of a pass: replaces each part's count of a digit by the sum of the counts
 *                        of that digit in the parts before
 *     sort_move_BYTES    of a pass: each element of a part to its place in the row
 *
 * shapes   rows of n elements side by side; counts: rows x DIGITS x parts, totals: rows x DIGITS
 *          given: an index for each element, where its place in the row is not it
 * launch   short, row: a block a row; sum: a digit of a row; count, move: a part of a row.
 *          Short and sum have 1 thread, the others any number
 * numeric  exact, and stable: so the result does not depend on how a row is cut
 * idea     the digits of a line of elements are made by all threads, as vector code; one thread
 *          counts, or moves, which leaves a few instructions for each element
 * source   LSD radix sort, Knuth, The Art of Computer Programming, vol. 3, 5.2.5
 */
#include "sort.h"

enum { SHORT = 48, LINE = 1024 };

KERNEL BLOCK(1) void sort_sum(size_t parts, void *counts, void *totals)
{
    uint32_t *c = (uint32_t *)counts + (size_t)block_idx.x * parts, sum = 0;

    for (size_t p = 0; p < parts; p++) {
        const uint32_t count = c[p];
        c[p] = sum;
        sum += count;
    }
    ((uint32_t *)totals)[block_idx.x] = sum;
}

#define T uint32_t
#define NAME(kernel) kernel##_4
#include "sort.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "sort.inc"
