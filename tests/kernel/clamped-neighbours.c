// Neighbours with a clamped index, by every way to clamp, inside of an image and at its edges; and
// a tile's halo, which the first and last threads load, or those at an edge.
// sizes: 1 16 31 33 64 250
// run: -b @B -g 300,3 i32[1] i32[600]=iota 200
// expect: done: i32[1] = [600]
#include <lanewise/kernel.h>

SHARED int tile[1024 + 2];

static int clamped(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

KERNEL void neighbours(int *done, const int *image, int n)
{
    int x = global_idx.x, y = block_idx.y, tx = thread_idx.x, row = y * n;
    bool is_inside = x < n;
    if (is_inside) {
        int west = image[row + max(x - 1, 0)], east = image[row + min(x + 1, n - 1)];
        assert(west == row + clamped(x - 1, 0, n - 1));
        assert(east == row + clamped(x + 1, 0, n - 1));
        west = image[row + (x > 2 ? x - 3 : 0)];
        east = image[row + (x + 3 < n ? x + 3 : n - 1)];
        assert(west == row + clamped(x - 3, 0, n - 1));
        assert(east == row + clamped(x + 3, 0, n - 1));
        unsigned u = x, m = n;
        west = image[row + (u > 1 ? u - 1 : 0u)];
        east = image[row + (u + 2 > m - 1 ? m - 1 : u + 2)];
        assert(west == row + (x > 1 ? x - 1 : 0));
        assert(east == row + clamped(x + 2, 0, n - 1));
        assert(image[row + n - 1 - max(x - 1, 0)] == row + n - 1 - clamped(x - 1, 0, n - 1));
        tile[tx + 1] = image[row + x];
        if (tx == 0)
            tile[0] = image[row + max(x - 1, 0)];
        if (tx == (int)block_dim.x - 1 || x == n - 1)
            tile[tx + 2] = image[row + min(x + 1, n - 1)];
    }
    barrier();
    if (is_inside) {
        assert(tile[tx] == row + clamped(x - 1, 0, n - 1));
        assert(tile[tx + 1] == row + x);
        assert(tile[tx + 2] == row + clamped(x + 1, 0, n - 1));
        atomic_add(done, 1);
    }
}
