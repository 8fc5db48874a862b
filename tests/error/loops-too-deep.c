// An operation may stand in 30 loops, those of helpers and calls included, but not in 32.
// run: -D LAST= -b 4 i32[1]
// expect: out: i32[1] = [4]
// run: -D LAST=LOOP(y)LOOP(z) -b 4 i32[1]
// status: 3
// stderr: loops-too-deep.c:17:
// stderr: loops and calls stand around this operation
#include <lanewise/kernel.h>
#define LOOP(i) for (int i = 0; i < 1; i++)
#define FIVE(a) LOOP(a##0) LOOP(a##1) LOOP(a##2) LOOP(a##3) LOOP(a##4)
#define THIRTY FIVE(a) FIVE(b) FIVE(c) FIVE(d) FIVE(e) FIVE(f)

KERNEL void deep(int *out)
{
    int sum = 0;
    THIRTY LAST
        sum += warp_sum(1);
    *out = sum;
}
