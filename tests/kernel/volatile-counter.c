// A loop that counts in memory is no wait for others, however long it takes.
// device: cpu `ref` takes minutes for so many trips
// run: -k count -b 1 i32[1]
// expect: x: i32[1] = [30000000]
// run: -k atomically -b 1 i32[1]
// expect: x: i32[1] = [30000000]
#include <lanewise/kernel.h>

KERNEL void count(volatile int *x)
{
    while (x[0] < 30000000)
        x[0]++;
}

KERNEL void atomically(int *x)
{
    while (atomic_load(x) < 30000000)
        atomic_add(x, 1);
}
