// Lanes that do not divide, or divide by something else, say nothing about those that do: lane 0's
// number is 0 where the others' is their divisor.
// sizes: 1 4 16 32 64
// run: -b @B i32[1] u32[64] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void by_lane(int *wrong, const uint32_t *zero, const int *zeros)
{
    int t = thread_idx.x, bad = 0;
    if (!zeros[t] && (t & 1)) { /* the divisor is the lane's number, and 1 for those not here */
        int before = (int)warp_exclusive_sum(1.0), rest = before % t;
        bad += rest != (t % 32 / 2 < t ? t % 32 / 2 : 0);
    }
    uint64_t quotient = (uint64_t)(bool)lane_id() / (zero[t] | 1);
    bad += (quotient ? (float)(_Float16)quotient : 2.0f) != (lane_id() ? 1.0f : 2.0f);
    if (bad)
        atomic_add(wrong, 1);
}
