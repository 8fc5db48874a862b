/* fill.h - what an array holds at first. */
#ifndef LW_TEXT_FILL_H
#define LW_TEXT_FILL_H

#include "base/base.h"

enum lw__fill {
    LW_FILL_ZEROS,
    LW_FILL_NONE,
    LW_FILL_IOTA,
    LW_FILL_RAND,
    LW_FILL_NORMAL,
    LW_FILL_CONST, /* one element, given */
    LW_FILL_DATA   /* all elements, given: a list or a file */
};

/* lw__fill_make - count elements of IOTA, RAND or NORMAL, as docs/cli.md defines them.
 * lw__philox - Philox4x32-10: four random words of a key and a counter. */
void lw__fill_make(enum lw__fill fill, lw_dtype dtype, uint64_t seed, size_t count, void *to);
void lw__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t words[4]);
#endif
