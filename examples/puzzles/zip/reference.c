#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, int s, const float *x, const float *y)
{
    for (int i = 0; i < n; i++)
        out[i] = (double)s * x[i] + y[i];
}
