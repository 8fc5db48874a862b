// On ref a promise to the compiler that does not hold fails the launch.
// device: ref only it looks at them
// status: 4
// run: -k condition -b 8 i32[8]
// stderr: promises.c:23:5: what __builtin_assume says does not hold, block (0,0,0) thread (5,0,0)
// run: -k condition -O0 -b 8 i32[8]
// stderr: promises.c:23:5: what __builtin_assume says does not hold, block (0,0,0) thread (5,0,0)
// run: -k place -b 4 i32[4]
// stderr: promises.c:32:9: this is reached, where the program says that it never is, block (0,0,0) thread (3,0,0)
// run: -k place -O0 -b 4 i32[4]
// stderr: promises.c:32:9: this is reached, where the program says that it never is, block (0,0,0) thread (3,0,0)
// run: -k place -g 2 -b 4 i32[4]
// stderr: block (0,0,0) thread (3,0,0)
// run: -k aligned -b 4 f32[16]
// stderr: promises.c:38:16: a pointer is not aligned to 16 bytes, as the program says, block (0,0,0) thread (1,0,0)
// run: -k always -b 1 i32[1]
// stderr: promises.c:45:5: this is reached, where the program says that it never is
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

KERNEL void condition(int *out)
{
    __builtin_assume(ME < 5);
    out[ME] = ME < 5 ? 1 : 2;
}

KERNEL void place(int *out)
{
    if (ME < 3)
        out[ME] = 7;
    else
        __builtin_unreachable();
    out[ME]++;
}

KERNEL void aligned(float *x)
{
    float *p = __builtin_assume_aligned(x + ME, 16);
    *p = 1;
}

KERNEL void always(int *out)
{
    out[ME] = 1;
    __builtin_unreachable();
}
