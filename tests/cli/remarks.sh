# remarks.sh - what is slow on `cpu` is said with its place: gathers, scatters, what runs one lane
# after the other; and of the kernels of bench/ only what is known is said.
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
for level in avx2 avx512; do
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
