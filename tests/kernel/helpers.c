// Helpers: any static function, inline or marked DEVICE, calling others, holding collectives,
// taking pointers to local, block and global memory, and structs by value.
// sizes: 1 33 100 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

struct point {
    float x, y;
    int tag[3];
};

DEVICE static int linear(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

static inline int size(void)
{
    return block_dim.x * block_dim.y * block_dim.z;
}

DEVICE static int never_called(int x)
{
    return x;
}

static struct point moved(struct point p, float by)
{
    p.x += by;
    p.tag[1] *= 2;
    return p;
}

static void increment(int *p)
{
    *p += 1;
}

static int first_or_sum(int v)
{
    if (v < 0)
        return v;
    int sum = block_sum(v);
    return warp_max(sum);
}

static int nested(int v, int *slot)
{
    slot[linear()] = first_or_sum(v);
    barrier();
    return slot[size() - 1 - linear()];
}

KERNEL void helpers(int *checked)
{
    SHARED int slots[1024];
    int me = linear(), local = 3;
    struct point p = {1.0f, 2.0f, {me, me + 1, me + 2}};
    struct point q = moved(p, 0.5f);
    assert(q.x == 1.5f && q.y == 2.0f && q.tag[1] == 2 * (me + 1) && q.tag[2] == me + 2);
    assert(p.x == 1.0f && p.tag[1] == me + 1);
    increment(&local);
    slots[me] = local;
    increment(slots + me);
    assert(local == 4 && slots[me] == 5);
    barrier();
    assert(nested(me, slots) == size() * (size() - 1) / 2);
    for (int i = 0; i < 2; i++)
        assert(nested(i, slots) == size() * i);
    increment(checked + 0 * me == checked ? &local : slots);
    assert(local == 5);
    atomic_add(checked, 1);
}
