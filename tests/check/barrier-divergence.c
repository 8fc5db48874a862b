/* Barriers and block operations that not all threads reach. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define ALL(c) (c)
#else
#define ALL(c) 1
#endif

// run: -k arm -b 64 i32[64]
// run: -k arm -b 64 -D BAD i32[64]
// finds: barrier-divergence @h1 @h2
KERNEL void arm(int *out)
{
    if (ALL(ME < 32))
        barrier(); /* @h1 */
    barrier(); /* @h2 */
    out[ME] = 1;
}

// run: -k trips -b 64 i32[64]
// run: -k trips -b 64 -D BAD i32[64]
// finds: barrier-divergence @t1 @t2
KERNEL void trips(int *out)
{
    for (int i = 0; i < (ALL(ME < 32) ? 3 : 2); i++)
        barrier(); /* @t1 */
    barrier(); /* @t2 */
    out[ME] = 1;
}

// run: -k sums -b 64 i32[64]
// run: -k sums -b 64 -D BAD i32[64]
// finds: barrier-divergence @s1 @s2
KERNEL void sums(int *out)
{
    int x = 0;
    if (ALL(ME % 2 == 0))
        x = block_sum(1); /* @s1 */
    else
        x = block_sum(2); /* @s2 */
    out[ME] = x;
}

// run: -k leaves -b 64 i32[64]
// run: -k leaves -b 64 -D BAD i32[64]
// finds: barrier-divergence @l1 @l2
KERNEL void leaves(int *out)
{
    for (int i = 0; i < 4; i++) {
        if (!ALL(ME < 40) && i == 2)
            break;
        barrier(); /* @l1 */
    }
    out[ME] = block_sum(1); /* @l2 */
}

// run: -k each_block -b 64 -g 2 i32[128]
// run: -k each_block -b 64 -g 2 -D BAD i32[128]
// finds: barrier-divergence @e1 @e2
KERNEL void each_block(int *out)
{
    if (ALL(block_idx.x == 0 || ME < 5))
        barrier(); /* @e1 */
    barrier(); /* @e2 */
    out[global_idx.x] = 1;
}
