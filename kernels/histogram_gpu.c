/* histogram_gpu.c - counts of equal bins on GPUs; see histogram.h.
 *
 *     histogram_count   adds the elements of a part to the counts
 *
 * launch   any number of threads
 */
#include "histogram.h"

KERNEL void histogram_count(size_t n, size_t part, const void *x, int type, const void *limits,
                            size_t bins, void *counts)
{
    SHARED double line[LINE];
    SHARED uint32_t near[NEAR_BINS + 1];
    const size_t first = (size_t)block_idx.x * part, end = min_size(first + part, n);
    const double low = ((const double *)limits)[0], high = ((const double *)limits)[1];
    const struct bins b = {low, high, (high - low) / (double)bins, (double)bins / (high - low),
                           bins};
    const bool is_near = bins <= NEAR_BINS;

    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        near[k] = 0;
    barrier();
    for (size_t i = first; i < end; i += LINE) {
        const size_t count = min_size(LINE, end - i);
        load_line(line, x, type, i, count);
        for (size_t j = (size_t)thread_idx.x; j < count; j += (size_t)block_dim.x) {
            const double v = line[j];
            const bool is_inside = v >= b.low && v <= b.high;
            const size_t k = is_inside ? bin_of(b, v) : NEAR_BINS;
            if (is_inside && is_near)
                atomic_add(&near[k], 1u);
            else if (is_inside)
                atomic_add((int64_t *)counts + k, (int64_t)1);
        }
    }
    barrier();
    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        if (near[k])
            atomic_add((int64_t *)counts + k, (int64_t)near[k]);
}
