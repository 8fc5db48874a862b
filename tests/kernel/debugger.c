// Code for a debugger does the same: threads that wait on stacks of their own for each other, for
// memory and for other blocks, and variables that stay in memory.
// device: ref -O0 is for this device
// run: -O0 -k sums -g 2 -b 40 'i32[80]'
// expect: out: i32[80] = [780, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 820, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
// run: -O0 -k in_turn -g 3 -b 1 'i32[4]'
// expect: out: i32[4] = [3, 100, 101, 102]
// run: -O0 -k large -b 2 'i32[2]'
// expect: out: i32[2] = [40000, 40001]
// run: -O0 -k by_address -b 3 '{1,2.5}' '{3,4.5}' 'f64[3]'
// expect: out: f64[3] = [2.5, 4.5, 2.5]
// run: -O0 -k tells -b 2
// expect: [block 0,0,0 thread 0,0,0] 1.5 and 0
// expect: [block 0,0,0 thread 1,0,0] 1.5 and 1
// run: -O0 -k stops -b 4 'i32[1]'
// status: 4
// stderr: debugger.c:68: assertion 'thread_idx.x != 2' failed, block (0,0,0) thread (2,0,0)
// run: -O0 -k stands -g 2 -b 2 'i32[1]'
// status: 4
// stderr: no thread can make progress
// run: -O0 -k outside -b 2 'i32[2]'
// status: 4
// stderr: write of 4 bytes outside: index 2 of 'out', which has 2 elements
#include <lanewise/kernel.h>
struct given {
    int n;
    double x;
};
KERNEL void sums(int *out)
{
    int v = thread_idx.x + block_idx.x;
    int all = block_sum(v);
    if (thread_idx.x % 3 != 1)
        v = warp_max(v) - 40;
    barrier();
    out[global_idx.x] = thread_idx.x == 0 ? all : thread_idx.x;
}
// A block waits for the one before it.
KERNEL void in_turn(int *out)
{
    while (atomic_load(out) != block_idx.x)
        ;
    out[1 + block_idx.x] = 100 + block_idx.x;
    fence_device();
    atomic_store(out, block_idx.x + 1);
}
KERNEL void large(int *out)
{
    int own[40002];
    for (int i = 0; i < 40002; i++)
        own[i] = i;
    barrier();
    out[thread_idx.x] = own[40000 + thread_idx.x];
}
KERNEL void by_address(struct given a, struct given b, double *out)
{
    const struct given *chosen = thread_idx.x % 2 ? &b : &a;
    barrier();
    out[thread_idx.x] = chosen->x;
}
KERNEL void tells(void)
{
    printf("%.1f and %d", 1.5, lane_id());
}
KERNEL void stops(int *out)
{
    barrier();
    assert(thread_idx.x != 2);
    barrier();
    out[0] = 1;
}
KERNEL void stands(int *out)
{
    int tries = 0;
    while (atomic_load(out) == 0)
        tries = 1;
    out[0] = tries;
}
KERNEL void outside(int *out)
{
    int *place = out + 2;
    barrier();
    place[thread_idx.x] = 1;
}
