// Atomic operations in block memory at places that were loaded just before: what the threads have
// loaded counts, also where they write there before the operation, or the memory is the block's.
// sizes: 1 7 33 64 100 256 1000
// run: -k kept -b @B --quiet i32[1000]=iota i32[1000]
// run: -k overwritten -b @B --quiet i32[1000]=iota i32[1000]
// run: -k passed_on -b @B --quiet i32[1000]=iota i32[1000]
#include <lanewise/kernel.h>

static void clear(int *count)
{
    for (int i = thread_idx.x; i < 1000; i += block_dim.x)
        count[i] = 0;
    barrier();
}

/* Each of the first places once. */
static void check(const int *count)
{
    barrier();
    for (int i = thread_idx.x; i < 1000; i += block_dim.x)
        assert(count[i] == (i < block_dim.x));
}

KERNEL void kept(int *places, int *out)
{
    SHARED int count[1000];
    clear(count);
    int place = places[thread_idx.x];
    atomic_add(&count[place], 1);
    places[thread_idx.x] = 5;
    check(count);
    out[place] = place;
}

KERNEL void overwritten(int *places, int *out)
{
    SHARED int count[1000];
    clear(count);
    int place = places[thread_idx.x];
    places[thread_idx.x] = 5;
    atomic_add(&count[place], 1);
    check(count);
    out[place] = place;
}

KERNEL void passed_on(int *places, int *out)
{
    SHARED int count[1000], copy[1000];
    clear(count);
    copy[thread_idx.x] = places[thread_idx.x];
    barrier();
    int place = copy[thread_idx.x];
    copy[thread_idx.x] = 5;
    atomic_add(&count[place], 1);
    check(count);
    out[place] = place;
}
