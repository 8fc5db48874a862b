/* ptx_collectives.c - the collectives on an NVIDIA GPU: gpu/ calls these functions.
 *
 * All 32 lanes of a warp call each function together, inactive ones too. `mask` has the active
 * lanes, and only their results count (gpu/convergence.c). So the hardware's instructions always
 * name the full warp, and read only values of lanes in the mask. In most kernels the mask is a
 * constant, and the functions below fold to the shuffles.
 *
 * The kernel language defines what a collective computes; the trees and scans are those of
 * src/run/ref/collective.c. Sums, products, maxima and minima are bitwise commutative. So in a full
 * warp each lane may combine with its partner in either order.
 *
 * In a block operation each warp writes its part to shared memory. After a barrier every warp
 * combines all parts by itself. Three buffers take turns: one is read, the next is written, and in
 * the third `there` is cleared. If the last warp lacks lanes, it cannot combine the parts. Then the
 * lowest warp does it for all, and a second barrier follows.
 * source   PTX ISA 8.3: shfl.sync, vote.sync, barrier; exited threads count as arrived
 */
#include "base/cuda_abi.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- the hardware ---------------------------------------------------------------------------- */

uint32_t hw_lane(void) __asm__("llvm.nvvm.read.ptx.sreg.laneid");
uint32_t hw_lanes_up_to(void) __asm__("llvm.nvvm.read.ptx.sreg.lanemask.le");
uint32_t hw_lanes_behind(void) __asm__("llvm.nvvm.read.ptx.sreg.lanemask.gt");
uint32_t hw_ballot(uint32_t warp, bool p) __asm__("llvm.nvvm.vote.ballot.sync");
uint32_t hw_match(uint32_t warp, uint64_t v) __asm__("llvm.nvvm.match.any.sync.i64");
uint32_t hw_from(uint32_t warp, uint32_t v, uint32_t lane,
                 uint32_t limits) __asm__("llvm.nvvm.shfl.sync.idx.i32");
uint32_t hw_from_up(uint32_t warp, uint32_t v, uint32_t distance,
                    uint32_t limits) __asm__("llvm.nvvm.shfl.sync.up.i32");
uint32_t hw_from_down(uint32_t warp, uint32_t v, uint32_t distance,
                      uint32_t limits) __asm__("llvm.nvvm.shfl.sync.down.i32");
uint32_t hw_from_xor(uint32_t warp, uint32_t v, uint32_t lanes,
                     uint32_t limits) __asm__("llvm.nvvm.shfl.sync.bfly.i32");
void hw_warp_sync(uint32_t warp) __asm__("llvm.nvvm.bar.warp.sync");
void hw_barrier(void) __asm__("llvm.nvvm.barrier0");
int hw_barrier_count(int p) __asm__("llvm.nvvm.barrier0.popc");
int hw_barrier_all(int p) __asm__("llvm.nvvm.barrier0.and");
int hw_barrier_any(int p) __asm__("llvm.nvvm.barrier0.or");

#define GLOBAL __attribute__((address_space(1)))
#define ALL UINT32_MAX
enum { LANES = 32, WARPS_MAX = 32, LAST_LANE = 31 };
/* d = 1, 2, 4, 8, 16; straight code. */
#define STEPS(d) _Pragma("unroll") for (uint32_t k_ = 0, d = 1; k_ < 5; k_++, d = 1u << k_)
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, convergent)) /* long, for masks seldom seen */

INLINE uint32_t lowest(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask | 1u << 31);
}

INLINE bool has(uint32_t mask, uint32_t lane)
{
    return mask >> (lane & 31) & 1;
}

/* Is this the one lane that acts for those in mask? A lane that takes no part may have none. */
INLINE bool leads(uint32_t mask)
{
    return has(mask, hw_lane()) && hw_lane() == lowest(mask);
}

/* Lanes first ... first + count - 1, as bits 0 ... count - 1. */
INLINE uint32_t group_of(uint32_t mask, uint32_t first, uint32_t count)
{
    return first < LANES ? mask >> first & (count < LANES ? (1u << count) - 1 : ALL) : 0;
}

INLINE uint32_t below(uint32_t mask, uint32_t lane)
{
    return mask & ((1u << lane) - 1);
}

/* The highest of some lanes; LANES: there is none. */
INLINE uint32_t highest(uint32_t mask)
{
    return mask ? (uint32_t)(31 - __builtin_clz(mask)) : LANES;
}

/* ---- values by their bits -------------------------------------------------------------------- */

INLINE uint32_t from_b32(uint32_t v, uint32_t lane)
{
    return hw_from(ALL, v, lane, LAST_LANE);
}

/* Both halves by the same shuffle. */
#define BY_HALVES(shuffle, v, ...)                                                                 \
    ((uint64_t)shuffle(ALL, (uint32_t)((v) >> 32), __VA_ARGS__) << 32 |                            \
     shuffle(ALL, (uint32_t)(v), __VA_ARGS__))

INLINE uint64_t from_b64(uint64_t v, uint32_t lane)
{
    return BY_HALVES(hw_from, v, lane, LAST_LANE);
}

/* True if the number is a constant, and so the same in all lanes, and below LANES. For such a
 * number the shuffle of a full warp does what the language defines. */
INLINE bool is_near(uint32_t number)
{
    return __builtin_constant_p(number) && number < LANES;
}

/* shuffle and its like, on the bits of any type: the source's value, or one's own. All lanes of the
 * warp must come to the same shuffle: a number, which may differ between them, decides no branch.
 */
#define MOVES(B, BITS, UP, DOWN, XOR)                                                              \
    BITS lw_cuda_shuffle_##B(uint32_t mask, BITS v, int number)                                    \
    {                                                                                              \
        const uint32_t source = (uint32_t)number;                                                  \
        const bool there = source < LANES && has(mask, source);                                    \
        const BITS found = from_##B(v, source & 31);                                               \
        return there ? found : v;                                                                  \
    }                                                                                              \
    BITS lw_cuda_warp_broadcast_##B(uint32_t mask, BITS v, int number)                             \
    {                                                                                              \
        return lw_cuda_shuffle_##B(mask, v, number);                                               \
    }                                                                                              \
    BITS lw_cuda_shuffle_up_##B(uint32_t mask, BITS v, int number)                                 \
    {                                                                                              \
        const uint32_t distance = (uint32_t)number, lane = hw_lane();                              \
        return mask == ALL && is_near(distance)                                                    \
                   ? UP                                                                            \
                   : lw_cuda_shuffle_##B(mask, v, (int)(lane - distance));                         \
    }                                                                                              \
    BITS lw_cuda_shuffle_down_##B(uint32_t mask, BITS v, int number)                               \
    {                                                                                              \
        const uint32_t distance = (uint32_t)number, lane = hw_lane();                              \
        return mask == ALL && is_near(distance)                                                    \
                   ? DOWN                                                                          \
                   : lw_cuda_shuffle_##B(mask, v, (int)(lane + distance));                         \
    }                                                                                              \
    BITS lw_cuda_shuffle_xor_##B(uint32_t mask, BITS v, int number)                                \
    {                                                                                              \
        const uint32_t lanes = (uint32_t)number, lane = hw_lane();                                 \
        return mask == ALL && is_near(lanes) ? XOR                                                 \
                                             : lw_cuda_shuffle_##B(mask, v, (int)(lane ^ lanes));  \
    }
MOVES(b32, uint32_t, hw_from_up(ALL, v, distance, 0), hw_from_down(ALL, v, distance, LAST_LANE),
      hw_from_xor(ALL, v, lanes, LAST_LANE))
MOVES(b64, uint64_t, BY_HALVES(hw_from_up, v, distance, 0),
      BY_HALVES(hw_from_down, v, distance, LAST_LANE), BY_HALVES(hw_from_xor, v, lanes, LAST_LANE))

/* ---- block memory of the operations ---------------------------------------------------------- */

struct part {
    uint64_t value[WARPS_MAX];
    uint32_t there; /* bit w: warp w has come; where not all are sure to */
};
static __attribute__((section("lw.scratch"))) struct part parts[3];
static __attribute__((section("lw.scratch"))) uint64_t broadcast_value[LANES * WARPS_MAX];
static __attribute__((section("lw.scratch"))) uint32_t broadcast_lanes[WARPS_MAX];
static __attribute__((section("lw.scratch"))) uint64_t given[3][2][WARPS_MAX];

/* How a block operation stands to the block. threads: of the block, a constant; sure: all warps
 * come. warp: this one's number. turn: operations so far. */
struct sync_point {
    uint32_t threads, warp;
    bool sure;
    uint32_t *turn;
};

INLINE uint32_t warps_of(uint32_t threads)
{
    return (threads + LANES - 1) / LANES;
}

INLINE bool lacks_lanes(uint32_t threads)
{
    return threads % LANES != 0;
}

/* At the kernel's beginning, where a block operation is not sure of all warps. */
void lw_cuda_block_open(void)
{
    for (int i = 0; i < 3; i++)
        parts[i].there = 0;
    hw_barrier();
}

/* One lane of the mask writes the warp's part, then all warps wait at a barrier. Returns the buffer
 * of the parts; *there has the warps that wrote one. */
INLINE struct part *share(uint32_t mask, uint64_t bits, const struct sync_point *m, uint32_t *there)
{
    const uint32_t turn = (*m->turn)++ % 3, next = turn == 2 ? 0 : turn + 1;
    struct part *p = &parts[turn];
    if (leads(mask)) {
        p->value[m->warp] = bits;
        if (!m->sure) {
            __atomic_fetch_or(&p->there, 1u << m->warp, __ATOMIC_RELAXED);
            parts[next].there = 0;
        }
    }
    hw_barrier();
    const uint32_t warps = warps_of(m->threads);
    *there = m->sure ? (warps < LANES ? (1u << warps) - 1 : ALL) : p->there;
    return p;
}

/* The lowest warp's lane w gives warp w two values; returns what was given to this warp. All warps
 * run it, one has the values; one that is alone keeps its own. */
INLINE void give(const struct part *p, uint32_t there, uint32_t warp, uint64_t *a, uint64_t *b)
{
    if (!(there & (there - 1)))
        return;
    uint64_t(*place)[WARPS_MAX] = given[p - parts];
    if (warp == lowest(there)) {
        place[0][hw_lane()] = *a;
        place[1][hw_lane()] = *b;
    }
    hw_barrier();
    *a = place[0][warp];
    *b = place[1][warp];
}

/* ---- reductions and scans -------------------------------------------------------------------- */

/* Of values that are there: a shuffle must not stand in an arm. */
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
/* The hardware's max and min lose a NaN and know -0 < +0, as the language wants it. */
#define MAX_f32(a, b) __builtin_fmaxf(a, b)
#define MIN_f32(a, b) __builtin_fminf(a, b)
#define MAX_f64(a, b) __builtin_fmax(a, b)
#define MIN_f64(a, b) __builtin_fmin(a, b)

/* What a type T of the name N needs of others, its bits being of B. */
#define VALUES(N, T, B, BITS)                                                                      \
    INLINE BITS bits_##N(T v)                                                                      \
    {                                                                                              \
        union {                                                                                    \
            T value;                                                                               \
            BITS bits;                                                                             \
        } u = {.value = v};                                                                        \
        return u.bits;                                                                             \
    }                                                                                              \
    INLINE T of_##N(uint64_t bits)                                                                 \
    {                                                                                              \
        union {                                                                                    \
            BITS bits;                                                                             \
            T value;                                                                               \
        } u = {.bits = (BITS)bits};                                                                \
        return u.value;                                                                            \
    }                                                                                              \
    INLINE T from_##N(T v, uint32_t lane)                                                          \
    {                                                                                              \
        return of_##N(from_##B(bits_##N(v), lane));                                                \
    }                                                                                              \
    INLINE T from_xor_##N(T v, uint32_t lanes)                                                     \
    {                                                                                              \
        return of_##N(lw_cuda_shuffle_xor_##B(ALL, bits_##N(v), (int)lanes));                      \
    }

/* tree: of a warp, the lowest lane of the neighbouring group has its value. all: the lanes below
 * `count`, a power of two, are there. OP commutes. */
#define REDUCTION(N, T, name, OP)                                                                  \
    APART T tree_##name##_##N(uint32_t mask, T v)                                                  \
    {                                                                                              \
        const uint32_t lane = hw_lane();                                                           \
        STEPS(d)                                                                                   \
        {                                                                                          \
            const uint32_t first = (lane ^ d) & ~(d - 1), group = group_of(mask, first, d);        \
            const T other = from_##N(v, (first + lowest(group)) & 31);                             \
            v = group ? OP(v, other) : v;                                                          \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    INLINE T all_##name##_##N(uint32_t count, T v)                                                 \
    {                                                                                              \
        STEPS(d)                                                                                   \
        {                                                                                          \
            if (d < count) {                                                                       \
                const T other = from_xor_##N(v, d);                                                \
                v = OP(v, other);                                                                  \
            }                                                                                      \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    T lw_cuda_warp_##name##_##N(uint32_t mask, T v)                                                \
    {                                                                                              \
        return mask == ALL ? all_##name##_##N(LANES, v) : tree_##name##_##N(mask, v);              \
    }                                                                                              \
    INLINE T parts_##name##_##N(const struct part *p, uint32_t there, uint32_t warp)               \
    {                                                                                              \
        const T v = tree_##name##_##N(there, of_##N(p->value[hw_lane()]));                         \
        const T all = from_##N(v, lowest(there));                                                  \
        return there & (there - 1) ? all : of_##N(p->value[warp]);                                 \
    }                                                                                              \
    T lw_cuda_block_##name##_##N(uint32_t mask, T v, uint32_t threads, uint32_t warp, bool sure,   \
                                 uint32_t *turn)                                                   \
    {                                                                                              \
        const uint32_t warps = warps_of(threads);                                                  \
        uint32_t there;                                                                            \
        v = lw_cuda_warp_##name##_##N(mask, v);                                                    \
        if (warps == 1) {                                                                          \
            hw_warp_sync(ALL);                                                                     \
            return v;                                                                              \
        }                                                                                          \
        const struct part *p =                                                                     \
            share(mask, bits_##N(v), &(struct sync_point){threads, warp, sure, turn}, &there);     \
        if (sure && !lacks_lanes(threads) && !(warps & (warps - 1)))                               \
            return all_##name##_##N(warps, of_##N(p->value[hw_lane() & (warps - 1)]));             \
        v = parts_##name##_##N(p, there, warp);                                                    \
        if (!lacks_lanes(threads))                                                                 \
            return v;                                                                              \
        uint64_t bits = bits_##N(v), none = 0;                                                     \
        give(p, there, warp, &bits, &none);                                                        \
        return of_##N(bits);                                                                       \
    }

/* Kogge-Stone over the active lanes by their rank: `at` is the lane whose rank is `d` less.
 * prefixes gives lane w what comes before warp w, and what its first thread's predecessor has:
 * *last; 0 where there is nothing. */
#define SCANS(N, T)                                                                                \
    INLINE T scan_lanes_##N(uint32_t mask, T v)                                                    \
    {                                                                                              \
        const uint32_t lane = hw_lane();                                                           \
        uint32_t at = mask == ALL ? lane - 1 : highest(below(mask, lane));                         \
        STEPS(d)                                                                                   \
        {                                                                                          \
            const bool is_there = at < LANES;                                                      \
            const T other = from_##N(v, at & 31);                                                  \
            const uint32_t next = mask == ALL ? lane - 2 * d : from_b32(at, at & 31);              \
            v = is_there ? other + v : v;                                                          \
            at = mask == ALL || is_there ? next : LANES;                                           \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    APART T scan_##N(uint32_t mask, T v)                                                           \
    {                                                                                              \
        return scan_lanes_##N(mask, v);                                                            \
    }                                                                                              \
    T lw_cuda_warp_inclusive_sum_##N(uint32_t mask, T v)                                           \
    {                                                                                              \
        return mask == ALL ? scan_lanes_##N(ALL, v) : scan_##N(mask, v);                           \
    }                                                                                              \
    INLINE T before_##N(uint32_t mask, T inclusive, T first)                                       \
    {                                                                                              \
        const uint32_t at = highest(below(mask, hw_lane()));                                       \
        const T other = from_##N(inclusive, at & 31);                                              \
        return at < LANES ? other : first;                                                         \
    }                                                                                              \
    T lw_cuda_warp_exclusive_sum_##N(uint32_t mask, T v)                                           \
    {                                                                                              \
        return before_##N(mask, lw_cuda_warp_inclusive_sum_##N(mask, v), 0);                       \
    }                                                                                              \
    INLINE void prefixes_##N(const struct part *p, uint32_t there, T *prefix, T *last)             \
    {                                                                                              \
        const T totals = of_##N(p->value[hw_lane()]), sums = scan_##N(there, totals);              \
        const uint32_t w = highest(below(there, hw_lane())),                                       \
                       ww = w < LANES ? highest(below(there, w)) : LANES;                          \
        const T total = from_##N(totals, w & 31), sum = from_##N(sums, w & 31),                    \
                sum_before = from_##N(sums, ww & 31);                                              \
        *prefix = w < LANES ? sum : 0;                                                             \
        *last = w >= LANES ? 0 : ww < LANES ? sum_before + total : total;                          \
    }                                                                                              \
    INLINE T block_scan_##N(uint32_t mask, T v, uint32_t threads, uint32_t warp, bool sure,        \
                            uint32_t *turn, T *last)                                               \
    {                                                                                              \
        uint32_t there;                                                                            \
        v = lw_cuda_warp_inclusive_sum_##N(mask, v);                                               \
        *last = 0;                                                                                 \
        if (warps_of(threads) == 1) {                                                              \
            hw_warp_sync(ALL);                                                                     \
            return v;                                                                              \
        }                                                                                          \
        const T total = from_##N(v, highest(mask) & 31);                                           \
        const struct part *p =                                                                     \
            share(mask, bits_##N(total), &(struct sync_point){threads, warp, sure, turn}, &there); \
        T prefix;                                                                                  \
        prefixes_##N(p, there, &prefix, last);                                                     \
        if (lacks_lanes(threads)) {                                                                \
            uint64_t a = bits_##N(prefix), b = bits_##N(*last);                                    \
            give(p, there, warp, &a, &b);                                                          \
            prefix = of_##N(a);                                                                    \
            *last = of_##N(b);                                                                     \
        } else {                                                                                   \
            prefix = from_##N(prefix, warp);                                                       \
            *last = from_##N(*last, warp);                                                         \
        }                                                                                          \
        *last = warp > lowest(there) ? *last : 0;                                                  \
        return warp > lowest(there) ? prefix + v : v;                                              \
    }                                                                                              \
    T lw_cuda_block_inclusive_sum_##N(uint32_t mask, T v, uint32_t threads, uint32_t warp,         \
                                      bool sure, uint32_t *turn)                                   \
    {                                                                                              \
        T last;                                                                                    \
        return block_scan_##N(mask, v, threads, warp, sure, turn, &last);                          \
    }                                                                                              \
    T lw_cuda_block_exclusive_sum_##N(uint32_t mask, T v, uint32_t threads, uint32_t warp,         \
                                      bool sure, uint32_t *turn)                                   \
    {                                                                                              \
        T last;                                                                                    \
        const T inclusive = block_scan_##N(mask, v, threads, warp, sure, turn, &last);             \
        return before_##N(mask, inclusive, last);                                                  \
    }

/* One step of the tree with the user's operator; step is a power of two. */
#define PARTNERS(N, T)                                                                             \
    T lw_cuda_warp_partner_##N(uint32_t mask, T v, T identity, int step)                           \
    {                                                                                              \
        const uint32_t d = step > 0 ? (uint32_t)step : INT32_MAX, first = (hw_lane() / d ^ 1) * d; \
        const uint32_t group = group_of(mask, first, d);                                           \
        const T other = from_##N(v, (first + lowest(group)) & 31);                                 \
        return group ? other : identity;                                                           \
    }                                                                                              \
    T lw_cuda_block_partner_##N(uint32_t mask, T v, T identity, int step, uint32_t threads,        \
                                uint32_t warp, bool sure, uint32_t *turn)                          \
    {                                                                                              \
        if (step < LANES)                                                                          \
            return lw_cuda_warp_partner_##N(mask, v, identity, step);                              \
        const uint32_t d = (uint32_t)step / LANES, first = (warp / d ^ 1) * d;                     \
        if (d >= warps_of(threads)) {                                                              \
            hw_warp_sync(ALL);                                                                     \
            return identity;                                                                       \
        }                                                                                          \
        uint32_t there;                                                                            \
        const struct part *p =                                                                     \
            share(mask, bits_##N(v), &(struct sync_point){threads, warp, sure, turn}, &there);     \
        const uint32_t group = group_of(there, first, d);                                          \
        return group ? of_##N(p->value[(first + lowest(group)) & 31]) : identity;                  \
    }

#define NUMBERS(N, T, B, BITS)                                                                     \
    VALUES(N, T, B, BITS)                                                                          \
    REDUCTION(N, T, sum, SUM)                                                                      \
    REDUCTION(N, T, prod, PROD)                                                                    \
    SCANS(N, T)                                                                                    \
    PARTNERS(N, T)
#define INTEGERS(N, T, B, BITS)                                                                    \
    NUMBERS(N, T, B, BITS)                                                                         \
    REDUCTION(N, T, max, MAX)                                                                      \
    REDUCTION(N, T, min, MIN)
#define FLOATS(N, T, B, BITS)                                                                      \
    NUMBERS(N, T, B, BITS)                                                                         \
    REDUCTION(N, T, max, MAX_##N)                                                                  \
    REDUCTION(N, T, min, MIN_##N)

INTEGERS(i32, int32_t, b32, uint32_t)
INTEGERS(u32, uint32_t, b32, uint32_t)
INTEGERS(i64, int64_t, b64, uint64_t)
INTEGERS(u64, uint64_t, b64, uint64_t)
FLOATS(f32, float, b32, uint32_t)
FLOATS(f64, double, b64, uint64_t)

/* ---- votes and the rest ---------------------------------------------------------------------- */

uint32_t lw_cuda_ballot(uint32_t mask, bool p)
{
    return hw_ballot(ALL, p) & mask;
}

int lw_cuda_warp_any(uint32_t mask, bool p)
{
    return (hw_ballot(ALL, p) & mask) != 0;
}

int lw_cuda_warp_all(uint32_t mask, bool p)
{
    return (hw_ballot(ALL, p) & mask) == mask;
}

void lw_cuda_warp_sync(uint32_t mask)
{
    (void)mask;
    hw_warp_sync(ALL);
}

void lw_cuda_come_together(uint32_t mask) /* all that there are; see gpu/reconverge.c */
{
    hw_warp_sync((hw_lanes_up_to() | hw_lanes_behind()) & mask);
}

void lw_cuda_barrier(uint32_t mask)
{
    (void)mask;
    hw_barrier();
}

int lw_cuda_block_any(uint32_t mask, bool p)
{
    return hw_barrier_any(p && has(mask, hw_lane())) != 0;
}

int lw_cuda_block_all(uint32_t mask, bool p)
{
    return hw_barrier_all(p || !has(mask, hw_lane())) != 0;
}

int lw_cuda_block_count(uint32_t mask, bool p)
{
    return hw_barrier_count(p && has(mask, hw_lane()));
}

/* Each thread may ask for another one's value. What is there is read before it is written again. A
 * lane that takes no part asks for some thread that nobody has chosen: not for that one. */
uint64_t lw_cuda_block_broadcast_b64(uint32_t mask, uint64_t v, int thread, uint32_t threads,
                                     uint32_t warp, bool sure, uint32_t *turn)
{
    const uint32_t source = has(mask, hw_lane()) ? (uint32_t)thread : 0, from = source / LANES;
    if (warps_of(threads) == 1) {
        hw_warp_sync(ALL);
        return lw_cuda_shuffle_b64(mask, v, thread);
    }
    broadcast_value[warp * LANES + hw_lane()] = v;
    if (leads(mask))
        broadcast_lanes[warp] = mask;
    uint32_t there;
    share(mask, 0, &(struct sync_point){threads, warp, sure, turn}, &there);
    const bool is_there =
        from < warps_of(threads) && has(there, from) && has(broadcast_lanes[from], source);
    const uint64_t result = is_there ? broadcast_value[source] : v;
    hw_barrier();
    return result;
}

uint32_t lw_cuda_block_broadcast_b32(uint32_t mask, uint32_t v, int thread, uint32_t threads,
                                     uint32_t warp, bool sure, uint32_t *turn)
{
    return (uint32_t)lw_cuda_block_broadcast_b64(mask, v, thread, threads, warp, sure, turn);
}

/* ---- what the launch has to know ------------------------------------------------------------- */

/* The block's number, in the order in which blocks start. */
uint64_t lw_cuda_ticket(struct lw_cuda_launch *launch, uint32_t thread)
{
    if (!thread)
        parts[0].value[0] =
            __atomic_fetch_add((unsigned long long *)&launch->ticket, 1, __ATOMIC_RELAXED);
    hw_barrier();
    const uint64_t ticket = parts[0].value[0];
    hw_barrier();
    return ticket;
}

/* Called in each iteration of a spin loop. The word is in the host's memory, a microsecond away; an
 * iteration takes a tenth of a microsecond or more. Read once in ITERATIONS it costs nothing. A
 * thread that waits in vain exits after some milliseconds. */
void lw_cuda_wait(const struct lw_cuda_launch *launch, uint32_t *iterations)
{
    enum { ITERATIONS = 1 << 14 };
    if (++*iterations % ITERATIONS)
        return;
    /* volatile, or it would be read ahead and live through the loop */
    const uint64_t word = *(const volatile GLOBAL uint64_t *)&launch->stop;
    const volatile GLOBAL uint32_t *stop = (const volatile GLOBAL uint32_t *)word;
    if (stop && *stop)
        __asm__ volatile("exit;");
}

#include "ptx_records.inc"

/* ---- the lanes of a collective --------------------------------------------------------------- */

/* The lanes of the warp for which p; all lanes run it. */
uint32_t lw_cuda_who(bool p)
{
    return hw_ballot(ALL, p);
}

/* The lanes of mask in the same iteration. */
uint32_t lw_cuda_same_iteration(uint32_t mask, uint64_t iteration)
{
    return hw_match(ALL, iteration) & mask;
}
