/* wrapped.h - sets of integers that wrap: a first one, and steps from there.
 *
 * A range of some bits has low, low + stride, ... low + width, modulo 2^bits: width is a multiple
 * of stride, and no number is named twice. A range of one number has stride 0. That of all numbers
 * has low 0. The empty range has low 1 and the width of all, which no other range has.
 *
 * Functions take the bits of their operands, 1 to 64.
 */
#ifndef LW_RUN_WRAPPED_H
#define LW_RUN_WRAPPED_H

#include "base/proof_abi.h"
#include <stdbool.h>

struct lw__wrapped {
    uint64_t low, width, stride;
};

struct lw__wrapped lw__wrapped_all(unsigned bits);
struct lw__wrapped lw__wrapped_none(unsigned bits);
struct lw__wrapped lw__wrapped_one(unsigned bits, uint64_t number);
/* At least low, low + stride, ... up to low + width; all, where these are too many. */
struct lw__wrapped lw__wrapped_of(unsigned bits, uint64_t low, uint64_t width, uint64_t stride);
bool lw__wrapped_is_empty(unsigned bits, struct lw__wrapped range);
/* True if it has all numbers of the other. */
bool lw__wrapped_holds(unsigned bits, struct lw__wrapped range, struct lw__wrapped other);
uint64_t lw__wrapped_mask(unsigned bits); /* the greatest number */

/* These are sets that have at least each possible result.
 *     compute    LW_TERM_ADD to LW_TERM_XOR, of numbers of as many bits
 *     resize     LW_TERM_SEXT to LW_TERM_TRUNC, from so many bits to others
 *     either     the numbers of both
 *     limit      those of a for which the comparison holds with some of b
 *     distance   a - b, where a >= b, as signed numbers or not */
struct lw__wrapped lw__wrapped_compute(enum lw_term_kind kind, unsigned bits, struct lw__wrapped a,
                                       struct lw__wrapped b);
struct lw__wrapped lw__wrapped_resize(enum lw_term_kind kind, struct lw__wrapped a, unsigned from,
                                      unsigned to);
struct lw__wrapped lw__wrapped_either(unsigned bits, struct lw__wrapped a, struct lw__wrapped b);
struct lw__wrapped lw__wrapped_limit(unsigned bits, struct lw__wrapped a, enum lw_term_order order,
                                     struct lw__wrapped b);
struct lw__wrapped lw__wrapped_distance(unsigned bits, struct lw__wrapped a, struct lw__wrapped b,
                                        bool is_signed);

/* As numbers with, and without, a sign; all of them where the range leads over their ends. */
struct lw__signed {
    int64_t low, high;
};
struct lw__unsigned {
    uint64_t low, high;
};
struct lw__signed lw__wrapped_signed(unsigned bits, struct lw__wrapped range);
struct lw__unsigned lw__wrapped_unsigned(unsigned bits, struct lw__wrapped range);
#endif
