// So many divergent branches in a row that even a warp's code would be too long: a block runs piece
// by piece, and each thread still has its indices.
// sizes: 9 16x4x2
// run: -k branches -b @B --quiet u32[1024]=iota u32[@N]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())
#define FOUR(x) x x x x
#define STEP(k)                                                                                    \
    if (a >> ((k) % 31) & 1) {                                                                     \
        b += in[(a + (k)) & 1023];                                                                 \
        a ^= b << ((k) % 7);                                                                       \
    } else {                                                                                       \
        a = a * 3 + b;                                                                             \
    }
#define NEXT STEP(k) k++;

KERNEL void branches(const uint32_t *in, uint32_t *out)
{
    uint32_t a = in[ME], b = ME, k = 0;
    FOUR(FOUR(FOUR(FOUR(NEXT NEXT))))
    out[ME] = a ^ b;

    int row = thread_idx.y + block_dim.y * thread_idx.z;
    assert(thread_idx.x + block_dim.x * row == (int)ME);
    a = in[ME], b = ME;
    for (uint32_t i = 0; i < 512; i++) {
        STEP(i)
    }
    assert(out[ME] == (a ^ b));
}
