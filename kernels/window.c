/* window.c - each element from its neighbours along a row, the last axis of a view.
 *
 *     difference_A       y[i] = x[i+1] - x[i]; 0 where x has no element i + 1
 *     moving_average_A   y[i] = (x[l] + ... + x[h-1]) / (h - l), one chain in rising order, where
 *                        l = i - before and h = l + window, both cut at the ends of the row
 *
 * shapes   x: rows of n elements of stride 1; out: `s`, rows of s.extent[3] of stride 1
 * launch   any number of threads, a block PART elements of a row
 * numeric  in A, rounded once to out's dtype: a floating one, of int64 i64
 */
#include "element.h"
#include "row.h"

enum { PART = 1024 }; /* ORDER WINDOW: src/ops/window.c */

DEVICE static void store_whole(void *out, int type, size_t i, int64_t v)
{
    (void)type;
    ((int64_t *)out)[i] = v;
}

#define A float
#define LOAD load_real_float
#define SUBTRACT(a, b) ((a) - (b))
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "window.inc"
#define A double
#define LOAD load_real_double
#define SUBTRACT(a, b) ((a) - (b))
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "window.inc"
#define A int64_t
#define LOAD load_int64
#define SUBTRACT(a, b) ((int64_t)((uint64_t)(a) - (uint64_t)(b)))
#define STORE store_whole
#define DIFFERENCE_ALONE
#define NAME(kernel) kernel##_int64
#include "window.inc"
