// run: -d null f32[1]
// status: 2
// stderr: has 2 kernels; choose one with -k NAME:
// stderr:     void first(float *a)
// stderr:     void second(const float *a, int n)
// run: -d null -k third f32[1]
// status: 2
// stderr: there is no kernel 'third'
// run: -x f32[1]
// status: 2
// stderr: there is no option '-x' (an ARG can follow --)
// run: --fast f32[1]
// status: 2
// stderr: there is no option '--fast'
// run: --stage ir
// status: 2
// stderr: the option --stage is not for this command
// run: -k
// status: 2
// stderr: -k needs a value
// run: --json=1
// status: 2
// stderr: --json takes no value
// run: -b 1x2x3x4
// status: 2
// stderr: -b: '1x2x3x4' is not X, X,Y or X,Y,Z
// run: -b 4x
// status: 2
// stderr: -b: '4x' is not X, X,Y or X,Y,Z
// run: -b 1,2,3,4
// status: 2
// stderr: -b: '1,2,3,4' is not X, X,Y or X,Y,Z
// run: -g 1,,2
// status: 2
// stderr: -g: '1,,2' is not X, X,Y or X,Y,Z
// run: -g two
// status: 2
// stderr: -g: 'two' is not a whole number of at least 0
// run: -b -1
// status: 2
// stderr: -b: '-1' is not a whole number of at least 0
// run: --timeout 0
// status: 2
// stderr: --timeout: '0' is not a number of seconds above 0
// run: --timeout soon
// status: 2
// stderr: --timeout: 'soon' is not a number of seconds above 0
// run: --time=0
// status: 2
// stderr: --time: at least 1 launch is needed
// run: -D =1
// status: 2
// stderr: -D: '=1' is not NAME or NAME=VALUE
// run: --shared many
// status: 2
// stderr: --shared: 'many' is not a whole number of at least 0
// run: -d tpu -k first f32[1]
// status: 2
// stderr: there is no device 'tpu'
// run: -d null -k first -b 2048 f32[1]
// status: 4
// stderr: first: block 2048 x 1 x 1 is too large; need at most 1024 threads
// run: -d null -k first -b 1,1,65 f32[1]
// status: 4
// stderr: z at most 64
// run: -d null -k first -b 0 f32[1]
// status: 4
// stderr: first: block 0 x 1 x 1 has no threads
// run: -d null -k first -g 0 f32[1]
// status: 4
// stderr: first: grid 0 x 1 x 1 has no blocks
// run: -d null -k first -g 1,65536 f32[1]
// status: 4
// stderr: first: grid 1 x 65536 x 1 is too large
// run: -d null -k first -g 99999999999 f32[1]
// status: 4
// stderr: -g: 99999999999 is too large, at most 4294967295
// run: -d null -k second -b 32 f32[1] 1
// status: 4
// stderr: second: block 32 x 1 x 1, but BLOCK fixes 64 x 1 x 1
// run: -d null -k first --shared 1e12 f32[1]
// status: 4
// stderr: first: 1000000000000 bytes of dynamic block memory
#include <lanewise/kernel.h>

KERNEL void first(float *a)
{
    a[0] = 1;
}

KERNEL BLOCK(64) void second(const float *a, int n)
{
    (void)a, (void)n;
}
