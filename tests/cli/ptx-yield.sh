# ptx-yield.sh - lanes that leave a loop with atomics one by one are brought together in front of
# the next collective, and right behind an atomic operation that becomes such a loop. Other kernels
# have nothing of it; nor has what stands behind a loop of the text.
# not under sanitizers: it is about the text of PTX; tests/kernel compiles as much
set -eu

cat >kernel.c <<'EOF'
#include <lanewise/kernel.h>
KERNEL void bytes(const uint8_t *in, uint8_t *cell, int *out)
{
    atomic_max(cell, in[thread_idx.x]);
    out[thread_idx.x] = warp_sum(in[thread_idx.x + 64]);
}
KERNEL void loop(const int *in, int *cell, int *out)
{
    int old = atomic_load(cell), now;
    while ((now = atomic_cas(cell, old, old * in[thread_idx.x])) != old)
        old = now;
    out[thread_idx.x] = 1;
    out[thread_idx.x + 64] = warp_sum(in[thread_idx.x]);
}
KERNEL void plain(const int *in, int *cell, int *out)
{
    atomic_max(cell, in[thread_idx.x]);
    out[thread_idx.x] = warp_sum(in[thread_idx.x]);
}
EOF

# order KERNEL - what of these its PTX has, in their order
order()
{
    "$BUILD/src/compile/lanewise-compile" --device cuda:sm_90 --kernel "$1" --block 64,1,1 \
        --show ptx --out 3 kernel.c 3>built
    grep -o 'atom[a-z.]*cas\|atom[a-z.]*max\|%lanemask_gt\|bar.warp.sync\|shfl\|st.global' built |
        uniq | tr '\n' ' '
}
test "$(order bytes)" = 'atom.global.cas %lanemask_gt bar.warp.sync shfl st.global '
test "$(order loop)" = 'atom.global.cas st.global %lanemask_gt bar.warp.sync shfl st.global '
test "$(order plain)" = 'atom.global.max shfl st.global '
