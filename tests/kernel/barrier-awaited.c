// Threads that reach no further barrier, but wait in a collective for others of their warp that do,
// are missing at the barrier. Whole warps are not, nor lanes that reconverge in another iteration.
// run: -k left_loop -b 64 5 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: barrier divergence in block (0,0,0): 
// stderr: missing at @DIR/barrier-awaited.c:42: (5,0,0) to (31,0,0); 32 threads have returned
// run: -k left_loop -b 64 33 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-awaited.c:42: (33,0,0) to (63,0,0)
// run: -k left_loop -b 64 32 --quiet i32[64]
// run: -k left_loop -b 64 64 --quiet i32[64]
// run: -k left_loop -b 33 32 --quiet i32[64]
// run: -k two_ways -b 8 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-awaited.c:54: (1,0,0), (5,0,0)
// run: -k two_ways -b 1 --quiet i32[64]
// run: -k in_rounds_missing -b 64 3 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-awaited.c:98: (0,0,0), (8,0,0), (16,0,0), (24,0,0), ...
// run: -k in_rounds -b 64 --quiet 4 i32[4]=0,1,0,1 i32[64]
// run: -k in_rounds_by_vote -b 64 --quiet 4 i32[4]=0,1,0,2 i32[64]
// run: -k in_rounds -b 9 --quiet 4 i32[4]=0,0,1,1 i32[9]
// run: -k apart -b 100 --quiet 4 i32[100]
// run: -k apart -b 8 --quiet 4 i32[8]
// run: -k undecided -b 40 --quiet 0 i32[40]
// run: -k past -b 40 --quiet i32[40]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void left_loop(int n, int *out)
{
    int t = ME, i = 0;
    for (; i < 3; i++) {
        if (t >= n)
            break;
        out[t] = i;
        barrier();
    }
    out[t] = warp_sum(i);
    assert(out[t] == (t < n ? 96 : 0));
}

/* Both ways lead to the same instance. */
KERNEL void two_ways(int *out)
{
    int t = ME;
    if (t % 4 == 1)
        goto end;
    barrier();
    if (t % 4 == 2)
        goto end;
    barrier();
    return;
end:
    out[t] = warp_sum(1);
}

/* In each iteration the lanes that leave reconverge, before the barrier and after it. */
#define IN_ROUNDS(lanes)                                                                           \
    int t = ME;                                                                                    \
    for (int i = 0; i < trips; i++) {                                                              \
        if (t % 8 == i && !all_stay[i])                                                            \
            goto leave;                                                                            \
        if (all_stay[i])                                                                           \
            barrier();                                                                             \
        if (t % 8 == i + 4 && !all_stay[i]) {                                                      \
        leave:                                                                                     \
            out[t] = lanes;                                                                        \
            assert(out[t] == 8 || block_dim.x < 64);                                               \
            return;                                                                                \
        }                                                                                          \
        if (all_stay[i] == 2)                                                                      \
            barrier();                                                                             \
    }

KERNEL void in_rounds(int trips, const int *all_stay, int *out)
{
    IN_ROUNDS(warp_sum(1))
}

KERNEL void in_rounds_by_vote(int trips, const int *all_stay, int *out)
{
    IN_ROUNDS(popcount(ballot(true)))
}

/* The same; who has not met in one iteration is missing. */
KERNEL void in_rounds_missing(int trips, int *out)
{
    int t = ME;
    for (int i = 0; i < trips; i++) {
        if (t % 8 == 2 * i)
            goto leave;
        barrier();
        if (t % 8 == 2 * i + 1) {
        leave:
            out[t] = warp_sum(1);
            return;
        }
    }
}

/* Lanes that leave in one iteration wait for none of another: none is missing. */
KERNEL void apart(int trips, int *out)
{
    int t = ME, lanes = block_dim.x - warp_id() * WARP_SIZE;
    lanes = lanes < WARP_SIZE ? lanes : WARP_SIZE;
    for (int i = 0; i < trips; i++) {
        if (lane_id() % 8 == 2 * i) {
            out[t] = warp_sum(1);
            assert(out[t] == (lanes - 2 * i + 7) / 8);
            return;
        }
        barrier();
    }
    for (int i = 0; i < 2; i++) {
        barrier();
        if (lane_id() % 8 == 2 * i + 1) {
            out[t] = warp_sum(1);
            assert(out[t] == (lanes - 2 * i + 6) / 8);
            return;
        }
    }
}

/* No lane decides to reconverge. */
KERNEL void undecided(int meets, int *out)
{
    int t = ME;
    if (t % 4) {
        out[t] = 1;
        goto end;
    }
    barrier();
    out[t] = 2;
end:
    if (meets)
        out[t] += warp_sum(1);
}

/* A barrier that they have in front of them, and one behind that collective. */
KERNEL void past(int *out)
{
    int t = ME, sum = 0;
    barrier();
    if (t % 4)
        out[t] = sum = warp_sum(1);
    barrier();
    if (t % 4 == 1)
        out[t] = warp_sum(sum);
    else
        out[t] = warp_max(sum);
}
