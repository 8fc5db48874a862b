// run: 'f32[8]'
// status: 3
// stderr: shared-initialiser.c:8:
// stderr: SHARED memory is uninitialised: an initialiser is refused
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    SHARED float tile[2] = {1, 2};
    out[thread_idx.x] = tile[0];
}
