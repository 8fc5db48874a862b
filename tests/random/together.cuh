/* together.cuh - what random kernels in CUDA do together; a part of prelude.cuh.
 *
 * A collective is of the lanes that come to it together: __activemask(). What is moved from a lane
 * that is not there is one's own value.
 */

namespace plain
{

#define SHUFFLE(name, cuda, N)                                                                     \
    template <typename T> __device__ T name(unsigned here, T v, N n)                               \
    {                                                                                              \
        if constexpr (std::is_integral<T>::value && sizeof v < 4)                                  \
            return (T)cuda(here, (int)v, n);                                                       \
        else                                                                                       \
            return cuda(here, v, n);                                                               \
    }
SHUFFLE(moved_to, __shfl_sync, int)
SHUFFLE(moved_up, __shfl_up_sync, unsigned)
SHUFFLE(moved_down, __shfl_down_sync, unsigned)
SHUFFLE(moved_xor, __shfl_xor_sync, int)

__device__ inline bool is_there(unsigned here, long long lane)
{
    return lane >= 0 && lane < 32 && here >> lane & 1;
}
__device__ inline bool is_first(unsigned here)
{
    return lane_id() == __ffs((int)here) - 1;
}

template <typename T> __device__ T shuffle(T v, int n)
{
    const unsigned here = __activemask();
    const T moved = moved_to(here, v, n);
    return is_there(here, n) ? moved : v;
}
template <typename T> __device__ T warp_broadcast(T v, int n)
{
    return shuffle(v, n);
}
/* A shuffle up or down has no negative number. */
template <typename T> __device__ T shuffle_up(T v, int n)
{
    const unsigned here = __activemask();
    const long long from = (long long)lane_id() - n;
    const T up = moved_up(here, v, (unsigned)n & 31), other = moved_to(here, v, (int)(from & 31));
    return !is_there(here, from) ? v : n >= 0 ? up : other;
}
template <typename T> __device__ T shuffle_down(T v, int n)
{
    const unsigned here = __activemask();
    const long long from = (long long)lane_id() + n;
    const T down = moved_down(here, v, (unsigned)n & 31),
            other = moved_to(here, v, (int)(from & 31));
    return !is_there(here, from) ? v : n >= 0 ? down : other;
}
template <typename T> __device__ T shuffle_xor(T v, int n)
{
    const unsigned here = __activemask();
    const T moved = moved_xor(here, v, n & 31);
    return is_there(here, lane_id() ^ n) ? moved : v;
}

__device__ inline void barrier()
{
    __syncthreads();
}
__device__ inline void warp_sync()
{
    __syncwarp(__activemask());
}
__device__ inline unsigned ballot(bool p)
{
    return __ballot_sync(__activemask(), p);
}
/* A mask that is a constant is another function of the headers. */
constexpr unsigned whole_warp = 0xffffffff;
__device__ inline int warp_any(bool p)
{
    const unsigned here = __activemask();
    return (here == whole_warp ? __any_sync(whole_warp, p) : __any_sync(here, p)) != 0;
}
__device__ inline int warp_all(bool p)
{
    const unsigned here = __activemask();
    return (here == whole_warp ? __all_sync(whole_warp, p) : __all_sync(here, p)) != 0;
}

/* Neighbours first, then pairs of them: the order of the kernel language. */
template <typename T, typename F> __device__ T warp_tree(T v, F combine)
{
    const unsigned here = __activemask();
    const int lane = lane_id();
    for (int step = 1; step < 32; step *= 2) {
        const int first = (lane & -step) ^ step;
        const unsigned others = here >> first & ((1u << step) - 1);
        const T other = moved_to(here, v, first + (others ? __ffs((int)others) - 1 : 0));
        if (others)
            v = lane & step ? combine(other, v) : combine(v, other);
    }
    return v;
}
struct sum {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct prod {
    template <typename T> __device__ T operator()(T a, T b) const { return a * b; }
};
struct most {
    template <typename T> __device__ T operator()(T a, T b) const { return max(a, b); }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct least {
    template <typename T> __device__ T operator()(T a, T b) const { return min(a, b); }
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
    __device__ double operator()(double a, double b) const { return fmin(a, b); }
};
#define REDUCTION(name, cuda, by)                                                                  \
    template <typename T> __device__ T warp_##name(T v)                                            \
    {                                                                                              \
        if constexpr (std::is_integral<T>::value && sizeof v == 4) {                               \
            const unsigned here = __activemask();                                                  \
            return here == whole_warp ? cuda(whole_warp, v) : cuda(here, v);                       \
        }                                                                                          \
        return warp_tree(v, by());                                                             \
    }
REDUCTION(sum, __reduce_add_sync, sum)
REDUCTION(max, __reduce_max_sync, most)
REDUCTION(min, __reduce_min_sync, least)
template <typename T> __device__ T warp_prod(T v)
{
    return warp_tree(v, prod());
}

/* The lane that is n places before, of those that are here. */
__device__ inline int lane_before(unsigned here, int n)
{
    return (int)__fns(here, (unsigned)lane_id(), -n - 1) & 31;
}
__device__ inline int rank_in(unsigned here)
{
    return __popc(here & ((1u << lane_id()) - 1));
}
template <typename T> __device__ T warp_inclusive_sum(T v)
{
    const unsigned here = __activemask();
    for (int n = 1; n < 32; n *= 2) {
        const T other = moved_to(here, v, lane_before(here, n));
        v = rank_in(here) >= n ? other + v : v;
    }
    return v;
}
template <typename T> __device__ T warp_exclusive_sum(T v)
{
    const unsigned here = __activemask();
    const T before = moved_to(here, warp_inclusive_sum(v), lane_before(here, 1));
    return rank_in(here) == 0 ? 0 : before;
}

__device__ inline int block_any(bool p)
{
    return __syncthreads_or(p) != 0;
}
__device__ inline int block_all(bool p)
{
    return __syncthreads_and(p) != 0;
}
__device__ inline int block_count(bool p)
{
    return __syncthreads_count(p);
}

/* A value of each warp that is here; returns which are. Threads may have left for ever. */
template <typename T> __device__ unsigned of_warps(T v, bool is_chosen, T values[32])
{
    __shared__ T cells[32];
    __shared__ unsigned there;
    if (is_first(__activemask()))
        atomicExch(&there, 0u);
    __syncthreads();
    if (is_chosen) {
        cells[warp_id()] = v;
        atomicOr(&there, 1u << warp_id());
    }
    __syncthreads();
    const unsigned all = there;
    for (int i = 0; i < 32; i++)
        if (all >> i & 1)
            values[i] = cells[i];
    __syncthreads();
    return all;
}
template <typename T, typename F> __device__ T block_tree(T v, F combine)
{
    T values[32];
    v = warp_tree(v, combine);
    unsigned there = of_warps(v, is_first(__activemask()), values);
    for (int step = 1; step < 32; step *= 2)
        for (int i = 0; i < 32; i += 2 * step)
            if (there >> (i + step) & 1) {
                values[i] = there >> i & 1 ? combine(values[i], values[i + step])
                                           : values[i + step];
                there |= 1u << i;
            }
    return values[0];
}
template <typename T> __device__ T block_sum(T v)
{
    return block_tree(v, sum());
}
template <typename T> __device__ T block_max(T v)
{
    return block_tree(v, most());
}
template <typename T> __device__ T block_min(T v)
{
    return block_tree(v, least());
}
template <typename T> __device__ T block_prod(T v)
{
    return block_tree(v, prod());
}

/* A warp's last lane here has its sum. */
template <typename T> __device__ T block_scan(T v, bool is_exclusive)
{
    const unsigned here = __activemask();
    const int lane = lane_id();
    T totals[32], own = warp_inclusive_sum(v);
    const unsigned there = of_warps(own, here >> lane >> 1 == 0, totals);
    int warps = 0, rank = 0;
    for (int i = 0; i < 32; i++)
        if (there >> i & 1) {
            rank = i == warp_id() ? warps : rank;
            totals[warps++] = totals[i];
        }
    T sums[32];
    for (int i = 0; i < warps; i++)
        sums[i] = totals[i];
    for (int n = 1; n < 32; n *= 2)
        for (int i = warps - 1; i >= n; i--)
            sums[i] = sums[i - n] + sums[i];
    own = rank > 0 ? sums[rank - 1] + own : own;
    if (!is_exclusive)
        return own;
    const T before = moved_to(here, own, lane_before(here, 1));
    return rank_in(here) > 0 ? before
           : rank == 0       ? 0
           : rank == 1       ? totals[0]
                             : sums[rank - 2] + totals[rank - 1];
}
template <typename T> __device__ T block_inclusive_sum(T v)
{
    return block_scan(v, false);
}
template <typename T> __device__ T block_exclusive_sum(T v)
{
    return block_scan(v, true);
}
template <typename T> __device__ T block_broadcast(T v, int n)
{
    __shared__ T cells[1024];
    unsigned lanes[32] = {};
    const unsigned here = __activemask();
    of_warps(here, is_first(here), lanes);
    cells[THREAD] = v;
    __syncthreads();
    const bool is_here = n >= 0 && n < 1024 && lanes[n / 32] >> n % 32 & 1;
    const T moved = is_here ? cells[n] : v;
    __syncthreads();
    return moved;
}

} // namespace plain

namespace library
{

using namespace plain;

__device__ inline void barrier()
{
    cg::this_thread_block().sync();
}
__device__ inline void warp_sync()
{
    cg::coalesced_threads().sync();
}

/* Eight lanes that are all here move what they have among them as a tile. */
template <typename T> __device__ T moved_from(T v, long long lane)
{
    const cg::coalesced_group group = cg::coalesced_threads();
    const unsigned here = __activemask();
    const bool is_here = is_there(here, lane);
    T moved =
        group.shfl(v, is_here ? __popc(here & ((1u << lane) - 1)) : (int)group.thread_rank());
    if ((here >> (lane_id() & 24) & 255) == 255) {
        const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
        const T near = tile.shfl(v, (int)(lane & 7));
        moved = (lane ^ lane_id()) >> 3 == 0 ? near : moved;
    }
    return moved;
}
template <typename T> __device__ T shuffle(T v, int n)
{
    return moved_from(v, n);
}
template <typename T> __device__ T warp_broadcast(T v, int n)
{
    return moved_from(v, n);
}
template <typename T> __device__ T shuffle_up(T v, int n)
{
    return moved_from(v, (long long)lane_id() - n);
}
template <typename T> __device__ T shuffle_down(T v, int n)
{
    return moved_from(v, (long long)lane_id() + n);
}
template <typename T> __device__ T shuffle_xor(T v, int n)
{
    return moved_from(v, lane_id() ^ n);
}
__device__ inline unsigned ballot(bool p)
{
    const unsigned here = __activemask(), alike = __match_any_sync(here, (int)p);
    return p ? alike : here & ~alike;
}
__device__ inline int warp_any(bool p)
{
    return cg::coalesced_threads().any(p) != 0;
}
__device__ inline int warp_all(bool p)
{
    int are_alike;
    cg::coalesced_threads().match_all((unsigned)p, are_alike);
    return p && are_alike;
}
/* A group's order is its own: floats go by the tree. */
#define LIBRARY_REDUCTION(name, by)                                                                \
    template <typename T> __device__ T warp_##name(T v)                                            \
    {                                                                                              \
        if constexpr (std::is_integral<T>::value) {                                                \
            if (__activemask() == whole_warp)                                                      \
                return cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), v, by());      \
            return cg::reduce(cg::coalesced_threads(), v, by());                                   \
        } else                                                                                     \
            return plain::warp_##name(v);                                                          \
    }
LIBRARY_REDUCTION(sum, cg::plus<T>)
LIBRARY_REDUCTION(max, cg::greater<T>)
LIBRARY_REDUCTION(min, cg::less<T>)
LIBRARY_REDUCTION(prod, prod)
template <typename T> __device__ T warp_inclusive_sum(T v)
{
    return cg::inclusive_scan(cg::coalesced_threads(), v);
}
template <typename T> __device__ T warp_exclusive_sum(T v)
{
    return cg::exclusive_scan(cg::coalesced_threads(), v, cg::plus<T>());
}

} // namespace library

/* ---- Warps that wait for their turn ---------------------------------------------------------- */
/* What the warps before have left in chain; first lanes wait for them, or all do. */
#define IN_TURN(to, value, by_all)                                                                 \
    do {                                                                                           \
        const unsigned value_ = (value), who_ = __activemask();                                    \
        const bool first_ = plain::is_first(who_);                                                 \
        int turn_ = plain::block_exclusive_sum<int>(first_);                                       \
        turn_ = turn + __shfl_sync(who_, turn_, __ffs((int)who_) - 1);                             \
        unsigned left_ = 0;                                                                        \
        __syncthreads();                                                                           \
        if (by_all || first_)                                                                      \
            while (atomicAdd(&turn, 0) != turn_) {                                                 \
            }                                                                                      \
        __syncwarp(who_);                                                                          \
        if (first_) {                                                                              \
            __threadfence_block();                                                                 \
            left_ = chain;                                                                         \
            chain = left_ * 5 + value_;                                                            \
            __threadfence_block();                                                                 \
            atomicExch(&turn, turn_ + 1);                                                          \
        }                                                                                          \
        to = __shfl_sync(who_, left_, __ffs((int)who_) - 1);                                       \
    } while (0)
