/* Mistakes of CUDA programs that races are: a barrier or __syncwarp that is missing, a counter that
 * is no atomic, blocks that wait for nobody. Each kernel is right without -D BAD. */
#ifdef BAD
#define SYNC()
#define SYNCWARP()
#else
#define SYNC() __syncthreads()
#define SYNCWARP() __syncwarp()
#endif
#define FULL 0xffffffff

// run: -k reverse -b 64 i32[64]=iota
// run: -k reverse -b 64 -D BAD i32[64]=iota
// finds: race-shared @r2 @r1
__global__ void reverse(int *d)
{
    __shared__ int s[64];
    const int t = threadIdx.x, other = 63 - t;
    s[t] = d[t]; /* @r1 */
    SYNC();
    d[t] = s[other]; /* @r2 */
}

// run: -k tree -b 128 --shared 512 i32[128]=iota i32[1]
// run: -k tree -b 128 --shared 512 -D BAD i32[128]=iota i32[1]
// finds: race-shared @t1 @t1
// finds: race-warp @t1 @t1
__global__ void tree(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    for (unsigned n = blockDim.x / 2; n > 0; n >>= 1) {
        if (tid < n)
            s[tid] += s[tid + n]; /* @t1 */
        SYNC();
    }
    if (tid == 0)
        *out = s[0];
}

/* The last warp without __syncwarp was right on GPUs before Volta only. */
// run: -k last_warp -b 32 i32[32]=iota i32[1]
// run: -k last_warp -b 32 -D BAD i32[32]=iota i32[1]
// finds: race-warp @w2 @w1
// finds: race-warp @w3 @w1
__global__ void last_warp(const int *in, int *out)
{
    __shared__ volatile int s[32];
    const int t = threadIdx.x;
    s[t] = in[t]; /* @w1 */
    SYNCWARP();
    if (t < 16)
        s[t] = s[t] + s[t + 16]; /* @w2 */
    SYNCWARP();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 16; i++)
            sum ^= s[i]; /* @w3 */
        *out = sum;
    }
}

/* The tile of the next round overwrites what others still read. */
// run: -k tiles -b 64 i32[256]=iota i32[64]
// run: -k tiles -b 64 -D BAD i32[256]=iota i32[64]
// finds: race-shared @i1 @i2
// finds: race-warp @i1 @i2
__global__ void tiles(const int *in, int *out)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[threadIdx.x] = in[k * 64 + threadIdx.x]; /* @i1 */
        __syncthreads();
        for (int j = 0; j < 64; j += 9)
            sum += tile[j] * (int)threadIdx.x; /* @i2 */
        SYNC();
    }
    out[threadIdx.x] = sum;
}

// run: -k counter -g 2 -b 32 i32[1]
// run: -k counter -g 2 -b 32 -D BAD i32[1]
// finds: race-warp @c1 @c1
// finds: race-global @c1 @c1
__global__ void counter(int *count)
{
#ifdef BAD
    *count += 1; /* @c1 */
#else
    atomicAdd(count, 1);
#endif
}

// run: -k histogram -b 64 u8[64]=iota i32[8]
// run: -k histogram -b 64 -D BAD u8[64]=iota i32[8]
// finds: race-shared @h1 @h2
// finds: race-shared @h3 @h2
// finds: race-warp @h1 @h2
// finds: race-warp @h3 @h2
__global__ void histogram(const unsigned char *data, int *out)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0; /* @h1 */
    SYNC();
    atomicAdd(&bins[data[threadIdx.x] >> 3], 1); /* @h2 */
    SYNC();
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x]; /* @h3 */
}

/* A block reads its neighbour's halo, which that block may not yet have written. */
// run: -k in_place -g 2 -b 32 f32[64]=iota f32[64]
// run: -k in_place -g 2 -b 32 -D BAD f32[64]=iota f32[64]
// finds: race-warp @p1 @p1
// finds: race-warp @p1 @p1
// finds: race-global @p1 @p1
// finds: race-global @p1 @p1
__global__ void in_place(float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BAD
    y = x;
#endif
    if (i > 0 && i < 63)
        y[i] = (x[i - 1] + x[i + 1]) * 0.5f; /* @p1 */
}

/* A flag that is not volatile and has no fence. */
// run: -k handover -g 2 -b 1 i32[1] i32[1]
// run: -k handover -g 2 -b 1 -D BAD i32[1] i32[1]
// finds: race-global @o2 @o1
__global__ void handover(int *out, int *data)
{
    __device__ extern int ready;
    if (blockIdx.x == 0) {
        *data = 5; /* @o1 */
#ifndef BAD
        __threadfence();
#endif
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0)
            ;
#ifndef BAD
        __threadfence();
#endif
        *out = *data; /* @o2 */
    }
}
__device__ int ready;

/* One result that two warps write: shared by mistake. */
// run: -k broadcast -b 64 i32[2]
// run: -k broadcast -b 64 -D BAD i32[2]
// finds: race-shared @b1 @b1
__global__ void broadcast(int *out)
{
    __shared__ int leader[2];
    const int warp = threadIdx.x / 32;
    const int v = __reduce_max_sync(FULL, (int)threadIdx.x);
#ifdef BAD
    if (threadIdx.x % 32 == 0)
        leader[0] = v; /* @b1 */
#else
    if (threadIdx.x % 32 == 0)
        leader[warp] = v;
#endif
    __syncthreads();
    if (threadIdx.x < 2)
        out[threadIdx.x] = leader[threadIdx.x % (warp + 1)];
}
