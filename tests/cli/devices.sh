# devices.sh - the devices.
set -eu

"$LANEWISE" devices >out
grep -q '^ref  *one thread at a time' out
grep -q '^null ' out
grep -Eq '^cpu  *(AVX-512|AVX2|baseline x86-64), [0-9]+ threads?$' out
LANEWISE_CPU=baseline LANEWISE_NUM_THREADS=1 "$LANEWISE" devices |
    grep -qx 'cpu      baseline x86-64, 1 thread'
grep -q 'SHARED 48 KiB, dynamic [0-9]* KiB a block' out
# A GPU, where there is a driver; LANEWISE_CUDA_DRIVER names it.
LANEWISE_CUDA_DRIVER=/nowhere "$LANEWISE" devices >out
grep -qx 'cuda     NVIDIA GPUs' out
grep -q "^         not available: LANEWISE_CUDA_DRIVER is '/nowhere'; need the path" out
LANEWISE_CPU=sse9 "$LANEWISE" devices >out
grep -q "^         not available: LANEWISE_CPU is 'sse9'" out
