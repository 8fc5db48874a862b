/* inline_ptx.c - instructions of PTX that CUDA files write by hand (front/inline_ptx.c), as C.
 *
 * Their names are those of PTX without what has no effect here: `lw.ptx.bfe.u32`. Arithmetic wraps
 * around. What PTX approximates is computed as by the maths functions.
 */
#include "devlib.h"

#define PTX(R, name, c_name, ...)                                                                  \
    R lw__ptx_##c_name(__VA_ARGS__) LW_IR_NAME("lw.ptx." name);                                    \
    R lw__ptx_##c_name(__VA_ARGS__)

/* Of T, as long as U, which is unsigned and at least an int; W is twice as long as T. */
#define INTEGERS(T, U, W, t)                                                                       \
    PTX(T, "add." #t, add_##t, T a, T b)                                                           \
    {                                                                                              \
        return (T)((U)a + (U)b);                                                                   \
    }                                                                                              \
    PTX(T, "sub." #t, sub_##t, T a, T b)                                                           \
    {                                                                                              \
        return (T)((U)a - (U)b);                                                                   \
    }                                                                                              \
    PTX(T, "mul.lo." #t, mul_lo_##t, T a, T b)                                                     \
    {                                                                                              \
        return (T)((U)a * (U)b);                                                                   \
    }                                                                                              \
    PTX(T, "mad.lo." #t, mad_lo_##t, T a, T b, T c)                                                \
    {                                                                                              \
        return (T)((U)a * (U)b + (U)c);                                                            \
    }                                                                                              \
    PTX(T, "div." #t, div_##t, T a, T b)                                                           \
    {                                                                                              \
        return (T)(a / b);                                                                         \
    }                                                                                              \
    PTX(T, "rem." #t, rem_##t, T a, T b)                                                           \
    {                                                                                              \
        return (T)(a % b);                                                                         \
    }                                                                                              \
    PTX(T, "min." #t, min_##t, T a, T b)                                                           \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    PTX(T, "max." #t, max_##t, T a, T b)                                                           \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }                                                                                              \
    PTX(T, "sad." #t, sad_##t, T a, T b, T c)                                                      \
    {                                                                                              \
        return (T)((U)c + (a < b ? (U)b - (U)a : (U)a - (U)b));                                    \
    }
#define WIDE_INTEGERS(T, W, t)                                                                     \
    PTX(T, "mul.hi." #t, mul_hi_##t, T a, T b)                                                     \
    {                                                                                              \
        return (T)((W)a * b >> 8 * sizeof(T));                                                     \
    }                                                                                              \
    PTX(T, "mad.hi." #t, mad_hi_##t, T a, T b, T c)                                                \
    {                                                                                              \
        return (T)((uint64_t)((W)a * b >> 8 * sizeof(T)) + (uint64_t)c);                           \
    }                                                                                              \
    PTX(W, "mul.wide." #t, mul_wide_##t, T a, T b)                                                 \
    {                                                                                              \
        return (W)a * (W)b;                                                                        \
    }                                                                                              \
    PTX(W, "mad.wide." #t, mad_wide_##t, T a, T b, W c)                                            \
    {                                                                                              \
        return (W)((uint64_t)((W)a * (W)b) + (uint64_t)c);                                         \
    }
INTEGERS(uint16_t, uint32_t, uint32_t, u16)
INTEGERS(int16_t, uint32_t, int32_t, s16)
INTEGERS(uint32_t, uint32_t, uint64_t, u32)
INTEGERS(int32_t, uint32_t, int64_t, s32)
INTEGERS(uint64_t, uint64_t, uint64_t, u64)
INTEGERS(int64_t, uint64_t, int64_t, s64)
WIDE_INTEGERS(uint16_t, uint32_t, u16)
WIDE_INTEGERS(int16_t, int32_t, s16)
WIDE_INTEGERS(uint32_t, uint64_t, u32)
WIDE_INTEGERS(int32_t, int64_t, s32)

static inline uint64_t high_product(uint64_t x, uint64_t y)
{
    const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    const uint64_t middle = x1 * y0 + (x0 * y0 >> 32), cross = x0 * y1 + (uint32_t)middle;
    return x1 * y1 + (middle >> 32) + (cross >> 32);
}
static inline int64_t signed_high_product(int64_t x, int64_t y)
{
    return (int64_t)(high_product((uint64_t)x, (uint64_t)y) - (x < 0 ? (uint64_t)y : 0) -
                     (y < 0 ? (uint64_t)x : 0));
}
PTX(uint64_t, "mul.hi.u64", mul_hi_u64, uint64_t a, uint64_t b)
{
    return high_product(a, b);
}
PTX(int64_t, "mul.hi.s64", mul_hi_s64, int64_t a, int64_t b)
{
    return signed_high_product(a, b);
}
PTX(uint64_t, "mad.hi.u64", mad_hi_u64, uint64_t a, uint64_t b, uint64_t c)
{
    return high_product(a, b) + c;
}
PTX(int64_t, "mad.hi.s64", mad_hi_s64, int64_t a, int64_t b, int64_t c)
{
    return (int64_t)((uint64_t)signed_high_product(a, b) + (uint64_t)c);
}

static inline int32_t low_24(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}
PTX(uint32_t, "mul24.lo.u32", mul24_lo_u32, uint32_t a, uint32_t b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
PTX(int32_t, "mul24.lo.s32", mul24_lo_s32, int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)low_24(a) * (uint32_t)low_24(b));
}
PTX(uint32_t, "mad24.lo.u32", mad24_lo_u32, uint32_t a, uint32_t b, uint32_t c)
{
    return (a & 0xffffff) * (b & 0xffffff) + c;
}
PTX(int32_t, "mad24.lo.s32", mad24_lo_s32, int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)low_24(a) * (uint32_t)low_24(b) + (uint32_t)c);
}

#define SIGNED(T, U, t)                                                                            \
    PTX(T, "abs." #t, abs_##t, T a)                                                                \
    {                                                                                              \
        return (T)(a < 0 ? (U)0 - (U)a : (U)a);                                                    \
    }                                                                                              \
    PTX(T, "neg." #t, neg_##t, T a)                                                                \
    {                                                                                              \
        return (T)((U)0 - (U)a);                                                                   \
    }
SIGNED(int16_t, uint32_t, s16)
SIGNED(int32_t, uint32_t, s32)
SIGNED(int64_t, uint64_t, s64)

/* ---- Bits ------------------------------------------------------------------------------------ */

#define BITS(T, bits)                                                                              \
    PTX(T, "and.b" #bits, and_b##bits, T a, T b)                                                   \
    {                                                                                              \
        return a & b;                                                                              \
    }                                                                                              \
    PTX(T, "or.b" #bits, or_b##bits, T a, T b)                                                     \
    {                                                                                              \
        return a | b;                                                                              \
    }                                                                                              \
    PTX(T, "xor.b" #bits, xor_b##bits, T a, T b)                                                   \
    {                                                                                              \
        return a ^ b;                                                                              \
    }                                                                                              \
    PTX(T, "not.b" #bits, not_b##bits, T a)                                                        \
    {                                                                                              \
        return (T)~a;                                                                              \
    }                                                                                              \
    PTX(T, "cnot.b" #bits, cnot_b##bits, T a)                                                      \
    {                                                                                              \
        return a == 0;                                                                             \
    }                                                                                              \
    PTX(T, "shl.b" #bits, shl_b##bits, T a, uint32_t n)                                            \
    {                                                                                              \
        return n < bits ? (T)((uint64_t)a << (n & 63)) : 0;                                        \
    }
BITS(uint16_t, 16)
BITS(uint32_t, 32)
BITS(uint64_t, 64)
#define SHIFT_RIGHT(T, t, bits, beyond)                                                            \
    PTX(T, "shr." #t, shr_##t, T a, uint32_t n)                                                    \
    {                                                                                              \
        return (T)(n < bits ? a >> (n & (bits - 1)) : (beyond));                                   \
    }
SHIFT_RIGHT(uint16_t, b16, 16, 0)
SHIFT_RIGHT(uint32_t, b32, 32, 0)
SHIFT_RIGHT(uint64_t, b64, 64, 0)
SHIFT_RIGHT(uint16_t, u16, 16, 0)
SHIFT_RIGHT(uint32_t, u32, 32, 0)
SHIFT_RIGHT(uint64_t, u64, 64, 0)
SHIFT_RIGHT(int16_t, s16, 16, a < 0 ? -1 : 0)
SHIFT_RIGHT(int32_t, s32, 32, a < 0 ? -1 : 0)
SHIFT_RIGHT(int64_t, s64, 64, a < 0 ? -1 : 0)

static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool is_left)
{
    const uint64_t both = (uint64_t)high << 32 | low;
    return (uint32_t)(is_left ? both << n >> 32 : both >> n);
}
static inline uint32_t at_most_32(uint32_t n)
{
    return n < 32 ? n : 32;
}
PTX(uint32_t, "shf.l.wrap.b32", shf_l_wrap, uint32_t a, uint32_t b, uint32_t n)
{
    return funnel(a, b, n & 31, true);
}
PTX(uint32_t, "shf.r.wrap.b32", shf_r_wrap, uint32_t a, uint32_t b, uint32_t n)
{
    return funnel(a, b, n & 31, false);
}
PTX(uint32_t, "shf.l.clamp.b32", shf_l_clamp, uint32_t a, uint32_t b, uint32_t n)
{
    return funnel(a, b, at_most_32(n), true);
}
PTX(uint32_t, "shf.r.clamp.b32", shf_r_clamp, uint32_t a, uint32_t b, uint32_t n)
{
    return funnel(a, b, at_most_32(n), false);
}

static inline uint32_t leading_zeros(uint64_t a, uint32_t bits)
{
    return a ? (uint32_t)__builtin_clzll(a) - (64 - bits) : bits;
}
PTX(uint32_t, "popc.b32", popc_b32, uint32_t a)
{
    return (uint32_t)__builtin_popcount(a);
}
PTX(uint32_t, "popc.b64", popc_b64, uint64_t a)
{
    return (uint32_t)__builtin_popcountll(a);
}
PTX(uint32_t, "clz.b32", clz_b32, uint32_t a)
{
    return leading_zeros(a, 32);
}
PTX(uint32_t, "clz.b64", clz_b64, uint64_t a)
{
    return leading_zeros(a, 64);
}

static inline uint32_t reversed(uint32_t a)
{
    a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
    a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
    a = (a & 0x0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f);
    a = (a & 0x00ff00ff) << 8 | (a >> 8 & 0x00ff00ff);
    return a << 16 | a >> 16;
}
PTX(uint32_t, "brev.b32", brev_b32, uint32_t a)
{
    return reversed(a);
}
PTX(uint64_t, "brev.b64", brev_b64, uint64_t a)
{
    return (uint64_t)reversed((uint32_t)a) << 32 | reversed((uint32_t)(a >> 32));
}

/* The place of the highest bit that is no copy of the sign, or how far it is from the top. */
#define BFIND(T, t, bits, is_negative)                                                             \
    PTX(uint32_t, "bfind." #t, bfind_##t, T a)                                                     \
    {                                                                                              \
        return bits - 1 -                                                                          \
               leading_zeros(is_negative ? (uint##bits##_t) ~a : (uint##bits##_t)a, bits);         \
    }                                                                                              \
    PTX(uint32_t, "bfind.shiftamt." #t, bfind_shiftamt_##t, T a)                                   \
    {                                                                                              \
        const uint32_t zeros =                                                                     \
            leading_zeros(is_negative ? (uint##bits##_t) ~a : (uint##bits##_t)a, bits);            \
        return zeros == bits ? 0xffffffff : zeros;                                                 \
    }
BFIND(uint32_t, u32, 32, false)
BFIND(int32_t, s32, 32, a < 0)
BFIND(uint64_t, u64, 64, false)
BFIND(int64_t, s64, 64, a < 0)

/* `length` bits from `begin` on; those beyond the top are zeros, or the sign. */
#define BFE_UNSIGNED(T, t, bits)                                                                   \
    PTX(T, "bfe." #t, bfe_##t, T a, uint32_t begin, uint32_t length)                               \
    {                                                                                              \
        begin &= 0xff, length &= 0xff;                                                             \
        const T from = begin < bits ? a >> (begin & (bits - 1)) : 0;                               \
        return length < bits ? from & (((T)1 << (length & (bits - 1))) - 1) : from;                \
    }
#define BFE_SIGNED(T, U, t, bits)                                                                  \
    PTX(T, "bfe." #t, bfe_##t, T a, uint32_t begin, uint32_t length)                               \
    {                                                                                              \
        begin &= 0xff, length &= 0xff;                                                             \
        const T from = begin < bits ? a >> (begin & (bits - 1)) : a < 0 ? -1 : 0;                  \
        const uint32_t up = length < bits ? bits - length : 0;                                     \
        return length ? (T)((U)from << (up & (bits - 1))) >> (up & (bits - 1)) : 0;                \
    }
BFE_UNSIGNED(uint32_t, u32, 32)
BFE_UNSIGNED(uint64_t, u64, 64)
BFE_SIGNED(int32_t, uint32_t, s32, 32)
BFE_SIGNED(int64_t, uint64_t, s64, 64)

#define BFI(T, bits)                                                                               \
    PTX(T, "bfi.b" #bits, bfi_b##bits, T a, T b, uint32_t begin, uint32_t length)                  \
    {                                                                                              \
        begin &= 0xff, length &= 0xff;                                                             \
        const T ones = length < bits ? ((T)1 << (length & (bits - 1))) - 1 : (T) - 1;              \
        const T mask = begin < bits ? ones << (begin & (bits - 1)) : 0;                            \
        return (b & ~mask) | (begin < bits ? a << (begin & (bits - 1)) & mask : 0);                \
    }
BFI(uint32_t, 32)
BFI(uint64_t, 64)

/* Byte i is byte `selector >> 4 * i & 7` of b:a, or, where 8 is set, its sign eight times. */
PTX(uint32_t, "prmt.b32", prmt_b32, uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
#define PRMT_BYTE(i)                                                                               \
    do {                                                                                           \
        const uint32_t byte = (uint32_t)(bytes >> 8 * (selector >> 4 * (i) & 7)) & 0xff;           \
        const uint32_t sign = byte & 0x80 ? 0xff : 0;                                              \
        result |= (selector >> 4 * (i) & 8 ? sign : byte) << 8 * (i);                              \
    } while (0)
    PRMT_BYTE(0);
    PRMT_BYTE(1);
    PRMT_BYTE(2);
    PRMT_BYTE(3);
#undef PRMT_BYTE
    return result;
}

/* Bit i of the table is the result where the bits of a, b, c are those of i. */
PTX(uint32_t, "lop3.b32", lop3_b32, uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
#define LOP3_ROW(i)                                                                                \
    result |= table >> (i) & 1 ? ((i) & 4 ? a : ~a) & ((i) & 2 ? b : ~b) & ((i) & 1 ? c : ~c) : 0
    LOP3_ROW(0);
    LOP3_ROW(1);
    LOP3_ROW(2);
    LOP3_ROW(3);
    LOP3_ROW(4);
    LOP3_ROW(5);
    LOP3_ROW(6);
    LOP3_ROW(7);
#undef LOP3_ROW
    return result;
}

#define BYTE(x, i) ((x) >> 8 * (i) & 0xff)
#define SIGNED_BYTE(x, i) ((uint32_t)(int32_t)(int8_t)BYTE((uint32_t)(x), i))
PTX(uint32_t, "dp4a.u32.u32", dp4a_u32, uint32_t a, uint32_t b, uint32_t c)
{
    return c + BYTE(a, 0) * BYTE(b, 0) + BYTE(a, 1) * BYTE(b, 1) + BYTE(a, 2) * BYTE(b, 2) +
           BYTE(a, 3) * BYTE(b, 3);
}
PTX(int32_t, "dp4a.s32.s32", dp4a_s32, int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)c + SIGNED_BYTE(a, 0) * SIGNED_BYTE(b, 0) +
                     SIGNED_BYTE(a, 1) * SIGNED_BYTE(b, 1) + SIGNED_BYTE(a, 2) * SIGNED_BYTE(b, 2) +
                     SIGNED_BYTE(a, 3) * SIGNED_BYTE(b, 3));
}

/* ---- Floating point -------------------------------------------------------------------------- */

#define FLOATS(T, t)                                                                               \
    PTX(T, "add." #t, add_##t, T a, T b)                                                           \
    {                                                                                              \
        return a + b;                                                                              \
    }                                                                                              \
    PTX(T, "sub." #t, sub_##t, T a, T b)                                                           \
    {                                                                                              \
        return a - b;                                                                              \
    }                                                                                              \
    PTX(T, "mul." #t, mul_##t, T a, T b)                                                           \
    {                                                                                              \
        return a * b;                                                                              \
    }                                                                                              \
    PTX(T, "div." #t, div_##t, T a, T b)                                                           \
    {                                                                                              \
        return a / b;                                                                              \
    }                                                                                              \
    PTX(T, "fma." #t, fma_##t, T a, T b, T c)                                                      \
    {                                                                                              \
        return lw__fma_##t(a, b, c);                                                               \
    }                                                                                              \
    PTX(T, "mad." #t, mad_##t, T a, T b, T c)                                                      \
    {                                                                                              \
        return lw__fma_##t(a, b, c);                                                               \
    }                                                                                              \
    PTX(T, "min." #t, min_##t, T a, T b)                                                           \
    {                                                                                              \
        return lw__fmin_##t(a, b);                                                                 \
    }                                                                                              \
    PTX(T, "max." #t, max_##t, T a, T b)                                                           \
    {                                                                                              \
        return lw__fmax_##t(a, b);                                                                 \
    }                                                                                              \
    PTX(T, "abs." #t, abs_##t, T a)                                                                \
    {                                                                                              \
        return lw__fabs_##t(a);                                                                    \
    }                                                                                              \
    PTX(T, "neg." #t, neg_##t, T a)                                                                \
    {                                                                                              \
        return -a;                                                                                 \
    }                                                                                              \
    PTX(T, "copysign." #t, copysign_##t, T a, T b)                                                 \
    {                                                                                              \
        return lw__copysign_##t(b, a);                                                             \
    }                                                                                              \
    PTX(T, "rcp." #t, rcp_##t, T a)                                                                \
    {                                                                                              \
        return 1 / a;                                                                              \
    }                                                                                              \
    PTX(T, "sqrt." #t, sqrt_##t, T a)                                                              \
    {                                                                                              \
        return lw__sqrt_##t(a);                                                                    \
    }                                                                                              \
    PTX(T, "rsqrt." #t, rsqrt_##t, T a)                                                            \
    {                                                                                              \
        return lw__rsqrt_##t(a);                                                                   \
    }
FLOATS(float, f32)
FLOATS(double, f64)
PTX(float, "ex2.f32", ex2_f32, float a)
{
    return lw__exp2_f32(a);
}
PTX(float, "lg2.f32", lg2_f32, float a)
{
    return lw__log2_f32(a);
}
PTX(float, "sin.f32", sin_f32, float a)
{
    return lw__sin_f32(a);
}
PTX(float, "cos.f32", cos_f32, float a)
{
    return lw__cos_f32(a);
}
PTX(float, "tanh.f32", tanh_f32, float a)
{
    return lw__tanh_f32(a);
}
