#include <lanewise/kernel.h>

KERNEL void reference(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] /= 2;
}
