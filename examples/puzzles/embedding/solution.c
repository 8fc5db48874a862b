/* A block follows one number, and its threads go along the row.
 *
 * All threads read the same ids[r], which is one access for the warp. Then each round of the loop
 * reads 32 elements in a row. With a thread for each row the warp would touch 32 rows in every
 * step.
 */
#include <lanewise/kernel.h>

KERNEL void embed(int rows, int words, int width, float out[rows][width],
                  const float table[words][width], const int *ids)
{
    int r = block_idx.x, word = ids[r];
    for (int c = thread_idx.x; c < width; c += block_dim.x)
        out[r][c] = table[word][c];
}
