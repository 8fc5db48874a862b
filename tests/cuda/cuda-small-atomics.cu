// Atomic functions of 16 bits and of pairs; those that state an order; cuda::atomic_ref.
// run: -k all -g 2 -b 32 'f32[6]' 'u16[2]' 'u32[4]'
// expect: sums: f32[6] = [64.0, 128.0, 64.0, 32.0, 64.0, 16.0]
// expect: shorts: u16[2] = [64, 0]
// expect: words: u32[4] = [64, 63, 7, 128]
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __half2 pair;
__device__ __half half_sum;
__device__ __nv_bfloat162 pair_of_bfloats;
__device__ unsigned blocks;

__global__ void all(float *sums, unsigned short *shorts, unsigned *words)
{
    __shared__ float in_block;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&pair, __floats2half2_rn(1, 2));
    atomicAdd(&half_sum, __float2half(1));
    atomicAdd(&pair_of_bfloats, __floats2bfloat162_rn(0.5f, 1));
    atomicAdd(&in_block, 0.5f);
    for (unsigned short seen = 0, old; (old = atomicCAS(shorts, seen, seen + 1)) != seen;)
        seen = old;
    __nv_atomic_fetch_add(&words[0], 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(&words[1], (unsigned)i, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_store_n(&words[2], 7u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(words[3]) += 2;
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0 && atomicInc(&blocks, 1) == 1) { /* the last block */
        const float2 p = __half22float2(pair), q = __bfloat1622float2(pair_of_bfloats);
        sums[0] = p.x, sums[1] = p.y, sums[2] = half_sum, sums[3] = q.x, sums[4] = q.y;
        sums[5] = in_block;
    }
}
