// Elementwise kernels: guards, grid-stride loops, templates, functors, structs by value, vectors
// of four, three dimensions.
// run: -k 'saxpy<float>' -g 2 -b 8 10 2.5 'f32[10]=iota' 'f32[10]=iota'
// expect: y: f32[10] = [0.0, 3.5, 7.0, 10.5, 14.0, 17.5, 21.0, 24.5, 28.0, 31.5]
// run: -k 'saxpy<int>' -g 3 -b 4 10 -3 'i32[10]=iota' 'i32[10]=const:7'
// expect: y: i32[10] = [7, 4, 1, -2, -5, -8, -11, -14, -17, -20]
// run: -k 'axpy_unrolled<float,4>' -g 2 -b 2 11 2 'f32[11]=iota' 'f32[11]=const:1'
// expect: y: f32[11] = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0]
// run: -k grid_stride -g 2 -b 3 'i32[16]=iota' 'i32[16]' 16
// expect: out: i32[16] = [-3, -2, 1, 6, 13, 22, 33, 46, 61, 78, 97, 118, 141, 166, 193, 222]
// run: -k 'transform<Affine>' -g 2 -b 3 'f32[8]=iota' 'f32[8]' 8 '{2,-0.5}'
// expect: out: f32[8] = [-0.5, 1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 13.5]
// run: -k 'transform<Composed<Affine, Clamp>>' -g 2 -b 3 'f32[8]=iota' 'f32[8]' 8 '{{2,-0.5},{1,9}}'
// expect: out: f32[8] = [1.0, 1.5, 3.5, 5.5, 7.5, 9.0, 9.0, 9.0]
// run: -k 'zip<Plus, float>' -b 8 'f32[6]=iota' 'f32[6]=const:0.25' 'f32[6]' 6 '{}'
// expect: out: f32[6] = [0.25, 1.25, 2.25, 3.25, 4.25, 5.25]
// run: -k 'zip<Gcd, int>' -b 8 'i32[6]=12,18,35,0,270,7' 'i32[6]=8,27,14,5,192,13' 'i32[6]' 6 '{}'
// expect: out: i32[6] = [4, 9, 7, 5, 6, 1]
// run: -k copy_vector4 -g 2 -b 2 'f32[12]=iota' 'f32[12]' 3
// expect: out: f32[12] = [3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0, 11.0, 10.0, 9.0, 8.0]
// run: -k tail_vector2 -b 2 'f32[9]=iota' 'f32[9]' 9
// expect: out: f32[9] = [1.0, -1.0, 5.0, -1.0, 9.0, -1.0, 13.0, -1.0, 8.0]
// run: -k volume -g 2,2,1 -b 2,2,4 'i32[2,9]' '{3,3,2}'
// expect: out: i32[2,9] = [[  0,   1,   2,  10,  11,  12,  20,  21,  22],
// expect:                  [100, 101, 102, 110, 111, 112, 120, 121, 122]]
// run: -k linear_ids -g 2,3,2 -b 4,2,3 'i32[6]'
// expect: out: i32[6] = [10224, 10296, 10368, 10440, 32, 32]
// run: -k predicate -b 16 'u8[6]=72,101,76,76,79,33' 'i32[1]' 'u8[6]' 6
// expect: upper: i32[1] = [4]
// expect: lower: u8[6] = [104, 101, 108, 108, 111, 33]
// run: -k julia -g 2,2 -b 4,2 'u32[20]' 5 4 -0.75 0.25
// expect: out: u32[20] = [1, 2, 2, 2, 2, 2, 4, 19, 9, 21, 10, 50, 13, 50, 10, 21, 9, 19, 4, 2]
// run: -k step_soa -b 32 'f32[4]=iota' 'f32[4]=const:2' 4 0.5
// expect: x: f32[4] = [0.75, 1.75, 2.75, 3.75]
// expect: v: f32[4] = [1.5, 1.5, 1.5, 1.5]
// run: -k collect -b 4 'struct[3]' 'f32[3]' 3
// expect: bodies: struct[3] = [{{0.0, 0.0, 0.0}, 0}, {{1.0, 2.0, 3.0}, -1}, {{2.0, 4.0, 6.0}, -2}]
// expect: out: f32[3] = [24.0, 6.0, 0.0]
// run: -k step_aos -b 4 'struct[2]' 2 '{1,2,3}'
// expect: bodies: struct[2] = [{{0.0, 2.0, -3.0}, 16}, {{1.0, 2.0, -3.0}, 17}]
#include <cuda_runtime.h>

template <typename T> __global__ void saxpy(int n, T a, const T *__restrict__ x, T *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

template <typename T, int UNROLL> __global__ void axpy_unrolled(int n, T a, const T *x, T *y)
{
    int base = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const int i = base + u * blockDim.x;
        if (i < n)
            y[i] += a * x[i];
    }
}

__global__ void __launch_bounds__(128, 2) grid_stride(const int *in, int *out, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * in[i] - 3;
}

struct Affine {
    float scale, shift;
    __host__ __device__ float operator()(float v) const { return v * scale + shift; }
};
struct Clamp {
    float low, high;
    __device__ __forceinline__ float operator()(float v) const
    {
        return fminf(fmaxf(v, low), high);
    }
};
template <class First, class Second> struct Composed {
    First first;
    Second second;
    __device__ float operator()(float v) const { return second(first(v)); }
};
template <class F> __global__ void transform(const float *in, float *out, int n, F f)
{
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride)
        out[i] = f(in[i]);
}

template <class Op, class T>
__global__ void zip(const T *a, const T *b, T *out, int n, Op op = Op())
{
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid >= n)
        return;
    out[tid] = op(a[tid], b[tid]);
}
struct Plus {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Gcd {
    __device__ int operator()(int a, int b) const
    {
        while (b != 0) {
            int r = a % b;
            a = b;
            b = r;
        }
        return a;
    }
};

__global__ void copy_vector4(const float *in, float *out, int quads)
{
    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 v = in4[i];
        v = make_float4(v.w, v.z, v.y, v.x);
        reinterpret_cast<float4 *>(out)[i] = v;
    }
}

__global__ void tail_vector2(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int p = i; p < n / 2; p += blockDim.x * gridDim.x) {
        float2 v = ((const float2 *)in)[p];
        ((float2 *)out)[p] = make_float2(v.x + v.y, v.x - v.y);
    }
    if (i == 0 && (n & 1))
        out[n - 1] = in[n - 1];
}

__global__ void volume(int *out, dim3 extent)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < extent.x && y < extent.y && z < extent.z)
        out[(z * extent.y + y) * extent.x + x] = 100 * z + 10 * y + x;
}

__global__ void linear_ids(int *out)
{
    int block = blockIdx.x + blockIdx.y * gridDim.x + gridDim.x * gridDim.y * blockIdx.z;
    int thread = block * (blockDim.x * blockDim.y * blockDim.z) +
                 threadIdx.z * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    atomicAdd(out + (thread & 3), thread);
    if (thread == 0)
        out[4] = warpSize, out[5] = gridDim.y * 10 + gridDim.z;
}

struct Particles {
    float *x;
    float *v;
    int count;
};
__global__ void step_soa(float *x, float *v, int n, float dt)
{
    __shared__ Particles p;
    if (threadIdx.x == 0)
        p = Particles{x, v, n};
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count) {
        p.v[i] -= 1.0f * dt;
        p.x[i] += p.v[i] * dt;
    }
}

struct __align__(16) Body {
    float3 at;
    int kind;
};
__global__ void step_aos(Body *bodies, int n, float3 by)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    Body b = bodies[i];
    b.at.x += by.x * i;
    b.at.y += by.y;
    b.at.z -= by.z;
    b.kind = static_cast<int>(sizeof(Body)) + i;
    bodies[i] = b;
}

__global__ void collect(Body *bodies, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        bodies[i].at = make_float3(i, i * 2, i * 3);
        bodies[i].kind = -i;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const Body &b = bodies[n - 1 - i];
        out[i] = b.at.x + b.at.y * b.at.z + b.kind;
    }
}

__global__ void predicate(const unsigned char *text, int *upper, unsigned char *lower, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        unsigned char c = text[i];
        bool is_upper = c >= 'A' && c <= 'Z';
        lower[i] = is_upper ? c + ('a' - 'A') : c;
        if (is_upper)
            atomicAdd(upper, 1);
    }
}

__global__ void julia(unsigned *out, int width, int height, float cr, float ci)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float zr = 0.5f * px - 1, zi = 0.5f * py - 1;
    int k = 0;
    while (k < 50 && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        k++;
    }
    out[py * width + px] = k;
}

int main()
{
    float *f = nullptr;
    saxpy<float><<<1, 32>>>(0, 2.0f, f, f);
    transform<<<1, 32>>>(f, f, 0, Affine{1, 2});
    auto square = [] __device__(float v) { return v * v; };
    transform<<<1, 32>>>(f, f, 0, square);
    return 0;
}
