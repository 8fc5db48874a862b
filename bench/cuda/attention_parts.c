/* attention_parts, attention_join - out = softmax(q . keys) values, for one query of SIZE numbers
 * and many keys, in one pass with a running maximum (online softmax). A warp takes BATCH keys at a
 * time, each lane four numbers of each; every block leaves its part, maximum, sum and SIZE values,
 * which one block then joins.
 * source   Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018
 */
#include <lanewise/kernel.h>

enum { SIZE = 128, BATCH = 8, WARPS = 8, PART = SIZE + 2 };

static float dot4(float4 a, float4 b)
{
    return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, a.w * b.w)));
}

/* count is a multiple of BATCH. */
KERNEL BLOCK(256) void attention_parts(float *parts, const float4 *q, const float4 *keys,
                                       const float4 *values, int count)
{
    SHARED float all[WARPS][PART];
    int lane = lane_id(), warp = warp_id();
    size_t step = (size_t)grid_dim.x * WARPS * BATCH;
    float4 mine = q[lane], sum = {0, 0, 0, 0};
    float most = -INFINITY, weight = 0;
    for (size_t i = ((size_t)block_idx.x * WARPS + warp) * BATCH; i < (size_t)count; i += step) {
        float4 k[BATCH], v[BATCH];
        float p[BATCH], top = most;
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            k[j] = keys[(i + j) * 32 + lane];
            v[j] = values[(i + j) * 32 + lane];
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            p[j] = warp_sum(dot4(mine, k[j]));
            top = fmax(top, p[j]);
        }
        float before = exp(most - top);
        weight *= before;
        sum *= before;
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            p[j] = exp(p[j] - top);
            weight += p[j];
            sum += p[j] * v[j];
        }
        most = top;
    }
    all[warp][lane * 4] = sum.x;
    all[warp][lane * 4 + 1] = sum.y;
    all[warp][lane * 4 + 2] = sum.z;
    all[warp][lane * 4 + 3] = sum.w;
    if (lane == 0) {
        all[warp][SIZE] = most;
        all[warp][SIZE + 1] = weight;
    }
    barrier();
    int t = thread_idx.x;
    if (t >= PART)
        return;
    float top = -INFINITY, part = 0;
    for (int w = 0; w < WARPS; w++)
        top = fmax(top, all[w][SIZE]);
    for (int w = 0; w < WARPS; w++)
        part += all[w][t] * (all[w][SIZE] > -INFINITY ? exp(all[w][SIZE] - top) : 0);
    parts[(size_t)block_idx.x * PART + t] = t == SIZE ? top : part;
}

KERNEL BLOCK(128) void attention_join(float *out, const float *parts, int count)
{
    int t = thread_idx.x;
    float most = -INFINITY, sum = 0, weight = 0;
    for (int b = t; b < count; b += SIZE)
        most = fmax(most, parts[(size_t)b * PART + SIZE]);
    most = block_max(most);
    for (int b = 0; b < count; b++) {
        const float *part = parts + (size_t)b * PART;
        float scale = part[SIZE] > -INFINITY ? exp(part[SIZE] - most) : 0;
        sum += part[t] * scale;
        weight += part[SIZE + 1] * scale;
    }
    out[t] = sum / weight;
}
