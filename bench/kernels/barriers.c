/* barriers - n barriers of one block, n a multiple of 4, with four values that live across each:
 * from barrier to barrier one of the four becomes the mean of it and the neighbour's.
 */
#include <lanewise/kernel.h>

enum { THREADS = 256 };

/* Its barrier also keeps what was read from here two calls ago from being overwritten too early. */
static float blend(float given[THREADS], float mine)
{
    int t = thread_idx.x;
    given[t] = mine;
    barrier();
    return 0.5f * (mine + given[(t + 1) % THREADS]);
}

KERNEL BLOCK(THREADS) void barriers(float out[4][THREADS], const float a[4][THREADS], int n)
{
    SHARED float even[THREADS], odd[THREADS];
    int t = thread_idx.x;
    float w = a[0][t], x = a[1][t], y = a[2][t], z = a[3][t];
    for (int i = 0; i < n; i += 4) {
        w = blend(even, w);
        x = blend(odd, x);
        y = blend(even, y);
        z = blend(odd, z);
    }
    out[0][t] = w;
    out[1][t] = x;
    out[2][t] = y;
    out[3][t] = z;
}
