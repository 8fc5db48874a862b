// The message names a private array, also where its variable came to stand behind other code.
// run: -k chosen -b 1 i32[2] u32[4] 9
// status: 4
// stderr: bounds-names.c:13:14: index 9 outside: this axis of 'own' has 2 elements
#include <lanewise/kernel.h>

KERNEL void chosen(int *out, const uint4 *rows, int by)
{
    int one = warp_max(1);
    short own[2][2] = {out[0], 1, 1, 1};
    if (rows[0].w % (own[one & 1][1] | 1))
        out[0] = 1;
    out[1] = own[1][by];
}
