// run: -k k i32[1]
// status: 3
// stderr: 'other' is an alias, which is not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(int *out)
{
    out[0] = 1;
}
void other(int *out) __attribute__((alias("k")));
