// Numbers are below 0, or wrap there, in threads that a guard keeps away, the first of the block
// among them: what the others index with is not.
// sizes: 1 2 31 33 64 100 256 1000
// run: -g 3 -b @B i32[1] i32[3000]=iota
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void behind_a_guard(int *wrong, const int *a)
{
    unsigned n = block_dim.x, i = thread_idx.x, step = block_idx.x + 1;
    if (i >= step && a[i - step] != (int)(i - step))
        atomic_add(wrong, 1);
    if (i >= step && a[2 * (i - step)] != 2 * (int)(i - step))
        atomic_add(wrong, 1);
    unsigned short half = (unsigned short)i, back = (unsigned short)(half - 2);
    if (half >= 2 && a[back] != (int)back)
        atomic_add(wrong, 1);
    int at = block_idx.x * block_dim.x + thread_idx.x;
    if (at > 0 && a[at - 1] != at - 1)
        atomic_add(wrong, 1);
    int before = at - 1, far = at - (int)n / 2;
    if (before >= 0 && a[before] != before)
        atomic_add(wrong, 1);
    if (far >= 0 && a[far] != far)
        atomic_add(wrong, 1);
    /* from the other end: the last thread's is the smallest */
    unsigned last = n - step - i;
    if (i + step <= n && a[last] != (int)last)
        atomic_add(wrong, 1);
}
