// goto, into and out of loops, switch with fall-through, ranges and a default in the middle, Duff's
// device, nested loops with break and continue, comma, ?: and short circuits with side effects.
// sizes: 1 33 100
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

static int fall(int n)
{
    int r = 0;
    switch (n) {
    case 0: r += 1;
    case 1: r += 10; break;
    default: r += 100;
    case 2: r += 1000;
    case -5: return r;
    }
    return -r;
}

/* The sum 1 .. n, in a loop made of goto. */
static int by_goto(int n)
{
    int i = 0, sum = 0;
again:
    if (i > n)
        goto done;
    sum += i++;
    goto again;
done:
    return sum;
}

/* n + 1 steps, by jumping into the middle of a loop. */
static int into_loop(int n)
{
    int steps = 0;
    goto middle;
    while (n > 0) {
        n--;
    middle:
        steps++;
    }
    return steps;
}

static int duff(int n)
{
    int copied = 0, rounds = (n + 3) / 4;
    switch (n % 4) {
        do {
        case 0: copied++;
        case 3: copied++;
        case 2: copied++;
        case 1: copied++;
        } while (--rounds > 0);
    }
    return copied;
}

static int loops(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0;; j++) {
            if (j == i)
                break;
            if ((i + j) % 2)
                continue;
            count++;
        }
        if (i == 9)
            goto out;
    }
out:
    return count;
}

KERNEL void control(int *checked)
{
    int me = thread_idx.x;
    for (int n = -6 + me % 3; n < 12; n++) {
        int expected = n == 0 ? -11 : n == 1 ? -10 : n == 2 ? 1000 : n == -5 ? 0 : 1100;
        assert(fall(n) == expected);
    }
    assert(by_goto(me) == me * (me + 1) / 2 && into_loop(me) == me + 1);
    assert(duff(me + 1) == me + 1);
    int count = 0;
    for (int i = 0; i < (me < 9 ? me : 10); i++)
        for (int j = 0; j < i; j++)
            count += (i + j) % 2 == 0;
    assert(loops(me) == (me < 10 ? loops(me) : count));

    int calls = 0, both = (me % 2 && ++calls) || (calls += 10, me % 3 == 0);
    assert(calls == (me % 2 ? 1 : 10) && both == (me % 2 || me % 3 == 0));
    assert((me % 2 ? calls++ : calls--, calls) == (me % 2 ? 2 : 9));
    atomic_add(checked, 1);
}
