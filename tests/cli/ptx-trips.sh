# ptx-trips.sh - on a GPU, loops that read memory have the loads of several iterations in flight; a
# loop in which threads use collectives or wait stays as it is.
# not under sanitizers: it is about the text of PTX; tests/kernel compiles as much
set -eu

ptx() { # KERNEL: its global loads and stores, sums, barriers, branches back, one a line
    "$BUILD/src/compile/lanewise-compile" --device cuda:sm_90 --block 64,1,1 --kernel "$1" \
        --show ptx --out 3 kernel.c 3>&1 | sed -n '/^\.visible \.entry/,/^}/p' |
        grep -oE '(ld|st)\.global|add\.rn\.f32|bar\.sync|atom\.|ld\.relaxed|^\$L[^:]*|ret' |
        sed 's/^\$L.*/label/' | uniq -c | awk '{ print ($2 == "label" ? "" : $1 " ") $2 }'
}
expect() { # KERNEL FIRST-LINES...
    kernel=$1
    shift
    ptx "$kernel" >lines
    printf '%s\n' "$@" >expected
    head -n "$#" lines | diff expected - || { echo "of $kernel"; exit 1; }
}
loads() { # KERNEL COUNT
    count=$(ptx "$1" | awk '/ld/ { n += $1 } END { print n }')
    [ "$count" = "$2" ] || { echo "$1 has $count loads, not $2"; exit 1; }
}

cat >kernel.c <<'TEXT'
#include <lanewise/kernel.h>
#define THREADS ((size_t)grid_dim.x * block_dim.x)

KERNEL void sum(float *out, const float *a, const float *b, int n)
{
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += THREADS)
        sum += a[i] * b[i];
    out[global_idx.x] = sum;
}
KERNEL void store(float *out, const float *a, int n, int step)
{
    for (int i = (int)global_idx.x; i <= n; i += step)
        out[i] = a[i] + 1;
}
KERNEL void gather(float *out, const float *a, const int *where, int n)
{
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += THREADS)
        sum += a[where[i]];
    out[global_idx.x] = sum;
}
KERNEL void wide(float *out, const float4 *a, const float4 *b, int n)
{
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += THREADS)
        sum += a[i].x + a[i].y + a[i].z + a[i].w + b[i].x + b[i].y + b[i].z + b[i].w;
    out[global_idx.x] = sum;
}
KERNEL void anywhere(float *out, const float *a, const int *where, int n)
{
    for (size_t i = global_idx.x; i < (size_t)n; i += THREADS)
        out[where[i]] = a[i] + 1;
}
KERNEL void meeting(float *out, const float *a, int n)
{
    for (int i = (int)thread_idx.x; i < n; i += (int)grid_dim.x) {
        out[i] = a[i] + 1;
        barrier();
    }
}
KERNEL void decided(float *out, const float *a, int n)
{
    float sum = 0;
#pragma nounroll
    for (size_t i = global_idx.x; i < (size_t)n; i += THREADS)
        sum += a[i];
    out[global_idx.x] = sum;
}
TEXT
expect sum label '8 ld.global' '4 add.rn.f32' label '2 ld.global' '1 add.rn.f32'
expect store label '4 ld.global' '1 add.rn.f32' '1 st.global' '1 add.rn.f32' '1 st.global'
expect gather label '8 ld.global' '4 add.rn.f32' label '2 ld.global' '1 add.rn.f32'
loads wide 6 # of 16 bytes: two trips, and one
loads anywhere 2
loads meeting 1
loads decided 1
