// A sum of the warp, of 64 bits, tells all lanes where to read; a part of it does, taken as vectors
// of 32 bits. Found by random kernels, seed 440014875.
// sizes: 1 31 32 33 64 8x8x4
// run: -b @B --quiet i32[256] i32[64]=iota i16[1]=1 i32[1]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define THREADS (int)(block_dim.x * block_dim.y * block_dim.z)

KERNEL void sums(int *out, const int *numbers, const int16_t *ones, const int *zero)
{
    int one = ones[shuffle(0, lane_id())];
    uint16_t count = warp_sum((uint64_t)one);
    int number = numbers[(zero[shuffle(0, lane_id())] | count) & 63];
    atomic_or(&out[ME], number);
    int in_warp = THREADS - ME / 32 * 32 < 32 ? THREADS % 32 : 32;
    assert(out[ME] == in_warp);
}
