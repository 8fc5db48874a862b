// An empty text is a text: LLVM has it as a zero.
// run: -b 1 0
// expect: [block 0,0,0 thread 0,0,0] 'many'
// expect: [block 0,0,0 thread 0,0,0] ''
#include <lanewise/kernel.h>

KERNEL void print(int n)
{
    printf("'%s'\n", n ? "" : "many");
    printf("'%s'\n", "");
}
