// tile_load and tile_store copy co-operatively with SHARED_TENSOR: beyond the edge a load gives
// zeros and a store writes nothing; layouts may differ.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B -g 2,3 i32[1] i32[10,7]=iota i32[7,10]
// expect: checked: i32[1] = [6]
// expect: out: i32[7,10] = [[ 0,  7, 14, 21, 28, 35, 42, 49, 56, 63],
// expect:                   [ 1,  8, 15, 22, 29, 36, 43, 50, 57, 64],
// expect:                   [ 2,  9, 16, 23, 30, 37, 44, 51, 58, 65],
// expect:                   [ 3, 10, 17, 24, 31, 38, 45, 52, 59, 66],
// expect:                   [ 4, 11, 18, 25, 32, 39, 46, 53, 60, 67],
// expect:                   [ 5, 12, 19, 26, 33, 40, 47, 54, 61, 68],
// expect:                   [ 6, 13, 20, 27, 34, 41, 48, 55, 62, 69]]
#include <lanewise/kernel.h>

KERNEL void transpose(int *checked, CONST_TENSOR(int, 2) in, TENSOR(int, 2) out)
{
    SHARED_TENSOR(int, block, 4, 4);
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int x = block_idx.x, y = block_idx.y;
    assert(extent(block, 0) == 4 && extent(block, 1) == 4);
    for (int e = me; e < 16; e += threads)
        at(block, e / 4, e % 4) = -1;
    barrier();
    tile_load(block, tile(in, 4, 4, y, x));
    barrier();
    for (int e = 0; e < 16; e++) {
        int i = y * 4 + e / 4, j = x * 4 + e % 4;
        assert(at(block, e / 4, e % 4) == (i < 10 && j < 7 ? i * 7 + j : 0));
    }
    tile_store(tile(out, 4, 4, x, y), transposed(block));
    if (me == 0)
        atomic_add(checked, 1);
}
