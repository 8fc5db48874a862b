/* Results that depend on the order of atomics. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define IF_GOOD(good, bad) bad
#else
#define IF_GOOD(good, bad) good
#endif

// run: -k tickets -b 64 -g 3 u32[1] u32[192]
// run: -k tickets -b 64 -g 3 -D BAD u32[1] u32[192]
// finds: nondeterministic @t1
KERNEL void tickets(uint32_t *next, uint32_t *out)
{
    uint32_t mine = atomic_add(next, 1); /* @t1 */
    out[global_idx.x] = IF_GOOD(mine < 192, mine);
}

// run: -k sum -b 96 -g 3 'f32[288]=rand:1' i32[1] f32[1]
// run: -k sum -b 96 -g 3 -D BAD 'f32[288]=rand:1' i32[1] f32[1]
// finds: nondeterministic @s1
KERNEL void sum(const float *x, int *whole, float *out)
{
    float mine = x[global_idx.x];
    atomic_add(whole, (int)(mine * 1024));
    if (IF_GOOD(0, 1))
        atomic_add(out, mine); /* @s1 */
}

// run: -k list -b 32 -g 2 u32[64]
// run: -k list -b 32 -g 2 -D BAD u32[64]
// finds: nondeterministic @l1
KERNEL void list(uint32_t *out)
{
    SHARED uint32_t count, found[32];
    if (ME == 0)
        count = 0;
    barrier();
    uint32_t place = atomic_add(&count, 1); /* @l1 */
    found[IF_GOOD(ME, place)] = ME;
    barrier();
    out[global_idx.x] = found[ME];
}

// run: -k first -b 32 -g 2 i32[1] i32[64]
// run: -k first -b 32 -g 2 -D BAD i32[1] i32[64]
// finds: nondeterministic @f1
KERNEL void first(int *winner, int *out)
{
    int mine = (int)global_idx.x + 1;
    int other = atomic_cas(winner, 0, IF_GOOD(1, mine)); /* @f1 */
    out[global_idx.x] = other && IF_GOOD(0, 1);
}

// run: -k blocks -b 1 -g 20 u32[1] u32[20]
// run: -k blocks -b 1 -g 20 -D BAD u32[1] u32[20]
// finds: nondeterministic @b1
KERNEL void blocks(uint32_t *next, uint32_t *out)
{
    uint32_t mine = atomic_add(next, 1); /* @b1 */
    out[IF_GOOD(block_idx.x, mine)] = block_idx.x;
}

/* A value that is written by a thread which wins in one order only. */
// run: -k loser -b 2 i32[1] i32[2]
// run: -k loser -b 2 -D BAD i32[1] i32[2]
// finds: nondeterministic @w1
KERNEL void loser(int *taken, int *out)
{
    int before = atomic_exchange(taken, 1); /* @w1 */
    if (IF_GOOD(1, before))
        out[ME] = 7;
}

/* Look-back: a block waits for a lower one, in each order. */
// run: -k look_back -b 32 -g 40 i32[40] i32[40]
KERNEL void look_back(int *total, int *ready)
{
    int b = (int)block_idx.x, before = 0;
    if (ME)
        return;
    if (b > 0) {
        while (!atomic_load(&ready[b - 1]))
            ;
        fence_device();
        before = total[b - 1];
    }
    total[b] = before + b;
    fence_device();
    atomic_store(&ready[b], 1);
}

/* What a launch changes is what it was for each order. */
// run: -k in_place -b 64 -g 3 i32[192]=iota u8[192]=iota
KERNEL void in_place(int *x, uint8_t *y)
{
    size_t i = global_idx.x;
    x[i] = 2 * x[i] + 1;
    y[i] += 3;
}
