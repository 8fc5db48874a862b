/* reduce.h - reduce(group, value, operator): each thread gets the combination of all values.
 *
 * A tile goes by a butterfly. A coalesced group goes through its lanes in order.
 */
#ifndef LANEWISE_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define LANEWISE_CUDA_COOPERATIVE_GROUPS_REDUCE_H

#include "functional.h"

namespace cooperative_groups
{

template <unsigned Size, class Parent, class T, class Operator>
LW_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T v, Operator combine)
{
    for (unsigned step = Size / 2; step > 0; step /= 2)
        v = combine(v, tile.shfl_xor(v, step));
    return v;
}
/* A whole warp's sum is one operation. */
#define LW_WARP_REDUCE(T)                                                                          \
    template <class Parent>                                                                        \
    LW_DEVICE T reduce(const thread_block_tile<32, Parent> &, T v, plus<T>)                        \
    {                                                                                              \
        return lw_warp_sum(v);                                                                     \
    }
LW_WARP_REDUCE(int)
LW_WARP_REDUCE(unsigned)
LW_WARP_REDUCE(long)
LW_WARP_REDUCE(unsigned long)
LW_WARP_REDUCE(long long)
LW_WARP_REDUCE(unsigned long long)
LW_WARP_REDUCE(float)
LW_WARP_REDUCE(double)
#undef LW_WARP_REDUCE

template <class T, class Operator>
LW_DEVICE T reduce(const coalesced_group &group, T v, Operator combine)
{
    const int first = __builtin_ctz(group.lw_mask | 0x80000000);
    T result = lw_any_shuffle(v, first, 32);
    for (int lane = 1; lane < 32; lane++) {
        const T other = lw_any_shuffle(v, lane, 32);
        if (lane > first && group.lw_mask >> lane & 1)
            result = combine(result, other);
    }
    return result;
}

/* One thread of the group adds the group's value to memory. */
template <class T> LW_DEVICE void lw_update(T *p, T v, plus<T>) { atomicAdd(p, v); }
template <class T> LW_DEVICE void lw_update(T *p, T v, less<T>) { atomicMin(p, v); }
template <class T> LW_DEVICE void lw_update(T *p, T v, greater<T>) { atomicMax(p, v); }
template <class T> LW_DEVICE void lw_update(T *p, T v, bit_and<T>) { atomicAnd(p, v); }
template <class T> LW_DEVICE void lw_update(T *p, T v, bit_or<T>) { atomicOr(p, v); }
template <class T> LW_DEVICE void lw_update(T *p, T v, bit_xor<T>) { atomicXor(p, v); }
template <class Group, class T, class Operator>
LW_DEVICE void reduce_update_async(const Group &group, T *p, T v, Operator combine)
{
    const T all = reduce(group, v, combine);
    if (group.thread_rank() == 0)
        lw_update(p, all, combine);
}
template <class Group, class T, class Operator>
LW_DEVICE void reduce_store_async(const Group &group, T *p, T v, Operator combine)
{
    const T all = reduce(group, v, combine);
    if (group.thread_rank() == 0)
        *p = all;
}

} // namespace cooperative_groups

#endif
