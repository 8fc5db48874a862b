# cc.sh - `lanewise cc`: a C program linked with the object runs its kernels on ref, on cpu at each
# vector level, and on cuda where there is a simulator, with structs by value, tensors, declared
# sizes, BLOCK and DYNAMIC_SHARED; no compiler is there. The same as a shared library, and in C++
# with two objects in one program.
# not under sanitizers: cc-types.sh and cc-errors.sh run the same code
set -eu
# what the programs link: the library of this build
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"

cat >ops.c <<'K'
#include <lanewise/kernel.h>
typedef struct { float a, b; struct { int8_t n; double d[2]; } in; } line;
union either { int i; float f; };
KERNEL void dot(float *out, const float *a, const float *b, int n)
{
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += (size_t)block_dim.x * grid_dim.x)
        sum = fma(a[i], b[i], sum);
    sum = block_sum(sum);
    if (thread_idx.x == 0)
        atomic_add(out, sum);
}
KERNEL BLOCK(8, 4) void where(int rows, int cols, int out[rows][cols], line l, union either e)
{
    out[thread_idx.y][thread_idx.x] = (int)(l.a * thread_idx.x + l.b * thread_idx.y) + l.in.n +
                                      (int)l.in.d[1] + e.i;
}
KERNEL void reversed(TENSOR(float, 2) to, CONST_TENSOR(float, 2) from, _Float16 scale, bool twice)
{
    DYNAMIC_SHARED(float, row);
    int i = thread_idx.x;
    if (i < extent(from, 1))
        row[i] = at(from, block_idx.x, i);
    barrier();
    assert(extent(from, 1) == extent(to, 1));
    if (i < extent(from, 1))
        at(to, block_idx.x, i) = row[extent(from, 1) - 1 - i] * (float)scale * (twice ? 2 : 1);
}
KERNEL void nothing(void) {}
KERNEL void words(int64_t *block, uint8_t class, int grid_) { *block = class + grid_; }
K
cat >host.c <<'C'
#include "ops.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) do { if ((call) != LW_OK) { fprintf(stderr, "%d: %s\n", __LINE__, \
    lw_last_error()); exit(1); } } while (0)
enum { N = 1000 };
static lw_tensor vector(lw_buffer *b, ptrdiff_t n)
{
    lw_tensor t = {0};
    t.buffer = b;
    t.rank = 1;
    t.extent[0] = n;
    return t;
}
static lw_tensor matrix(lw_buffer *b, ptrdiff_t rows, ptrdiff_t columns)
{
    lw_tensor t = vector(b, rows);
    t.rank = 2;
    t.extent[1] = columns;
    return t;
}
/* What the checks of a launch refuse, they refuse here; a failed assert has its line. */
static int refuses(lw_stream *s, lw_buffer *p, lw_buffer *r, lw_buffer *to)
{
    struct ops_line line = {2, 100, {1, {0, 3}}};
    union ops_either either = {0};
    if (ops_where(s, lw_dim_1(1), lw_dim_2(8, 3), 4, 8, matrix(p, 4, 8), line, either) !=
            LW_E_SHAPE || !strstr(lw_last_error(), "BLOCK fixes 8 x 4 x 1"))
        return 2;
    if (ops_where(s, lw_dim_1(1), lw_dim_2(8, 4), 5, 8, matrix(p, 4, 8), line, either) !=
        LW_E_SHAPE)
        return 3;
    TRY(ops_reversed(s, lw_dim_1(1), lw_dim_1(64), 64, matrix(to, 2, 3), matrix(r, 2, 4), 1,
                     false));
    if (lw_stream_wait(s) != LW_E_LAUNCH || !strstr(lw_last_error(), "ops.c:25"))
        return fprintf(stderr, "%s\n", lw_last_error()), 4;
    return 0;
}
int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    uint32_t block = argc > 2 ? (uint32_t)atoi(argv[2]) : 256;
    float a[N], sum, rows[2][4];
    int places[4][8];
    int64_t word = 0;
    lw_device *device;
    lw_stream *s;
    lw_buffer *x, *out, *p, *r, *to, *w;
    TRY(lw_device_open(name, &device));
    TRY(lw_stream_create(device, &s));
    TRY(lw_buffer_create(device, LW_F32, N, &x));
    TRY(lw_buffer_create(device, LW_F32, 1, &out));
    TRY(lw_buffer_create(device, LW_I32, 32, &p));
    TRY(lw_buffer_create(device, LW_F32, 8, &r));
    TRY(lw_buffer_create(device, LW_F32, 8, &to));
    TRY(lw_buffer_create(device, LW_I64, 1, &w));
    for (int i = 0; i < N; i++)
        a[i] = (float)(i % 7);
    TRY(lw_buffer_write(x, 0, N, a));
    TRY(lw_buffer_write(r, 0, 8, a));
    TRY(ops_dot(s, lw_dim_1(1), lw_dim_1(block), vector(out, 1), vector(x, N), vector(x, N), N));
    struct ops_line line = {2, 100, {1, {0, 3}}};
    union ops_either either;
    either.i = 1000;
    TRY(ops_where(s, lw_dim_1(1), lw_dim_2(8, 4), 4, 8, matrix(p, 4, 8), line, either));
    TRY(ops_reversed(s, lw_dim_1(2), lw_dim_1(64), 64, matrix(to, 2, 4), matrix(r, 2, 4), 0.5f,
                     true));
    TRY(ops_nothing(s, lw_dim_1(1), lw_dim_1(256)));
    TRY(ops_words(s, lw_dim_1(1), lw_dim_1(256), vector(w, 1), 200, -1));
    TRY(lw_stream_wait(s));
    TRY(lw_buffer_read(out, 0, 1, &sum));
    TRY(lw_buffer_read(p, 0, 32, places));
    TRY(lw_buffer_read(to, 0, 8, rows));
    TRY(lw_buffer_read(w, 0, 1, &word));
    printf("%g %d %d", (double)sum, places[0][0], places[3][7]);
    for (int i = 0; i < 8; i++)
        printf(" %g", (double)rows[i / 4][i % 4]);
    printf(" %lld\n", (long long)word);
    int wrong = refuses(s, p, r, to);
    if (wrong)
        return wrong;
    lw_program *program;
    lw_kernel *kernel;
    TRY(ops_program(device, &program));
    TRY(lw_program_kernel(program, "nothing", &kernel));
    lw_stream_destroy(s);
    lw_buffer_destroy(x);
    lw_buffer_destroy(out);
    lw_buffer_destroy(p);
    lw_buffer_destroy(r);
    lw_buffer_destroy(to);
    lw_buffer_destroy(w);
    lw_device_close(device);
    if (lw_program_kernel_count(program) != 5) /* it holds the device */
        return 6;
    lw_program_destroy(program);
    return 0;
}
C
"$LANEWISE" cc ops.c -o ops.o --header ops.h -b 64 -b 256,1 -b 8,8,4 --depfile ops.d
grep -q '^ops.o: ' ops.d && grep -q '  ops.c' ops.d
grep -q kernel.h ops.d && grep -q image.h ops.d
# shellcheck disable=SC2086 # flags are words
"$CC" -std=c11 $flags host.c ops.o -o host $link

# No compiler, no cache: what runs is in the object.
export LANEWISE_COMPILE=/nonexistent LANEWISE_CACHE=0
echo "12977 1004 1318 3 2 1 0 0 6 5 4 199" >expected
devices="ref cpu"
[ ! -f "$BUILD/tests/ptxsim/libptxsim.so" ] || {
    devices="$devices cuda"
    export LANEWISE_CUDA_DRIVER="$BUILD/tests/ptxsim/libptxsim.so"
}
runs() # WORDS...
{
    ./host "$@" >out || { echo "host $*: status $?"; exit 1; }
    diff expected out || { echo "host $*"; exit 1; }
}
for device in $devices; do
    runs "$device"
    runs "$device" 64
done
for level in baseline avx2 avx512; do
    LANEWISE_CPU=$level ./host cpu 2>err >out || grep -q 'this processor or its system lacks' err ||
        { cat err; exit 1; }
    grep -q lacks err || diff expected out
done

# A size that is not there.
if ./host cpu 100 2>err; then exit 1; fi
grep -q "'ops.c' has no code for blocks of 100 x 1 x 1 on cpu:" err
grep -q "but for 64 x 1 x 1, 256 x 1 x 1, 8 x 8 x 4; LANEWISE_COMPILE names" err
(unset LANEWISE_COMPILE; ./host cpu 100 >out; diff expected out)

# In a shared library, with nothing but the library's functions to be seen.
# shellcheck disable=SC2086
"$CC" -shared -o libops.so ops.o $link
nm -D --defined-only libops.so | awk '{ print $3 }' | sort >symbols
printf 'ops_%s\n' dot nothing program reversed where words | diff - symbols
# shellcheck disable=SC2086
"$CC" -std=c11 $flags host.c -o host-shared -L. -Wl,-rpath,. -lops $link
./host-shared cpu >out && diff expected out

# Two objects in one C++ program; one of them without bitcode and line tables, for fewer targets.
printf '#include <lanewise/kernel.h>\nKERNEL void dot(int *x) { *x += 1; }\n' >2nd-one.c
unset LANEWISE_COMPILE
"$LANEWISE" cc 2nd-one.c -o second.o --header second.h -b 1 -g0 --no-bitcode --targets cpu:baseline
if readelf -SW second.o | grep -q debug_; then echo "-g0 leaves tables"; exit 1; fi
call='_2nd_one_dot(NULL, lw_dim_1(1), lw_dim_1(1), vector(NULL, 1))'
sed "s/return 6/return $call/" host.c >host.cc
sed -i '1i#include "second.h"' host.cc
sed -i 's/lw_tensor t = {0};/lw_tensor t = lw_tensor();/' host.cc
# clang's runtime of a sanitizer does not go with gcc's, which the library has.
other=clang++-19
[ "$flags" = "${flags#*-fsanitize}" ] || other=none
cxx=$(command -v g++ || command -v $other) || { echo "no C++ compiler here"; exit 77; }
# shellcheck disable=SC2086
"$cxx" -std=c++17 $flags host.cc ops.o second.o -o host-two $link
LANEWISE_COMPILE=/nonexistent ./host-two cpu >out && diff expected out
