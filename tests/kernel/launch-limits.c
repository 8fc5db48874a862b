// The limits of a launch are the same everywhere; beyond them it is an error before anything runs.
// run: -b 1024 i32[1]
// expect: count: i32[1] = [1024]
// run: -b 2,2,64 i32[1]
// expect: count: i32[1] = [256]
// run: -g 2,65535 -b 1 i32[1]
// expect: count: i32[1] = [131070]
// run: -g 1,1,65535 -b 1 i32[1]
// expect: count: i32[1] = [65535]
// run: -g 70000 -b 1 i32[1]
// expect: count: i32[1] = [70000]
// run: -b 1025 i32[1]
// status: 4
// stderr: 1025
// stderr: 1024 threads
// run: -b 32,33 i32[1]
// status: 4
// stderr: 32 x 33
// run: -b 1,1,65 i32[1]
// status: 4
// stderr: 65
// run: -b 0 i32[1]
// status: 4
// stderr: no threads
// run: -g 0 i32[1]
// status: 4
// stderr: no blocks
// run: -g 1,0 i32[1]
// status: 4
// stderr: no blocks
// run: -g 1,65536 i32[1]
// status: 4
// stderr: 65536
// run: -g 1,1,65536 i32[1]
// status: 4
// stderr: 65536
// run: -g 2147483648 i32[1]
// status: 4
// stderr: 2147483648
#include <lanewise/kernel.h>

KERNEL void k(int *count)
{
    atomic_add(count, 1);
}
