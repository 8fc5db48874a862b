/* SHARED at file scope, written through a helper's pointer, used by two kernels: clang calls such a
 * variable constant, which once folded it to undefined. */
// run: -k through_helper -b 32 f32[4]
// expect: out: f32[4] = [7.0, 9.0, 11.0, 13.0]
// run: -k directly -b 32 f32[4]
// expect: out: f32[4] = [10.0, 13.0, 16.0, 19.0]
#include <lanewise/kernel.h>

SHARED float values[64];
SHARED int count;

static void put(float *p, int i, float v)
{
    p[i] = v;
}

KERNEL void through_helper(float *out)
{
    int i = thread_idx.x;
    put(values, i, i * 2);
    if (i == 0) count = 5;
    barrier();
    if (i < 4) out[i] = values[(i + 1) % 32] + count;
}

KERNEL void directly(float *out)
{
    int i = thread_idx.x;
    values[i] = i * 3;
    if (i == 0) count = 7;
    barrier();
    if (i < 4) out[i] = values[(i + 1) % 32] + count;
}
