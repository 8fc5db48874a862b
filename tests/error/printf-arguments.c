// run: -b 1 5
// status: 3
// stderr: printf-arguments.c:10:
// stderr: printf with 65 arguments, at most 64 are possible
#include <lanewise/kernel.h>
#define DIGITS "%d%d%d%d%d%d%d%d"
#define EIGHT(x) x, x, x, x, x, x, x, x
KERNEL void k(int n)
{
    printf(DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS "%d\n", EIGHT(EIGHT(n)), n);
}
