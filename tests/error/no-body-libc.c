// run: 'f32[8]'
// status: 3
// stderr: no-body-libc.c:8:
// stderr: call to undeclared function 'strlen'
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    out[thread_idx.x] = strlen("four");
}
