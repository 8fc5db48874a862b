// What the device offers besides: printf, assert, traps, clocks, random numbers, constants, copies of
// memory, hints for the cache, numbers of the launch.
// run: -k hello -g 2 -b 32
// expect: [block 0,0,0 thread 0,0,0] block 0 of 2, first  0.00 7%
// expect: [block 1,0,0 thread 0,0,0] block 1 of 2, then  1.50 7%
// run: -k formats -b 2 -- -5 3.25
// expect: [block 0,0,0 thread 0,0,0] -5 18446744073709551612 beef 0003.250 3.250000e+00 q|42    |+5 (nil)
// expect: [block 0,0,0 thread 0,0,0] no arguments
// expect: [block 0,0,0 thread 0,0,0] 1 12 4464 0.5
// run: -k checks -b 4 'i32[4]=iota' 'i32[4]' 4
// expect: y: i32[4] = [1, 2, 3, 4]
// run: -k checks -b 4 'i32[4]=iota' 'i32[4]' 3
// status: 4
// stderr: services.cu:
// stderr: x[i] < limit
// stderr: thread (3,0,0)
// run: -k traps -b 4 'i32[4]=iota'
// status: 4
// stderr: __trap()
// stderr: services.cu:
// run: -k clocks -b 4 'i32[4]'
// expect: out: i32[4] = [15, 15, 15, 15]
// run: -k philox -b 1 'u32[7]'
// expect: out: u32[7] = [1713891541, 3781805453, 3159862348, 2600524760, 3159862348, 1, 1]
// run: -k uniform -b 64 'i32[3]=0,0,1' 100
// expect: out: i32[3] = [1, 1, 1]
// run: -k normal -b 64 'i32[2]' 40
// expect: out: i32[2] = [1, 1]
// run: -k hints -b 8 'f32[4]=iota' 'f32[17]' 'struct[1]' 4
// expect: out: f32[17] = [0.0, 5.0, 10.0, 15.0, 1.0, 6.0, 11.0, 16.0, 2.0, 7.0, 12.0, 17.0, 3.0, 8.0, 13.0, 18.0, 6.0]
// run: -k copies -b 1 'u8[5]=1,2,3,4,5' 'u8[18]' 5
// expect: out: u8[18] = [7, 7, 1, 2, 1, 2, 3, 4, 5, 7, 7, 7, 7, 7, 7, 7, 1, 4]
// run: -k constants -b 6 'f32[13]' 'u8[6]'
// expect: out: f32[13] = [22.0, 23.5, 29.0, 28.5, 39.0, 35.5, 30.0, 21.0, 14.0, 9.0, 6.0, 5.0, -1.0]
// expect: text: u8[6] = [48, 55, 101, 53, 99, 51]
// run: -k launch_numbers -g 2,3,2 -b 4,2,2 'i32[11]'
// expect: out: i32[11] = [2, 3, 2, 4, 2, 2, 1, 3, 32, 800, 23]
// run: -k short_vectors -b 1 'i32[14]'
// expect: out: i32[14] = [-6, 503, -30, 79, 3814, 20, 3, 4, 1203, 1608, 1624, 16, 28, 14]
#include <cassert>
#include <cstdio>
#include <cstring>
#include <curand_kernel.h>
#include <math_constants.h>

__global__ void hello()
{
    if (threadIdx.x == 0)
        printf("block %d of %d, %s %5.2f %u%%\n", blockIdx.x, gridDim.x,
               blockIdx.x ? "then" : "first", 1.5 * blockIdx.x, 7u);
}
__global__ void formats(long long big, double d)
{
    if (threadIdx.x)
        return;
    printf("%lld %llu %x %08.3f %e %c|%-6d|%+d %p\n", big, (unsigned long long)big + 1, 48879, d, d,
           'q', 42, 5, (void *)nullptr);
    printf("no arguments\n");
    int n = printf("%s", "");
    printf("%d %ld %hd %g\n", n, sizeof(float3), (short)70000, CUDART_PI_F > 3 ? 0.5f : 0);
}

__global__ void checks(const int *x, int *y, int limit)
{
    const int i = threadIdx.x;
    assert(x[i] < limit);
    y[i] = x[i] + 1;
}
__global__ void traps(int *x)
{
    if (x[threadIdx.x] == 3)
        __trap();
    x[threadIdx.x] = 9;
}

__global__ void clocks(int *out)
{
    const long long t0 = clock64();
    const clock_t c0 = clock();
    unsigned v = threadIdx.x;
    for (int i = 0; i < 100; i++)
        v = v * 3 + 1;
    __nanosleep(10);
    const long long t1 = clock64();
    const clock_t c1 = clock();
    const unsigned long long g = __globaltimer();
    out[threadIdx.x] = (t1 - t0 >= 0) + 2 * ((int)(c1 - c0) >= 0) + 4 * (v != 77) + 8 * (g > 0);
}

/* ---- Random numbers ------------------------------------------------------------------------ */

__global__ void philox(unsigned *out)
{
    curandStatePhilox4_32_10_t s;
    curand_init(0, 0, 0, &s);
    for (int i = 0; i < 4; i++)
        out[i] = curand(&s);
    curand_init(0, 0, 2, &s);
    out[4] = curand(&s);
    curand_init(~0ull, ~0ull, 0, &s);
    skipahead(~0ull, &s), skipahead(~0ull, &s), skipahead(~0ull, &s), skipahead(~0ull, &s);
    curand_init(1234, threadIdx.x, 0, &s);
    uint4 four = curand4(&s);
    curandStatePhilox4_32_10_t again = s;
    out[5] = curand(&s) == curand(&again);
    curand_init(1234, threadIdx.x, 0, &again);
    out[6] = curand(&again) == four.x && curand(&again) == four.y;
}
__global__ void uniform(int *out, int n)
{
    curandState s;
    curand_init(42, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    int inside = 0, low = 0;
    bool ranges = true;
    for (int i = 0; i < n; i++) {
        const float x = curand_uniform(&s), y = curand_uniform(&s);
        const double d = curand_uniform_double(&s);
        inside += x * x + y * y <= 1;
        low += x < 0.25f;
        ranges &= x > 0 && x <= 1 && y > 0 && y <= 1 && d > 0 && d <= 1;
    }
    atomicAdd(&out[0], inside);
    atomicAdd(&out[1], low);
    atomicAnd(&out[2], ranges);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int all = n * blockDim.x;
        out[0] = abs(out[0] - all * 0.7854f) < 0.03f * all;
        out[1] = abs(out[1] - all * 0.25f) < 0.03f * all;
    }
}
__global__ void normal(int *out, int n)
{
    __shared__ float sum, squares;
    if (threadIdx.x == 0)
        sum = squares = 0;
    __syncthreads();
    curandStatePhilox4_32_10_t s;
    curand_init(7, threadIdx.x, 0, &s);
    for (int i = 0; i < n; i++) {
        const float4 v = curand_normal4(&s);
        const float2 w = curand_normal2(&s);
        const float u = curand_normal(&s) + (float)curand_normal_double(&s) * 0;
        const float4 f = curand_uniform4(&s);
        atomicAdd(&sum, v.x + v.y + v.z + v.w + w.x + w.y + u + 0 * f.x);
        atomicAdd(&squares,
                  v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w + w.x * w.x + w.y * w.y + u * u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const float count = 7.f * n * blockDim.x;
        out[0] = fabsf(sum / count) < 0.05f;
        out[1] = fabsf(squares / count - 1) < 0.05f;
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

__global__ void hints(const float *in, float *out, const int4 *, int n)
{
    const int i = threadIdx.x;
    if (i >= n)
        return;
    float v = __ldg(in + i) + __ldcs(&in[i]) + __ldcg(in + i) + __ldca(in + i) + __ldcv(in + i);
    __stcs(out + i, v);
    __stcg(&out[n + i], v + 1);
    __stwt(&out[2 * n + i], v + 2);
    __stwb(&out[3 * n + i], v + 3);
    const float4 q = __ldg((const float4 *)in);
    if (i == 0)
        out[4 * n] = q.x + q.y + q.z + q.w;
}

__global__ void copies(const unsigned char *in, unsigned char *out, int n)
{
    unsigned char local[16];
    memset(local, 7, sizeof local);
    memcpy(local + 2, in, n);
    memmove(local + 4, local + 2, n);
    memcpy(out, local, 16);
    out[16] = memcmp(local + 4, in, n) == 0;
    out[17] = strlen("four");
}

struct Config {
    float scale[2];
    int3 offset;
};
__constant__ Config config = {{2, 0.5f}, {10, 20, 30}};
__constant__ unsigned char digits[] = "0123456789abcdef";
__device__ const int primes[] = {2, 3, 5, 7, 11, 13};
__device__ int scratch[8];
__device__ float *pointer_kept;
__managed__ int managed = 5;
__global__ void constants(float *out, unsigned char *text)
{
    const int i = threadIdx.x;
    out[i] = config.scale[i & 1] * i + config.offset.y + primes[i];
    text[i] = digits[(i * 7) & 15];
    scratch[i] = i * i;
    if (i == 0)
        pointer_kept = out;
    __syncthreads();
    out[6 + i] = scratch[5 - i] + managed;
    if (i == 3)
        pointer_kept[12] = -1;
}

__global__ void launch_numbers(int *out)
{
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1 && blockIdx.y == 1 &&
        threadIdx.y == 1) {
        out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z, out[3] = blockDim.x,
        out[4] = blockDim.y;
        out[5] = blockDim.z, out[6] = blockIdx.x, out[7] = threadIdx.x, out[8] = warpSize,
        out[9] = __CUDA_ARCH__;
        dim3 d(4, 5);
        uint3 u = make_uint3(1, 2, 3);
        out[10] = d.x * d.y * d.z + u.z;
    }
}

/* Makers and layouts of the short vectors. */
__global__ void short_vectors(int *out)
{
    const char4 c = make_char4(1, -2, 3, -4);
    const uchar4 u = make_uchar4(250, 251, 252, 253);
    const short2 s = make_short2(-5, 6);
    const int3 i = make_int3(7, 8, 9);
    const uint4 w = make_uint4(1, 2, 3, 4000000000u);
    const double2 d = make_double2(0.5, 1.5);
    const longlong2 l = make_longlong2(1ll << 40, -1);
    const float3 f[2] = {{1, 2, 3}, {4, 5, 6}};
    out[0] = c.y + c.w, out[1] = u.x + u.w, out[2] = s.x * s.y, out[3] = i.x + i.y * i.z,
    out[4] = (int)(w.w >> 20);
    out[5] = (d.x + d.y) * 10, out[6] = (int)(l.x >> 38) + (int)l.y, out[7] = ((const float *)f)[3];
    out[8] = sizeof(float3) * 100 + sizeof(uchar3), out[9] = alignof(float4) * 100 + alignof(int2);
    out[10] = alignof(double2) * 100 + sizeof(double3), out[11] = sizeof(dim3) + make_uint2(3, 4).y;
    out[12] = make_double4(1, 2, 3, 4).w + make_float2(5, 6).x + make_uchar2(7, 8).y +
              make_uchar3(9, 10, 11).z;
    out[13] = make_ulong4(1, 2, 3, 4).z + make_ushort4(5, 6, 7, 8).w + make_double3(1, 2, 3).z;
}
