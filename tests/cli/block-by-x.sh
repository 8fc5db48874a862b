# block-by-x.sh - sizes may be written 16x16 as well as 16,16, and 0x10 stays one number.
set -eu
cat >k.c <<'END'
#include <lanewise/kernel.h>
KERNEL void sizes(int *out)
{
    out[0] = block_dim.x, out[1] = block_dim.y, out[2] = block_dim.z;
    out[3] = grid_dim.x, out[4] = grid_dim.y, out[5] = grid_dim.z;
}
END
is()
{
    want=$1
    shift
    got=$("$LANEWISE" run -d ref k.c 'i32[6]' "$@")
    [ "$got" = "out: i32[6] = [$want]" ] || { echo "$got"; exit 1; }
}
is '16, 8, 1, 4, 3, 1' -b 16x8 -g 4x3
is '2, 3, 4, 5, 6, 7' -b 2x3x4 -g 5x6x7
is '16, 8, 1, 2, 16, 1' -b 0x10,8 -g 2x0x10
"$LANEWISE" cc k.c -o k.o --header k.h -b 8x4 --targets ref,cpu:baseline
status=0
"$LANEWISE" cc k.c -o k.o -b 8xy --targets ref 2>err || status=$?
[ $status = 2 ]
grep -q "^lanewise: -b: 'y' is not a whole number" err
