/* Races between warps of a block, in its shared memory. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define BARRIER()
#else
#define BARRIER() barrier()
#endif

// run: -k neighbour i32[64]
// run: -k neighbour -D BAD i32[64]
// finds: race-shared @n2 @n1
// finds: race-warp @n2 @n1
KERNEL BLOCK(64) void neighbour(int *out)
{
    SHARED int x[64];
    x[ME] = ME; /* @n1 */
    BARRIER();
    out[ME] = x[(ME + 63) % 64]; /* @n2 */
}

// run: -k across -b 64 i32[64]
// run: -k across -b 64 -D BAD i32[64]
// finds: race-shared @a2 @a1
KERNEL void across(int *out)
{
    SHARED int x[64];
    x[ME] = ME; /* @a1 */
    BARRIER();
    out[ME] = x[ME ^ 32]; /* @a2 */
}

// run: -k tree -b 256 -g 2 i32[2]
// run: -k tree -b 256 -g 2 -D BAD i32[2]
// finds: race-shared @t1 @t1
// finds: race-warp @t1 @t1
KERNEL void tree(int *out)
{
    SHARED int x[256];
    x[ME] = ME;
    barrier();
    for (int half = 128; half > 0; half /= 2) {
        if (ME < half)
            x[ME] += x[ME + half]; /* @t1 */
        BARRIER();
    }
    if (ME == 0)
        out[block_idx.x] = x[0];
}

// run: -k again -b 128 i32[128]
// run: -k again -b 128 -D BAD i32[128]
// finds: race-shared @g1 @g2
KERNEL void again(int *out)
{
    SHARED int total;
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        if (ME == 127)
            total = round; /* @g1 */
        barrier();
        if (ME < 96)
            sum += total; /* @g2 */
        BARRIER(); /* else the next round's write is too early */
    }
    out[ME] = sum;
}

// run: -k dynamic -b 64 --shared 256 i32[64]
// run: -k dynamic -b 64 --shared 256 -D BAD i32[64]
// finds: race-shared @d2 @d1
KERNEL void dynamic(int *out)
{
    DYNAMIC_SHARED(int, x);
    x[ME] = ME; /* @d1 */
    BARRIER();
    out[ME] = x[63 - ME]; /* @d2 */
}

// run: -k mixed -b 64 i32[1]
// run: -k mixed -b 64 -D BAD i32[1]
// finds: race-shared @m2 @m1
KERNEL void mixed(int *out)
{
    SHARED int count;
    if (ME == 0)
        count = 0;
    barrier();
    if (lane_id() == 0)
        atomic_add(&count, 1); /* @m1 */
    BARRIER();
    if (ME == 32)
        out[0] = count; /* @m2 */
}

// run: -k bytes -b 64 i32[1]
// run: -k bytes -b 64 -D BAD i32[1]
// finds: race-shared @b2 @b1
KERNEL void bytes(int *out)
{
    SHARED unsigned char x[64];
    x[ME] = (unsigned char)ME; /* @b1 */
#ifdef BAD
    if (ME == 63)
        x[0] = 200; /* @b2 */
#endif
    barrier();
    if (ME == 0)
        out[0] = x[1];
}

// run: -k readers -b 96 i32[96]
// run: -k readers -b 96 -D BAD i32[96]
// finds: race-shared @r1 @r3
// finds: race-shared @r3 @r2
// finds: race-warp @r1 @r3
// finds: race-warp @r3 @r2
KERNEL void readers(int *out)
{
    SHARED int x[1];
    if (ME == 0)
        x[0] = 1;
    barrier();
    int sum = x[0]; /* @r1 */
    sum += *(volatile int *)&x[0]; /* @r2 */
    BARRIER();
    if (ME == 40)
        x[0] = 2; /* @r3 */
    out[ME] = sum;
}

// run: -k reads_then_writes -b 64 i32[64]
// run: -k reads_then_writes -b 64 -D BAD i32[64]
// finds: race-shared @w2 @w1
// finds: race-warp @w2 @w1
KERNEL void reads_then_writes(int *out)
{
    SHARED int x[1];
    if (ME == 0)
        x[0] = 1;
    barrier();
    out[ME] = x[0]; /* @w1 */
    BARRIER();
    if (ME == 63) /* the last of the readers */
        x[0] = 2; /* @w2 */
}

/* Blocks that follow each other have the same block memory, one after the other. */
// run: -k many_blocks -b 64 -g 40 i32[40]
// run: -k many_blocks -b 64 -g 40 -D BAD i32[40]
// finds: race-shared @k1 @k2
KERNEL void many_blocks(int *out)
{
    SHARED int count;
    if (ME == 0)
        count = 0; /* @k1 */
    BARRIER();
    if (ME == 63)
        atomic_add(&count, 1); /* @k2 */
    barrier();
    if (ME == 0)
        out[block_idx.x] = count;
}

// run: -k after_atomic -b 64 i32[64]
// run: -k after_atomic -b 64 -D BAD i32[64]
// finds: race-shared @c2 @c1
KERNEL void after_atomic(int *out)
{
    SHARED int count;
    if (ME == 0)
        count = 0;
    barrier();
    out[ME] = ME;
    if (ME == 0)
        atomic_add(&count, 1); /* @c1 */
    if (ME == 63) {
        while (!atomic_load(&count)) /* it comes later, but is not ordered */
            ;
#ifdef BAD
        out[ME] += count; /* @c2 */
#else
        out[ME] += atomic_load(&count);
#endif
    }
}

// A text is read where it is printed.
// run: -k printed -b 64
// run: -k printed -b 64 -D BAD
// finds: race-shared @te2 @te1
KERNEL void printed(void)
{
    SHARED char text[4];
    if (ME < 4)
        text[ME] = ME < 3 ? 'a' : 0; /* @te1 */
    BARRIER();
    if (ME == 63)
        printf("%s", text); /* @te2 */
}
