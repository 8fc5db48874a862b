// Scans (Hillis and Steele, Blelloch, by shuffles, segmented, of many blocks), compaction by
// ballot, histograms, sorts.
// run: -k hillis_steele -b 16 --shared 128 'i32[16]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61' 'i32[2,8]' 16
// expect: out: i32[2,8] = [[  0,  11,  59, 144, 165, 223, 318, 349],
// expect:                  [417, 421, 462, 540, 554, 605, 693, 717]]
// run: -k 'blelloch<int>' -b 8 'i32[16]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61' 'i32[2,8]' 16
// expect: out: i32[2,8] = [[  0,  11,  59, 144, 165, 223, 318, 349],
// expect:                  [417, 421, 462, 540, 554, 605, 693, 717]]
// run: -k 'blelloch<double>' -b 4 'f64[8]=11,48,85,21,58,95,31,68' 'f64[8]' 8
// expect: out: f64[8] = [0.0, 11.0, 59.0, 144.0, 165.0, 223.0, 318.0, 349.0]
// run: -k scan_block -b 128 'i32[128]=iota' 'i32[10]' 'i32[1]'
// expect: out: i32[10] = [0, 91, 351, 780, 1378, 2145, 3081, 4186, 5460, 6903]
// expect: total: i32[1] = [8128]
// run: -k segmented -b 32 'i32[32]=iota' 'i32[32]=1,0,0,1,0,0,0,1,0,0,1,0,0,0,1,0,0,1,0,0,0,1,0,0,1,0,0,0,1,0,0,1' 'i32[2,16]'
// expect: out: i32[2,16] = [[  0,   1,   3,   3,   7,  12,  18,   7,  15,  24,  10,
// expect:                     21,  33,  46,  14,  29],
// expect:                   [ 45,  17,  35,  54,  74,  21,  43,  66,  24,  49,  75,
// expect:                    102,  28,  57,  87,  31]]
// run: -k chained -g 4 -b 64 'i32[200]=iota' 'i32[2,10]' 200
// expect: out: i32[2,10] = [[   45,   190,   435,   780,  1225,  1770,  2415,  3160,
// expect:                     4005,  4950],
// expect:                   [ 5995,  7140,  8385,  9730, 11175, 12720, 14365, 16110,
// expect:                    17955, 19900]]
// run: -k compact -b 32 'i32[40]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47,84,20,57,94,30,67,3,40' 'i32[16]' 'i32[1]' 40
// expect: out: i32[16] = [85, 58, 31, 4, 88, 61, 34, 7, 91, 64, 37, 10, 94, 67, 40, 0]
// expect: count: i32[1] = [15]
// run: -k filter_aggregated -b 32 'i32[12]' 'i32[1]' 'i32[32]=iota' 32
// expect: dst: i32[12] = [21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0]
// expect: nres: i32[1] = [11]
// run: -k histogram_shared -g 2 -b 32 'u8[200]=iota' 'u32[16]' 200
// expect: hist: u32[16] = [16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 8, 0, 0, 0]
// run: -k histogram_matched -b 64 'i32[64]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19' 'i32[8]'
// expect: hist: i32[8] = [8, 8, 8, 9, 8, 7, 8, 8]
// run: -k 'bitonic_shared<int,16>' -b 8 'i32[16]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61' true
// expect: keys: i32[16] = [4, 11, 14, 21, 24, 31, 41, 48, 51, 58, 61, 68, 78, 85, 88, 95]
// run: -k 'bitonic_shared<float,16>' -b 8 'f32[16]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61' false
// expect: keys: f32[16] = [95.0, 88.0, 85.0, 78.0, 68.0, 61.0, 58.0, 51.0, 48.0, 41.0, 31.0, 24.0, 21.0, 14.0, 11.0, 4.0]
// run: -k bitonic_step -g 2 -b 4 'f32[8]=11,48,85,21,58,95,31,68' 1 2
// expect: v: f32[8] = [11.0, 48.0, 85.0, 21.0, 58.0, 95.0, 68.0, 31.0]
// run: -k bitonic_warp -b 32 'i32[32]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47'
// expect: v: i32[32] = [0, 4, 7, 10, 11, 14, 17, 21, 24, 27, 31, 34, 37, 41, 44, 47, 48, 51, 54, 58, 61, 64, 68, 71, 74, 78, 81, 85, 88, 91, 95, 98]
// run: -k radix_block -b 64 'u32[64]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19' 7
// expect: keys: u32[64] = [0, 3, 4, 6, 7, 9, 10, 11, 13, 14, 16, 17, 19, 20, 21, 23, 24, 26, 27, 30, 31, 33, 34, 36, 37, 40, 41, 43, 44, 46, 47, 48, 50, 51, 53, 54, 57, 58, 60, 61, 63, 64, 67, 68, 70, 71, 73, 74, 77, 78, 80, 81, 83, 84, 85, 87, 88, 90, 91, 94, 95, 97, 98, 100]
// run: -k odd_even -b 6 'i32[11]=11,48,85,21,58,95,31,68,4,41,78' 11
// expect: x: i32[11] = [4, 11, 21, 31, 41, 48, 58, 68, 78, 85, 95]
#define ALL_LANES 0xffffffff

__global__ void hillis_steele(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t > 0 ? in[t - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
        else
            temp[pout * n + t] = temp[pin * n + t];
        __syncthreads();
    }
    out[t] = temp[pout * n + t];
}

#define CONFLICT_FREE(i) ((i) + ((i) >> 5))
template <class T> __global__ void blelloch(const T *in, T *out, int n)
{
    __shared__ T temp[CONFLICT_FREE(64) + 1];
    const int t = threadIdx.x;
    int offset = 1;
    temp[CONFLICT_FREE(2 * t)] = in[2 * t];
    temp[CONFLICT_FREE(2 * t + 1)] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = CONFLICT_FREE(offset * (2 * t + 1) - 1),
                bi = CONFLICT_FREE(offset * (2 * t + 2) - 1);
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0)
        temp[CONFLICT_FREE(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = CONFLICT_FREE(offset * (2 * t + 1) - 1),
                bi = CONFLICT_FREE(offset * (2 * t + 2) - 1);
            T v = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += v;
        }
    }
    __syncthreads();
    out[2 * t] = temp[CONFLICT_FREE(2 * t)];
    out[2 * t + 1] = temp[CONFLICT_FREE(2 * t + 1)];
}

template <class T> __device__ __forceinline__ T warp_scan(T v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        T n = __shfl_up_sync(ALL_LANES, v, i);
        if (lane >= i)
            v += n;
    }
    return v;
}
__global__ void scan_block(const int *in, int *out, int *total)
{
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int v = in[threadIdx.x];
    int scanned = warp_scan(v);
    if (lane == 31)
        sums[warp] = scanned;
    __syncthreads();
    if (warp == 0) {
        int s = lane < warps ? sums[lane] : 0;
        for (int i = 1; i < warps; i <<= 1) {
            int n = __shfl_up_sync((1u << 31) - 1 + (1u << 31), s, i, 32);
            if (lane >= i)
                s += n;
        }
        if (lane < warps)
            sums[lane] = s;
    }
    __syncthreads();
    if (warp)
        scanned += sums[warp - 1];
    if (threadIdx.x % 13 == 0)
        out[threadIdx.x / 13] = scanned;
    if (threadIdx.x == blockDim.x - 1)
        *total = scanned;
}

/* A flag starts a segment: pairs of a sum and whether it has a start. */
struct Segment {
    int flag, sum;
};
__device__ Segment operator+(const Segment &a, const Segment &b)
{
    return Segment{a.flag | b.flag, b.flag ? b.sum : a.sum + b.sum};
}
__global__ void segmented(const int *in, const int *flags, int *out)
{
    Segment s{flags[threadIdx.x], in[threadIdx.x]};
    for (int d = 1; d < 32; d <<= 1) {
        Segment o;
        o.flag = __shfl_up_sync(ALL_LANES, s.flag, d);
        o.sum = __shfl_up_sync(ALL_LANES, s.sum, d);
        if (threadIdx.x >= d)
            s = o + s;
    }
    out[threadIdx.x] = s.sum;
}

/* Each block waits for the one in front of it. */
__device__ int states[16], prefixes[16], next_part;
__global__ void chained(const int *in, int *out, int n)
{
    __shared__ int before, part, warp_sums[2];
    if (threadIdx.x == 0)
        part = atomicAdd(&next_part, 1);
    __syncthreads();
    const int i = part * blockDim.x + threadIdx.x;
    int v = warp_scan(i < n ? in[i] : 0);
    if (threadIdx.x % 32 == 31)
        warp_sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32)
        v += warp_sums[0];
    if (threadIdx.x == blockDim.x - 1) {
        int sum = 0;
        if (part > 0) {
            while (atomicAdd(&states[part - 1], 0) == 0)
                ;
            __threadfence();
            sum = prefixes[part - 1];
        }
        prefixes[part] = sum + v;
        __threadfence();
        atomicExch(&states[part], 1);
        before = sum;
    }
    __syncthreads();
    if (i < n && i % 10 == 9)
        out[i / 10] = v + before;
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
    for (int base = 0; base < n; base += 32) {
        const int i = base + threadIdx.x;
        const bool keep = i < n && in[i] % 3 == 1;
        const unsigned ballot = __ballot_sync(ALL_LANES, keep);
        int start = 0;
        if (threadIdx.x == 0)
            start = atomicAdd(count, __popc(ballot));
        start = __shfl_sync(ALL_LANES, start, 0);
        if (keep)
            out[start + __popc(ballot & ((1u << threadIdx.x) - 1))] = in[i];
    }
}

/* One atomic for all lanes that come here together. */
__device__ int atomicAggInc(int *ctr)
{
    unsigned int active = __activemask();
    int leader = __ffs(active) - 1;
    int change = __popc(active);
    unsigned int lane_mask_lt = (1u << (threadIdx.x & 31)) - 1;
    unsigned int rank = __popc(active & lane_mask_lt);
    int warp_res;
    if (rank == 0)
        warp_res = atomicAdd(ctr, change);
    warp_res = __shfl_sync(active, warp_res, leader);
    return warp_res + rank;
}
__global__ void filter_aggregated(int *dst, int *nres, const int *src, int n)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id >= n)
        return;
    if (src[id] > 20)
        dst[atomicAggInc(nres)] = src[id];
}

__global__ void histogram_shared(const unsigned char *data, unsigned *hist, int n)
{
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[data[i] >> 4], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}

/* Each warp has its own bins; lanes of one bin are counted by a match. */
__global__ void histogram_matched(const int *data, int *hist)
{
    __shared__ int bins[2][8];
    if (threadIdx.x < 16)
        bins[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    const int bin = data[threadIdx.x] & 7;
    const unsigned peers = __match_any_sync(ALL_LANES, bin);
    if ((int)(threadIdx.x & 31) == __ffs(peers) - 1)
        bins[threadIdx.x / 32][bin] += __popc(peers);
    __syncthreads();
    if (threadIdx.x < 8)
        hist[threadIdx.x] = bins[0][threadIdx.x] + bins[1][threadIdx.x];
}

template <typename T> __device__ inline void comparator(T &a, T &b, bool up)
{
    if ((a > b) == up) {
        T t = a;
        a = b;
        b = t;
    }
}
template <typename T, int N> __global__ void bitonic_shared(T *keys, bool ascending)
{
    __shared__ T s[N];
    s[threadIdx.x] = keys[threadIdx.x];
    s[threadIdx.x + N / 2] = keys[threadIdx.x + N / 2];
    for (unsigned size = 2; size <= N; size <<= 1) {
        const bool up = ascending ^ ((threadIdx.x & (size / 2)) != 0 && size < N);
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            comparator(s[pos], s[pos + stride], up);
        }
    }
    __syncthreads();
    keys[threadIdx.x] = s[threadIdx.x];
    keys[threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

__global__ void bitonic_step(float *v, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
    if (ixj > i) {
        const float a = v[i], b = v[ixj];
        if ((i & k) == 0 ? a > b : a < b)
            v[i] = b, v[ixj] = a;
    }
}

__global__ void bitonic_warp(int *v)
{
    int x = v[threadIdx.x], lane = threadIdx.x;
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int y = __shfl_xor_sync(ALL_LANES, x, j);
            bool keep_min = ((lane & k) == 0) == ((lane & j) == 0);
            x = keep_min ? min(x, y) : max(x, y);
        }
    v[threadIdx.x] = x;
}

/* Split by each bit: the zeros first, both in their order. */
__global__ void radix_block(unsigned *keys, int bits)
{
    __shared__ unsigned s[64], zeros_of[2];
    unsigned key = keys[threadIdx.x];
    for (int b = 0; b < bits; b++) {
        const bool one = key >> b & 1;
        const unsigned zeros = __ballot_sync(ALL_LANES, !one), lower = (1u << threadIdx.x % 32) - 1;
        if (threadIdx.x % 32 == 0)
            zeros_of[threadIdx.x / 32] = __popc(zeros);
        __syncthreads();
        const unsigned before = threadIdx.x < 32 ? 0 : zeros_of[0];
        const unsigned rank = before + __popc(zeros & lower), total = zeros_of[0] + zeros_of[1];
        s[one ? total + threadIdx.x - rank : rank] = key;
        __syncthreads();
        key = s[threadIdx.x];
    }
    keys[threadIdx.x] = key;
}

__global__ void odd_even(int *x, int n)
{
    const int i = threadIdx.x;
    for (int phase = 0; phase < n; phase++) {
        const int a = 2 * i + (phase & 1);
        if (a + 1 < n && x[a] > x[a + 1]) {
            int swap = x[a];
            x[a] = x[a + 1];
            x[a + 1] = swap;
        }
        __syncthreads();
    }
}
