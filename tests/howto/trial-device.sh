#!/bin/sh
# docs/how-to-add.md says how to add a device. trial-device.patch does so: applied to a copy, it
# makes a device that runs code of its own.
set -eu

if nm "$BUILD/src/compile/lanewise-compile" | grep -q __asan_init; then exit 77; fi
cp -r "$SOURCE/include" "$SOURCE/src" .
git apply "$SOURCE/tests/howto/trial-device.patch"

compile() # FILE: as the build does
{
    $CC -std=gnu11 -D_GNU_SOURCE -fPIC -O1 -Wall -Wextra -Werror -Iinclude -Isrc \
        -isystem /usr/lib/llvm-19/include -c "$1" -o "$(echo "$1" | tr / _).o"
}
for file in src/run/devices.c src/run/serial/device.c src/compile/llvm/target.c; do
    compile "$file"
done
grep -q "'serial/device.c'" src/run/meson.build
others=$(find "$BUILD/src/run/liblanewise-run.a.p" "$BUILD/src/run/liblanewise-proof.a.p" \
    "$BUILD/src/base/liblanewise-base.a.p" "$BUILD/src/base/liblanewise-text.a.p" \
    -name '*.o' ! -name devices.c.o)
# shellcheck disable=SC2086 # lists of files
$CC -shared -o liblanewise.so.1 -Wl,-soname,liblanewise.so.1 src_run_*.o $others \
    "$BUILD"/src/run/*.o -ldl -lm -lpthread
"$SOURCE/tests/howto/link-compiler"

cat >k.c <<'C'
#include <lanewise/kernel.h>

KERNEL void twice(const int *a, int *b)
{
    SHARED int turned[64];

    turned[63 - thread_idx.x] = 2 * a[global_idx.x];
    barrier();
    b[global_idx.x] = turned[thread_idx.x];
}

KERNEL void odd(const int *a) { assert(a[thread_idx.x] != 7); }
C
export LANEWISE_COMPILE="$TMP/lanewise-compile" LANEWISE_INCLUDE="$SOURCE/include"
run() { LD_LIBRARY_PATH=$TMP "$LANEWISE" run "$@"; }
run k.c -k twice -g 3 -b 64 -d serial 'i32[192]=iota' 'i32[192]' >serial
run k.c -k twice -g 3 -b 64 -d ref 'i32[192]=iota' 'i32[192]' >ref
cmp serial ref
run k.c -k odd -b 64 -d serial 'i32[64]=iota' 2>err && exit 1
grep -q "kernel 'odd': an assert failed" err
LD_LIBRARY_PATH=$TMP "$LANEWISE" devices | grep -q '^serial'
