// run: 'f32[8]'
// status: 3
// stderr: no-body.c:9:
// stderr: 'helper' has no body: a kernel calls what its file defines
#include <lanewise/kernel.h>
float helper(float x);
KERNEL void k(float out[8])
{
    out[thread_idx.x] = helper(out[0]);
}
