// Each instance of a function template has block memory of its own; messages have its one name.
// run: -k both -b 4 'f32[4]' 0
// expect: out: f32[4] = [9.0, 6.0, 3.0, 0.0]
// run: -k both -b 4 'f32[4]' 1
// device: !cuda LANEWISE_BOUNDS is 0
// status: 4
// stderr: index 4 outside: this axis of 'cells' has 4 elements
// run: -k both -b 4 'f32[4]' -4
// device: !cuda LANEWISE_BOUNDS is 0
// status: 4
// stderr: index 4 outside: this axis of 'cells' has 4 elements
template <typename T> __device__ T mirrored(T v, int by)
{
    __shared__ T cells[4];
    cells[threadIdx.x] = v;
    __syncthreads();
    return cells[3 + by - (int)threadIdx.x];
}

__global__ void both(float *out, int by)
{
    const int i = threadIdx.x;
    out[i] = mirrored(i, by > 0) + mirrored(i * 2.0f, by < 0);
}
