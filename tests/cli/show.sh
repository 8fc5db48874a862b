# show.sh - every stage of a kernel as text; options reach the compiler; diagnostics have their
# form.
set -eu

cat >k.c <<'END'
#include <lanewise/kernel.h>
#include <factor.h>
KERNEL void scale(float *a) { a[global_idx.x] *= FACTOR * TWO; barrier(); }
END
mkdir include && echo '#define FACTOR 3' >include/factor.h

show() { "$LANEWISE" show k.c -I include -DTWO=2 --stage "$1" >"$1" || { cat "$1"; exit 1; }; }
show ir && grep -q 'define.*scale' ir
show instances && grep -q 'define.*scale' instances
show uniform && grep -q 'define.*scale' uniform
if grep 'call.*@lw.block_dim' uniform; then exit 1; fi
show widened && grep -q 'define.*lw.cpu.scale' widened
show asm && grep -q 'scale' asm
show ptx && grep -q '\.entry scale' ptx

status=0
"$LANEWISE" show k.c -I include --stage ir >out 2>err || status=$?
[ "$status" = 3 ] && [ ! -s out ]
grep -q '^k.c:3:[0-9]*: error: .*TWO' err
