// A signed sum or product that overflows is some number. By an index that is made of one no access
// leaves its object: neither in a launch that was proved nor in one that compares.
// device: cpu ref and check have other numbers, and check tells of them
// run: -k sums -b 4 i32[8] -2147483648 -2147483648
// expect: x: i32[8] = [1, 1, 1, 1, 0, 0, 0, 0]
// run: -k products -b 4 i32[8] 65536 65536
// expect: x: i32[8] = [1, 1, 1, 1, 0, 0, 0, 0]
// run: -k together -b 4 i32[4] 65536 65536
// expect: x: i32[4] = [5, 5, 5, 5]
// run: -k repeated -b 4 i64[8] 65536 6
// expect: x: i64[8] = [6, 6, 6, 6, 0, 0, 0, 0]
// run: -k gathered -b 4 i32[8] i32[4]=iota 1073741824
// expect: x: i32[8] = [1, 0, 0, 0, 0, 0, 0, 0]
// run: -k sums -b 4 i32[8] 2147483647 2147483647
// status: 4
// stderr: write of 4 bytes outside: index -2 of 'x', which has 8 elements
#include <lanewise/kernel.h>

KERNEL void sums(int *x, int a, int b)
{
    x[a + b + (int)thread_idx.x] = 1;
}

KERNEL void products(int *x, int a, int b)
{
    x[a * b + (int)thread_idx.x] = 1;
}

KERNEL void together(int *x, int a, int b)
{
    SHARED int list[4];
    list[thread_idx.x] = 5;
    barrier();
    x[thread_idx.x] = list[a * b + (int)thread_idx.x];
}

KERNEL void repeated(long *x, int step, int n)
{
    for (int i = 0; i < n; i++)
        x[i * step * 65536 + (int)thread_idx.x] += 1;
}

KERNEL void gathered(int *x, const int *a, int by)
{
    x[a[thread_idx.x] * 4 * by] = 1;
}
