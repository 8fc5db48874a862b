#!/bin/sh
# docs/operations.md says how to add an operation. tests/ops/add-operation.patch does so: applied to
# a copy, it makes an operation that the command, C and the documentation know.
# not under sanitizers: it is a build of its own
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a program without a sanitizer does not load a sanitizer's library"
    exit 77
fi
cp -r "$SOURCE/include" "$SOURCE/kernels" "$SOURCE/src" "$TMP"
git apply "$SOURCE/tests/ops/add-operation.patch"

# what meson.build does with its rows of ops.def
row=$(grep '^LW_OPS_PROGRAM(clip,' src/ops/ops.def)
[ "$row" = 'LW_OPS_PROGRAM(clip, "all", "")' ]
"$LANEWISE" cc kernels/clip.c -o kernels/clip.o --header clip.h -g0 --no-bitcode \
    --targets cpu:baseline,cpu:avx2,cpu:avx512,cuda:sm_70,ref
$CC -std=gnu11 -D_GNU_SOURCE -fPIC -Iinclude -Isrc -I"$BUILD/src/ops" -I. -c src/ops/*.c
mkdir dist
(cd dist && $CC -std=gnu11 -D_GNU_SOURCE -fPIC -I../include -I../src -I"$BUILD/src/ops" \
    -c ../src/ops/dist/*.c)
$CC -shared -o liblanewise-ops.so.1 ./*.o dist/*.o kernels/clip.o "$BUILD"/src/ops/*.o \
    "$BUILD/src/base/liblanewise-text.a" \
    -Wl,--version-script=src/ops/ops.map -L"$BUILD/src/run" -llanewise -lm -lpthread

export LD_LIBRARY_PATH="$TMP"
[ "$("$LANEWISE" op clip low=1 high=3 'f16[2,3]=iota' -d cpu)" = \
    'out: f16[2,3] = [[1.0, 1.0, 2.0],
                 [3.0, 3.0, 3.0]]' ]
[ "$("$LANEWISE" op clip high=2 'f64[4]=iota' dtype=i8 -d ref)" = 'out: i8[4] = [0, 1, 2, 2]' ]
"$LANEWISE" op --list | grep -q '^clip'
cat >call.c <<'C'
#include <lanewise/ops.h>
#include <stdio.h>

int main(void)
{
    lw_device *dev;
    lw_stream *s;
    lw_buffer *b;
    lw_tensor x;
    float values[3] = {-1, 0.5f, 7};

    if (lw_device_open("cpu", &dev) || lw_stream_create(dev, &s) ||
        lw_buffer_create(dev, LW_F32, 3, &b) || lw_buffer_write(b, 0, 3, values) ||
        lw_tensor_of(b, 1, (ptrdiff_t[]){3}, &x) || lw_clip(s, x, x, NULL) ||
        lw_stream_wait(s) || lw_buffer_read(b, 0, 3, values))
        return 1;
    printf("%g %g %g\n", values[0], values[1], values[2]);
    lw_buffer_destroy(b);
    lw_stream_destroy(s);
    lw_device_close(dev);
    return 0;
}
C
$CC -Iinclude call.c -o call ./liblanewise-ops.so.1 -L"$BUILD/src/run" -llanewise \
    -Wl,-rpath,"$BUILD/src/run"
[ "$(./call)" = '0 0.5 1' ]
