// Two loops with operations of a warp or the block, one behind the other: what the second uses is
// computed between the two.
// sizes: 2 33 64
// run: -b @B i32[1] i32[64]=iota
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

#define ME (((block_idx.z + block_idx.y) + block_idx.x) * 64 + warp_id() * 32 + lane_id())

SHARED float cells[256];

KERNEL void behind(int *wrong, const int *numbers)
{
    if (lane_id())
        cells[ME * 2 + 0] = 1;
    int i = -1, k = 0, product = 0;
    while (++i < (int)(block_idx.x & 3))
        product = block_prod(1);
    do {
        if (ballot(0))
            product = 1;
        cells[ME * 2 + 1] = 7;
    } while (++k < (int)(numbers[lane_id()] & 3));
    if (product || cells[ME * 2 + 1] != 7)
        atomic_add(wrong, 1);
}
