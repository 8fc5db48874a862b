// An arm that leaves a loop belongs to the iteration it leaves: the lanes that leave together sum
// together, by break, return and goto, each iteration apart.
// run: -k by_break -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 3, 3, 3, 3, 2, 2]
// run: -k by_return -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 3, 3, 3, 3, 2, 2]
// run: -k by_goto -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 3, 3, 3, 3, 2, 2]
// run: -k nested -b 8 i32[8]
// expect: out: i32[8] = [2, 2, 1, 2, 2, 1, 1, 1]
// run: -k after_loop -b 8 i32[8]
// expect: out: i32[8] = [8, 8, 8, 8, 8, 8, 8, 8]
// run: -k continued -b 8 i32[8]
// expect: out: i32[8] = [49, 49, 49, 49, 49, 49, 49, 49]
#include <lanewise/kernel.h>

KERNEL void by_break(int *out)
{
    int me = thread_idx.x, v = 1;
    for (int i = 0; i < 8; i++)
        if (i == me / 3) {
            v = warp_sum(v);
            break;
        }
    out[me] = v;
}

KERNEL void by_return(int *out)
{
    int me = thread_idx.x;
    for (int i = 0; i < 8; i++)
        if (i == me / 3) {
            out[me] = warp_sum(1);
            return;
        }
}

KERNEL void by_goto(int *out)
{
    int me = thread_idx.x, v = 1, i = 0;
    while (true) {
        if (i == me / 3) {
            v = warp_sum(v);
            goto end;
        }
        i++;
    }
end:
    out[me] = v;
}

/* 0 and 3 leave together, 1 and 4 do, each other lane leaves alone */
KERNEL void nested(int *out)
{
    int me = thread_idx.x, v = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (i == me / 5 && j == me % 3) {
                v = warp_sum(1);
                goto end;
            }
end:
    out[me] = v;
}

KERNEL void after_loop(int *out)
{
    int me = thread_idx.x;
    for (int i = 0; i < 8; i++)
        if (i == me)
            break;
    out[me] = warp_sum(1);
}

/* in each iteration all lanes but one sum up; the one that continues joins them in the next */
KERNEL void continued(int *out)
{
    int me = thread_idx.x, total = 0;
    for (int i = 0; i < 8; i++) {
        if (i == me)
            continue;
        total += warp_sum(1);
    }
    out[me] = total;
}
