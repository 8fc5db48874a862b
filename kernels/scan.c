/* scan.c - running sums, products, maxima and minima along rows, the last axis of a view.
 *
 *     scan_totals_A    of each run the total
 *     scan_prefixes_A  of each run what the runs before it come to, by the aligned tree
 *     scan_write_A     and the result; of whole rows the only launch
 *
 * A run is a row's leaves from a multiple of a power of two on, as many as that, or to its end. A
 * leaf is 32 lines of 32 elements, and a warp goes through it line by line, twice: the lines on
 * their own, and then with what is before them.
 *
 * shapes   out: a floating type, of int64 i64 or u64; x, out: `s`, rows of s.extent[3] elements of
 *          stride 1; nodes: rows x runs of A for each of `levels` levels of the tree; prefixes:
 *          rows x runs of A
 *          start: of exclusive ones the first result of a row, where it has one
 * launch   blocks of 32 threads, for totals one a run, for prefixes one a row
 * numeric  docs/order.md, scan
 * source   Hillis & Steele 1986, in a warp
 */
#include "scan.h"

#define A float
#define PLAIN DT_F32
#define EACH EACH_TERM
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "scan.inc"
#define A double
#define PLAIN DT_F64
#define EACH EACH_TERM
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "scan.inc"
#define A int64_t
#define PLAIN DT_I64
#define EACH EACH_TERM
#define LOAD load_int64
#define STORE store_whole
#define NAME(kernel) kernel##_int64
#include "scan.inc"
