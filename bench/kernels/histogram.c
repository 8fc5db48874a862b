/* histogram - out[v] += how often v is among the n bytes of b. Each block counts in its own memory
 * and adds that to out at the end. A block for each worker is enough.
 */
#include <lanewise/kernel.h>

enum { BINS = 256 };

KERNEL BLOCK(BINS) void histogram(uint32_t out[BINS], const uint8_t *b, int n)
{
    SHARED uint32_t count[BINS];
    size_t threads = (size_t)grid_dim.x * block_dim.x;
    count[thread_idx.x] = 0;
    barrier();
    for (size_t i = global_idx.x; i < (size_t)n; i += threads)
        atomic_add(&count[b[i]], 1);
    barrier();
    atomic_add(&out[thread_idx.x], count[thread_idx.x]);
}
