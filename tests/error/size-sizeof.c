// run: 3 'f32[3]' 'f32[12]'
// status: 3
// stderr: size-sizeof.c:6:
// stderr: a size may not hold the sizeof of an array
#include <lanewise/kernel.h>
KERNEL void k(int n, float in[n], float out[sizeof(float[n])])
{
    out[0] = in[0];
}
