// A launch that never ends is given up, and so is the command, at once.
// run: -b 1 --timeout 0.2 i32[1]
// status: 4
// stderr: kernel 'forever': not done after 0.2 s, given up
// run: -b 1 --timeout=0.2 --json i32[1]
// status: 4
// stderr: given up
// expect: {"kernel": "forever", "device": "ref", "grid": [1, 1, 1], "block": [1, 1, 1],
// expect:  "error": "kernel 'forever': not done after 0.2 s, given up", "status": 4,
// expect:  "buffers": [],
// expect:  "output": [],
// expect:  "lost": 0}
#include <lanewise/kernel.h>

KERNEL void forever(int *a)
{
    for (;;)
        ++*(volatile int *)a;
}
