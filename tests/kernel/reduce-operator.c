// WARP_REDUCE and BLOCK_REDUCE with an operator that does not commute: the lower lanes are always
// on the left, lanes that are absent are left out, and the result is in every thread that takes
// part. The operator composes x -> m x + c, packed as m << 32 | c, modulo 2^32; identity x -> x.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED uint64_t maps[1024];

static const uint64_t identity = UINT64_C(1) << 32;

static uint64_t then(uint64_t f, uint64_t g)
{
    uint32_t m = (uint32_t)(f >> 32) * (uint32_t)(g >> 32);
    uint32_t c = (uint32_t)f * (uint32_t)(g >> 32) + (uint32_t)g;
    return (uint64_t)m << 32 | c;
}

/* One after the other; only each stride-th thread from `first`, counted within `first` to `end`. */
static uint64_t serial(int first, int end, int stride)
{
    uint64_t all = identity;
    for (int i = first; i < end; i += stride)
        all = then(all, maps[i]);
    return all;
}

KERNEL void reduce(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int first = me / 32 * 32, end = first + 32 < threads ? first + 32 : threads;
    uint64_t map = (uint64_t)(me * 2654435761u | 1) << 32 | (uint32_t)(me * 40503u + 11);
    maps[me] = map;
    barrier();
    assert(WARP_REDUCE(map, identity, a, b, then(a, b)) == serial(first, end, 1));
    assert(BLOCK_REDUCE(map, identity, a, b, then(a, b)) == serial(0, threads, 1));

    /* of a warp only each third lane, then only the last */
    if (me % 32 % 3 == 1)
        assert(WARP_REDUCE(map, identity, f, g, then(f, g)) == serial(first + 1, end, 3));
    if (me == end - 1)
        assert(WARP_REDUCE(map, identity, f, g, then(f, g)) == map);

    /* the names are free, also those of variables around, and reductions nest in expressions */
    uint64_t twice = then(WARP_REDUCE(map, identity, p, q, then(p, q)),
                          WARP_REDUCE(map, identity, p, q, then(p, q)));
    assert(twice == then(serial(first, end, 1), serial(first, end, 1)));

    /* of the block, after some threads have returned */
    atomic_add(checked, 1);
    barrier();
    if (me % 2 == 0)
        return;
    assert(BLOCK_REDUCE(map, identity, a, b, then(a, b)) == serial(1, threads, 2));
}
