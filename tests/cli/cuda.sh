# cuda.sh - CUDA files at the command: by ending, by --cuda and --arch, from standard input; -k of
# templates for run, check, show, picture and cc; --symbol; kernels that are refused.
set -eu
fail() { echo "$*"; exit 1; }

# says STATUS TEXT WORD... - the command ends so, and says the text.
says()
{
    expected=$1 text=$2 status=0
    shift 2
    "$LANEWISE" "$@" >out 2>&1 || status=$?
    [ $status = "$expected" ] || { cat out; fail "$*: status $status"; }
    [ -z "$text" ] || grep -qF -e "$text" out || { cat out; fail "$*: it does not say '$text'"; }
}

cat >k.cu <<'K'
template <typename T, int N> __global__ void scale(T *x)
{
    x[threadIdx.x] *= N;
}
struct pair { int count; float last; };
__constant__ float factor = 2;
__device__ int table[2][2] = {{1, 2}, {3, 4}};
namespace state { __device__ pair both = {5, 0.5f}; }
template <typename T = float> __global__ void mix(T *x)
{
    x[threadIdx.x] += factor * table[0][threadIdx.x & 1];
    if (threadIdx.x == 0)
        state::both.count += __CUDA_ARCH__;
}
__global__ void bad(float *x) { asm volatile("no.such;"); x[0] = 1; }
void host() { scale<float, 3><<<1, 4>>>(nullptr); }
K

# ---- which language ----
says 0 'x: f32[4] = [0.0, 3.0, 6.0, 9.0]' run k.cu -b 4 'f32[4]=iota'
cp k.cu k.txt
says 0 '= [0.0, 3.0]' run k.txt --cuda -b 2 'f32[2]=iota'
says 0 '= [0.0, 3.0]' run - --cuda -b 2 'f32[2]=iota' <k.cu
says 0 'clean: 1 launch' check k.txt --arch sm_75 -b 2 'f32[2]=iota'
says 2 "--arch: 'ampere' is not sm_NN" run k.cu --arch ampere
says 3 "unknown type name 'template'" run k.txt 'f32[2]=iota'

# ---- kernels by name ----
says 0 '= [0.0, 3.0]' run k.cu -k 'scale<float,3>' -b 2 'f32[2]=iota'
says 0 '= [0.0, 5.0]' run k.cu -k 'scale<double, 5>' -b 2 'f64[2]=iota'
says 0 'clean: 1 launch' check k.cu -k 'scale<int, 5>' -b 2 'i32[2]=iota'
says 0 '' picture k.cu -k 'scale<int, 5>' -b 2 'i32[2]=iota' -o k.svg
says 0 'lw.cpu.scale<float, 3>' show k.cu -k 'scale<float,3>' --stage widened
says 0 'lw.cpu.mix<float>' show k.cu -k 'mix<>' --stage widened
says 0 '"scale<short, 7>"' show k.cu -k 'scale<short, 7>' --stage ir
says 2 "there is no kernel 'scael'; there is scale<float, 3>" show k.cu -k scael --stage widened
says 3 "use of undeclared identifier 'scael'" show k.cu -k 'scael<int>' --stage widened
says 2 "it has scale<float, 3>" run k.cu -k scael 'f32[1]'

# ---- pointers ----
cat >p.cu <<'K'
__global__ void add(float4 *x, const float *y) { x[threadIdx.x].y += y ? y[threadIdx.x] : 5; }
K
says 0 'x: f32[2,4] = ' run p.cu -b 2 'f32[2,4]=iota' 'f32[2]=1,2'
says 0 '[ 0.0,  6.0,  2.0,  3.0]' run p.cu -b 2 'f32[2,4]=iota' null
says 0 'clean: 1 launch' check p.cu -b 2 'struct[2]={1,2,3,4},{5,6,7,8}' null
says 4 "'x', which is NULL" run p.cu -b 2 null 'f32[2]'
says 2 'a buffer of i32 given, struct' run p.cu -b 2 'i32[8]' null

# ---- lockstep: a race of a warp is a warning below sm_70 ----
cat >l.cu <<'K'
__global__ void fold(int *x)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = x[t];
    s[t + 32] = x[t + 32];
    __syncthreads();
    s[t] += s[t + 1];
    x[t] = s[t];
}
K
says 1 ' race-warp: ' check l.cu -b 32 'i32[64]=iota'
says 0 ' warning: race-warp: ' check l.cu --arch sm_60 -b 32 'i32[64]=iota'
says 1 ' race-warp: ' check l.cu --arch sm_60 --strict -b 32 'i32[64]=iota'

# ---- cc ----
says 0 "warning: kernel 'bad': inline PTX" \
    cc k.cu -k 'scale<double, 2>' -k 'scale<int, -1>' --targets ref -o k.o --header k.h
for name in scale_float_3 scale_double_2 scale_int_1; do
    grep -q "lw_status k_$name(lw_stream" k.h || fail "k.h lacks $name"
done
"$CC" -fsyntax-only -I"$SOURCE/include" -include k.h -x c /dev/null
rm k.o
says 3 "'scale<int, 1>' and 'scale<int, -1>' would both be the function k_scale_int_1" \
    cc k.cu -k 'scale<int, 1>' -k 'scale<int, -1>' --targets ref -o k.o
says 3 "uses the variable 'table' of the device" cc k.cu -k 'mix<>' --targets ref -o k.o
says 3 "error: kernel 'bad': inline PTX" cc k.cu -k bad --targets ref -o k.o
[ ! -e k.o ]
says 2 '-k of cc is for CUDA' cc k.txt -k bad --targets ref -o k.o

cat >host.c <<'C'
#include "k.h"
#include <stdio.h>
static int run(const char *device)
{
    const int x[4] = {0, 1, 2, 3};
    int got[4];
    lw_device *dev;
    lw_stream *s;
    lw_buffer *b;
    lw_tensor t = {.rank = 1, .extent = {4}};
    if (lw_device_open(device, &dev) || lw_stream_create(dev, &s) ||
        lw_buffer_create(dev, LW_I32, 4, &b) || lw_buffer_write(b, 0, 4, x))
        return 1;
    t.buffer = b;
    if (k_scale_int_1(s, (lw_dim3){1, 1, 1}, (lw_dim3){4, 1, 1}, t) || lw_stream_wait(s) ||
        lw_buffer_read(b, 0, 4, got))
        return 1;
    printf("%d %d\n", got[1], got[3]);
    lw_buffer_destroy(b);
    lw_stream_destroy(s);
    lw_device_close(dev);
    return 0;
}
int main(void)
{
    return run("ref") || run("cpu");
}
C
"$LANEWISE" cc k.cu -k 'scale<int, -1>' --targets ref,cpu:baseline -b 4 -o k.o --header k.h 2>out
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
if ! nm -D "$lib/liblanewise.so" | grep -qE '__[at]san_init'; then
    "$CC" -I"$SOURCE/include" host.c k.o -o host -L"$lib" -Wl,-rpath,"$lib" -llanewise -lm
    LANEWISE_COMPILE=$PWD/none ./host >out
    printf '%s\n' '-1 -3' '-1 -3' | diff - out
fi

# ---- refused kernels ----
for command in 'run' 'check' 'show --stage widened' 'picture -o bad.svg'; do
    words='f32[1]'
    case $command in show*) words= ;; esac
    # shellcheck disable=SC2086
    says 3 "k.cu:15:33: " $command k.cu -k bad $words
    grep -q "kernel 'bad': inline PTX" out
done

# ---- variables of the device ----
mix="-k mix<> -b 2 f32[2]=iota"
# shellcheck disable=SC2086
{
    says 0 'x: f32[2] = [2.0, 5.0]' run k.cu $mix --symbol state::both --symbol table
    grep -qx 'state::both: struct\[1\] = \[{805, 0.5}\]' out
    grep -qF 'table: i32[2,2] = [[1, 2],' out
    says 0 'x: f32[2] = [30.0, 61.0]' run k.cu $mix --symbol factor=10 --symbol table=3,6,0,0
    says 0 '{807, -1.0}' run k.cu $mix --symbol 'state::both={7,-1}:both.npy' --arch sm_80
    says 0 '{1607, -1.0}' run k.cu $mix --symbol state::both=struct@both.npy --time=3
    says 0 'table: i32[2,2] = [[ 7,  8],' run k.cu $mix --symbol 'table=i32[2,2]=7,8,9,10:table.npy'
    says 0 'x: f32[2] = [14.0, 17.0]' run k.cu $mix --symbol table=@table.npy
    says 0 '"name": "factor", "dtype": "f32", "shape": [1], "data": [4.0]' \
        run k.cu $mix --symbol factor=4 --json
    says 0 'clean: 1 launch' check k.cu $mix --symbol factor=4
    says 2 'table (int [2][2]): 3 values given, 4 needed' run k.cu $mix --symbol table=1,2,3
    says 2 'table (int [2][2]): 8 bytes given, it has 16' run k.cu $mix --symbol 'table=i32[2]'
    says 2 'a buffer of f32 given, i32 is needed' run k.cu $mix --symbol 'table=f32[4]'
    says 2 "a variable 'tabel' of the device; its kernels use" run k.cu $mix --symbol tabel
    says 2 'a value is needed' run k.cu $mix --symbol factor=
    says 2 'both write t.npy' run k.cu $mix --symbol factor:t.npy --symbol table:t.npy
}

# Comparing code reads neighbours as vectors where their index becomes an int.
cat >neighbours.cu <<'END'
__global__ void neighbours(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n)
        to[i] = from[i - 1];
}
END
mkdir -m 700 code
export LANEWISE_CACHE_DIR="$PWD/code"
LANEWISE_BOUNDS=1 says 0 'to: f32[4] = [0.0, 0.0, 1.0, 2.0]' \
    run neighbours.cu -d cpu -g 1 -b 64 'f32[4]=iota' 'f32[4]' 4
! grep -h '[gs]\(ather\|catter\):' code/*.txt || fail "neighbours are gathered"
