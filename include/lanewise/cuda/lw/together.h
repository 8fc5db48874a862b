/* together.h - barriers, fences, votes and shuffles.
 *
 * A mask selects among the lanes of the instance, those that make the call together. A result is
 * over the selected lanes that are there; lanes with other masks in the same instance are groups of
 * their own. Each vote is thus one ballot, cut by the lane's own mask.
 */
#ifndef LANEWISE_CUDA_TOGETHER_H
#define LANEWISE_CUDA_TOGETHER_H

#include "operations.h"

/* ---- Barriers and fences ------------------------------------------------------------------- */

/* On the host's side clang has this name itself. */
#ifdef __CUDA_ARCH__
LW_DEVICE void __syncthreads() { lw_barrier(); }
#endif
LW_DEVICE void __barrier_sync(unsigned) { lw_barrier(); }
LW_DEVICE int __syncthreads_count(int p) { return lw_block_count(p != 0); }
LW_DEVICE int __syncthreads_and(int p) { return lw_block_all(p != 0); }
LW_DEVICE int __syncthreads_or(int p) { return lw_block_any(p != 0); }
LW_DEVICE void __syncwarp(unsigned = 0xffffffff) { lw_warp_sync(); }
LW_DEVICE void __threadfence_block() { lw_fence_block(); }
LW_DEVICE void __threadfence() { lw_fence_device(); }
LW_DEVICE void __threadfence_system() { lw_fence_device(); }

/* ---- Votes --------------------------------------------------------------------------------- */

LW_DEVICE unsigned __activemask() { return lw_ballot(true); }
LW_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return lw_ballot(p != 0) & mask; }
LW_DEVICE int __any_sync(unsigned mask, int p) { return (lw_ballot(p != 0) & mask) != 0; }
LW_DEVICE int __all_sync(unsigned mask, int p) { return (lw_ballot(p == 0) & mask) == 0; }
/* Overloads for a mask that is a constant with all bits. */
#define LW_IF_WHOLE(mask) __attribute__((enable_if((mask) == 0xffffffff, "all lanes")))
LW_DEVICE int __any_sync(unsigned mask, int p) LW_IF_WHOLE(mask) { return lw_warp_any(p != 0); }
LW_DEVICE int __all_sync(unsigned mask, int p) LW_IF_WHOLE(mask) { return lw_warp_all(p != 0); }
LW_DEVICE int __uni_sync(unsigned mask, int p)
{
    const unsigned yes = lw_ballot(p != 0) & mask;
    return yes == 0 || yes == (lw_ballot(true) & mask);
}
LW_DEVICE unsigned __ballot(int p) { return lw_ballot(p != 0); }
LW_DEVICE int __any(int p) { return lw_warp_any(p != 0); }
LW_DEVICE int __all(int p) { return lw_warp_all(p != 0); }

/* ---- Shuffles ------------------------------------------------------------------------------ */

/* Lanes that are no source often leave the variable unset; its value must not become undefined. */
#define LW_UNSET __attribute__((maybe_undef))

/* A width below 32 cuts the warp into sections. CUDA leaves the value where a source is outside of
 * the caller's section; the checker would not have it from the operation, so it is chosen here. */
template <class T> LW_DEVICE T lw_section_shuffle(LW_UNSET T v, int source, int width)
{
    return lw_shuffle(v, (lw_lane_id() & -width) | (source & (width - 1)));
}
template <class T> LW_DEVICE T lw_section_up(LW_UNSET T v, unsigned n, int width)
{
    const int lane = lw_lane_id(), source = lane - (int)n;
    const bool within = source >= (lane & -width) && n < 32;
    if (width == 32) {
        const T other = lw_shuffle_up(v, (int)n);
        return within ? other : v;
    }
    return lw_shuffle(v, within ? source : lane);
}
template <class T> LW_DEVICE T lw_section_down(LW_UNSET T v, unsigned n, int width)
{
    const int lane = lw_lane_id(), source = lane + (int)n;
    const bool within = source <= (lane | (width - 1)) && n < 32;
    if (width == 32) {
        const T other = lw_shuffle_down(v, (int)n);
        return within ? other : v;
    }
    return lw_shuffle(v, within ? source : lane);
}
template <class T> LW_DEVICE T lw_section_xor(LW_UNSET T v, int mask, int width)
{
    if (width == 32)
        return lw_shuffle_xor(v, mask);
    const int lane = lw_lane_id(), source = lane ^ mask;
    return lw_shuffle(v, source > (lane | (width - 1)) ? lane : source);
}

#define LW_SHUFFLES(T)                                                                             \
    LW_DEVICE T __shfl_sync(unsigned, LW_UNSET T v, int source, int width = 32)                    \
    {                                                                                              \
        return lw_section_shuffle(v, source, width);                                               \
    }                                                                                              \
    LW_DEVICE T __shfl_up_sync(unsigned, LW_UNSET T v, unsigned n, int width = 32)                 \
    {                                                                                              \
        return lw_section_up(v, n, width);                                                         \
    }                                                                                              \
    LW_DEVICE T __shfl_down_sync(unsigned, LW_UNSET T v, unsigned n, int width = 32)               \
    {                                                                                              \
        return lw_section_down(v, n, width);                                                       \
    }                                                                                              \
    LW_DEVICE T __shfl_xor_sync(unsigned, LW_UNSET T v, int mask, int width = 32)                  \
    {                                                                                              \
        return lw_section_xor(v, mask, width);                                                     \
    }                                                                                              \
    LW_DEVICE T __shfl(LW_UNSET T v, int source, int width = 32)                                   \
    {                                                                                              \
        return lw_section_shuffle(v, source, width);                                               \
    }                                                                                              \
    LW_DEVICE T __shfl_up(LW_UNSET T v, unsigned n, int width = 32)                                \
    {                                                                                              \
        return lw_section_up(v, n, width);                                                         \
    }                                                                                              \
    LW_DEVICE T __shfl_down(LW_UNSET T v, unsigned n, int width = 32)                              \
    {                                                                                              \
        return lw_section_down(v, n, width);                                                       \
    }                                                                                              \
    LW_DEVICE T __shfl_xor(LW_UNSET T v, int mask, int width = 32)                                 \
    {                                                                                              \
        return lw_section_xor(v, mask, width);                                                     \
    }
LW_SHUFFLES(int)
LW_SHUFFLES(unsigned)
LW_SHUFFLES(long)
LW_SHUFFLES(unsigned long)
LW_SHUFFLES(long long)
LW_SHUFFLES(unsigned long long)
LW_SHUFFLES(float)
LW_SHUFFLES(double)

/* ---- Match --------------------------------------------------------------------------------- */

template <class T> LW_DEVICE unsigned lw_match_any(unsigned mask, T v)
{
    const unsigned group = lw_ballot(true) & mask;
    unsigned same = 0;
    for (int lane = 0; lane < 32; lane++)
        same |= (unsigned)(lw_shuffle(v, lane) == v) << lane;
    return same & group;
}
template <class T> LW_DEVICE unsigned lw_match_all(unsigned mask, T v, int *all)
{
    const unsigned group = lw_ballot(true) & mask;
    const bool same = lw_shuffle(v, __builtin_ctz(group | 0x80000000)) == v;
    *all = (lw_ballot(!same) & mask) == 0;
    return *all ? group : 0;
}
#define LW_MATCHES(T, Bits)                                                                        \
    LW_DEVICE unsigned __match_any_sync(unsigned mask, T v)                                        \
    {                                                                                              \
        return lw_match_any(mask, __builtin_bit_cast(Bits, v));                                    \
    }                                                                                              \
    LW_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *all)                              \
    {                                                                                              \
        return lw_match_all(mask, __builtin_bit_cast(Bits, v), all);                               \
    }
LW_MATCHES(int, unsigned)
LW_MATCHES(unsigned, unsigned)
LW_MATCHES(long, unsigned long)
LW_MATCHES(unsigned long, unsigned long)
LW_MATCHES(long long, unsigned long)
LW_MATCHES(unsigned long long, unsigned long)
LW_MATCHES(float, unsigned)
LW_MATCHES(double, unsigned long)

/* ---- Reductions ---------------------------------------------------------------------------- */

/* The lanes of each mask combine their own values. Where all 32 have the full mask, five steps of a
 * butterfly do; otherwise each lane reads all values and keeps those of its group. */
template <class T, class Combine> LW_DEVICE T lw_group_reduce(unsigned mask, T v, Combine combine)
{
    const unsigned group = lw_ballot(true) & mask;
    if (lw_warp_all(group == 0xffffffff)) {
        for (int step = 1; step < 32; step *= 2)
            v = combine(v, lw_shuffle_xor(v, step));
        return v;
    }
    const unsigned others = group & ~(1u << lw_lane_id());
    T result = v;
    for (int lane = 0; lane < 32; lane++) {
        const T other = lw_shuffle(v, lane);
        result = others >> lane & 1 ? combine(result, other) : result;
    }
    return result;
}
#define LW_REDUCE_SYNC(T, op, expression)                                                          \
    LW_DEVICE T __reduce_##op##_sync(unsigned mask, T v)                                           \
    {                                                                                              \
        return lw_group_reduce(mask, v, [](T a, T b) { return expression; });                      \
    }
/* A mask that is a constant with all bits is one operation of the warp. */
#define LW_REDUCE_WHOLE(T, op, name)                                                               \
    LW_DEVICE T __reduce_##op##_sync(unsigned mask, T v) LW_IF_WHOLE(mask)                         \
    {                                                                                              \
        return lw_warp_##name(v);                                                                  \
    }
LW_REDUCE_SYNC(unsigned, add, a + b)
LW_REDUCE_SYNC(unsigned, min, a < b ? a : b)
LW_REDUCE_SYNC(unsigned, max, a < b ? b : a)
LW_REDUCE_SYNC(int, add, (int)((unsigned)a + (unsigned)b))
LW_REDUCE_SYNC(int, min, a < b ? a : b)
LW_REDUCE_SYNC(int, max, a < b ? b : a)
LW_REDUCE_SYNC(unsigned, and, a & b)
LW_REDUCE_SYNC(unsigned, or, a | b)
LW_REDUCE_SYNC(unsigned, xor, a ^ b)
LW_REDUCE_WHOLE(unsigned, add, sum)
LW_REDUCE_WHOLE(unsigned, min, min)
LW_REDUCE_WHOLE(unsigned, max, max)
LW_REDUCE_WHOLE(int, add, sum)
LW_REDUCE_WHOLE(int, min, min)
LW_REDUCE_WHOLE(int, max, max)
#undef LW_REDUCE_SYNC
#undef LW_REDUCE_WHOLE
#undef LW_IF_WHOLE

#endif
