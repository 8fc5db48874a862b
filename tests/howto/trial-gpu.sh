#!/bin/sh
# docs/how-to-add.md says how to add a GPU of another vendor. Two patches do so: trial-gpu.patch for
# the library and trial-gpu-code.patch for the compiler. Applied to a copy, they make the device
# `twin`, whose driver is the simulator of tests/ptxsim.
set -eu

simulator=$BUILD/tests/ptxsim/libptxsim.so
if [ ! -e "$simulator" ]; then echo "there is no simulator"; exit 77; fi
if nm "$BUILD/src/compile/lanewise-compile" | grep -q __asan_init; then exit 77; fi
cp -r "$SOURCE/include" "$SOURCE/src" .
git apply "$SOURCE/tests/howto/trial-gpu.patch" "$SOURCE/tests/howto/trial-gpu-code.patch"
grep -q "'twin/device.c'" src/run/meson.build
grep -q "'twin/entry.c'" src/compile/meson.build

compile() # FILE: as the build does
{
    $CC -std=gnu11 -D_GNU_SOURCE -DLW_VERIFY_EACH=1 -fPIC -O1 -Wall -Wextra -Werror \
        -Iinclude -Isrc -isystem /usr/lib/llvm-19/include -c "$1" -o "$(echo "$1" | tr / _).o"
}
for file in src/run/devices.c src/run/twin/device.c src/compile/llvm/target.c \
    src/compile/driver/pipeline.c src/compile/twin/entry.c; do
    compile "$file"
done
"$SOURCE/tests/howto/link-compiler"
others=$(find "$BUILD/src/run/liblanewise-run.a.p" "$BUILD/src/run/liblanewise-proof.a.p" \
    "$BUILD/src/base/liblanewise-base.a.p" "$BUILD/src/base/liblanewise-text.a.p" \
    -name '*.o' ! -name devices.c.o)
# shellcheck disable=SC2086 # lists of files
$CC -shared -o liblanewise.so.1 -Wl,-soname,liblanewise.so.1 src_run_*.o $others \
    "$BUILD"/src/run/*.o -ldl -lm -lpthread

cat >k.c <<'C'
#include <lanewise/kernel.h>

KERNEL void work(const int *a, int *b, unsigned *sum)
{
    SHARED int turned[96];

    turned[95 - thread_idx.x] = 2 * a[global_idx.x];
    barrier();
    const int lane = turned[thread_idx.x];
    int all = warp_sum(lane);
    if (thread_idx.x % 3 == 1)
        all += warp_max(lane);
    b[global_idx.x] = all + block_sum(lane) + block_idx.x;
    fence_device();
    if (lane % 5 == 0)
        atomic_add(sum, (unsigned)lane);
}

KERNEL void odd(const int *a)
{
    if (a[thread_idx.x] == 3)
        printf("three in %d", thread_idx.x);
    assert(a[thread_idx.x] != 7);
}
C
export LANEWISE_COMPILE="$TMP/lanewise-compile" LANEWISE_INCLUDE="$SOURCE/include"
export LD_LIBRARY_PATH="$TMP" LANEWISE_CACHE=0
"$LANEWISE" run k.c -k odd -b 64 -d twin 'i32[64]=iota' 2>err && exit 1
grep -q "there is no driver of a twin" err
export LANEWISE_TWIN_DRIVER="$simulator"
for seed in 0 1 7; do
    PTXSIM_SEED=$seed "$LANEWISE" run k.c -k work -g 3 -b 96 -d twin 'i32[288]=iota' 'i32[288]' \
        'u32[1]' >twin
    "$LANEWISE" run k.c -k work -g 3 -b 96 -d ref 'i32[288]=iota' 'i32[288]' 'u32[1]' >ref
    cmp twin ref
done
"$LANEWISE" run k.c -k odd -b 64 -d twin 'i32[64]=iota' >out 2>err && exit 1
grep -q 'three in 3' out
grep -q "assert.* failed\|assertion" err
PTXSIM_DUMP=text "$LANEWISE" run k.c -k work -b 96 -d twin 'i32[96]=iota' 'i32[96]' 'u32[1]' >out
grep -q 'mov.u32 .*%tid.x; // twin' text # the compiler's table was the twin's
grep -q 'membar.gl; // twin' text
"$LANEWISE" devices | grep -q '^twin'
