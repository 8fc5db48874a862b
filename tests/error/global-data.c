// run: 'f32[8]'
// status: 3
// stderr: global-data.c:6:
// stderr: 'count' is global data that can change
#include <lanewise/kernel.h>
int count = 4;
KERNEL void k(float out[8])
{
    out[thread_idx.x] = count++;
}
