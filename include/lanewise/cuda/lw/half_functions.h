/* half_functions.h - the functions of a 16-bit type; cuda_fp16.h and cuda_bf16.h include it, each
 * once, for their own.
 *
 * Given: LW_T and LW_T2, the type and its pair; LW_S, clang's type; LW_H(before, after) and
 * LW_H2(before, after), which put `half` or `bfloat16`, `half2` or `bfloat162`, into a name;
 * LW_BROADCAST, the name of a pair of one number.
 */

/* ---- Conversions --------------------------------------------------------------------------- */

LW_BOTH LW_T lw_made(LW_S x)
{
    LW_T result;
    result.lw_value = x;
    return result;
}
LW_BOTH LW_T LW_H(__float2, )(float x) { return LW_T(x); }
LW_BOTH LW_T LW_H(__float2, _rn)(float x) { return LW_T(x); }
LW_BOTH LW_T LW_H(__float2, _rd)(float x) { return lw_made(lw_narrow_to<lw_down, LW_S>(x)); }
LW_BOTH LW_T LW_H(__float2, _ru)(float x) { return lw_made(lw_narrow_to<lw_up, LW_S>(x)); }
LW_BOTH LW_T LW_H(__float2, _rz)(float x) { return lw_made(lw_narrow_to<lw_zero, LW_S>(x)); }
LW_BOTH LW_T LW_H(__double2, )(double x) { return LW_T(x); }
LW_BOTH float LW_H(__, 2float)(LW_T x) { return lw_widen(x); }

#define LW_TO_INTEGERS(R, to)                                                                      \
    LW_DEVICE R LW_H(__, 2##to##_rn)(LW_T x) { return __float2##to##_rn(lw_widen(x)); }            \
    LW_DEVICE R LW_H(__, 2##to##_rd)(LW_T x) { return __float2##to##_rd(lw_widen(x)); }            \
    LW_DEVICE R LW_H(__, 2##to##_ru)(LW_T x) { return __float2##to##_ru(lw_widen(x)); }            \
    LW_DEVICE R LW_H(__, 2##to##_rz)(LW_T x) { return __float2##to##_rz(lw_widen(x)); }
LW_TO_INTEGERS(int, int)
LW_TO_INTEGERS(unsigned, uint)
LW_TO_INTEGERS(long long, ll)
LW_TO_INTEGERS(unsigned long long, ull)
#undef LW_TO_INTEGERS
LW_DEVICE short LW_H(__, 2short_rz)(LW_T x)
{
    const int n = __float2int_rz(lw_widen(x));
    return (short)(n < -32768 ? -32768 : n > 32767 ? 32767 : n);
}
LW_DEVICE unsigned short LW_H(__, 2ushort_rz)(LW_T x)
{
    const unsigned n = __float2uint_rz(lw_widen(x));
    return (unsigned short)(n > 65535 ? 65535 : n);
}
#define LW_FROM_INTEGERS(T, from)                                                                  \
    LW_BOTH LW_T LW_H(__##from##2, _rn)(T x) { return LW_T(x); }                                   \
    LW_BOTH LW_T LW_H(__##from##2, _rd)(T x)                                                       \
    {                                                                                              \
        return lw_made(lw_narrow_to<lw_down, LW_S>(lw_exactly(x)));                                \
    }                                                                                              \
    LW_BOTH LW_T LW_H(__##from##2, _ru)(T x)                                                       \
    {                                                                                              \
        return lw_made(lw_narrow_to<lw_up, LW_S>(lw_exactly(x)));                                  \
    }                                                                                              \
    LW_BOTH LW_T LW_H(__##from##2, _rz)(T x)                                                       \
    {                                                                                              \
        return lw_made(lw_narrow_to<lw_zero, LW_S>(lw_exactly(x)));                                \
    }
LW_FROM_INTEGERS(short, short)
LW_FROM_INTEGERS(unsigned short, ushort)
LW_FROM_INTEGERS(int, int)
LW_FROM_INTEGERS(unsigned, uint)
LW_FROM_INTEGERS(long long, ll)
LW_FROM_INTEGERS(unsigned long long, ull)
#undef LW_FROM_INTEGERS

LW_BOTH short LW_H(__, _as_short)(LW_T x) { return __builtin_bit_cast(short, x.lw_value); }
LW_BOTH unsigned short LW_H(__, _as_ushort)(LW_T x)
{
    return __builtin_bit_cast(unsigned short, x.lw_value);
}
LW_BOTH LW_T LW_H(__short_as_, )(short x) { return lw_made(__builtin_bit_cast(LW_S, x)); }
LW_BOTH LW_T LW_H(__ushort_as_, )(unsigned short x)
{
    return lw_made(__builtin_bit_cast(LW_S, x));
}

/* ---- Pairs --------------------------------------------------------------------------------- */

LW_BOTH LW_T2 LW_H2(make_, )(LW_T x, LW_T y) { return LW_T2(x, y); }
LW_BOTH LW_T2 LW_BROADCAST(LW_T x) { return LW_T2(x, x); }
LW_BOTH LW_T2 LW_H2(__halves2, )(LW_T x, LW_T y) { return LW_T2(x, y); }
LW_BOTH LW_T2 LW_H2(__float2, _rn)(float x) { return LW_T2(LW_T(x), LW_T(x)); }
LW_BOTH LW_T2 LW_H2(__floats2, _rn)(float x, float y) { return LW_T2(LW_T(x), LW_T(y)); }
LW_BOTH LW_T2 LW_H2(__float22, _rn)(float2 v) { return LW_T2(LW_T(v.x), LW_T(v.y)); }
LW_BOTH float2 LW_H2(__, 2float2)(LW_T2 v) { return float2{lw_widen(v.x), lw_widen(v.y)}; }
LW_BOTH float __low2float(LW_T2 v) { return lw_widen(v.x); }
LW_BOTH float __high2float(LW_T2 v) { return lw_widen(v.y); }
LW_BOTH LW_T LW_H(__low2, )(LW_T2 v) { return v.x; }
LW_BOTH LW_T LW_H(__high2, )(LW_T2 v) { return v.y; }
LW_BOTH LW_T2 LW_H2(__low2, )(LW_T2 v) { return LW_T2(v.x, v.x); }
LW_BOTH LW_T2 LW_H2(__high2, )(LW_T2 v) { return LW_T2(v.y, v.y); }
LW_BOTH LW_T2 LW_H2(__lows2, )(LW_T2 a, LW_T2 b) { return LW_T2(a.x, b.x); }
LW_BOTH LW_T2 LW_H2(__highs2, )(LW_T2 a, LW_T2 b) { return LW_T2(a.y, b.y); }
LW_BOTH LW_T2 __lowhigh2highlow(LW_T2 v) { return LW_T2(v.y, v.x); }

/* ---- Arithmetic ---------------------------------------------------------------------------- */

/* Each name exists for one number and, with 2 in it, for both of a pair. */
#define LW_MAP_1(name, name2)                                                                      \
    LW_BOTH LW_T2 name2(LW_T2 a) { return LW_T2(name(a.x), name(a.y)); }
#define LW_MAP_2(name, name2)                                                                      \
    LW_BOTH LW_T2 name2(LW_T2 a, LW_T2 b) { return LW_T2(name(a.x, b.x), name(a.y, b.y)); }
#define LW_MAP_3(name, name2)                                                                      \
    LW_BOTH LW_T2 name2(LW_T2 a, LW_T2 b, LW_T2 c)                                                 \
    {                                                                                              \
        return LW_T2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                                    \
    }
LW_BOTH LW_T lw_saturate(LW_T x)
{
    const float f = lw_widen(x);
    return f > 0 ? f < 1 ? x : LW_T(1.0f) : LW_T(0.0f);
}
LW_BOTH LW_T lw_relu(LW_T x)
{
    const float f = lw_widen(x);
    return f > 0 || f != f ? x : LW_T(0.0f);
}
#define LW_ARITHMETIC(op, sign)                                                                    \
    LW_BOTH LW_T __h##op(LW_T a, LW_T b) { return LW_T(lw_widen(a) sign lw_widen(b)); }            \
    LW_BOTH LW_T __h##op##_rn(LW_T a, LW_T b) { return __h##op(a, b); }                            \
    LW_BOTH LW_T __h##op##_sat(LW_T a, LW_T b) { return lw_saturate(__h##op(a, b)); }              \
    LW_MAP_2(__h##op, __h##op##2)                                                                  \
    LW_MAP_2(__h##op, __h##op##2_rn)                                                               \
    LW_MAP_2(__h##op##_sat, __h##op##2_sat)
LW_ARITHMETIC(add, +)
LW_ARITHMETIC(sub, -)
LW_ARITHMETIC(mul, *)
#undef LW_ARITHMETIC
LW_BOTH LW_T __hdiv(LW_T a, LW_T b) { return LW_T(lw_widen(a) / lw_widen(b)); }
LW_BOTH LW_T __hneg(LW_T a) { return lw_made(-a.lw_value); }
LW_BOTH LW_T __habs(LW_T a)
{
    return LW_H(__ushort_as_, )((unsigned short)(LW_H(__, _as_ushort)(a) & 0x7fff));
}
LW_BOTH LW_T __hfma(LW_T a, LW_T b, LW_T c)
{
    return LW_T(lw_half_fma(lw_widen(a), lw_widen(b), lw_widen(c)));
}
LW_BOTH LW_T __hfma_sat(LW_T a, LW_T b, LW_T c) { return lw_saturate(__hfma(a, b, c)); }
LW_BOTH LW_T __hfma_relu(LW_T a, LW_T b, LW_T c) { return lw_relu(__hfma(a, b, c)); }
LW_MAP_2(__hdiv, __h2div)
LW_MAP_1(__hneg, __hneg2)
LW_MAP_1(__habs, __habs2)
LW_MAP_3(__hfma, __hfma2)
LW_MAP_3(__hfma_sat, __hfma2_sat)
LW_MAP_3(__hfma_relu, __hfma2_relu)
/* Complex numbers: a * b + c. */
LW_BOTH LW_T2 __hcmadd(LW_T2 a, LW_T2 b, LW_T2 c)
{
    const LW_T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
    return LW_T2(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* Without u a NaN compares false, with u true. Of a pair: 1.0 or 0.0 each; b: both; mask: bits. */
#define LW_COMPARE(op, ordered, unordered)                                                         \
    LW_BOTH bool __h##op(LW_T p, LW_T q)                                                           \
    {                                                                                              \
        const float a = lw_widen(p), b = lw_widen(q);                                              \
        return ordered;                                                                            \
    }                                                                                              \
    LW_BOTH bool __h##op##u(LW_T p, LW_T q)                                                        \
    {                                                                                              \
        const float a = lw_widen(p), b = lw_widen(q);                                              \
        return unordered;                                                                          \
    }                                                                                              \
    LW_COMPARE_PAIR(op)                                                                            \
    LW_COMPARE_PAIR(op##u)
#define LW_COMPARE_PAIR(op)                                                                        \
    LW_BOTH LW_T2 __h##op##2(LW_T2 a, LW_T2 b)                                                     \
    {                                                                                              \
        return LW_T2(LW_T(__h##op(a.x, b.x) ? 1.0f : 0.0f),                                        \
                     LW_T(__h##op(a.y, b.y) ? 1.0f : 0.0f));                                       \
    }                                                                                              \
    LW_BOTH bool __hb##op##2(LW_T2 a, LW_T2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }  \
    LW_BOTH unsigned __h##op##2_mask(LW_T2 a, LW_T2 b)                                             \
    {                                                                                              \
        return (__h##op(a.x, b.x) ? 0xffffu : 0) | (__h##op(a.y, b.y) ? 0xffff0000u : 0);          \
    }
LW_COMPARE(eq, a == b, !(a < b || a > b))
LW_COMPARE(ne, a < b || a > b, !(a == b))
LW_COMPARE(lt, a < b, !(a >= b))
LW_COMPARE(le, a <= b, !(a > b))
LW_COMPARE(gt, a > b, !(a <= b))
LW_COMPARE(ge, a >= b, !(a < b))
#undef LW_COMPARE
#undef LW_COMPARE_PAIR
LW_BOTH bool __hisnan(LW_T x) { return x.lw_value != x.lw_value; }
LW_BOTH int __hisinf(LW_T x)
{
    const float f = lw_widen(x);
    return f == f && f - f != f - f ? f > 0 ? 1 : -1 : 0;
}
LW_BOTH LW_T2 __hisnan2(LW_T2 v)
{
    return LW_T2(LW_T(__hisnan(v.x) ? 1.0f : 0.0f), LW_T(__hisnan(v.y) ? 1.0f : 0.0f));
}

/* The number where the other is NaN; with _nan a NaN where one is. -0 is below +0. */
LW_BOTH bool lw_is_below(LW_T p, LW_T q)
{
    const float a = lw_widen(p), b = lw_widen(q);
    return a < b || (a == b && LW_H(__, _as_short)(p) < 0);
}
LW_BOTH LW_T __hmin(LW_T a, LW_T b) { return __hisnan(a) || lw_is_below(b, a) ? b : a; }
LW_BOTH LW_T __hmax(LW_T a, LW_T b) { return __hisnan(a) || lw_is_below(a, b) ? b : a; }
LW_BOTH LW_T __hmin_nan(LW_T a, LW_T b) { return __hisnan(b) ? b : __hisnan(a) ? a : __hmin(a, b); }
LW_BOTH LW_T __hmax_nan(LW_T a, LW_T b) { return __hisnan(b) ? b : __hisnan(a) ? a : __hmax(a, b); }
LW_MAP_2(__hmin, __hmin2)
LW_MAP_2(__hmax, __hmax2)
LW_MAP_2(__hmin_nan, __hmin2_nan)
LW_MAP_2(__hmax_nan, __hmax2_nan)

/* ---- Maths --------------------------------------------------------------------------------- */

#define LW_HALF_MATHS(name, expression)                                                            \
    LW_DEVICE LW_T h##name(LW_T v)                                                                 \
    {                                                                                              \
        const float x = lw_widen(v);                                                               \
        return LW_T(expression);                                                                   \
    }                                                                                              \
    LW_DEVICE LW_T2 h2##name(LW_T2 v) { return LW_T2(h##name(v.x), h##name(v.y)); }
LW_HALF_MATHS(sqrt, lw_sqrt(x))
LW_HALF_MATHS(rsqrt, lw_rsqrt(x))
LW_HALF_MATHS(rcp, 1.0f / x)
LW_HALF_MATHS(exp, lw_exp(x))
LW_HALF_MATHS(exp2, lw_exp2(x))
LW_HALF_MATHS(exp10, lw_exp10(x))
LW_HALF_MATHS(log, lw_log(x))
LW_HALF_MATHS(log2, lw_log2(x))
LW_HALF_MATHS(log10, lw_log10(x))
LW_HALF_MATHS(sin, lw_sin(x))
LW_HALF_MATHS(cos, lw_cos(x))
LW_HALF_MATHS(tanh, lw_tanh(x))
LW_HALF_MATHS(floor, lw_floor(x))
LW_HALF_MATHS(ceil, lw_ceil(x))
LW_HALF_MATHS(trunc, lw_trunc(x))
LW_HALF_MATHS(rint, lw_rint(x))
#undef LW_HALF_MATHS

/* ---- Together and atomically --------------------------------------------------------------- */

#define LW_HALF_SHUFFLE(name, lw_name, N)                                                          \
    LW_DEVICE LW_T name##_sync(unsigned, LW_T v, N n, int width = 32)                              \
    {                                                                                              \
        return lw_made(lw_name(v.lw_value, n, width));                                             \
    }                                                                                              \
    LW_DEVICE LW_T2 name##_sync(unsigned, LW_T2 v, N n, int width = 32)                            \
    {                                                                                              \
        return __builtin_bit_cast(LW_T2, lw_name(__builtin_bit_cast(unsigned, v), n, width));      \
    }                                                                                              \
    LW_DEVICE LW_T name(LW_T v, N n, int width = 32) { return name##_sync(0, v, n, width); }       \
    LW_DEVICE LW_T2 name(LW_T2 v, N n, int width = 32) { return name##_sync(0, v, n, width); }
LW_HALF_SHUFFLE(__shfl, lw_section_shuffle, int)
LW_HALF_SHUFFLE(__shfl_up, lw_section_up, unsigned)
LW_HALF_SHUFFLE(__shfl_down, lw_section_down, unsigned)
LW_HALF_SHUFFLE(__shfl_xor, lw_section_xor, int)
#undef LW_HALF_SHUFFLE

LW_DEVICE LW_T atomicAdd(LW_T *p, LW_T v)
{
    return lw_made(lw_atomic_add((volatile LW_S *)p, v.lw_value));
}
LW_DEVICE LW_T2 atomicAdd(LW_T2 *p, LW_T2 v)
{
    return LW_T2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}

/* ---- Operators ----------------------------------------------------------------------------- */

#define LW_OPERATOR(sign, name, T)                                                                 \
    LW_BOTH T operator sign(const T &a, const T &b) { return name(a, b); }                         \
    LW_BOTH T &operator sign##=(T &a, const T &b) { return a = name(a, b); }
LW_OPERATOR(+, __hadd, LW_T)
LW_OPERATOR(-, __hsub, LW_T)
LW_OPERATOR(*, __hmul, LW_T)
LW_OPERATOR(/, __hdiv, LW_T)
LW_OPERATOR(+, __hadd2, LW_T2)
LW_OPERATOR(-, __hsub2, LW_T2)
LW_OPERATOR(*, __hmul2, LW_T2)
LW_OPERATOR(/, __h2div, LW_T2)
#undef LW_OPERATOR
#define LW_COMPARISON(sign, name, name2)                                                           \
    LW_BOTH bool operator sign(const LW_T &a, const LW_T &b) { return name(a, b); }                \
    LW_BOTH bool operator sign(const LW_T2 &a, const LW_T2 &b) { return name2(a, b); }
LW_COMPARISON(==, __heq, __hbeq2)
LW_COMPARISON(!=, __hneu, __hbneu2)
LW_COMPARISON(<, __hlt, __hblt2)
LW_COMPARISON(<=, __hle, __hble2)
LW_COMPARISON(>, __hgt, __hbgt2)
LW_COMPARISON(>=, __hge, __hbge2)
#undef LW_COMPARISON
LW_BOTH LW_T operator+(const LW_T &a) { return a; }
LW_BOTH LW_T operator-(const LW_T &a) { return __hneg(a); }
LW_BOTH LW_T2 operator+(const LW_T2 &a) { return a; }
LW_BOTH LW_T2 operator-(const LW_T2 &a) { return __hneg2(a); }
#define LW_STEP(sign, name, T, one)                                                                \
    LW_BOTH T &operator sign(T &a) { return a = name(a, one); }                                    \
    LW_BOTH T operator sign(T &a, int)                                                             \
    {                                                                                              \
        const T old = a;                                                                           \
        a = name(a, one);                                                                          \
        return old;                                                                                \
    }
LW_STEP(++, __hadd, LW_T, LW_T(1.0f))
LW_STEP(--, __hsub, LW_T, LW_T(1.0f))
LW_STEP(++, __hadd2, LW_T2, LW_T2(LW_T(1.0f), LW_T(1.0f)))
LW_STEP(--, __hsub2, LW_T2, LW_T2(LW_T(1.0f), LW_T(1.0f)))
#undef LW_STEP

#undef LW_MAP_1
#undef LW_MAP_2
#undef LW_MAP_3
