#!/bin/sh
# docs/how-to-add.md says how to add a collective. trial-collective.patch does so: applied to a
# copy, it makes `warp_xor`, which every device computes.
set -eu

if nm "$BUILD/src/compile/lanewise-compile" | grep -q __asan_init; then exit 77; fi
cp -r "$SOURCE/include" "$SOURCE/src" .
git apply "$SOURCE/tests/howto/trial-collective.patch"

compile() # FILE: as the build does
{
    $CC -std=gnu11 -D_GNU_SOURCE -fPIC -O1 -Wall -Wextra -Werror -Iinclude -Isrc \
        -isystem /usr/lib/llvm-19/include -c "$1" -o "$(echo "$1" | tr / _).o"
}
# The row is the table's last, so only these files see its number or the table's size.
for file in src/base/collectives.c src/compile/llvm/query.c src/compile/debugger/unit.c \
    src/compile/spmd/collective/reduce.c src/run/ref/collective.c; do
    compile "$file"
done
clang-19 --target=x86_64-unknown-linux-gnu -std=gnu11 -O1 -Xclang -disable-llvm-passes -g0 \
    -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fwrapv -nostdlibinc -ffreestanding \
    -Isrc -Wall -Wextra -Werror -emit-llvm -c src/devlib/ptx_collectives.c -o cuda.bc
$CC -c -DLW_DEVLIB="\"$BUILD/src/devlib/devlib.bc\"" -DLW_DEVLIB_CUDA='"cuda.bc"' \
    src/compile/common/devlib_blob.S -o devlib_blob.o
"$SOURCE/tests/howto/link-compiler"
objects=$(find "$BUILD/src/run/liblanewise-run.a.p" "$BUILD/src/run/liblanewise-proof.a.p" \
    "$BUILD/src/base/liblanewise-base.a.p" "$BUILD/src/base/liblanewise-text.a.p" \
    -name '*.o' ! -name '*_collective.c.o' ! -name collectives.c.o)
# shellcheck disable=SC2086
$CC -shared -o liblanewise.so.1 -Wl,-soname,liblanewise.so.1 src_base_*.o src_run_*.o $objects \
    "$BUILD"/src/run/*.o -ldl -lm -lpthread

cat >k.c <<'C'
#include <lanewise/kernel.h>

KERNEL void combine(uint64_t *wrong)
{
    const int first = warp_id() * WARP_SIZE, threads = block_dim.x;
    uint64_t all = 0, odd = 0;
    for (int t = first; t < first + WARP_SIZE && t < threads; t++) {
        all ^= (uint64_t)t << t % 40;
        odd ^= t % 2 ? (uint64_t)t * 0x9e3779b9u : 0;
    }
    const uint64_t t = thread_idx.x;
    uint64_t differs = warp_xor(t << t % 40) ^ all;
    if (t % 2)
        differs |= warp_xor(t * 0x9e3779b9u) ^ odd;
    differs |= warp_xor((int)t) != warp_xor((unsigned)t);
    if (differs)
        atomic_add(wrong, 1);
}
C
export LANEWISE_COMPILE="$TMP/lanewise-compile" LANEWISE_INCLUDE="$TMP/include"
export LD_LIBRARY_PATH="$TMP" LANEWISE_CACHE=0
for block in 1 7 32 40 96; do
    for device in ref cpu check; do
        "$LANEWISE" run k.c -d $device -b $block 'u64[1]' >out
        grep -qx 'wrong: u64\[1\] = \[0\]' out
    done
done
"$LANEWISE_COMPILE" --device cuda:sm_90 --block 64,1,1 --show ptx --out 3 k.c 3>built
grep -q shfl.sync.bfly built
simulator=$BUILD/tests/ptxsim/libptxsim.so
if [ -e "$simulator" ]; then
    LANEWISE_CUDA_DRIVER=$simulator "$LANEWISE" run k.c -d cuda -b 40 'u64[1]' |
        grep -qx 'wrong: u64\[1\] = \[0\]'
fi
