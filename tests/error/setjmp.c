// run: 'f32[8]'
// status: 3
// stderr: setjmp.c:9:
// stderr: 'setjmp' is not in the kernel language: a kernel cannot jump between functions
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    void *place[5];
    out[thread_idx.x] = setjmp(place);
}
