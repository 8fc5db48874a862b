/* foreign_names.c - names of CUDA, OpenCL and Mojo, with Lanewise's names for them. */
#include "base/nearest.h"
#include "compile/front/front.h"
#include <string.h>

static const struct {
    const char *theirs, *ours;
} names[] = {
    /* CUDA */
    {"__global__", "KERNEL"},
    {"__device__", "DEVICE"},
    {"__shared__", "SHARED"},
    {"__forceinline__", "DEVICE: helpers are inlined"},
    {"__constant__", "static const"},
    {"__launch_bounds__", "BLOCK(x, y, z), behind KERNEL"},
    {"threadIdx", "thread_idx"},
    {"blockIdx", "block_idx"},
    {"blockDim", "block_dim"},
    {"gridDim", "grid_dim"},
    {"warpSize", "WARP_SIZE"},
    {"__syncthreads", "barrier()"},
    {"__syncwarp", "warp_sync()"},
    {"__threadfence", "fence_device()"},
    {"__threadfence_block", "fence_block()"},
    {"__shfl", "shuffle(v, lane)"},
    {"__shfl_up", "shuffle_up(v, n)"},
    {"__shfl_down", "shuffle_down(v, n)"},
    {"__shfl_xor", "shuffle_xor(v, mask)"},
    {"__shfl_sync", "shuffle(v, lane)"},
    {"__shfl_up_sync", "shuffle_up(v, n)"},
    {"__shfl_down_sync", "shuffle_down(v, n)"},
    {"__shfl_xor_sync", "shuffle_xor(v, mask)"},
    {"__ballot_sync", "ballot(p)"},
    {"__any_sync", "warp_any(p)"},
    {"__all_sync", "warp_all(p)"},
    {"__reduce_add_sync", "warp_sum(v)"},
    {"__reduce_max_sync", "warp_max(v)"},
    {"__reduce_min_sync", "warp_min(v)"},
    {"atomicAdd", "atomic_add(p, v)"},
    {"atomicSub", "atomic_sub(p, v)"},
    {"atomicMax", "atomic_max(p, v)"},
    {"atomicMin", "atomic_min(p, v)"},
    {"atomicAnd", "atomic_and(p, v)"},
    {"atomicOr", "atomic_or(p, v)"},
    {"atomicXor", "atomic_xor(p, v)"},
    {"atomicExch", "atomic_exchange(p, v)"},
    {"atomicCAS", "atomic_cas(p, expected, desired)"},
    {"__ldg", "a plain load through a pointer to const"},
    {"__popc", "popcount(v)"},
    {"__clz", "clz(v)"},
    {"__brev", "bitreverse(v)"},
    {"__half", "_Float16"},
    {"__nv_bfloat16", "__bf16"},
    {"dim3", "lw_dim3, of the host alone"},
    /* OpenCL */
    {"__kernel", "KERNEL"},
    {"kernel", "KERNEL"},
    {"__global", "nothing: pointers have no address spaces"},
    {"global", "nothing: pointers have no address spaces"},
    {"__constant", "const"},
    {"__local", "SHARED"},
    {"local", "SHARED"},
    {"get_global_id", "global_idx.x, .y, .z"},
    {"get_local_id", "thread_idx.x, .y, .z"},
    {"get_group_id", "block_idx.x, .y, .z"},
    {"get_local_size", "block_dim.x, .y, .z"},
    {"get_num_groups", "grid_dim.x, .y, .z"},
    {"get_global_size", "grid_dim times block_dim"},
    {"CLK_LOCAL_MEM_FENCE", "barrier() without an argument"},
    {"CLK_GLOBAL_MEM_FENCE", "barrier() without an argument"},
    {"work_group_barrier", "barrier()"},
    {"sub_group_reduce_add", "warp_sum(v)"},
    {"work_group_reduce_add", "block_sum(v)"},
    {"half", "_Float16"},
    {"uchar", "uint8_t"},
    {"ushort", "uint16_t"},
    {"uint", "unsigned"},
    {"ulong", "uint64_t"},
    {"mad", "fma(a, b, c)"},
    {"native_exp", "exp(x)"},
    {"convert_float", "a cast: (float)x"},
    {"convert_int", "a cast: (int)x"},
    /* Mojo */
    {"fn", "KERNEL void"},
    {"def", "KERNEL void"},
    {"var", "a type, as in int i"},
    {"Float32", "float"},
    {"Float64", "double"},
    {"Float16", "_Float16"},
    {"Int", "int"},
    {"UInt", "unsigned"},
    {"stack_allocation", "SHARED float name[N]"},
    {"LayoutTensor", "TENSOR(T, RANK)"},
    {"shuffle_idx", "shuffle(v, lane)"},
    {"warp_shuffle", "shuffle(v, lane)"},
};

const char *lw__front_foreign(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].theirs) == length && memcmp(names[i].theirs, name, length) == 0)
            return names[i].ours;
    return NULL;
}

void lw__front_try_foreign(struct lw__nearest *nearest)
{
    enum { SHORTEST = 6 }; /* shorter words are similar to anything */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].theirs) >= SHORTEST)
            lw__nearest_try(nearest, names[i].theirs);
}
