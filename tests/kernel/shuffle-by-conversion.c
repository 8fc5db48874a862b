// Sources that conversions tell, of which lanes that are not there have none: what these take is
// nobody's, but must be of the warp or the block. Found by random kernels, seed 430026768.
// sizes: 1 2 33 8x8x4
// device: !check it tells of numbers out of range
// run: -k of_warp -b @B --quiet i32[256]
// device: !check borrowed values decide branches
// run: -k of_block -b @B --quiet i32[256]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void of_warp(int *out)
{
    int number = (__bf16)(-(uint64_t)ME);
    out[ME] = (int)shuffle_xor((uint64_t)7, number & 1) % (number & 255 | 1);
    assert(out[ME] == 7 % (number & 255 | 1));
}

KERNEL void of_block(int *out)
{
    int number = (__bf16)(-(uint64_t)ME);
    out[ME] = (int)block_broadcast((uint64_t)7, number & 1) % (number & 255 | 1);
    assert(out[ME] == 7 % (number & 255 | 1));
}
