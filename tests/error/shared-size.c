// run: 'f32[8]' 3
// status: 3
// stderr: shared-size.c:8:
// stderr: SHARED and static arrays need constant sizes; DYNAMIC_SHARED is sized at launch
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    SHARED float tile[n];
    out[thread_idx.x] = tile[0];
}
