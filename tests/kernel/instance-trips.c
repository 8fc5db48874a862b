// A collective in a loop has the lanes in the same iteration, however long each stays. Lane n makes
// n + 1 iterations, so iteration i sums the lanes from i on; then all reconverge.
// sizes: 1 31 32 33 100 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void trips(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int lane = me % 32, rest = threads - me / 32 * 32, lanes = rest < 32 ? rest : 32;
    for (int i = 0; i <= lane; i++) {
        assert(warp_sum(1) == lanes - i);
        assert(ballot(1) >> i << i == ballot(1));
    }
    assert(warp_sum(1) == lanes);

    /* a do loop inside; the inner iterations count from 0 in each outer one */
    for (int i = 0; i < 3; i++) {
        int j = 0;
        do {
            assert(warp_sum(j) == j * (lanes - j / 2));
            j += 2;
        } while (j / 2 <= lane);
    }

    /* block operations in a loop that every thread makes */
    for (int i = 0; i < 4; i++)
        assert(block_sum(i) == i * threads);
    atomic_add(checked, 1);
}
