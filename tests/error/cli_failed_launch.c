// What a kernel printed before it failed is shown; of its buffers nothing is.
// run: -b 2 i32[1]
// status: 4
// stderr: a[0] == 1
// expect: [block 0,0,0 thread 0,0,0] before
// run: -b 2 --json i32[1]:out.npy
// status: 4
// stderr: a[0] == 1
// expect: {"kernel": "dies", "device": "ref", "grid": [1, 1, 1], "block": [2, 1, 1],
// expect:  "error": "kernel 'dies': @DIR/cli_failed_launch.c:23: assertion 'a[0] == 1' failed, block (0,0,0) thread (1,0,0)", "status": 4,
// expect:  "buffers": [],
// expect:  "output": [
// expect:   {"block": [0, 0, 0], "thread": [0, 0, 0], "text": "before"}],
// expect:  "lost": 0}
#include <lanewise/kernel.h>

KERNEL void dies(int *a)
{
    if (thread_idx.x == 0)
        printf("before\n");
    barrier();
    if (thread_idx.x == 1)
        assert(a[0] == 1);
}
