// What a text promises and a launch does not keep: on `cpu` no access leaves its object for it.
// device: cpu ref tells of the promise itself
// run: -b 1 -k equals f32[4] 0
// expect: x: f32[4] = [1.0, 0.0, 0.0, 0.0]
// run: -b 1 -k greater f32[4] 2
// expect: x: f32[4] = [1.0, 0.0, 0.0, 0.0]
// run: -b 1 -k beyond f32[4] 2
// expect: x: f32[4] = [0.0, 0.0, 0.0, 0.0]
// run: -b 1 -k below f32[4] 2
// expect: x: f32[4] = [0.0, 0.0, 1.0, 0.0]
// run: -b 1 -k below f32[4] 4
// status: 4
// stderr: write of 4 bytes outside: index 4 of 'x', which has 4 elements
// run: -b 1 -k unreached f32[4] 3
// expect: x: f32[4] = [0.0, 0.0, 0.0, 1.0]
// run: -b 1 -k unreached f32[4] 4
// expect: x: f32[4] = [0.0, 0.0, 0.0, 0.0]
// run: -b 1 -k never f32[4] 0
// expect: x: f32[4] = [0.0, 0.0, 0.0, 0.0]
// run: -b 1 -k own i32[1] 2
// expect: x: i32[1] = [2]
// run: -b 1 -k own i32[1] 1000000
// expect: x: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void equals(float *x, int n)
{
    __builtin_assume(n == 1000000);
    x[n] = 1;
}
KERNEL void greater(float *x, int n)
{
    __builtin_assume(n > 4);
    x[n > 3 ? 1000000 : 0] = 1;
}
KERNEL void beyond(float *x, int n)
{
    __builtin_assume(n > 4);
    if (n > 4)
        x[1000000] = 1;
}
KERNEL void below(float *x, int n)
{
    __builtin_assume(n >= 0 && n < 4);
    x[n] = 1;
}
KERNEL void unreached(float *x, int n)
{
    if (n >= 4)
        __builtin_unreachable();
    x[n] = 1;
}
KERNEL void never(float *x, int n)
{
    if (n != 1000000)
        __builtin_unreachable();
    x[n] = 1;
}
KERNEL void own(int *x, int n)
{
    int small[4] = {n, n, n, n};
    if (n >= 4)
        __builtin_unreachable();
    small[n] = 2;
    x[0] = small[n];
}
