// run: 'f32[8]'
// status: 3
// stderr: extern-data.c:9:
// stderr: 'count' is extern and has no value here
#include <lanewise/kernel.h>
extern const int count;
KERNEL void k(float out[8])
{
    out[thread_idx.x] = count;
}
