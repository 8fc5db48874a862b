// What is made of the bits of an index: of threads in a row whose first has a number of known low
// bits, masks, exclusive ors and shifts are rows, steps or constants again, as long as no lane's
// number carries out of these bits. zeros hides from the compiler what the second of each pair is.
// sizes: 1 33 64 100 1023 8x8x4
// run: -k bits -g 5 -b @B i32[1] i32[1024]
// expect: wrong: i32[1] = [0]
// run: -k mask_of_gangs -b 1024 i32[16,64]
// expect: at: i32[16,64] = [[   0,    1,    2, ...,   61,   62,   63],
// expect:                   [  64,   65,   66, ...,  125,  126,  127],
// expect:                   [ 128,  129,  130, ...,  189,  190,  191],
// expect:                   ...,
// expect:                   [ 832,  833,  834, ...,  893,  894,  895],
// expect:                   [ 896,  897,  898, ...,  957,  958,  959],
// expect:                   [ 960,  961,  962, ..., 1021, 1022, 1023]]
#include <lanewise/kernel.h>

/* Each value at its place among all: else the compiler compares x and y instead. */
static uint32_t all_of(int x)
{
    const uint32_t u = x, of_bits[] = {
        x & 31, x & 3, x & ~3, x & 64, x & 5, x & -x, x | 5, x | 256, x ^ 1, x ^ 64, x ^ 17, ~x,
        x >> 2, x >> 5, x >> 6 & 1, x / 32, x % 8, u >> 8, u / 16 % 4, u << 3 & 63, -x & 7,
        (x & 3) ^ x >> 3, ((x ^ 1) + 5) & 15, (int8_t)x, (uint8_t)x >> 2, (x * 12 & 28) + x % 2,
        (x & 7) * 3 & 6, (x - 3) & 15, (1000 - x) & 12, (x & 1 ? x ^ 2 : x ^ 6) & 31,
        (int64_t)x << 35 >> 37, x >> 3 & 1 & x, x & x >> 1};
    uint32_t all = 0;
#pragma unroll
    for (size_t i = 0; i < sizeof of_bits / sizeof of_bits[0]; i++)
        all = (all ^ of_bits[i]) * 0x9e3779b1u;
    return all;
}

static int differ(int x, int hidden)
{
    return all_of(x) != all_of(x + hidden);
}

KERNEL void bits(int *wrong, const int *zeros)
{
    const int b = block_idx.x;
    const int t = thread_idx.x + block_dim.x * (thread_idx.y + block_dim.y * thread_idx.z);
    const int hidden = zeros[t];
    int n = differ(global_idx.x, hidden) + differ(t, hidden) + differ(b * 256 + t, hidden) +
            differ(b * 96 + t + 13, hidden) + differ(t * 4 - b * 64, hidden) +
            differ(2 * t + 1, hidden) + differ(b * 32 + t % 32, hidden) +
            differ(b * 64 + t % 64 * 2, hidden) + differ(b > 1 ? t + 5 : t + 8, hidden) +
            differ(b > 1 ? t % 16 + 32 : t % 16 + 128, hidden);
    for (int i = b * 64 + t; i < 1000; i += 512)
        n += differ(i, hidden);
    for (int i = t % 8; i < 200; i += 40 + b * 8)
        n += differ(i, hidden);
    if (n)
        atomic_add(wrong, n);
}

KERNEL void mask_of_gangs(int at[][64])
{
    const int i = block_idx.x * 1024 + thread_idx.x;
    at[i / 64][i & 63] = (i & 960) + (i & 63);
}
