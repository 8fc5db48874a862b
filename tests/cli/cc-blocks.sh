# cc-blocks.sh - which code is in an object: the sizes of -b, for all targets or for one, and of
# BLOCK; each target that was asked for; the same bytes each time.
# not under sanitizers: cc.sh runs the same code
set -eu
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void a(int *x) { x[global_idx.x] = thread_idx.x; }
KERNEL BLOCK(4, 2) void b(int *x) { x[global_idx.x] = thread_idx.x; }
K
codes() { nm k.o | sed -n 's/.* lw\.k\.\([ab]\.[^s].*\)/\1/p' | sort | tr '\n' ' '; }
expect()
{
    [ "$(codes)" = "$1" ] || { echo "has $(codes)"; echo "need $1"; exit 1; }
}
"$LANEWISE" cc k.c -o k.o --targets cpu:avx2,ref
expect 'a.avx2.256x1x1 a.ref b.avx2.4x2x1 b.ref '
"$LANEWISE" cc k.c -o k.o --targets cpu:avx2,cpu:baseline --bounds off \
    -b 64 -b 8,8 -b cpu:baseline=32 -b 64,1,1
expect 'a.avx2.64x1x1 a.avx2.8x8x1 a.baseline.32x1x1 b.avx2.4x2x1 b.baseline.4x2x1 '
"$LANEWISE" cc k.c -o k.o --targets cuda:sm_75,ref -b 64 -b 128
expect 'a.ref b.ref '
strings -n 4 k.o >text
[ "$(grep -c '^\.target sm_75' text)" = 3 ]
for n in 1 2; do "$LANEWISE" cc k.c -o $n.o --header $n.h -b 32 -b 64; done
cmp 1.o 2.o && cmp 1.h 2.h
# the macros and folders of -D and -I are those of the kernels
mkdir more
echo '#define N 3' >more/n.h
printf '#include <lanewise/kernel.h>\n#include "n.h"\nKERNEL void NAME(int *x) { *x = N; }\n' >d.c
"$LANEWISE" cc d.c -o d.o --header d.h -D NAME=three -I more --targets ref --depfile d.d
grep -q 'd_three(' d.h && grep -q 'more/n.h' d.d

# LLVM has nothing to say, as it would where it finds the debug information of overloads invalid.
cat >two.c <<'K'
#include <lanewise/kernel.h>
KERNEL void two(float *a, double *b)
{
    a[thread_idx.x] = warp_sum(a[thread_idx.x]);
    b[thread_idx.x] = warp_sum(b[thread_idx.x]);
}
K
"$LANEWISE" cc two.c -o two.o --targets cpu:baseline,cuda:sm_75,ref -b 32 2>err
[ ! -s err ] || { cat err; exit 1; }
