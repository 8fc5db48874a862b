// A scan behind one arm, its terms masked, under a masked store; then an atomic operation of all.
// LLVM 19 ended the compiler when it looked at the stores before the scan's loads (AVX2).
// run: -b 16,4 i32[1]=3 f64[64]=iota --quiet f64[64] f64[2]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void of_one_arm(const int *rows, const double *in, double *out, double *least)
{
    if ((int)thread_idx.y < rows[0])
        out[ME] = (lane_id() & 12) && (int)warp_inclusive_sum(in[ME & 63]);
    assert(out[ME] == (ME < 48 && (ME & 12)));
    atomic_min(&least[1], 0.0);
}
