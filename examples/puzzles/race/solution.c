/* Two races, two cures.
 *
 * The updates of a cell collide with each other: they are made atomic. The zeroing collides with
 * the first updates: a barrier puts it before them. The barrier behind the loop was right, it puts
 * the updates before the reading.
 *
 * Atomics on one cell wait for each other, so many threads on few cells are slow. One block memory
 * for each block, and one addition for each block in the end, keeps that small. A later puzzle
 * counts without atomics.
 */
#include <lanewise/kernel.h>

KERNEL void count(int n, int *counts, const int *x)
{
    SHARED int cell[4];
    int t = thread_idx.x;
    if (t < 4)
        cell[t] = 0;
    barrier();

    for (int i = t; i < n; i += block_dim.x)
        atomic_add(&cell[x[i] % 4], 1);

    barrier();
    if (t < 4)
        counts[t] = cell[t];
}
