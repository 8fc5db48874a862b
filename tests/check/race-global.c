/* Races in memory of the whole device. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)
#define I ((int)global_idx.x)

// run: -k sum -b 1 -g 4 i32[1]
// run: -k sum -b 1 -g 4 -D BAD i32[1]
// finds: race-global @s1 @s1
KERNEL void sum(int *out)
{
#ifdef BAD
    out[0] += 1; /* @s1 */
#else
    atomic_add(&out[0], 1);
#endif
}

// run: -k shift -b 32 -g 3 i32[97]
// run: -k shift -b 32 -g 3 -D BAD i32[97]
// finds: race-global @h2 @h1
KERNEL void shift(int *x)
{
    x[I] = I; /* @h1 */
#ifdef BAD
    if (ME == 0 && I > 0)
        x[I - 1] = 9; /* @h2 */
#endif
}

// run: -k in_block -b 64 i32[64]
// run: -k in_block -b 64 -D BAD i32[64]
// finds: race-global @i2 @i1
KERNEL void in_block(int *x)
{
    x[ME] = ME; /* @i1 */
#ifndef BAD
    barrier();
#endif
    int other = x[ME ^ 32]; /* @i2 */
    barrier();
    x[ME] += other;
}

// run: -k before_barrier -b 64 -g 2 i32[64]
// run: -k before_barrier -b 64 -g 2 -D BAD i32[64]
// finds: race-global @b1 @b2
KERNEL void before_barrier(int *x)
{
    int seen = 0;
#ifdef BAD
    if (block_idx.x == 1)
        seen = x[ME]; /* @b1 */
    barrier(); /* of one block: it orders nothing between two */
#endif
    if (block_idx.x == 0)
        x[ME] = ME + seen; /* @b2 */
}

// run: -k halves -b 2 -g 32 f16[64]
// run: -k halves -b 2 -g 32 -D BAD f16[64]
// finds: race-global @f2 @f1
KERNEL void halves(_Float16 *x)
{
    x[I] = (_Float16)I; /* @f1 */
#ifdef BAD
    if (I == 63)
        x[0] = 1; /* @f2 */
#endif
}

// run: -k widths -b 1 -g 2 i64[2]
// run: -k widths -b 1 -g 2 -D BAD i64[2]
// finds: race-global @w2 @w1
KERNEL void widths(int64_t *x)
{
    if (block_idx.x == 0) {
        x[0] = 7; /* @w1 */
    } else {
#ifdef BAD
        ((char *)x)[7] = 1; /* @w2 */
#else
        ((char *)x)[8] = 1;
#endif
    }
}

// run: -k copies -b 1 -g 2 i32[16] i32[16]
// run: -k copies -b 1 -g 2 -D BAD i32[16] i32[16]
// finds: race-global @c1 @c2
KERNEL void copies(int *to, const int *from)
{
    if (block_idx.x == 0)
        __builtin_memcpy(to, from, 32); /* @c2 */
#ifdef BAD
    else
        to[7] = 1; /* @c1 */
#else
    else
        to[8] = 1;
#endif
}

// run: -k between -b 1 -g 2 u8[16] u8[16]
// run: -k between -b 1 -g 2 -D BAD u8[16] u8[16]
// finds: race-global @n1 @n2
KERNEL void between(uint8_t *to, const uint8_t *from)
{
    if (block_idx.x == 0) {
        *(int *)(to + 8) = 1;
        __builtin_memcpy(to + 2, from, 4); /* @n2 */
    }
#ifdef BAD
    else
        to[5] = 1; /* @n1 */
#else
    else
        to[6] = 1;
#endif
}

// run: -k pages -b 1 -g 2 i32[4096] i32[4096]
// run: -k pages -b 1 -g 2 -D BAD i32[4096] i32[4096]
// finds: race-global @p1 @p2
KERNEL void pages(int *to, const int *from)
{
    if (block_idx.x == 0) {
        to[0] = from[0];
        __builtin_memcpy(to, from, 8192); /* @p2 */
    }
#ifdef BAD
    else
        to[2047] = 1; /* @p1 */
#else
    else
        to[2048] = 1;
#endif
}

// run: -k pages_read -b 1 -g 2 i32[4096] i32[4096]
// run: -k pages_read -b 1 -g 2 -D BAD i32[4096] i32[4096]
// finds: race-global @q1 @q2
KERNEL void pages_read(int *to, int *from)
{
    if (block_idx.x == 0) {
        to[0] = from[0];
        __builtin_memcpy(to, from, 8192); /* @q2 */
    }
#ifdef BAD
    else
        from[2047] = 1; /* @q1 */
#else
    else
        from[2048] = 1;
#endif
}

// run: -k after_barrier -b 32 -g 2 i32[64] i32[32]
// run: -k after_barrier -b 32 -g 2 -D BAD i32[64] i32[32]
// finds: race-global @a2 @a1
KERNEL void after_barrier(int *x, int *out)
{
    if (block_idx.x == 0)
        x[ME] = ME; /* @a1 */
    barrier(); /* of one block: it orders nothing between two */
    if (block_idx.x == 0)
        return;
    out[ME] = ME;
#ifdef BAD
    out[ME] += x[ME]; /* @a2 */
#else
    out[ME] += x[ME + 32];
#endif
}

// run: -k other_reader -b 64 -g 2 i32[2] i32[128]
// run: -k other_reader -b 64 -g 2 -D BAD i32[2] i32[128]
// finds: race-global @o2 @o1
KERNEL void other_reader(int *x, int *out)
{
    int seen = x[0]; /* @o1 */
    barrier();
    out[I] = seen;
    if (ME == 63 && block_idx.x == 1)
#ifdef BAD
        x[0] = 1; /* @o2 */
#else
        x[1] = 1;
#endif
}

// run: -k other_warp -b 64 i32[64]
// run: -k other_warp -b 64 -D BAD i32[64]
// finds: race-global @r2 @r1
KERNEL void other_warp(int *x)
{
    x[ME] = ME; /* @r1 */
#ifdef BAD
    if (ME == 37)
        x[5] = 9; /* @r2 */
#else
    if (ME == 37)
        x[37] = 9;
#endif
}
