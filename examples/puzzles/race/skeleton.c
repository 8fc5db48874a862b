#include <lanewise/kernel.h>

KERNEL void count(int n, int *counts, const int *x)
{
    SHARED int cell[4];
    int t = thread_idx.x;
    if (t < 4)
        cell[t] = 0;

    for (int i = t; i < n; i += block_dim.x)
        cell[x[i] % 4]++;

    barrier();
    if (t < 4)
        counts[t] = cell[t];
}
