// Shuffles with sections, votes, matches and reductions; masks that make two groups of an instance.
// run: -k shuffles -g 1 -b 64 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k groups -g 1 -b 64 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k some -g 1 -b 40 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k blocks -g 1 -b 96 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#define CHECK(condition) atomicAdd(wrong, (condition) ? 0 : 1)
#define ALL 0xffffffff

__global__ void shuffles(int *wrong)
{
    const int lane = threadIdx.x % 32, in8 = lane % 8;
    CHECK(__shfl_sync(ALL, lane, 5) == 5 && __shfl_sync(ALL, lane, 37) == 5);
    CHECK(__shfl_sync(ALL, lane, 3, 8) == (lane & ~7) + 3 && __shfl(lane, -1, 8) == (lane | 7));
    CHECK(__shfl_up_sync(ALL, lane, 3) == (lane < 3 ? lane : lane - 3));
    CHECK(__shfl_up_sync(ALL, lane, 3, 8) == (in8 < 3 ? lane : lane - 3));
    CHECK(__shfl_down_sync(ALL, lane, 3) == (lane > 28 ? lane : lane + 3));
    CHECK(__shfl_down_sync(ALL, lane, 3, 8) == (in8 > 4 ? lane : lane + 3));
    CHECK(__shfl_xor_sync(ALL, lane, 5) == (lane ^ 5) && __shfl_xor(lane, 5, 8) == (lane ^ 5));
    CHECK(__shfl_xor_sync(ALL, lane, 16, 16) == (lane < 16 ? lane : lane - 16));
    CHECK(__shfl_xor_sync(ALL, lane * 1.5, 1) == (lane ^ 1) * 1.5);
    CHECK(__shfl_down_sync(ALL, lane * 3ll << 40, 1, 2) == (long long)(lane | 1) * 3 << 40);
    CHECK(__shfl_sync(ALL, lane * 0.5f, lane / 2) == lane / 2 * 0.5f);
    float sum = lane;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(ALL, sum, step);
    CHECK(__shfl_sync(ALL, sum, 0) == 496);
    CHECK(__ballot_sync(ALL, lane % 4 == 0) == 0x11111111 && __activemask() == ALL);
    CHECK(__any_sync(ALL, lane == 7) && !__all_sync(ALL, lane == 7) && __all_sync(ALL, 1));
    CHECK(__match_any_sync(ALL, lane / 8) == 0xffu << (lane & ~7));
    int all;
    CHECK(__match_all_sync(ALL, 3.5, &all) == ALL && all);
    CHECK(__match_all_sync(ALL, lane, &all) == 0 && !all);
    CHECK(__reduce_add_sync(ALL, lane) == 496 && __reduce_max_sync(ALL, -lane) == 0);
    CHECK(__reduce_min_sync(ALL, (unsigned)lane + 4) == 4 && __reduce_or_sync(ALL, lane) == 31);
    CHECK(__reduce_and_sync(ALL, lane | 64) == 64 && __reduce_xor_sync(ALL, 1u << lane) == ALL);
}

/* Even and odd lanes name themselves, in one call. */
__global__ void groups(int *wrong)
{
    const int lane = threadIdx.x % 32, odd = lane % 2;
    const unsigned mask = odd ? 0xaaaaaaaa : 0x55555555;
    CHECK(__ballot_sync(mask, lane < 4) == (odd ? 0xa : 0x5));
    CHECK(__any_sync(mask, odd) == odd && __all_sync(mask, odd) == odd);
    CHECK(__reduce_add_sync(mask, lane) == (odd ? 256 : 240));
    CHECK(__reduce_max_sync(mask, lane) == 30 + odd && __reduce_min_sync(mask, lane) == odd);
    CHECK(__reduce_xor_sync(mask, 1u << lane) == mask);
    CHECK(__match_any_sync(mask, lane / 4) == (mask & 0xfu << (lane & ~3)));
    int all;
    CHECK(__match_all_sync(mask, odd, &all) == mask && all);
    CHECK(__match_all_sync(mask, lane, &all) == 0 && !all);
}

/* Absent lanes have no part: those of a branch, and those beyond the block. */
__global__ void some(int *wrong)
{
    const int lane = threadIdx.x % 32;
    const unsigned present = threadIdx.x < 32 ? ALL : 0xff;
    CHECK(__activemask() == present && __ballot_sync(ALL, 1) == present);
    if (lane < 5) {
        CHECK(__ballot_sync(0x1f, lane != 2) == 0x1b && __all_sync(0x1f, lane < 5));
        CHECK(__reduce_add_sync(0x1f, lane) == 10);
        CHECK(__reduce_add_sync(__activemask(), 2) == 10);
    }
}

__global__ void blocks(int *wrong)
{
    __shared__ int tile[96];
    extern __shared__ int none[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    CHECK(tile[95 - threadIdx.x] == 95 - (int)threadIdx.x);
    CHECK(__syncthreads_count(threadIdx.x % 3 == 0) == 32);
    CHECK(__syncthreads_or(threadIdx.x == 70) && !__syncthreads_and(threadIdx.x == 70));
    CHECK(__syncthreads_and(2) && blockDim.x == 96 && gridDim.y == 1 && warpSize == 32);
    const dim3 block = blockDim;
    const uint3 thread = threadIdx;
    CHECK(block.x == 96 && block.z == 1 && thread.x == threadIdx.x && dim3(3).y == 1);
}
