// run: 'f32[8]'
// status: 3
// stderr: setjmp-builtin.c:9:
// stderr: setjmp and longjmp are not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    void *place[5];
    out[thread_idx.x] = __builtin_setjmp(place);
}
