#include <lanewise/kernel.h>

KERNEL void reference(int n, int *counts, int *order, const float *values)
{
    int place = 0;
    for (int b = 0; b < 8; b++) {
        counts[b] = 0;
        for (int i = 0; i < n; i++)
            if ((int)(values[i] * 8) == b) {
                counts[b]++;
                order[place++] = i;
            }
    }
}
