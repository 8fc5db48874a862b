# ptx-rarely.sh - on a GPU, too, the way that lanes rarely need of rsqrt lies behind a branch.
set -eu

cat >kernel.c <<'EOF'
#include <lanewise/kernel.h>
KERNEL void scale(const float *in, float *out)
{
    out[thread_idx.x] = rsqrt(in[thread_idx.x]) + rsqrt(in[thread_idx.x + 64]);
}
EOF
cat >expected <<'EOF'
CHECK: .visible .entry
CHECK-NOT: sqrt.
CHECK: @%p{{[0-9]+}} bra
CHECK-NOT: sqrt.
CHECK: @%p{{[0-9]+}} bra
CHECK-NOT: sqrt.
CHECK: ret;
CHECK: sqrt.rn.f32
CHECK: sqrt.rn.f32
CHECK-NOT: sqrt.
CHECK: }
EOF
"$BUILD/src/compile/lanewise-compile" --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 \
    kernel.c 3>built
FileCheck expected <built
