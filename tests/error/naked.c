// run: -k k i32[1]
// status: 3
// stderr: naked.c:6:36: error: kernel 'k' has an attribute such as naked or nodebug
// stderr: naked.c:9:38: error: kernel 'n' has an attribute such as naked or nodebug
#include <lanewise/kernel.h>
KERNEL __attribute__((naked)) void k(int *out)
{
}
KERNEL __attribute__((nodebug)) void n(int *out)
{
}
