// A barrier or block operation that not every live thread reaches in the same instance stops the
// launch; the error names kernel, block and the lines of both groups.
// run: -k half_block -b 64 -g 2 i32[1]
// status: 4
// stderr: kernel 'half_block': barrier divergence
// stderr: block (0,0,0)
// stderr: barrier-divergence.c:38
// stderr: barrier-divergence.c:40
// run: -k two_places -b 64 i32[1]
// status: 4
// stderr: kernel 'two_places': barrier divergence
// stderr: barrier-divergence.c:47
// stderr: barrier-divergence.c:49
// run: -k trips -b 64 i32[1]
// status: 4
// stderr: kernel 'trips': barrier divergence
// stderr: barrier-divergence.c:56
// stderr: barrier-divergence.c:57
// run: -k second_block -b 32 -g 3 i32[1]
// status: 4
// stderr: kernel 'second_block': barrier divergence
// stderr: block (1,0,0)
// stderr: barrier-divergence.c:64
// stderr: barrier-divergence.c:65
// run: -k one_lane -b 256 i32[1]
// status: 4
// stderr: kernel 'one_lane': barrier divergence
// stderr: block (0,0,0)
// stderr: barrier-divergence.c:71
// stderr: barrier-divergence.c:73
// run: -k fine -b 64 i32[1]
// expect: out: i32[1] = [32]
#include <lanewise/kernel.h>

KERNEL void half_block(int *out)
{
    if (thread_idx.x < 32)
        barrier();
    else
        block_sum(1);
    *out = 1;
}

KERNEL void two_places(int *out)
{
    if (thread_idx.x % 2)
        barrier();
    else
        barrier();
    *out = 1;
}

KERNEL void trips(int *out)
{
    for (int i = 0; i <= thread_idx.x / 32; i++)
        barrier();
    block_any(1);
    *out = 1;
}

KERNEL void second_block(int *out)
{
    if (block_idx.x == 1 && thread_idx.x == 5)
        barrier();
    *out = block_count(1);
}

KERNEL void one_lane(int *out)
{
    if (thread_idx.x != 7)
        *out = block_max(1);
    else
        barrier();
}

/* Threads that have returned are not missing. */
KERNEL void fine(int *out)
{
    if (thread_idx.x % 2)
        return;
    *out = block_count(1);
}
