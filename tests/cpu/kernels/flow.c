/* flow.c - guards, loops, branches of all kinds.
 */
#include "common.h"

KERNEL void grid_stride(float *out, const float *a, int n)
{
    float sum = 0;
    for (int i = I; i < n; i += THREADS * (int)grid_dim.x / 3 + 1)
        sum += a[i];
    out[I] = sum;
}

KERNEL void grid_stride_long(double *out, const float *a, const bool *b, int n)
{
    double sum = 0;
    for (size_t i = (size_t)ME; i < (size_t)n; i += (size_t)THREADS)
        if (b[i])
            sum += a[i];
        else
            sum = fma(sum, 0.5, 1.0);
    out[I] = sum;
}

KERNEL void uniform_loop(float *out, const float *a, int n)
{
    float sum = 0, product = 1;
    for (int k = 0; k < n % 13 + 2; k++) {
        sum = sum * 0.5f + a[k];
        product *= 1 + (float)k * 0.125f;
        if (k == 7)
            break;
    }
    out[I] = sum + product;
}

KERNEL void nested_uniform(int *out, const int *a, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < 5; i++) {
        if (a[i] & 1)
            continue;
        for (int k = i; k < 9; k += 2)
            sum = sum * 31 + (unsigned)a[(I + k) % n];
    }
    out[I] = (int)sum;
}

KERNEL void guards(float *out, const float *a, int n)
{
    float v = -1;
    if (I < n)
        v = a[I];
    if (I + 2 < n && ME > 0)
        v += a[I + 2] / a[I - 1];
    if (I == 5 || I == n - 1)
        v = 17;
    out[I] = v;
}

KERNEL void early_return(int *out, const int *a, int n)
{
    if (I >= n)
        return;
    out[I] = 1;
    if (a[I] % 3 == 0)
        return;
    out[I] = 2;
    for (int k = 0; k < 10; k++) {
        if ((a[I] >> k) & 1)
            return;
        out[I] += 2;
    }
    out[I] = 3;
}

KERNEL void divergent_trips(int *out, const uint32_t *a, int n)
{
    if (I < n) {
        uint32_t x = a[I] % 1000 + 1;
        int steps = 0;
        while (x != 1) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            steps++;
        }
        out[I] = steps;
    }
}

KERNEL void breaks(int *out, const uint32_t *a, int n)
{
    unsigned v = 0;
    for (int k = 0; k < 20; k++) {
        unsigned x = a[(I + k * 7) % n];
        if (x % 4 == 0)
            continue;
        v = v * 3 + x;
        if (x % 13 == 0)
            break;
    }
    out[I] = (int)v;
}

KERNEL void nested_divergent(int *out, const uint32_t *a, int n)
{
    unsigned v = I;
    for (unsigned i = 0; i < a[I] % 5; i++)
        for (unsigned k = i; k < a[(I + 1) % n] % 7; k++) {
            v = v * 5 + k;
            if (v % 11 == 0)
                goto out_of_both;
        }
out_of_both:
    out[I] = (int)v;
}

KERNEL void switched(int *out, const uint32_t *a, int n)
{
    int v = 0;
    if (I < n)
        switch (a[I] % 7) {
        case 0: v = 10; break;
        case 1: v = 20; /* falls through */
        case 2: v += 5; break;
        case 3: out[I] = -1; return;
        case 6: v = (int)a[n / 2]; break;
        default: v = 99;
        }
    out[I] = v;
}

KERNEL void uniform_choice(float *out, const float *a, const int *b, int n)
{
    float v = a[I];
    if (b[0] > b[1])
        v = v * 2 + 1;
    else if (n > 50)
        v = v - 1;
    switch (b[2] & 3) {
    case 0: v += 1; break;
    case 1: v *= 3; break;
    default: v = -v;
    }
    out[I] = b[3] & 1 ? v : v / 3;
}

KERNEL void conditional(float *out, const float *a, const bool *b, int n)
{
    float v = I < n && b[I] ? a[I] : 0;
    out[I] = (b[I] && (v > 0 || a[I + 1] > 1)) ? v + 1 : v - 1;
}

static float horner(const float *c, int count, float x)
{
    float v = 0;
    for (int k = 0; k < count; k++)
        v = v * x + c[k];
    return v;
}

KERNEL void helper(float *out, const float *a)
{
    out[I] = horner(a, 6, a[I]) + horner(a + ME % 3, 3, 0.5f);
}

KERNEL void last_value(int *out, const uint32_t *a, int n)
{
    int at = -1;
    for (int k = 0; k < n && k < 40; k++)
        if (a[(I + k) % n] % 9 == 0) {
            at = k;
            break;
        }
    out[I] = at;
}

KERNEL void do_while(uint32_t *out, const uint32_t *a)
{
    uint32_t v = a[I], rounds = 0;
    do
        v = v * 1664525u + 1013904223u;
    while (++rounds < 64 && v >> 28 != 5);
    out[I] = v + rounds;
}

/* Each warp goes through a range of its own, by numbers that may wrap around. */
KERNEL void warp_ranges(uint32_t *out, const uint32_t *a)
{
    uint32_t length = a[warp_id() + 1] % 100, near = a[warp_id()] % 100, sum = 0;
    uint32_t first = (block_idx.x == 2 ? 0x80000000u : 0) + (block_idx.x ? 0u - near : near);
    uint32_t end = first + length;
    for (uint32_t i = first + lane_id(); i < end; i += 32)
        if (sum += i, i >= end - 32)
            break;
    for (uint32_t i = end - lane_id(); i > first; i -= 32)
        if (sum = sum * 3 + i, i <= 32)
            break;
    for (uint32_t i = first + lane_id(); (int)i <= (int)end; i += 32)
        if (sum ^= i, (int)(i + 32) < (int)i)
            break;
    out[I] = sum;
}

KERNEL void warp_ranges_wide(uint64_t *out, const uint32_t *a, int n)
{
    size_t first = a[warp_id()] % 1000, end = first + a[warp_id() + 1] % 100;
    uint64_t sum = 0;
    for (size_t i = first + lane_id(); i < end; i += 32)
        sum += a[i % n];
    for (int64_t i = (int64_t)end - lane_id(); i >= (int64_t)first; i -= 32)
        sum = 5 * sum + (uint64_t)i;
    out[I] = sum;
}

/* An arm that several cases share, entered from two branches. */
KERNEL void shared_arm(int *out, const uint8_t *a, const int *b)
{
    int v = b[I];
    switch (a[I] % 6) {
    case 5: v ^= 7; /* falls through */
    case 1:
    case 4: v += v / 3; break;
    default: v = -(v / 2);
    }
    out[I] = v;
}
