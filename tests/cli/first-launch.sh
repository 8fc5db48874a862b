# first-launch.sh - `lanewise run` starts the compiler once for a new kernel, and what that makes is
# what two starts make, byte for byte.
set -eu
unset LANEWISE_CACHE
cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void twice(float *a, int n)
{
    int i = global_idx.x;
    if (i < n)
        a[i] = 2 * a[i];
}
KERNEL void sums(int *out) { out[thread_idx.x] = warp_inclusive_sum(lane_id()); }
C
cat >fixed.c <<'C'
#include <lanewise/kernel.h>
KERNEL BLOCK(32) void one(float *a) { a[thread_idx.x] = 1; }
KERNEL void two(float *a) { a[thread_idx.x] = 2; }
C
# Stands for the compiler; it leaves no server behind, so that each build starts it. With NO_FIRST
# it takes --first FD and what belongs to it away.
cat >compile <<'S'
#!/bin/sh
[ "$1" != --serve ] || shift 2
echo "$*" >>"$HERE/log"
[ -z "${NO_FIRST:-}" ] || case " $* " in
*' --first '*)
    for word; do
        shift
        case $word in
        --first | --kernel | --block) skip=1 ;;
        *) [ -n "${skip:-}" ] && skip= || set -- "$@" "$word" ;;
        esac
    done
    ;;
esac
exec "$BUILD/src/compile/lanewise-compile" "$@"
S
chmod +x compile
export HERE="$PWD" LANEWISE_COMPILE="$PWD/compile"

starts() # WANTED CACHE ARGS...
{
    wanted=$1 cache=$PWD/$2
    shift 2
    : >log
    LANEWISE_CACHE_DIR=$cache "$LANEWISE" run "$@" >out || { cat out; exit 1; }
    [ "$(wc -l <log)" -eq "$wanted" ] || { echo "$*: not $wanted starts:"; cat log; exit 1; }
}

starts 1 one -k twice -b 64 k.c 'f32[8]=iota' 8
grep -Fqx 'a: f32[8] = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]' out
starts 0 one -k twice -b 64 k.c 'f32[8]=iota' 8
starts 1 one -k twice -b 32 k.c 'f32[8]=iota' 8 # the common code is in the cache
starts 1 one -k sums -b 64 k.c 'i32[64]'
starts 2 one -k two -b 16 fixed.c 'f32[16]' # a file with BLOCK has code that comes first
starts 0 one -k one fixed.c 'f32[32]'
export NO_FIRST=1
starts 2 two -k twice -b 64 k.c 'f32[8]=iota' 8
starts 1 two -k twice -b 32 k.c 'f32[8]=iota' 8
starts 1 two -k sums -b 64 k.c 'i32[64]'
starts 2 two -k two -b 16 fixed.c 'f32[16]'
rm one/.written two/.written
diff -r one two
# without a cache the code goes from hand to hand
unset NO_FIRST
export LANEWISE_CACHE=0
starts 1 none -k twice -b 64 k.c 'f32[8]=iota' 8
