// run: 'f32[8]'
// status: 3
// stderr: undeclared.c:8:
// stderr: use of undeclared identifier 'missing'
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    out[thread_idx.x] = missing;
}
