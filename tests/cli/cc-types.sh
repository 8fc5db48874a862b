# cc-types.sh - every kind of parameter of a function that `lanewise cc` makes: what C and C++ write
# into the header's structs, the kernel reads from the same fields; names that C++ or the function
# itself needs are changed.
set -eu
library=$(find "$BUILD" -name liblanewise.so | head -n 1)
flags="-O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
! nm -D "$library" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$library" | grep -q __tsan_init || flags="$flags -fsanitize=thread"
cat >k.c <<'K'
#include <lanewise/kernel.h>
struct inner { uint8_t u; int16_t i[2][3]; };
typedef struct {
    bool on;
    double d;
    struct inner in[2];
    union { int i; float f; };
    struct { char c; } class;
    _Float16 h;
    float4 v;
    float3 w;
    void *p;
} all;
struct bits { int first : 3; unsigned second : 29; int16_t third; int fourth : 5; };
struct __attribute__((packed)) packed { uint8_t a; uint32_t b; };
union both { float f; uint64_t bits; };
enum colour { RED, GREEN = 5 };
KERNEL void of_all(double *out, all a)
{
    double values[] = {a.on,   a.d,   a.in[1].u, a.in[1].i[1][2], a.i,    a.class.c, (float)a.h,
                       a.v.x, a.v.w, a.w.z,     a.p == 0,        sizeof a};
    for (int i = 0; i < 12; i++)
        out[i] = values[i];
}
KERNEL void of_others(double *out, struct bits b, struct packed p, union both u, float2 v,
                      const struct bits *behind, enum colour c)
{
    double values[] = {b.first, b.second, b.third, b.fourth, p.a, p.b, u.bits, v.y,
                       behind->third, c, sizeof b, sizeof p};
    for (int i = 0; i < 12; i++)
        out[i] = values[i];
}
KERNEL void of_scalars(double *stream, int8_t i8, uint16_t grid, long block, unsigned long long new,
                       _Float16 f16, __bf16 bf16, bool b, size_t lw_tensor, char class, double d)
{
    double values[] = {i8, grid, block, new, f16, bf16, b, lw_tensor, class, d, 0, 0};
    for (int i = 0; i < 12; i++)
        stream[i] = values[i];
}
KERNEL void of_structs(struct inner *a, CONST_TENSOR(double, 1) shared_bytes, struct inner this_)
{
    a[0].u = (uint8_t)at(shared_bytes, 0) + this_.u;
}
K
cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TRY(call) do { if ((call) != LW_OK) { fprintf(stderr, "%d: %s\n", __LINE__, \
    lw_last_error()); exit(1); } } while (0)
static lw_stream *s;
static lw_tensor view(lw_buffer *b, ptrdiff_t n)
{
    lw_tensor t;
    memset(&t, 0, sizeof t);
    t.buffer = b;
    t.rank = 1;
    t.extent[0] = n;
    return t;
}
static void print(lw_buffer *b)
{
    double values[12];
    TRY(lw_stream_wait(s));
    TRY(lw_buffer_read(b, 0, 12, values));
    for (int i = 0; i < 12; i++)
        printf("%.10g%c", values[i], i < 11 ? ' ' : '\n');
}
int main(int argc, char **argv)
{
    const lw_dim3 one = {1, 1, 1};
    lw_device *device;
    lw_buffer *out, *structs, *of_bits;
    unsigned char bytes[14], bits[8] = {0xfd, 0xff, 0xff, 0x7f, 0x39, 0x30, 0x1e};
    (void)argc;
    TRY(lw_device_open(argv[1], &device));
    TRY(lw_stream_create(device, &s));
    TRY(lw_buffer_create(device, LW_F64, 12, &out));
    TRY(lw_buffer_create_structs(device, 14, 2, &structs));
    TRY(lw_buffer_create_structs(device, 8, 1, &of_bits));
    struct k_all a;
    memset(&a, 0, sizeof a);
    a.on = true;
    a.d = 2.5;
    a.in[1].u = 200;
    a.in[1].i[1][2] = -3;
    a.unnamed_44.f = 1.0f;
    a.class_.c = 'x';
    a.h = 0x3e00;
    a.v[0] = 10;
    a.v[3] = 13;
    a.w[2] = 22;
    TRY(k_of_all(s, one, one, view(out, 12), a));
    print(out);
    struct k_bits b;
    memcpy(&b, bits, sizeof b);
    b.third = 77;
    struct k_packed p = {{7, 1, 2, 0, 0}};
    union k_both u;
    u.bits = 1ull << 40;
    struct k_float2 v = {{1, -2}};
    TRY(lw_buffer_write(of_bits, 0, 1, bits));
    TRY(k_of_others(s, one, one, view(out, 12), b, p, u, v, view(of_bits, 1), 5));
    print(out);
    TRY(k_of_scalars(s, one, one, view(out, 12), -8, 65535, -1000000000000, 1ull << 52, 1.5f, 3.0f,
                     true, 9, 'y', 0.1));
    print(out);
    struct k_inner in;
    memset(&in, 0, sizeof in);
    in.u = 5;
    TRY(k_of_structs(s, one, one, view(structs, 2), view(out, 12), in));
    TRY(lw_stream_wait(s));
    TRY(lw_buffer_read(structs, 0, 1, bytes));
    printf("%d\n", bytes[0]);
    lw_stream_destroy(s);
    lw_buffer_destroy(out);
    lw_buffer_destroy(structs);
    lw_buffer_destroy(of_bits);
    lw_device_close(device);
    return 0;
}
C
"$LANEWISE" cc k.c -o k.o --header k.h -b 1
cat >expected <<'OUT'
1 2.5 200 -3 1065353216 120 1.5 10 13 22 1 112
-3 268435455 77 -2 7 513 1.099511628e+12 -2 12345 5 8 5
-8 65535 -1e+12 4.503599627e+15 1.5 3 1 9 121 0.1 0 0
5
OUT
export LANEWISE_COMPILE=/nonexistent
# shellcheck disable=SC2086 # flags are words
"$CC" -std=c11 $flags host.c k.o -o host -Wl,-rpath,"$(dirname "$library")" "$library" -lm
for device in ref cpu; do
    ./host $device >out && diff expected out
done
cp host.c host.cc
# clang's runtime of a sanitizer does not go with gcc's, which the library has.
other=clang++-19
[ "$flags" = "${flags#*-fsanitize}" ] || other=none
cxx=$(command -v g++ || command -v $other) || { echo "no C++ compiler here"; exit 77; }
# shellcheck disable=SC2086
"$cxx" -std=c++17 $flags host.cc k.o -o host-cc -Wl,-rpath,"$(dirname "$library")" "$library" -lm
./host-cc cpu >out && diff expected out
