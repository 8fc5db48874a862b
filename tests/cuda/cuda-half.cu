// Every half survives float; narrowing rounds ties to even, down, up and to zero; operations round
// once; comparisons know NaN.
// run: -k halves -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k bfloats -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define CHECK(condition) *wrong += (condition) ? 0 : 1

__global__ void halves(int *wrong)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const __half h = __ushort_as_half((unsigned short)bits);
        const float f = __half2float(h);
        if (__hisnan(h)) {
            CHECK(f != f && __hneu(h, h) && !__heq(h, h));
            continue;
        }
        CHECK(__half_as_ushort(__float2half(f)) == bits);
        CHECK(__half_as_ushort(__float2half_rd(f)) == bits);
        CHECK(__half_as_ushort(__float2half_ru(f)) == bits);
        CHECK(__half_as_ushort(__double2half(f)) == bits);
    }
    /* 1 + 2^-11 lies between 1 and the next half, 1 + 2^-10. */
    const float tie = 1 + 0x1p-11f, next = 1 + 0x1p-10f;
    CHECK(__half2float(__float2half_rn(tie)) == 1);
    CHECK(__half2float(__float2half_rn(tie + 0x1p-20f)) == next);
    CHECK(__half2float(__float2half_rd(tie)) == 1 && __half2float(__float2half_ru(tie)) == next);
    CHECK(__half2float(__float2half_rz(-tie)) == -1);
    CHECK(__half2float(__float2half_rd(-tie)) == -next);
    CHECK(__hisinf(__float2half(65520.0f)) == 1 && __half2float(__float2half_rz(1e9f)) == 65504);
    CHECK(__half2float(__double2half(1 + 0x1p-11 + 0x1p-40)) == next);
    /* The square of 1 + 2^-6 is 1 + 2^-5 + 2^-12, whose last term a half beside 1 does not have. */
    const __half a = __float2half(1 + 0x1p-6f), one = __float2half(1);
    CHECK(__half2float(__hfma(a, a, __hneg(one))) == 0x1p-5f + 0x1p-12f);
    CHECK(__half2float(a * a - one) == 0x1p-5f);
    CHECK(__half2int_rd(__float2half(-2.5f)) == -3 && __half2int_rn(__float2half(2.5f)) == 2);
    CHECK(__half2float(__int2half_rn(2049)) == 2048 && __half2float(__int2half_ru(2049)) == 2050);
    CHECK(__half2float(__ull2half_rz(1ull << 60)) == 65504);
    const __half2 p = __floats2half2_rn(1, 2), q = __hfma2(p, p, p);
    CHECK(__low2float(q) == 2 && __high2float(q) == 6 && sizeof(p) == 4);
    CHECK(__half22float2(__lowhigh2highlow(q)).x == 6 && __hbeq2(p, p) && p != q);
    CHECK(__hgt2_mask(q, __half2half2(__float2half(3))) == 0xffff0000);
    CHECK(__half2float(__hmin(one, __ushort_as_half(0x7fff))) == 1);
    CHECK(__hisnan(__hmin_nan(one, __ushort_as_half(0x7fff))));
    CHECK(__half2float(hsqrt(__float2half(9))) == 3 && (float)hexp2(__float2half(3)) == 8);
    CHECK(__half2float(__hadd_sat(one, one)) == 1);
}

__global__ void bfloats(int *wrong)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)bits);
        const float f = __bfloat162float(b);
        CHECK(__hisnan(b) ? f != f : __bfloat16_as_ushort(__float2bfloat16(f)) == bits);
    }
    const float tie = 1 + 0x1p-8f, next = 1 + 0x1p-7f;
    CHECK(__bfloat162float(__float2bfloat16_rn(tie)) == 1);
    CHECK(__bfloat162float(__float2bfloat16_rn(next + 0x1p-8f)) == 1 + 0x1p-6f);
    CHECK(__bfloat162float(__float2bfloat16_ru(tie)) == next);
    CHECK(__bfloat162float(__double2bfloat16(tie + 0x1p-40)) == next);
    CHECK(__bfloat162float(__int2bfloat16_rn(16842753)) == 16908288);
    /* 2^24 + 2^16 is a tie, which the 2^-100 of the sum decides. */
    const __nv_bfloat16 big = __float2bfloat16(0x1p12f + 0x1p5f);
    const __nv_bfloat16 tiny = __float2bfloat16(0x1p-100f);
    CHECK(__bfloat162float(__hfma(big, __float2bfloat16(0x1p12f + 0x1p5f), tiny)) ==
          0x1p24f + 0x1p18f);
    const __nv_bfloat162 p = __floats2bfloat162_rn(1, 2);
    CHECK(__bfloat1622float2(p + p).y == 4 && (float)(p.x / p.y) == 0.5f);
}
