// Reductions: trees in shared memory, by shuffles of widths 32, 16 and 8, __reduce_*_sync, atomics,
// counts of a block, the last block that ends, cooperative groups.
// run: -k interleaved -g 2 -b 32 --shared 128 'i32[64]=iota' 'i32[2]'
// expect: out: i32[2] = [496, 1520]
// run: -k sequential -g 2 -b 16 --shared 64 'f32[60]=iota' 'f32[2]' 60
// expect: out: f32[2] = [496.0, 1274.0]
// run: -k 'unrolled<64>' -g 2 -b 64 'i32[1000]=iota' 'i32[2]' 1000
// expect: out: i32[2] = [245504, 253996]
// run: -k 'unrolled<256>' -g 2 -b 256 'i32[1000]=iota' 'i32[2]' 1000
// expect: out: i32[2] = [196352, 303148]
// run: -k by_warps -g 3 -b 128 'i32[1000]=iota' 'i32[1]' 1000
// expect: out: i32[1] = [499500]
// run: -k 'sections<16, int>' -b 32 'i32[32]=0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36' 'i32[4]'
// expect: out: i32[4] = [703, 94, 883, 100]
// run: -k 'sections<8, float>' -b 32 'f32[32]=0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36' 'f32[8]'
// expect: out: f32[8] = [329.0, 84.0, 374.0, 94.0, 419.0, 97.0, 464.0, 100.0]
// run: -k 'sections<4, double>' -b 32 'f64[32]=0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36' 'f64[16]'
// expect: out: f64[16] = [121.0, 74.0, 208.0, 84.0, 194.0, 94.0, 180.0, 77.0, 267.0, 97.0, 152.0, 70.0, 239.0, 90.0, 225.0, 100.0]
// run: -k hardware -b 32 'i32[32]=0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36' 'i32[10]'
// expect: out: i32[10] = [1586, 0, 100, 64, 127, 116, 1257, 3, 329, 84]
// run: -k last_block -g 5 -b 64 'i32[1000]=iota' 'i32[2]' 1000
// expect: out: i32[2] = [499500, 5]
// run: -k counts -b 64 'i32[64]=iota' 'i32[5]'
// expect: out: i32[5] = [32, 1, 1, 0, 0]
// run: -k argmax -b 32 'f32[40]=3,9,2,9,1,3,9,2,9,1,3,9,2,9,1,3,9,2,9,1,3,9,2,9,1,3,9,2,9,1,3,9,2,9,1,3,9,2,9,1' 'i32[1]' 'f32[1]' 40
// expect: where: i32[1] = [1]
// expect: best: f32[1] = [9.0]
// run: -k groups -b 64 'i32[64]=iota' 'i32[6]'
// expect: out: i32[6] = [1520, 56, 63, 165, 11, 32]
// run: -k 'centroid<16>' -b 16 'f32[48]=iota' 'f32[3]'
// expect: out: f32[3] = [22.5, 23.5, 24.5]
// run: -k moments -b 32 'f32[64]=iota' 'f32[2]' 64
// expect: out: f32[2] = [31.5, 341.25]
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu

__global__ void interleaved(const int *in, int *out)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void sequential(const float *in, float *out, unsigned n)
{
    extern __shared__ float f[];
    unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    float mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n)
        mine += in[i + blockDim.x];
    f[t] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            f[t] = mine = mine + f[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = mine;
}

/* Unrolled by the block's size, the last warp by itself. */
template <unsigned SIZE> __device__ void warp_tail(volatile int *s, unsigned t)
{
    if constexpr (SIZE >= 64) {
        s[t] += s[t + 32];
        __syncwarp();
    }
    for (int d = 16; d > 0; d /= 2) {
        int v = s[t] + s[t + d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
}
template <unsigned SIZE> __global__ void unrolled(const int *in, int *out, unsigned n)
{
    __shared__ int s[SIZE + 16];
    unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * SIZE + t; i < n; i += SIZE * gridDim.x)
        sum += in[i];
    s[t] = sum;
    if (t < 16)
        s[SIZE + t] = 0;
    __syncthreads();
    if (SIZE >= 256) {
        if (t < 128)
            s[t] += s[t + 128];
        __syncthreads();
    }
    if (SIZE >= 128) {
        if (t < 64)
            s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32)
        warp_tail<SIZE>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(FULL, val, offset);
    return val;
}
__inline__ __device__ int blockReduceSum(int val)
{
    static __shared__ int shared[32];
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0)
        shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
    if (wid == 0)
        val = warpReduceSum(val);
    return val;
}
__global__ void by_warps(const int *in, int *out, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

template <int WIDTH, class T> __global__ void sections(const T *in, T *out)
{
    T v = in[threadIdx.x];
    for (int d = WIDTH / 2; d; d >>= 1)
        v += __shfl_xor_sync(FULL, v, d, WIDTH);
    T w = in[threadIdx.x];
    for (int d = WIDTH / 2; d; d >>= 1)
        w = max(w, __shfl_down_sync(FULL, w, d, WIDTH));
    if (threadIdx.x % WIDTH == 0) {
        out[threadIdx.x / WIDTH * 2] = v;
        out[threadIdx.x / WIDTH * 2 + 1] = w;
    }
}

__global__ void hardware(const int *in, int *out)
{
    const int v = in[threadIdx.x];
    const unsigned low = 0x000000ff, rest = ~low;
    int a = __reduce_add_sync(FULL, v), b = __reduce_min_sync(FULL, v),
        c = __reduce_max_sync(FULL, v);
    unsigned d = __reduce_and_sync(FULL, (unsigned)v | 64), e = __reduce_or_sync(FULL, (unsigned)v);
    unsigned f = __reduce_xor_sync(FULL, (unsigned)v);
    int g, h;
    if (threadIdx.x < 8) {
        g = __reduce_add_sync(low, v);
        h = __reduce_max_sync(low, (unsigned)v);
    } else {
        g = __reduce_add_sync(rest, v);
        h = __reduce_min_sync(rest, v);
    }
    if (threadIdx.x == 31) {
        out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f;
        out[6] = g, out[7] = h;
    } else if (threadIdx.x == 3) {
        out[8] = g, out[9] = h;
    }
}

__device__ unsigned blocks_done = 0;
__device__ volatile int partial[8];
__global__ void last_block(const int *in, int *out, int n)
{
    __shared__ bool is_last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        unsigned ticket = atomicInc(&blocks_done, gridDim.x);
        is_last = ticket == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        int v = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        __syncthreads();
        v = blockReduceSum(v);
        if (threadIdx.x == 0) {
            out[0] = v;
            out[1] = blocks_done;
            atomicExch(&blocks_done, 0u);
        }
    }
}

__global__ void counts(const int *in, int *out)
{
    const int v = in[threadIdx.x];
    const int even = __syncthreads_count(v % 2 == 0);
    const int all = __syncthreads_and(v < 100), any = __syncthreads_or(v == 41);
    const int none = __syncthreads_or(v == -1), not_all = __syncthreads_and(v > 0);
    if (threadIdx.x == 0)
        out[0] = even, out[1] = all, out[2] = any, out[3] = none, out[4] = not_all;
}

__global__ void argmax(const float *in, int *where, float *best, int n)
{
    float v = -INFINITY;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > v)
            v = in[i], at = i;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float ov = __shfl_xor_sync(0xffffffff, v, d);
        const int oi = __shfl_xor_sync(0xffffffff, at, d);
        if (ov > v || (ov == v && oi < at))
            v = ov, at = oi;
    }
    if (threadIdx.x == 0)
        *where = at, *best = v;
}

__global__ void groups(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int v = in[block.thread_rank()];
    const int sum = cg::reduce(warp, v, cg::plus<int>());
    const int low = cg::reduce(tile, v, cg::less<int>()),
              high = cg::reduce(tile, v, cg::greater<int>());
    if (block.thread_rank() == 63)
        out[0] = sum, out[1] = low, out[2] = high;
    cg::coalesced_group active = cg::coalesced_threads();
    if (v % 3 == 0) {
        auto third = cg::coalesced_threads();
        int s = cg::reduce(third, v, cg::plus<int>());
        if (third.thread_rank() == 0 && warp.meta_group_rank() == 0)
            out[3] = s, out[4] = third.size();
    }
    block.sync();
    if (block.thread_rank() == 0)
        out[5] = active.size();
}

struct Sum3 {
    float3 v;
};
__device__ float3 operator+(float3 a, float3 b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
template <int N> __global__ void centroid(const float *xyz, float *out)
{
    __shared__ float3 s[N];
    const int t = threadIdx.x;
    s[t] = make_float3(xyz[3 * t], xyz[3 * t + 1], xyz[3 * t + 2]);
    for (int half = N >> 1; half; half >>= 1) {
        __syncthreads();
        if (t < half)
            s[t] = s[t] + s[t + half];
    }
    if (!t)
        out[0] = s[0].x / N, out[1] = s[0].y / N, out[2] = s[0].z / N;
}

/* Two parts of a block, each with its own barrier-free sum, and a mean and variance by Welford. */
__global__ void moments(const float *in, float *out, int n)
{
    float mean = 0, m2 = 0, count = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        count += 1;
        const float d = in[i] - mean;
        mean += d / count;
        m2 += d * (in[i] - mean);
    }
    for (int mask = 1; mask < 32; mask <<= 1) {
        const float om = __shfl_xor_sync(FULL, mean, mask), o2 = __shfl_xor_sync(FULL, m2, mask);
        const float oc = __shfl_xor_sync(FULL, count, mask), d = om - mean, both = count + oc;
        if (both > 0) {
            mean = (mean * count + om * oc) / both;
            m2 += o2 + d * d * count * oc / both;
        }
        count = both;
    }
    if (threadIdx.x == 0)
        out[0] = mean, out[1] = m2 / count;
}
