// All threads of a block write and have a fence, meet, and one sets the flag; another block waits
// for it, has a fence, and meets. Without the writers' fences their values race.
// run: -k handshake -g 2 -b 4 'i32[4]'
// run: -k no_fence -g 2 -b 4 'i32[4]'
// finds: race-global 33 42
__device__ volatile int flag;
__device__ int payload[4];

__global__ void handshake(int *out)
{
    if (blockIdx.x == 0) {
        payload[threadIdx.x] = threadIdx.x * 11;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = payload[3 - threadIdx.x];
    }
}

__device__ volatile int bare_flag;
__device__ int bare[4];
__global__ void no_fence(int *out)
{
    if (blockIdx.x == 0) {
        bare[threadIdx.x] = threadIdx.x * 11;
        __syncthreads();
        if (threadIdx.x == 0)
            bare_flag = 1;
    } else {
        while (bare_flag == 0)
            ;
        __threadfence();
        __syncthreads();
        out[threadIdx.x] = bare[3 - threadIdx.x];
    }
}
