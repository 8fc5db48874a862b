// Blocks in shared memory: transposes with padding, stencils with halos, tiled products,
// convolution with constant weights, dynamic shared memory, also several arrays of one.
// run: -k transpose_naive -g 3,2 -b 4,4 'i32[15]=iota' 'i32[15]' 5 3
// expect: out: i32[15] = [0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14]
// run: -k 'transpose_padded<float>' -g 1,2 -b 8,2 'f32[20]=iota' 'f32[20]' 2 10
// expect: out: f32[20] = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]
// run: -k 'transpose_padded<long long>' -g 2,1 -b 8,2 'i64[20]=iota' 'i64[20]' 10 2
// expect: out: i64[20] = [0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17, 8, 18, 9, 19]
// run: -k transpose_diagonal -g 2,2 -b 4,4 'i32[64]=iota' 'i32[4,16]' 8
// expect: out: i32[4,16] = [[ 0,  8, 16, 24, 32, 40, 48, 56,  1,  9, 17, 25, 33, 41,
// expect:                    49, 57],
// expect:                   [ 2, 10, 18, 26, 34, 42, 50, 58,  3, 11, 19, 27, 35, 43,
// expect:                    51, 59],
// expect:                   [ 4, 12, 20, 28, 36, 44, 52, 60,  5, 13, 21, 29, 37, 45,
// expect:                    53, 61],
// expect:                   [ 6, 14, 22, 30, 38, 46, 54, 62,  7, 15, 23, 31, 39, 47,
// expect:                    55, 63]]
// run: -k 'stencil_1d<3,8>' -g 2 -b 8 'i32[13]=iota' 'i32[13]' 13
// expect: out: i32[13] = [6, 10, 15, 21, 28, 35, 42, 49, 56, 63, 57, 50, 42]
// run: -k heat_2d -g 2,2 -b 4,2 --shared 96 'f32[15]=iota' 'f32[15]' 5 3
// expect: out: f32[15] = [0.75, 1.5, 2.375, 3.25, 3.5, 4.5, 6.0, 7.0, 8.0, 7.75, 7.0, 9.0, 9.875, 10.75, 9.75]
// run: -k laplace_3d -b 3,3 'i32[27]=iota' 'i32[3,9]' 3
// expect: out: i32[3,9] = [[ 13,  10,   5,   4,   5,  -2, -11,  -8, -19],
// expect:                  [-14,  -7, -20, -11,   0, -15, -32, -19, -38],
// expect:                  [-59, -44, -67, -50, -31, -56, -83, -62, -91]]
// run: -k 'matmul_tiled<4>' -b 4,4 'f32[16]' 'f32[32]=iota' 'f32[32]=iota' 8 4
// expect: C: f32[16] = [560.0, 588.0, 616.0, 644.0, 1456.0, 1548.0, 1640.0, 1732.0, 2352.0, 2508.0, 2664.0, 2820.0, 3248.0, 3468.0, 3688.0, 3908.0]
// run: -k 'matmul_tiled<2>' -g 2,2 -b 2,2 'f32[16]' 'f32[16]=iota' 'f32[16]=iota' 4 4
// expect: C: f32[16] = [56.0, 62.0, 68.0, 74.0, 152.0, 174.0, 196.0, 218.0, 248.0, 286.0, 324.0, 362.0, 344.0, 398.0, 452.0, 506.0]
// run: -k convolve_rows -g 2,1 -b 16,2 'f32[19]=iota' 'f32[19]' 19 1
// expect: dst: f32[19] = [4.0, 11.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0, 140.0, 150.0, 160.0, 151.0, 122.0]
// run: -k reverse_dynamic -b 12 --shared 48 'i32[12]=iota' 12
// expect: d: i32[12] = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// run: -k carve -b 6 --shared 84 'f64[6]' 'i16[6]=iota' 6
// expect: sums: f64[6] = [5002.25, 4003.0, 3003.75, 2004.5, 1005.25, 0.0]
// run: -k 'rotate<double>' -b 10 --shared 80 'f64[10]=iota' 3
// expect: g_data: f64[10] = [6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 0.0, 2.0, 4.0]
// run: -k 'rotate<unsigned char>' -b 10 --shared 12 'u8[10]=iota' 3
// expect: g_data: u8[10] = [6, 8, 10, 12, 14, 16, 18, 0, 2, 4]
// run: -k double_buffer -b 32 'i32[96]=iota' 'i32[4]' 3
// expect: out: i32[4] = [563, 459, 355, 251]
// run: -k shared_of_file -b 4 'i32[4]'
// expect: out: i32[4] = [13, 12, 11, 10]
#define TILE 8
#define ROWS 2

__global__ void transpose_naive(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

template <class T> __global__ void transpose_padded(const T *in, T *out, int width, int height)
{
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* Blocks take the tiles in order of diagonals. */
__global__ void transpose_diagonal(const int *in, int *out, int n)
{
    __shared__ int tile[4][4 + 1];
    const int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    tile[threadIdx.y][threadIdx.x] = in[(by * 4 + threadIdx.y) * n + bx * 4 + threadIdx.x];
    __syncthreads();
    out[(bx * 4 + threadIdx.y) * n + by * 4 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int RADIUS, int BLOCK> __global__ void stencil_1d(const int *in, int *out, int n)
{
    __shared__ int temp[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + RADIUS;
    temp[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
        temp[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0;
    }
    __syncthreads();
    int result = 0;
#pragma unroll
    for (int o = -RADIUS; o <= RADIUS; o++)
        result += temp[l + o];
    if (g < n)
        out[g] = result;
}

__global__ void heat_2d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny)
{
    extern __shared__ float halo[];
    const int w = blockDim.x + 2;
    const int gx = blockIdx.x * blockDim.x + threadIdx.x,
              gy = blockIdx.y * blockDim.y + threadIdx.y;
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    auto at = [=](int x, int y) {
        return x >= 0 && y >= 0 && x < nx && y < ny ? in[y * nx + x] : 0.f;
    };
    halo[ly * w + lx] = at(gx, gy);
    if (threadIdx.x == 0)
        halo[ly * w] = at(gx - 1, gy);
    if (threadIdx.x == blockDim.x - 1)
        halo[ly * w + lx + 1] = at(gx + 1, gy);
    if (threadIdx.y == 0)
        halo[lx] = at(gx, gy - 1);
    if (threadIdx.y == blockDim.y - 1)
        halo[(ly + 1) * w + lx] = at(gx, gy + 1);
    __syncthreads();
    if (gx < nx && gy < ny)
        out[gy * nx + gx] =
            0.5f * halo[ly * w + lx] + 0.125f * (halo[ly * w + lx - 1] + halo[ly * w + lx + 1] +
                                                 halo[(ly - 1) * w + lx] + halo[(ly + 1) * w + lx]);
}

/* Planes along z stay in registers; the plane in work is in shared memory. */
__global__ void laplace_3d(const int *in, int *out, int n)
{
    __shared__ int plane[6][6];
    const int x = threadIdx.x, y = threadIdx.y, i = y * n + x, area = n * n;
    int behind = 0, current = in[i], ahead = in[i + area];
    for (int z = 0; z < n; z++) {
        plane[y + 1][x + 1] = current;
        if (x == 0)
            plane[y + 1][0] = plane[y + 1][n + 1] = 0;
        if (y == 0)
            plane[0][x + 1] = plane[n + 1][x + 1] = 0;
        __syncthreads();
        out[z * area + i] = plane[y][x + 1] + plane[y + 2][x + 1] + plane[y + 1][x] +
                            plane[y + 1][x + 2] + behind + ahead - 6 * current;
        __syncthreads();
        behind = current;
        current = ahead;
        ahead = z + 2 < n ? in[(z + 2) * area + i] : 0;
    }
}

template <int BS>
__global__ void matmul_tiled(float *C, const float *A, const float *B, int wA, int wB)
{
    const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int a = wA * BS * by, b = BS * bx; a < wA * BS * by + wA; a += BS, b += BS * wB) {
        __shared__ float As[BS][BS], Bs[BS][BS];
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BS; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[(BS * by + ty) * wB + BS * bx + tx] = sum;
}

__constant__ float weights[5] = {1, 2, 4, 2, 1};

__global__ void convolve_rows(const float *src, float *dst, int w, int h)
{
    __shared__ float row[2][16 + 4];
    const int x0 = blockIdx.x * 16, y = blockIdx.y * 2 + threadIdx.y;
    for (int i = threadIdx.x; i < 20; i += blockDim.x) {
        int x = x0 + i - 2;
        row[threadIdx.y][i] = x >= 0 && x < w && y < h ? src[y * w + x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -2; k <= 2; k++)
        sum += weights[2 - k] * row[threadIdx.y][threadIdx.x + 2 + k];
    if (x0 + threadIdx.x < w && y < h)
        dst[y * w + x0 + threadIdx.x] = sum;
}

__global__ void reverse_dynamic(int *d, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x, tr = n - t - 1;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[tr];
}

/* Three arrays of one piece of shared memory, each aligned as its type. */
__global__ void carve(double *sums, const short *in, int n)
{
    extern __shared__ unsigned char arena[];
    double *d = reinterpret_cast<double *>(arena);
    int *i = (int *)&d[n];
    short *s = (short *)(i + n);
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    i[t] = in[t] * 1000;
    d[t] = in[t] * 0.25;
    __syncthreads();
    const unsigned other = n - 1 - t;
    sums[t] = d[other] + i[other] + s[(t + 1) % n];
}

/* extern __shared__ cannot have the template's type, so a struct gives it. */
template <class T> struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};
template <> struct SharedMemory<double> {
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};
template <class T> __global__ void rotate(T *g_data, int by)
{
    T *sdata = SharedMemory<T>();
    const unsigned int tid = threadIdx.x;
    sdata[tid] = g_data[tid];
    __syncthreads();
    g_data[tid] = sdata[(tid + by) % blockDim.x] * (T)2;
}

/* A ring of tiles: the next one loads while this one is in use. */
__global__ void double_buffer(const int *in, int *out, int tiles)
{
    __shared__ int buffer[2][32];
    int acc = 0;
    buffer[0][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        const int now = t & 1;
        if (t + 1 < tiles)
            buffer[now ^ 1][threadIdx.x] = in[(t + 1) * 32 + threadIdx.x];
        acc = acc * 3 + buffer[now][31 - threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.x % 8 == 0)
        out[threadIdx.x / 8] = acc;
}

__device__ __shared__ int file_scope[4];
__device__ void fill_file_scope(int v)
{
    file_scope[threadIdx.x & 3] = v + threadIdx.x;
}
__global__ void shared_of_file(int *out)
{
    fill_file_scope(10);
    __syncthreads();
    out[threadIdx.x] = file_scope[3 - threadIdx.x];
}
