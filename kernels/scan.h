/* scan.h - what running results combine by, for each type of accumulation.
 */
#ifndef LW_KERNELS_SCAN_H
#define LW_KERNELS_SCAN_H
#include "element.h"
#include "row.h"

/* ORDER SCAN: enum lw_scan_op, then the same for u64, whose values are kept in int64_t. */
enum scan_op { SCAN_ADD, SCAN_MUL, SCAN_MAX, SCAN_MIN, SCAN_MAX_U64, SCAN_MIN_U64 };

/* LEVELS: of the tree over the leaves of any row */
enum { LINES = LEAF / WARP_SIZE, LEVELS = 54 };

DEVICE static bool is_nan_float(float x)
{
    return x != x;
}
DEVICE static bool is_nan_double(double x)
{
    return x != x;
}

/* a stands to the left. */
DEVICE static float combine_float(int op, float a, float b)
{
    switch (op) {
    case SCAN_ADD: return a + b;
    case SCAN_MUL: return a * b;
    case SCAN_MAX: return is_nan_float(a) || is_nan_float(b) ? NAN : fmax(a, b);
    default: return is_nan_float(a) || is_nan_float(b) ? NAN : fmin(a, b);
    }
}
DEVICE static double combine_double(int op, double a, double b)
{
    switch (op) {
    case SCAN_ADD: return a + b;
    case SCAN_MUL: return a * b;
    case SCAN_MAX: return is_nan_double(a) || is_nan_double(b) ? (double)NAN : fmax(a, b);
    default: return is_nan_double(a) || is_nan_double(b) ? (double)NAN : fmin(a, b);
    }
}
DEVICE static int64_t combine_int64(int op, int64_t a, int64_t b)
{
    switch (op) {
    case SCAN_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case SCAN_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case SCAN_MAX: return a > b ? a : b;
    case SCAN_MIN: return a < b ? a : b;
    case SCAN_MAX_U64: return (uint64_t)a > (uint64_t)b ? a : b;
    default: return (uint64_t)a < (uint64_t)b ? a : b;
    }
}

DEVICE static float identity_float(int op)
{
    return op == SCAN_ADD ? -0.0f : op == SCAN_MUL ? 1 : op == SCAN_MAX ? -INFINITY : INFINITY;
}
DEVICE static double identity_double(int op)
{
    return op == SCAN_ADD   ? -0.0
           : op == SCAN_MUL ? 1
           : op == SCAN_MAX ? -(double)INFINITY
                            : (double)INFINITY;
}
DEVICE static int64_t identity_int64(int op)
{
    switch (op) {
    case SCAN_ADD:
    case SCAN_MAX_U64: return 0;
    case SCAN_MUL: return 1;
    case SCAN_MAX: return INT64_MIN;
    case SCAN_MIN: return INT64_MAX;
    default: return -1;
    }
}

DEVICE static void store_whole(void *out, int type, size_t i, int64_t v)
{
    (void)type;
    ((int64_t *)out)[i] = v;
}

#endif
