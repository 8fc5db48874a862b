/* scan_ahead - inclusive sums of all elements in one pass: each block scans its tile, tells the sum
 * of it, and looks back at the blocks in front until it meets one that knows the sum up to its end.
 * state has for each block what it has told: 0, which scan_open writes, its own sum, or the sum up
 * to its end. A tile goes through block memory, so that neighbours read and write neighbours; a
 * place more behind every four keeps its threads in different banks.
 * n is a multiple of a tile's 4096 elements.
 * source   Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
 */
#include <lanewise/kernel.h>

enum { THREADS = 256, EACH = 4, TILE = THREADS * EACH * 4 };
#define OWN (1ull << 32)
#define UP_TO_END (2ull << 32)

static uint64_t tell(uint64_t what, float sum)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = sum};
    return what | u.bits;
}

static float told(uint64_t state)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = (uint32_t)state};
    return u.value;
}

/* What comes in front of block b; its first warp runs it, each lane asks one block. */
static float look_back(uint64_t *state, int b)
{
    float sum = 0;
    for (int last = b - 1; last >= 0; last -= WARP_SIZE) {
        int at = last - lane_id();
        uint64_t s = UP_TO_END;
        if (at >= 0)
            while ((s = atomic_load(&state[at])) < OWN)
                ;
        uint32_t ends = ballot(s >= UP_TO_END);
        int take = ends ? ctz(ends) : WARP_SIZE - 1;
        sum += warp_sum(lane_id() <= take && at >= 0 ? told(s) : 0.0f);
        if (ends)
            break;
    }
    return sum;
}

KERNEL void scan_open(uint64_t *state, int blocks)
{
    if (global_idx.x < (size_t)blocks)
        state[global_idx.x] = 0;
}

KERNEL BLOCK(256) void scan_ahead(float4 *out, const float4 *a, uint64_t *state)
{
    SHARED float before;
    SHARED float4 tile[TILE / 4 + TILE / 16];
    int t = thread_idx.x;
    size_t first = (size_t)block_idx.x * (TILE / 4) + (size_t)t;
    float4 x[EACH];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int at = k * THREADS + t;
        tile[at + at / 4] = a[first + (size_t)(k * THREADS)];
    }
    barrier();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        x[k] = tile[t * 5 + k];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        x[k].x = sum += x[k].x;
        x[k].y = sum += x[k].y;
        x[k].z = sum += x[k].z;
        x[k].w = sum += x[k].w;
    }
    float mine = block_exclusive_sum(sum);
    float all = block_broadcast(mine + sum, THREADS - 1);
    if (warp_id() == 0) {
        if (lane_id() == 0)
            atomic_store(&state[block_idx.x], tell(block_idx.x ? OWN : UP_TO_END, all));
        float front = look_back(state, block_idx.x);
        if (lane_id() == 0) {
            if (block_idx.x)
                atomic_store(&state[block_idx.x], tell(UP_TO_END, front + all));
            before = front;
        }
    }
    barrier();
    mine += before;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        tile[t * 5 + k] = x[k] + mine;
    barrier();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int at = k * THREADS + t;
        out[first + (size_t)(k * THREADS)] = tile[at + at / 4];
    }
}
