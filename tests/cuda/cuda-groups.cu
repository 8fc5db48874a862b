// Cooperative groups: tiles, threads that are together, partitions, reductions and scans.
// run: -k tiles -g 1 -b 64 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k together -g 1 -b 64 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k places -g 2 -b 4x2 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

#define CHECK(condition) atomicAdd(wrong, (condition) ? 0 : 1)

struct triple {
    float x, y;
    char tag;
};

__global__ void tiles(int *wrong)
{
    const int lane = threadIdx.x % 32, rank = threadIdx.x % 8;
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const auto half = cg::tiled_partition<4>(tile);
    CHECK(tile.size() == 8 && tile.thread_rank() == rank && warp.thread_rank() == lane);
    CHECK(tile.meta_group_rank() == threadIdx.x / 8 && tile.meta_group_size() == 8);
    CHECK(half.meta_group_size() == 2 && half.meta_group_rank() == rank / 4);
    CHECK(tile.shfl(lane, 2) == (lane & ~7) + 2 && tile.shfl_xor(lane, 1) == (lane ^ 1));
    CHECK(tile.shfl_down(lane, 6) == (rank < 2 ? lane + 6 : lane));
    CHECK(tile.shfl_up(lane, 6) == (rank < 6 ? lane : lane - 6));
    const triple t = warp.shfl(triple{lane * 0.5f, -1, (char)lane}, 9);
    CHECK(t.x == 4.5f && t.y == -1 && t.tag == 9);
    CHECK(tile.ballot(rank == 3) == 8 && tile.any(lane == 9) == (lane / 8 == 1));
    CHECK(tile.all(lane < 8) == (lane < 8) && tile.match_any(rank / 4) == 0xfu << (rank & 4));
    CHECK(cg::reduce(tile, lane, cg::plus<int>()) == 8 * (lane & ~7) + 28);
    CHECK(cg::reduce(warp, lane, cg::plus<int>()) == 496);
    CHECK(cg::reduce(tile, lane, cg::greater<int>()) == (lane | 7));
    CHECK(cg::reduce(warp, 1.5f, cg::plus<float>()) == 48);
    CHECK(cg::reduce(half, 1u << lane, cg::bit_or<unsigned>()) == 0xfu << (lane & ~3));
    CHECK(cg::inclusive_scan(tile, rank) == rank * (rank + 1) / 2);
    CHECK(cg::exclusive_scan(tile, 2, cg::plus<int>()) == 2 * rank);
    const cg::thread_group any = cg::tiled_partition(block, 16);
    CHECK(any.size() == 16 && any.thread_rank() == threadIdx.x % 16);
    any.sync();
    __shared__ int values[64], copy[64];
    values[threadIdx.x] = threadIdx.x;
    block.sync();
    cg::memcpy_async(block, copy, values, sizeof(copy));
    cg::wait(block);
    CHECK(copy[63 - threadIdx.x] == 63 - threadIdx.x);
}

__global__ void together(int *wrong)
{
    const int lane = threadIdx.x % 32;
    if (lane % 3 == 1) { /* 1, 4, 7 ... 31: 11 of them */
        const cg::coalesced_group g = cg::coalesced_threads();
        const int rank = lane / 3;
        CHECK(g.size() == 11 && g.thread_rank() == rank);
        CHECK(g.shfl(lane, 4) == 13 && g.shfl_down(lane, 1) == (rank < 10 ? lane + 3 : lane));
        CHECK(g.shfl_up(lane, 2) == (rank < 2 ? lane : lane - 6));
        CHECK(g.ballot(rank % 2) == 0x2aa && g.any(lane == 4) && !g.all(lane == 4));
        CHECK(cg::reduce(g, rank, cg::plus<int>()) == 55);
        CHECK(cg::inclusive_scan(g, 1) == rank + 1);
        CHECK(cg::exclusive_scan(g, rank) == rank * (rank - 1) / 2);
    }
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto low = cg::binary_partition(warp, lane < 10);
    CHECK(low.size() == (lane < 10 ? 10 : 22));
    CHECK(cg::reduce(low, 1, cg::plus<int>()) == (int)low.size());
    const auto fours = cg::labeled_partition(warp, lane / 4);
    CHECK(fours.size() == 4 && fours.thread_rank() == lane % 4);
}

__global__ void places(int *wrong)
{
    const auto grid = cg::this_grid();
    const auto block = cg::this_thread_block();
    CHECK(grid.size() == 16 && block.size() == 8 && block.group_index().x == blockIdx.x);
    CHECK(block.thread_rank() == threadIdx.x + 4 * threadIdx.y && grid.num_blocks() == 2);
    CHECK(block.thread_index().y == threadIdx.y && block.group_dim().y == 2);
}
