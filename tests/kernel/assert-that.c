// assert_that fails the launch as assert does, with a message of the kernel's: values of the lowest
// thread for which it failed, in each conversion that printf has. With -D NDEBUG none is looked at.
// run: -b 40 -g 2 i32[1] 100
// expect: out: i32[1] = [80]
// run: -b 40 -g 2 i32[1] 37
// status: 4
// stderr: 'k'
// stderr: assert-that.c:24: 2 of 37 is -7 (0.59375), 50% as it should be, block (0,0,0)
// stderr: be, block (0,0,0) thread (38,0,0)
// run: -D NDEBUG -b 40 -g 2 i32[1] 37
// expect: out: i32[1] = [80]
#include <lanewise/kernel.h>

KERNEL void k(int *out, int limit)
{
    int me = global_idx.x;
    atomic_add(out, 1);
    if (me % 2)
        return;
    float half = me;
    long long below = limit - me;
    for (; half > 1; half /= 2)
        below -= 1;
    assert_that(me <= limit, "%d of %zu is %lld (%g), 50%% as it should be", 2, (size_t)limit,
                below, (double)half);
}
