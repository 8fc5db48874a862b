// Eight lanes of which every second loads: seven elements, no count that machines load at once.
// LLVM 19 crashes on seven shorts whose lanes go to every second element of a masked store.
// run: -b 8 u16[8]=11,12,13,14,15,16,17,65535 i32[16] i32[8]
// expect: pairs: i32[16] = [11, 0, 0, 0, 13, 0, 0, 0, 15, 0, 0, 0, 17, 0, 0, 0]
// expect: thirds: i32[8] = [11, 0, 0, 14, 0, 0, 17, 0]
#include <lanewise/kernel.h>

KERNEL void load_of_seven(const uint16_t *in, int *pairs, int *thirds)
{
    int v = lane_id() & 1 ? 0 : in[thread_idx.x];
    pairs[thread_idx.x * 2] = v;
    pairs[thread_idx.x * 2 + 1] = 0;
    thirds[thread_idx.x] = lane_id() % 3 ? 0 : in[thread_idx.x];
}
