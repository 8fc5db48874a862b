/* compact - the elements of a that are above 0.5, without gaps, and in counter how many; it is 0
 * before. Their order is kept within a block; blocks follow each other as they came to the counter.
 */
#include <lanewise/kernel.h>

enum { THREADS = 256, WARPS = THREADS / WARP_SIZE };

KERNEL BLOCK(THREADS) void compact(float *out, uint32_t *counter, const float *a, int n)
{
    SHARED uint32_t first[WARPS];
    size_t i = global_idx.x;
    float mine = i < (size_t)n ? a[i] : 0;
    bool keep = mine > 0.5f;
    uint32_t kept = ballot(keep);
    if (lane_id() == 0)
        first[warp_id()] = popcount(kept);
    barrier();
    if (thread_idx.x == 0) {
        uint32_t total = 0;
        for (int w = 0; w < WARPS; w++)
            total += first[w];
        uint32_t next = atomic_add(counter, total);
        for (int w = 0; w < WARPS; w++) {
            uint32_t here = first[w];
            first[w] = next;
            next += here;
        }
    }
    barrier();
    if (keep)
        out[first[warp_id()] + popcount(kept & ((1u << lane_id()) - 1))] = mine;
}
