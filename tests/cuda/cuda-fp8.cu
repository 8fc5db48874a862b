// Every number of 8 bits survives float; ties go to even; what is too large saturates.
// run: -k all -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <cuda_fp8.h>

#define CHECK(condition) *wrong += (condition) ? 0 : 1

__global__ void all(int *wrong)
{
    for (unsigned code = 0; code < 256; code++) {
        __nv_fp8_e4m3 a;
        __nv_fp8_e5m2 b;
        a.__x = b.__x = (unsigned char)code;
        const float x = (float)a, y = (float)b;
        CHECK(isnan(x) ? (code & 0x7f) == 0x7f : __nv_fp8_e4m3(x).__x == code);
        CHECK(isnan(y) ? (code & 0x7f) > 0x7c
                       : __nv_cvt_float_to_fp8(y, __NV_NOSAT, __NV_E5M2) == code);
    }
    CHECK((float)__nv_fp8_e4m3(1e9f) == 448 && (float)__nv_fp8_e5m2(-INFINITY) == -57344);
    CHECK(isnan((float)__nv_fp8_e4m3(NAN)) && (float)__nv_fp8_e4m3(464.0f) == 448);
    CHECK(__nv_cvt_float_to_fp8(465, __NV_NOSAT, __NV_E4M3) == 0x7f);
    CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c);
    CHECK((float)__nv_fp8_e4m3(1.0625f) == 1 && (float)__nv_fp8_e4m3(1.1875f) == 1.25f);
    CHECK((float)__nv_fp8_e4m3(1.0625 + 0x1p-50) == 1.125f);
    CHECK((float)__nv_fp8_e4m3(0x1p-10f) == 0 && (float)__nv_fp8_e4m3(0x1.8p-9f) == 0x1p-8f);
    CHECK((float)__half(__nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3)) == 1);
    const float4 v = (float4)__nv_fp8x4_e4m3(make_float4(1, -2, 3, 1000));
    CHECK(v.x == 1 && v.y == -2 && v.z == 3 && v.w == 448);
}
