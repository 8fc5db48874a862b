// Variables of the device: their initial values, namespaces, arrays, structs; what one kernel and
// its helper write.
// run: -k poly -g 2 -b 4 'f32[6]=iota' 'f32[6]' 6
// expect: y: f32[6] = [1.0, 10.0, 49.0, 142.0, 313.0, 586.0]
// run: -k count -g 3 -b 32 'i32[3]'
// expect: out: i32[3] = [103, 7, 15]
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter = 7;

namespace state {
struct pair {
    float scale;
    int offset;
};
__device__ pair both = {2.5f, 3};
__device__ int table[2][3];
}

__device__ float coefficient(int i) { return coefficients[i & 3]; }

__global__ void poly(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = ((coefficients[3] * x[i] + coefficient(2)) * x[i] + coefficient(1)) * x[i] +
               coefficients[0];
}

__global__ void count(int *out)
{
    atomicAdd(&counter, 1);
    if (blockIdx.x || threadIdx.x)
        return;
    state::table[1][2] += state::both.offset * 5;
    out[1] = state::both.scale * state::both.offset;
    out[2] = state::table[1][2];
    out[0] = atomicMax(&counter, 0) ? 103 : 0;
}
