/* integers.h - functions of whole words: bits, bytes, products, and numbers as other numbers' bits.
 */
#ifndef LANEWISE_CUDA_INTEGERS_H
#define LANEWISE_CUDA_INTEGERS_H

#include "operations.h"

/* ---- Bits ---------------------------------------------------------------------------------- */

LW_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
LW_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LW_DEVICE int __clz(int x) { return __builtin_clzg((unsigned)x, 32); }
LW_DEVICE int __clzll(long long x) { return __builtin_clzg((unsigned long long)x, 64); }
LW_DEVICE int __ffs(int x) { return __builtin_ctzg((unsigned)x, -1) + 1; }
LW_DEVICE int __ffsll(long long x) { return __builtin_ctzg((unsigned long long)x, -1) + 1; }
LW_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
LW_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

/* The place of the n-th set bit of the mask from `base` up, or down where n is below 0. */
LW_DEVICE unsigned __fns(unsigned mask, unsigned base, int n)
{
    if (n == 0)
        return mask >> (base & 31) & 1 ? base : 0xffffffff;
    const int step = n > 0 ? 1 : -1;
    int left = n > 0 ? n : -n;
    for (int place = (int)base; place >= 0 && place < 32; place += step)
        if ((mask >> place & 1) && --left == 0)
            return (unsigned)place;
    return 0xffffffff;
}

/* Byte i of the result is byte `selector >> 4 * i & 7` of b:a, or its sign eight times. */
LW_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

LW_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
LW_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
LW_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? low : __funnelshift_l(low, high, n);
}
LW_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? high : __funnelshift_r(low, high, n);
}

/* ---- Products and sums --------------------------------------------------------------------- */

LW_DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
LW_DEVICE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
LW_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    const unsigned long long x0 = (unsigned)x, x1 = x >> 32, y0 = (unsigned)y, y1 = y >> 32;
    const unsigned long long middle = x1 * y0 + (x0 * y0 >> 32);
    const unsigned long long cross = x0 * y1 + (unsigned)middle;
    return x1 * y1 + (middle >> 32) + (cross >> 32);
}
LW_DEVICE long long __mul64hi(long long x, long long y)
{
    const unsigned long long high = __umul64hi((unsigned long long)x, (unsigned long long)y);
    return (long long)(high - (x < 0 ? (unsigned long long)y : 0) -
                       (y < 0 ? (unsigned long long)x : 0));
}
LW_DEVICE int mulhi(int x, int y) { return __mulhi(x, y); }
LW_DEVICE unsigned mulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
LW_DEVICE long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
LW_DEVICE unsigned long long mul64hi(unsigned long long x, unsigned long long y)
{
    return __umul64hi(x, y);
}

LW_DEVICE int lw_low24(int x) { return (int)((unsigned)x << 8) >> 8; }
LW_DEVICE int __mul24(int x, int y) { return (int)((unsigned)lw_low24(x) * (unsigned)lw_low24(y)); }
LW_DEVICE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
LW_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
LW_DEVICE unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }

LW_DEVICE unsigned __sad(int x, int y, unsigned z)
{
    return z + (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y);
}
LW_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return z + (x < y ? y - x : x - y);
}
LW_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
LW_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
LW_DEVICE unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
LW_DEVICE unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }

/* ---- Dot products of bytes and half words -------------------------------------------------- */

#define LW_SIGNED_PART(x, bits, i)                                                                 \
    ((int)((unsigned)(x) << (32 - (bits) - (bits) * (i))) >> (32 - (bits)))
#define LW_UNSIGNED_PART(x, bits, i) ((unsigned)(x) >> (bits) * (i) & ((1u << (bits)) - 1))
LW_DEVICE int __dp4a(int a, int b, int c)
{
    unsigned sum = (unsigned)c;
    for (int i = 0; i < 4; i++)
        sum += (unsigned)(LW_SIGNED_PART(a, 8, i) * LW_SIGNED_PART(b, 8, i));
    return (int)sum;
}
LW_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; i++)
        c += LW_UNSIGNED_PART(a, 8, i) * LW_UNSIGNED_PART(b, 8, i);
    return c;
}
LW_DEVICE int __dp4a(char4 a, char4 b, int c)
{
    return (int)((unsigned)c + (unsigned)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
}
LW_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return c + (unsigned)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
/* lo: bytes 0 and 1 of b; hi: bytes 2 and 3. */
#define LW_DOT_2(name, first)                                                                      \
    LW_DEVICE int name(int a, int b, int c)                                                        \
    {                                                                                              \
        return (int)((unsigned)c +                                                                 \
                     (unsigned)(LW_SIGNED_PART(a, 16, 0) * LW_SIGNED_PART(b, 8, first)) +          \
                     (unsigned)(LW_SIGNED_PART(a, 16, 1) * LW_SIGNED_PART(b, 8, first + 1)));      \
    }                                                                                              \
    LW_DEVICE unsigned name(unsigned a, unsigned b, unsigned c)                                    \
    {                                                                                              \
        return c + LW_UNSIGNED_PART(a, 16, 0) * LW_UNSIGNED_PART(b, 8, first) +                    \
               LW_UNSIGNED_PART(a, 16, 1) * LW_UNSIGNED_PART(b, 8, first + 1);                     \
    }
LW_DOT_2(__dp2a_lo, 0)
LW_DOT_2(__dp2a_hi, 2)
#undef LW_DOT_2

/* ---- Bits of one type as another ----------------------------------------------------------- */

#define LW_BITS_AS(name, R, T)                                                                     \
    LW_DEVICE R name(T x) { return __builtin_bit_cast(R, x); }
LW_BITS_AS(__float_as_int, int, float)
LW_BITS_AS(__int_as_float, float, int)
LW_BITS_AS(__float_as_uint, unsigned, float)
LW_BITS_AS(__uint_as_float, float, unsigned)
LW_BITS_AS(__double_as_longlong, long long, double)
LW_BITS_AS(__longlong_as_double, double, long long)
#undef LW_BITS_AS
LW_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
LW_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
LW_DEVICE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 |
                                            (unsigned)low));
}

#endif
