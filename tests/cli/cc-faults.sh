# cc-faults.sh - after lw_trap_faults a kernel of an object of --bounds=off that leaves its buffers
# fails its launch, and the message names its line, in a program and in a shared library; without
# line tables it does not.
set -eu
library=$(find "$BUILD" -name liblanewise.so | head -n 1)
if nm -D "$library" | grep -q '__[at]san_init'; then
    echo "a sanitizer has the signals"
    exit 77
fi
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void far(float *x, size_t n)
{
    x[n + thread_idx.x] = 1;
}
K
cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
int main(void)
{
    lw_device *device;
    lw_stream *s;
    lw_tensor x = {.rank = 1, .extent = {4096}};
    if (lw_trap_faults() || lw_device_open("cpu", &device) || lw_stream_create(device, &s) ||
        lw_buffer_create(device, LW_F32, 4096, &x.buffer) ||
        k_far(s, lw_dim_1(1), lw_dim_1(64), x, 4096) || lw_stream_wait(s))
        puts(lw_last_error());
    lw_stream_destroy(s);
    lw_buffer_destroy(x.buffer);
    lw_device_close(device);
    return 0;
}
C
# says TEXT OBJECT-OPTIONS -- LINK-WORDS
says()
{
    text=$1 options=
    shift
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086 # options are words
    "$LANEWISE" cc k.c -o k.o --header k.h -b 64 --bounds=off \
        --targets cpu:baseline,cpu:avx2,cpu:avx512 $options
    "$CC" -shared k.o -o libk.so "$library" -lm
    "$CC" -g -I"$SOURCE/include" host.c "$@" -o host -Wl,-rpath,"$(dirname "$library")" \
        -Wl,-rpath,"$PWD" "$library" -lm
    ./host >out
    grep -q "^kernel 'far' accessed memory outside its buffers$text, block 0" out ||
        { cat out; exit 1; }
}
says ' near k.c:4' -- k.o
says ' near k.c:4' -- -L. -lk
says '' -g0 -- k.o
