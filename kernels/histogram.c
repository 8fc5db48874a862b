/* histogram.c - counts of equal bins on processors; see histogram.h.
 *
 *     histogram_count   adds the elements of a part to the counts
 *
 * launch   any number of threads
 * idea     all threads make the numbers of the bins of a line, as vector code, and one of them
 *          counts
 */
#include "histogram.h"

/* The bin of an element, of at most NEAR_BINS; that of one outside is NEAR_BINS. */
DEVICE static uint32_t near_bin(struct bins b, double v)
{
    const bool is_inside = v >= b.low && v <= b.high;
    const int32_t last = (int32_t)b.count - 1;
    const double guess = is_inside ? (v - b.low) * b.scale : 0;
    int32_t k = guess < (double)last ? (int32_t)guess : last; /* last where it is a NaN */

    while (is_inside && k > 0 && v < b.low + (double)k * b.step)
        k--;
    while (is_inside && k < last && v >= b.low + (double)(k + 1) * b.step)
        k++;
    return is_inside ? (uint32_t)k : NEAR_BINS;
}

/* near[k]++ for the bins of `count` elements. Neighbours, which are often alike, have two counters:
 * one need not wait for the other. */
DEVICE static void count_line(uint32_t (*near)[NEAR_BINS + 1], const uint32_t *bin, size_t count)
{
    for (size_t j = 0; j + 1 < count; j += 2) {
        near[0][bin[j]]++;
        near[1][bin[j + 1]]++;
    }
    if (count % 2)
        near[0][bin[count - 1]]++;
}

DEVICE static void count_far(int64_t *counts, struct bins b, const double *line, size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (line[j] >= b.low && line[j] <= b.high)
            atomic_add(counts + bin_of(b, line[j]), (int64_t)1);
}

KERNEL void histogram_count(size_t n, size_t part, const void *x, int type, const void *limits,
                            size_t bins, void *counts)
{
    SHARED double line[LINE];
    SHARED uint32_t near[2][NEAR_BINS + 1], bin[LINE];
    const size_t first = (size_t)block_idx.x * part, end = min_size(first + part, n);
    const double low = ((const double *)limits)[0], high = ((const double *)limits)[1];
    const struct bins b = {low, high, (high - low) / (double)bins, (double)bins / (high - low),
                           bins};
    const bool is_near = bins <= NEAR_BINS;

    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        near[0][k] = near[1][k] = 0;
    for (size_t i = first; i < end; i += LINE) {
        const size_t count = min_size(LINE, end - i);
        load_line(line, x, type, i, count);
        for (size_t j = (size_t)thread_idx.x; j < count && is_near; j += (size_t)block_dim.x)
            bin[j] = near_bin(b, line[j]);
        barrier();
        if (thread_idx.x == 0) {
            if (is_near)
                count_line(near, bin, count);
            else
                count_far(counts, b, line, count);
        }
        barrier();
    }
    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        if (near[0][k] + near[1][k])
            atomic_add((int64_t *)counts + k, (int64_t)near[0][k] + (int64_t)near[1][k]);
}
