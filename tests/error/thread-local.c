// run: 'f32[8]'
// status: 3
// stderr: thread-local.c:6:
// stderr: '_Thread_local' is not in the kernel language
#include <lanewise/kernel.h>
static _Thread_local int count;
KERNEL void k(float out[8])
{
    out[thread_idx.x] = count++;
}
