// Half and bfloat16: arithmetic of one and of two, conversions, comparisons, mathematics, reductions,
// products of matrices; bits of results, summed over threads with weights 1, 3, 5 ...
// run: -k half_arithmetic -b 8 'u32[23]'
// expect: out: u32[23] = [1479632, 1567617, 1547656, 2243411, 2242528, 1768424, 2659280, 1020880, 1070765, 2054435, 36, 45, 19, 28, 9, 55, 1567617, 2423246, 1980384, 19, 9, 0, 750595]
// run: -k half_pairs -b 8 'u32[23]'
// expect: out: u32[23] = [4089965441, 1547656, 997538643, 3904193922, 3053729760, 472421328, 470782928, 1455249069, 2481527808, 2481361872, 471407616, 1946710016, 4089965441, 997538643, 1479632, 2576948224, 2481361872, 3835101184, 3152150528, 3835101184, 3152150528, 0, 64]
// run: -k half_conversions -b 8 'u32[2,10]'
// expect: out: u32[2,10] = [[   1479706,    1479679,    1479729,    1479693,
// expect:                          9146,       9140,       9157,       9118,
// expect:                       1857150,    1102848],
// expect:                   [      9140, 3152150528,     983348,    1782040,
// expect:                       1645848,    1548056,    1640216,    1646300,
// expect:                       1530872,       9140]]
// run: -k half_maths -b 2 'i32[2,12]'
// expect: out: i32[2,12] = [[ 82,  71, -35, -50,  35,  71,  24,  44, 100, -15,  82,
// expect:                     50],
// expect:                   [224, 141,  20,  29,  61,  41,  50,   4,  33,   9, 224,
// expect:                     87]]
// run: -k bf_arithmetic -b 8 'u32[2,12]'
// expect: out: u32[2,12] = [[   1500318,    1539985,    1525692,    2212521,
// expect:                       2230028,    1752698,    2679966,    1041566,
// expect:                       1047795,         36,         28,    1539985],
// expect:                   [   2212521,    1040692,       9146, 3265855488,
// expect:                    2598567936, 3195666432, 2531917824, 3835559936,
// expect:                       1500318,    1500318,    1025664,    1539985]]
// run: -k half_saxpy -b 8 'f16[7]=iota' 'f16[7]=const:1' 0.5 7
// expect: y: f16[7] = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
// run: -k 'row_softmax<__half>' -g 2 -b 32 'f16[40]=0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0' 'f32[40]' 20
// expect: out: f32[40] = [8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 156.0, 8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 156.0, 8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0, 89.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0, 89.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0]
// run: -k 'row_softmax<__nv_bfloat16>' -g 2 -b 32 'bf16[40]=0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0,2.5,3.0,0.0,0.5,1.0,1.5,2.0' 'f32[40]' 20
// expect: out: f32[40] = [8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 156.0, 8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 156.0, 8.0, 13.0, 21.0, 35.0, 58.0, 95.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0, 89.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0, 89.0, 147.0, 7.0, 12.0, 20.0, 33.0, 54.0]
// run: -k half_dot -b 32 'f16[40]=iota' 'f16[40]=const:0.5' 'f32[1]' 20
// expect: out: f32[1] = [390.0]
// run: -k half_matmul -b 4,4 'f16[16]=0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0' 'f16[16]=0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0' 'f16[16]' 4
// expect: c: f16[16] = [16.0, 17.0, 13.0, 4.0, 7.0, 14.0, 16.0, 13.0, 18.0, 6.0, 14.0, 17.0, 24.0, 18.0, 7.0, 16.0]
// run: -k half_atomics -b 32 'f16[1]' 'struct[1]'
// expect: h: f16[1] = [16.0]
// expect: p: struct[1] = [{32.0, -8.0}]
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define EACH(value) atomicAdd(&out[i++], (unsigned)(value) * (2 * threadIdx.x + 1));
#define H(x) __half_as_ushort(x)
#define B(x) __bfloat16_as_ushort(x)

__constant__ float as[8] = {1.5f, -2.25f, 0.1f, 1000.0f, 3.0f, -0.3333f, 65000.0f, 1e-5f};
__constant__ float bs[8] = {0.75f, 4.0f, 0.7f, -3.3f, 3.0f, 2.5f, 700.0f, -2e-5f};

__global__ void half_arithmetic(unsigned *out)
{
    int i = 0;
    const __half a = __float2half(as[threadIdx.x]), b = __float2half_rn(bs[threadIdx.x]);
    EACH(H(a))
    EACH(H(__hadd(a, b))) EACH(H(__hsub(a, b))) EACH(H(__hmul(a, b))) EACH(H(__hdiv(a, b)))
        EACH(H(__hfma(a, b, a))) EACH(H(__hneg(a))) EACH(H(__habs(a))) EACH(H(__hmax(a, b)))
            EACH(H(__hmin(a, b))) EACH(__hgt(a, b)) EACH(__hge(a, b)) EACH(__hlt(a, b))
                EACH(__hle(a, b)) EACH(__heq(a, b)) EACH(__hne(a, b)) EACH(H(a + b))
                    EACH(H(a * b - a)) EACH(H(-a / b)) EACH(a < b) EACH(a == b)
                        EACH(__hisnan(a - a)) EACH(H(__hadd_sat(a, b)))
}
__global__ void half_pairs(unsigned *out)
{
    int i = 0;
    const __half a = __float2half(as[threadIdx.x]), b = __float2half(bs[threadIdx.x]);
    const __half2 p = __halves2half2(a, b), q = __half2half2(b), r = make_half2(b, a);
    auto bits = [](__half2 v) { return H(__low2half(v)) | (unsigned)H(__high2half(v)) << 16; };
    EACH(bits(__hadd2(p, q)))
    EACH(bits(__hsub2(p, q))) EACH(bits(__hmul2(p, r))) EACH(bits(__hfma2(p, q, r)))
        EACH(bits(__h2div(p, r))) EACH(bits(__hneg2(p))) EACH(bits(__habs2(p)))
            EACH(bits(__hmax2(p, r))) EACH(bits(__lowhigh2highlow(p))) EACH(bits(__low2half2(p)))
                EACH(bits(__high2half2(p))) EACH(bits(__hgt2(p, r))) EACH(bits(p + q))
                    EACH(bits(p * r)) EACH(bits(__float22half2_rn(make_float2(as[threadIdx.x], 2))))
                        EACH(bits(__floats2half2_rn(bs[threadIdx.x], 0.1f)))
                            EACH(bits(__float2half2_rn(as[threadIdx.x]))) const float2 f =
                                __half22float2(p);
    EACH(__float_as_uint(f.x))
    EACH(__float_as_uint(f.y)) EACH(__float_as_uint(__low2float(p)))
        EACH(__float_as_uint(__high2float(p))) EACH(__hbgt2(p, r)) EACH(__hbeq2(p, p))
}
__global__ void half_conversions(unsigned *out)
{
    int i = 0;
    const float f = as[threadIdx.x] * 1.0009f;
    const __half h = __float2half(bs[threadIdx.x]);
    EACH(H(__float2half_rn(f)))
    EACH(H(__float2half_rz(f))) EACH(H(__float2half_ru(f))) EACH(H(__float2half_rd(f)))
        EACH(__half2int_rn(h)) EACH(__half2int_rz(h)) EACH(__half2int_ru(h)) EACH(__half2int_rd(h))
            EACH(H(__int2half_rn(3333 * (int)threadIdx.x))) EACH(H(__uint2half_rn(threadIdx.x)))
                EACH(__half2ll_rz(h)) EACH(__float_as_uint(__half2float(h)))
                    EACH(H(__ushort_as_half((unsigned short)(0x3c00 + threadIdx.x))))
                        EACH(H(hfloor(h))) EACH(H(hceil(h))) EACH(H(htrunc(h))) EACH(H(hrint(h)))
                            EACH(H(__double2half(bs[threadIdx.x] * 1.01)))
                                EACH(H(__short2half_rn((short)(threadIdx.x * 100))))
                                    EACH(__half2short_rz(h))
}
__global__ void half_maths(int *out)
{
    int i = threadIdx.x * 12;
    const __half h = __float2half(0.5f + threadIdx.x);
#define S(x) out[i++] = (int)rintf(__half2float(x) * 50);
    S(hexp(h))
    S(hexp2(h)) S(hlog(h)) S(hlog2(h)) S(hsqrt(h)) S(hrsqrt(h)) S(hsin(h)) S(hcos(h)) S(hrcp(h))
        S(hlog10(h)) S(__low2half(h2exp(__half2half2(h))))
            S(__high2half(h2sqrt(make_half2(h, h + h))))
}

__global__ void bf_arithmetic(unsigned *out)
{
    int i = 0;
    const __nv_bfloat16 a = __float2bfloat16(as[threadIdx.x]),
                        b = __float2bfloat16_rn(bs[threadIdx.x]);
    EACH(B(a))
    EACH(B(__hadd(a, b))) EACH(B(__hsub(a, b))) EACH(B(__hmul(a, b))) EACH(B(__hdiv(a, b)))
        EACH(B(__hfma(a, b, a))) EACH(B(__hneg(a))) EACH(B(__habs(a))) EACH(B(__hmax(a, b)))
            EACH(__hgt(a, b)) EACH(a <= b) EACH(B(a + b)) EACH(B(a * b))
                EACH(B(__ushort_as_bfloat16((unsigned short)(0x3f80 + threadIdx.x))))
                    EACH(__bfloat162int_rn(b)) const __nv_bfloat162 p = __halves2bfloat162(a, b),
                                                                    q = __bfloat162bfloat162(b);
    const float2 f = __bfloat1622float2(__hmul2(p, q));
    EACH(__float_as_uint(f.x))
    EACH(__float_as_uint(f.y)) const float2 g = __bfloat1622float2(__hfma2(p, q, p));
    EACH(__float_as_uint(g.x))
    EACH(__float_as_uint(g.y)) EACH(__float_as_uint(__bfloat162float(a))) const __nv_bfloat162 c =
        __float22bfloat162_rn(make_float2(as[threadIdx.x], bs[threadIdx.x]));
    const __nv_bfloat162 d = __floats2bfloat162_rn(bs[threadIdx.x], as[threadIdx.x]),
                         e = __float2bfloat162_rn(0.3f);
    EACH(B(c.x)) EACH(B(__high2bfloat16(d))) EACH(B(e.y)) EACH(B(__low2bfloat16(__hadd2(c, d))))
}

/* ---- In use -------------------------------------------------------------------------------- */

__global__ void half_saxpy(const __half *x, __half *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    __half2 *y2 = reinterpret_cast<__half2 *>(y);
    if (i < n / 2)
        y2[i] = __hfma2(__float2half2_rn(a), x2[i], y2[i]);
    if (i == 0 && n % 2)
        y[n - 1] = __float2half(a * __half2float(x[n - 1]) + __half2float(y[n - 1]));
}

template <class T> __device__ float widen(T v)
{
    return float(v);
}
template <> __device__ float widen(__half v)
{
    return __half2float(v);
}
template <> __device__ float widen(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}
template <class T> __global__ void row_softmax(const T *in, float *out, int columns)
{
    const T *row = in + blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += 32)
        most = fmaxf(most, widen(row[c]));
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int c = threadIdx.x; c < columns; c += 32)
        sum += __expf(widen(row[c]) - most);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int c = threadIdx.x; c < columns; c += 32)
        out[blockIdx.x * columns + c] = rintf(__expf(widen(row[c]) - most) / sum * 1000);
}

__global__ void half_dot(const __half *x, const __half *y, float *out, int pairs)
{
    const __half2 *a = (const __half2 *)x, *b = (const __half2 *)y;
    __half2 sum = __float2half2_rn(0.f);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        sum = __hfma2(a[i], b[i], sum);
    for (int d = 16; d > 0; d /= 2)
        sum = __hadd2(sum, __shfl_down_sync(0xffffffff, sum, d));
    if (threadIdx.x == 0)
        *out = __low2float(sum) + __high2float(sum);
}

__global__ void half_matmul(const half *a, const half *b, half *c, int n)
{
    __shared__ half sa[4][4], sb[4][4];
    const int x = threadIdx.x, y = threadIdx.y;
    half acc = __float2half(0.0f);
    for (int k = 0; k < n; k += 4) {
        sa[y][x] = a[(blockIdx.y * 4 + y) * n + k + x];
        sb[y][x] = b[(k + y) * n + blockIdx.x * 4 + x];
        __syncthreads();
        for (int j = 0; j < 4; j++)
            acc += sa[y][j] * sb[j][x];
        __syncthreads();
    }
    c[(blockIdx.y * 4 + y) * n + blockIdx.x * 4 + x] = acc;
}

__global__ void half_atomics(__half *h, __half2 *p)
{
    atomicAdd(h, __float2half(0.5f));
    atomicAdd(p, make_half2(__float2half(1), __float2half(-0.25f)));
}
