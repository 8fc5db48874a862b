# cc-alone.sh - a program with an object of `lanewise cc` needs nothing but the library: in a root
# that holds the C library, liblanewise and the program itself, its kernels run.
set -eu
lib=$(find "$BUILD" -name liblanewise.so | head -n 1)
if nm -D "$lib" | grep -q '__[at]san_init'; then
    echo "a sanitizer needs more than the program"
    exit 77
fi
cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void fill(float *x, float v) { x[global_idx.x] = fma(v, (float)global_idx.x, 1.0f); }
K
cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    float last = 0;
    lw_device *device;
    lw_stream *s;
    lw_tensor x = {.rank = 1, .extent = {512}};
    (void)argc;
    if (lw_device_open(argv[1], &device) || lw_stream_create(device, &s) ||
        lw_buffer_create(device, LW_F32, 512, &x.buffer) ||
        k_fill(s, lw_dim_1(2), lw_dim_1(256), x, 2) || lw_stream_wait(s) ||
        lw_buffer_read(x.buffer, 511, 1, &last)) {
        fprintf(stderr, "%s\n", lw_last_error());
        return 1;
    }
    printf("%g\n", (double)last);
    lw_status other = k_fill(s, lw_dim_1(2), lw_dim_1(100), x, 2); /* ref has all sizes */
    return other != (argv[1][0] == 'r' ? LW_OK : LW_E_UNSUPPORTED);
}
C
"$LANEWISE" cc k.c -o k.o --header k.h
"$CC" -I"$SOURCE/include" host.c k.o -o host -Wl,-rpath,"$(dirname "$lib")" "$lib" -lm

mkdir -p root/tmp
cp host root/
for file in $(ldd host | grep -o '/[^ ]*'); do
    mkdir -p "root$(dirname "$file")"
    cp -L "$file" "root$file"
done
inside="chroot root"
$inside /host ref >/dev/null 2>&1 || inside="unshare -r chroot root"
$inside /host ref >/dev/null 2>err || {
    ! grep -q 'ot permitted' err || { echo "no root of one's own here"; exit 77; }
    cat err
    exit 1
}
for device in cpu ref; do
    $inside /host $device >out
    echo 1023 | diff - out
done
for level in baseline avx2 avx512; do
    LANEWISE_CPU=$level $inside /host cpu >out 2>err || grep -q 'processor or its system lacks' err
done
