# cc-aarch64.sh - an object for AArch64 runs in an emulator, on cpu and ref, without a compiler; and
# whoever calls its functions passes structs as that processor's C does. It keeps to its buffers.
set -eu
for program in qemu-aarch64 aarch64-linux-gnu-gcc; do
    command -v $program >/dev/null || { echo "no $program here"; exit 77; }
done
if nm -D "$(find "$BUILD" -name liblanewise.so | head -n 1)" | grep -q '__[at]san_init'; then
    echo "it has nothing for a sanitizer"
    exit 77
fi
# Not optimised, which takes a third of the time; tests/aarch64 has the library as it is shipped.
meson setup there "$SOURCE" --cross-file "$SOURCE/tests/aarch64/cross.ini" -Doptimization=0 \
    -Ddebug=false >log 2>&1 ||
    { cat log; exit 1; }
target=$(ninja -C there -t targets all | sed -n 's|^\(src/run/liblanewise.so[.0-9]*\):.*|\1|p' |
    head -n 1)
ninja -C there "$target" >log 2>&1 || { cat log; exit 1; }
cat >k.c <<'K'
#include <lanewise/kernel.h>
struct two { double x; float y; };
KERNEL void dot(float *out, const float *a, int n, struct two s)
{
    float sum = 0;
    for (int i = thread_idx.x; i < n; i += block_dim.x)
        sum = fma(a[i], a[i], sum);
    sum = block_sum(sum);
    if (thread_idx.x == 0)
        *out = sum + (float)s.x * s.y;
}
K
cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    float a[100], sum = 0;
    lw_device *device;
    lw_stream *s;
    lw_tensor x = {.rank = 1, .extent = {100}}, out = {.rank = 1, .extent = {1}};
    struct k_two two = {1000, 0.5f};
    (void)argc;
    for (int i = 0; i < 100; i++)
        a[i] = (float)(i % 5);
    if (lw_device_open(argv[1], &device) || lw_stream_create(device, &s) ||
        lw_buffer_create(device, LW_F32, 100, &x.buffer) ||
        lw_buffer_create(device, LW_F32, 1, &out.buffer) ||
        lw_buffer_write(x.buffer, 0, 100, a) ||
        k_dot(s, lw_dim_1(1), lw_dim_1(64), out, x, 100, two) || lw_stream_wait(s) ||
        lw_buffer_read(out.buffer, 0, 1, &sum)) {
        fprintf(stderr, "%s\n", lw_last_error());
        return 1;
    }
    printf("%g\n", (double)sum);
    if (!k_dot(s, lw_dim_1(1), lw_dim_1(64), out, x, 101, two) && lw_stream_wait(s))
        puts(lw_last_error());
    return 0;
}
C
"$LANEWISE" cc k.c -o k.o --header k.h -b 64 --targets cpu:aarch64,cuda:sm_80,ref
aarch64-linux-gnu-gcc -Wall -Wextra -Werror -I"$SOURCE/include" host.c k.o -o host \
    "$(find there -name 'liblanewise.so.1' | head -n 1)" -lm || {
    find there -name 'liblanewise*'
    exit 1
}
for device in cpu ref; do
    LD_LIBRARY_PATH=$(dirname "$(find there -name 'liblanewise.so.1' | head -n 1)") \
        qemu-aarch64 -L /usr/aarch64-linux-gnu -E LANEWISE_COMPILE=/nonexistent ./host $device >out
    head -n 1 out | grep -qx 1100
    grep -q "k.c:7:15: read of 4 bytes outside: index 100 of 'a', which has 100 elements" out
done
# x86-64's linker does not take it
own=$(find "$BUILD" -name liblanewise.so | head -n 1)
if "$CC" -I"$SOURCE/include" host.c k.o -o wrong "$own" -lm 2>/dev/null; then
    [ "$(uname -m)" = aarch64 ]
fi
