// <math.h> and <stdio.h> may be included, before kernel.h or behind it or alone.
// run: -D BEFORE -b 1 f32[3]
// expect: [block 0,0,0 thread 0,0,0] pi is 3.14159
// expect: out: f32[3] = [3.1415927, 3.0, 1.0]
// run: -D BEHIND -b 1 f32[3]
// expect: [block 0,0,0 thread 0,0,0] pi is 3.14159
// expect: out: f32[3] = [3.1415927, 3.0, 1.0]
// run: -b 1 f32[3]
// expect: [block 0,0,0 thread 0,0,0] pi is 3.14159
// expect: out: f32[3] = [3.1415927, 3.0, 1.0]
#ifdef BEHIND
#include <lanewise/kernel.h>
#endif
#include <math.h>
#include <stdio.h>
#ifdef BEFORE
#include <lanewise/kernel.h>
#endif

KERNEL void k(float *out)
{
    out[0] = M_PI;
    out[1] = sqrtf(9);
    out[2] = HUGE_VAL > 1e308 && HUGE_VALF > 3e38f && isinf(HUGE_VAL);
    printf("pi is %.5f\n", M_PI);
}
