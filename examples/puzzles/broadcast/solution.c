/* The row chooses from one array, the column from the other.
 *
 * The threads of a row read the same element of a. Memory delivers it once to all lanes of a warp
 * that ask at the same time. So a warp of one row needs one sector for a, 4 for b and 4 for the
 * result.
 */
#include <lanewise/kernel.h>

KERNEL void outer(int rows, int cols, float out[rows][cols], const float a[rows],
                  const float b[cols])
{
    int c = global_idx.x, r = global_idx.y;
    if (r < rows && c < cols)
        out[r][c] = a[r] * b[c];
}
