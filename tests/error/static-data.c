// run: 'f32[8]'
// status: 3
// stderr: static-data.c:8:
// stderr: 'count' is static data that can change
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    static int count;
    out[thread_idx.x] = count++;
}
