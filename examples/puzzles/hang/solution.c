/* A barrier stands where all threads come, and where one waits for another's value.
 *
 * - In the first loop no thread looks at another's place, so no barrier is needed there. Behind it
 *   there
 *   is one: the tree reads the others' places.
 * - In the tree the barrier stands behind the if, in a loop that all threads run equally often.
 *
 * A barrier inside of `if (t < half)` may even go unnoticed: threads that have returned are not
 * waited for. With one more barrier at the end of the kernel it would be an error. So the rule is
 * about where it stands, not about what happens today.
 */
#include <lanewise/kernel.h>

KERNEL BLOCK(64) void largest(int n, float *out, const float *in)
{
    SHARED float best[64];
    int t = thread_idx.x;
    best[t] = -INFINITY;

    for (int i = t; i < n; i += 64)
        best[t] = max(best[t], in[i]);
    barrier();

    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            best[t] = max(best[t], best[t + half]);
        barrier();
    }
    if (t == 0)
        out[0] = best[0];
}
