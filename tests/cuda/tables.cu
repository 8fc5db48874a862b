// Tables in constant memory that the command sets, variables that it prints, the architecture.
// run: -k 'convolve<2>' -g 2 -b 4 --symbol taps=f32[5]=1,2,4,2,1 'f32[8]=iota' 'f32[8]' 8
// expect: out: f32[8] = [4.0, 11.0, 20.0, 30.0, 40.0, 50.0, 59.0, 66.0]
// expect: taps: f32[5] = [1.0, 2.0, 4.0, 2.0, 1.0]
// run: -k permute -b 8 --symbol permutation=i32[8]=3,1,-1,0,9,2,7,5 --symbol errors 'i32[8]=iota' 'i32[8]'
// expect: out: i32[8] = [3, 1, 5, 0, 0, 7, 0, 6]
// expect: permutation: i32[8] = [3, 1, -1, 0, 9, 2, 7, 5]
// expect: errors: i32[1] = [2]
// run: -k clamp_and_sum -b 4 --symbol total 'f32[4]=-1,0.25,0.5,7'
// expect: x: f32[4] = [0.0, 0.75, 1.0, 3.0]
// expect: total: f64[1] = [2.25]
// run: -k architecture --arch sm_61 -b 1 'i32[2]'
// expect: out: i32[2] = [3, 610]
// run: -k architecture --arch sm_90 -b 1 'i32[2]'
// expect: out: i32[2] = [7, 900]
__constant__ float taps[5];
__constant__ int permutation[8];
__device__ int errors;
__device__ double total = 0.5;
namespace config
{
struct Limits {
    float low, high;
    int steps[2];
};
__constant__ Limits limits = {0, 1, {2, 3}};
} // namespace config

template <int RADIUS> __global__ void convolve(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += taps[k + RADIUS] * in[min(max(i + k, 0), n - 1)];
    out[i] = sum;
}

__global__ void permute(const int *in, int *out)
{
    const int to = permutation[threadIdx.x];
    if (to < 0 || to > 7) {
        atomicAdd(&errors, 1);
        return;
    }
    out[to] = in[threadIdx.x];
}

__global__ void clamp_and_sum(float *x)
{
    const config::Limits &l = config::limits;
    float v = fminf(fmaxf(x[threadIdx.x], l.low), l.high);
    x[threadIdx.x] = v * l.steps[threadIdx.x & 1];
    atomicAdd(&total, (double)v);
}

__global__ void architecture(int *out)
{
#if __CUDA_ARCH__ >= 700
    out[0] = 7;
#else
    out[0] = 3;
#endif
    out[1] = __CUDA_ARCH__;
}
