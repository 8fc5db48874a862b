// Idioms of CUDA programs: producers and consumers, priorities of warps, queues, flags, volatile, fp8,
// dispatch on the block size, tags, policies, loops over planes, lambdas with captures.
// run: -k handshake -g 2 -b 4 'i32[4]'
// expect: out: i32[4] = [33, 22, 11, 0]
// run: -k worklist -g 2 -b 2 'i32[1]' 3
// expect: sum: i32[1] = [3087]
// run: -k fp8 -b 6 'f32[6]=1.5,-0.3,300,1000,0.001,-17.3' 'u32[6]' 'f32[6]'
// expect: bits: u32[6] = [15932, 46506, 23929, 25726, 5121, 52441]
// expect: back: f32[6] = [1.5, -0.3125, 288.0, 448.0, 0.001953125, -18.0]
// run: -k 'agent<Small>' -b 32 'i32[64]=iota' 'i32[2]'
// expect: out: i32[2] = [125, 61]
// run: -k 'agent<Large>' -b 64 'i32[192]=iota' 'i32[4]'
// expect: out: i32[4] = [570, 426, 282, 138]
// run: -k striped -b 4 'i32[12]'
// expect: out: i32[12] = [0, 3, 6, 9, 0, 2, 4, 6, 0, -1, -2, -3]
// run: -k pipelined -b 8 'i32[24]=iota' 'i32[8]' 3
// expect: out: i32[8] = [39, 46, 53, 60, 67, 74, 81, 32]
// run: -k in_turn -b 96 'i32[3]'
// expect: order: i32[3] = [20, 1, 12]
// run: -k parts -g 2 -b 32 'i32[200]=iota' 'i32[2]' 200
// expect: out: i32[2] = [8128, 11772]
#include <cuda_fp8.h>
#include <cooperative_groups.h>

/* One block waits for the other by a volatile flag. */
__device__ volatile int flag;
__device__ int payload[4];
__global__ void handshake(int *out)
{
    if (blockIdx.x == 0) {
        payload[threadIdx.x] = threadIdx.x * 11;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = payload[3 - threadIdx.x];
    }
}

/* Work that makes work: a queue in global memory with tickets. */
__device__ int queue[64], head, tail;
__device__ unsigned finished;
__global__ void worklist(int *sum, int seeds)
{
    __shared__ int item;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < seeds; i++)
            queue[i] = i + 3;
        __threadfence();
        atomicExch(&tail, seeds);
    }
    while (true) {
        if (threadIdx.x == 0) {
            item = -1;
            const int at = atomicAdd(&head, 0), end = atomicAdd(&tail, 0);
            if (at < end && atomicCAS(&head, at, at + 1) == at) {
                __threadfence();
                item = queue[at];
            } else if (atomicAdd(&finished, 0u) == 4u * seeds) {
                item = -2;
            }
        }
        __syncthreads();
        const int mine = item;
        __syncthreads();
        if (mine == -2)
            break;
        if (mine < 0)
            continue;
        atomicAdd(sum, mine * (int)(threadIdx.x + 1));
        if (threadIdx.x == 0) {
            if (mine < 100) {
                for (int c = 0; c < 3; c++) {
                    const int slot = seeds + (mine - 3) * 3 + c;
                    queue[slot] = 100 + mine * 3 + c;
                }
                __threadfence();
                atomicAdd(&tail, 0);
                while (atomicCAS(&tail, seeds + (mine - 3) * 3, seeds + (mine - 3) * 3 + 3) !=
                       seeds + (mine - 3) * 3)
                    ;
            }
            atomicAdd(&finished, 1u);
        }
    }
}

__global__ void fp8(const float *in, unsigned *bits, float *back)
{
    const int i = threadIdx.x;
    const __nv_fp8_storage_t e4 = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
    const __nv_fp8_storage_t e5 = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
    bits[i] = e4 | e5 << 8;
    __nv_fp8_e4m3 v(in[i]);
    back[i] = float(v);
}

/* Dispatch by tags and by policies whose members are constants. */
struct Small {
    static constexpr int threads = 32, items = 2;
    using type = int;
};
struct Large {
    enum { threads = 64, items = 3 };
    typedef long long type;
};
template <class Policy, class Load, class Store> struct Agent {
    typedef typename Policy::type T;
    struct TempStorage {
        T values[Policy::threads];
    };
    TempStorage &temp;
    __device__ explicit Agent(TempStorage &temp) : temp(temp) {}
    __device__ void process(Load load, Store store)
    {
        T items[Policy::items];
#pragma unroll
        for (int i = 0; i < Policy::items; ++i)
            items[i] = load(threadIdx.x * Policy::items + i);
        T sum = 0;
#pragma unroll
        for (int i = 0; i < Policy::items; ++i)
            sum += items[i];
        temp.values[threadIdx.x] = sum;
        __syncthreads();
        store(threadIdx.x, temp.values[Policy::threads - 1 - threadIdx.x]);
    }
};
template <class Policy>
__global__ void __launch_bounds__(Policy::threads) agent(const int *in, int *out)
{
    auto load = [in] __device__(int i) { return typename Policy::type(in[i]); };
    auto store = [out] __device__(int i, typename Policy::type v) {
        if (i % 16 == 0)
            out[i / 16] = int(v);
    };
    typedef Agent<Policy, decltype(load), decltype(store)> A;
    __shared__ typename A::TempStorage temp;
    A(temp).process(load, store);
}

/* A lambda of the host's code gives the kernel its type. */
template <class F> __global__ void for_each(int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f(i);
}
template <int ITEMS, class T, class Op = void> struct Striped {
    T *data;
    int n;
    __device__ __forceinline__ void operator()(int i) const
    {
        if constexpr (ITEMS > 1) {
            Striped<ITEMS - 1, T, Op>{data + n, n}(i);
            data[i] = T(i * ITEMS);
        } else {
            data[i] = T(-i);
        }
    }
};
__global__ void striped(int *out)
{
    auto f = Striped<3, int>{out, 4};
    f(threadIdx.x);
}

/* Loads of the next iteration before the work of this one; a volatile view of shared memory. */
__global__ void pipelined(const int *in, int *out, int n)
{
    __shared__ int stage[2][8];
    int next = in[threadIdx.x], total = 0;
    for (int i = 0; i < n; i++) {
        volatile int *now = stage[i & 1];
        now[threadIdx.x] = next;
        if (i + 1 < n)
            next = in[(i + 1) * 8 + threadIdx.x];
        __syncthreads();
        total = total * 2 + now[(threadIdx.x + 1) & 7];
    }
    out[threadIdx.x] = total;
}

/* Warps of a block take turns. */
__global__ void in_turn(int *order)
{
    __shared__ int turn, filled;
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    if (threadIdx.x == 0)
        turn = 2, filled = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (turn == warp && lane == 0)
            order[filled++] = warp * 10 + k;
        __syncthreads();
        if (threadIdx.x == 0)
            turn = (turn + 1) % 3;
        __syncthreads();
    }
}

/* Ranges of a block's part, with a guard that is uniform for most blocks. */
template <bool GUARDED> __device__ int part_sum(const int *in, int begin, int end)
{
    int s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int i = begin + k * blockDim.x + threadIdx.x;
        if (!GUARDED || i < end)
            s += in[i];
    }
    return s;
}
__global__ void parts(const int *in, int *out, int n)
{
    const int begin = blockIdx.x * blockDim.x * 4;
    const int s =
        begin + blockDim.x * 4 <= n ? part_sum<false>(in, begin, n) : part_sum<true>(in, begin, n);
    const int all = __reduce_add_sync(0xffffffff, s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

int main()
{
    int *p = nullptr, k = 3;
    for_each<<<1, 32>>>(4, [=] __device__(int i) { p[i] = i * k; });
    for_each<<<1, 32>>>(4, [=] __host__ __device__(int i) { p[i] = k - i; });
    Striped<2, float> s{nullptr, 2};
    for_each<<<1, 32>>>(4, s);
}
