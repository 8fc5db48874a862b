/* dot.c - sum x[i] y[i] of two vectors of any element types, none of them converted beforehand, in
 * the order of docs/order.md: each product enters its lane by one fma.
 *
 *     dot_A                            any two types, loaded as A: a warp an item
 *     dot_f32, dot_f64                 both of that type
 *     dot_f32_i8, dot_f32_u8, dot_f64_f32
 *
 * shapes   x, y: vectors from x[x_at], y[y_at] on (stage.h); out: the result at out[0], or the
 *          parts'
 * launch   blocks 32 threads wide
 * reads    the type of bool is given as u8, dot_int64's of u64 as i64
 * numeric  A is float, double or int64_t, of the pair's promoted type; sum_merge_A merges the parts
 */
#include "stage.h"

/* Part `part` of a vector that is cut. */
DEVICE static size_t part_count(struct cut cut, size_t n, size_t part)
{
    return min_size(n - part * cut.part, cut.part);
}

/* clang-format off */
#define WHOLE_TYPES(X)                                                                             \
    X(DT_I8, int8_t) X(DT_I16, int16_t) X(DT_I32, int32_t) X(DT_I64, int64_t)                      \
    X(DT_U8, uint8_t) X(DT_U16, uint16_t) X(DT_U32, uint32_t)
#define DOUBLE_TYPES(X)                                                                            \
    WHOLE_TYPES(X) X(DT_U64, uint64_t)                                                             \
    X(DT_F16, _Float16) X(DT_BF16, __bf16) X(DT_F32, float) X(DT_F64, double)
/* clang-format on */
#define MULTIPLY_ADD(x, y, sum) ((int64_t)((uint64_t)(x) * (uint64_t)(y) + (uint64_t)(sum)))
#define FMA(x, y, sum) fma(x, y, sum)

/* ---- any two types ---- */

#define A float
#define A_TYPES FLOAT_TYPES
#define A_FMA FMA
#define A_ZERO (-0.0f)
#define STORE store_total_float
#define NAME(kernel) kernel##_float
#include "dot.inc"
#define A double
#define A_TYPES DOUBLE_TYPES
#define A_FMA FMA
#define A_ZERO (-0.0)
#define STORE store_total_double
#define NAME(kernel) kernel##_double
#include "dot.inc"
#define A int64_t
#define A_TYPES WHOLE_TYPES
#define A_FMA MULTIPLY_ADD
#define A_ZERO 0
#define STORE store_total_int64
#define NAME(kernel) kernel##_int64
#include "dot.inc"

/* ---- common pairs ---- */

#define T float
#define Y float
#define ZERO (-0.0f)
#define STORE store_float
#define DOT dot_f32
#define DOT_(name) name##_f32
#include "dot_pair.inc"
#define T double
#define Y double
#define ZERO (-0.0)
#define STORE store_double
#define DOT dot_f64
#define DOT_(name) name##_f64
#include "dot_pair.inc"
#define T float
#define Y int8_t
#define ZERO (-0.0f)
#define STORE store_float
#define DOT dot_f32_i8
#define DOT_(name) name##_f32_i8
#include "dot_pair.inc"
#define T float
#define Y uint8_t
#define ZERO (-0.0f)
#define STORE store_float
#define DOT dot_f32_u8
#define DOT_(name) name##_f32_u8
#include "dot_pair.inc"
#define T double
#define Y float
#define ZERO (-0.0)
#define STORE store_double
#define DOT dot_f64_f32
#define DOT_(name) name##_f64_f32
#include "dot_pair.inc"
