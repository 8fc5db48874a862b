// Cooperative groups: blocks, tiles of all sizes, coalesced threads, partitions, reductions, scans,
// groups as parameters of templates.
// run: -k identities -b 8,8 'i32[12]'
// expect: out: i32[12] = [64, 0, 4, 8, 5, 16, 2, 4, 1, 1, 4, 64]
// run: -k 'tile_votes<8>' -b 32 'u32[16]'
// expect: out: u32[16] = [36, 1, 1, 21, 19, 21, 16, 28, 36, 1, 1, 23, 22, 22, 16, 224]
// run: -k 'tile_votes<4>' -b 32 'u32[16]'
// expect: out: u32[16] = [2, 1, 1, 21, 20, 21, 20, 1, 2, 1, 1, 23, 22, 22, 20, 14]
// run: -k any_group -b 64 'i32[64]=iota' 'i32[9]'
// expect: out: i32[9] = [2016, 28, 92, 156, 220, 284, 348, 412, 476]
// run: -k coalesced -b 32 'i32[32]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47' 'i32[14]' 'i32[1]'
// expect: out: i32[14] = [85, 2125, 21, 4125, 41, 6125, 61, 8125, 81, 1725, 17, 3725, 37, 3725]
// expect: total: i32[1] = [7]
// run: -k partitions -b 32 'i32[32]=0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1,4,4,1,0,1' 'i32[5]' 'i32[2]'
// expect: sums: i32[5] = [105, 211, 0, 0, 180]
// expect: sizes: i32[2] = [2131, 1130]
// run: -k reductions -b 32 'i32[32]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61,98,34,71,7,44,81,17,54,91,27,64,0,37,74,10,47' 'i32[14]'
// expect: out: i32[14] = [778, 4, 95, 0, 127, 102, 330, 756, 0, 98, 0, 127, 16, 0]
// run: -k scans -b 16 'i32[16]=11,48,85,21,58,95,31,68,4,41,78,14,51,88,24,61' 'i32[16]' 'i32[16]' 'i32[16]'
// expect: inclusive: i32[16] = [11, 59, 144, 165, 223, 318, 349, 417, 4, 45, 123, 137, 188, 276, 300, 361]
// expect: exclusive: i32[16] = [0, 11, 59, 144, 165, 223, 318, 349, 0, 4, 45, 123, 137, 188, 276, 300]
// expect: most: i32[16] = [11, 48, 85, 85, 85, 95, 95, 95, 4, 41, 78, 78, 78, 88, 88, 88]
// run: -k big_values -b 32 'i32[5]'
// expect: out: i32[5] = [9, 9, -9, 6, 1]
// run: -k erased -b 64 'i32[8]'
// expect: out: i32[8] = [64, 63, 64, 3, 64, 15, 10, 9]
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;

__global__ void identities(int *out)
{
    thread_block b = this_thread_block();
    auto t16 = tiled_partition<16>(b);
    auto t4 = tiled_partition<4>(t16);
    if (b.thread_rank() == 37) {
        out[0] = b.size(), out[1] = b.group_index().x, out[2] = b.thread_index().y,
        out[3] = b.group_dim().x;
        out[4] = t16.thread_rank(), out[5] = t16.size(), out[6] = t16.meta_group_rank(),
        out[7] = t16.meta_group_size();
        out[8] = t4.thread_rank(), out[9] = t4.meta_group_rank(), out[10] = t4.meta_group_size();
        out[11] = b.num_threads();
    }
}

template <int SIZE> __global__ void tile_votes(unsigned *out)
{
    auto tile = tiled_partition<SIZE>(this_thread_block());
    const int i = threadIdx.x;
    const unsigned ballot = tile.ballot(i % 3 == 0);
    const int any = tile.any(i == 21), all = tile.all(i < 24);
    const int next = tile.shfl_down(i, 1), prev = tile.shfl_up(i, 1), swapped = tile.shfl_xor(i, 1),
              first = tile.shfl(i, 0);
    const unsigned same = tile.match_any(i / 3);
    tile.sync();
    if (i == 20 || i == 23) {
        unsigned *o = out + (i == 23) * 8;
        o[0] = ballot, o[1] = any, o[2] = all, o[3] = next, o[4] = prev, o[5] = swapped,
        o[6] = first, o[7] = same;
    }
}

/* The group's kind is the template's. */
template <class Group> __device__ int sum_by_memory(Group g, int *temp, int v)
{
    const int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = v;
        g.sync();
        if (lane < i)
            v += temp[lane + i];
        g.sync();
    }
    return v;
}
__global__ void any_group(const int *in, int *out)
{
    __shared__ int temp[64];
    auto block = this_thread_block();
    const int v = in[block.thread_rank()];
    int s = sum_by_memory(block, temp, v);
    if (block.thread_rank() == 0)
        out[0] = s;
    block.sync();
    auto tile = tiled_partition<8>(block);
    s = sum_by_memory(tile, temp + tile.meta_group_rank() * 8, v);
    if (tile.thread_rank() == 0)
        out[1 + tile.meta_group_rank()] = s;
}

__global__ void coalesced(const int *in, int *out, int *total)
{
    const int i = threadIdx.x;
    if (in[i] % 4 != 1)
        return;
    coalesced_group g = coalesced_threads();
    int before = 0;
    if (g.thread_rank() == 0)
        before = atomicAdd(total, g.size());
    before = g.shfl(before, 0);
    const int at = before + g.thread_rank();
    out[2 * at] = in[i];
    out[2 * at + 1] = g.shfl_down(in[i], 1) * 100 + g.ballot(in[i] > 50);
}

__global__ void partitions(const int *keys, int *sums, int *sizes)
{
    auto warp = tiled_partition<32>(this_thread_block());
    auto peers = labeled_partition(warp, keys[threadIdx.x]);
    const int s = reduce(peers, (int)threadIdx.x, plus<int>());
    if (peers.thread_rank() == 0)
        sums[keys[threadIdx.x]] = s;
    auto half = binary_partition(warp, threadIdx.x % 3 == 0);
    const int m = reduce(half, (int)threadIdx.x, greater<int>());
    if (half.thread_rank() == half.size() - 1)
        sizes[threadIdx.x % 3 == 0] = half.size() * 100 + m;
}

__global__ void reductions(const int *in, int *out)
{
    auto block = this_thread_block();
    auto tile = tiled_partition<16>(block);
    const int v = in[block.thread_rank()];
    const int a = cg::reduce(tile, v, cg::plus<int>()), b = cg::reduce(tile, v, cg::less<int>());
    const int c = cg::reduce(tile, v, cg::greater<int>()),
              d = cg::reduce(tile, v, cg::bit_and<int>());
    const int e = cg::reduce(tile, v, cg::bit_or<int>()),
              f = cg::reduce(tile, v, cg::bit_xor<int>());
    const int g = cg::reduce(tile, v, [](int x, int y) { return (x * y) % 1009; });
    if (tile.thread_rank() == 3) {
        int *o = out + tile.meta_group_rank() * 7;
        o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = g;
    }
}

__global__ void scans(const int *in, int *inclusive, int *exclusive, int *most)
{
    auto tile = tiled_partition<8>(this_thread_block());
    const int i = threadIdx.x, v = in[i];
    inclusive[i] = inclusive_scan(tile, v, cg::plus<int>());
    exclusive[i] = exclusive_scan(tile, v);
    most[i] = inclusive_scan(tile, v, cg::greater<int>());
}

struct Item {
    double key;
    short id[3];
};
__global__ void big_values(int *out)
{
    auto warp = tiled_partition<32>(this_thread_block());
    Item it{threadIdx.x * 0.5, {(short)threadIdx.x, 7, (short)-threadIdx.x}};
    Item o = warp.shfl(it, 9), n = warp.shfl_down(it, 4);
    if (threadIdx.x == 2)
        out[0] = o.key * 2, out[1] = o.id[0], out[2] = o.id[2], out[3] = n.key * 2,
        out[4] = n.id[2] + n.id[1];
}

__device__ void work_of(thread_group g, int *out)
{
    const int r = g.thread_rank();
    if (r == 0)
        atomicAdd(out, (int)g.size());
    g.sync();
    if (r == g.size() - 1)
        atomicMax(out + 1, r);
}
__global__ void erased(int *out)
{
    thread_block block = this_thread_block();
    work_of(block, out);
    work_of(tiled_partition<4>(block), out + 2);
    work_of(tiled_partition(block, 16), out + 4);
    if (threadIdx.x < 10)
        work_of(coalesced_threads(), out + 6);
}
