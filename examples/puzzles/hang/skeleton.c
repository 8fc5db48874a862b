#include <lanewise/kernel.h>

KERNEL BLOCK(64) void largest(int n, float *out, const float *in)
{
    SHARED float best[64];
    int t = thread_idx.x;
    best[t] = -INFINITY;

    for (int i = t; i < n; i += 64) {
        best[t] = max(best[t], in[i]);
        barrier();
    }

    for (int half = 32; half > 0; half /= 2) {
        if (t < half) {
            best[t] = max(best[t], best[t + half]);
            barrier();
        }
    }
    if (t == 0)
        out[0] = best[0];
}
