// All that comes from a macro has one place in the text; loops and their arms in it are still told
// from what stands behind them.
// run: -k break_arm -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k twice -b 8 i32[8]
// expect: out: i32[8] = [14, 14, 30, 30, 46, 46, 62, 62]
// run: -k behind -b 8 i32[8]
// expect: out: i32[8] = [36, 36, 36, 36, 36, 36, 36, 36]
// run: -k value -b 8 i32[8]
// expect: out: i32[8] = [11, 11, 15, 15, 19, 19, 23, 23]
// run: -k nested -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k head -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
#include <lanewise/kernel.h>

#define SUM_PAIR(l, v)                                                                             \
    do {                                                                                           \
        for (int k = 0; k < 4; k++)                                                                \
            if (k == (l) / 2) {                                                                    \
                v = warp_sum(v);                                                                   \
                break;                                                                             \
            }                                                                                      \
    } while (0)

KERNEL void break_arm(int *out)
{
    int l = lane_id(), v = l + 1;
    SUM_PAIR(l, v);
    out[l] = v;
}

// The sum of a pair, and a second time: 2 * (2 * sum) + 1 for each of the two.
KERNEL void twice(int *out)
{
    int l = lane_id(), v = l + 1;
    SUM_PAIR(l, v);
    v = 2 * v + l % 2;
    SUM_PAIR(l, v); v += 1;
    out[l] = v;
}

#define LEAVE_AND_SUM(l, v)                                                                        \
    do {                                                                                           \
        for (int k = 0; k < 4; k++)                                                                \
            if (k == (l) / 2)                                                                      \
                break;                                                                             \
        v = warp_sum(v);                                                                           \
    } while (0)

// The lanes leave in different iterations; the sum is in none.
KERNEL void behind(int *out)
{
    int l = lane_id(), v = l + 1;
    LEAVE_AND_SUM(l, v);
    out[l] = v;
}

#define PAIR_AND_COUNT(l, v)                                                                       \
    ({                                                                                             \
        int sum = (v);                                                                             \
        SUM_PAIR(l, sum);                                                                          \
        sum + warp_sum(1);                                                                         \
    })

KERNEL void value(int *out)
{
    int l = lane_id();
    out[l] = PAIR_AND_COUNT(l, l + 1);
}

#define UNTIL(i, n, statement)                                                                     \
    for (int i = 0; i < (n); i++)                                                                  \
        if (statement)                                                                             \
            break;

// Loops in the arguments of a macro that is one.
KERNEL void nested(int *out)
{
    int l = lane_id(), v = l + 1;
    UNTIL(i, 2, ({
              UNTIL(j, 2, 2 * i + j == l / 2 ? (v = warp_sum(v), true) : false);
              i == l / 4;
          }))
    out[l] = v;
}

#define TRIPS(i, n) for (int i = 0; i < (n); i++)

KERNEL void head(int *out)
{
    int l = lane_id(), v = l + 1;
    TRIPS(i, 4)
    {
        int half = l / 2;
        if (i == half) {
            v = warp_sum(v);
            break;
        }
    }
    out[l] = v;
}
