// run: 'f32[8]'
// status: 3
// stderr: kernel-result.c:6:
// stderr: kernel 'k' must return void
#include <lanewise/kernel.h>
KERNEL float k(float out[8])
{
    return out[0];
}
