// What guards a division does so for each thread: those that it keeps away have a divisor of 0, or
// the one quotient that does not exist.
// sizes: 1 31 32 33 64 100 256 1000 8x8x4
// run: -k guarded -b @B i32[1] i32[8]=0,3,0,-1,1,0,7,-1 i64[8]=0,0,5,-1,2,0,-3,-1
// expect: checked: i32[1] = [@N]
// run: -k by_odd_lanes -b @B i32[1] i32[8]
// expect: first: i32[1] = [1]
#include <lanewise/kernel.h>

KERNEL void guarded(int *checked, const int *by, const int64_t *far)
{
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int d = by[me % 8], x = me % 5 ? me : INT_MIN, quotient = 99, rest = 99;
    unsigned u = (unsigned)d, left = 99;
    int64_t e = far[me % 8], y = me % 3 ? me : INT64_MIN, wide = 99;
    if (d != 0 && !(x == INT_MIN && d == -1)) {
        quotient = x / d;
        rest = x % d;
    }
    if (u)
        left = (unsigned)me % u;
    if (e && (y != INT64_MIN || e != -1))
        wide = y / e;

    if (d == 0 || (x == INT_MIN && d == -1))
        assert(quotient == 99 && rest == 99);
    else
        assert((int64_t)quotient * d + rest == x && (rest < 0 ? -rest : rest) < (d < 0 ? -d : d));
    assert(u ? left < u && ((unsigned)me - left) % u == 0 : left == 99);
    int64_t over = y - (e ? wide * e : 0);
    if (e == 0 || (y == INT64_MIN && e == -1))
        assert(wide == 99);
    else
        assert((over < 0 ? -over : over) < (e < 0 ? -e : e) && (!over || (over < 0) == (y < 0)));
    atomic_add(checked, 1);
}

/* That no odd lane divides by 0 says nothing of who comes to the second sum. */
KERNEL void by_odd_lanes(int *first, const int *zeros)
{
    int t = warp_id() * WARP_SIZE + lane_id(), sum = 1;
    if (zeros[t % 8] < t) {
        if (lane_id() & 1)
            if (t % (lane_id() | 1) == 2 * t)
                sum += warp_any(lane_id() > 40);
        sum = warp_inclusive_sum(sum);
    }
    if (t)
        sum = warp_inclusive_sum(t + sum);
    else
        atomic_add(first, sum);
}
