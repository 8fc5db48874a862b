// Those who are at no barrier wait behind for those who are; that they will return before the next
// one follows from what they bring along, not from what the compiler knows.
// sizes: 2 31 33 64 100
// run: -k bits -b @B --quiet i32[4]=0,10,8,3 i32[100]
// run: -k squares -b @B --quiet i32[4]=0,1,2,3 i32[100]
// run: -k by_number -b @B 3 --quiet i32[4]=0,1,2,3 i32[100]
// run: -k by_float -b @B --quiet f32[4]=0,1,2,3 i32[100]
// run: -k through_loops -b @B 3 --quiet i32[4]=0,1,2,3 i32[100]
// run: -k by_joins -b @B 3 --quiet i32[4]=0,1,2,3 i32[100]
// run: -k in_trips -b @B 3 1 --quiet i32[100]
// run: -k in_trips -b @B 3 2 --quiet i32[100]
// run: -k last_trip -b @B 3 --quiet i32[100]
// run: -k by_ways -b @B 5 --quiet i32[4]=0,1,2,3 i32[100]
// run: -k by_one_of_two -b @B --quiet i32[4]=0,1,2,3 i32[100]
// run: -k squares -b 40 --quiet i32[4]=0,1,2,-1 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-foreseen.c:
// run: -k by_number -b 40 3 --quiet i32[4]=0,1,2,-5 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-foreseen.c:
// run: -k last_trip_missing -b 40 6 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-foreseen.c:
// run: -k decided_in_loop -b 40 3 --quiet i32[4]=0,1,2,3 i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-foreseen.c:
// run: -k after_next -b 40 3 --quiet i32[64]
// device: !cuda where barriers miss nobody
// status: 4
// stderr: missing at @DIR/barrier-foreseen.c:
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

/* Of both conditions the compiler makes one, a mask of more bits. */
KERNEL void bits(const int *in, int *out)
{
    const int x = in[ME % 4];
    if (x & 10)
        out[ME] = x;
    else
        barrier();
    if ((x & 10) == 0) {
        if (x & 1)
            return;
        barrier();
        assert(out[ME] == 0);
    } else {
        return;
    }
}

/* It does not know that x is never negative. */
KERNEL void squares(const int *in, int *out)
{
    const int x = in[ME % 4];
    if (x >= 0 && x < 2)
        barrier();
    else
        out[ME] = 1;
    if (x * x > 3)
        return;
    barrier();
    assert(out[ME] == 0);
}

/* Which way they will go is a number. */
KERNEL void by_number(int trips, const int *in, int *out)
{
    const int x = in[ME % 4];
    int way;
    if (x == 1) {
        way = x + 10;
        out[ME] = 1;
    } else if (x > 1 || x < 0) {
        way = x * 5 + 1;
        out[ME] = 2;
    } else {
        barrier();
        way = -1;
    }
    for (int i = 0; i < trips; i++)
        out[ME] += in[0];
    if ((way ^ 1) > 9)
        return;
    barrier();
    assert(out[ME] == 0);
}

KERNEL void by_float(const float *in, int *out)
{
    const float x = in[ME % 4];
    if (x < 1.5f)
        barrier();
    else
        out[ME] = 1;
    if (x * 0.5f + 1 > 1.75f)
        return;
    barrier();
    assert(out[ME] == 0);
}

static int pass(int trips, int n, const int *in)
{
    for (int k = 0; k < trips; k++) {
        if (in[k % 4] == n % 4)
            n += 3;
        for (int i = 0; i < in[k % 4]; i++)
            n = n * 3 + 1;
    }
    return n;
}

/* What is passed on the way says nothing of it. */
KERNEL void through_loops(int trips, const int *in, int *out)
{
    const int x = in[ME % 4];
    if (x < 2)
        barrier();
    else
        out[ME] = 1;
    if (pass(trips, x, in) == -7)
        out[ME] += 5;
    if (x * x > 3) {
        out[ME] = pass(trips, x + 1, in);
        return;
    }
    out[ME] += pass(trips, 1, in);
    barrier();
    assert(out[ME] == pass(trips, 1, in));
}

/* Paths join twice before it is asked. */
KERNEL void by_joins(int trips, const int *in, int *out)
{
    const int x = in[ME % 4];
    bool leaves, comes;
    if (x < 2) {
        barrier();
        comes = true;
    } else {
        out[ME] = 1;
        comes = x * x < 3;
    }
    int n = pass(trips, x, in);
    if (x % 2) {
        out[ME] += n;
        leaves = !comes;
    } else {
        leaves = comes ? x * x * x > 5 : x > 1;
    }
    n = pass(trips, n, in);
    if (leaves)
        return;
    out[ME] -= x % 2 ? pass(trips, x, in) : 0;
    barrier();
    assert(out[ME] == 0);
}

/* Who leaves the inner loop of the last iteration outside comes to none any more. */
KERNEL void in_trips(int trips, int outer, int *out)
{
    for (int j = 0; j < outer; j++)
        for (int i = 0; i < trips; i++) {
            barrier();
            if (j == outer - 1 && lane_id() == 0) {
                warp_sync();
                break;
            }
            out[ME]++;
        }
    assert(out[ME] == (lane_id() ? trips * outer : trips * (outer - 1)));
}

/* Who goes on to an iteration comes to its barrier, but for the last ones. */
KERNEL void last_trip(int trips, int *out)
{
    for (int i = 0; i < trips; i++) {
        if (i + 2 < trips || lane_id() % 2)
            barrier();
        out[ME]++;
    }
    assert(out[ME] == trips);
}

KERNEL void last_trip_missing(int trips, int *out)
{
    for (int i = 0; i < trips; i++) {
        if (i + 2 < trips || lane_id() % 2)
            barrier();
        out[ME]++;
    }
    if (lane_id() == 2)
        barrier();
}

/* Lanes that stay apart bring different numbers along two paths. */
KERNEL void by_ways(int limit, const int *in, int *out)
{
    const int x = in[ME % 4];
    int way;
    if (x < 2) {
        barrier();
        way = x;
    } else if (x == 2) {
        for (int i = 0; i < limit; i++)
            out[ME] += in[i % 4];
        way = x * limit;
    } else {
        out[ME] = 1;
        way = x + limit;
    }
    if (way > limit)
        return;
    barrier();
    assert(out[ME] == 0);
}

/* One of both is not known yet, but the other decides. */
KERNEL void by_one_of_two(const int *in, int *out)
{
    const bool early = in[ME % 4] > 1;
    if (!early)
        barrier();
    else
        out[ME] = 1;
    if (early | (((volatile int *)out)[ME] == 77))
        return;
    barrier();
    assert(out[ME] == 0);
}

/* In the loop they get to know that they will come. */
KERNEL void decided_in_loop(int trips, const int *in, int *out)
{
    const bool early = in[ME % 4] > 1;
    if (!early)
        barrier();
    int comes = !early;
    for (int i = 0; i < trips; i++) {
        out[ME] += i;
        comes = in[i] + 7;
    }
    if (comes == 0)
        return;
    barrier();
}

/* They come in the iteration after the next. */
KERNEL void after_next(int trips, int *out)
{
    for (int i = 0; i < trips; i++) {
        if (i == 2 || (i == 0 && lane_id() % 2))
            barrier();
        out[ME]++;
    }
}
