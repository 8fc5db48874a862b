/* x is the column, y the row, and the guard has two parts.
 *
 * It matters which is which. The threads of a warp are neighbours in x, and the elements of a row
 * are neighbours in memory. With x as the row the kernel would be right, too, and several times
 * slower.
 */
#include <lanewise/kernel.h>

KERNEL void flip_rows(int rows, int cols, float out[rows][cols], const float in[rows][cols])
{
    int c = global_idx.x, r = global_idx.y;
    if (r < rows && c < cols)
        out[r][c] = in[r][cols - 1 - c];
}
