# ptx-memory.sh - on a GPU, loads through a pointer that is declared restrict and only read are not
# coherent, and no others; atomics go to memory of a known kind; what does not has a remark.
# not under sanitizers: it is about the text of PTX; tests/kernel compiles as much
set -eu

cat >kernel.c <<'TEXT'
#include <lanewise/kernel.h>
KERNEL void reads(float *out, const float *restrict a, const float *b)
{
    out[thread_idx.x] = a[thread_idx.x] + b[thread_idx.x + 1];
}
KERNEL void shifts(float *restrict a)
{
    float next = a[thread_idx.x + 1];
    barrier();
    a[thread_idx.x] = next;
}
KERNEL void spins(float *out, const int *restrict flag)
{
    while (atomic_load(flag) == 0)
        ;
    out[thread_idx.x] = 1;
}
KERNEL void counts(int *out, const unsigned char *a)
{
    SHARED int count[64];
    count[thread_idx.x] = 0;
    barrier();
    atomic_add(&count[a[thread_idx.x] % 64], 1);
    atomic_max(&out[thread_idx.x], thread_idx.x);
    barrier();
    out[thread_idx.x] = count[thread_idx.x];
}
KERNEL void either(float *out, const float *a, int n)
{
    SHARED float row[64];
    row[thread_idx.x] = a[thread_idx.x];
    barrier();
    const float *from = n > 3 ? row : a;
    out[thread_idx.x] = from[n];
}
TEXT
ptx() {
    "$LANEWISE" show kernel.c -k "$1" -b 64 --stage ptx >built 2>said
}
want() { grep -q "$1" built || { echo "no '$1' in:"; cat built; exit 1; }; }
lacks() { ! grep "$1" "${2:-built}" || exit 1; }

ptx reads
want 'ld\.global\.nc\.f32.*\[%rd[0-9]*\]'
want 'ld\.global\.f32.*+4\]'
lacks remark said
ptx shifts
lacks '\.nc\.'
ptx spins
lacks '\.nc\.'
ptx counts
want 'atom\.shared\.add\|red\.shared\.add'
want 'atom\.global\.max\|red\.global\.max'
lacks remark said
ptx either
want '	ld\.f32'
grep -q '^kernel.c:34:25: remark: generic: ' said
[ "$(grep -c remark said)" = 1 ]
