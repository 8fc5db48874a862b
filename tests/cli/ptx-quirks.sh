# ptx-quirks.sh - what the assembler of CUDA 13.0 gets wrong is not written: shifts of a negated
# number, and one number compared for equality twice in a row, of which it makes a jump by a table.
set -eu

cat >kernel.c <<'EOF'
#include <lanewise/kernel.h>
KERNEL void shift(int *out, const int64_t *in)
{
    out[thread_idx.x] += -(int)in[thread_idx.x] >> 3;
}
EOF
cat >expected <<'EOF'
CHECK: .entry shift(
CHECK: add.s32 [[LESS:%r[0-9]+]], {{%r[0-9]+}}, -1;
CHECK: shr.s32 [[SHIFTED:%r[0-9]+]], [[LESS]], 3;
CHECK: not.b32 {{%r[0-9]+}}, [[SHIFTED]];
EOF
ptx()
{
    "$BUILD/src/compile/lanewise-compile" --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 \
        kernel.c 3>built
}
ptx
tr '\t' ' ' <built | tr -s ' ' | FileCheck expected

cat >kernel.c <<'EOF'
#include <lanewise/kernel.h>
KERNEL void choose(int *out, const int *in, int n)
{
    for (int k = 0; k < in[thread_idx.x]; k++)
        out[thread_idx.x] += warp_sum(in[k]);
    switch (n) {
    case -1: out[0] = in[5]; break;
    case 0: barrier(); break;
    default: atomic_add(out, 3);
    }
}
EOF
ptx
awk '$1 ~ /^setp.(eq|ne).s32$/ { if ($3 == tested) twice = 1; tested = $3; next }
     $1 !~ /^@/ { tested = "" }
     END { exit twice }' built || { echo "compared for equality twice:"; cat built; exit 1; }
