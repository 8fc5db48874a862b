// barrier orders all memory of the block, shared and global, in a loop as often as it comes.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1] i32[@N]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int token[1024];

KERNEL void barriers(int *checked, const int *ring_place)
{
    int *ring = (int *)ring_place; /* const, so that it is not printed */
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int next = (me + 1) % threads;
    token[me] = me;
    for (int i = 0; i < 50; i++) {
        barrier();
        int got = token[next];
        barrier();
        token[me] = got;
        ring[me] = got * 2;
        barrier();
        assert(ring[next] == 2 * ((next + i + 1) % threads));
    }
    assert(token[me] == (me + 50) % threads);
    atomic_add(checked, 1);
}
