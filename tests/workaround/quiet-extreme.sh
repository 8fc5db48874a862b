# quiet-extreme.sh - for AArch64, LLVM 19 makes fmaxnm of `x >= 1 ? x : 1`, and fminnm of its like.
# Of a signalling NaN these make a quiet one, where the language says 1.
set -eu

cat >kernel.c <<'END'
#include <lanewise/kernel.h>
KERNEL void clamp(float *x)
{
    float v = x[thread_idx.x];
    v = v >= 1 ? v : 1;
    x[thread_idx.x] = v <= 9 ? v : 9;
}
END
cat >expected <<'END'
CHECK-NOT: {{fmaxnm|fminnm}}
CHECK: fcmge
CHECK-NOT: {{fmaxnm|fminnm}}
END
lanewise-compile --device cpu:aarch64 --block 4,1,1 --show asm --out 3 kernel.c 3>built
FileCheck expected <built
