/* conversions.h - numbers of one type as another, rounded as the name says: __float2int_rd ...
 *
 * To an integer: rn to the nearest, rd down, ru up, rz towards zero. What is out of range gives the
 * nearest end of it. NaN gives 0 in 32 bits and the top bit in 64, as PTX's cvt does.
 */
#ifndef LANEWISE_CUDA_CONVERSIONS_H
#define LANEWISE_CUDA_CONVERSIONS_H

#include "rounding.h"

/* ---- To integers --------------------------------------------------------------------------- */

/* `end` is the first power of 2 above the range; `low` its least number. */
template <class I, class T> LW_DEVICE I lw_saturated(T x, T low, T end, I least, I most, I nan)
{
    if (__builtin_isnan(x))
        return nan;
    return x >= end ? most : x <= low ? least : (I)x;
}
template <class T> LW_DEVICE int lw_to_i32(T x)
{
    return lw_saturated<int>(x, (T)-2147483648.0, (T)2147483648.0, -0x7fffffff - 1, 0x7fffffff, 0);
}
template <class T> LW_DEVICE unsigned lw_to_u32(T x)
{
    return lw_saturated<unsigned>(x, (T)0, (T)4294967296.0, 0, 0xffffffff, 0);
}
template <class T> LW_DEVICE unsigned long long lw_to_u64(T x)
{
    return lw_saturated<unsigned long long>(x, (T)0, (T)18446744073709551616.0, 0,
                                            0xffffffffffffffff, 0x8000000000000000);
}

#define LW_TO_INTEGER(T, from, I, to, how)                                                         \
    LW_DEVICE I __##from##2##to##_rn(T x) { return how(lw_rint(x)); }                              \
    LW_DEVICE I __##from##2##to##_rd(T x) { return how(lw_floor(x)); }                             \
    LW_DEVICE I __##from##2##to##_ru(T x) { return how(lw_ceil(x)); }                              \
    LW_DEVICE I __##from##2##to##_rz(T x) { return how(lw_trunc(x)); }
#define LW_TO_INTEGERS(T, from)                                                                    \
    LW_TO_INTEGER(T, from, int, int, lw_to_i32)                                                    \
    LW_TO_INTEGER(T, from, unsigned, uint, lw_to_u32)                                              \
    LW_TO_INTEGER(T, from, long long, ll, lw_to_i64)                                               \
    LW_TO_INTEGER(T, from, unsigned long long, ull, lw_to_u64)
LW_TO_INTEGERS(float, float)
LW_TO_INTEGERS(double, double)
#undef LW_TO_INTEGERS
#undef LW_TO_INTEGER

/* ---- From integers and to float ------------------------------------------------------------ */

/* The exact value less the nearest float or double, for 64 bits by halves that are exact. */
template <class Mode, class T, class I> LW_DEVICE T lw_from_integer(I x)
{
    const T near = (T)x;
    const I low = x & 0xffffffff, high = x - low;
    const double above = (double)high - (double)near, rest = (double)low;
    return lw_directed<Mode>(near, (T)(above + rest));
}
#define LW_FROM_INTEGER(I, from, T, to)                                                            \
    LW_DEVICE T __##from##2##to##_rn(I x) { return (T)x; }                                         \
    LW_DEVICE T __##from##2##to##_rd(I x) { return lw_from_integer<lw_down, T>(x); }               \
    LW_DEVICE T __##from##2##to##_ru(I x) { return lw_from_integer<lw_up, T>(x); }                 \
    LW_DEVICE T __##from##2##to##_rz(I x) { return lw_from_integer<lw_zero, T>(x); }
LW_FROM_INTEGER(int, int, float, float)
LW_FROM_INTEGER(unsigned, uint, float, float)
LW_FROM_INTEGER(long long, ll, float, float)
LW_FROM_INTEGER(unsigned long long, ull, float, float)
LW_FROM_INTEGER(long long, ll, double, double)
LW_FROM_INTEGER(unsigned long long, ull, double, double)
#undef LW_FROM_INTEGER
LW_DEVICE double __int2double_rn(int x) { return x; }
LW_DEVICE double __uint2double_rn(unsigned x) { return x; }

LW_DEVICE float __double2float_rn(double x) { return (float)x; }
LW_DEVICE float __double2float_rd(double x) { return lw_to_float<lw_down>(x); }
LW_DEVICE float __double2float_ru(double x) { return lw_to_float<lw_up>(x); }
LW_DEVICE float __double2float_rz(double x) { return lw_to_float<lw_zero>(x); }

#endif
