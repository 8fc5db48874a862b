// A machine of many states that are labels, where each lane goes its own way: its state is live in
// almost every block, and stays in memory on the way through LLVM. The same machine as a loop over
// the state's number, with few blocks, must end with the same values.
// sizes: 33 1 32 100 256 1024
// run: -b @B i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

#define STATES 24
#define STEPS 40

static unsigned step(unsigned s, unsigned state)
{
    return s * 1664525u + 2 * state + 1;
}

#define STATE(k, a, b)                                                                             \
    L##k : s = step(s, k);                                                                         \
    if (++steps > STEPS)                                                                           \
        goto out;                                                                                  \
    mixed = mixed * 31 + (s >> 16);                                                                \
    if (s & 0x8000)                                                                                \
        goto L##a;                                                                                 \
    if (s & 0x4000)                                                                                \
        goto L##b;

KERNEL void machine(int *wrong, int *done)
{
    unsigned s = thread_idx.x * 7919u, steps = 0, mixed = 0;
    // clang-format off
    STATE(0, 3, 5)
    STATE(1, 10, 18)
    STATE(2, 17, 7)
    STATE(3, 0, 20)
    STATE(4, 7, 9)
    STATE(5, 14, 22)
    STATE(6, 21, 11)
    STATE(7, 4, 0)
    STATE(8, 11, 13)
    STATE(9, 18, 2)
    STATE(10, 1, 15)
    STATE(11, 8, 4)
    STATE(12, 15, 17)
    STATE(13, 22, 6)
    STATE(14, 5, 19)
    STATE(15, 12, 8)
    STATE(16, 19, 21)
    STATE(17, 2, 10)
    STATE(18, 9, 23)
    STATE(19, 16, 12)
    STATE(20, 23, 1)
    STATE(21, 6, 14)
    STATE(22, 13, 3)
    STATE(23, 20, 16)
    goto L0;
    // clang-format on
out:;
    unsigned t = thread_idx.x * 7919u, state = 0, other = 0;
    for (int i = 0; i < STEPS; i++) {
        t = step(t, state);
        other = other * 31 + (t >> 16);
        state = (t & 0x8000 ? state * 7 + 3 : t & 0x4000 ? state * 13 + 5 : state + 1) % STATES;
    }
    if (step(t, state) != s || other != mixed)
        atomic_add(wrong, 1);
    atomic_add(done, 1);
}
