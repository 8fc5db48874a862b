/* bitonic - sort each 1024 elements of a, a block each, by Batcher's network: a thread keeps one
 * key and in each step takes the smaller or the larger of it and its partner's. Partners in a warp
 * shuffle, others meet in block memory.
 * source   Batcher, "Sorting networks and their applications", AFIPS 1968
 */
#include <lanewise/kernel.h>

enum { SIZE = 1024 };

KERNEL BLOCK(SIZE) void bitonic(float *out, const float *a)
{
    SHARED float key[SIZE];
    int t = thread_idx.x;
    float mine = a[global_idx.x];
#pragma unroll
    for (int size = 2; size <= SIZE; size *= 2)
#pragma unroll
        for (int apart = size / 2; apart > 0; apart /= 2) {
            float other;
            if (apart < WARP_SIZE) {
                other = shuffle_xor(mine, apart);
            } else {
                key[t] = mine;
                barrier();
                other = key[t ^ apart];
                barrier();
            }
            bool is_low = (t & apart) == 0, is_up = (t & size) == 0;
            if (is_low == is_up)
                mine = other < mine ? other : mine;
            else
                mine = other > mine ? other : mine;
        }
    out[global_idx.x] = mine;
}
