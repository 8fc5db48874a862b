/* Mistakes of CUDA programs: a guard that is missing, shared memory that is too small, barriers in a
 * branch, shuffles from lanes that are away. Each kernel is right without -D BAD. */
#ifdef BAD
#define IF(c) if (1)
#else
#define IF(c) if (c)
#endif

// run: -k 'saxpy<float>' -g 2 -b 32 50 2 f32[50]=iota f32[50]
// run: -k 'saxpy<float>' -g 2 -b 32 -D BAD 50 2 f32[50]=iota f32[50]
// finds: out-of-bounds @s1
template <class T> __global__ void saxpy(int n, T a, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    IF (i < n)
        y[i] = a * x[i] + y[i]; /* @s1 */
}

/* An index that is below 0: the neighbour on the left of the first. */
// run: -k halo -b 16 i32[16]=iota i32[16]
// run: -k halo -b 16 -D BAD i32[16]=iota i32[16]
// finds: out-of-bounds @h1
__global__ void halo(const int *in, int *out)
{
    const int i = threadIdx.x;
    int left = 0;
    IF (i > 0)
        left = in[i - 1]; /* @h1 */
    out[i] = left;
}

// run: -k too_small -b 64 --shared 256 i32[64]=iota
// run: -k too_small -b 64 --shared 128 i32[64]=iota
// finds: out-of-bounds @d1
// finds: out-of-bounds @d2
__global__ void too_small(int *x)
{
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x]; /* @d1 */
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x]; /* @d2 */
}

// run: -k rows -b 8,8 f32[64]
// run: -k rows -b 8,8 -D BAD f32[64]
// finds: out-of-bounds @t1
__global__ void rows(float *out)
{
#ifdef BAD
    __shared__ float tile[7][8];
#else
    __shared__ float tile[8][8];
#endif
    tile[threadIdx.y][threadIdx.x] = threadIdx.x; /* @t1 */
    __syncthreads();
    out[threadIdx.y * 8 + threadIdx.x] = threadIdx.y < 7 ? tile[threadIdx.y][7 - threadIdx.x] : 0;
}

// run: -k table -b 8 i32[8]
// run: -k table -b 8 -D BAD i32[8]
// finds: out-of-bounds @c1
__constant__ int weights[5] = {1, 2, 3, 2, 1};
__global__ void table(int *out)
{
    int v = 0;
    IF (threadIdx.x < 5)
        v = weights[threadIdx.x]; /* @c1 */
    out[threadIdx.x] = v;
}

/* Threads that return early do not reach the barrier in a loop; here only a branch leaves it out. */
// run: -k branch -b 64 i32[64]
// run: -k branch -b 64 -D BAD i32[64]
// finds: barrier-divergence @b1 @b2
__global__ void branch(int *out)
{
    __shared__ int s;
#ifdef BAD
    if (threadIdx.x < 32)
#endif
    {
        if (threadIdx.x == 0)
            s = 4;
        __syncthreads(); /* @b1 */
    }
    out[threadIdx.x] = __syncthreads_count(threadIdx.x > 3); /* @b2 */
}

// run: -k shuffled -b 32 i32[32]
// run: -k shuffled -b 32 -D BAD i32[32]
// finds: undefined-lane @l2 @l1
__global__ void shuffled(int *out)
{
    int v = threadIdx.x * 2;
#ifdef BAD
    if (threadIdx.x < 16)
#endif
        v = __shfl_sync(0xffffffff, v, 20); /* @l1 */
    out[threadIdx.x] = v;                   /* @l2 */
}

// run: -k unset -b 32 i32[32]
// run: -k unset -b 32 -D BAD i32[32]
// finds: uninitialised @u1 @u0
__global__ void unset(int *out)
{
    __shared__ int s[32]; /* @u0 */
#ifdef BAD
    if (threadIdx.x < 31)
#endif
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x]; /* @u1 */
}

// run: -k index -g 2 -b 32 40000 i32[1]
// run: -k index -g 2 -b 32 -D BAD 60000 i32[1]
// finds: overflow @o1
__global__ void index(int n, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        out[0] = n * n > 0; /* @o1 */
}

/* A block that is no whole number of warps: lanes beyond its end have no value to give. */
// run: -k part_of_warp -b 32 i32[1]
// run: -k part_of_warp -b 20 i32[1]
// finds: undefined-lane @q2 @q1
__global__ void part_of_warp(int *out)
{
    int v = threadIdx.x;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d); /* @q1 */
    if (threadIdx.x == 0)
        *out = v; /* @q2 */
}

/* The half warp that writes is not the one that synchronises. */
// run: -k half_warps -b 32 i32[16]
// run: -k half_warps -b 32 -D BAD i32[16]
// finds: race-warp @y2 @y1
__global__ void half_warps(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x; /* @y1 */
#ifndef BAD
    __syncwarp();
#endif
    if (threadIdx.x < 16) {
        __syncwarp(0xffff);
        out[threadIdx.x] = s[threadIdx.x + 16]; /* @y2 */
    }
}
