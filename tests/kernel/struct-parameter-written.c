/* A struct parameter belongs to the thread: what one writes into it no other thread sees, of its
 * block or of another. */
// sizes: 1 5 33 64 8x8x4
#include <lanewise/kernel.h>

#define RANK (32 * warp_id() + lane_id())

struct four {
    size_t a, b, c, d;
};

/* Each thread in its own way. */
KERNEL void each(int *bad, struct four p, int n)
{
    const size_t t = RANK;
    size_t expected = 1;
    for (int i = 0; i < n; i++) {
        if (p.a != expected)
            atomic_add(bad, 1);
        p.a += t;
        expected += t;
        if (t % 3 == 0) {
            p.a += p.b;
            expected += 2;
        }
    }
}
// run: -k each -b @B -g 3 i32[1] '{1,2,3,4}' 4
// expect: bad: i32[1] = [0]

/* One block, or one thread, alone. */
KERNEL void some(int *bad, struct four p)
{
    const int changes = block_idx.x == 1 || RANK == 4;
    if (changes)
        p.b = 7;
    barrier();
    if (p.b != (changes ? 7 : 2))
        atomic_add(bad, 1);
}
// run: -k some -b @B -g 40 i32[1] '{1,2,3,4}'
// expect: bad: i32[1] = [0]

static void put(struct four *p, size_t x)
{
    p->c = x;
}

/* Through a pointer, by an index. */
KERNEL void indirect(int *bad, struct four p, int at)
{
    size_t *elements = &p.a;
    elements[at] += block_idx.x;
    put(&p, 5 + RANK);
    if (p.d != 4 + block_idx.x || p.c != 5 + RANK)
        atomic_add(bad, 1);
}
// run: -k indirect -b @B -g 40 i32[1] '{1,2,3,4}' 3
// expect: bad: i32[1] = [0]
