// Every message has the line and the column of the name that it is about, which debug info lacks
// for functions, variables and globals; static variables of one name are called by it.
// run: -k k 'i32[8]' 3
// status: 3
// stderr: columns.c:14:5: error: 'total' is global data that can change
// stderr: columns.c:16:33: error: 'other' is an alias
// stderr: columns.c:17:12: error: 'wide' takes variable arguments
// stderr: columns.c:22:19: error: 'long double' is not in the kernel language
// stderr: columns.c:23:18: error: 'counter' is static data that can change
// stderr: columns.c:24:18: error: 'counter' is static data that can change
// stderr: columns.c:28:13: error: 'k3' has 600012 bytes of local variables
// stderr: columns.c:34:20: error: 'hidden' is static data that can change
#include <lanewise/kernel.h>
int total;
static int helper(int n) { return n; }
extern __typeof__(helper) mine, other __attribute__((alias("helper")));
static int wide(int n, ...) { return n; }
#define HIDDEN static int hidden

KERNEL void k(int *o, int n)
{
    long double   x = n;
    { static int counter; o[0] = counter++; }
    { static int counter; o[1] = counter++; }
    o[2] = (int)x + helper(total) + wide(1, 2);
}

KERNEL void k3(int *o)
{
    char large[600000];
    for (int i = 0; i < 600000; i++)
        large[i] = (char)o[i];
    o[0] = large[o[1]];
    HIDDEN; o[1] = hidden++;
}
