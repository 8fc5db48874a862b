// What a kernel does besides computing: clocks grow, asserts tell their text, printf, memory's
// functions, vector layouts.
// run: -k clocks -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k fails -g 1 -b 1 3
// status: 4
// stderr: cuda-program.cu:34: assertion 'n == 2 && "two"' failed
// run: -k prints -g 1 -b 1 7
// expect: [block 0,0,0 thread 0,0,0] 7 and 1.5
// run: -k memory -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k layouts -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <cassert>
#include <cstddef>

#define CHECK(condition) *wrong += (condition) ? 0 : 1

__global__ void clocks(int *wrong)
{
    const clock_t begin = clock();
    const long long long_begin = clock64();
    __nanosleep(100);
    CHECK(clock() > begin && clock64() > long_begin);
}

__global__ void prints(int n)
{
    printf("%d and %g\n", n, 1.5f);
}

__global__ void fails(int n)
{
    assert(n == 2 && "two");
}

__global__ void memory(int *wrong)
{
    int a[4] = {1, 2, 3, 4}, b[4];
    memcpy(b, a, sizeof(a));
    memset(a, -1, 8);
    CHECK(b[3] == 4 && a[1] == -1 && a[2] == 3 && memcmp(a, b, 16) != 0 && memcmp(b, b, 16) == 0);
    memmove(b, b + 1, 12);
    CHECK(b[0] == 2 && b[3] == 4 && __ldg(b + 2) == 4 && __ldcs(&b[1]) == 3);
    __stcs(&b[0], 9);
    CHECK(b[0] == 9);
}

struct mixed {
    char c;
    float3 f;
    float4 g;
};

__global__ void layouts(int *wrong)
{
    CHECK(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16);
    CHECK(alignof(float2) == 8 && sizeof(uchar3) == 3 && alignof(uchar4) == 4);
    CHECK(alignof(short4) == 8 && alignof(double4) == 16 && alignof(ulonglong2) == 16);
    CHECK(offsetof(mixed, f) == 4 && offsetof(mixed, g) == 16 && sizeof(dim3) == 12);
    const float4 v = make_float4(1, 2, 3, 4);
    CHECK(v.w == 4 && make_uchar3(1, 2, 255).z == 255 && make_longlong2(5, -6).y == -6);
}
