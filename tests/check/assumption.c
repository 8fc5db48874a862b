/* What the program promises to the compiler. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define UNLESS_BAD(c) 1
#else
#define UNLESS_BAD(c) (c)
#endif

// run: -k condition -b 8 i32[8]
// run: -k condition -b 8 -D BAD i32[8]
// finds: assumption @c1
KERNEL void condition(int *out)
{
    if (UNLESS_BAD(ME < 5))
        __builtin_assume(ME < 5); /* @c1 */
    out[ME] = ME < 5 ? 1 : 2;
}

// run: -k choice -b 4 i32[4] i32[4]=0,1,2,3
// run: -k choice -b 4 -D BAD i32[4] i32[4]=0,1,2,4
// finds: assumption @s1
KERNEL void choice(int *out, const int *x)
{
    switch (x[ME]) {
    case 0:
    case 1: out[ME] = 7; break;
    case 2: out[ME] = 8; break;
    case 3: out[ME] = 9; break;
    default: __builtin_unreachable(); /* @s1 */
    }
}

static float first(const float *x)
{
    const float *aligned = __builtin_assume_aligned(x, 32); /* @a1 */
    return *aligned;
}

// run: -k aligned -b 2 f32[2] f32[16]
// run: -k aligned -b 2 -D BAD f32[2] f32[16]
// finds: assumption @a1
KERNEL void aligned(float *out, const float *x)
{
    out[ME] = first(x + (UNLESS_BAD(0) ? 4 : 8) * ME);
}

static __attribute__((noreturn)) void never(int *out)
{
    out[ME] = 1;
} /* @n1 */

// run: -k returns -b 2 i32[2]
// run: -k returns -b 2 -D BAD i32[2]
// finds: assumption @n1
KERNEL void returns(int *out)
{
    if (UNLESS_BAD(ME > 1))
        never(out);
}
