// CUDA's names: the message says what each is here.
// run: f32[3]
// status: 3
// stderr: foreign-cuda.c:18:1: error: unknown type name '__global__'; here it is KERNEL
// stderr: use of undeclared identifier 'blockIdx'; here it is block_idx
// stderr: use of undeclared identifier 'threadIdx'; here it is thread_idx
// stderr: use of undeclared identifier '__shared__'; here it is SHARED
// stderr: call to undeclared function 'atomicAdd'; here it is atomic_add(p, v)
// stderr: call to undeclared function '__syncthreads'; here it is barrier()
// run: -D OPENCL f32[3]
// status: 3
// stderr: call to undeclared function 'get_global_id'; here it is global_idx.x, .y, .z
// stderr: use of undeclared identifier '__local'; here it is SHARED
// stderr: use of undeclared identifier 'CLK_LOCAL_MEM_FENCE'; here it is barrier() without
#include <lanewise/kernel.h>

#ifndef OPENCL
__global__ void f(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[32];
    atomicAdd(x, 1.0f);
    __syncthreads();
}
#else
KERNEL void f(float *x)
{
    int i = get_global_id(0);
    __local float t[32];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = 1;
}
#endif
