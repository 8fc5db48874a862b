/* cooperative_groups.h - groups of threads: a block, its tiles, threads that are together, a grid.
 *
 * A tile is 1, 2, 4, 8, 16 or 32 neighbours of a warp. A coalesced group is any lanes of one; its
 * ranks count the lanes of its mask. Ballots and matches have a bit for each rank of the group.
 */
#ifndef LANEWISE_CUDA_COOPERATIVE_GROUPS_H
#define LANEWISE_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"
#include "lw/any_shuffle.h"

#define _CG_VERSION 12040
#define _CG_HAS_GRID_GROUP 1

namespace cooperative_groups
{

LW_DEVICE unsigned lw_block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
LW_DEVICE unsigned lw_block_rank()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* ---- Any group ----------------------------------------------------------------------------- */

/* A grid is none of these: a kernel that cannot wait for its grid may still take groups. */
class thread_group
{
public:
    enum lw_kind { lw_tile, lw_coalesced, lw_block };
    LW_MEMBER thread_group(lw_kind kind, unsigned mask, unsigned size, unsigned rank)
        : lw_mask(mask), lw_size(size), lw_rank(rank), lw_is(kind)
    {
    }
    LW_MEMBER unsigned long long size() const { return lw_size; }
    LW_MEMBER unsigned long long num_threads() const { return lw_size; }
    LW_MEMBER unsigned long long thread_rank() const { return lw_rank; }
    LW_MEMBER bool is_valid() const { return true; }
    LW_MEMBER void sync() const
    {
        if (lw_is == lw_block)
            lw_barrier();
        else
            lw_warp_sync();
    }
    unsigned lw_mask, lw_size, lw_rank;
    lw_kind lw_is;
};

/* ---- A block ------------------------------------------------------------------------------- */

class thread_block
{
public:
    static LW_MEMBER void sync() { lw_barrier(); }
    static LW_MEMBER void barrier_wait() { lw_barrier(); }
    static LW_MEMBER unsigned thread_rank() { return lw_block_rank(); }
    static LW_MEMBER unsigned size() { return lw_block_threads(); }
    static LW_MEMBER unsigned num_threads() { return lw_block_threads(); }
    static LW_MEMBER dim3 group_index() { return blockIdx; }
    static LW_MEMBER dim3 thread_index() { return threadIdx; }
    static LW_MEMBER dim3 group_dim() { return blockDim; }
    static LW_MEMBER dim3 dim_threads() { return blockDim; }
    LW_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::lw_block, 0xffffffff, size(), thread_rank());
    }
};
LW_DEVICE thread_block this_thread_block() { return thread_block(); }

/* ---- A grid -------------------------------------------------------------------------------- */

class grid_group
{
public:
    static LW_MEMBER void sync() { lw_grid_sync(); }
    static LW_MEMBER bool is_valid() { return true; }
    static LW_MEMBER unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static LW_MEMBER unsigned long long block_rank()
    {
        return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static LW_MEMBER unsigned long long num_threads() { return num_blocks() * lw_block_threads(); }
    static LW_MEMBER unsigned long long size() { return num_threads(); }
    static LW_MEMBER unsigned long long thread_rank()
    {
        return block_rank() * lw_block_threads() + lw_block_rank();
    }
    static LW_MEMBER dim3 block_index() { return blockIdx; }
    static LW_MEMBER dim3 dim_blocks() { return gridDim; }
    static LW_MEMBER dim3 group_dim() { return gridDim; }
};
LW_DEVICE grid_group this_grid() { return grid_group(); }

/* ---- Threads that are together ------------------------------------------------------------- */

class coalesced_group
{
public:
    LW_MEMBER explicit coalesced_group(unsigned mask, unsigned meta_rank = 0,
                                       unsigned meta_size = 1)
        : lw_mask(mask), lw_meta_rank(meta_rank), lw_meta_size(meta_size)
    {
    }
    LW_MEMBER void sync() const { lw_warp_sync(); }
    LW_MEMBER unsigned size() const { return (unsigned)__builtin_popcount(lw_mask); }
    LW_MEMBER unsigned num_threads() const { return size(); }
    LW_MEMBER unsigned thread_rank() const { return lw_rank_of(lw_lane_id()); }
    LW_MEMBER unsigned meta_group_rank() const { return lw_meta_rank; }
    LW_MEMBER unsigned meta_group_size() const { return lw_meta_size; }
    LW_MEMBER int any(int p) const { return __any_sync(lw_mask, p); }
    LW_MEMBER int all(int p) const { return __all_sync(lw_mask, p); }
    LW_MEMBER unsigned ballot(int p) const { return lw_packed(__ballot_sync(lw_mask, p)); }
    template <class T> LW_MEMBER unsigned match_any(T v) const
    {
        return lw_packed(__match_any_sync(lw_mask, v));
    }
    template <class T> LW_MEMBER unsigned match_all(T v, int &all) const
    {
        return lw_packed(__match_all_sync(lw_mask, v, &all));
    }
    template <class T> LW_MEMBER T shfl(LW_UNSET T v, int rank) const
    {
        return lw_any_shuffle(v, lw_lane_of((unsigned)rank), 32);
    }
    template <class T> LW_MEMBER T shfl_up(LW_UNSET T v, unsigned n) const
    {
        const unsigned rank = thread_rank();
        return lw_any_shuffle(v, lw_lane_of(rank < n ? rank : rank - n), 32);
    }
    template <class T> LW_MEMBER T shfl_down(LW_UNSET T v, unsigned n) const
    {
        const unsigned rank = thread_rank();
        return lw_any_shuffle(v, lw_lane_of(rank + n < size() ? rank + n : rank), 32);
    }
    LW_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::lw_coalesced, lw_mask, size(), thread_rank());
    }

    LW_MEMBER unsigned lw_rank_of(int lane) const
    {
        return (unsigned)__builtin_popcount(lw_mask & ((1u << lane) - 1));
    }
    LW_MEMBER int lw_lane_of(unsigned rank) const
    {
        int result = 0;
        for (int lane = 0; lane < 32; lane++)
            result = lw_mask >> lane & 1 && lw_rank_of(lane) == rank ? lane : result;
        return result;
    }
    /* The bits of lanes as bits of ranks. */
    LW_MEMBER unsigned lw_packed(unsigned lanes) const
    {
        unsigned result = 0;
        for (int lane = 0; lane < 32; lane++)
            result |= (lw_mask & lanes) >> lane & 1 ? 1u << lw_rank_of(lane) : 0;
        return result;
    }
    unsigned lw_mask, lw_meta_rank, lw_meta_size;
};
LW_DEVICE coalesced_group coalesced_threads() { return coalesced_group(lw_ballot(true)); }

/* ---- Tiles --------------------------------------------------------------------------------- */

template <unsigned Size, class Parent = void> class thread_block_tile
{
    static_assert(Size && Size <= 32 && !(Size & (Size - 1)), "a tile has 1, 2, 4 ... 32 threads");

public:
    LW_MEMBER thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : lw_meta_rank(meta_rank), lw_meta_size(meta_size)
    {
    }
    template <class P>
    LW_MEMBER thread_block_tile(const thread_block_tile<Size, P> &tile)
        : lw_meta_rank(tile.lw_meta_rank), lw_meta_size(tile.lw_meta_size)
    {
    }
    static LW_MEMBER void sync() { lw_warp_sync(); }
    static constexpr LW_MEMBER unsigned size() { return Size; }
    static constexpr LW_MEMBER unsigned num_threads() { return Size; }
    static LW_MEMBER unsigned thread_rank() { return (unsigned)lw_lane_id() & (Size - 1); }
    LW_MEMBER unsigned meta_group_rank() const { return lw_meta_rank; }
    LW_MEMBER unsigned meta_group_size() const { return lw_meta_size; }
    LW_MEMBER int any(int p) const { return __any_sync(lw_tile_mask(), p); }
    LW_MEMBER int all(int p) const { return __all_sync(lw_tile_mask(), p); }
    LW_MEMBER unsigned ballot(int p) const
    {
        return __ballot_sync(lw_tile_mask(), p) >> lw_first();
    }
    template <class T> LW_MEMBER unsigned match_any(T v) const
    {
        return __match_any_sync(lw_tile_mask(), v) >> lw_first();
    }
    template <class T> LW_MEMBER unsigned match_all(T v, int &all) const
    {
        return __match_all_sync(lw_tile_mask(), v, &all) >> lw_first();
    }
    template <class T> LW_MEMBER T shfl(LW_UNSET T v, int rank) const
    {
        return lw_any_shuffle(v, rank, Size);
    }
    template <class T> LW_MEMBER T shfl_up(LW_UNSET T v, unsigned n) const
    {
        return lw_any_up(v, n, Size);
    }
    template <class T> LW_MEMBER T shfl_down(LW_UNSET T v, unsigned n) const
    {
        return lw_any_down(v, n, Size);
    }
    template <class T> LW_MEMBER T shfl_xor(LW_UNSET T v, unsigned mask) const
    {
        return lw_any_xor(v, (int)mask, Size);
    }
    LW_MEMBER operator thread_group() const
    {
        return thread_group(thread_group::lw_tile, lw_tile_mask(), Size, thread_rank());
    }

    static LW_MEMBER unsigned lw_first() { return (unsigned)lw_lane_id() & ~(Size - 1); }
    static LW_MEMBER unsigned lw_tile_mask()
    {
        return Size == 32 ? 0xffffffff : ((1u << Size % 32) - 1) << lw_first();
    }
    unsigned lw_meta_rank, lw_meta_size;
};

template <unsigned Size, class Parent>
LW_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &g)
{
    return thread_block_tile<Size, Parent>(g.thread_rank() / Size, (g.size() + Size - 1) / Size);
}
template <unsigned Size> LW_DEVICE coalesced_group tiled_partition(const coalesced_group &g)
{
    const unsigned own = g.thread_rank() / Size;
    unsigned mask = 0;
    for (int lane = 0; lane < 32; lane++)
        mask |= g.lw_mask >> lane & 1 && g.lw_rank_of(lane) / Size == own ? 1u << lane : 0;
    return coalesced_group(mask, own, (g.size() + Size - 1) / Size);
}
LW_DEVICE thread_group tiled_partition(const thread_group &g, unsigned size)
{
    const unsigned own = g.lw_rank / size;
    if (g.lw_is == thread_group::lw_coalesced) {
        const coalesced_group of(g.lw_mask);
        unsigned mask = 0;
        for (int lane = 0; lane < 32; lane++)
            mask |= g.lw_mask >> lane & 1 && of.lw_rank_of(lane) / size == own ? 1u << lane : 0;
        return thread_group(thread_group::lw_coalesced, mask,
                            (unsigned)__builtin_popcount(mask), g.lw_rank % size);
    }
    const unsigned first = (unsigned)lw_lane_id() & ~(size - 1);
    const unsigned mask = size >= 32 ? 0xffffffff : ((1u << size) - 1) << first;
    return thread_group(thread_group::lw_tile, mask, size, (unsigned)lw_lane_id() & (size - 1));
}

/* The threads of a group that have the same label, or the same truth. */
template <class Group> LW_DEVICE unsigned lw_lanes_of(const Group &g) { return g.lw_mask; }
template <unsigned Size, class Parent>
LW_DEVICE unsigned lw_lanes_of(const thread_block_tile<Size, Parent> &)
{
    return thread_block_tile<Size, Parent>::lw_tile_mask();
}
template <class Group> LW_DEVICE coalesced_group binary_partition(const Group &g, bool p)
{
    const unsigned yes = __ballot_sync(lw_lanes_of(g), p);
    return coalesced_group(p ? yes : lw_lanes_of(g) & lw_ballot(true) & ~yes, p ? 1 : 0, 2);
}
template <class Group, class T> LW_DEVICE coalesced_group labeled_partition(const Group &g, T label)
{
    return coalesced_group(__match_any_sync(lw_lanes_of(g), label));
}

/* ---- Functions of all groups --------------------------------------------------------------- */

template <class Group> LW_DEVICE void sync(const Group &g) { g.sync(); }
template <class Group> LW_DEVICE auto thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> LW_DEVICE auto group_size(const Group &g) { return g.size(); }
template <class Group, class Function> LW_DEVICE void invoke_one(const Group &g, Function f)
{
    if (g.thread_rank() == 0)
        f();
}

} // namespace cooperative_groups

#endif
