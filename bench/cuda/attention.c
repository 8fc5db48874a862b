/* attention - out = softmax(q . keys) values, for one query of SIZE numbers and many keys, in one
 * pass with a running maximum (online softmax). LANES lanes share a key, so a warp has SIDE keys in
 * hand at a time, and each of its four sides a maximum, a weight and sums of its own. They are
 * joined by warp, then by block; the block that is the last to leave its part joins those of all.
 * parts has PART float4 a block; done is 0 before and after. count is a multiple of SIDE.
 * source   Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018
 */
#include <lanewise/kernel.h>

enum { SIZE = 128, WARPS = 16, LANES = 8, SIDE = WARP_SIZE / LANES };
enum { FOURS = SIZE / 4, EACH = FOURS / LANES, PART = FOURS + 1 };

static float dot4(float4 a, float4 b)
{
    return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, a.w * b.w)));
}

/* By how much what was weighed against `most` weighs less against `top`; 0 where nothing was. */
static float weigh(float most, float top)
{
    return most > -INFINITY ? exp(most - top) : 0.0f;
}

static float over_sides(float v)
{
    v += shuffle_xor(v, LANES);
    return v + shuffle_xor(v, 2 * LANES);
}

/* What the sides of a warp have, against the highest of their tops. */
static void join_sides(float4 *sums, float *most, float *weight, float top, float all,
                       const float4 sum[EACH])
{
    float highest = fmax(top, shuffle_xor(top, LANES));
    highest = fmax(highest, shuffle_xor(highest, 2 * LANES));
    float scale = weigh(top, highest);
    all = over_sides(all * scale);
#pragma unroll
    for (int c = 0; c < EACH; c++) {
        float4 s = sum[c] * scale;
        s = (float4){over_sides(s.x), over_sides(s.y), over_sides(s.z), over_sides(s.w)};
        if (lane_id() < LANES)
            sums[c * LANES + lane_id()] = s;
    }
    if (lane_id() == 0) {
        *most = highest;
        *weight = all;
    }
}

/* What the warps of a block have, as the block's part: FOURS sums; then its top and weight. */
static void leave(float4 *part, const float4 sums[WARPS][FOURS], const float *most,
                  const float *weight)
{
    int t = thread_idx.x;
    if (t >= PART)
        return;
    float top = -INFINITY, all = 0;
    float4 sum = {0, 0, 0, 0};
    for (int w = 0; w < WARPS; w++)
        top = fmax(top, most[w]);
    for (int w = 0; w < WARPS; w++) {
        float scale = weigh(most[w], top);
        all += weight[w] * scale;
        if (t < FOURS)
            sum += sums[w][t] * scale;
    }
    part[t] = t < FOURS ? sum : (float4){top, all, 0, 0};
    fence_device();
}

/* All blocks' parts, by one block. */
static void join(float *out, const float4 *parts, float4 sums[WARPS][FOURS], float *weight)
{
    int t = thread_idx.x, warp = warp_id();
    float top = -INFINITY, all = 0;
    float4 sum = {0, 0, 0, 0};
    for (int b = t; b < (int)grid_dim.x; b += WARPS * WARP_SIZE)
        top = fmax(top, parts[b * PART + FOURS].x);
    top = block_max(top);
    for (int b = warp; b < (int)grid_dim.x; b += WARPS) {
        float4 head = parts[b * PART + FOURS];
        float scale = weigh(head.x, top);
        all += head.y * scale;
        sum += parts[b * PART + lane_id()] * scale;
    }
    sums[warp][lane_id()] = sum;
    weight[warp] = all;
    barrier();
    if (t >= SIZE)
        return;
    const float *numbers = (const float *)sums;
    float value = 0;
    all = 0;
    for (int w = 0; w < WARPS; w++) {
        value += numbers[w * SIZE + t];
        all += weight[w];
    }
    out[t] = value / all;
}

KERNEL BLOCK(512) void attention(float *out, float4 *parts, int *done, const float4 *q,
                                 const float4 *keys, const float4 *values, int count)
{
    SHARED float4 sums[WARPS][FOURS];
    SHARED float most[WARPS], weight[WARPS];
    SHARED bool is_last;
    int t = thread_idx.x, warp = warp_id(), lane = lane_id() % LANES, side = lane_id() / LANES;
    size_t step = (size_t)grid_dim.x * WARPS * SIDE;
    float4 mine[EACH], sum[EACH];
    float top = -INFINITY, all = 0;
#pragma unroll
    for (int c = 0; c < EACH; c++) {
        mine[c] = q[c * LANES + lane];
        sum[c] = (float4){0, 0, 0, 0};
    }
    for (size_t i = ((size_t)block_idx.x * WARPS + warp) * SIDE; i < (size_t)count; i += step) {
        float4 k[EACH], v[EACH];
        float p = 0;
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            k[c] = keys[(i + side) * FOURS + c * LANES + lane];
            v[c] = values[(i + side) * FOURS + c * LANES + lane];
        }
#pragma unroll
        for (int c = 0; c < EACH; c++)
            p += dot4(mine[c], k[c]);
#pragma unroll
        for (int lanes = 1; lanes < LANES; lanes *= 2)
            p += shuffle_xor(p, lanes);
        float higher = fmax(top, p), before = exp(top - higher);
        p = exp(p - higher);
        all = all * before + p;
#pragma unroll
        for (int c = 0; c < EACH; c++)
            sum[c] = sum[c] * before + p * v[c];
        top = higher;
    }
    join_sides(sums[warp], &most[warp], &weight[warp], top, all, sum);
    barrier();
    leave(parts + (size_t)block_idx.x * PART, sums, most, weight);
    barrier();
    if (t == 0)
        is_last = atomic_add(done, 1) == (int)grid_dim.x - 1;
    barrier();
    if (!is_last)
        return;
    fence_device();
    if (t == 0)
        *done = 0;
    join(out, parts, sums, weight);
}
