/* histogram.c - counts of equal bins on processors; see histogram.h.
 *
 *     histogram_count   adds the elements of a part to the counts
 *
 * launch   at most a warp
 * idea     all threads make the slots of a line, as vector code, and one of them counts. Of
 *          neighbours, which are often alike, each has its own table: none waits for another. Whole
 *          lines of f32 and f64 are read where they are
 *
 * A slot is found by one fma. It is sure where the result is further from a whole number than all
 * errors together; the few others are compared with their edges. With u = 2^-53, or 2^-24 in float,
 * and m = max(|low|, |high|) * scale + bins + 1, in bins:
 *
 *     an edge is within 4 * 2^-53 * m of its place, by the roundings of step, product and sum
 *     the guess is within 3 * u * m of an element's, by those of scale, shift and the fma
 *
 * so 8 * u * m is enough, while scale and step are normal numbers.
 */
#include "histogram.h"

/* Slots: a bin's is BELOW more than the bin. The others are of elements outside. Their number is
 * rounded up so that what lies behind the tables is aligned to vectors. AHEAD: elements that are
 * fetched before they are read. */
enum { LINE = 256, AHEAD = 1024, TABLES = 4, BELOW = 2, SLOTS = NEAR_BINS + BELOW + 6 };

/* v * scale + shift is half less than v's place in slots; most: the last slot. ROUND, added, leaves
 * a whole number in the lowest bits. */
#define SLOT(A, BITS, ROUND)                                                                       \
    struct guess_##A {                                                                             \
        A scale, shift, most, sure;                                                                \
    };                                                                                             \
    DEVICE static struct guess_##A guess_##A##_of(struct bins b, double margin)                    \
    {                                                                                              \
        return (struct guess_##A){(A)b.scale, (A)(BELOW - 0.5 - b.low * b.scale),                  \
                                  (A)(b.count + BELOW), (A)(0.5 - margin)};                        \
    }                                                                                              \
    /* The slots of a line; a word for each round has the threads that are not sure. */            \
    DEVICE static void slots_##A(uint32_t *slot, uint32_t *unsure, struct guess_##A g,             \
                                 const A *line)                                                    \
    {                                                                                              \
        for (int first = 0; first < LINE; first += block_dim.x) {                                  \
            __builtin_prefetch(line + first + thread_idx.x + AHEAD);                               \
            const A t = fma(line[first + thread_idx.x], g.scale, g.shift);                         \
            const A at_least = t > 0 ? t : 0; /* a NaN is outside */                               \
            const A at = at_least < g.most ? at_least : g.most, round = at + ROUND;                \
            const uint32_t votes = ballot(!(fabs(at - (round - ROUND)) < g.sure));                 \
            slot[first + thread_idx.x] = (uint32_t)__builtin_bit_cast(BITS, round) -               \
                                         (uint32_t)__builtin_bit_cast(BITS, (A)ROUND);             \
            if (thread_idx.x == 0)                                                                 \
                unsure[first / block_dim.x] = votes;                                               \
        }                                                                                          \
    }                                                                                              \
    DEVICE static void correct_##A(uint32_t *slot, const uint32_t *unsure, struct bins b,          \
                                   const A *line)                                                  \
    {                                                                                              \
        for (int w = 0; w * block_dim.x < LINE; w++)                                               \
            for (uint32_t bits = unsure[w]; bits; bits &= bits - 1) {                              \
                const int j = w * block_dim.x + ctz(bits);                                         \
                const double v = line[j];                                                          \
                slot[j] = v >= b.low && v <= b.high ? (uint32_t)bin_of(b, v) + BELOW : 0;          \
            }                                                                                      \
    }
SLOT(float, uint32_t, 0x1p23f)
SLOT(double, uint64_t, 0x1p52)

/* The types that float does not hold. */
/* clang-format off */
#define WIDE_TYPES(X)                                                                              \
    X(DT_I32, int32_t) X(DT_I64, int64_t) X(DT_U32, uint32_t) X(DT_U64, uint64_t)                  \
    X(DT_F64, double)
/* clang-format on */

/* Elements i to i + count of x, and NaNs up to LINE. All threads have the same number of rounds. */
#define LINE_CASE(code, T)                                                                         \
    case code: {                                                                                   \
        const T *from = (const T *)x + i;                                                          \
        for (int r = 0; r < rounds; r++, j += block_dim.x) {                                       \
            __builtin_prefetch(from + j + AHEAD);                                                  \
            line[j] = from[j];                                                                     \
        }                                                                                          \
        if (j < (int)count)                                                                        \
            line[j] = from[j];                                                                     \
        break;                                                                                     \
    }
#define LOAD_LINE(A, TYPES)                                                                        \
    DEVICE static void load_line_##A(A *line, const void *x, int type, size_t i, size_t count)     \
    {                                                                                              \
        const int rounds = (int)count / block_dim.x;                                               \
        int j = thread_idx.x;                                                                      \
                                                                                                   \
        if (count < LINE)                                                                          \
            for (int k = thread_idx.x; k < LINE; k += block_dim.x)                                 \
                line[k] = NAN;                                                                     \
        switch (type) {                                                                            \
            TYPES(LINE_CASE)                                                                       \
        default: break;                                                                            \
        }                                                                                          \
    }
LOAD_LINE(float, FLOAT_TYPES)
LOAD_LINE(double, WIDE_TYPES)

DEVICE static void count_far(int64_t *counts, struct bins b, const double *line)
{
    for (size_t j = 0; j < LINE; j++)
        if (line[j] >= b.low && line[j] <= b.high)
            atomic_add(counts + bin_of(b, line[j]), (int64_t)1);
}

KERNEL void histogram_count(size_t n, size_t part, const void *x, int type, const void *limits,
                            size_t bins, void *counts)
{
    SHARED uint32_t near[2 * SLOTS], slot[LINE], unsure[LINE];
    SHARED double own_line[LINE];
    SHARED float own_narrow[LINE];
    const size_t first = (size_t)block_idx.x * part, end = min_size(first + part, n);
    const double low = ((const double *)limits)[0], high = ((const double *)limits)[1];
    const struct bins b = {low, high, (high - low) / (double)bins, (double)bins / (high - low),
                           bins};
    const bool is_near = bins <= NEAR_BINS;
    const double m = (fabs(low) > fabs(high) ? fabs(low) : fabs(high)) * b.scale + (double)bins + 1;
    const bool is_narrow =
        type < DT_I32 || (type >= DT_U8 && type < DT_U32) || (type >= DT_BOOL && type < DT_F64);
    const bool is_float =
        is_narrow && is_near && m < 0x1p14 && b.scale > 0x1p-100 && b.scale < 0x1p100;
    const struct guess_float of_float = guess_float_of(b, m * 0x1p-21);
    const struct guess_double of_double =
        guess_double_of(b, m < 0x1p44 && b.scale < 0x1p1000 ? m * 0x1p-50 : 1);
    const size_t pitch = bins + BELOW + 1, tables = TABLES * pitch <= 2 * SLOTS ? TABLES : 2;
    uint32_t *const near_1 = near + pitch, *const near_2 = near + (tables - 2) * pitch,
                    *const near_3 = near_2 + pitch;

    for (size_t k = (size_t)thread_idx.x; k < tables * pitch && is_near; k += (size_t)block_dim.x)
        near[k] = 0;
    for (size_t i = first; i < end; i += LINE) {
        const size_t count = min_size(LINE, end - i);
        const bool is_whole = count == LINE;
        const float *narrow = is_whole && type == DT_F32 ? (const float *)x + i : own_narrow;
        const double *line = is_whole && type == DT_F64 ? (const double *)x + i : own_line;
        if (is_narrow && narrow == own_narrow)
            load_line_float(own_narrow, x, type == DT_BOOL ? DT_U8 : type, i, count);
        else if (!is_narrow && line == own_line)
            load_line_double(own_line, x, type, i, count);
        for (int j = thread_idx.x; j < LINE && is_narrow && !is_float; j += block_dim.x)
            own_line[j] = narrow[j];
        if (is_float)
            slots_float(slot, unsure, of_float, narrow);
        else if (is_near)
            slots_double(slot, unsure, of_double, line);
        barrier();
        if (thread_idx.x == 0) {
            if (is_float)
                correct_float(slot, unsure, b, narrow);
            else if (is_near)
                correct_double(slot, unsure, b, line);
            else
                count_far(counts, b, line);
            for (int j = 0; j < LINE && is_near; j += TABLES) {
                near[slot[j]]++;
                near_1[slot[j + 1]]++;
                near_2[slot[j + 2]]++;
                near_3[slot[j + 3]]++;
            }
        }
        barrier();
    }
    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x) {
        int64_t sum = 0;
        for (size_t t = 0; t < tables; t++)
            sum += near[t * pitch + BELOW + k];
        if (sum)
            atomic_add((int64_t *)counts + k, sum);
    }
}
