/* wrapped.h - sets of integers that wrap, as a first and a last.
 *
 * A range of some bits stands for all numbers that are equal, modulo 2^bits, to one of low to high.
 * low is a signed number of that many bits. A range names no number twice. If high is less than
 * low, the range is empty.
 */
#ifndef LW_RUN_WRAPPED_H
#define LW_RUN_WRAPPED_H

#include "base/proof_abi.h"
#include <stdbool.h>

__extension__ typedef __int128 lw__wide;

struct lw__wrapped {
    lw__wide low, high;
    unsigned bits; /* 1 to 64 */
};

struct lw__wrapped lw__wrapped_all(unsigned bits);
struct lw__wrapped lw__wrapped_of(unsigned bits, lw__wide low,
                                  lw__wide high);       /* all, if too many */
lw__wide lw__wrapped_modulo(lw__wide n, unsigned bits); /* n modulo 2^bits, not negative */
bool lw__wrapped_is_empty(struct lw__wrapped range);
/* True if it has all numbers of the other, of as many bits. */
bool lw__wrapped_holds(struct lw__wrapped range, struct lw__wrapped other);

/* These are sets that have at least each possible result.
 *     compute    LW_TERM_ADD to LW_TERM_ASHR, of numbers of as many bits
 *     resize     LW_TERM_SEXT to LW_TERM_TRUNC, to so many bits
 *     either     the numbers of both
 *     where      those of a, if b has any
 *     limit      those of a for which the comparison holds with some of b */
struct lw__wrapped lw__wrapped_compute(enum lw_term_kind kind, struct lw__wrapped a,
                                       struct lw__wrapped b);
struct lw__wrapped lw__wrapped_resize(enum lw_term_kind kind, struct lw__wrapped a, unsigned bits);
struct lw__wrapped lw__wrapped_either(struct lw__wrapped a, struct lw__wrapped b);
struct lw__wrapped lw__wrapped_where(struct lw__wrapped a, struct lw__wrapped b);
struct lw__wrapped lw__wrapped_limit(struct lw__wrapped a, enum lw_term_order order,
                                     struct lw__wrapped b);

/* As numbers with, and without, a sign; all of them where the range leads over their ends. */
struct lw__span {
    lw__wide low, high;
};
struct lw__span lw__wrapped_signed(struct lw__wrapped range);
struct lw__span lw__wrapped_unsigned(struct lw__wrapped range);
#endif
