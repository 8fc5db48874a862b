// Warps: votes, matches, shuffles of all types, widths and modes, disjoint masks under divergence,
// lanes that have left, the old names without _sync, inclusive and exclusive ranks.
// run: -k votes -b 32 'i32[32]=iota' 'u32[7]'
// expect: out: u32[7] = [2863311530, 1, 1, 0, 0, 1, 1]
// run: -k divergent_votes -b 32 'u32[12]'
// expect: out: u32[12] = [37449, 0, 1227096064, 1, 204, 52224, 13369344, 3422552064, 0, 1, 1, 1]
// run: -k disjoint_masks -b 32 'i32[32]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47' 'i32[2,8]'
// expect: out: i32[2,8] = [[       774,        760,        774,        760,
// expect:                           58,         95,         58,         95],
// expect:                  [        85,         21,         58,         95,
// expect:                   1073741825,    8388610,          4,          8]]
// run: -k nested -b 32 'i32[2,16]'
// expect: out: i32[2,16] = [[ 220,   30,  220,   10,  220,   70,  220,   50,  220,
// expect:                     110,  220,   90,  220, 5894,  220, 5894],
// expect:                   [ 220, 5894,  220, 5894,  220, 5894,  220, 5894,   -1,
// expect:                      -1,   -1,   -1,   -1,   -1,   -1,   -1]]
// run: -k leaving -b 32 'u32[4]' 'i32[4]'
// expect: masks: u32[4] = [4294967295, 4294967040, 4294901760, 4278190080]
// expect: sums: i32[4] = [32, 56, 72, 80]
// run: -k 'shuffle_types<int>' -b 32 'i32[10]'
// expect: out: i32[10] = [36, 27, 36, 42, 33, 33, 36, 42, 27, 33]
// run: -k 'shuffle_types<long long>' -b 32 'i64[10]'
// expect: out: i64[10] = [36, 27, 36, 42, 33, 33, 36, 42, 27, 33]
// run: -k 'shuffle_types<double>' -b 32 'f64[10]'
// expect: out: f64[10] = [36.0, 27.0, 36.0, 42.0, 33.0, 33.0, 36.0, 42.0, 27.0, 33.0]
// run: -k old_names -b 32 'i32[7]'
// expect: out: i32[7] = [49, 9, 25, 49, -1073741824, 1, 0]
// run: -k matches -b 32 'i32[32]=0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1' 'u32[8]'
// expect: out: u32[8] = [415641996, 0, 0, 4294967295, 1, 4294901760, 1, 3]
// run: -k reduce_peers -b 32 'i32[32]=0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1' 'f32[32]=iota' 'f32[5]'
// expect: sums: f32[5] = [105.0, 211.0, 0.0, 0.0, 180.0]
// run: -k ranks -b 32 'i32[32]=-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0,2,-1,1,-2,0' 'i32[8]'
// expect: out: i32[8] = [2, 9, 29, 7, 9, 3, 29, 7]
// run: -k best -b 96 'f64[96]=0,53,9,62,18,99,27,80,36,89,45,1,54,10,63,19,72,28,81,37,90,46,2,55,11,64,20,73,29,82,38,91,47,3,56,12,65,21,74,30,83,39,92,48,4,57,13,66,22,75,31,84,40,93,49,5,58,14,67,23,76,32,85,41,94,50,6,59,15,68,24,77,33,86,42,95,51,7,60,16,69,25,78,34,87,43,96,52,8,61,99,70,26,79,35,88' 'i32[1]' 'f64[1]'
// expect: index: i32[1] = [5]
// expect: weight: f64[1] = [99.0]
// run: -k transpose_in_registers -b 8 'i32[64]=iota' 'i32[4,16]'
// expect: out: i32[4,16] = [[ 0,  8, 16, 24, 32, 40, 48, 56,  1,  9, 17, 25, 33, 41,
// expect:                    49, 57],
// expect:                   [ 2, 10, 18, 26, 34, 42, 50, 58,  3, 11, 19, 27, 35, 43,
// expect:                    51, 59],
// expect:                   [ 4, 12, 20, 28, 36, 44, 52, 60,  5, 13, 21, 29, 37, 45,
// expect:                    53, 61],
// expect:                   [ 6, 14, 22, 30, 38, 46, 54, 62,  7, 15, 23, 31, 39, 47,
// expect:                    55, 63]]
// run: -k specialised -b 96 'i32[96]=iota' 'i32[6]'
// expect: out: i32[6] = [496, 0, 1520, 32, 2544, 64]
#define FULL_MASK 0xffffffffu

__global__ void votes(const int *in, unsigned *out)
{
    const int v = in[threadIdx.x];
    const unsigned odd = __ballot_sync(FULL_MASK, v & 1);
    const int any = __any_sync(FULL_MASK, v == 30), all = __all_sync(FULL_MASK, v < 32);
    const int none = __any_sync(FULL_MASK, v > 99), some = __all_sync(FULL_MASK, v);
    const int uniform = __uni_sync(FULL_MASK, v >= 0);
    if (threadIdx.x == 0) {
        out[0] = odd, out[1] = any, out[2] = all, out[3] = none, out[4] = some;
        out[5] = uniform, out[6] = __activemask();
    }
}

/* Masks that name the lanes of one side of a branch only. */
__global__ void divergent_votes(unsigned *out)
{
    const unsigned lane = threadIdx.x & 31, low = 0x0000ffff, high = 0xffff0000;
    unsigned ballot, any;
    if (lane < 16) {
        ballot = __ballot_sync(low, lane % 3 == 0);
        any = __any_sync(low, lane == 20);
    } else {
        ballot = __ballot_sync(high, lane % 3 == 0);
        any = __any_sync(high, lane == 20);
    }
    __syncwarp();
    if (lane % 16 == 5)
        out[lane / 16 * 2] = ballot, out[lane / 16 * 2 + 1] = any;
    const unsigned parts[4] = {0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000};
    const unsigned mine = parts[lane / 8];
    const unsigned b = __ballot_sync(mine, lane & 2);
    const int all = __all_sync(mine, lane >= 8);
    if (lane % 8 == 7)
        out[4 + lane / 8] = b, out[8 + lane / 8] = all;
}

/* Four groups by one instruction, each with its mask, values by shuffles in each. */
__global__ void disjoint_masks(const int *in, int *out)
{
    const int lane = threadIdx.x;
    const unsigned mask = lane % 2 ? 0xaaaaaaaa : 0x55555555;
    int v = in[lane];
    int s = __reduce_add_sync(mask, v);
    int first = __shfl_sync(mask, v, lane % 2 + 4);
    int next = __shfl_down_sync(mask, v, 2);
    unsigned group = __match_any_sync(mask, v / 8);
    if (lane < 4) {
        out[lane] = s;
        out[4 + lane] = first;
        out[8 + lane] = next;
        out[12 + lane] = (int)group;
    }
}

__global__ void nested(int *out)
{
    const int lane = threadIdx.x & 31;
    int r = -1;
    if (lane < 24) {
        if (lane % 2 == 0) {
            r = __shfl_sync(0x00555555, lane * 10, 22);
        } else if (lane < 12) {
            r = __shfl_xor_sync(0x00000aaa, lane * 10, 2, 4);
        } else {
            unsigned m = __activemask();
            r = __popc(m) + (__reduce_max_sync(m, lane) << 8);
        }
    }
    out[lane] = r;
}

/* Lanes leave the loop one after the other; the others go on together. */
__global__ void leaving(unsigned *masks, int *sums)
{
    const int lane = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned here = __ballot_sync(__activemask(), true);
        if (lane == 31)
            masks[i] = here;
        sum += __popc(here);
        if (lane < 8 * (i + 1))
            break;
    }
    __syncwarp();
    if (lane % 8 == 0)
        sums[lane / 8] = sum;
}

template <class T> __global__ void shuffle_types(T *out)
{
    const T v = (T)(threadIdx.x * 3);
    const int lane = threadIdx.x;
    T a = __shfl_sync(FULL_MASK, v, lane ^ 5);
    T b = __shfl_up_sync(FULL_MASK, v, 2, 8);
    T c = __shfl_down_sync(FULL_MASK, v, 3, 16);
    T d = __shfl_xor_sync(FULL_MASK, v, 7, 8);
    T e = __shfl_sync(FULL_MASK, v, 19, 8);
    if (lane == 9)
        out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e;
    if (lane == 14)
        out[5] = a, out[6] = b, out[7] = c, out[8] = d, out[9] = e;
}

__global__ void old_names(int *out)
{
    const int lane = threadIdx.x, v = lane * lane;
#if __CUDA_ARCH__ < 1000
    int a = __shfl_xor(v, 1), b = __shfl(v, 3), c = __shfl_up(v, 1, 4), d = __shfl_down(v, 1, 4);
    unsigned e = __ballot(lane > 29);
    int f = __any(lane == 4), g = __all(lane == 4);
#endif
    if (lane == 6)
        out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = (int)e, out[5] = f, out[6] = g;
}

__global__ void matches(const int *keys, unsigned *out)
{
    const int lane = threadIdx.x;
    unsigned any = __match_any_sync(FULL_MASK, keys[lane]);
    int pred, pred2, pred3;
    unsigned all = __match_all_sync(FULL_MASK, keys[lane], &pred);
    unsigned same = __match_all_sync(FULL_MASK, 4.5, &pred2);
    unsigned half = 0;
    if (lane >= 16)
        half = __match_all_sync(0xffff0000, keys[lane & 0] + 1ll, &pred3);
    if (lane == 17)
        out[0] = any, out[1] = all, out[2] = pred, out[3] = same, out[4] = pred2, out[5] = half,
        out[6] = pred3;
    if (lane == __ffs(any) - 1)
        atomicAdd(&out[7], 1);
}

/* Groups of equal keys are reduced by their leaders. */
__global__ void reduce_peers(const int *keys, const float *values, float *sums)
{
    const int lane = threadIdx.x % 32;
    unsigned peers = __match_any_sync(FULL_MASK, keys[lane]);
    const int first = __ffs(peers) - 1;
    float x = values[lane];
    unsigned relative = __popc(peers << 1 << (31 - lane)), rest = peers & (0xfffffffe << lane);
    while (__any_sync(FULL_MASK, rest)) {
        const int next = __ffs(rest);
        const float t = __shfl_sync(FULL_MASK, x, next - 1);
        if (next)
            x += t;
        const bool done = relative & 1;
        rest &= ~__ballot_sync(FULL_MASK, done);
        relative >>= 1;
    }
    if (lane == first)
        sums[keys[lane]] = x;
}

__global__ void ranks(const int *in, int *out)
{
    const unsigned lane = threadIdx.x & 31, lower = (1u << lane) - 1, upper = ~(lower << 1 | 1);
    const unsigned mask = __ballot_sync(FULL_MASK, in[threadIdx.x] > 0);
    const int before = __popc(mask & lower), after = __popc(mask & upper);
    const int leader = 31 - __clz(mask), nth = __fns(mask, 0, 3);
    if (threadIdx.x % 16 == 7) {
        const int at = threadIdx.x / 16 * 4;
        out[at] = before, out[at + 1] = after, out[at + 2] = leader, out[at + 3] = nth;
    }
}

struct Pair {
    double weight;
    int index;
};
__device__ Pair best_of(Pair p, unsigned mask)
{
    for (int d = 16; d; d /= 2) {
        Pair o;
        o.weight = __shfl_xor_sync(mask, p.weight, d);
        o.index = __shfl_xor_sync(mask, p.index, d);
        if (o.weight > p.weight || (o.weight == p.weight && o.index < p.index))
            p = o;
    }
    return p;
}
__global__ void best(const double *w, int *index, double *weight)
{
    Pair p{w[threadIdx.x], static_cast<int>(threadIdx.x)};
    p = best_of(p, FULL_MASK);
    __shared__ Pair all[4];
    if ((threadIdx.x & 31) == 0)
        all[threadIdx.x >> 5] = p;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / 32; i++)
            if (all[i].weight > p.weight)
                p = all[i];
        *index = p.index;
        *weight = p.weight;
    }
}

/* A transpose of 8 x 8 numbers that stay in registers. */
__global__ void transpose_in_registers(const int *in, int *out)
{
    int r[8];
    const int lane = threadIdx.x % 8;
#pragma unroll
    for (int i = 0; i < 8; i++)
        r[i] = in[i * 8 + lane];
    for (int d = 1; d < 8; d <<= 1)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (!(i & d)) {
                const bool up = lane & d;
                const int other = __shfl_xor_sync(0xff, up ? r[i] : r[i | d], d, 8);
                if (up)
                    r[i] = other;
                else
                    r[i | d] = other;
            }
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[i * 8 + lane] = r[i];
}

/* One block's warps do different things. */
__global__ void specialised(const int *in, int *out)
{
    __shared__ int stage[32], result[2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 3; round++) {
        if (warp == 0)
            stage[lane] = in[round * 32 + lane];
        __syncthreads();
        if (warp == 1) {
            int s = __reduce_add_sync(FULL_MASK, stage[lane]);
            if (lane == 0)
                result[0] = s;
        } else if (warp == 2) {
            int m = stage[lane];
            for (int d = 1; d < 32; d *= 2)
                m = min(m, __shfl_xor_sync(FULL_MASK, m, d));
            if (lane == 31)
                result[1] = m;
        }
        __syncthreads();
        if (threadIdx.x < 2)
            out[round * 2 + threadIdx.x] = result[threadIdx.x];
        __syncthreads();
    }
}
