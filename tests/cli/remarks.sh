# remarks.sh - what is slow on `cpu` is said with its place: gathers, scatters, what runs one lane
# after the other; and of the kernels of bench/ only what is known is said.
# With tests/run -s K/N the kernels of bench/ are compiled for one level, and one_lane has one.
# not under sanitizers: tests/error and tests/kernel compile as much, and bench/ takes minutes
set -eu

cat >k.c <<'END'
#include <lanewise/kernel.h>
KERNEL void looked_up(float *out, const float *a, const int *at)
{
    int i = thread_idx.x;
    out[i] = a[at[i]];
}
KERNEL void scattered(float *out, const float *a, const int *at)
{
    int i = thread_idx.x;
    out[at[i]] = a[i];
}
KERNEL void one_by_one(float *out, const int *at)
{
    atomic_add(&out[at[thread_idx.x]], 1.0f);
}
KERNEL void neighbours(float *out, const float *a, int n)
{
    size_t i = global_idx.x;
    if (i + 1 < (size_t)n)
        out[i] = a[i] + a[i + 1];
}
END

# remarks LEVEL FILE [ARGS...] - into ./got, what showing its code says
remarks()
{
    level=$1
    shift
    "$LANEWISE" show "$@" -d "cpu:$level" --stage widened 2>&1 >/dev/null |
        grep ': remark: ' >got || :
}

for level in baseline avx2 avx512; do
    remarks "$level" k.c -b 64 -k looked_up
    grep -q '^k.c:5:14: remark: gather: ' got
    remarks "$level" k.c -b 64 -k scattered
    grep -q '^k.c:10:16: remark: scatter: ' got
    remarks "$level" k.c -b 64 -k one_by_one
    grep -q '^k.c:14:5: remark: serialised: ' got
    remarks "$level" k.c -b 64 -k neighbours
    [ ! -s got ] || { cat got; exit 1; }
done

# `run` prints none unless asked, and then those of its kernel alone, each with its advice.
"$LANEWISE" run k.c -k looked_up -b 32 --quiet 'f32[32]' 'f32[32]' 'i32[32]' 2>err
[ ! -s err ] || { cat err; exit 1; }
for device in cpu ref; do
    "$LANEWISE" run k.c -k looked_up -b 32 -d $device --quiet --remarks \
        'f32[32]' 'f32[32]' 'i32[32]' 2>err
    [ "$(grep -c ': remark: ' err)" = 1 ] || { cat err; exit 1; }
    grep -A 3 '^k.c:5:14: remark: gather: ' err | grep -q '^k.c:5:14: note: if the index is no data'
done
"$LANEWISE" run - -k looked_up -b 32 --quiet --remarks 'f32[32]' 'f32[32]' 'i32[32]' <k.c 2>err
grep -q '^<stdin>:5:14: remark: gather: ' err
grep -q '^    5 |     out\[i\] = a\[at\[i\]\];$' err # its picture, too
"$LANEWISE" run k.c -k looked_up -b 32 --json --remarks 'f32[32]' 'f32[32]' 'i32[32]' 2>err >out
grep -q '"severity": "remark", "file": "k.c", "line": 5' out

# An atomic operation that one lane of a warp does at most is not serialised.
cat >one.c <<'END'
#include <lanewise/kernel.h>
KERNEL void one(int n, float *out, const float *a)
{
    float s = block_sum(a[global_idx.x]);
    if (thread_idx.x == 0)
        atomic_add(out, s);
    if (global_idx.x == 3 && n > 3)
        atomic_cas((int *)out + 1, 0, 1);
    if (lane_id() == 0)
        atomic_add(out + warp_id() % 2, s);
    if (global_idx.x == (size_t)n)
        atomic_add(out + 3, s);
}
END
for level in baseline avx2 avx512; do
    remarks "$level" one.c -b 128
    [ ! -s got ] || { cat got; exit 1; }
done

# A column of transpose's tile of 32 x 33 lies 33 floats apart; orbits leave the circle when they
# do; a thread of attention reads and writes a row of 64. Counters and columns come from the data.
levels="avx2 avx512"
[ "${TEST_EVERY:-1}" = 1 ] || levels=avx512
for level in $levels; do
    for kernel in "$SOURCE"/bench/kernels/*.c; do
        remarks "$level" "$kernel"
        case $kernel in
        */transpose.c) ! grep -v 'transpose.c:21:.* gather: lanes are 132 bytes apart' got ;;
        */mandelbrot.c) ! grep -v 'mandelbrot.c:19:.* masked loop: lanes leave it' got ;;
        */histogram.c) ! grep -v 'histogram.c:1[57]:.* serialised: ' got ;;
        */csr.c) ! grep -v 'csr.c:17:.* gather: ' got ;;
        */attention.c) ! grep -v 'attention.c:\(26\|62\):.* lanes are 256 bytes apart' got ;;
        *) [ ! -s got ] ;;
        esac || { cat got; exit 1; }
    done
done

# Each row of remarks.def: the kernel that has it says what, once, and its advice.
cat >all.c <<'END'
#include <lanewise/kernel.h>
struct record { int part[40]; };
KERNEL void gather_by_data(float *out, const float *a, const int *at)
{
    out[thread_idx.x] = a[at[thread_idx.x]];
}
KERNEL void gather_by_stride(float *out, const float a[][64])
{
    out[thread_idx.x] = a[thread_idx.x][3];
}
KERNEL void scatter_by_data(float *out, const int *at)
{
    out[at[thread_idx.x]] = 1;
}
KERNEL void scatter_by_stride(float out[][64])
{
    out[thread_idx.x][3] = 1;
}
KERNEL void serial_atomic(int *out, const int *at)
{
    atomic_add(&out[at[thread_idx.x]], 1);
}
KERNEL void serial_atomic_access(int *out, int *a)
{
    out[thread_idx.x] = atomic_load(&a[thread_idx.x]);
}
KERNEL void serial_volatile(int *out, volatile int *a, const int *at)
{
    out[thread_idx.x] = a[at[thread_idx.x]];
}
KERNEL void serial_copy(struct record *out, const struct record *a)
{
    out[thread_idx.x] = a[thread_idx.x];
}
KERNEL void masked_loop(float *x)
{
    while (x[thread_idx.x] > 1)
        x[thread_idx.x] *= 0.5f;
}
KERNEL void generic(float *buffer, int n)
{
    SHARED float tile[256];
    tile[thread_idx.x] = n;
    barrier();
    float *p = n > 3 ? tile : buffer;
    for (int i = 0; i < n; i++)
        p[i] += 1;
}
END
{
    echo '#define LW_REMARK(id, what, advice) @id|what|advice'
    cat "$SOURCE/src/compile/support/remarks.def"
} >table.c
"$CC" -E -P table.c | tr '\n@' ' \n' | sed -n 's/" *"//g; s/"//g; s/ *| */|/g; s/ *$//; /|/p' >table
rows=0
while IFS='|' read -r id what advice; do
    kernel=$(echo "$id" | tr 'A-Z' 'a-z') stage=widened device=cpu:avx512
    [ "$id" != GENERIC ] || { stage=ptx && device=cuda; }
    "$LANEWISE" show all.c -k "$kernel" -b 64 -d $device --stage $stage 2>err >out
    at=$(sed -n "s/^\(all.c:[0-9]*:[0-9]*\): remark: $what: .*/\1/p" err)
    [ -n "$at" ] && grep -qxF "$at: note: $advice" err || { echo "$id"; cat err; exit 1; }
    [ "$(grep -c ': remark: ' err)" = 1 ] || { echo "$id"; cat err; exit 1; }
    rows=$((rows + 1))
done <table
[ $rows = "$(grep -c '^LW_REMARK' "$SOURCE/src/compile/support/remarks.def")" ] && [ $rows -ge 10 ]

# A place has a remark once, though some of its pieces are masked off and others are not.
echo '#include <lanewise/kernel.h>
KERNEL void k(int n, float *out, const float a[][64]) {
    int i = global_idx.x;
    if (i < n)
        out[i] = a[i][3];
}' >once.c
remarks avx2 once.c -b 256
[ "$(wc -l <got)" = 1 ] || { cat got; exit 1; }

# One lane alone: none, be it by constants, by what is known in the launch alone, or by a return.
# Twins that differ by a word have the remark.
cat >one.c <<'END'
#include <lanewise/kernel.h>
#ifndef FIRST
#define FIRST thread_idx.x == 0
#endif
KERNEL void k(float *o, float v, int n)
{
#ifdef RETURNS
    if (RETURNS)
        return;
#else
    if (FIRST)
#endif
        atomic_add(o, v);
}
END
# one_lane COUNT BLOCK [OPTION...] - COUNT remarks; an atomic add of floats is no loop of the user's
one_lane()
{
    wanted=$1 block=$2
    shift 2
    for level in $levels; do
        remarks "$level" one.c -b "$block" "$@"
        [ "$(wc -l <got)" = "$wanted" ] || { echo "$*"; cat got; exit 1; }
        if grep -q 'masked loop' got; then exit 1; fi
    done
}
one_lane 0 256
one_lane 1 16x16
one_lane 0 16x16 '-DFIRST=thread_idx.x == 0 && thread_idx.y == 0'
one_lane 0 16x16 '-DFIRST=global_idx.x == 3 && global_idx.y == 3'
one_lane 0 256 '-DFIRST=lane_id() == 0'
one_lane 0 256 '-DFIRST=lane_id() == n'
one_lane 0 256 '-DFIRST=thread_idx.x == n && n < 7'
one_lane 0 256 '-DFIRST=thread_idx.x % WARP_SIZE == 5'
one_lane 1 256 '-DFIRST=thread_idx.x % 16 == 5'
one_lane 0 256 '-DFIRST=thread_idx.x < 1'
one_lane 1 256 '-DFIRST=thread_idx.x < 2'
one_lane 1 256 '-DFIRST=thread_idx.x == 0 || n'
one_lane 1 256 '-DFIRST=thread_idx.x != n'
one_lane 0 256 '-DRETURNS=thread_idx.x'
one_lane 0 256 '-DRETURNS=thread_idx.x != n || n > 7'
one_lane 1 256 '-DRETURNS=thread_idx.x == 3'

# A launch that breaks a limit is refused as without --remarks.
for remarks in '' --remarks; do
    status=0
    # shellcheck disable=SC2086 # one word, or none
    "$LANEWISE" run k.c -k scattered -b 2000 $remarks 'f32[4]' 'f32[4]' 'i32[4]' 2>err || status=$?
    [ $status = 4 ] && grep -q 'scattered: block 2000 x 1 x 1 is too large' err
    [ "$(wc -l <err)" = 1 ]
done
