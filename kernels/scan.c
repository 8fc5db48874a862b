/* scan.c - running sums, products, maxima and minima along rows, the last axis of a view.
 *
 *     scan_totals_A    of each leaf the total
 *     scan_prefixes_A  of each leaf what the leaves before it come to, by the aligned tree
 *     scan_write_A     and the result
 *
 * A leaf is 32 lines of 32 elements, and a warp goes through it line by line.
 *
 * shapes   out: a floating type, of int64 i64 or u64; x, out: `s`, rows of s.extent[3] elements of stride 1; nodes: rows x leaves of A for each
 *          of `levels` levels of the tree; prefixes: rows x leaves of A
 * launch   blocks 32 threads wide, a warp a leaf; prefixes: 32 threads, a block a row
 * numeric  docs/order.md, scan
 * source   Hillis & Steele 1986, in a warp
 */
#include "element.h"
#include "row.h"

/* ORDER SCAN: enum lw_scan_op, then the same for u64, whose values are kept in int64_t. */
enum scan_op { SCAN_ADD, SCAN_MUL, SCAN_MAX, SCAN_MIN, SCAN_MAX_U64, SCAN_MIN_U64 };

enum { LINES = LEAF / WARP_SIZE };

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

#define A float
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "scan.inc"
#define A double
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "scan.inc"
#define A int64_t
#define LOAD load_int64
#define STORE store_whole
#define NAME(kernel) kernel##_int64
#include "scan.inc"
