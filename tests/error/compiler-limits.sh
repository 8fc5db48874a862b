# compiler-limits.sh - a text that makes clang grow, too little memory for the compiler, and a clang
# of another version are told by name.
set -eu

export LANEWISE_CACHE=0
printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x = 1; }\n' >k.c

# expect STATUS TEXT COMMAND...
expect()
{
    want=$1 text=$2 status=0
    shift 2
    "$@" >out 2>err || status=$?
    [ "$status" = "$want" ] && grep -qE -- "$text" err ||
        { echo "$*: status $status, no '$text'" && cat out err && exit 1; }
}
compiler() { "$LANEWISE" run -d ref k.c 'i32[1]'; }

# ---- the version of clang ----

# version OUTPUT TEXT - a compiler that says so of itself, and takes none of our flags
version()
{
    printf '#!/bin/sh\n[ "$1" != --version ] || { echo "%s"; exit; }\n' "$1" >clang
    printf 'echo "error: unknown argument: -fsome" >&2\nexit 1\n' >>clang
    chmod +x clang
    need="which is $2; kernels need clang 19"
    LANEWISE_CLANG=./clang expect 5 "LANEWISE_CLANG is './clang', $need" compiler
    case $BUILD in
    *san*) # there no clang is inside of lanewise-compile
        mkdir -p bin
        cp clang bin/clang-19
        PATH=$PWD/bin:$PATH expect 5 "the compiler is clang-19, $need" compiler
        ;;
    esac
}
version 'Debian clang version 14.0.6' 'clang 14.0.6'
version 'clang version 21.1.0 (https://github.com/llvm)' 'clang 21.1.0'
version 'gcc (Debian 12.2.0-14) 12.2.0' 'not clang: gcc \(Debian 12.2.0-14\) 12.2.0'
version '' 'not clang'
printf '#!/bin/sh\nexit 0\n' >clang
LANEWISE_CLANG=./clang expect 5 'which is not clang; kernels' compiler
# One that takes our flags, and gives a module with its version in it.
real=$(command -v clang-19) || exit 0
printf '#!/bin/sh\ncase "$*" in *emit-llvm*) ;; *) exec %s "$@" ;; esac\n' "$real" >clang
printf '%s -S "$@" | sed "s/clang version 19[0-9.]*/clang version 20.1.2/"\n' "$real" >>clang
command -v llvm-as-19 >/dev/null && sed -i '$s/$/ | llvm-as-19/' clang &&
    LANEWISE_CLANG=./clang expect 5 'which is clang 20.1.2; kernels need clang 19' compiler
# An error of the text is not the version's.
printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x = y; }\n' >bad.c
LANEWISE_CLANG=$real expect 3 "bad.c:2:30: error: use of undeclared" "$LANEWISE" run -d ref bad.c

# ---- memory ----

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q '__asan_init\|__tsan_init'; then
    exit 0 # a sanitizer needs the whole address space
fi
in_room() { sh -c 'ulimit -v $1; shift; exec "$@"' sh "$@"; }
for kilobytes in 60000 80000 90000; do
    expect 4 "compiling it takes more memory than there is.*may have $((kilobytes / 1024)) MiB" \
        in_room $kilobytes "$LANEWISE" run -d ref k.c 'i32[1]'
    expect 4 'compiling takes more memory than there is' \
        in_room $kilobytes "$LANEWISE" show --stage ir k.c
done

# What clang says where it has no more, at its own limit.
printf '#!/bin/sh\necho "LLVM ERROR: out of memory" >&2\nkill -ABRT $$\n' >clang
limit='k.c: error: clang needs more than its limit'
LANEWISE_CLANG=./clang expect 3 "$limit, 4 GiB of memory" compiler
printf '#!/bin/sh\nkill -XCPU $$\n' >clang
LANEWISE_CLANG=./clang expect 3 "$limit, 60 s of processor time" compiler
