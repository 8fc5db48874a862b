/* simd_words.h - words of two half words or four bytes: __vadd4, __vcmpgts2, __viaddmax_s16x2 ...
 *
 * A function takes the words apart, computes each part in int, and puts the parts together. In
 * CUDA's names 2 and 4 count the parts, s and u give their sign, and ss and us saturate.
 */
#ifndef LANEWISE_CUDA_SIMD_WORDS_H
#define LANEWISE_CUDA_SIMD_WORDS_H

#include "operations.h"

template <int Bits, bool Signed> LW_DEVICE int lw_word_part(unsigned x, int i)
{
    const unsigned top = x << (32 - Bits - Bits * i);
    return Signed ? (int)top >> (32 - Bits) : (int)(top >> (32 - Bits));
}
template <int Bits, bool Signed, class F> LW_DEVICE unsigned lw_parts(unsigned a, unsigned b, F f)
{
    unsigned result = 0;
    for (int i = 0; i < 32 / Bits; i++) {
        const int part = f(lw_word_part<Bits, Signed>(a, i), lw_word_part<Bits, Signed>(b, i));
        result |= ((unsigned)part & ((1u << Bits) - 1)) << Bits * i;
    }
    return result;
}
template <int Bits, bool Signed, class F>
LW_DEVICE unsigned lw_parts(unsigned a, unsigned b, unsigned c, F f)
{
    unsigned result = 0;
    for (int i = 0; i < 32 / Bits; i++) {
        const int part = f(lw_word_part<Bits, Signed>(a, i), lw_word_part<Bits, Signed>(b, i),
                           lw_word_part<Bits, Signed>(c, i));
        result |= ((unsigned)part & ((1u << Bits) - 1)) << Bits * i;
    }
    return result;
}
template <int Bits, bool Signed> LW_DEVICE int lw_saturated_part(int x)
{
    const int least = Signed ? -(1 << (Bits - 1)) : 0;
    const int most = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
    return x < least ? least : x > most ? most : x;
}
LW_DEVICE int lw_smaller(int x, int y) { return y < x ? y : x; }
LW_DEVICE int lw_larger(int x, int y) { return x < y ? y : x; }

/* ---- Of one and two words ------------------------------------------------------------------ */

#define LW_PARTS_1(name, count, Bits, Signed, expression)                                          \
    LW_DEVICE unsigned name##count(unsigned a)                                                     \
    {                                                                                              \
        return lw_parts<Bits, Signed>(a, 0, [](int x, int) { return expression; });                \
    }
#define LW_PARTS_2(name, count, Bits, Signed, expression)                                          \
    LW_DEVICE unsigned name##count(unsigned a, unsigned b)                                         \
    {                                                                                              \
        return lw_parts<Bits, Signed>(a, b, [](int x, int y) { return expression; });              \
    }
#define LW_BOTH_COUNTS(macro, name, Signed, expression)                                            \
    macro(name, 2, 16, Signed, expression) macro(name, 4, 8, Signed, expression)
#define LW_SATURATED(macro, name, Signed, expression)                                              \
    macro(name, 2, 16, Signed, (lw_saturated_part<16, Signed>(expression)))                        \
    macro(name, 4, 8, Signed, (lw_saturated_part<8, Signed>(expression)))
LW_BOTH_COUNTS(LW_PARTS_1, __vabs, true, x < 0 ? -x : x)
LW_BOTH_COUNTS(LW_PARTS_1, __vneg, true, -x)
LW_SATURATED(LW_PARTS_1, __vabsss, true, x < 0 ? -x : x)
LW_SATURATED(LW_PARTS_1, __vnegss, true, -x)
LW_BOTH_COUNTS(LW_PARTS_2, __vadd, false, x + y)
LW_BOTH_COUNTS(LW_PARTS_2, __vsub, false, x - y)
LW_SATURATED(LW_PARTS_2, __vaddss, true, x + y)
LW_SATURATED(LW_PARTS_2, __vsubss, true, x - y)
LW_SATURATED(LW_PARTS_2, __vaddus, false, x + y)
LW_SATURATED(LW_PARTS_2, __vsubus, false, x - y)
LW_BOTH_COUNTS(LW_PARTS_2, __vabsdiffs, true, x < y ? y - x : x - y)
LW_BOTH_COUNTS(LW_PARTS_2, __vabsdiffu, false, x < y ? y - x : x - y)
/* Averages: signed ones round halves away from zero, unsigned ones up; __vhaddu rounds down. */
LW_BOTH_COUNTS(LW_PARTS_2, __vavgs, true, (x + y + (x + y >= 0)) >> 1)
LW_BOTH_COUNTS(LW_PARTS_2, __vavgu, false, (x + y + 1) >> 1)
LW_BOTH_COUNTS(LW_PARTS_2, __vhaddu, false, (x + y) >> 1)
LW_BOTH_COUNTS(LW_PARTS_2, __vmaxs, true, lw_larger(x, y))
LW_BOTH_COUNTS(LW_PARTS_2, __vmaxu, false, lw_larger(x, y))
LW_BOTH_COUNTS(LW_PARTS_2, __vmins, true, lw_smaller(x, y))
LW_BOTH_COUNTS(LW_PARTS_2, __vminu, false, lw_smaller(x, y))

/* Comparisons: __vcmp gives all bits of a part, __vset gives 1. */
#define LW_COMPARED(op, Signed, condition)                                                         \
    LW_BOTH_COUNTS(LW_PARTS_2, __vcmp##op, Signed, (condition) ? -1 : 0)                           \
    LW_BOTH_COUNTS(LW_PARTS_2, __vset##op, Signed, (condition) ? 1 : 0)
LW_COMPARED(eq, false, x == y)
LW_COMPARED(ne, false, x != y)
LW_COMPARED(ges, true, x >= y)
LW_COMPARED(gts, true, x > y)
LW_COMPARED(les, true, x <= y)
LW_COMPARED(lts, true, x < y)
LW_COMPARED(geu, false, x >= y)
LW_COMPARED(gtu, false, x > y)
LW_COMPARED(leu, false, x <= y)
LW_COMPARED(ltu, false, x < y)
#undef LW_COMPARED
#undef LW_SATURATED
#undef LW_BOTH_COUNTS
#undef LW_PARTS_1
#undef LW_PARTS_2

/* Sums of absolute differences: one number, not parts. */
#define LW_DIFFERENCES(name, Bits, Signed)                                                         \
    LW_DEVICE unsigned name(unsigned a, unsigned b)                                                \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
        for (int i = 0; i < 32 / Bits; i++) {                                                      \
            const int x = lw_word_part<Bits, Signed>(a, i);                                        \
            const int y = lw_word_part<Bits, Signed>(b, i);                                        \
            sum += (unsigned)(x < y ? y - x : x - y);                                              \
        }                                                                                          \
        return sum;                                                                                \
    }
LW_DIFFERENCES(__vsads2, 16, true)
LW_DIFFERENCES(__vsads4, 8, true)
LW_DIFFERENCES(__vsadu2, 16, false)
LW_DIFFERENCES(__vsadu4, 8, false)
LW_DIFFERENCES(__usad4, 8, false)
#undef LW_DIFFERENCES
LW_DEVICE unsigned __usad4(unsigned a, unsigned b, unsigned c) { return __usad4(a, b) + c; }

/* ---- The family of dynamic programming: __viaddmax and its like ------------------------------ */

/* _relu: at least 0. Sums wrap in the width of the part. */
#define LW_WORD_2(name, T, expression)                                                             \
    LW_DEVICE T name(T x, T y) { return expression; }
#define LW_WORD_3(name, T, expression)                                                             \
    LW_DEVICE T name(T x, T y, T z) { return expression; }
#define LW_PARTS_2(name, Signed, expression)                                                       \
    LW_DEVICE unsigned name(unsigned a, unsigned b)                                                \
    {                                                                                              \
        return lw_parts<16, Signed>(a, b, [](int x, int y) { return expression; });                \
    }
#define LW_PARTS_3(name, Signed, expression)                                                       \
    LW_DEVICE unsigned name(unsigned a, unsigned b, unsigned c)                                    \
    {                                                                                              \
        return lw_parts<16, Signed>(a, b, c, [](int x, int y, int z) { return expression; });      \
    }
LW_DEVICE int lw_sum_32(int x, int y) { return (int)((unsigned)x + (unsigned)y); }
LW_DEVICE unsigned lw_sum_32(unsigned x, unsigned y) { return x + y; }
LW_DEVICE unsigned lw_larger(unsigned x, unsigned y) { return x < y ? y : x; }
LW_DEVICE unsigned lw_smaller(unsigned x, unsigned y) { return y < x ? y : x; }
#define LW_FAMILY(op, pick)                                                                        \
    LW_WORD_3(__viadd##op##_s32, int, pick(lw_sum_32(x, y), z))                                    \
    LW_WORD_3(__viadd##op##_u32, unsigned, pick(lw_sum_32(x, y), z))                               \
    LW_WORD_3(__viadd##op##_s32_relu, int, lw_larger(pick(lw_sum_32(x, y), z), 0))                 \
    LW_PARTS_3(__viadd##op##_s16x2, true, pick((int)(short)(x + y), z))                            \
    LW_PARTS_3(__viadd##op##_u16x2, false, pick((int)(unsigned short)(x + y), z))                  \
    LW_PARTS_3(__viadd##op##_s16x2_relu, true, lw_larger(pick((int)(short)(x + y), z), 0))         \
    LW_WORD_3(__vi##op##3_s32, int, pick(pick(x, y), z))                                           \
    LW_WORD_3(__vi##op##3_u32, unsigned, pick(pick(x, y), z))                                      \
    LW_WORD_3(__vi##op##3_s32_relu, int, lw_larger(pick(pick(x, y), z), 0))                        \
    LW_PARTS_3(__vi##op##3_s16x2, true, pick(pick(x, y), z))                                       \
    LW_PARTS_3(__vi##op##3_u16x2, false, pick(pick(x, y), z))                                      \
    LW_PARTS_3(__vi##op##3_s16x2_relu, true, lw_larger(pick(pick(x, y), z), 0))                    \
    LW_WORD_2(__vi##op##_s32_relu, int, lw_larger(pick(x, y), 0))                                  \
    LW_PARTS_2(__vi##op##_s16x2_relu, true, lw_larger(pick(x, y), 0))
LW_FAMILY(max, lw_larger)
LW_FAMILY(min, lw_smaller)
#undef LW_FAMILY
#undef LW_WORD_2
#undef LW_WORD_3
#undef LW_PARTS_2
#undef LW_PARTS_3

/* These also tell whether the first was picked, of each part; equal numbers pick the first. */
#define LW_PICK(op, sign)                                                                          \
    LW_DEVICE int __vib##op##_s32(int a, int b, bool *first)                                       \
    {                                                                                              \
        *first = a sign b;                                                                         \
        return *first ? a : b;                                                                     \
    }                                                                                              \
    LW_DEVICE unsigned __vib##op##_u32(unsigned a, unsigned b, bool *first)                        \
    {                                                                                              \
        *first = a sign b;                                                                         \
        return *first ? a : b;                                                                     \
    }                                                                                              \
    LW_PICK_PARTS(__vib##op##_s16x2, true, sign)                                                   \
    LW_PICK_PARTS(__vib##op##_u16x2, false, sign)
#define LW_PICK_PARTS(name, Signed, sign)                                                          \
    LW_DEVICE unsigned name(unsigned a, unsigned b, bool *high, bool *low)                         \
    {                                                                                              \
        *high = lw_word_part<16, Signed>(a, 1) sign lw_word_part<16, Signed>(b, 1);                \
        *low = lw_word_part<16, Signed>(a, 0) sign lw_word_part<16, Signed>(b, 0);                 \
        return ((*high ? a : b) & 0xffff0000) | ((*low ? a : b) & 0xffff);                         \
    }
LW_PICK(max, >=)
LW_PICK(min, <=)
#undef LW_PICK
#undef LW_PICK_PARTS

#endif
