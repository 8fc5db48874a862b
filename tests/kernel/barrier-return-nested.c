// A thread that returns from the inner of two loops with barriers is missed by none, although its
// way out passes where the others go on.
// sizes: 2 31 33 64 100
// run: -k nested -b @B i32[1]=3 i32[1]
// expect: out: i32[1] = [6]
// run: -k twice -b @B i32[1]=3 i32[1]
// expect: out: i32[1] = [4]
// run: -k joined -b @B 3 2 --quiet i32[1]=3 i32[100]
// run: -k not_zero -b @B --quiet i32[3]=-1,0,1 i32[100]
// run: -k greater -b @B --quiet i32[3]=-1,0,1 i32[100]
// run: -k of_two -b @B --quiet i32[3]=-1,0,1 i32[100]
// run: -k low_bit -b @B --quiet i32[3]=-1,0,2 i32[100]
// run: -k less -b @B --quiet i32[3]=-1,0,1 i32[100]
// run: -k around -b @B --quiet i32[3]=-1,0,3 i32[100]
#include <lanewise/kernel.h>

KERNEL void nested(const int *n, int *out)
{
    for (int i = 0; i < 2; i++) {
        int met = 0;
        for (int k = 0; k < 3; k++) {
            met += n[0];
            if (lane_id() || warp_id())
                return;
            barrier();
        }
        *out += met / 3;
    }
}

/* The same with values that differ by the way: the condition is asked twice. */
KERNEL void twice(const int *n, int *out)
{
    int i = -1, met;
    while (++i < 2) {
        met = 0;
        for (int k = 0; k < 3; k++) {
            met = n[k & 0];
            if ((int)(uint8_t)(warp_id() * 32 + lane_id()))
                return;
            barrier();
        }
        out[block_idx.x] = met + i;
    }
}

/* Those who will return pass where the others come to, and wait there: the condition is asked again
 * behind it. */
KERNEL void joined(int trips, int n, const int *in, int *out)
{
    const int me = warp_id() * 32 + lane_id();
    const bool returns = (lane_id() * 5 + 1) % 7 < n;
    int sum = 0;
    if (returns)
        sum = out[me] + 5;
    else
        for (int i = 0; i < trips; i++) {
            barrier();
            sum += in[0];
        }
    for (int i = 0; i < trips; i++)
        sum = sum * 4 + in[0];
    out[me] = sum;
    assert(sum == (returns ? 383 : 639));
    if (returns)
        return;
    barrier();
    out[me] += 1;
}

/* Those who will return, and behind them others at once: of two branches the compiler makes one,
 * and of two comparisons with 0; and of what follows from the other it asks no more. */
#define TWO_RETURNS(name, first_leaves, then_leaves)                                               \
    KERNEL void name(const int *in, int *out)                                                      \
    {                                                                                              \
        const int me = warp_id() * 32 + lane_id(), x = in[lane_id() % 3];                          \
        const bool first = first_leaves;                                                           \
        if (first)                                                                                 \
            out[me] = 1;                                                                           \
        else                                                                                       \
            barrier();                                                                             \
        if (first)                                                                                 \
            return;                                                                                \
        if (then_leaves)                                                                           \
            return;                                                                                \
        barrier();                                                                                 \
        assert(out[me] == 0);                                                                      \
    }

TWO_RETURNS(not_zero, x != 0, lane_id() % 2)
TWO_RETURNS(greater, x > 0, lane_id() % 2)
TWO_RETURNS(of_two, in[0] == x || in[1] == x, lane_id() % 5 < 3)
TWO_RETURNS(low_bit, x & 1, x != 0)

/* All of those return who were not at the first barrier, and others. */
#define ONE_RETURN(name, stays, leaves)                                                            \
    KERNEL void name(const int *in, int *out)                                                      \
    {                                                                                              \
        const int me = warp_id() * 32 + lane_id(), x = in[lane_id() % 3];                          \
        if (stays)                                                                                 \
            barrier();                                                                             \
        else                                                                                       \
            out[me] = 1;                                                                           \
        if (leaves)                                                                                \
            return;                                                                                \
        barrier();                                                                                 \
        assert(out[me] == 0);                                                                      \
    }

ONE_RETURN(less, x >= 0, x < 1)
ONE_RETURN(around, x < 1 || x > 3, x >= 0)
