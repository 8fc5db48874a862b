// Barriers that threads arrive at and wait for apart; pipelines of a block and of a thread.
// run: -k barriers -g 2 -b 128 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k pipelines -g 1 -b 64 'i32[256]=iota' 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

#define CHECK(condition) atomicAdd(wrong, (condition) ? 0 : 1)

__global__ void barriers(int *wrong)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int values[128];
    const int i = threadIdx.x, n = blockDim.x;
    if (i == 0)
        init(&bar, n);
    __syncthreads();
    for (int round = 0; round < 5; round++) {
        values[i] = i + round;
        auto token = bar.arrive();
        bar.wait(token);
        CHECK(values[n - 1 - i] == n - 1 - i + round);
        bar.arrive_and_wait();
    }
}

__global__ void pipelines(const int *in, int *wrong)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stages[2][64];
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, stages[0], in, sizeof(stages[0]), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[(k + 1) % 2], in + 64 * (k + 1),
                               cuda::aligned_size_t<16>(sizeof(stages[0])), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        CHECK(stages[k % 2][63 - threadIdx.x] == 64 * k + 63 - threadIdx.x);
        pipe.consumer_release();
    }
    __shared__ int4 own[64];
    __pipeline_memcpy_async(&own[threadIdx.x], in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    CHECK(own[threadIdx.x].w == 4 * threadIdx.x + 3);
}
