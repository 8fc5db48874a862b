// A failed assert fails the launch, naming expression, line, block and thread; one that holds costs
// nothing, and with -D NDEBUG none is looked at.
// run: -b 4,2 -g 3 i32[1] 100
// expect: out: i32[1] = [24]
// run: -b 4,2 -g 3 i32[1] 21
// status: 4
// stderr: 'k'
// stderr: assert.c:20
// stderr: me != limit
// stderr: block (2,0,0)
// stderr: thread (1,1,0)
// run: -D NDEBUG -b 4,2 -g 3 i32[1] 21
// expect: out: i32[1] = [24]
#include <lanewise/kernel.h>

KERNEL void k(int *out, int limit)
{
    int me = block_idx.x * 8 + thread_idx.y * 4 + thread_idx.x;
    atomic_add(out, 1);
    assert(me != limit);
}
