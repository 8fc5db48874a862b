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
    SHARED uint32_t near[NEAR_BINS];
    const size_t first = (size_t)block_idx.x * part, end = min_size(first + part, n);
    const double low = ((const double *)limits)[0], high = ((const double *)limits)[1];
    const struct bins b = {low, high, (high - low) / (double)bins, (double)bins / (high - low),
                           bins};
    const bool is_near = bins <= NEAR_BINS;

    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        near[k] = 0;
    barrier();
    for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x) {
        const double v = load_double(x, type, i);
        if (!(v >= b.low && v <= b.high))
            continue;
        const size_t k = bin_of(b, v);
        if (is_near)
            atomic_add(&near[k], 1u);
        else
            atomic_add((int64_t *)counts + k, (int64_t)1);
    }
    barrier();
    for (size_t k = (size_t)thread_idx.x; k < bins && is_near; k += (size_t)block_dim.x)
        if (near[k])
            atomic_add((int64_t *)counts + k, (int64_t)near[k]);
}
