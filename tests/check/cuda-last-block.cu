// The last block adds up what all have left, by a volatile array, a fence and a counter, and sets
// the counter back: no finding. Without the fence the results race; a counter that others may
// still raise, too.
// run: -k last -g 5 -b 64 'i32[2]'
// run: -k early -g 5 -b 64 'i32[2]'
// finds: race-global 33 32
__device__ unsigned done = 0;
__device__ volatile int partial[8];

__global__ void last(int *out)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x * 10;
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += partial[i];
        out[0] = sum;
        done = 0;
    }
}

__global__ void early(int *out)
{
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&done, 1);
        if (done == 7)
            out[1] = 1;
    }
}
