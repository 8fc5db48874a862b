#include <lanewise/kernel.h>

KERNEL void reference(int n, int *out, const int *in)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}
