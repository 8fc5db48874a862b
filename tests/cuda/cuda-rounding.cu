// Directed rounding: sums, products, quotients, roots and conversions, at their ends too.
// run: -k all -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <math_constants.h>

#define CHECK(condition) *wrong += (condition) ? 0 : 1

__global__ void all(int *wrong)
{
    const float up = 1 + 0x1p-23f, tiny = 0x1p-149f, most = 3.402823466e38f;
    CHECK(__fadd_rd(1, tiny) == 1 && __fadd_ru(1, tiny) == up && __fadd_rz(-1, -tiny) == -1);
    CHECK(__fadd_rd(-1, -tiny) == -up && __fadd_rn(1, 0x1p-24f) == 1);
    CHECK(signbit(__fadd_rd(1, -1)) && !signbit(__fadd_ru(1, -1)));
    CHECK(__fadd_rd(most, most) == most && isinf(__fadd_ru(most, most)));
    CHECK(__fmul_ru(tiny, 0.5f) == tiny && __fmul_rd(tiny, 0.5f) == 0);
    CHECK(__fmul_ru(0.1f, 0.1f) > __fmul_rd(0.1f, 0.1f));
    CHECK(__fdiv_rd(1, 3) < __fdiv_ru(1, 3) && __fdiv_ru(6, 3) == 2 && __fdiv_rd(6, 3) == 2);
    CHECK(__fsqrt_rd(2) < __fsqrt_ru(2) && __fsqrt_rd(9) == 3 && __fsqrt_ru(9) == 3);
    CHECK(__frcp_ru(3) * 3 >= 1 && __frsqrt_rn(4) == 0.5f);
    CHECK(__fmaf_rd(up, up, -1) == 0x1p-22f && __fmaf_ru(1, tiny, 1) == up);

    const double more = 1 + 0x1p-52, least = 0x1p-1074, huge = 1.7976931348623157e308;
    CHECK(__dadd_rd(1, least) == 1 && __dadd_ru(1, least) == more);
    CHECK(__dmul_ru(least, 0.5) == least && __dmul_rd(least, 0.5) == 0);
    CHECK(__dmul_rd(huge, 2) == huge && isinf(__dmul_ru(huge, 2)));
    CHECK(__ddiv_rd(1, 3) < __ddiv_ru(1, 3) && __ddiv_ru(least, 2) == least);
    CHECK(__dsqrt_rd(2) < __dsqrt_ru(2) && __dsqrt_ru(0x1p-1074) == 0x1p-537);
    CHECK(__fma_rd(more, more, -1) == 0x1p-51 && __fma_ru(more, more, -1) == 0x1p-51 + 0x1p-103);
    CHECK(__fma_ru(huge, huge, -CUDART_INF) == -CUDART_INF && isnan(__drcp_rn(CUDART_NAN)));
    CHECK(__drcp_rn(4) == 0.25);

    CHECK(__float2int_rd(-1.5f) == -2 && __float2int_ru(-1.5f) == -1);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2);
    CHECK(__float2int_rn(3e9f) == 0x7fffffff && __float2uint_rn(-1) == 0);
    CHECK(__float2int_rz(CUDART_NAN_F) == 0 && __double2uint_rd(5e9) == 0xffffffff);
    CHECK(__double2ll_rd(-0.5) == -1 && __double2ull_ru(0.5) == 1);
    CHECK(__float2ll_rz(1e30f) == 0x7fffffffffffffff);
    CHECK(__int2float_rd(16777217) == 16777216 && __int2float_ru(16777217) == 16777218);
    CHECK(__uint2float_ru(0xffffffff) == 0x1p32f && __uint2float_rz(0xffffffff) < 0x1p32f);
    CHECK(__ll2double_rd(0x20000000000001) == 0x1p53 && __ll2double_ru(0x20000000000001) > 0x1p53);
    CHECK(__ull2float_rz(~0ull) < 0x1p64f && __ull2float_rn(~0ull) == 0x1p64f);
    CHECK(__double2float_rd(1 + 0x1p-30) == 1 && __double2float_ru(1 + 0x1p-30) == up);
    CHECK(__saturatef(2) == 1 && __saturatef(-1) == 0 && __saturatef(CUDART_NAN_F) == 0);
}
