// Lanes that leave a loop with barriers in different iterations, after its last barrier, reconverge
// after it: the code there before the return does not belong to the iteration that each leaves.
// sizes: 1 7 32 33 100
// run: -k then_assert -b @B 6 2 --quiet i32[100]
// run: -k then_loop -b @B 6 2 --quiet i32[100]
// run: -k trip_and_all -b @B 6 2 --quiet i32[100]
// run: -k between -b @B 6 2 --quiet i32[8]=9,8,7,1,5,0,40,2 i32[100] i32[100]
// run: -k chosen -b @B 6 2 --quiet i32[8]=9,8,7,1,5,0,40,2 i32[100] i32[100]
// run: -k divided -b @B 6 4 --quiet i32[5]=1,2,3,4,5 i32[100]
// run: -k behind_its_loop -b @B 6 2 0 --quiet i32[100]
// run: -k behind_its_loop -b @B 6 2 1 --quiet i32[100]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

static int lanes(void)
{
    int n = block_dim.x - warp_id() * WARP_SIZE;
    return n < WARP_SIZE ? n : WARP_SIZE;
}

/* Gives the iteration in which the lane leaves. */
static int leave(int trips, int n, int *out)
{
    int i = 0;
    for (; i < trips; i++) {
        if (i < n)
            barrier();
        if (lane_id() == i - n)
            break;
        out[ME] = i;
    }
    return i;
}

/* The same from a loop with one way out. */
static int leave_by_one_way(int trips, int n)
{
    int i = 0;
    for (;; i++) {
        if (i < n)
            barrier();
        if ((lane_id() == i - n) | (i >= trips))
            return i;
    }
}

KERNEL void then_assert(int trips, int n, int *out)
{
    int i = leave(trips, n, out);
    int sum = warp_sum(1);
    out[ME] = i;
    assert(sum == lanes());
}

KERNEL void then_loop(int trips, int n, int *out)
{
    leave(trips, n, out);
    int sum = warp_sum(1);
    for (int k = 0; k < sum; k++)
        out[ME] = k;
    assert(out[ME] == lanes() - 1);
}

/* Those of an iteration reconverge, and then all. */
KERNEL void trip_and_all(int trips, int n, int *out)
{
    int there = 0;
    for (int i = 0;; i++) {
        if (i < n)
            barrier();
        if (lane_id() % 4 == i - n || i >= trips) {
            there = warp_sum(1);
            break;
        }
        out[ME] = i;
    }
    int sum = warp_sum(1);
    out[ME] = there;
    assert(sum == lanes());
    assert(there == (lanes() + 3 - lane_id() % 4) / 4);
}

/* What lanes compute between the loop and where they reconverge is theirs behind it. */
KERNEL void between(int trips, int n, const int *in, const int *flag, int *out)
{
    int i = leave_by_one_way(trips, n);
    int own = in[i], of_lane = in[lane_id() % 8];
    bool is_less = lane_id() < own;
    out[ME] = is_less;
    if (flag[ME])
        warp_sum(1);
    const int left = n + lane_id() < trips ? n + lane_id() : trips;
    assert(of_lane == in[lane_id() % 8]);
    if (is_less)
        out[ME] += 5;
    assert(out[ME] == (lane_id() < in[left] ? 6 : 0));
}

/* And what they choose there, each for itself or all of an iteration. */
KERNEL void chosen(int trips, int n, const int *in, int *flag, int *out)
{
    int i = leave_by_one_way(trips, n);
    int own, of_trip;
    if (lane_id() % 2)
        own = in[i] + flag[ME];
    else
        own = flag[ME];
    if (i % 2)
        of_trip = in[lane_id() % 8];
    else
        of_trip = flag[ME] + 1;
    if (flag[ME])
        warp_sum(1);
    const int left = n + lane_id() < trips ? n + lane_id() : trips;
    assert(own == (lane_id() % 2 ? in[left] : 0));
    assert(of_trip == (left % 2 ? in[lane_id() % 8] : 1));
}

/* Lanes that are masked off divide by 1, so a remainder is each lane's own where it leaves. */
KERNEL void divided(int trips, int n, const int *in, int *out)
{
    n = shuffle(n, lane_id());
    for (int i = 0; i < trips; i++) {
        if (i >= 3 && lane_id() > 0) {
            warp_max(lane_id());
            break;
        }
        if (i < 1)
            barrier();
    }
    int sum = 0;
    for (int i = 0;; i++) {
        if (i >= in[lane_id() % (n | 1)])
            break;
        warp_sum(1);
        sum++;
    }
    int expected = 1;
    for (int l = 0; l < lane_id(); l++)
        expected = expected < n + 1 ? expected + 1 : 1;
    out[ME] = sum;
    assert(sum == expected);
}

/* They reconverge on the way out of a separate loop, which some begin in its middle: the iteration
 * that their instance holds is one of that loop, 0 or 1 for all. */
KERNEL void behind_its_loop(int trips, int n, int inside, int *out)
{
    for (int i = 0; i < trips; i++) {
        if (i < n)
            barrier();
        if (i >= n && lane_id() == i - n)
            break;
    }
    int k = 0, sum = 0;
    if (inside)
        goto middle;
    for (;; k++) {
        if (k >= 0) {
            sum = warp_sum(1);
            out[ME] = k;
            break;
        }
    middle:;
    }
    assert(sum == lanes());
    assert(out[ME] == inside);
}
