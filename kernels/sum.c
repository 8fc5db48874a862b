/* sum.c - sum, prod and mean along rows, in the order of docs/order.md.
 *
 *     OP_rows_A      rows, a warp an item: stage.h
 *     sum_merge_A    the parts of each row by the aligned tree
 *     OP_columns_A   neighbouring rows lie side by side: a thread an item, lane after lane; on GPUs
 *                    16 threads. VECTOR_LEVELS: sums of int64_t and
 *                    products of floats too
 *     sum_strided_float  the same for any strides
 *
 * shapes   x: `s`; out: `s` without its last axis, or the parts of each row
 * launch   rows: blocks 32 threads wide; columns: 64 threads, 64 x 16 on GPUs; merge: blocks 32
 *          threads wide, each a row and cut.part parts of it
 * reads    A; besides, sums read as float f16 bf16, as double f32, as int64_t integers (u8 for
 *          bool, i64 for u64)
 * numeric  A is float, double or int64_t: docs/order.md. The result is
 *          divided by `divisor`, if that is not 0, in float, or else in double; and rounded once
 *          to the output's type.
 */
#include "stage.h"

/* clang-format off */
#define FLOATS(X) X(DT_F16, _Float16) X(DT_BF16, __bf16) X(DT_F32, float)
#define FLOAT(X) X(DT_F32, float)
#define DOUBLE(X) X(DT_F64, double)
#define REALS(X) FLOAT(X) DOUBLE(X)
#define HALVES(X) X(DT_F16, _Float16) X(DT_BF16, __bf16)
#define INTEGERS(X)                                                                                \
    X(DT_I8, int8_t) X(DT_I16, int16_t) X(DT_I32, int32_t)                                         \
    X(DT_U8, uint8_t) X(DT_U16, uint16_t) X(DT_U32, uint32_t)
#define ALL_INTEGERS(X) INTEGERS(X) X(DT_I64, int64_t)
/* clang-format on */
#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))

#define A float
#define A_TYPE DT_F32
#define A_TYPES HALVES
#define STORE store_total_float
#define IDENTITY (-0.0f)
#define EMPTY 0
#define OP ADD
#define WARP_OP warp_sum
#define NAME(kernel) sum_##kernel##_float
#include "sum_rows.inc"
#define A double
#define A_TYPE DT_F64
#define A_TYPES FLOAT
#define STORE store_total_double
#define IDENTITY (-0.0)
#define EMPTY 0
#define OP ADD
#define WARP_OP warp_sum
#define NAME(kernel) sum_##kernel##_double
#include "sum_rows.inc"
#define A int64_t
#define A_TYPE DT_I64
#define A_TYPES INTEGERS
#define STORE store_total_int64
#define IDENTITY 0
#define EMPTY 0
#define OP ADD
#define WARP_OP warp_sum
#define NAME(kernel) sum_##kernel##_int64
#include "sum_rows.inc"
#define A float
#define A_TYPE DT_F32
#define STORE store_total_float
#define IDENTITY 1
#define EMPTY 1
#define OP MULTIPLY
#define WARP_OP warp_prod
#define NAME(kernel) prod_##kernel##_float
#include "sum_rows.inc"
#define A double
#define A_TYPE DT_F64
#define STORE store_total_double
#define IDENTITY 1
#define EMPTY 1
#define OP MULTIPLY
#define WARP_OP warp_prod
#define NAME(kernel) prod_##kernel##_double
#include "sum_rows.inc"
#define A int64_t
#define A_TYPE DT_I64
#define STORE store_total_int64
#define IDENTITY 1
#define EMPTY 1
#define OP MULTIPLY
#define WARP_OP warp_prod
#define NAME(kernel) prod_##kernel##_int64
#include "sum_rows.inc"

#define A float
#define A_TYPE DT_F32
#define A_TYPES FLOATS
#define IDENTITY (-0.0f)
#define OP ADD
#define STRIDED
#define NAME(kernel) sum_##kernel##_float
#include "sum_columns.inc"
#define A double
#define A_TYPE DT_F64
#define A_TYPES REALS
#define IDENTITY (-0.0)
#define OP ADD
#define NAME(kernel) sum_##kernel##_double
#include "sum_columns.inc"
#ifdef VECTOR_LEVELS
#define A int64_t
#define A_TYPE DT_I64
#define A_TYPES ALL_INTEGERS
#define IDENTITY 0
#define OP ADD
#define NAME(kernel) sum_##kernel##_int64
#include "sum_columns.inc"
#define A float
#define A_TYPE DT_F32
#define A_TYPES FLOAT
#define IDENTITY 1
#define OP MULTIPLY
#define NAME(kernel) prod_##kernel##_float
#include "sum_columns.inc"
#define A double
#define A_TYPE DT_F64
#define A_TYPES DOUBLE
#define IDENTITY 1
#define OP MULTIPLY
#define NAME(kernel) prod_##kernel##_double
#include "sum_columns.inc"
#endif

#define A float
#define IDENTITY (-0.0f)
#define STORE store_total_float
#define NAME(kernel) sum_##kernel##_float
#include "sum_merge.inc"
#define A double
#define IDENTITY (-0.0)
#define STORE store_total_double
#define NAME(kernel) sum_##kernel##_double
#include "sum_merge.inc"
#define A int64_t
#define IDENTITY 0
#define STORE store_total_int64
#define NAME(kernel) sum_##kernel##_int64
#include "sum_merge.inc"
