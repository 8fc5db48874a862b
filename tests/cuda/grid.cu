// Blocks that wait for each other: on ref and check always.
// run: -k ring -g 3 -b 4 'i32[10]=iota' 'i32[10]' 10 4
// device: !cpu the blocks need not all be resident
// expect: a: i32[10] = [50, 66, 42, 58, 64, 80, 86, 102, 78, 94]
// expect: b: i32[10] = [40, 18, 26, 24, 32, 40, 48, 46, 54, 32]
#include <cooperative_groups.h>

__global__ void ring(int *a, int *b, int n, int rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank();
    for (int r = 0; r < rounds; r++) {
        if (i < n)
            b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}
