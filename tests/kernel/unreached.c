// A thread that comes to a place which the program says is never reached does not run on into other
// code: on devices that do not look at it, it ends there at the latest.
// run: -k behind_store -b 4 i32[4]=const:2
// device: cpu ref reports it
// expect: out: i32[4] = [2, 7, 2, 7]
// run: -k at_end -b 4 i32[4]=const:2
// device: cpu ref reports it
// expect: out: i32[4] = [7, 7, 7, 7]
// run: -k not_so -b 40 i32[1]=5
// expect: out: i32[1] = [45]
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

KERNEL void behind_store(volatile int *out)
{
    if (ME & 1) {
        out[ME] = 7;
        __builtin_unreachable();
    }
    out[ME] = block_sum(1);
}

KERNEL void at_end(volatile int *out)
{
    out[ME] = 7;
    __builtin_unreachable();
}

// Promises that hold change nothing.
KERNEL void not_so(int *out)
{
    __builtin_assume(ME < 1024);
    switch (ME & 3) {
    case 0:
    case 1:
    case 2:
    case 3: atomic_add((int *)__builtin_assume_aligned(out, 4), 1); break;
    default: __builtin_unreachable();
    }
    if (ME > 2000) {
        assert(ME > 5);
        __builtin_unreachable();
    }
}
