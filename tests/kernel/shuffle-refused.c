// Pointers and structs are refused where a value is moved or reduced.
// run: -D CALL=shuffle(pointer,0) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=warp_broadcast(pointer,0) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=block_broadcast(pointer,0) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=shuffle_xor(pair,1) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=warp_sum(pointer) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=block_max(pair) -b 32 i32[1]
// status: 3
// stderr: shuffle-refused.c:
// run: -D CALL=shuffle(number,0) -b 32 i32[1]
// expect: p: i32[1] = [1]
#include <lanewise/kernel.h>

KERNEL void refused(int *p)
{
    int *pointer = p;
    struct {
        int a, b;
    } pair = {1, 2};
    int number = pair.a;
    (void)CALL;
    if (pointer)
        *p = number;
}
