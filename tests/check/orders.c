/* Fences with atomics order across warps and blocks. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define FENCE()
#else
#define FENCE() fence_device()
#endif

// run: -k last_block -b 32 -g 4 i32[4] u32[1] i32[1]
// run: -k last_block -b 32 -g 4 -D BAD i32[4] u32[1] i32[1]
// finds: race-global @l2 @l1
KERNEL void last_block(int *part, uint32_t *done, int *out)
{
    if (ME != 0)
        return;
    part[block_idx.x] = (int)block_idx.x; /* @l1 */
    fence_device();
    if (atomic_add(done, 1) != grid_dim.x - 1)
        return;
    FENCE();
    int sum = 0;
    for (uint32_t b = 0; b < grid_dim.x; b++)
        sum += part[b]; /* @l2 */
    out[0] = sum;
}

// run: -k publish -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k publish -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @p2 @p1
KERNEL void publish(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @p1 */
        FENCE();
        atomic_store(flag, 1);
    } else {
        while (!atomic_load(flag))
            ;
        fence_device();
        *out = *data; /* @p2 */
    }
}

// run: -k lock -b 1 -g 5 i32[1] i32[1]
// run: -k lock -b 1 -g 5 -D BAD i32[1] i32[1]
// finds: race-global @k1 @k1
KERNEL void lock(int *held, int *count)
{
    while (atomic_cas(held, 0, 1) != 0)
        ;
    FENCE();
    *count += 1; /* @k1 */
    fence_device();
    atomic_store(held, 0);
}

// run: -k look_back -b 64 -g 4 i32[4] i32[4] i32[4]
// run: -k look_back -b 64 -g 4 -D BAD i32[4] i32[4] i32[4]
// finds: race-global @b2 @b1
KERNEL void look_back(int *total, int *ready, int *out)
{
    int own = block_sum(1), before = 0, b = (int)block_idx.x;
    if (ME != 0)
        return;
    if (b > 0) {
        while (!atomic_load(&ready[b - 1]))
            ;
        FENCE();
        before = total[b - 1]; /* @b2 */
    }
    total[b] = before + own; /* @b1 */
    fence_device();
    atomic_store(&ready[b], 1);
    out[b] = before;
}

// run: -k of_block -b 64 i32[1]
// run: -k of_block -b 64 -D BAD i32[1]
// finds: race-shared @o2 @o1
KERNEL void of_block(int *out)
{
    SHARED int data, flag;
    if (ME == 0)
        flag = 0;
    barrier();
    if (ME == 0) {
        data = 5; /* @o1 */
        fence_block();
        atomic_store(&flag, 1);
    }
    if (ME == 32) {
        while (!atomic_load(&flag))
            ;
#ifndef BAD
        fence_block();
#endif
        out[0] = data; /* @o2 */
    }
}

// run: -k too_narrow -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k too_narrow -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @t2 @t1
KERNEL void too_narrow(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @t1 */
#ifdef BAD
        fence_block(); /* the other block does not take part in it */
#else
        fence_device();
#endif
        atomic_store(flag, 1);
    } else {
        while (!atomic_load(flag))
            ;
        fence_device();
        *out = *data; /* @t2 */
    }
}

// run: -k failed_swap -b 1 -g 2 i32[1] i32[1]
// run: -k failed_swap -b 1 -g 2 -D BAD i32[1] i32[1]
// finds: race-global @f1 @f2
KERNEL void failed_swap(int *x, int *out)
{
    if (block_idx.x == 0)
        out[0] = *x; /* @f2 */
    else
#ifdef BAD
        atomic_cas(x, 0, 1); /* @f1 */
#else
        atomic_cas(x, 5, 1); /* it fails: two reads */
#endif
}

// run: -k of_c -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k of_c -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @c2 @c1
KERNEL void of_c(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @c1 */
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    } else {
#ifdef BAD
        while (!__atomic_load_n(flag, __ATOMIC_RELAXED))
#else
        while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
#endif
            ;
        *out = *data; /* @c2 */
    }
}

// run: -k turn -b 1 -g 2 i32[1] i32[1]
// run: -k turn -b 1 -g 2 -D BAD i32[1] i32[1]
// finds: race-global @u2 @u1
KERNEL void turn(int *flag, int *out)
{
    if (block_idx.x == 0) {
        fence_device();
        atomic_store(flag, 3); /* @u1 */
    } else {
        while (!atomic_load(flag))
            ;
        FENCE();
        *out = *flag; /* @u2 */
    }
}

// run: -k late -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k late -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @a2 @a1
KERNEL void late(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
#ifdef BAD
        fence_device(); /* what comes behind it is not released */
        *data = 42;     /* @a1 */
#else
        *data = 42;
        fence_device();
#endif
        atomic_store(flag, 1);
    } else {
        while (!atomic_load(flag))
            ;
        fence_device();
        *out = *data; /* @a2 */
    }
}

// run: -k stores_only -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k stores_only -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @s2 @s1
KERNEL void stores_only(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @s1 */
        fence_device();
        atomic_store(flag, 1);
    } else {
#ifdef BAD
        atomic_store(flag, 2); /* reads nothing, so it takes nothing */
#else
        while (!atomic_load(flag))
            ;
#endif
        fence_device();
        *out = *data; /* @s2 */
    }
}

// run: -k loads_only -b 1 -g 2 i32[1] i32[1] i32[1] i32[3]
// run: -k loads_only -b 1 -g 2 -D BAD i32[1] i32[1] i32[1] i32[3]
// finds: race-global @d2 @d1
KERNEL void loads_only(int *data, int *go, int *flag, int *out)
{
    if (block_idx.x == 0) {
        atomic_store(go, 1); /* no fence is in front of it */
        *data = 42; /* @d1 */
        fence_device();
#ifdef BAD
        out[1] = atomic_load(flag); /* writes nothing, so it leaves nothing */
#else
        atomic_store(flag, 1);
#endif
    } else {
        while (!atomic_load(go))
            ;
#ifdef BAD
        out[2] = atomic_load(flag);
#else
        while (!atomic_load(flag))
            ;
#endif
        fence_device();
        out[0] = *data; /* @d2 */
    }
}

// run: -k next_epoch -b 32 -g 2 i32[1] i32[1] i32[1]
// run: -k next_epoch -b 32 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @e2 @e1
KERNEL void next_epoch(int *first, int *second, int *out)
{
    if (block_idx.x == 0) {
        fence_device();
        if (ME == 0)
            atomic_store(first, 1);
        barrier();
        if (ME == 0)
            atomic_store(second, 1); /* @e1 */
    } else if (ME == 0) {
#ifdef BAD
        while (!atomic_load(first)) /* the second store may come later */
#else
        while (!atomic_load(second))
#endif
            ;
        fence_device();
        *out = *second; /* @e2 */
    }
}

// run: -k one_fence -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k one_fence -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @f4 @f3
KERNEL void one_fence(int *first, int *second, int *out)
{
    if (block_idx.x == 0) {
        fence_device();
        atomic_store(first, 1);
        atomic_store(second, 1); /* @f3 */
    } else {
#ifdef BAD
        while (!atomic_load(first)) /* the second store may come later */
#else
        while (!atomic_load(second))
#endif
            ;
        fence_device();
        *out = *second; /* @f4 */
    }
}

// run: -k own_barrier -b 32 -g 2 i32[2] i32[1]
// run: -k own_barrier -b 32 -g 2 -D BAD i32[2] i32[1]
// finds: race-global @w2 @w1
KERNEL void own_barrier(int *x, int *out)
{
    fence_device();
    if (block_idx.x == 0 && ME == 0)
        x[0] = 1; /* @w1 */
    barrier();    /* of one block */
    if (block_idx.x == 1 && ME == 0)
#ifdef BAD
        out[0] = x[0]; /* @w2 */
#else
        out[0] = x[1];
#endif
}

// run: -k overwritten -b 1 -g 3 i32[1] i32[1] i32[1]
// run: -k overwritten -b 1 -g 3 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @v2 @v1
KERNEL void overwritten(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @v1 */
        fence_device();
        atomic_store(flag, 1);
    } else if (block_idx.x == 1) {
        while (!atomic_load(flag))
            ;
#ifdef BAD
        atomic_store(flag, 2); /* a new value, without what the old one brought */
#else
        atomic_add(flag, 1); /* adds to it */
#endif
    } else {
        while (atomic_load(flag) != 2)
            ;
        fence_device();
        *out = *data; /* @v2 */
    }
}

// run: -k of_all -b 64 -g 2 i32[64] i32[1] i32[1]
// run: -k of_all -b 64 -g 2 -D BAD i32[64] i32[1] i32[1]
// finds: race-global @m2 @m1
KERNEL void of_all(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        data[ME] = ME; /* @m1 */
#ifndef BAD
        barrier(); /* the fence of one thread is for all that it knows */
#endif
        if (ME == 0) {
            fence_device();
            atomic_store(flag, 1);
        }
    } else if (ME == 0) {
        while (!atomic_load(flag))
            ;
        fence_device();
        *out = data[40]; /* @m2 */
    }
}

// run: -k passed_on -b 64 -g 2 i32[1] i32[1] i32[1]
// run: -k passed_on -b 64 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @n2 @n1
KERNEL void passed_on(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        if (ME != 0)
            return;
        *data = 42; /* @n1 */
        fence_device();
        atomic_store(flag, 1);
        return;
    }
    if (ME == 0) {
        while (!atomic_load(flag))
            ;
#ifndef BAD
        fence_device();
#endif
    }
    barrier(); /* what one thread knows, all know behind it */
    if (ME == 40)
        *out = *data; /* @n2 */
}

// run: -k fence_first -b 64 -g 2 i32[64] i32[1] i32[1]
// run: -k fence_first -b 64 -g 2 -D BAD i32[64] i32[1] i32[1]
// finds: race-global @g2 @g1
KERNEL void fence_first(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        data[ME] = ME; /* @g1 */
#ifdef BAD
        fence_device(); /* thread 0 has learnt of no other thread yet */
        barrier();
#else
        barrier();
        fence_device();
#endif
        if (ME == 0)
            atomic_store(flag, 1);
    } else if (ME == 0) {
        while (!atomic_load(flag))
            ;
        fence_device();
        *out = data[40]; /* @g2 */
    }
}

// run: -k narrow_reader -b 1 -g 2 i32[1] i32[1] i32[1]
// run: -k narrow_reader -b 1 -g 2 -D BAD i32[1] i32[1] i32[1]
// finds: race-global @r2 @r1
KERNEL void narrow_reader(int *data, int *flag, int *out)
{
    if (block_idx.x == 0) {
        *data = 42; /* @r1 */
        fence_device();
        atomic_store(flag, 1);
    } else {
        while (!atomic_load(flag))
            ;
#ifdef BAD
        fence_block();
#else
        fence_device();
#endif
        *out = *data; /* @r2 */
    }
}

// run: -k fence_early -b 64 -g 3 i32[1] i32[2] i32[1]
// run: -k fence_early -b 64 -g 3 -D BAD i32[1] i32[2] i32[1]
// finds: race-global @h2 @h1
KERNEL void fence_early(int *data, int *flags, int *out)
{
    if (block_idx.x == 0 && ME == 0) {
        *data = 42; /* @h1 */
        fence_device();
        atomic_store(&flags[0], 1);
    }
    if (block_idx.x == 1) {
        if (ME == 0)
            while (!atomic_load(&flags[0]))
                ;
        if (ME == 0)
            fence_device();
#ifdef BAD
        if (ME == 40)
            fence_device(); /* it learns of the other block behind that */
#endif
        barrier();
#ifndef BAD
        fence_device();
#endif
        if (ME == 40)
            atomic_store(&flags[1], 1);
    }
    if (block_idx.x == 2 && ME == 0) {
        while (!atomic_load(&flags[1]))
            ;
        fence_device();
        *out = *data; /* @h2 */
    }
}
