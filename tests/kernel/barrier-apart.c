// An arm with a barrier precedes the arm of threads that wait for others of their warp and return:
// the barrier does not delay those threads, unless it leads to where they wait.
// sizes: 2 33 64 100 256
// run: -k arm_first -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k arm_in_loop -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k by_helpers -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k vote_then_sum -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k nested -b @B 2 2 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k leads_on -b 40 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-apart.c:
// run: -k leads_around -b 40 2 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-apart.c:
// run: -k past_one -b 40 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-apart.c:
// run: -k leads_to_trip -b 40 5 --quiet i32[64]
// device: ref cpu does not hold against a thread what it may still decide
// status: 4
// stderr: missing at @DIR/barrier-apart.c:
// run: -k leads_to_trip -b 40 3 --quiet i32[64]
// run: -k decided -b @B 2 --quiet i32[256] i32[256]
// run: -k decided_in_loop -b @B 3 --quiet i32[256] i32[256]
// run: -k decided_by_number -b @B --quiet i32[4]=0,1,2,1 i32[256]
// run: -k anew -b 40 2 --quiet i32[2]=0,-1 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-apart.c:
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void arm_first(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] + lane_id() == 0) {
        barrier();
        if (t + 1 < (int)block_dim.x && row[t + 1] != t + 1)
            atomic_add(wrong, 1);
        if (block_sum(1) != ((int)block_dim.x + 31) / 32)
            atomic_add(wrong, 1);
    } else {
        row[t] = warp_any(zeros[t]) + t;
    }
}

/* Who stays comes to the vote of a later iteration. */
KERNEL void arm_in_loop(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    for (int trip = 0; trip < trips; trip++) {
        if (zeros[t] + t % 32 != trip + 1) {
            barrier();
            for (int k = 1; k < 4; k++)
                if (k < (int)block_dim.x && row[k] != (k <= trip + 1 ? 10 * k + 1 : 0))
                    atomic_add(wrong, 1);
            barrier();
        } else {
            row[t] = 10 * (trip + 1) + warp_sum(1);
            return;
        }
    }
}

static void meet_all(int trip, int *row, int *wrong)
{
    barrier();
    for (int k = 1; k < 4; k++)
        if (k < (int)block_dim.x && row[k] != (k <= trip + 1 ? 10 * k + 1 : 0))
            atomic_add(wrong, 1);
    barrier();
}

static int count(int value)
{
    return warp_any(value) ? warp_sum(1) : 0;
}

KERNEL void by_helpers(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x, trip = 0;
    row[t] = 0;
    while (trip < trips) {
        if (zeros[t] + t % 32 != trip + 1) {
            meet_all(trip, row, wrong);
        } else {
            row[t] = 10 * (trip + 1) + count(1);
            return;
        }
        trip++;
    }
}

/* Two collectives in turn, of others who wait at two barriers. */
KERNEL void vote_then_sum(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x, lane = lane_id() + zeros[t], n = block_dim.x;
    row[t] = 0;
    if (lane == 0) {
        barrier();
        barrier();
        if (t + 3 < n && row[t + 3] != 3)
            atomic_add(wrong, 1);
        return;
    }
    if (lane % 2) {
        int there = warp_sum(1);
        if (lane % 4 == 3)
            row[t] = warp_max(lane % 4);
        else if (there < 0)
            atomic_add(wrong, 1);
    } else {
        row[t] = warp_min(2);
    }
}

/* A lane at the barrier waits in an inner loop, a lane that votes is in another iteration of it. */
KERNEL void nested(int outer, int inner, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    for (int i = 0; i < outer; i++)
        for (int k = 0; k < inner; k++) {
            const int trip = i * inner + k;
            if (zeros[t] + t % 32 != trip + 1) {
                barrier();
                for (int lane = 1; lane <= trip + 1; lane++)
                    if (lane < (int)block_dim.x && row[lane] != lane)
                        atomic_add(wrong, 1);
            } else {
                row[t] = warp_max(trip + 1);
                return;
            }
        }
}

/* All wait for all. */
KERNEL void leads_on(int *out)
{
    if (ME == 5)
        barrier();
    out[ME] = warp_sum(1);
}

KERNEL void leads_around(int trips, int *out)
{
    for (int i = 0; i < trips; i++) {
        if (ME % 4 == i)
            barrier();
        else
            out[ME] = i;
        for (int k = 0; k < 2; k++)
            out[ME] += warp_sum(k);
    }
}

/* Who has met comes to the sum of the fifth iteration, if there is one. */
KERNEL void leads_to_trip(int trips, int *out)
{
    if (ME == 5)
        barrier();
    for (int i = 0; i < trips; i++)
        if (ME != 5 || i == 4)
            out[ME] += warp_sum(i);
}

/* It does not lead to the vote, but to the sum behind. */
KERNEL void past_one(int *out)
{
    if (ME % 4 == 1) {
        barrier();
        goto end;
    }
    out[ME] = warp_any(ME == 2);
end:
    out[ME] += warp_sum(1);
}

static int pass(int trips, int n)
{
    for (int k = 0; k < trips; k++)
        n = n * 3 + 1;
    return n;
}

/* All pass behind the arm with the barrier, but who was in it does not come to the sum. */
KERNEL void decided(int trips, const int *zeros, int *out)
{
    const int t = thread_idx.x, lanes = (int)block_dim.x - warp_id() * WARP_SIZE;
    const bool returns = zeros[t] + lane_id() % 4 == 1;
    if (!returns)
        barrier();
    out[t] = pass(trips, 1);
    if (returns) {
        out[t] = warp_sum(1);
        assert(out[t] == (lanes < WARP_SIZE ? (lanes + 2) / 4 : 8));
        return;
    }
    barrier();
    assert(out[t] == 13);
}

KERNEL void decided_in_loop(int trips, const int *zeros, int *out)
{
    const int t = thread_idx.x;
    for (int i = 0; i < trips; i++) {
        const bool returns = zeros[t] + lane_id() == i + 1;
        if (!returns)
            barrier();
        out[t] = pass(trips, i);
        if (returns) {
            out[t] = warp_sum(i);
            assert(out[t] == i);
            return;
        }
    }
    barrier();
}

/* Behind the barrier the compiler knows the condition, and leaves a branch on a constant. */
KERNEL void decided_by_number(const int *in, int *out)
{
    const bool returns = in[0] != in[ME % 4];
    if (!returns) {
        barrier();
        if (ME)
            out[ME] = 5;
    }
    if (returns) {
        out[ME] = warp_min(7);
        return;
    }
    assert(out[ME] == (ME ? 5 : 0));
}

/* Whether one comes to the sum is decided anew. */
KERNEL void anew(int trips, const int *in, int *out)
{
    bool comes;
    int i = 0;
    do {
        comes = lane_id() > in[i];
        if (!comes)
            barrier();
        out[ME] = pass(trips, i);
    } while (++i < trips);
    if (comes)
        out[ME] = warp_sum(1);
}
