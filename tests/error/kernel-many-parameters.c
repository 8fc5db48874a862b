// run: 1
// status: 3
// stderr: kernel-many-parameters.c:7:
// stderr: kernel 'k' has 65 parameters, at most 64 are possible
#include <lanewise/kernel.h>
#define EIGHT(x) int x##0, int x##1, int x##2, int x##3, int x##4, int x##5, int x##6, int x##7
KERNEL void k(EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), EIGHT(h), int i)
{
}
