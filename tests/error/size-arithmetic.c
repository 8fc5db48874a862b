// A declared size whose arithmetic has no result is an error, not a small size.
// status: 2
// run: -k square 4294967296 f32[4] -b 1
// stderr: 'x' (float [n * n]): the arithmetic of declared size 1 overflows its type
// run: -d cpu -k square 4294967296 f32[4] -b 1
// stderr: 'x' (float [n * n]): the arithmetic of declared size 1 overflows its type
// run: -d check -k square 4294967296 f32[4] -b 1
// stderr: 'x' (float [n * n]): the arithmetic of declared size 1 overflows its type
// run: -k area 65536 u32[4] -b 1
// stderr: the arithmetic of declared size 1 overflows its type
// run: -k part 0 f32[4] -b 1
// stderr: the arithmetic of declared size 1 divides by 0
// run: -d cpu -k part 0 f32[4] -b 1
// stderr: the arithmetic of declared size 1 divides by 0
// run: -d check -k rest 0 f32[4] -b 1
// stderr: the arithmetic of declared size 2 divides by 0
// run: -k power 33 f32[4] -b 1
// stderr: the arithmetic of declared size 1 shifts bits out
// run: -k power 64 f32[4] -b 1
// stderr: the arithmetic of declared size 1 shifts bits out
// run: -k fewer 3 f32[4] -b 1
// stderr: declared size 1 is -2, need at least 0
// run: -d check -k fewer -2147483648 f32[4] -b 1
// stderr: the arithmetic of declared size 1 overflows its type
// run: -k volume 2097152 2097152 2097152 f32[4] -b 1
// stderr: is beyond any memory
#include <lanewise/kernel.h>

KERNEL void square(long n, float x[n * n])
{
    x[3] = 1;
}

KERNEL void area(unsigned n, unsigned x[n * n])
{
    x[3] = 1;
}

KERNEL void part(int n, float x[10 / n])
{
    x[3] = 1;
}

KERNEL void rest(int n, float x[2][n ? 2 : 10 % n])
{
    x[1][1] = 1;
}

KERNEL void power(int n, float x[(size_t)0x80000000 << n])
{
    x[3] = 1;
}

KERNEL void fewer(int n, float x[n - 5])
{
    x[3] = 1;
}

KERNEL void volume(long n, long m, long k, float x[n][m][k])
{
    x[0][0][3] = 1;
}
