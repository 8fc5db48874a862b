// Floating-point expressions mean what they say: no contraction, no reassociation, no flush to
// zero, round to nearest, IEEE division and square root; fma is explicit.
// run: -b 32 i32[1] f32[8]=1e8,1,3,0.1,1e-45,1.000244140625,-0.0,1e38 f64[8]=1e16,1,3,0.1,5e-324,1.000000007450580596923828125,-0.0,1e308
// expect: checked: i32[1] = [32]
#include <lanewise/kernel.h>

static uint32_t bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_float(const float *in)
{
    float big = in[0], one = in[1], three = in[2], tenth = in[3], tiny = in[4], next = in[5];
    float zero = in[6], huge = in[7];
    assert(big + one - big == 0 && big - big + one == 1);
    assert(next * next - 1 == 0x1p-11f && fma(next, next, -1.0f) == 0x1.0008p-11f);
    assert(bits32(one / three) == 0x3eaaaaab && bits32(sqrt(three)) == 0x3fddb3d7);
    assert(bits32(tenth * three) == 0x3e99999a && bits32(tenth + tenth + tenth) == 0x3e99999a);
    assert(tiny > 0 && bits32(tiny) == 1 && bits32(tiny * three) == 3 && tiny / 2 == 0);
    assert(bits32(0x1p-126f * one / 2) == 0x400000 && bits32(sqrt(tiny)) == 0x1a3504f3);
    assert(bits32(zero) == 0x80000000 && bits32(zero + 0.0f) == 0 &&
           bits32(zero * one) == 1u << 31);
    assert(huge * 10 == INFINITY && one / zero == -INFINITY && -huge * 10 == -INFINITY);
    assert(bits64(tenth) == 0x3fb99999a0000000 && (float)0.1 == tenth && (int)(three * 0.9f) == 2);
    assert(16777216.0f * one + one == 16777216.0f && (float)16777217 == 16777216.0f);
    assert(big + 5 * one != big && big + 4 * one == big);
}

static void check_double(const double *in)
{
    double big = in[0], one = in[1], three = in[2], tenth = in[3], tiny = in[4], next = in[5];
    double zero = in[6], huge = in[7];
    assert(big + one - big == 0 && big - big + one == 1);
    assert(next * next - 1 == 0x1p-26 && fma(next, next, -1.0) == 0x1.0000001p-26);
    assert(bits64(one / three) == 0x3fd5555555555555 && bits64(sqrt(three)) == 0x3ffbb67ae8584caa);
    assert(tenth + tenth + tenth != 0.3 && bits64(tenth * three) == 0x3fd3333333333334);
    assert(tiny > 0 && bits64(tiny) == 1 && bits64(tiny * three) == 3 && tiny / 2 == 0);
    assert(bits64(zero) == 1ull << 63 && bits64(zero + 0.0) == 0);
    assert(huge * 10 == INFINITY && one / zero == -INFINITY);
    assert((float)(1 + 0x1p-24 * one) == 1.0f && (float)(1 + 0x1.8p-23 * one) == 1.0f + 0x1p-22f);
    assert((double)INT64_MAX == 0x1p63 && (float)1e40 == INFINITY &&
           (long)(big * 0.5) == 5000000000000000);
}

/* NaN: unequal to all, passes through arithmetic, is no number's less or more. */
static void check_nan(float one)
{
    float nan = NAN * one, inf = INFINITY * one;
    assert(nan != nan && !(nan == nan) && !(nan < one) && !(nan >= one) && !(one > nan));
    assert(inf - inf != inf - inf && 0 * inf != 0 * inf && nan + one != nan + one);
    float root = sqrt(-one), quotient = (one - one) / (one - one);
    assert(root != root && quotient != quotient && (bool)nan);
    assert(fmin(nan, one) == one && fmax(one, nan) == one);
}

KERNEL void floats(int *checked, const float *f, const double *d)
{
    check_float(f);
    check_double(d);
    check_nan(f[1]);
    atomic_add(checked, 1);
}
