// Lanes that by their place keep the smaller or the larger of two values, or a sum or a product or
// what was: what constants decide comes out as what is only known when it runs. The sorting network
// of a warp, of floats with NaNs and zeros of both signs and of integers; both results used again.
// sizes: 1 7 31 32 33 64 100 1023 8x8x4
// run: -k sorted_floats -b @B --quiet f32[1024]=rand:7 32
// device: !check borrowed values decide branches
// run: -k sorted_ints -b @B --quiet i32[1024]=rand:7 32
// device: !check borrowed values decide branches
// run: -k sum_or_product -b @B --quiet f32[1024]=rand:7 32
// run: -k sum_or_same -b @B --quiet f32[1024]=rand:7 32
// run: -k both -b @B --quiet f32[1024]=rand:7 2
#include <lanewise/kernel.h>

static int number(void)
{
    return (int)((thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x);
}

static bool same_float(float x, float y)
{
    union {
        float value;
        uint32_t bits;
    } a = {.value = x}, b = {.value = y};
    return a.bits == b.bits;
}

static bool same_int(int x, int y)
{
    return x == y;
}

/* Is x sorted as by the network of which only `last` tells how far it goes? */
#define SORT(T)                                                                                    \
    static T step_##T(T mine, int apart, int size)                                                 \
    {                                                                                              \
        T other = shuffle_xor(mine, apart);                                                        \
        if (((lane_id() & apart) == 0) == ((lane_id() & size) == 0))                               \
            return other < mine ? other : mine;                                                    \
        return other > mine ? other : mine;                                                        \
    }                                                                                              \
                                                                                                   \
    static bool sorts_##T(T x, int last)                                                           \
    {                                                                                              \
        T y = x;                                                                                   \
        _Pragma("unroll") for (int size = 2; size <= WARP_SIZE; size *= 2)                         \
            _Pragma("unroll") for (int apart = size / 2; apart > 0; apart /= 2) x =                \
                step_##T(x, apart, size);                                                          \
        for (int size = 2; size <= last; size *= 2)                                                \
            for (int apart = size / 2; apart > 0; apart /= 2)                                      \
                y = step_##T(y, apart, size);                                                      \
        return same_##T(x, y);                                                                     \
    }
SORT(float)
SORT(int)

KERNEL void sorted_floats(const float *a, int last)
{
    int lane = lane_id();
    float x = lane == 5 ? NAN : lane == 6 ? -0.0f : lane == 7 ? 0.0f : a[number()];
    assert(sorts_float(x, last));
}

KERNEL void sorted_ints(const int *a, int last)
{
    assert(sorts_int(a[number()], last));
}

KERNEL void sum_or_product(const float *a, int end)
{
    int lane = lane_id();
    float x = a[number()], y = x;
#pragma unroll
    for (int bit = 1; bit < WARP_SIZE; bit *= 2)
        x = lane & bit ? x + 1.5f * (float)bit : x * 0.75f;
    for (int bit = 1; bit < end; bit *= 2)
        y = lane & bit ? y + 1.5f * (float)bit : y * 0.75f;
    assert(same_float(x, y));
}

KERNEL void sum_or_same(const float *a, int end)
{
    int lane = lane_id();
    float x = a[number()], y = x;
#pragma unroll
    for (int bit = 1; bit < WARP_SIZE; bit *= 2)
        x = lane & bit ? x + 1.5f * (float)bit : x;
    for (int bit = 1; bit < end; bit *= 2)
        y = lane & bit ? y + 1.5f * (float)bit : y;
    assert(same_float(x, y));
}

KERNEL void both(const float *a, int bit)
{
    float x = a[number()], least = x < 0.25f ? x : 0.25f, most = x > 0.75f ? x : 0.75f;
    float chosen = lane_id() & 2 ? least : most, again = lane_id() & bit ? least : most;
    assert(same_float(chosen + least * most, again + least * most));
    assert(chosen == (lane_id() & bit ? least : most));
}
