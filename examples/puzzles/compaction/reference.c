#include <lanewise/kernel.h>

KERNEL void reference(int n, double *kept, int *count, const float *in)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            kept[(*count)++] = in[i];
}
