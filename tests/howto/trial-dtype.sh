#!/bin/sh
# docs/how-to-add.md says how to add a dtype. trial-dtype.patch does so: applied to a copy, it makes
# `e5m2`, floats of 8 bits for storage. They are filled, printed, copied, saved and read back, by
# the command, by kernels, and by Python where it has NumPy.
set -eu

if nm "$BUILD/src/compile/lanewise-compile" | grep -q __asan_init; then exit 77; fi
cp -r "$SOURCE/include" "$SOURCE/src" "$SOURCE/cli" "$SOURCE/python" .
git apply "$SOURCE/tests/howto/trial-dtype.patch"

compile() # FILE [FLAG...]: as the build does
{
    file=$1
    shift
    $CC -std=gnu11 -D_GNU_SOURCE -fPIC -O1 -fvisibility=hidden -Wall -Wextra -Werror -Iinclude \
        -Isrc -I. -isystem /usr/lib/llvm-19/include "$@" -c "$file" -o "$(echo "$file" | tr / _).o"
}
relink() # TARGET PREFIX OBJECT...: as the build does, with these before its own of those names
{
    target=$1
    prefix=$2
    shift 2
    line=
    for word in $(ninja -C "$BUILD" -t commands "$target" | tail -n 1 | tr -d "'"); do
        case " $* " in
        *" $prefix${word##*/} "*) continue ;;
        esac
        line="$line $word"
        if [ "$word" = "$target" ]; then
            line="${line% *} $TMP/${target##*/}"
            for own in "$@"; do line="$line $TMP/$own"; done
        fi
    done
    (cd "$BUILD" && $line)
}
# All that knows the number of types, dist.h too.
for file in src/ops/operand.c src/ops/dist/*.c $(grep -rl LW_DTYPE_COUNT --include='*.c' src cli)
do
    compile "$file"
done
"$SOURCE/tests/howto/link-compiler"
others=$(find "$BUILD/src/run/liblanewise-run.a.p" "$BUILD/src/run/liblanewise-proof.a.p" \
    "$BUILD/src/base/liblanewise-base.a.p" "$BUILD/src/base/liblanewise-text.a.p" \
    -name '*.o' ! -name objects_buffer.c.o ! -name dtype.c.o ! -name types.c.o)
# shellcheck disable=SC2086 # lists of files
$CC -shared -o liblanewise.so.1 -Wl,-soname,liblanewise.so.1 src_base_*.o \
    src_run_*.o $others "$BUILD"/src/run/*.o -ldl -lm -lpthread
relink src/ops/liblanewise-ops.so.0.1.0 src_ops_ src_base_*.o src_ops_*.o
mv liblanewise-ops.so.0.1.0 liblanewise-ops.so.1
relink lanewise '' src_base_*.o cli_run_*.o

cat >k.c <<'C'
#include <lanewise/kernel.h>

KERNEL void widen(const e5m2 *in, float *out, e5m2 *copy)
{
    out[global_idx.x] = e5m2_to_float(in[global_idx.x]);
    copy[global_idx.x] = in[global_idx.x];
}

KERNEL void pick(e5m2 one, CONST_TENSOR(e5m2, 1) in, e5m2 *out)
{
    out[thread_idx.x] = thread_idx.x ? at(in, thread_idx.x) : one;
}
C
export LANEWISE_COMPILE="$TMP/lanewise-compile" LANEWISE_INCLUDE="$TMP/include"
export LD_LIBRARY_PATH="$TMP" LANEWISE_CACHE=0
numbers=-0.0,1.3,-2.75,1e-5,57344,-inf,nan,3e-9,300
cat >expected <<'O'
out: f32[9] = [-0.0, 1.25, -3.0, 1.5258789e-05, 57344.0, -inf, nan, 0.0, 320.0]
copy: e5m2[9] = [-0.0, 1.2, -3.0, 2e-05, 60000.0, -inf, nan, 0.0, 300.0]
O
for device in ref cpu check; do
    ./lanewise run k.c -k widen -d $device -b 9 "e5m2[9]=$numbers" 'f32[9]' \
        'e5m2[9]:saved.npy' >out
    diff expected out
    ./lanewise run k.c -k pick -d $device -b 4 1.5 'e5m2[4]=iota' 'e5m2[4]' >out
    [ "$(cat out)" = 'out: e5m2[4] = [1.5, 1.0, 2.0, 3.0]' ]
done
./lanewise run k.c -k widen -b 2 'e5m2[2]=60000,70000' 'f32[2]' 'e5m2[2]' 2>err && exit 1
grep -q 70000 err # beyond its largest
./lanewise run k.c -k widen -b 2 'f32[2]=1' 'f32[2]' 'e5m2[2]' 2>err && exit 1
grep -q 'a buffer of f32 given, e5m2 is needed' err
./lanewise op sum 'e5m2[2]=iota' 2>err && exit 1
grep -q 'x is of e5m2, which is for storage' err

python=$BUILD/python-venv/bin/python
if [ ! -x "$python" ]; then exit 0; fi
mkdir -p package/lanewise
cp "$BUILD"/python/lanewise/*.py package/lanewise
for file in python/src/*.c; do
    compile "$file" -DPy_LIMITED_API=0x030B0000 $(python3-config --includes)
done
$CC -shared -o package/lanewise/_core.abi3.so python_src_*.o src_base_dtype.c.o src_base_types.c.o \
    -Wl,--as-needed "$BUILD/src/base/liblanewise-text.a" liblanewise-ops.so.1 liblanewise.so.1 -lm
cat >trial.py <<'P'
import numpy as np
import lanewise as lw

bits = np.load("saved.npy")
x = lw.asarray(bits.view([("float8_e5m2", "u1")]))
assert bits.dtype == np.uint8 and x.dtype.names == ("float8_e5m2",), x.dtype
out, copy = np.zeros(9, np.float32), lw.zeros(9, dtype="e5m2")
lw.compile("k.c").widen[1, 9](x, out, copy)
assert np.array_equal(out, (bits.astype(np.uint16) << 8).view(np.float16), equal_nan=True)
assert np.array_equal(copy.numpy().view("u1"), bits)
P
PYTHONPATH=package "$python" trial.py
