# gdb stops at a line of kernel source and steps through it.
command -v gdb >/dev/null || { echo "no gdb here"; exit 77; }
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void twice(float *x)
{
    float v = x[thread_idx.x];
    v = v * 2;
    barrier();
    x[thread_idx.x] = v;
}
K
gdb -batch -nx -ex 'set breakpoint pending on' -ex 'set debuginfod enabled off' -ex 'break k.c:6' \
    -ex run -ex 'next' --args "$LANEWISE" run k.c -d ref -b 2 'f32[2]=iota' >out 2>&1 || true
grep -q 'hit Breakpoint 1.* twice (.*k.c:6' out && grep -q '^6[[:space:]].*barrier();' out && exit 0
grep -q 'Could not trace the inferior\|ptrace' out && { echo "gdb may not trace here"; exit 77; }
cat out
exit 1
