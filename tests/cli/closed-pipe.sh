# closed-pipe.sh - where nobody reads standard output any more, the command ends without a message
# and with the status of its work. The reader of a fifo is gone before the command writes.
set -eu

cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void fill(float *a)
{
    printf("line %d\n", thread_idx.x);
    a[0] = 1;
}
KERNEL void dies(float *a) { assert(a[0] == 1); }
C

# quiet STATUS WORDS...
quiet()
{
    want=$1
    shift
    rm -f fifo status
    mkfifo fifo
    (
        exec 3<>fifo 4>fifo 3<&- # a writer's end that has no reader
        got=0
        "$LANEWISE" "$@" >&4 2>err || got=$?
        echo $got >status
    )
    [ "$(cat status)" = "$want" ] && [ ! -s err ] ||
        { echo "lanewise $*:" && cat status err && exit 1; }
}
quiet 0 run k.c -k fill -b 1024 'f32[100000]=iota'
quiet 0 run k.c -k fill -b 1024 --json 'f32[100000]=iota'
quiet 0 show k.c --stage asm
quiet 0 op --list
quiet 0 op sum 'f32[8]=iota'
quiet 0 devices
quiet 0 --help
quiet 0 --version
quiet 0 bench launch --quick

# A failure keeps its status and message.
status=0
mkfifo pipe
(exec 3<>pipe 4>pipe 3<&- && "$LANEWISE" run k.c -k dies -b 1 -d ref --json 'f32[1]' >&4 2>err) ||
    status=$?
[ $status = 4 ] && grep -q 'assertion' err

# What is lacking on a disk is told.
[ -w /dev/full ] || exit 0
status=0
"$LANEWISE" devices >/dev/full 2>err || status=$?
[ $status = 4 ] && grep -q 'standard output: No space left' err
