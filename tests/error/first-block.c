// Of several blocks that fail the first one is named, though another one fails sooner.
// run: -k later -g 4 -b 2 i32[8] 200
// status: 4
// stderr: first-block.c:15:34: write of 4 bytes outside: index 8 of 'out', which has 8 elements of 4 bytes, block (1,0,0) thread (0,0,0)
// run: -k claims -g 4 -b 2 i32[8] 200
// status: 4
// stderr: first-block.c:24: assertion 'block_idx.x == 0 || i < n - block_idx.x' failed, block (1,0,0) thread (0,0,0)
#include <lanewise/kernel.h>

KERNEL void later(int *out, int n)
{
    for (int i = 0; i < n; i++) {
        barrier();
        if (block_idx.x && i == n - block_idx.x)
            out[8 * block_idx.x] = 1;
    }
}

KERNEL void claims(int *out, int n)
{
    for (int i = 0; i < n; i++) {
        barrier();
        out[global_idx.x] = i;
        assert(block_idx.x == 0 || i < n - block_idx.x);
    }
}
