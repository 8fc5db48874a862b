// A barrier or block operation that not every live thread reaches in the same instance stops the
// launch; the error names kernel, block, line and who is missing; ref also where the others wait.
// run: -k half_block -b 64 -g 2 i32[1]
// device: ref cpu names one of the lines
// status: 4
// stderr: kernel 'half_block': barrier divergence
// stderr: block (0,0,0)
// stderr: barrier-divergence.c:73
// stderr: barrier-divergence.c:75
// run: -k two_places -b 64 i32[1]
// device: ref cpu names one of the lines
// status: 4
// stderr: kernel 'two_places': barrier divergence
// stderr: barrier-divergence.c:82
// stderr: barrier-divergence.c:84
// run: -k trips -b 64 i32[1]
// device: ref cpu names one of the lines
// status: 4
// stderr: kernel 'trips': barrier divergence
// stderr: barrier-divergence.c:91
// stderr: barrier-divergence.c:92
// run: -k second_block -b 32 -g 3 i32[1]
// device: ref cpu names one of the lines
// status: 4
// stderr: kernel 'second_block': barrier divergence
// stderr: block (1,0,0)
// stderr: barrier-divergence.c:99
// stderr: barrier-divergence.c:100
// run: -k one_lane -b 256 i32[1]
// device: ref cpu names one of the lines
// status: 4
// stderr: kernel 'one_lane': barrier divergence
// stderr: block (0,0,0)
// stderr: barrier-divergence.c:106
// stderr: barrier-divergence.c:108
// run: -k half_block -b 64 -g 2 i32[1]
// device: cpu
// status: 4
// stderr: kernel 'half_block': barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:73: (32,0,0) to (63,0,0)
// run: -k two_places -b 64 i32[1]
// device: cpu
// status: 4
// stderr: kernel 'two_places': barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:84: (1,0,0), (3,0,0), (5,0,0), (7,0,0), ...
// run: -k trips -b 64 i32[1]
// device: cpu
// status: 4
// stderr: kernel 'trips': barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:91: (0,0,0) to (31,0,0)
// run: -k second_block -b 32 -g 3 i32[1]
// device: cpu
// status: 4
// stderr: kernel 'second_block': barrier divergence in block (1,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:99: (0,0,0) to (4,0,0), (6,0,0) to (31,0,0)
// run: -k one_lane -b 256 i32[1]
// device: cpu
// status: 4
// stderr: kernel 'one_lane': barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:10
// run: -k other_trip -b 64 i32[1]
// device: !cuda where barriers are not told apart
// status: 4
// stderr: barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-divergence.c:124: (32,0,0) to (63,0,0)
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

/* lanes that leave a loop in different iterations stay apart in its arm */
KERNEL void other_trip(int *out)
{
    for (int i = 0; i < 2; i++)
        if (i == warp_id()) {
            barrier();
            break;
        }
    *out = 1;
}
