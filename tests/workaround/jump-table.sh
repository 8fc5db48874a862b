# jump-table.sh - the assembler of CUDA 13.0 makes a jump by a table of one number compared for
# equality several times, and crashed on such a kernel. So no two of these comparisons follow.
set -eu

cat >kernel.c <<'END'
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
END
lanewise-compile --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 kernel.c 3>built
awk '$1 ~ /^setp.(eq|ne).s32$/ { if ($3 == tested) twice = 1; tested = $3; next }
     $1 !~ /^@/ { tested = "" }
     END { exit twice }' built || { echo "compared for equality twice:"; cat built; exit 1; }
