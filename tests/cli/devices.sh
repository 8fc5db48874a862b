# devices.sh - the devices.
set -eu

"$LANEWISE" devices >out
grep -q '^ref  *one thread at a time' out
grep -q '^null ' out
grep -Eq '^cpu  *(AVX-512|AVX2|baseline x86-64), [0-9]+ threads?$' out
LANEWISE_CPU=baseline LANEWISE_NUM_THREADS=1 "$LANEWISE" devices |
    grep -qx 'cpu      baseline x86-64, 1 thread'
grep -q 'SHARED 48 KiB, dynamic [0-9]* KiB a block' out
# Which launches compare accesses with their objects.
grep -A2 '^cpu' out | grep -q 'bounds: refused; compared in launches that are not proved$'
grep -A2 '^ref' out | grep -q 'bounds: refused; compared in each launch$'
grep -A2 '^null' out | grep -q 'bounds: not looked at$'
LANEWISE_BOUNDS=0 "$LANEWISE" devices | grep -A2 '^cpu' | grep -q 'bounds: not looked at$'
LANEWISE_BOUNDS=1 "$LANEWISE" devices | grep -A2 '^cpu' | grep -q 'compared in each launch$'
"$LANEWISE" devices --json | grep -q '"name": "cpu".* "bounds": "unproved"}'
LANEWISE_BOUNDS=0 "$LANEWISE" devices --json | grep -q '"name": "ref".* "bounds": "always"}'
simulator="$BUILD/tests/ptxsim/libptxsim.so"
[ ! -f "$simulator" ] || (
    export LANEWISE_CUDA_DRIVER="$simulator"
    "$LANEWISE" devices | grep -A2 '^cuda' | grep -q 'bounds: not looked at$'
    LANEWISE_BOUNDS=1 "$LANEWISE" devices | grep -A2 '^cuda' | grep -q 'compared in each launch$'
)
# A GPU, where there is a driver; LANEWISE_CUDA_DRIVER names it.
LANEWISE_CUDA_DRIVER=/nowhere "$LANEWISE" devices >out
grep -qx 'cuda     NVIDIA GPUs' out
grep -q "^         not available: LANEWISE_CUDA_DRIVER is '/nowhere'; need the path" out
LANEWISE_CPU=sse9 "$LANEWISE" devices >out
grep -q "^         not available: LANEWISE_CPU is 'sse9'" out
