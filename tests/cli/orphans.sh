# orphans.sh - a command, a C program or Python that a signal ends while it compiles leaves no
# lanewise-compile and no clang behind.
set -eu

printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x) { *x += 1; }\n' >k.c
real=$BUILD/src/compile/lanewise-compile
export LANEWISE_CACHE=0
# Both write down who they are; clang never ends, and a text that the compiler reads of it does not
# matter.
printf '#!/bin/sh\necho $$ >>pids\nexec %s "$@"\n' "$real" >compile
printf '#!/bin/sh\necho $$ >>pids\nexec sleep 100\n' >clang
chmod +x compile clang
export LANEWISE_COMPILE="$PWD/compile" LANEWISE_CLANG="$PWD/clang"

# is_running PID - a zombie, which nobody here reaps, is not
is_running() { grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null; }

# soon WORDS... - within some seconds
soon()
{
    for _ in $(seq 200); do
        "$@" && return
        sleep 0.05
    done
    return 1
}
has_pids() { [ "$(wc -l <pids)" -ge "$1" ]; }
are_gone()
{
    while read -r pid; do
        if is_running "$pid"; then return 1; fi
    done <pids
}

# leaves_none SIGNAL COUNT WORDS... - a program that starts so many processes
leaves_none()
{
    signal=$1 count=$2
    shift 2
    : >pids
    "$@" >/dev/null 2>&1 &
    host=$!
    soon has_pids "$count" || { echo "$*: only $(wc -l <pids) of $count" && exit 1; }
    kill -"$signal" $host
    soon are_gone || { echo "SIG$signal to $*: left some of" && cat pids && exit 1; }
    wait $host || :
}
for signal in TERM HUP KILL; do
    leaves_none $signal 3 "$LANEWISE" run k.c -d ref 'i32[1]'
done
leaves_none TERM 3 "$LANEWISE" show k.c --stage ir
leaves_none TERM 3 "$LANEWISE" cc k.c -o k.o
leaves_none TERM 3 "$LANEWISE" bench op map expression=a+1 'f32[8]'

# A thread builds, of a program in C.
cat >host.c <<'C'
#include <lanewise/lanewise.h>
#include <pthread.h>
#include <unistd.h>
static void *build(void *unused)
{
    lw_device *device;
    lw_program *program;
    (void)unused;
    if (lw_device_open("ref", &device) || lw_program_build(device, "k.c", 0, &program))
        return 0;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, build, 0);
    pause();
}
C
library=$(dirname "$(find "$BUILD" -name liblanewise.so | head -1)")
if ! nm -D "$library/liblanewise.so" | grep -q '__asan_init\|__tsan_init'; then
    "$CC" host.c -I"$SOURCE/include" "$library/liblanewise.so" -Wl,-rpath,"$library" \
        -pthread -o host
    leaves_none TERM 3 ./host
    if [ -f "$BUILD/python/lanewise/_core.abi3.so" ] && python3 -c 'import numpy' 2>/dev/null; then
        export PYTHONPATH="$BUILD/python"
        leaves_none TERM 3 python3 -c 'import lanewise as lw; lw.compile(open("k.c").read())'
    fi
fi

# The compiler is killed, and by the clock too: clang ends with it.
: >pids
"$LANEWISE" run k.c -d ref 'i32[1]' >/dev/null 2>err &
soon has_pids 3
kill -ALRM "$(head -1 pids)"
soon are_gone || { echo "SIGALRM of the compiler: clang goes on" && exit 1; }
status=0
wait $! || status=$?
[ $status = 3 ] && grep -q 'k.c: compiling it takes more than its limit, 600 s by the clock' err ||
    { echo "status $status" && cat err && exit 1; }

# Pieces of an image are processes of their own.
unset LANEWISE_CLANG
: >pids
{
    printf '#include <lanewise/kernel.h>\nKERNEL void k(int *x)\n{\n    int i = thread_idx.x;\n'
    seq 3000 | sed 's/.*/    x[(i + &) % 4] = x[i] * & + (x[i] ^ &);/'
    echo '}'
} >long.c
"$LANEWISE" cc long.c -o long.o --bounds=off --targets cpu:avx2 >/dev/null 2>&1 &
host=$!
soon has_pids 1
has_piece()
{
    piece=$(cat "/proc/$(head -1 pids)/task/$(head -1 pids)/children" 2>/dev/null) || return 1
    [ -n "$piece" ] && for pid in $piece; do
        grep -q '^Name:.lanewise-compil' "/proc/$pid/status" && echo "$pid" >>pids
    done
    has_pids 2
}
soon has_piece || { echo "no piece of the image was seen" && exit 1; }
kill -TERM $host
soon are_gone || { echo "a piece of the image goes on" && exit 1; }
