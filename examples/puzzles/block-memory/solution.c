/* All read, all wait, all write.
 *
 * Every kernel that uses block memory has this form: fill it together, meet at a barrier, use what
 * the others have put there. BLOCK(SIZE) fixes the size of a block, since the tile has room for
 * just that many. A block has up to 48 KiB of such memory; it is gone when the block ends.
 */
#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void reverse(float *x)
{
    SHARED float tile[SIZE];
    int t = thread_idx.x;
    size_t i = global_idx.x;

    tile[t] = x[i];
    barrier();
    x[i] = tile[SIZE - 1 - t];
}
