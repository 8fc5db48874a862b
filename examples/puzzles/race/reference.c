#include <lanewise/kernel.h>

KERNEL void reference(int n, int *counts, const int *x)
{
    for (int r = 0; r < 4; r++)
        counts[r] = 0;
    for (int i = 0; i < n; i++)
        counts[x[i] % 4]++;
}
