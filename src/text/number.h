/* number.h - elements as text and as integers. Text is read and written in the "C" locale. */
#ifndef LW_TEXT_NUMBER_H
#define LW_TEXT_NUMBER_H

#include "base/base.h"

enum { LW_NUMBER_SIZE = 40 }; /* room for any number as text, with its NUL */

enum lw__number { LW_NUMBER_OK, LW_NOT_A_NUMBER, LW_NOT_AN_INTEGER, LW_OUT_OF_RANGE };

/* lw__number_read - all of text as one element of dtype, rounded once; *to is set on LW_NUMBER_OK.
 * A whole number may be written in any way ("1e3", "0x10") for any dtype.
 * lw__number_write - the shortest text that reads back as the same element; floats have a '.', an
 * 'e', or are inf or nan. */
enum lw__number lw__number_read(lw_dtype dtype, const char *text, void *to);
void lw__number_write(lw_dtype dtype, const void *from, char text[LW_NUMBER_SIZE]);

/* lw__integer_limit - the largest magnitude that an integer type or bool takes on a side of zero.
 * lw__integer_put - a number as an element of such a type; false: it does not fit.
 * lw__integer_get - an element, with its sign; of u64 its bits. */
uint64_t lw__integer_limit(lw_dtype dtype, bool is_negative);
bool lw__integer_put(lw_dtype dtype, bool is_negative, uint64_t magnitude, void *to);
int64_t lw__integer_get(lw_dtype dtype, const void *from);
#endif
