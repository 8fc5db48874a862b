/* cuda_fp8.h - numbers of 8 bits, e4m3 and e5m2: storage, and conversions to the nearest.
 *
 * e4m3 has no infinity: 448 is its largest number, and all bits set are NaN. e5m2 is the upper half
 * of a __half.
 */
#ifndef LANEWISE_CUDA_CUDA_FP8_H
#define LANEWISE_CUDA_CUDA_FP8_H
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__CUDA__) && defined(__clang__)

/* ---- Conversions --------------------------------------------------------------------------- */

LW_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind)
{
    const int digits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    const unsigned bits = __builtin_bit_cast(unsigned, x), size = bits & 0x7fffffff;
    const unsigned sign = bits >> 24 & 0x80, most = kind == __NV_E4M3 ? 0x7e : 0x7b;
    if (size > 0x7f800000)
        return 0x7f;
    const int exponent = (int)(size >> 23) - 127;
    const int scale = exponent < 1 - bias ? 1 - bias : exponent;
    const unsigned all = (size & 0x7fffff) | 0x800000;
    const int drop = 23 - digits + scale - exponent;
    /* Rounded to the nearest, ties to even; a carry goes on into the exponent. */
    const unsigned half = drop > 25 ? 0 : (1u << (drop - 1)) - 1 + (all >> drop & 1);
    const unsigned kept = drop > 25 ? 0 : (all + half) >> drop;
    const unsigned code = ((unsigned)(scale + bias - 1) << digits) + kept;
    if (code > most || exponent > 64)
        return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? most : most + 1));
    return (__nv_fp8_storage_t)(sign | code);
}
LW_BOTH float lw_fp8_value(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    if (kind == __NV_E5M2)
        return (float)__builtin_bit_cast(_Float16, (unsigned short)(x << 8));
    const unsigned size = x & 0x7f, code = size >> 3, digits = size & 7;
    const float value = size == 0x7f ? __builtin_nanf("")
                        : code == 0  ? (float)digits * 0x1p-9f
                                     : __builtin_bit_cast(float, (code + 120) << 23 | digits << 20);
    return x & 0x80 ? -value : value;
}
/* A double goes by a float that is rounded to odd, so that it is rounded once. */
LW_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind)
{
    const float near = (float)x;
    const unsigned bits = __builtin_bit_cast(unsigned, near);
    const bool inexact = near != x && x == x, beyond = x < 0 ? near < x : near > x;
    const unsigned odd = inexact ? (bits - beyond) | 1 : bits;
    return __nv_cvt_float_to_fp8(__builtin_bit_cast(float, odd), saturate, kind);
}
LW_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(lw_widen(__half(x)), saturate, kind);
}
LW_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                       __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(lw_widen(__nv_bfloat16(x)), saturate, kind);
}
LW_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half(lw_fp8_value(x, kind));
}
LW_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(v.y, saturate, kind) << 8);
}
LW_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                               __nv_fp8_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((unsigned char)x, kind).x,
                       __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), kind).x};
}

/* ---- Types --------------------------------------------------------------------------------- */

/* The constructors saturate, as CUDA's do. */
#define LW_FP8(T, kind)                                                                            \
    struct T {                                                                                     \
        __nv_fp8_storage_t __x;                                                                    \
        T() = default;                                                                             \
        LW_BOTH_MEMBER explicit T(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind))   \
        {                                                                                          \
        }                                                                                          \
        LW_BOTH_MEMBER explicit T(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) \
        {                                                                                          \
        }                                                                                          \
        LW_BOTH_MEMBER explicit T(__half x) : T(lw_widen(x)) {}                                    \
        LW_BOTH_MEMBER explicit T(__nv_bfloat16 x) : T(lw_widen(x)) {}                             \
        LW_BOTH_MEMBER explicit T(int x) : T((double)x) {}                                         \
        LW_BOTH_MEMBER explicit T(unsigned x) : T((double)x) {}                                    \
        LW_BOTH_MEMBER explicit operator float() const { return lw_fp8_value(__x, kind); }         \
        LW_BOTH_MEMBER explicit operator double() const { return lw_fp8_value(__x, kind); }        \
        LW_BOTH_MEMBER explicit operator __half() const { return lw_fp8_value(__x, kind); }        \
        LW_BOTH_MEMBER explicit operator __nv_bfloat16() const { return lw_fp8_value(__x, kind); } \
        LW_BOTH_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                \
    };
/* Several, the first in the lowest byte. */
LW_BOTH unsigned lw_fp8_at(int place, float x, __nv_fp8_interpretation_t kind)
{
    return (unsigned)__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind) << 8 * place;
}
LW_BOTH float lw_fp8_of(unsigned all, int place, __nv_fp8_interpretation_t kind)
{
    return lw_fp8_value((unsigned char)(all >> 8 * place), kind);
}
#define LW_FP8_PAIR(T, kind)                                                                       \
    struct T {                                                                                     \
        __nv_fp8x2_storage_t __x;                                                                  \
        T() = default;                                                                             \
        LW_BOTH_MEMBER explicit T(float2 v)                                                        \
            : __x((unsigned short)(lw_fp8_at(0, v.x, kind) | lw_fp8_at(1, v.y, kind)))             \
        {                                                                                          \
        }                                                                                          \
        LW_BOTH_MEMBER explicit operator float2() const                                            \
        {                                                                                          \
            return float2{lw_fp8_of(__x, 0, kind), lw_fp8_of(__x, 1, kind)};                       \
        }                                                                                          \
    };
#define LW_FP8_FOUR(T, kind)                                                                       \
    struct T {                                                                                     \
        __nv_fp8x4_storage_t __x;                                                                  \
        T() = default;                                                                             \
        LW_BOTH_MEMBER explicit T(float4 v)                                                        \
            : __x(lw_fp8_at(0, v.x, kind) | lw_fp8_at(1, v.y, kind) | lw_fp8_at(2, v.z, kind) |    \
                  lw_fp8_at(3, v.w, kind))                                                         \
        {                                                                                          \
        }                                                                                          \
        LW_BOTH_MEMBER explicit operator float4() const                                            \
        {                                                                                          \
            return float4{lw_fp8_of(__x, 0, kind), lw_fp8_of(__x, 1, kind),                        \
                          lw_fp8_of(__x, 2, kind), lw_fp8_of(__x, 3, kind)};                       \
        }                                                                                          \
    };
LW_FP8(__nv_fp8_e4m3, __NV_E4M3)
LW_FP8(__nv_fp8_e5m2, __NV_E5M2)
LW_FP8_PAIR(__nv_fp8x2_e4m3, __NV_E4M3)
LW_FP8_PAIR(__nv_fp8x2_e5m2, __NV_E5M2)
LW_FP8_FOUR(__nv_fp8x4_e4m3, __NV_E4M3)
LW_FP8_FOUR(__nv_fp8x4_e5m2, __NV_E5M2)
#undef LW_FP8
#undef LW_FP8_PAIR
#undef LW_FP8_FOUR
#endif

#endif
