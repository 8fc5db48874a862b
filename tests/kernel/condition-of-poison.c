// In a && b, what b is computed from may have no value where a is false: of thread 32 of 33 too.
// sizes: 1 8 32 33 64
// run: -b @B i32[1] i32[1]=2 u32[1]=8
// expect: wrong: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int row[64];

KERNEL void condition(int *wrong, const int *numbers, const uint32_t *zeros)
{
    int t = thread_idx.x;
    row[t] = 0;
    uint64_t both = (uint16_t)((uint32_t)ffs((uint32_t)lane_id()) <= numbers[0] && (int)zeros[0]);
    row[t] = (int)both;
    atomic_add(wrong, 1);
}
