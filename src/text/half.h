/* half.h - elements of floating types as doubles, rounded in integer code: no setting of the host
 * and no library of short floats has a say.
 */
#ifndef LW_TEXT_HALF_H
#define LW_TEXT_HALF_H

#include "base/base.h"

enum lw__rounding { LW_NEAREST, LW_TOWARD_ZERO };

/* lw__real_put - the value as an element of a floating type: the nearest, ties to even and
 * overflow to infinity; or the next toward zero. One rounding.
 * lw__real_get - and back; exact. */
void lw__real_put(lw_dtype dtype, double value, enum lw__rounding rounding, void *to);
double lw__real_get(lw_dtype dtype, const void *from);
#endif
