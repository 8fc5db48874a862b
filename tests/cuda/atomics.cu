// Atomics: every function and type, loops of atomicCAS, locks, bit fields, maxima of floats; worklists
// and breadth-first search, connected components, sparse products.
// run: -k each_int -b 8 'i32[9]=0,0,0,0,-1,0,0,0,0'
// expect: x: i32[9] = [28, -28, -5, 21, -256, 255, 257, 77, 88]
// run: -k each_unsigned -b 8 'u32[11]=0,0,100,0,0,0,15,0,0,0,7'
// expect: x: u32[11] = [28, 4294967288, 0, 4000000007, 3, 4, 8, 7, 0, 9, 10]
// run: -k each_wide -b 4 'u64[8]=0,0,9,18446744073709551615,0,0,0,0' 'i64[2]' 'f32[2]' 'f64[1]'
// expect: x: u64[8] = [25769803776, 3298534883328, 3, 18446744009285042175, 64424509440, 0, 6, 30064771072]
// expect: y: i64[2] = [-3, 0]
// expect: f: f32[2] = [2.0, 2.5]
// expect: d: f64[1] = [1.0]
// run: -k scopes -b 4 'i32[9]=0,0,0,0,0,7,0,0,0' 'u32[2]=0,50' 'f64[1]'
// expect: x: i32[9] = [8, -8, 3, -3, 15, 6, 0, 4, 3]
// expect: u: u32[2] = [4, 46]
// expect: d: f64[1] = [6.0]
// run: -k tickets -g 2 -b 12 'u32[2]' 'i32[12]'
// expect: counter: u32[2] = [0, 0]
// expect: seen: i32[12] = [3, 3, 3, 3, 3, 3, 3, 3, 6, 6, 6, 6]
// run: -k by_cas -g 2 -b 32 'f64[1]' 'f32[1]=-100' 'f32[1]=1000' 'i32[1]=3'
// expect: sum: f64[1] = [1008.0]
// expect: most: f32[1] = [10.0]
// expect: least: f32[1] = [-50.0]
// expect: product: i32[1] = [48]
// run: -k cas_sum -b 40 'f64[1]=1'
// expect: sum: f64[1] = [391.0]
// run: -k count_bytes -b 40 'u8[8]'
// expect: bins: u8[8] = [140, 148, 156, 164, 172, 0, 0, 0]
// run: -k locked -g 5 -b 32 'f32[1]' 'i32[1]'
// expect: total: f32[1] = [15.5]
// expect: order: i32[1] = [5]
// run: -k locked_lanes -g 2 -b 32 'i32[2]' 'i32[1]'
// expect: values: i32[2] = [992, 64]
// expect: lock: i32[1] = [0]
// run: -k bfs -b 32 'i32[8]=0,2,4,5,7,8,8,9' 'i32[9]=1,2,3,4,4,5,0,5,6' 'i32[7]' 0 7
// expect: level: i32[7] = [0, 1, 1, 2, 2, 3, -1]
// run: -k components -b 32 'i32[10]' 'i32[14]=5,2,2,9,3,4,4,8,1,7,8,3,0,7' 7 10
// expect: label: i32[10] = [0, 0, 2, 3, 3, 2, 6, 0, 3, 2]
// run: -k relax -b 32 'i32[6]=0,0,1,2,2,3' 'i32[6]=1,2,3,1,3,4' 'u32[6]=7,2,1,3,8,2' 'u32[6]=0,4294967295,4294967295,4294967295,4294967295,4294967295' 6
// expect: distance: u32[6] = [0, 5, 2, 6, 8, 4294967295]
// run: -k csr_scalar -g 2 -b 4 'i32[8]=0,2,4,5,7,8,8,9' 'i32[9]=1,2,3,4,4,5,0,5,6' 'f32[9]=1,2,3,4,5,6,7,8,9' 'f32[7]=iota' 'f32[7]' 7
// expect: y: f32[7] = [5.0, 25.0, 20.0, 30.0, 40.0, 0.0, 54.0]
// run: -k csr_vector -g 4 -b 64 'i32[8]=0,2,4,5,7,8,8,9' 'i32[9]=1,2,3,4,4,5,0,5,6' 'f32[9]=1,2,3,4,5,6,7,8,9' 'f32[7]=iota' 'f32[7]' 7
// expect: y: f32[7] = [5.0, 25.0, 20.0, 30.0, 40.0, 0.0, 54.0]
// run: -k ell -b 4 'i32[9]=0,1,-1,2,2,0,3,-1,-1' 'f32[9]=1,2,3,4,5,6,7,8,9' 'f32[4]=iota' 'f32[3]' 3 3
// expect: y: f32[3] = [29.0, 12.0, 0.0]
// run: -k coo -b 4 'i32[6]=0,2,1,2,0,2' 'i32[6]=1,3,0,2,3,1' 'f64[6]=1,2,3,4,5,6' 'f64[4]=iota' 'f64[3]' 6
// expect: y: f64[3] = [16.0, 0.0, 20.0]
// run: -k hash_count -g 2 -b 8 --shared 32 'i32[40]=0,1,4,9,5,3,3,5,9,4,1,0,1,4,9,5,3,3,5,9,4,1,0,1,4,9,5,3,3,5,9,4,1,0,1,4,9,5,3,3' 40 'i32[11]' 8
// expect: counts: i32[11] = [4, 7, 0, 8, 7, 7, 0, 0, 0, 7, 0]
// run: -k lists -b 32 'i32[12]=iota' 'i32[3]' 12
// expect: sums: i32[3] = [18, 22, 26]
#include <cfloat>

__global__ void each_int(int *x)
{
    const int t = threadIdx.x;
    atomicAdd(&x[0], t);
    atomicSub(&x[1], t);
    atomicMin(&x[2], t - 5);
    atomicMax(&x[3], 3 * t);
    atomicAnd(&x[4], ~(1 << t));
    atomicOr(&x[5], 1 << t);
    atomicXor(&x[6], 3 << t);
    atomicExch(&x[7], 77);
    atomicCAS(&x[8], 0, 88);
}

__global__ void each_unsigned(unsigned *x)
{
    const unsigned t = threadIdx.x;
    atomicAdd(x, t), atomicSub(x + 1, 1u), atomicMin(x + 2, t), atomicMax(x + 3, t + 4000000000u);
    atomicInc(x + 4, 4), atomicDec(x + 5, 5), atomicAnd(x + 6, t | 8u), atomicOr(x + 7, t);
    atomicXor(x + 8, t), atomicExch(x + 9, 9u), atomicCAS(x + 10, 7u, 10u);
}

__global__ void each_wide(unsigned long long *x, long long *y, float *f, double *d)
{
    const unsigned long long t = threadIdx.x;
    atomicAdd(x, t << 32);
    atomicMax(x + 1, t << 40);
    atomicMin(x + 2, t + 3);
    atomicAnd(x + 3, ~(1ull << (t + 32)));
    atomicOr(x + 4, 1ull << (t + 32));
    atomicXor(x + 5, 5ull << 33);
    atomicExch(x + 6, 6ull);
    atomicCAS(x + 7, 0ull, 7ull << 32);
    atomicMin(y, -(long long)t);
    atomicMax(y + 1, (long long)t - 100);
    atomicAdd(f, 0.5f);
    atomicExch(f + 1, 2.5f);
    atomicAdd(d, 0.25);
}

__global__ void scopes(int *x, unsigned *u, double *d)
{
    atomicAdd_system(x, 1), atomicAdd_block(x, 1), atomicSub_system(x + 1, 2);
    atomicMax_system(x + 2, (int)threadIdx.x), atomicMin_block(x + 3, -(int)threadIdx.x);
    atomicOr_system(x + 4, 1 << threadIdx.x), atomicAnd_system(x + 5, 6),
        atomicXor_system(x + 6, 1);
    atomicExch_system(x + 7, 4), atomicCAS_system(x + 8, 0, 3);
    atomicInc_system(u, 100u), atomicDec_system(u + 1, 100u), atomicAdd_system(d, 1.5);
}

/* Where the order decides, the old values are a permutation. */
__global__ void tickets(unsigned *counter, int *seen)
{
    unsigned old = atomicInc(counter, 7u);
    atomicAdd(&seen[old], 1);
    unsigned down = atomicDec(counter + 1, 3u);
    atomicAdd(&seen[8 + down], 1);
}

__device__ double atomicAddByCAS(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed,
                        __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__device__ float atomicMaxFloat(float *address, float val)
{
    int *p = (int *)address, old = *p, assumed;
    while (val > __int_as_float(old)) {
        assumed = old;
        if ((old = atomicCAS(p, assumed, __float_as_int(val))) == assumed)
            break;
    }
    return __int_as_float(old);
}
__device__ void atomicMinFloatBits(float *address, float value)
{
    if (value >= 0)
        atomicMin((int *)address, __float_as_int(value));
    else
        atomicMax((unsigned *)address, __float_as_uint(value));
}
__device__ void atomicMulInt(int *p, int by)
{
    int seen = atomicAdd(p, 0), expected;
    do {
        expected = seen;
        seen = atomicCAS(p, expected, expected * by);
    } while (seen != expected);
}
__global__ void by_cas(double *sum, float *most, float *least, int *product)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double block_sum;
    if (threadIdx.x == 0)
        block_sum = 0;
    __syncthreads();
    atomicAdd(&block_sum, 0.5 * i);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, block_sum);
    atomicMaxFloat(most, 10.0f - i);
    atomicMinFloatBits(least, i * 3 - 50.0f);
    atomicMulInt(product, i % 16 == 0 ? 2 : 1);
}
__global__ void cas_sum(double *sum)
{
    atomicAddByCAS(sum, threadIdx.x * 0.5);
}

/* Bytes and half words by the word around them. */
__device__ void add_byte(unsigned char *p, unsigned char v)
{
    unsigned *word = (unsigned *)((size_t)p & ~(size_t)3);
    const unsigned shift = ((size_t)p & 3) * 8;
    unsigned old = atomicAdd(word, 0u), assumed;
    do {
        assumed = old;
        unsigned byte = (assumed >> shift) + v & 0xff;
        old = atomicCAS(word, assumed, assumed & ~(0xffu << shift) | byte << shift);
    } while (old != assumed);
}
__global__ void count_bytes(unsigned char *bins)
{
    add_byte(&bins[threadIdx.x % 5], threadIdx.x);
}

__device__ int mutex;
struct Lock {
    int *m;
    __device__ Lock(int *m) : m(m) {}
    __device__ void lock()
    {
        while (atomicCAS(m, 0, 1) != 0)
            ;
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(m, 0);
    }
};
__global__ void locked(float *total, int *order)
{
    if (threadIdx.x == 0) {
        Lock l(&mutex);
        l.lock();
        *total = *total * 0.5f + 8;
        order[0]++;
        l.unlock();
    }
}

/* One lane of a warp after another has the lock. */
__global__ void locked_lanes(int *values, int *lock)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            values[0] += threadIdx.x;
            values[1]++;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

/* Breadth first: a level's frontier, marked by atomicCAS, makes the next. */
__global__ void bfs(const int *row, const int *col, int *level, int source, int n)
{
    __shared__ int queue[2][32], size[2];
    if (threadIdx.x < n)
        level[threadIdx.x] = -1;
    __syncthreads();
    if (threadIdx.x == 0) {
        queue[0][0] = source;
        level[source] = 0;
        size[0] = 1;
        size[1] = 0;
    }
    __syncthreads();
    for (int depth = 1, now = 0; size[now] > 0; depth++, now ^= 1) {
        for (int i = threadIdx.x; i < size[now]; i += blockDim.x) {
            const int u = queue[now][i];
            for (int e = row[u]; e < row[u + 1]; e++)
                if (atomicCAS(&level[col[e]], -1, depth) == -1)
                    queue[now ^ 1][atomicAdd(&size[now ^ 1], 1)] = col[e];
        }
        __syncthreads();
        if (threadIdx.x == 0)
            size[now] = 0;
        __syncthreads();
    }
}

__global__ void components(int *label, const int *pairs, int m, int n)
{
    const int2 *edges = reinterpret_cast<const int2 *>(pairs);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        label[i] = i;
    __syncthreads();
    bool changed;
    do {
        changed = false;
        for (int e = threadIdx.x; e < m; e += blockDim.x) {
            const int a = atomicAdd(&label[edges[e].x], 0), b = atomicAdd(&label[edges[e].y], 0);
            if (a < b)
                changed |= atomicMin(&label[edges[e].y], a) > a;
            else if (b < a)
                changed |= atomicMin(&label[edges[e].x], b) > b;
        }
    } while (__syncthreads_or(changed));
}

__global__ void relax(const int *from, const int *to, const unsigned *weight, unsigned *distance,
                      int m)
{
    __shared__ int again;
    do {
        __syncthreads();
        if (threadIdx.x == 0)
            again = 0;
        __syncthreads();
        for (int e = threadIdx.x; e < m; e += blockDim.x) {
            const unsigned d = atomicAdd(&distance[from[e]], 0u);
            if (d != UINT_MAX && atomicMin(&distance[to[e]], d + weight[e]) > d + weight[e])
                atomicExch(&again, 1);
        }
        __syncthreads();
    } while (again);
}

__global__ void csr_scalar(const int *row, const int *col, const float *val, const float *x,
                           float *y, int n)
{
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r < n) {
        float dot = 0;
        for (int e = row[r]; e < row[r + 1]; e++)
            dot += val[e] * x[col[e]];
        y[r] = dot;
    }
}
__global__ void csr_vector(const int *row, const int *col, const float *val, const float *x,
                           float *y, int n)
{
    const int warp = (blockDim.x * blockIdx.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= n)
        return;
    float sum = 0;
    for (int e = row[warp] + lane; e < row[warp + 1]; e += 32)
        sum += __ldg(&val[e]) * __ldg(x + col[e]);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[warp] = sum;
}
__global__ void ell(const int *col, const float *val, const float *x, float *y, int n, int width)
{
    const int r = threadIdx.x;
    if (r >= n)
        return;
    float dot = 0;
    for (int k = 0; k < width; k++) {
        const int c = col[k * n + r];
        if (c >= 0)
            dot = fmaf(val[k * n + r], x[c], dot);
    }
    y[r] = dot;
}
__global__ void coo(const int *r, const int *c, const double *v, const double *x, double *y,
                    int nnz)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < nnz; i += blockDim.x * gridDim.x)
        atomicAdd(&y[r[i]], v[i] * x[c[i]]);
}

/* Open addressing: insert by atomicCAS of the key, count by atomicAdd. */
__global__ void hash_count(const int *keys, int n, int *counts, int slots)
{
    extern __shared__ int table[];
    for (int i = threadIdx.x; i < slots; i += blockDim.x)
        table[i] = -1;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (int s = keys[i] * 7 % slots;; s = (s + 1) % slots) {
            int prev = atomicCAS(&table[s], -1, keys[i]);
            if (prev == -1 || prev == keys[i]) {
                atomicAdd(&counts[keys[i]], 1);
                break;
            }
        }
}

__device__ int heads[3];
struct Node {
    int value, next;
};
__global__ void lists(const int *in, int *sums, int n)
{
    __shared__ Node nodes[32];
    const int i = threadIdx.x;
    if (i < n) {
        nodes[i].value = in[i];
        nodes[i].next = atomicExch(&heads[in[i] % 3], i + 1);
    }
    __syncthreads();
    if (i < 3) {
        int sum = 0;
        for (int at = atomicAdd(&heads[i], 0); at; at = nodes[at - 1].next)
            sum += nodes[at - 1].value;
        sums[i] = sum;
    }
}
