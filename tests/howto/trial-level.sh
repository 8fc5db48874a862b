#!/bin/sh
# docs/how-to-add.md says how to add a vector level. trial-level.patch does so: applied to a copy,
# it makes a level that the compiler makes code for, and that library and command know.
set -eu

if nm "$BUILD/src/compile/lanewise-compile" | grep -q __asan_init; then exit 77; fi
cp -r "$SOURCE/include" "$SOURCE/src" "$SOURCE/cli" .
mkdir -p docs/compiler tests/unit
cp "$SOURCE/docs/compiler/llvm.md" docs/compiler
cp "$SOURCE/tests/unit/run_cpu.c" tests/unit
git apply "$SOURCE/tests/howto/trial-level.patch"

# All that reads base/levels.def.
includers=$(grep -rlE '"(base/levels|compile/llvm/targets)\.def"' --include='*.[ch]' src cli)
[ "$(echo "$includers" | sort | tr '\n' ' ')" = \
    'src/base/levels.c src/base/levels.h src/compile/llvm/target.c ' ]
compile() # FILE: as the build does
{
    $CC -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Iinclude -Isrc -I. \
        -isystem /usr/lib/llvm-19/include -c "$1" -o "$(echo "$1" | tr / _).o"
}
for file in src/base/levels.c src/compile/llvm/target.c src/run/cpu/level.c cli/make/show.c; do
    compile "$file"
done
"$SOURCE/tests/howto/link-compiler"

cat >k.c <<'C'
#include <lanewise/kernel.h>

KERNEL void larger(const int *a, int *b)
{
    b[global_idx.x] = a[global_idx.x] > b[global_idx.x] ? a[global_idx.x] : b[global_idx.x];
}
C
for level in baseline sse4; do
    LANEWISE_INCLUDE="$SOURCE/include" ./lanewise-compile --device "cpu:$level" --show asm --out 3 \
        k.c 3>"$level"
done
grep -q pmaxsd sse4
if grep -q pmaxsd baseline; then echo "pmaxsd is no instruction of the baseline"; exit 1; fi
./lanewise-compile --device cpu:sse --show asm --out 3 k.c 3>out 2>err && exit 1
grep -q 'cpu:baseline, cpu:sse4, cpu:avx2, cpu:avx512 or cpu:aarch64' err
