// run: f32[1] f32[1024]=const:1 f32[1024]=const:1 1024
/* WRONG ON PURPOSE: what happens without the atomic in step 5. Do not copy this.
 *
 * `*out += sum` is three things: read, add, write. All threads may read before any has written;
 * then each writes the old value plus its own part, and only the last write stays: 4 for 1024. The
 * barrier between read and write makes this accident happen every time and on every device.
 * Without it the answer may even be right: on one device, today.
 */
#include <lanewise/kernel.h>

KERNEL void racy(float *out, const float *a, const float *b, int n)
{
    float sum = 0;
    for (int i = thread_idx.x; i < n; i += block_dim.x)
        sum += a[i] * b[i];

    float before = *out;
    barrier();
    *out = before + sum; /* the race: every thread writes here, unordered */
}
