// Numbers that the compiler knows of each thread, in unsigned order: those below 0 come last. The
// same is asked of numbers that are read from memory.
// sizes: 1 2 31 33 64 100 256 1000
// run: -b @B i32[1]=zeros i32[1000]=iota 0 5 4294967295
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void order(int *wrong, const int *a, unsigned zero, unsigned five, unsigned most)
{
    int me = thread_idx.x, same = a[me], count = 0;
    /* a branch, else nobody asks whether all threads agree */
    if (0u - (unsigned)me > zero)
        count += a[1];
    if (3u - (unsigned)me > five)
        count += a[10];
    if ((unsigned)me - 20 < most)
        count += a[100];
    if (five >= (unsigned)(me - 5))
        count += a[200];
    count -= 0u - (unsigned)same > zero ? 1 : 0;
    count -= 3u - (unsigned)same > five ? 10 : 0;
    count -= (unsigned)same - 20 < most ? 100 : 0;
    count -= five >= (unsigned)(same - 5) ? 200 : 0;
    if (count)
        atomic_add(wrong, 1);
}
