/* top_k.c - the elements of a part of a row that a sort puts first, in the order that they have, on
 * processors. A pass for each digit of the keys, from the highest on, counts the digits of the
 * elements that may be the last one taken, until the digits above some shift tell what to take.
 *
 *     top_k_part_BYTES   the first `count` elements of each part, and their indices
 *
 * shapes   x: rows of n elements side by side, in `parts` parts that are even but for one element;
 *          out: rows x parts x count. A part has at least `count` elements
 * launch   a block a part of a row, at most a warp
 * numeric  exact; of equal keys the first are taken, so the result does not depend on the parts
 * idea     all threads make the digits of a line, as vector code, and vote which ones count; one
 *          thread counts those. After the first pass they are few
 * source   radix selection, as in Alabi et al., Fast k-selection algorithms for graphics processing
 *          units, ACM JEA 17, 2012
 */
#include "sort.h"

enum { LINE = 1024 };

/* Taken are the elements whose key >> shift is below `prefix`, and the first `need` where it is
 * `prefix`. */
struct border {
    uint64_t prefix;
    uint32_t need, shift;
};

/* Neighbours, which are often alike, have two counters: one need not wait for the other. */
DEVICE static void count_all(uint32_t (*counts)[DIGITS], const uint32_t *digits)
{
    for (int j = 0; j < WARP_SIZE; j += 2) {
        counts[0][digits[j]]++;
        counts[1][digits[j + 1]]++;
    }
}

/* The digits of a line whose bits are set; a word of bits has those of a block's threads. */
DEVICE static void count_set(uint32_t (*counts)[DIGITS], const uint32_t *digits,
                             const uint32_t *set, uint32_t line)
{
    for (uint32_t w = 0, j = 0; j < line; w++, j += (uint32_t)block_dim.x)
        if (set[w] == UINT32_MAX)
            count_all(counts, digits + j);
        else
            for (uint32_t bits = set[w]; bits; bits &= bits - 1)
                counts[0][digits[j + (uint32_t)ctz(bits)]]++;
}

/* The digit that the last element taken has. True: all elements with it are taken. */
DEVICE static bool next_digit(struct border *b, const uint32_t (*counts)[DIGITS])
{
    uint32_t digit = 0, count = counts[0][0] + counts[1][0];

    while (count < b->need) {
        b->need -= count;
        digit++;
        count = counts[0][digit] + counts[1][digit];
    }
    b->prefix = b->prefix << 8 | digit;
    return count == b->need;
}

#define T uint32_t
#define NAME(kernel) kernel##_4
#include "top_k.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "top_k.inc"
