# A kernel comes from a file, a pipe or standard input; what is none of them is one clear error.
fail() { echo "$1"; cat out err; exit 1; }
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void one(int *x) { x[0] = 1; }
K
for way in k.c ./k.c "$PWD/k.c"; do
    "$LANEWISE" run "$way" -b 1 'i32[1]' >out 2>err || fail "run $way"
    grep -qx 'x: i32\[1\] = \[1\]' out || fail "run $way"
done
# No name is an option to any program on the way.
mkdir ./@folder other ./@other
echo '-DONE=2' >define
cp define other/k.c
for name in -k.c @k.c @folder/k.c @folder/@k.c @other/k.c "a b.c" 'q"\.c'; do
    cp k.c "./$name"
    "$LANEWISE" run -b 1 -I @folder -- "$name" 'i32[1]' >out 2>err || fail "run $name"
    grep -qx 'x: i32\[1\] = \[1\]' out || fail "run $name"
    "$LANEWISE" show --stage ir -- "$name" >out 2>err || fail "show $name"
done
"$LANEWISE" run k.c -D @define -b 1 'i32[1]' >out 2>err && fail "-D @define"
grep -q 'macro name must be an identifier' err || fail "-D @define"
"$LANEWISE" run /dev/stdin -b 1 'i32[1]' <k.c >out 2>err || fail "from standard input"
cat k.c | "$LANEWISE" run /dev/stdin -b 1 'i32[1]' >out 2>err || fail "from a pipe"
grep -qx 'x: i32\[1\] = \[1\]' out || fail "from a pipe"
wrong() # FILE TEXT
{
    status=0
    "$LANEWISE" run "$1" -b 1 'i32[1]' >out 2>err || status=$?
    [ "$status" = 2 ] || fail "$1: exit status $status, expected 2"
    grep -q "$2" err || fail "$1: standard error lacks: $2"
}
mkdir folder
wrong none.c 'none.c: No such file or directory'
wrong folder 'folder: Is a directory'
wrong /dev/zero 'goes on after 64 MiB'
: >empty.c
wrong empty.c 'empty.c has no KERNEL'

# What a piped text includes is looked for where it stands; defines and folders reach the compiler.
mkdir sub
echo '#define VALUE 7' >sub/value.h
cat >sub/k.c <<'K'
#include <lanewise/kernel.h>
#include "value.h"
KERNEL void one(int *x) { x[0] = VALUE + EXTRA; }
K
"$LANEWISE" run sub/k.c -D EXTRA=1 -b 1 'i32[1]' >out 2>err || fail "include beside the file"
grep -qx 'x: i32\[1\] = \[8\]' out || fail "include beside the file"
"$LANEWISE" run /dev/stdin -D EXTRA -I sub -b 1 'i32[1]' <sub/k.c >out 2>err || fail "-I"
grep -qx 'x: i32\[1\] = \[8\]' out || fail "-I"
# Another header is another program, also from the cache.
echo '#define VALUE 9' >sub/value.h
"$LANEWISE" run sub/k.c -D EXTRA=1 -b 1 'i32[1]' >out 2>err || fail "changed header"
grep -qx 'x: i32\[1\] = \[10\]' out || fail "changed header"
