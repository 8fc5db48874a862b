# cache-planted.sh - what another user has put into the cache, or can write to, is not used: the
# kernel is compiled again, and the entry is then the user's own.
set -eu

printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x += 1; }\n' >k.c
printf '#!/bin/sh\necho >>starts\nexec %s "$@"\n' "$BUILD/src/compile/lanewise-compile" >compile
chmod +x compile
export LANEWISE_COMPILE="$PWD/compile" LANEWISE_CACHE_DIR="$PWD/cache"

# starts COUNT WHAT - run; the compiler is started so often
starts()
{
    : >starts
    timeout 60 "$LANEWISE" run k.c -d ref -b 1 'i32[1]=1' >out
    [ "$(cat out)" = 'x: i32[1] = [2]' ] || { echo "$2:" && cat out && exit 1; }
    [ "$(wc -l <starts)" = "$1" ] || { echo "$2: $(wc -l <starts) starts, not $1" && exit 1; }
}
starts 1 'new'
text=$(ls cache/*.txt) code=$(ls cache/*.so)

# spoils COMMAND FILE - the entry is not used, and after that there is a good one
spoils()
{
    starts 0 "before $1"
    "$1" "$2"
    starts 1 "$1 of $2"
    starts 0 "after $1"
    rm -f elsewhere
}
writable_by_group() { chmod g+w "$1"; }
writable_by_all() { chmod o+w "$1"; }
a_link() { mv "$1" elsewhere && ln -s "$PWD/elsewhere" "$1"; }
a_hard_link() { ln "$1" elsewhere; }
a_pipe() { rm "$1" && mkfifo "$1"; }
a_folder() { rm "$1" && mkdir "$1"; }
of_another_user() { chown 65534 "$1"; }
for file in "$text" "$code"; do
    for spoil in writable_by_group writable_by_all a_link a_hard_link a_pipe; do
        spoils $spoil "$file"
    done
    [ "$(id -u)" != 0 ] || spoils of_another_user "$file"
done
# It cannot be replaced, and is done without.
rm "$text" && mkdir "$text"
starts 1 'a folder'
starts 1 'a folder still'
rmdir "$text"

# A header that has become a pipe since.
printf '#define N 1\n' >n.h
printf '#include "n.h"\n#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x += N; }\n' >k.c
starts 1 'with a header'
starts 0 'with a header again'
rm n.h
mkfifo n.h
timeout 60 "$LANEWISE" run k.c -d ref 'i32[1]' >out 2>err && exit 1
grep -q "'n.h' is a named pipe" err || { cat err && exit 1; }

# ---- folders ----

# folder STATUS TEXT
folder()
{
    status=0
    "$LANEWISE" run one.c -d ref 'i32[1]' >out 2>err || status=$?
    [ $status = "$1" ] && grep -q "$2" err || { echo "status $status" && cat err && exit 1; }
}
printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x = 1; }\n' >one.c
mkdir -p open/below
export LANEWISE_CACHE_DIR="$PWD/open/below/cache"
chmod o+w open
folder 2 "open/below/cache'; need one in no folder that every user can write to"
"$LANEWISE" cache >out 2>err && exit 1
grep -q 'every user can write to' err
chmod +t open
"$LANEWISE" run one.c -d ref 'i32[1]' >out
ln -s open/below/cache link
LANEWISE_CACHE_DIR=$PWD/link folder 2 'need a folder of this user, no link'
if [ "$(id -u)" = 0 ]; then
    chown 65534 open/below/cache
    folder 2 'need a folder of this user'
fi
