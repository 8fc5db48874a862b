# negated-shift.sh - the assembler of CUDA 13.0 takes a shift of a negated number for the negation
# of a shifted one. So no such shift is written.
set -eu

cat >kernel.c <<'END'
#include <lanewise/kernel.h>
KERNEL void shift(int *out, const int64_t *in)
{
    out[thread_idx.x] += -(int)in[thread_idx.x] >> 3;
}
END
cat >expected <<'END'
CHECK: .entry shift(
CHECK: add.s32 [[LESS:%r[0-9]+]], {{%r[0-9]+}}, -1;
CHECK: shr.s32 [[SHIFTED:%r[0-9]+]], [[LESS]], 3;
CHECK: not.b32 {{%r[0-9]+}}, [[SHIFTED]];
END
lanewise-compile --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 kernel.c 3>built
tr '\t' ' ' <built | tr -s ' ' | FileCheck expected
