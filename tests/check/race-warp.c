/* Races between the lanes of a warp, in any memory. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define SYNC()
#else
#define SYNC() warp_sync()
#endif

// run: -k next -b 32 i32[32]
// run: -k next -b 32 -D BAD i32[32]
// finds: race-warp @n2 @n1
KERNEL void next(int *out)
{
    SHARED int x[32];
    x[ME] = ME; /* @n1 */
    SYNC();
    out[ME] = x[(ME + 31) % 32]; /* @n2 */
}

// run: -k global -b 32 i32[32] i32[32]
// run: -k global -b 32 -D BAD i32[32] i32[32]
// finds: race-warp @g2 @g1
KERNEL void global(int *out, int *x)
{
    x[ME] = ME; /* @g1 */
    SYNC();
    out[ME] = x[31 - ME]; /* @g2 */
}

// run: -k votes -b 32 i32[32]
// run: -k votes -b 32 -D BAD i32[32]
// finds: race-warp @v2 @v1
KERNEL void votes(int *out)
{
    SHARED int x[32];
    x[ME] = ME; /* @v1 */
    int all = warp_all(ME >= 0); /* orders no memory */
    SYNC();
    out[ME] = x[ME ^ 1] + all; /* @v2 */
}

// run: -k some -b 32 i32[32]
// run: -k some -b 32 -D BAD i32[32]
// finds: race-warp @s2 @s1
KERNEL void some(int *out)
{
    SHARED int x[32];
    x[ME] = 0;
    warp_sync();
    if (ME < 16) {
        x[ME] = ME; /* @s1 */
        SYNC(); /* of these lanes alone */
        out[ME] = x[15 - ME]; /* @s2 */
    }
}

// run: -k others -b 32 i32[32]
// run: -k others -b 32 -D BAD i32[32]
// finds: race-warp @o2 @o1
KERNEL void others(int *out)
{
    SHARED int x[32];
    x[ME] = ME; /* @o1 */
    if (ME < 16)
        warp_sync(); /* the lanes from 16 on are not here */
    SYNC();
    out[ME] = x[(ME + 16) % 32]; /* @o2 */
}

// run: -k tree -b 32 i32[1]
// run: -k tree -b 32 -D BAD i32[1]
// finds: race-warp @t1 @t1
KERNEL void tree(int *out)
{
    SHARED int x[32];
    x[ME] = ME;
    warp_sync();
    for (int half = 16; half > 0; half /= 2) {
        if (ME < half)
            x[ME] += x[ME + half]; /* @t1 */
        SYNC();
    }
    if (ME == 0)
        out[0] = x[0];
}

// run: -k returned -b 32 i32[32]
// run: -k returned -b 32 -D BAD i32[32]
// finds: race-warp @r2 @r1
KERNEL void returned(int *out)
{
    SHARED int x;
    if (ME == 0) {
        x = 7; /* @r1 */
        return;
    }
#ifdef BAD
    warp_sync(); /* of the lanes that reach it: one that has returned does not */
#else
    barrier(); /* waits until it has returned */
#endif
    out[ME] = x; /* @r2 */
}

// run: -k apart -b 32 i32[32] i32[32]=iota
// run: -k apart -b 32 -D BAD i32[32] i32[32]=iota
// finds: race-warp @a2 @a1
KERNEL void apart(int *out, const int *x)
{
    SHARED int s[32];
    s[ME] = -1;
    warp_sync();
    if (ME < 16)
        s[ME] = x[ME]; /* @a1 */
#ifdef BAD
    else
        warp_sync(); /* the other lanes may have returned by then, or may not */
#else
    warp_sync();
#endif
    if (ME >= 16)
        out[ME] = s[ME - 16]; /* @a2 */
}
