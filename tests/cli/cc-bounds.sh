# cc-bounds.sh - kernels of an object keep to their buffers on cpu, at each vector level: a launch
# that is not proved fails with line and index and leaves its neighbours as they were; valid ones
# have the bits of --bounds=off, whichever form they run, and no compiler is there. What is in the
# object: guarded code of a block for its least level, and no plain code where nothing is proved;
# and how large that is.
set -eu
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"

cat >k.c <<'K'
#include <lanewise/kernel.h>
KERNEL void add(float *out, const float *a)
{
    size_t i = global_idx.x;
    out[i] += a[i] * 0.1f;
}
KERNEL void gather(float *out, const float *a, const int *from)
{
    size_t i = global_idx.x;
    out[i] = a[from[i]];
}
KERNEL void total(float *out, const float *a, int n)
{
    float sum = 0;
    for (int i = thread_idx.x; i < n; i += block_dim.x)
        sum = fma(a[i], a[i], sum);
    sum = block_sum(sum);
    if (thread_idx.x == 0)
        *out = sum;
}
K
cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, EDGE = 256, ALL = N + 2 * EDGE };
static float memory[ALL];
static unsigned threads = 64;
static lw_device *device;

static void try(lw_status status)
{
    if (status == LW_OK)
        return;
    fprintf(stderr, "%s\n", lw_last_error());
    exit(1);
}

static lw_tensor vector(lw_buffer *b, ptrdiff_t n)
{
    return (lw_tensor){.buffer = b, .rank = 1, .extent = {n}};
}

static lw_stream *stream(void)
{
    lw_stream *s;

    try(lw_stream_create(device, &s));
    return s;
}

static void refused(lw_status launched, lw_stream *s)
{
    lw_status status = launched ? launched : lw_stream_wait(s);

    printf("%d %s\n", status == LW_E_LAUNCH, status ? lw_last_error() : "done");
    lw_stream_destroy(s);
}

static void wrong(lw_tensor out, lw_tensor a, lw_tensor from)
{
    const int far = N;
    lw_stream *s = stream();

    refused(k_add(s, lw_dim_1(16), lw_dim_1(64), out, a), s);
    try(lw_buffer_write(from.buffer, 70, 1, &far));
    s = stream();
    refused(k_gather(s, lw_dim_1(2), lw_dim_1(64), out, a, from), s);
    s = stream();
    refused(k_total(s, lw_dim_1(1), lw_dim_1(64), out, a, N + 1), s);
}

/* 960 threads are within N. */
static void right(lw_tensor out, lw_tensor a, lw_tensor from)
{
    lw_stream *s = stream();

    try(k_gather(s, lw_dim_1(960 / threads), lw_dim_1(threads), out, a, from));
    try(k_add(s, lw_dim_1(960 / threads), lw_dim_1(threads), out, a));
    try(k_total(s, lw_dim_1(1), lw_dim_1(threads), out, a, N));
    try(lw_stream_wait(s));
    lw_stream_destroy(s);
}

int main(int argc, char **argv)
{
    float a[N];
    int from[N];
    unsigned hash = 0, bits;
    lw_buffer *x, *y, *z;

    if (argc > 2)
        threads = (unsigned)atoi(argv[2]);
    for (int i = 0; i < ALL; i++)
        memory[i] = -7;
    for (int i = 0; i < N; i++) {
        a[i] = (float)(i % 13) / 3;
        from[i] = i * 7 % N;
    }
    try(lw_device_open("cpu", &device));
    try(lw_buffer_wrap(device, LW_F32, N, memory + EDGE, false, NULL, NULL, &x));
    try(lw_buffer_create(device, LW_F32, N, &y));
    try(lw_buffer_create(device, LW_I32, N, &z));
    try(lw_buffer_write(y, 0, N, a));
    try(lw_buffer_write(z, 0, N, from));
    right(vector(x, N), vector(y, N), vector(z, N));
    for (int i = EDGE; i < EDGE + N; i++) {
        memcpy(&bits, &memory[i], sizeof bits);
        hash = hash * 31 + bits;
    }
    printf("%08x\n", hash);
    if (argc > 1 && !strcmp(argv[1], "wrong"))
        wrong(vector(x, N), vector(y, N), vector(z, N));
    for (int i = 0; i < EDGE; i++)
        if (memory[i] != -7 || memory[EDGE + N + i] != -7)
            return 3;
    lw_buffer_destroy(x);
    lw_buffer_destroy(y);
    lw_buffer_destroy(z);
    lw_device_close(device);
    return 0;
}
C
codes() # OBJECT: that is linked, without lw.k. and the size of block
{
    nm "$1" | sed -n 's/.* T lw\.k\.\([a-z.0-9]*\)\.\([0-9]*\)x1x1/\1.\2/p' | sort
}
targets=cpu:baseline,cpu:avx2,cpu:avx512
"$LANEWISE" cc k.c -o off.o --header k.h -b 64 --targets $targets --bounds=off --no-bitcode
"$LANEWISE" cc k.c -o k.o --header k.h -b 64 --targets $targets --bounds=on --no-bitcode \
    --verbose 2>said
all=$(wc -c <k.o)
more=$((all - $(wc -c <off.o)))
echo "k.o: $all bytes, $more of them for bounds; --bounds=off leaves them out" | diff - said
"$LANEWISE" cc - -o in.o -b 64 --targets $targets --no-bitcode --verbose --json <k.c >said
grep -q "\"bytes\": [0-9]*, \"bounds_bytes\": [1-9][0-9]*}$" said
"$LANEWISE" cc k.c -o off.o -b 64 --targets $targets --bounds=off --no-bitcode --verbose 2>said
echo "off.o: $(wc -c <off.o) bytes, none of them for bounds" | diff - said
case $(codes off.o) in *guarded*) codes off.o; exit 1 ;; esac
codes k.o >has
diff - has <<'E'
add.avx2.64
add.avx512.64
add.baseline.64
gather.avx2.64.guarded
gather.avx512.64.guarded
gather.baseline.64.guarded
total.avx2.64
total.avx512.64
total.baseline.64
E
# the least level that has the size
"$LANEWISE" cc k.c -o own.o -b 64 -b cpu:baseline=32 --targets $targets --no-bitcode
if "$LANEWISE" cc k.c -o no.o --bounds=some 2>err; then exit 1; fi
grep -q "^lanewise: --bounds: 'some' is not on or off" err

# shellcheck disable=SC2086 # flags are words
"$CC" $flags host.c k.o -o host $link
# shellcheck disable=SC2086
"$CC" $flags host.c off.o -o host-off $link
# shellcheck disable=SC2086
"$CC" $flags host.c own.o -o host-own $link
export LANEWISE_COMPILE=/nonexistent LANEWISE_CACHE=0
unset LANEWISE_BOUNDS
./host-off >same
{
    cat same
    sed 's/^/1 kernel /; s/OUT/read of 4 bytes outside: index 1000 of/; s/$/,0,0)/
         s/HAS/which has 1000 elements of 4 bytes, block/' <<'E'
'add': k.c:5:15: OUT 'a', HAS (15,0,0) thread (40
'gather': k.c:10:14: OUT 'a', HAS (1,0,0) thread (6
'total': k.c:16:15: OUT 'a', HAS (0,0,0) thread (40
E
} >expected
for level in baseline avx2 avx512; do
    export LANEWISE_CPU=$level
    if ! ./host wrong >out 2>err; then
        grep -q 'this processor or its system lacks' err || { cat out err; exit 1; }
        continue
    fi
    diff expected out
    for bounds in 0 1; do # the bits are those of all forms
        LANEWISE_BOUNDS=$bounds ./host right >out
        diff same out
    done
done
own() # LEVEL THREADS: whichever form all launches run
{
    LANEWISE_CPU=$1 LANEWISE_BOUNDS=0 ./host-own right "$2" >plain 2>err &&
        LANEWISE_CPU=$1 LANEWISE_BOUNDS=1 ./host-own right "$2" >out 2>err
}
own baseline 32
diff plain out
if own baseline 64; then exit 1; fi
grep -q "code for blocks of 64 x 1 x 1 on cpu:baseline, but for 32 x 1 x 1; " err
if own avx2 64; then
    diff plain out
else
    grep -q 'this processor or its system lacks' err || { cat out err; exit 1; }
fi
