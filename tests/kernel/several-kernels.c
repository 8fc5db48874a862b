// A file may hold several kernels; -k names one, and without it they are listed with their
// signatures.
// run: -k second -b 4 i32[4]
// expect: out: i32[4] = [0, 10, 20, 30]
// run: -k first -b 4 i32[4] 5
// expect: out: i32[4] = [5, 6, 7, 8]
// run: -b 4 i32[4]
// status: 2
// stderr: void first(int *out, int start)
// stderr: void second(int *out)
// run: -k third -b 4 i32[4]
// status: 2
// stderr: third
#include <lanewise/kernel.h>

SHARED int tile[4];

static int shifted(int by)
{
    tile[thread_idx.x] = thread_idx.x + by;
    barrier();
    return tile[thread_idx.x];
}

KERNEL void first(int *out, int start)
{
    out[thread_idx.x] = shifted(start);
}

KERNEL void second(int *out)
{
    out[thread_idx.x] = shifted(0) * 10;
}
