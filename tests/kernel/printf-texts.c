// What %s may print: literals, tables, buffers, block memory, private arrays, NULL; a precision
// says how much is read.
// run: -b 33 i8[4]=65,66,67,0
// device: !cuda there %s prints constants alone
// expect: [block 0,0,0 thread 0,0,0] odd even tables ABC shared 7own (null) AB ABC A
// expect: [block 0,0,0 thread 32,0,0] even even tables ABC shared 6own (null) AB ABC A
// run: -b 1 -D CONSTANTS i8[4]=65,66,67,0
// expect: [block 0,0,0 thread 0,0,0] odd one (null)
#include <lanewise/kernel.h>

static const char one[] = "one", tables[2][8] = {"table", "tables"};

KERNEL void k(const char *x)
{
    SHARED char shared[8];
    int t = thread_idx.x;
    const char *name = t ? "even" : "odd";
#ifdef CONSTANTS
    printf("%s %s %s", name, one, (const char *)NULL);
#else
    char own[5] = {'7' - (t > 0), 'o', 'w', 'n', 0};
    if (t == 0)
        memcpy(shared, "shared", 7);
    barrier();
    if (t % 32 == 0)
        printf("%s %s %s %s %s %s %s %.2s %.*s %.*s", name, "even", tables[1], x, shared, own,
               (const char *)NULL, x, -1, x, 1, x);
#endif
}
