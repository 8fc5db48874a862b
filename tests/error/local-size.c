// run: -k large i32[1]
// status: 3
// stderr: local-size.c:11:13: error: 'large' has 4000000008 bytes of local variables, at most
// stderr: local-size.c:16:13: error: 'several' has
#include <lanewise/kernel.h>
KERNEL void fits(int *out)
{
    int a[100000];
    a[out[0]] = 1, out[0] = a[1];
}
KERNEL void large(int *out)
{
    int a[1000000000];
    a[out[0]] = 1, out[0] = a[1];
}
KERNEL void several(int *out)
{
    int a[100000], b[100000];
    a[out[0]] = 1, b[out[0]] = a[1], out[0] = b[1];
}
