// What printf cannot keep is counted and said.
// run: --quiet -b 1024 -g 100 i32[1]
// stderr: lost
#include <lanewise/kernel.h>

KERNEL void much(int *out)
{
    for (int i = 0; i < 20; i++)
        printf("%d %d a line of some length that fills whatever room there is for text\n", i, *out);
}
