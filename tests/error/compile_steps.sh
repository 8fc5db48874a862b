# compile_steps.sh - what lanewise-compile refuses on the command line of the cpu's two steps, and a
# block that the kernel does not allow.
set -eu
compile=$BUILD/src/compile/lanewise-compile
printf '#include <lanewise/kernel.h>\nKERNEL BLOCK(64) void one(float *a) { a[0] = 1; }\n' >one.c

refused() # STATUS TEXT WORDS...
{
    wanted=$1 text=$2 status=0
    shift 2
    "$compile" "$@" --out 3 3>out 2>err || status=$?
    [ "$status" = "$wanted" ] || { echo "$*: status $status"; cat err; exit 1; }
    cat out >>err
    grep -q -e "$text" err || { echo "$*: no '$text'"; cat err; exit 1; }
}

refused 2 'the device is cpu:baseline, cpu:avx2, cpu:avx512 or cpu:aarch64, then' --device cpu one.c
refused 2 'a multiple of 32, not cpu:sse;' --device cpu:sse one.c
refused 2 'go with --common, --first, --show or --time-passes' --device cpu:avx2 --kernel one one.c
for block in 0,1,1 1, 1,,1 ,1 1,1,1,1 1025,1,1 32,33,1 1,1,65 -1,1,1 1,x,1; do
    refused 2 '--block takes X\[,Y' --device cpu:avx2 --show uniform --block "$block" one.c
done
refused 2 'cpu:LEVEL or cuda:sm_NN, --kernel and --block' --device cpu:avx2 --common 4
refused 2 '--common takes no text' --device cpu:avx2 --common 4 --kernel one --block 64,1,1 one.c
refused 2 'no stage .uniform. on the way to device .ref.' --device ref --show uniform one.c
refused 1 'is for blocks of 64 x 1 x 1, not 65 x 1 x 1' \
    --device cpu:avx2 --show uniform --block 65,1,1 one.c
refused 2 "there is no kernel 'two'" --device cpu:avx2 --show uniform --kernel two one.c
