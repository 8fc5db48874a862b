/* sort.h - the order of elements as that of integers, for sort.c and sort_gpu.c.
 *
 * An element is taken as an integer of 4 or 8 bytes, its bits. Its key is another integer, whose
 * order is that of sorting. Elements are moved as they are, and the key is made anew where it is
 * needed: -0 and +0 have one key, as have all NaNs, but not one value.
 */
#ifndef LW_KERNELS_SORT_H
#define LW_KERNELS_SORT_H
#include "view.h"

enum { DIGITS = 256 }; /* of one pass: 8 bits of the key */

/* What differs between dtypes of one size. ORDER SORT_KEYS: src/ops/sorting.h */
struct keys {
    uint64_t sign;      /* the highest bit of an element */
    uint64_t negative;  /* what is flipped in elements with that bit */
    uint64_t positive;  /* and in those without */
    uint64_t zero;      /* an element that counts as 0: of floats -0 */
    uint64_t magnitude; /* the bits without the sign */
    uint64_t infinity;  /* a larger magnitude is a NaN; of integers there is none */
    uint64_t nan;       /* a NaN's key */
    uint64_t flip;      /* all bits where the order is falling */
};

/* What a pass moves along with the elements: their indices, of 32 bits between passes. */
struct carried {
    size_t has_index; /* indices are carried */
    size_t is_first;  /* no pass before has made them: they are the places */
    size_t is_wide;   /* they are written as i64 */
    size_t has_value; /* the elements are written as well */
};

DEVICE static uint64_t key_of(struct keys k, uint64_t bits)
{
    const uint64_t v = bits == k.zero ? 0 : bits;
    const uint64_t key = v ^ (v & k.sign ? k.negative : k.positive) ^ k.flip;

    return (v & k.magnitude) > k.infinity ? k.nan : key;
}

/* The same in the elements' size: vectors of them are shorter, or hold more. */
DEVICE static uint32_t key_of_4(struct keys k, uint32_t bits)
{
    const uint32_t v = bits == (uint32_t)k.zero ? 0 : bits;
    const uint32_t is_negative = v >> ctz((uint32_t)k.sign) & 1; /* no choice of 64-bit fields */
    const uint32_t flip =
        (uint32_t)k.positive ^ (-is_negative & (uint32_t)(k.negative ^ k.positive));

    return (v & (uint32_t)k.magnitude) > (uint32_t)k.infinity ? (uint32_t)k.nan
                                                              : v ^ flip ^ (uint32_t)k.flip;
}
DEVICE static uint64_t key_of_8(struct keys k, uint64_t bits)
{
    return key_of(k, bits);
}

DEVICE static uint32_t digit_of(struct keys k, uint64_t bits, int shift)
{
    return (uint32_t)(key_of(k, bits) >> shift & (DIGITS - 1));
}

DEVICE static uint32_t index_at(struct carried c, const void *indices, size_t i, size_t in_row)
{
    return c.is_first ? (uint32_t)in_row : ((const uint32_t *)indices)[i];
}

DEVICE static void put_index(struct carried c, void *indices, size_t i, uint32_t index)
{
    if (c.is_wide)
        ((int64_t *)indices)[i] = index;
    else
        ((uint32_t *)indices)[i] = index;
}
#endif
