#include <lanewise/kernel.h>

KERNEL void reference(int n, int *place, int *count, const float *in)
{
    for (int w = 0; w < n / 32; w++) {
        count[w] = 0;
        for (int i = 32 * w; i < 32 * w + 32; i++)
            place[i] = in[i] > 0 ? count[w]++ : -1;
    }
}
