// run: -b 1 5
// status: 3
// stderr: assert-that-arguments.c:8:
// stderr: assert_that with 5 arguments, at most 4 are possible
#include <lanewise/kernel.h>
KERNEL void k(int n)
{
    assert_that(n, "%d%d%d%d%d", n, n, n, n, n);
}
