/* Races in which both store the same value: warnings. Each kernel is silent without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define FIRST(c) 1
#else
#define FIRST(c) (c)
#endif

// run: -k flag -b 64 i32[1]
// run: -k flag -b 64 -D BAD i32[1]
// finds: benign-write @f1 @f1
KERNEL void flag(int *found)
{
    if (FIRST(ME == 0))
        found[0] = 1; /* @f1 */
}

// run: -k blocks -b 1 -g 4 f32[1]
// run: -k blocks -b 1 -g 4 -D BAD f32[1]
// finds: benign-write @b1 @b1
KERNEL void blocks(float *x)
{
    if (FIRST(block_idx.x == 0))
        x[0] = 2.5f; /* @b1 */
}

// run: -k clear -b 32 i32[1]
// run: -k clear -b 32 -D BAD i32[1]
// finds: benign-write @c1 @c1
KERNEL void clear(int *out)
{
    SHARED int n;
    if (FIRST(ME == 0))
        n = 0; /* @c1 */
    barrier();
    atomic_add(&n, 1);
    barrier();
    if (ME == 0)
        out[0] = n;
}

// run: -k bytes -b 64 u8[4]
// run: -k bytes -b 64 -D BAD u8[4]
// finds: benign-write @y1 @y1
KERNEL void bytes(uint8_t *x)
{
    if (FIRST(ME == 3))
        x[3] = 7; /* @y1 */
}

// run: -k two_places -b 64 i32[1]
// run: -k two_places -b 64 -D BAD i32[1]
// finds: benign-write @t2 @t1
KERNEL void two_places(int *x)
{
    if (ME == 0)
        x[0] = 3; /* @t1 */
    if (FIRST(0) && ME == 33)
        x[0] = 3; /* @t2 */
}
