/* half_types.h - __half, __half2, __nv_bfloat16, __nv_bfloat162 and their conversions from numbers.
 *
 * The 16-bit types wrap clang's _Float16 and __bf16. Each operation computes in float or double and
 * rounds once; float has more than twice the digits of both, so that sums, products, quotients and
 * roots are correctly rounded. Host code narrows to bf16 by itself: its library may lack that.
 */
#ifndef LANEWISE_CUDA_HALF_TYPES_H
#define LANEWISE_CUDA_HALF_TYPES_H

#include "conversions.h"
#include "vector_types.h"

/* ---- Narrowing, once rounded --------------------------------------------------------------- */

LW_BOTH _Float16 lw_narrow(float x, _Float16) { return (_Float16)x; }
LW_BOTH _Float16 lw_narrow(double x, _Float16) { return (_Float16)x; }
LW_BOTH __bf16 lw_narrow(float x, __bf16)
{
#ifdef __CUDA_ARCH__
    return (__bf16)x;
#else
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    const unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
    return __builtin_bit_cast(__bf16, (unsigned short)((x != x ? bits | 0x400000 : rounded) >> 16));
#endif
}
/* A double becomes a float rounded to odd, which has digits enough for the second rounding. */
LW_BOTH __bf16 lw_narrow(double x, __bf16 kind)
{
    const float near = (float)x;
    if (near == x || x != x)
        return lw_narrow(near, kind);
    const unsigned bits = __builtin_bit_cast(unsigned, near);
    const bool beyond = x < 0 ? near < x : near > x;
    return lw_narrow(__builtin_bit_cast(float, (bits - beyond) | 1), kind);
}
template <class Mode, class S, class T> LW_BOTH S lw_narrow_to(T x)
{
    const S near = lw_narrow(x, (S)0);
    const bool above = (T)(float)near > x, below = (T)(float)near < x;
    const unsigned short bits = __builtin_bit_cast(unsigned short, near);
    const bool negative = bits >> 15, both = Mode::down && Mode::up;
    const bool go_down = Mode::down && above && !(both && negative);
    const bool go_up = Mode::up && below && !(both && !negative);
    if (!go_down && !go_up)
        return near;
    if ((bits & 0x7fff) == 0)
        return __builtin_bit_cast(S, (unsigned short)(go_up ? 1 : 0x8001));
    return __builtin_bit_cast(S, (unsigned short)(negative == go_up ? bits - 1 : bits + 1));
}

/* ---- The types ----------------------------------------------------------------------------- */

/* Raw types are plain bits, for initialisers. */
#define LW_HALF_TYPES(T, T2, S, Raw, Raw2)                                                         \
    struct __attribute__((aligned(2))) Raw {                                                       \
        unsigned short x;                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(4))) Raw2 {                                                      \
        unsigned short x, y;                                                                       \
    };                                                                                             \
    struct __attribute__((aligned(2))) T {                                                         \
        S lw_value;                                                                                \
        T() = default;                                                                             \
        LW_BOTH_MEMBER T(Raw raw) : lw_value(__builtin_bit_cast(S, raw.x)) {}                      \
        LW_BOTH_MEMBER T(float x) : lw_value(lw_narrow(x, (S)0)) {}                                \
        LW_BOTH_MEMBER T(double x) : lw_value(lw_narrow(x, (S)0)) {}                               \
        LW_BOTH_MEMBER T(short x) : T((double)x) {}                                                \
        LW_BOTH_MEMBER T(unsigned short x) : T((double)x) {}                                       \
        LW_BOTH_MEMBER T(int x) : T((double)x) {}                                                  \
        LW_BOTH_MEMBER T(unsigned x) : T((double)x) {}                                             \
        LW_BOTH_MEMBER T(long x) : T((long long)x) {}                                              \
        LW_BOTH_MEMBER T(unsigned long x) : T((unsigned long long)x) {}                            \
        LW_BOTH_MEMBER T(long long x) : T(lw_odd_double(x)) {}                                     \
        LW_BOTH_MEMBER T(unsigned long long x) : T(lw_odd_double(x)) {}                            \
        template <class I> LW_BOTH_MEMBER T &operator=(I x)                                        \
        {                                                                                          \
            return *this = T(x);                                                                   \
        }                                                                                          \
        LW_BOTH_MEMBER operator Raw() const                                                        \
        {                                                                                          \
            return Raw{__builtin_bit_cast(unsigned short, lw_value)};                              \
        }                                                                                          \
        LW_BOTH_MEMBER operator float() const { return (float)lw_value; }                          \
        LW_BOTH_MEMBER operator bool() const { return (float)lw_value != 0; }                      \
        LW_BOTH_MEMBER operator char() const { return (char)(float)lw_value; }                     \
        LW_BOTH_MEMBER operator signed char() const { return (signed char)(float)lw_value; }       \
        LW_BOTH_MEMBER operator unsigned char() const { return (unsigned char)(float)lw_value; }   \
        LW_BOTH_MEMBER operator short() const { return (short)(float)lw_value; }                   \
        LW_BOTH_MEMBER operator unsigned short() const { return (unsigned short)(float)lw_value; } \
        LW_BOTH_MEMBER operator int() const { return (int)(float)lw_value; }                       \
        LW_BOTH_MEMBER operator unsigned() const { return (unsigned)(float)lw_value; }             \
        LW_BOTH_MEMBER operator long() const { return (long)(float)lw_value; }                     \
        LW_BOTH_MEMBER operator unsigned long() const { return (unsigned long)(float)lw_value; }   \
        LW_BOTH_MEMBER operator long long() const { return (long long)(float)lw_value; }           \
        LW_BOTH_MEMBER operator unsigned long long() const                                         \
        {                                                                                          \
            return (unsigned long long)(float)lw_value;                                            \
        }                                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(4))) T2 {                                                        \
        T x, y;                                                                                    \
        T2() = default;                                                                            \
        LW_BOTH_MEMBER T2(T low, T high) : x(low), y(high) {}                                      \
        LW_BOTH_MEMBER T2(Raw2 raw) : x(Raw{raw.x}), y(Raw{raw.y}) {}                              \
        LW_BOTH_MEMBER operator Raw2() const { return Raw2{((Raw)x).x, ((Raw)y).x}; }              \
    };

/* An integer as a double that, where inexact, is rounded to odd. */
LW_BOTH double lw_odd_double(unsigned long long x)
{
    return x >> 53 ? (double)((x >> 11 | ((x & 0x7ff) != 0)) << 11) : (double)x;
}
LW_BOTH double lw_odd_double(long long x)
{
    return x < 0 ? -lw_odd_double(0 - (unsigned long long)x) : lw_odd_double((unsigned long long)x);
}

LW_BOTH double lw_exactly(int x) { return x; }
LW_BOTH double lw_exactly(unsigned x) { return x; }
LW_BOTH double lw_exactly(long long x) { return lw_odd_double(x); }
LW_BOTH double lw_exactly(unsigned long long x) { return lw_odd_double(x); }

LW_HALF_TYPES(__half, __half2, _Float16, __half_raw, __half2_raw)
LW_HALF_TYPES(__nv_bfloat16, __nv_bfloat162, __bf16, __nv_bfloat16_raw, __nv_bfloat162_raw)
#undef LW_HALF_TYPES

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LW_BOTH float lw_widen(__half x) { return (float)x.lw_value; }
LW_BOTH float lw_widen(__nv_bfloat16 x) { return (float)x.lw_value; }

/* x * y + z, once rounded: the product is exact in double, and the sum is rounded to odd. */
LW_BOTH double lw_half_fma(float x, float y, float z)
{
    const double product = (double)x * y, sum = product + z, part = sum - product;
    const double error = (product - (sum - part)) + ((double)z - part);
    const unsigned long bits = __builtin_bit_cast(unsigned long, sum);
    if (bits & 1 || !(error != 0) || error != error || sum - sum != 0)
        return sum;
    return __builtin_bit_cast(double, (error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

#endif
