# irregular-files.sh - a named pipe, a device or a socket is neither a kernel's text nor included in
# one: nothing waits for it, and the message names the file and what it is.
set -eu

export LANEWISE_CACHE=0
mkfifo pipe
mkdir sub
mkfifo sub/pipe
printf 'KERNEL void k(int *x) { *x = 1; }\n' >kernel.h
head='#include <lanewise/kernel.h>'

# expect STATUS TEXT COMMAND... - within seconds
expect()
{
    want=$1 text=$2 status=0
    shift 2
    timeout 20 "$@" >out 2>err || status=$?
    [ "$status" = "$want" ] && grep -qF -- "$text" err ||
        { echo "$*: status $status, no '$text'" && cat out err && exit 1; }
}
printf '%s\n  #  include "pipe"\n' "$head" >k.c
for command in 'run -d ref' check 'show --stage ir' 'cc -o k.o'; do
    # shellcheck disable=SC2086 # words
    expect 3 "k.c:2:14: error: 'pipe' is a named pipe; need a regular file" "$LANEWISE" $command k.c
done
"$LANEWISE" run - -d ref <k.c >/dev/null 2>err && exit 1
grep -qF "<stdin>:2:14: error: 'pipe' is a named pipe" err || { cat err && exit 1; }
expect 3 "sub/../k.c:2:14: error: 'sub/../pipe' is a named pipe" "$LANEWISE" run -d ref sub/../k.c

printf '%s\n#include <pipe>\n' "$head" >k.c
expect 3 "'sub/pipe' is a named pipe" "$LANEWISE" run -d ref -I sub k.c
printf '%s\n#include "/dev/zero"\n' "$head" >k.c
expect 3 "k.c:2:10: error: '/dev/zero' is a device" "$LANEWISE" run -d ref k.c
printf '%s\nstatic char z[] = {\n#embed "/dev/zero"\n};\n' "$head" >k.c
expect 3 "k.c:3:8: error: '/dev/zero' is a device" "$LANEWISE" run -d ref k.c
# In a header of the user's.
printf '#include "sub/b.h"\n' >a.h
printf '\n#include "pipe"\n' >sub/b.h
printf '%s\n#include "a.h"\n' "$head" >k.c
expect 3 "b.h:2:10: error: 'sub/pipe' is a named pipe" "$LANEWISE" run -d ref k.c
# clang does not take a folder, and looks on.
mkdir sub/kernel.h
printf '%s\n#include "kernel.h"\n' "$head" >sub/k.c
"$LANEWISE" run -d ref -I . sub/k.c 'i32[1]' >out
printf '%s\n#include "/tmp"\n' "$head" >k.c
expect 3 "'/tmp' file not found" "$LANEWISE" run -d ref k.c

# The kernel's text itself. What a shell's <(...) gives is in /dev.
for command in 'run -d ref' check 'show --stage ir'; do
    # shellcheck disable=SC2086 # words
    expect 2 'pipe is a named pipe; need a regular file' "$LANEWISE" $command pipe
done
expect 2 'pipe: not a regular file' "$LANEWISE" cc pipe -o k.o
cat sub/k.c | "$LANEWISE" run /dev/stdin -d ref -I . 'i32[1]' >out
