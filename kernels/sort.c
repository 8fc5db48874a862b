/* sort.c - stable sorts of rows by radix, from the lowest digit of the keys on, on processors.
 *
 *     sort_short_BYTES   a row of at most SHORT elements, by insertion
 *     sort_row_BYTES     a row, all passes
 *     sort_count_BYTES   of a pass: how many elements of half a part have each digit
 *     sort_sum           of a pass: replaces each half's count of a digit by the sum of the counts
 *                        of that digit in the halves before
 *     sort_move_BYTES    of a pass: each element of a part to its place in the row
 *
 * shapes   rows of n elements side by side; counts: rows x halves x DIGITS, totals: rows x
 *          DIGITS. A part has PART_BYTES, the last one of a row at most; its halves are counted
 *          given: an index for each element, where its place in the row is not it
 * launch   short, row: a block a row; count, move: a part of a row; sum: a thread a digit of a
 *          row. Short has 1 thread, the others any number
 * numeric  exact, and stable: so the result does not depend on how a row is cut
 * idea     keys, or digits, of a line of elements are made by all threads, as vector code; one
 *          thread counts, or moves, which leaves a few instructions for each element. Where each
 *          element of a row has a key of its own, the passes move keys. In a long row each digit's
 *          place is in another page: so the elements of a part are sorted in memory of the block,
 *          and go to their places by runs. Neighbours, which are often alike, would wait for each
 *          other: so the halves of a part are sorted side by side
 * source   LSD radix sort, Knuth, The Art of Computer Programming, vol. 3, 5.2.5
 */
#include "sort.h"

/* ORDER SORT: src/ops/sort.c, src/ops/sorting.h */
enum { SHORT = 48, LINE = 1024, PART_BYTES = 32768 };

KERNEL void sort_sum(size_t parts, void *counts, void *totals)
{
    const size_t i = global_idx.x, row = i / DIGITS;
    uint32_t *c = (uint32_t *)counts + row * parts * DIGITS + i % DIGITS, sum = 0;

    for (size_t p = 0; p < parts; p++) {
        const uint32_t count = c[p * DIGITS];
        c[p * DIGITS] = sum;
        sum += count;
    }
    ((uint32_t *)totals)[i] = sum;
}

/* Of part p of a row: place[d], where its elements with digit d begin in the row; ends[h][d], where
 * those of half h begin among the part's own, sorted by digit. */
DEVICE static void find_places(const uint32_t *counts, const uint32_t *totals, size_t halves,
                               size_t p, uint32_t *place, uint32_t (*ends)[DIGITS])
{
    const uint32_t *here = counts + 2 * p * DIGITS;
    const uint32_t *second = 2 * p + 1 < halves ? here + DIGITS : totals;
    const uint32_t *next = 2 * p + 2 < halves ? here + 2 * DIGITS : totals;
    uint32_t before = 0, own = 0;

    for (int d = 0; d < DIGITS; d++) {
        place[d] = before + here[d];
        ends[0][d] = own;
        ends[1][d] = own + second[d] - here[d];
        before += totals[d];
        own += next[d] - here[d];
    }
}

#define T uint32_t
#define NAME(kernel) kernel##_4
#include "sort.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "sort.inc"
