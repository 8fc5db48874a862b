// Atomics of many threads lose nothing: counters of every width, in global and in shared memory,
// and beside neighbours in the same word.
// sizes: 1 31 33 256 1024 8x8x4
// run: -b @B -g 3 i32[1]
// expect: blocks: i32[1] = [3]
#include <lanewise/kernel.h>

struct cells {
    unsigned char c[4];
    unsigned short s[2];
    unsigned i;
    unsigned long l;
    float f;
    double d;
    _Float16 h[2];
    int max, min;
    unsigned bits, tickets;
    int locked, guarded;
};

SHARED struct cells all;
SHARED unsigned char ticket_taken[1024];

KERNEL void together(int *blocks)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    ticket_taken[me] = 0;
    if (me == 0)
        memset(&all, 0, sizeof all);
    barrier();
    for (int i = 0; i < 4; i++)
        atomic_add(&all.c[i], i + 1);
    atomic_add(&all.s[1], 3);
    atomic_sub(&all.i, 1);
    atomic_add(&all.l, 1ul << 33);
    atomic_add(&all.f, 0.5f);
    atomic_add(&all.d, 0.25);
    atomic_add(&all.h[1], me < 100);
    atomic_max(&all.max, me);
    atomic_min(&all.min, -me);
    atomic_or(&all.bits, 1u << me % 32);
    unsigned ticket = atomic_add(&all.tickets, 1);
    ticket_taken[ticket] = 1;

    /* an addition made of compare and exchange */
    int old = atomic_load(&all.guarded), seen;
    while ((seen = atomic_cas(&all.guarded, old, old + 2)) != old)
        old = seen;
    barrier();
    for (int i = 0; i < 4; i++)
        assert(all.c[i] == (unsigned char)((i + 1) * threads));
    assert(all.s[0] == 0 && all.s[1] == 3 * threads);
    assert(all.i == 0u - threads && all.l == (unsigned long)threads << 33);
    assert(all.f == threads * 0.5f && all.d == threads * 0.25);
    assert(all.h[0] == 0 && all.h[1] == (threads < 100 ? threads : 100));
    assert(all.max == threads - 1 && all.min == 1 - threads);
    assert(all.bits == (threads < 32 ? (1u << threads) - 1 : UINT_MAX));
    assert(ticket_taken[me] && all.guarded == 2 * threads);
    if (me == 0)
        atomic_add(blocks, 1);
}
