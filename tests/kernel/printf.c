// printf: lines come out after the launch, in launch order of blocks and threads, each with its
// block and thread, however the threads interleaved.
// run: -b 2,1,2 -g 1,2 i32[1]
// expect: [block 0,0,0 thread 0,0,0] first 0
// expect: [block 0,0,0 thread 0,0,0] then 1.500000
// expect: [block 0,0,0 thread 1,0,0] first 1
// expect: [block 0,0,0 thread 1,0,0] then 2.500000
// expect: [block 0,0,0 thread 0,0,1] first 2
// expect: [block 0,0,0 thread 0,0,1] then 3.500000
// expect: [block 0,0,0 thread 1,0,1] first 3
// expect: [block 0,0,0 thread 1,0,1] then 4.500000
// expect: [block 0,1,0 thread 0,0,0] first 4
// expect: [block 0,1,0 thread 0,0,0] then 5.500000
// expect: [block 0,1,0 thread 1,0,0] first 5
// expect: [block 0,1,0 thread 1,0,0] then 6.500000
// expect: [block 0,1,0 thread 0,0,1] first 6
// expect: [block 0,1,0 thread 0,0,1] then 7.500000
// expect: [block 0,1,0 thread 1,0,1] first 7
// expect: [block 0,1,0 thread 1,0,1] then 8.500000
// expect: out: i32[1] = [8]
#include <lanewise/kernel.h>

KERNEL void k(int *out)
{
    int me = thread_idx.z * 2 + thread_idx.x + block_idx.y * 4;
    for (int i = 0; i < 7 - me; i++)
        warp_sync();
    printf("first %d\n", me);
    block_sum(1);
    printf("then %f\n", me + 1.5f);
    atomic_add(out, 1);
}
