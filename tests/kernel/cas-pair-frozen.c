// What an atomic operation by atomic_cas has found decides over many lanes.
// sizes: 1 16 33 64
// run: -b @B i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void decides(int *wrong)
{
    SHARED __bf16 cells[64];
    int t = thread_idx.x, i = 0, done = 0;
    cells[t] = 0;
    __bf16 found = atomic_sub(&cells[t], (__bf16)0.0f);
    do {
        switch ((uint32_t)((__bf16)0.0f == (int)found >> (i & 31)) % 6u) {
        case 2:
        case 3: break;
        case 1: break;
        }
        done++;
    } while (++i < 0);
    if (block_sum(done) != block_dim.x)
        atomic_add(wrong, 1);
}
