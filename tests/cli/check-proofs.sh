# check-proofs.sh - `lanewise check --verbose` and --json tell which accesses are proved in bounds
# for these sizes. What depends on memory, wraps around or is out of bounds is not proved, and the
# finding is the same as without proofs.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
fail() { echo "$*"; exit 1; }

cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void saxpy(float *y, const float *x, float a, int n)
{
    int i = global_idx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
KERNEL void rows(float *y, const float *x, int rows, int cols)
{
    int row = global_idx.y, col = global_idx.x;
    if (row < rows && col < cols)
        y[row * cols + col] = x[row * cols + col];
}
KERNEL void strided(float *y, const float *x, int n)
{
    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x)
        y[i] = x[i];
}
KERNEL void down(float *y, int n)
{
    for (int i = n - 1 - (int)thread_idx.x; i >= 0; i -= block_dim.x)
        y[i] = i;
}
KERNEL void matvec(float *y, const float *x, size_t rows, size_t cols)
{
    float sum = 0;
    if (global_idx.x >= rows)
        return;
    for (size_t k = 0; k < cols; k++)
        sum += x[global_idx.x * cols + k];
    y[global_idx.x] = sum;
}
KERNEL void gather(float *y, const float *x, const int *from)
{
    y[thread_idx.x] = x[from[thread_idx.x]];
}
KERNEL void wraps(float *y, unsigned n)
{
    unsigned i = thread_idx.x;
    if (i < n)
        y[i - 1] = 1;
}
KERNEL void wide(float *y, int n)
{
    y[n * (int)(thread_idx.x + 1)] = 1;
}
KERNEL void lower(float *y, int first, int n)
{
    int i = first + (int)thread_idx.x;
    if (i < n)
        y[i] = 1;
}
KERNEL void tensor(TENSOR(float, 2) t, float *y)
{
    int i = global_idx.x;
    if (i < t.extent[0])
        for (int k = 0; k < t.extent[1]; k++)
            y[i] += at(t, i, k);
}
KERNEL void walk(float *y, const float *x, int n)
{
    const float *p = x + thread_idx.x;
    float sum = 0;
    for (int i = 0; i < 4; i++, p += n)
        sum += *p;
    y[thread_idx.x] = sum;
}
KERNEL void anew(float *y, int n)
{
    int at = 8;
    for (unsigned char k = 0;; k++) {
        if (k < 4)
            y[at] = 1;
        at++;
        if (at == n)
            return;
    }
}
KERNEL void later(float *y, int n)
{
    int at = 9;
    for (int k = -3; k < n; k++, at += 3)
        y[at] = k;
}
KERNEL void before(float *y, int n, int m)
{
    bool was = false;
    for (int i = 0; i < m; i++) {
        if (was)
            y[i] = 1;
        was = i < n;
    }
}
KERNEL void less(float *y, int n)
{
    int i = thread_idx.x;
    if (i < n)
        y[i - n + 2] = 1;
}
KERNEL void grows(float *y, int n)
{
    int k = 0, step = 1;
    for (int at = 0; k < n; k++, at += step, step += 2)
        y[at] = 1;
}
KERNEL void chain(float *y, int n)
{
    for (int i = 0, j; i < n; i = j)
        for (j = i; j < i + 4; j++)
            y[j] = 1;
}
KERNEL void across(float *y)
{
    y[block_idx.x * block_dim.x + thread_idx.y] = 1;
}
KERNEL void linear(float *y)
{
    y[warp_id() * WARP_SIZE + lane_id()] = 1;
}
KERNEL void apart(float *y)
{
    y[warp_id() * 64 + lane_id()] = 1;
}
KERNEL void behind(float *y, int n, int i)
{
    float (*rows)[n] = (float (*)[n])y;
    rows[0][i] = 1;
}
KERNEL void ring(float *y, const float *x, int rows, int cols)
{
    int r = global_idx.y, c = global_idx.x;
    if (r >= rows || c >= cols)
        return;
    float sum = 0;
    for (int k = -2; k <= 2; k++)
        if (c + k >= 0 && c + k < cols)
            sum += x[r * cols + c + k];
    y[r * cols + c] = sum;
}
KERNEL void triangle(float *y, const float *x, int n)
{
    int i = global_idx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < i; k++)
        sum += x[i * n + k];
    y[i] = sum;
}
KERNEL void skips(float *y, int n, int but)
{
    for (int k = 0;; k++) {
        if (k == but)
            continue;
        if (k >= n)
            return;
        y[k] = 1;
    }
}
KERNEL void moves(float *y, int n, int end)
{
    for (int k = 0; k != end; k++) {
        if (k >= n)
            return;
        y[k] = 1;
        end = k & 1 ? 3 : 0;
    }
}
KERNEL void either(float *y, const float *a, const float *b, int n)
{
    const float *from = n & 1 ? a : b;
    y[thread_idx.x] = from[thread_idx.x];
}
KERNEL BLOCK(64) void sums(float *y, const float *x)
{
    SHARED float part[64];
    int t = thread_idx.x;
    part[t] = x[t];
    for (int apart = 1; apart < 64; apart *= 2) {
        barrier();
        float more = t >= apart ? part[t - apart] : 0;
        barrier();
        part[t] += more;
    }
    barrier();
    y[t] = part[(int)part[t] & 63];
}
KERNEL void tiles(float *y, const float *x, int n)
{
    for (int k = 0; k < n; k += 16)
        y[k + (int)(thread_idx.x & 15)] = x[k + (int)(thread_idx.x & 15)];
}
KERNEL void planes(float *y, const float *x, int cols, int rows, int planes)
{
    int c = global_idx.x + 1, r = global_idx.y + 1;
    if (c >= cols - 1 || r >= rows - 1)
        return;
    int plane = cols * rows, at = r * cols + c;
    for (int k = 1; k < planes - 1; k++) {
        at += plane;
        y[at] = x[at - plane] + x[at + plane] + x[at - cols] + x[at + 1];
    }
}
KERNEL void from_one(float *y, int n)
{
    for (int k = 1; k != n; k++)
        y[k] = 1;
}
KERNEL void shifted(float *y, unsigned left, unsigned right)
{
    y[thread_idx.x << left >> right] = 1;
}
C

# NAME PROVED ALL OPTIONS...: the last line, and how many are proved
check() {
    name=$1 proved=$2 all=$3
    shift 3
    status=0
    "$LANEWISE" check k.c -k "$name" --verbose "$@" >out || status=$?
    grep -q "^$proved of $all access" out || { cat out; fail "$name: not $proved of $all"; }
    [ "$(grep -c 'proved in bounds for these sizes$' out)" = "$proved" ] || fail "$name: lines"
}
clean() {
    check "$@"
    [ "$status" = 0 ] || { cat out; fail "$1: status $status"; }
}
found() {
    check "$@"
    [ "$status" = 1 ] || { cat out; fail "$1: status $status"; }
    grep -q ': out-of-bounds: ' out || { cat out; fail "$1: no finding"; }
}

clean saxpy 3 3 -b 32 -g 4 'f32[100]' 'f32[100]=iota' 2 100
grep -q '^k.c:6:20: read of x: proved in bounds for these sizes$' out || fail "no place of x"
clean saxpy 3 3 -b 32 -g 4 'f32[1]' 'f32[1]=iota' 2 -- -5 # no thread comes there
found saxpy 2 3 -b 32 -g 4 'f32[100]' 'f32[99]=iota' 2 100 # one too short
found saxpy 0 3 -b 32 -g 4 'f32[100]' 'f32[100]=iota' 2 101
clean rows 2 2 -b 8,8 -g 3,3 'f32[400]' 'f32[400]=iota' 20 20
found rows 0 2 -b 8,8 -g 3,3 'f32[399]' 'f32[399]=iota' 20 20
clean strided 2 2 -b 32 -g 2 'f32[300]' 'f32[300]=iota' 300
found strided 1 2 -b 32 -g 2 'f32[300]' 'f32[299]=iota' 300
clean down 1 1 -b 32 'f32[100]' 100
found down 0 1 -b 32 'f32[100]' 102
clean matvec 2 2 -b 32 -g 2 'f32[40]' 'f32[400]=iota' 40 10
found matvec 1 2 -b 32 -g 2 'f32[40]' 'f32[399]=iota' 40 10
clean gather 2 3 -b 32 'f32[32]' 'f32[32]=iota' 'i32[32]=iota'
found gather 2 3 -b 32 'f32[32]' 'f32[31]=iota' 'i32[32]=iota'
found wraps 0 1 -b 32 'f32[32]' 32      # by an index of 2^32 - 1
found wide 0 1 -b 4 'f32[32]' 1073741824 # a product that wraps
clean tensor 3 3 -b 32 'f32[20,30]' 'f32[20]'
found tensor 1 3 -b 32 'f32[20,30]' 'f32[19]' # y is read and written
clean walk 2 2 -b 32 'f32[32]' 'f32[62]' 10
found walk 1 2 -b 32 'f32[32]' 'f32[61]' 10
clean anew 0 1 -b 1 'f32[300]' 300
found anew 0 1 -b 1 'f32[100]' 300 # a counter that wraps
found later 0 1 -b 1 'f32[18]' 1
clean later 0 1 -b 1 'f32[19]' 1
found before 0 1 -b 1 'f32[10]' 10 11
found less 0 1 -b 4 'f32[4]' 4
found grows 0 1 -b 1 'f32[9]' 4 # at squares
found chain 0 1 -b 1 'f32[15]' 13
found across 0 1 -b 1,8 'f32[1]'
clean ring 2 2 -b 8,8 -g 3,3 'f32[480]' 'f32[480]' 20 24
found ring 1 2 -b 8,8 -g 3,3 'f32[480]' 'f32[479]' 20 24
clean planes 5 5 -b 8,8 -g 3,3 'f32[2400]' 'f32[2400]' 20 24 5
found planes 4 5 -b 8,8 -g 3,3 'f32[2400]' 'f32[2377]' 20 24 5 # the last that x[at + plane] reads
found planes 4 5 -b 8,8 -g 3,3 'f32[1897]' 'f32[2400]' 20 24 5
clean planes 5 5 -b 8,8 -g 3,3 'f32[1]' 'f32[1]' 20 24 2 # no planes inside
clean from_one 1 1 -b 1 'f32[9]' 9
found from_one 0 1 -b 1 'f32[9]' 0 # counts on until it wraps around
clean triangle 2 2 -b 32 -g 2 'f32[40]' 'f32[1599]' 40 # x[39][39] is not read
found triangle 1 2 -b 32 -g 2 'f32[40]' 'f32[1598]' 40
found skips 0 1 -b 1 'f32[4]' 10 3
found moves 0 1 -b 1 'f32[4]' 10 3
clean linear 1 1 -b 40 'f32[40]'
found linear 0 1 -b 40 'f32[39]'
found apart 0 1 -b 64 'f32[64]'
found behind 1 1 -b 1 'f32[100]' 10 10 # the index is out of its row, not of y
found either 1 1 -b 32 'f32[32]' 'f32[40]' 'f32[31]' 0
clean either 1 1 -b 32 'f32[32]' 'f32[40]' 'f32[32]' 0
clean either 1 1 -b 32 'f32[32]' 'f32[31]' 'f32[32]' 0
found either 1 1 -b 32 'f32[32]' 'f32[31]' 'f32[32]' 1 # one of two is not told
clean sums 2 2 'f32[64]' 'f32[64]=rand:1'
clean tiles 2 2 -b 16 'f32[48]' 'f32[48]' 48
found tiles 0 2 -b 16 'f32[47]' 'f32[47]' 47
clean lower 1 1 -b 32 'f32[32]' 0 32
found lower 0 1 -b 32 'f32[32]' -- -1 32 # a guard on one side only
clean shifted 1 1 -b 8 'f32[8]' 3 3 # by distances that only the launch knows
found shifted 0 1 -b 8 'f32[8]' 3 2

"$LANEWISE" check k.c -k gather -b 32 'f32[32]' 'f32[32]=iota' 'i32[32]=iota' --json >json
python3 - <<'PY'
import json

with open("json", encoding="utf-8") as f:
    proved = json.load(f)["proved"]
assert [(p["kernel"], p["file"], p["line"], p["access"], p["object"]) for p in proved] == [
    ("gather", "k.c", 35, "read", "from"), ("gather", "k.c", 35, "write", "y")], proved
assert proved[0]["column"] == 25, proved
PY

# A screen does not change what is proved.
LANEWISE_SCREEN=1 "$LANEWISE" check k.c -k saxpy -b 32 -g 4 --verbose 'f32[100]' 'f32[100]' 2 100 \
    >out
grep -q '^1 of 1 launches screened$' out || fail "not screened"
grep -q '^3 of 3 accesses of buffers proved in bounds$' out || fail "not proved"
