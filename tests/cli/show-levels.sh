# show-levels.sh - the cpu's code uses the vectors of its level, all of them, and never fuses a
# product and a sum that the kernel did not; it converts vectors, not one lane after the other.
# not under sanitizers: it is about instructions; tests/kernel compiles as much
set -eu

cat >k.c <<'END'
#include <lanewise/kernel.h>
#define I global_idx.x
KERNEL void apart(float *a, const float *b) { a[I] = a[I] * b[I] + 3; }
KERNEL void fused(float *a, const float *b) { a[I] = fma(a[I], b[I], 3.0f); }
KERNEL void at_least_one(float *a) { a[I] = a[I] >= 1 ? a[I] : 1; }
KERNEL void converted(int *a, const float *b) { a[I] = (int)b[I]; }
KERNEL void narrowed(uint8_t *a, const double *b) { a[I] = (uint8_t)b[I]; }
KERNEL void fenced(int *a, int *b) { a[I] = 1; fence_device(); atomic_store(&b[I], 2); }
END

has() { grep -q "$1" "$2" || { echo "no $1 in $2"; exit 1; }; }
lacks() { if grep "$1" "$2"; then echo "$1 in $2"; exit 1; fi; }
show()
{
    "$LANEWISE" show k.c --stage asm -d "cpu:$1" -k "$2" >"$2.$1" || { cat "$2.$1"; exit 1; }
}
for level in baseline avx2 avx512; do
    show "$level" apart
    lacks 'fmadd\|call.*fma' "apart.$level"
    has 'mulps' "apart.$level"
    show "$level" fused
    show "$level" converted
    show "$level" narrowed
    lacks 'cvtts[sd]2si' "converted.$level"
    lacks 'cvtts[sd]2si' "narrowed.$level"
done
has 'cvttps2dq.*zmm' converted.avx512
lacks 'ymm\|zmm' apart.baseline
has 'mulps.*ymm' apart.avx2
lacks 'zmm' apart.avx2
has 'mulps.*zmm' apart.avx512
lacks 'mulps.*ymm' apart.avx512
has 'fmaf' fused.baseline
has 'vfmadd.*ymm' fused.avx2
has 'vfmadd.*zmm' fused.avx512

# AArch64: fmaxnm makes a quiet NaN of a signalling one; stores pass each other without a barrier.
for kernel in apart fused at_least_one converted narrowed fenced; do
    show aarch64 "$kernel"
done
lacks 'fmla\|fmadd' apart.aarch64
has 'fmul.*4s' apart.aarch64
has 'fmla.*4s' fused.aarch64
has 'fcvtzs.*4s' converted.aarch64
has 'fcvtzu.*2d' narrowed.aarch64
has 'fcmge.*4s' at_least_one.aarch64
lacks 'fmaxnm' at_least_one.aarch64
has 'dmb.*ish' fenced.aarch64
