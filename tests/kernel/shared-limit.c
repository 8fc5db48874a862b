// A block has 48 KiB of SHARED, all of it usable; a byte more is refused.
// run: -D BYTES=49152 -b 64 i32[1]
// expect: out: i32[1] = [49152]
// run: -D BYTES=49153 -b 64 i32[1]
// status: 3
// stderr: 49153
#include <lanewise/kernel.h>

SHARED unsigned char all[BYTES];

KERNEL void fill(int *out)
{
    for (int i = thread_idx.x; i < BYTES; i += 64)
        all[i] = (unsigned char)(i * 7);
    barrier();
    int right = 0;
    for (int i = BYTES - 1 - thread_idx.x; i >= 0; i -= 64)
        right += all[i] == (unsigned char)(i * 7);
    right = block_sum(right);
    if (thread_idx.x == 0)
        *out = right;
}
