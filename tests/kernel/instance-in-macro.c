// Loops and collectives that come out of one macro have one place in the text; what follows the
// loop is still not in it: lanes that leave it in different iterations reconverge.
// run: -k after -b 8 i32[8]
// expect: out: i32[8] = [64, 64, 64, 64, 64, 64, 64, 64]
// run: -k in_trips -b 8 i32[8]
// expect: out: i32[8] = [4, 4, 4, 4, 4, 4, 4, 4]
#include <lanewise/kernel.h>

#define COUNT_AND_SUM(n)                                                                           \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            count += 1;                                                                            \
        all = block_sum(count) + warp_sum(count);                                                  \
    }

#define LEAVE_WITH_SUM(n)                                                                          \
    for (int i = 0; i < 2; i++)                                                                    \
        if (i == n) {                                                                              \
            all = warp_sum(1);                                                                     \
            break;                                                                                 \
        }

KERNEL void after(int *out)
{
    int all, count = 0, me = thread_idx.x;
    COUNT_AND_SUM(me + 1)
    out[me] = all - 8;
}

KERNEL void in_trips(int *out)
{
    int all = 0, me = thread_idx.x;
    LEAVE_WITH_SUM(me % 2)
    out[me] = all;
}
