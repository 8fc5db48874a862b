// run: 'f32[8]' 3
// status: 3
// stderr: recursion-mutual.c:13:
// stderr: recursion: 'is_odd' calls 'is_even', which leads back to it
#include <lanewise/kernel.h>
static int is_odd(int n);
static int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
static int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}
KERNEL void k(float out[8], int n)
{
    out[thread_idx.x] = is_even(n);
}
