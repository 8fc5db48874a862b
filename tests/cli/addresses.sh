# addresses.sh - the manifest says which kernels follow pointers that are no arguments: a launch of
# such a one holds and waits for all buffers of its device, which no operation may do.
set -eu
follows() # FILE: the kernels that do
{
    case $1 in *.cu) language='--cuda sm_80' ;; *) language= ;; esac
    lanewise-compile --device "${2:-null}" --name "$1" --out 9 $language "$1" 9>rows
    awk -F'\t' '$1 == "kernel" { name = $2 } $1 == "addresses" { print name }' rows
}

for file in attention_wide matmul_narrow scan softmax; do
    got=$(follows "$SOURCE/kernels/$file.c")
    [ -z "$got" ] || { echo "$file: $got"; exit 1; }
done
cat >k.cu <<'K'
struct rows { int n; float *at[2]; };
__device__ float get(rows r, int i) { return r.at[i & 1][i]; }
__global__ void argument(float *x, const float *y) { rows r = {1, {x, x + 1}}; x[1] = get(r, *y); }
__global__ void member(rows r, float *x) { *x = get(r, 0); }
__global__ void memory(float **x) { **x = 1; }
__global__ void copied(const rows *r, float *x) { rows own = *r, other = own; *x = get(other, 1); }
__global__ void number(unsigned long long x) { *(float *)x = 1; }
struct one { float *at; };
__global__ void alone(one x) { *x.at = 1; }
__global__ void shared(float *x)
{
    __shared__ float *where;
    if (threadIdx.x == 0)
        where = x;
    __syncthreads();
    where[threadIdx.x] = 1;
}
K
for device in null cpu:avx2 ref check; do
    got=$(follows k.cu $device | tr '\n' ' ')
    [ "$got" = 'member memory copied number alone shared ' ] || { echo "$device: $got"; exit 1; }
done
