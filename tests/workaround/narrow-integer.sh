# narrow-integer.sh - a float becomes a number of 8 or 16 bits by way of 32. The hardware's
# conversion to 16 bits leaves the rest of a register as it was. CUDA 13.0's assembler takes that
# rest for 0.
set -eu

cat >kernel.c <<'END'
#include <lanewise/kernel.h>
KERNEL void narrow(int *out, const float *in)
{
    const float x = in[thread_idx.x];
    out[thread_idx.x] = (uint8_t)x + (int8_t)x + (uint16_t)x + (int16_t)x;
}
END
cat >expected <<'END'
CHECK: .entry narrow(
CHECK-NOT: cvt.rzi.{{[su](8|16)}}.f32
CHECK: cvt.rzi.s32.f32
CHECK-NOT: cvt.rzi.{{[su](8|16)}}.f32
CHECK: ret;
END
lanewise-compile --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 kernel.c 3>built
FileCheck expected <built
