// Shuffles and votes one behind the other, with choices between them that the thread's place makes:
// each step is one of what the warp's own lanes had before, in whole and partial warps.
// sizes: 1 31 32 33 64 72 100 256 1000 1024 8x8x4
// device: !check borrowed values decide branches
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

enum { STEPS = 5 };

SHARED int seen[STEPS + 1][1024];

static bool takes_less(int me)
{
    return (me >> 1 ^ me >> 3) & 1;
}

KERNEL void steps(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int mine = (me * 7919 + 13) % 1000;
    uint32_t odd[STEPS];
    seen[0][me] = mine;
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        int other = shuffle_xor(mine, 1 << k);
        if (takes_less(me))
            mine = other < mine ? other : mine;
        else
            mine = (other > mine ? other : mine) * 3 + 1;
        odd[k] = ballot(mine & 1);
        seen[k + 1][me] = mine;
    }
    barrier();
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        int from = me ^ 1 << k, v = seen[k][me];
        int other = from < threads ? seen[k][from] : v;
        int least = other < v ? other : v, most = other > v ? other : v;
        assert(seen[k + 1][me] == (takes_less(me) ? least : most * 3 + 1));
        assert((odd[k] >> me % 32 & 1) == (uint32_t)(seen[k + 1][me] & 1));
        assert(threads - me / 32 * 32 >= 32 || odd[k] >> threads % 32 == 0);
    }
    atomic_add(checked, 1);
}
