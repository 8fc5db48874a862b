// What differs from row to row of a block, and is the same for all lanes of a vector, wraps too
// when it is taken for an unsigned number.
// sizes: 8x4 8x4x4 16x8 32x3 4x4x4
// run: -b @B 0 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void unsigned_row(unsigned zero, unsigned two, int *wrong, int *done)
{
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    uint64_t first = (uint64_t)(zero - (thread_idx.y == 0)),
             row = (uint64_t)(two - (unsigned)thread_idx.y), back = (uint64_t)(zero - (me < 32));
    uint64_t expected = thread_idx.y <= 2 ? 2 - thread_idx.y : (1ull << 32) + 2 - thread_idx.y;
    if (first != (thread_idx.y ? 0 : 0xffffffffu) || row != expected ||
        back != (me < 32 ? 0xffffffffu : 0))
        atomic_add(wrong, 1);
    atomic_add(done, 1);
}
