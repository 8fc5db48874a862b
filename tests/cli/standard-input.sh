# standard-input.sh - `-` is a kernel file from standard input, which messages call <stdin>; headers
# beside it are those of the working folder.
set -eu

cat >twice.c <<'C'
#include "factor.h"
#include <lanewise/kernel.h>
KERNEL void twice(float *a) { a[thread_idx.x] *= FACTOR; }
C
echo '#define FACTOR 2' >factor.h

[ "$("$LANEWISE" run - -b 3 'f32[3]=iota' <twice.c)" = 'a: f32[3] = [0.0, 2.0, 4.0]' ]
[ "$("$LANEWISE" run -b 3 -d ref -k twice -- - 'f32[3]=iota' <twice.c)" = \
    'a: f32[3] = [0.0, 2.0, 4.0]' ]
"$LANEWISE" show - --stage asm <twice.c | grep -q 'twice'
"$LANEWISE" show - --stage ir --json <twice.c | grep -q '{"file": "<stdin>", "stage": "ir"'

# The functions of an object are named after it; the rule for make has the headers only.
"$LANEWISE" cc - -o mine.o --header mine.h --depfile mine.d --targets ref <twice.c
grep -q 'lw_status mine_twice(' mine.h
grep -q 'factor.h' mine.d
if grep -q 'stdin>\|/proc' mine.d; then exit 1; fi

# refused STATUS TEXT WORDS...: with what stands on standard input
refused()
{
    want=$1 text=$2 status=0
    shift 2
    "$LANEWISE" "$@" >out 2>err || status=$?
    [ $status = "$want" ] && [ ! -s out ] && grep -qF -- "$text" err ||
        { echo "lanewise $*: status $status" && cat out err && exit 1; }
}
printf '\nint x = y;\n' >bad.c
refused 3 '<stdin>:2:9: error: use of undeclared' run - 'f32[1]' <bad.c
refused 3 '<stdin>:2:9: error: use of undeclared' show - --stage ir <bad.c
refused 3 '<stdin>:2:9: error: use of undeclared' cc - -o mine.o --targets ref <bad.c
refused 2 '<stdin> has no KERNEL' run - 'f32[1]' </dev/null
printf 'a\0b' >zero
refused 2 'standard input: byte 1 is 0; a kernel file is text' run - 'f32[1]' <zero
refused 2 'standard input: byte 1 is 0' show - --stage ir <zero
refused 2 'standard input: Is a directory' run - 'f32[1]' <.
refused 2 'standard input: Bad file descriptor' run - 'f32[1]' <&-

# A large file, in pieces.
{
    cat twice.c
    seq 1 100000 | sed 's|.*|// line & of many|'
} >large.c
# shellcheck disable=SC2002 # a pipe
[ "$(cat large.c | "$LANEWISE" run - -b 3 'f32[3]=iota')" = 'a: f32[3] = [0.0, 2.0, 4.0]' ]

# What Lanewise itself refuses has its picture, and not that of a file of that name.
echo 'wrong' >'<stdin>'
printf '#include <lanewise/kernel.h>\nKERNEL void k(int n) { float w[n]; w[0] = 1; }\n' >vla.c
! "$LANEWISE" run - 1 <vla.c 2>err
grep -q '^<stdin>:2:24: error: a local variable-length array' err
grep -q '^    2 | KERNEL void k(int n) { float w\[n\]' err
grep -q '^      |                        ^~~~~$' err
