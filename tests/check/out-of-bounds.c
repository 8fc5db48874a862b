/* Accesses outside of their object; the launch goes on, and all are found. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)
#define I ((int)global_idx.x)

#ifdef BAD
#define WITHIN(c) 1
#else
#define WITHIN(c) (c)
#endif

// run: -k edge -b 32 -g 2 i32[50]
// run: -k edge -b 32 -g 2 -D BAD i32[50]
// finds: out-of-bounds @e1
KERNEL void edge(int *x)
{
    if (WITHIN(I < 50))
        x[I] = I; /* @e1 */
}

// run: -k before -b 32 i32[32] i32[32]
// run: -k before -b 32 -D BAD i32[32] i32[32]
// finds: out-of-bounds @b1
KERNEL void before(int *out, const int *x)
{
    if (WITHIN(ME > 0))
        out[ME] = x[ME - 1]; /* @b1 */
}

// run: -k rows -b 4 i32[12]
// run: -k rows -b 4 -D BAD i32[12]
// finds: out-of-bounds @r1
KERNEL void rows(int x[3][4])
{
    for (int c = 0; c < (WITHIN(0) ? 5 : 4); c++)
        if (ME < 3)
            x[ME][c] = c; /* @r1 */
}

// run: -k shared -b 32 i32[32]
// run: -k shared -b 32 -D BAD i32[32]
// finds: out-of-bounds @s1
KERNEL void shared(int *out)
{
    SHARED int x[16];
    if (WITHIN(ME < 16))
        x[ME] = ME; /* @s1 */
    out[ME] = 0;
}

// run: -k private -b 32 i32[32] 4
// run: -k private -b 32 -D BAD i32[32] 4
// finds: out-of-bounds @p1
KERNEL void private(int *out, int n)
{
    int x[4] = {0, 1, 2, 3};
    out[ME] = x[WITHIN(0) ? ME : ME % n]; /* @p1 */
}

// run: -k two -b 32 i32[16] i32[16]
// run: -k two -b 32 -D BAD i32[16] i32[16]
// finds: out-of-bounds @w1
// finds: out-of-bounds @w2
KERNEL void two(int *x, int *y)
{
    if (WITHIN(ME < 16) && ME % 2 == 0)
        x[ME] = 1; /* @w1 */
    if (WITHIN(ME < 16) && ME % 2 == 1)
        y[ME] = 1; /* @w2 */
    barrier(); /* whoever is gone is not waited for */
}

/* What comes of a thread's end is not told. */
// run: -k raises_no_flag -b 64 i32[1] i32[4]
// run: -k raises_no_flag -b 64 -D BAD i32[1] i32[4]
// finds: out-of-bounds @f1
KERNEL void raises_no_flag(int *flag, int *x)
{
    if (ME == 0) {
        x[WITHIN(0) ? 4 : 3] = 1; /* @f1 */
        atomic_store(flag, 1);
    } else if (ME == 32) {
        while (!atomic_load(flag))
            ;
    }
}

// run: -k writes_nothing -b 64 i32[4] i32[64]
// run: -k writes_nothing -b 64 -D BAD i32[4] i32[64]
// finds: out-of-bounds @n1
KERNEL void writes_nothing(int *x, int *out)
{
    SHARED int first;
    if (ME == 0) {
        x[WITHIN(0) ? 4 : 3] = 1; /* @n1 */
        first = 1;
    }
    barrier();
    out[ME] = first;
}

// run: -k parts -b 64 i32[4]
// run: -k parts -b 64 -D BAD i32[4]
// finds: out-of-bounds @p4
KERNEL void parts(int *x)
{
    SHARED int both;
    if (ME == 0)
        both = 0;
    barrier();
    if (ME == 5) {
        x[WITHIN(0) ? 4 : 3] = 1; /* @p4 */
        both = 1;
    }
    barrier();
    if (both || ME < 32)
        barrier();
    if (both)
        barrier();
    barrier();
}

// run: -k printed -b 2 i8[2]=65,0 i8[2]=65,66
// run: -k printed -b 2 -D BAD i8[2]=65,0 i8[2]=65,66
// finds: out-of-bounds @te
KERNEL void printed(const char *ends, const char *x)
{
    printf("%s %.*s", ends, WITHIN(0) ? 3 : 2, x); /* @te */
}
