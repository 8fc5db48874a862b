// BLOCK(...) fixes the block size: a launch with another one is an error that names both.
// run: -k one -b 96 i32[1]
// expect: out: i32[1] = [96]
// run: -k two -b 16,4 i32[1]
// expect: out: i32[1] = [64]
// run: -k three -b 2,3,4 i32[1]
// expect: out: i32[1] = [24]
// run: -k by_name -D N=8 -b 8 i32[1]
// expect: out: i32[1] = [8]
// run: -k one -b 32 i32[1]
// status: 4
// stderr: 32 x 1 x 1
// stderr: 96 x 1 x 1
// run: -k two -b 64 i32[1]
// status: 4
// stderr: 64 x 1 x 1
// stderr: 16 x 4 x 1
// run: -k three -b 4,3,2 i32[1]
// status: 4
// stderr: 4 x 3 x 2
// stderr: 2 x 3 x 4
#include <lanewise/kernel.h>

#ifndef N
#define N 1
#endif

KERNEL BLOCK(96) void one(int *out)
{
    assert(block_dim.x == 96 && block_dim.y == 1 && block_dim.z == 1);
    atomic_add(out, 1);
}

KERNEL BLOCK(16, 4) void two(int *out)
{
    assert(block_dim.x == 16 && block_dim.y == 4 && block_dim.z == 1);
    atomic_add(out, 1);
}

KERNEL BLOCK(2, 3, 4) void three(int *out)
{
    assert(block_dim.x == 2 && block_dim.y == 3 && block_dim.z == 4);
    atomic_add(out, 1);
}

KERNEL BLOCK(N) void by_name(int *out)
{
    assert(block_dim.x == N);
    atomic_add(out, 1);
}
