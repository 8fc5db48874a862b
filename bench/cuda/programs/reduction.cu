/* reduction.cu - a sum: a thread's elements, shuffles in its warp, its block's warps. */

__global__ void reduction(const float *__restrict__ x, float *sums, int n)
{
    __shared__ float of_warp[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, by);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0.0f;
        for (int by = 16; by > 0; by /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, by);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}
