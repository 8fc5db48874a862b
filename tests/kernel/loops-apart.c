// Loops that threads leave in different iterations and in which nothing brings them together: each
// thread's results are those of its own iterations, whoever goes round with it.
// sizes: 1 2 17 31 32 33 64 100 256 1000 8x8x4
// run: -b @B 5 i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

enum { SIZE = 64 };

static int me(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

static int divisor(int a, int b) /* by remainders */
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int divisor_slowly(int a, int b) /* the same for all threads: from 1 to 64 */
{
    int best = 1;
    for (int d = 1; d <= 64; d++)
        best = a % d == 0 && b % d == 0 ? d : best;
    return best;
}

/* Iterations of the inner loop differ, those of the outer too; breaks and continues in both. */
static int nested(int first, int limit)
{
    int sum = 0;
    for (int i = first % 7; i < 9; i++) {
        if (i % 4 == 3)
            continue;
        for (int j = 0;; j++) {
            if (i * j > limit || j > 5)
                break;
            if ((i + j) & 1)
                continue;
            sum += i * 10 + j;
        }
        if (sum > 200)
            break;
    }
    return sum;
}

static int nested_in_step(int first, int limit)
{
    int sum = 0;
    bool more = true;
    for (int i = 0; i < 9; i++) {
        bool now = more && i >= first % 7 && i % 4 != 3, inside = now;
        for (int j = 0; j <= 6; j++) {
            inside = inside && !(i * j > limit || j > 5);
            sum += inside && !((i + j) & 1) ? i * 10 + j : 0;
        }
        more = more && !(now && sum > 200);
    }
    return sum;
}

KERNEL void loops(int most, int *checked)
{
    SHARED int steps[SIZE];
    int t = me();
    for (int k = t; k < SIZE; k += block_dim.x * block_dim.y * block_dim.z)
        steps[k] = k * 7 % 11 + 1;
    barrier();

    int a = t % 60 + 1, b = t * 7 % 48 + 1;
    assert(divisor(a, b) == divisor_slowly(a, b));
    assert(nested(t, t % 13) == nested_in_step(t, t % 13));

    /* block memory and an own array, read and written; a counter that all share */
    int own[8] = {0}, at = t % SIZE, trips = 0;
    do {
        own[trips & 7] += at;
        at += steps[at];
        trips++;
    } while (at < SIZE && trips < 40);
    int again = t % SIZE, sum = 0, count = 0;
    for (int k = 0; k < 40; k++) {
        bool goes = k == 0 || again < SIZE;
        sum += goes ? again : 0;
        count += goes;
        again += goes ? steps[again] : 0;
    }
    int whole = 0;
    for (int k = 0; k < 8; k++)
        whole += own[k];
    assert(trips == count && at == again && whole == sum);

    /* only some threads come here; each leaves by one of two ways */
    int left = -1, round = 0;
    if (t % 3) {
        for (round = 0; round < most * 4; round++) {
            if (round * round > t) {
                left = round;
                break;
            }
            if (round == t % 5 + 2) {
                left = 100 + round;
                break;
            }
        }
    }
    int way = -1;
    for (int k = 0; k < most * 4; k++)
        way = way >= 0 || t % 3 == 0 ? way : k * k > t ? k : k == t % 5 + 2 ? 100 + k : way;
    assert(left == way);
    atomic_add(checked, 1);
}
