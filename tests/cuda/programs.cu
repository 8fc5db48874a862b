// Small programs: n bodies, Fourier transform, images of four bytes a pixel, sums of blocks by the
// compiler's own atomics, alignment of sequences, shortest paths, LU, sieve, SHA-256, options.
// run: -k make_bodies_and_run -b 8 'f32[8]'
// expect: out: f32[8] = [1144.0, 228.0, -1043.0, -276.0, -810.0, 831.0, -751.0, -54.0]
// run: -k bodies -b 8 'f32[32]=0,0,0,1,1,1,3,2,2,4,6,1,3,4,2,2,4,1,5,1,5,0,1,2,6,1,4,1,7,4,0,2' 'f32[8]' 8
// expect: acceleration: f32[8] = [1144.0, 228.0, -1043.0, -276.0, -810.0, 831.0, -751.0, -54.0]
// run: -k fft -b 8 --shared 128 'f32[16]=3,0,5,2,7,4,1,6,3,0,5,2,7,4,1,6' 'i32[16]' 'i32[16]' 4
// expect: re: i32[16] = [5600, 0, -800, 0, 800, 0, -800, 0, 800, 0, -800, 0, 800, 0, -800, 0]
// expect: im: i32[16] = [0, 0, 331, 0, 800, 0, 1931, 0, 0, 0, -1931, 0, -800, 0, -331, 0]
// run: -k box_filter -b 5 'u32[5]=270544960,289633703,308722446,327811189,346899932' 'u32[2,5]' 5 1
// expect: out: u32[2,5] = [[ 271271778,  289633617,  308700515,  327767413,
// expect:                    329330361],
// expect:                  [2147418112, 2147418137, 2147418163, 2147418188,
// expect:                   2147418214]]
// run: -k builtin_atomics -b 8 'i32[7]' 'u32[3]=0,4294967295,0'
// expect: x: i32[7] = [28, 16, -8, 9, 6, 28, 5]
// expect: u: u32[3] = [255, 4294967040, 257]
// run: -k local_alignment -b 32 'u8[12]=3,1,2,2,0,1,3,2,1,0,2,3' 'u8[15]=1,2,0,1,3,3,2,1,2,3,0,0,1,2,2' 12 15 'i32[1]'
// expect: best: i32[1] = [15]
// run: -k floyd_warshall -b 4,4 'i32[16]=0,3,99,7,8,0,2,99,5,99,0,1,2,99,99,0' 4
// expect: d: i32[16] = [0, 3, 5, 6, 5, 0, 2, 3, 3, 6, 0, 1, 2, 5, 7, 0]
// run: -k 'lu_determinant<4>' -b 4 'f64[16]=2,1,3,0,4,1,7,2,1,5,6,8,3,2,9,4' 'f64[1]'
// expect: det: f64[1] = [80.0]
// run: -k sieve -b 64 --shared 128 'i32[1]' 1000
// expect: count: i32[1] = [168]
// run: -k sha256 -b 64 'u32[2,4]'
// expect: digest: u32[2,4] = [[3128432319, 2399260650, 1094795486, 1571693091],
// expect:                     [2953011619, 2518121116, 3021012833, 4060091821]]
// run: -k black_scholes -b 3 'f32[3]' 'f32[3]' 100 95 0.5 0.05 0.3
// expect: call: f32[3] = [1233.0, 963.0, 740.0]
// expect: put: f32[3] = [498.0, 717.0, 981.0]
// run: -k life -b 20 'u8[20]=0,0,0,0,0,0,1,1,1,0,0,0,1,0,0,0,0,0,0,0' 'u8[20]' 5 4
// expect: out: u8[20] = [0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]
// run: -k merge_path -b 5 'i32[7]=1,4,4,9,12,30,31' 'i32[9]=0,2,4,10,11,13,14,15,40' 'i32[16]' 7 9
// expect: out: i32[16] = [0, 1, 2, 4, 4, 4, 9, 10, 11, 12, 13, 14, 15, 30, 31, 40]
// run: -k knapsack -b 12 --shared 96 'i32[5]=3,4,5,9,4' 'i32[5]=3,4,4,10,4' 5 'i32[1]' 11
// expect: best: i32[1] = [11]
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) bodies(const float *xyzm, float *acceleration, int n)
{
    const float4 *p = reinterpret_cast<const float4 *>(xyzm);
    __shared__ float4 tile[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = p[i];
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            const float d2 = dx * dx + dy * dy + dz * dz + 1.0f;
            const float inverse = rsqrtf(d2), s = tile[j].w * inverse * inverse * inverse;
            a.x += dx * s, a.y += dy * s, a.z += dz * s;
        }
        __syncthreads();
    }
    acceleration[i] = rintf((a.x + 2 * a.y + 3 * a.z) * 1000);
}
__global__ void make_bodies_and_run(float *out)
{
    __shared__ float4 p[8];
    const int t = threadIdx.x;
    p[t] = make_float4(t, t * t % 5, t * 3 % 7, 1 + t % 2);
    __syncthreads();
    float3 a{};
    for (int j = 0; j < 8; j++) {
        const float3 d = make_float3(p[j].x - p[t].x, p[j].y - p[t].y, p[j].z - p[t].z);
        const float inverse = rsqrt(fmaf(d.x, d.x, fmaf(d.y, d.y, fmaf(d.z, d.z, 1.0f))));
        const float s = p[j].w * __powf(inverse, 3);
        a.x += d.x * s, a.y += d.y * s, a.z += d.z * s;
    }
    out[t] = rintf((a.x + 2 * a.y + 3 * a.z) * 1000);
}

/* Cooley and Tukey, radix 2, in shared memory. */
__global__ void fft(const float *in, int *re, int *im, int log_n)
{
    extern __shared__ float2 z[];
    const int n = 1 << log_n, t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x)
        z[__brev(i) >> (32 - log_n)] = make_float2(in[i], 0);
    __syncthreads();
    for (int half = 1; half < n; half <<= 1) {
        const int k = t & (half - 1), i = ((t & ~(half - 1)) << 1) | k;
        float s, c;
        sincosf(-3.14159265f * k / half, &s, &c);
        const float2 a = z[i], b = z[i + half];
        const float2 wb = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        z[i] = make_float2(a.x + wb.x, a.y + wb.y);
        z[i + half] = make_float2(a.x - wb.x, a.y - wb.y);
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x)
        re[i] = __float2int_rn(z[i].x * 100), im[i] = __float2int_rn(z[i].y * 100);
}

__device__ unsigned rgba_of(float4 v)
{
    const unsigned r = __saturatef(v.x) * 255, g = __saturatef(v.y) * 255,
                   b = __saturatef(v.z) * 255;
    return (unsigned)(__saturatef(v.w) * 255) << 24 | b << 16 | g << 8 | r;
}
__global__ void box_filter(const unsigned *pixels, unsigned *out, int w, int radius)
{
    const uchar4 *in = reinterpret_cast<const uchar4 *>(pixels);
    const int x = threadIdx.x;
    int4 sum = make_int4(0, 0, 0, 0);
    for (int d = -radius; d <= radius; d++) {
        const uchar4 c = in[min(max(x + d, 0), w - 1)];
        sum.x += c.x, sum.y += c.y, sum.z += c.z, sum.w += c.w;
    }
    const int n = 2 * radius + 1;
    const uchar4 r = make_uchar4(sum.x / n, sum.y / n, sum.z / n, sum.w / n);
    out[x] = *reinterpret_cast<const unsigned *>(&r);
    out[w + x] = rgba_of(make_float4(x * 0.1f, -1.0f, 2.0f, 0.5f));
}

/* The compiler's own atomics, which programs for the host share with the device. */
__global__ void builtin_atomics(int *x, unsigned *u)
{
    const int t = threadIdx.x;
    __sync_fetch_and_add(&x[0], t);
    __sync_add_and_fetch(&x[1], 2);
    __sync_fetch_and_sub(&x[2], 1);
    __sync_fetch_and_or(&u[0], 1u << t);
    __sync_fetch_and_and(&u[1], ~(1u << t));
    __sync_fetch_and_xor(&u[2], 3u << t);
    __sync_val_compare_and_swap(&x[3], 0, 9);
    __sync_lock_test_and_set(&x[4], 6);
    __atomic_fetch_add(&x[5], t, __ATOMIC_RELAXED);
    if (__atomic_load_n(&x[6], __ATOMIC_ACQUIRE) == 0)
        __atomic_store_n(&x[6], 5, __ATOMIC_RELEASE);
    __threadfence_system();
    __threadfence_block();
}

/* Smith and Waterman: an anti-diagonal a step, a lane a row. */
__global__ void local_alignment(const unsigned char *a, const unsigned char *b, int m, int n,
                                int *best)
{
    const int row = threadIdx.x;
    int left = 0, above_left = 0, most = 0, mine = 0;
    for (int step = 0; step < m + n - 1; step++) {
        int above = __shfl_up_sync(0xffffffff, mine, 1);
        if (row == 0)
            above = 0;
        const int column = step - row;
        if (row < m && column >= 0 && column < n) {
            const int match = above_left + (a[row] == b[column] ? 2 : -1);
            mine = __vimax3_s32_relu(match, above - 1, left - 1);
            most = max(most, mine);
            left = mine;
        }
        above_left = column >= -1 ? above : 0;
    }
    most = __reduce_max_sync(0xffffffff, most);
    if (row == 0)
        *best = most;
}

__global__ void floyd_warshall(int *d, int n)
{
    const int i = threadIdx.y, j = threadIdx.x;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        const int via = d[i * n + k] + d[k * n + j];
        const bool better = via < d[i * n + j];
        __syncthreads();
        if (better)
            d[i * n + j] = via;
    }
}

template <int N> __global__ void lu_determinant(const double *in, double *det)
{
    __shared__ double a[N][N + 1];
    __shared__ int pivot;
    const int i = threadIdx.x;
    for (int j = 0; j < N; j++)
        a[i][j] = in[i * N + j];
    double product = 1;
    for (int k = 0; k < N; k++) {
        __syncthreads();
        if (i == k) {
            pivot = k;
            for (int r = k + 1; r < N; r++)
                if (fabs(a[r][k]) > fabs(a[pivot][k]))
                    pivot = r;
        }
        __syncthreads();
        if (pivot != k) {
            const double swap = a[k][i];
            a[k][i] = a[pivot][i];
            a[pivot][i] = swap;
            product = -product;
        }
        __syncthreads();
        product *= a[k][k];
        if (i > k) {
            const double f = a[i][k] / a[k][k];
            for (int j = k; j < N; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    if (i == 0)
        *det = rint(product * 1e6) / 1e6;
}

__global__ void sieve(int *count, int n)
{
    extern __shared__ unsigned composite[];
    for (int i = threadIdx.x; i <= n / 32; i += blockDim.x)
        composite[i] = i == 0 ? 3 : 0;
    __syncthreads();
    for (int p = 2; p * p <= n; p++) {
        const bool prime = !(composite[p >> 5] >> (p & 31) & 1);
        __syncthreads();
        if (prime)
            for (int m = p * p + p * threadIdx.x; m <= n; m += p * blockDim.x)
                atomicOr(&composite[m >> 5], 1u << (m & 31));
        __syncthreads();
    }
    int mine = 0;
    for (int i = threadIdx.x; i <= n; i += blockDim.x)
        mine += !(composite[i >> 5] >> (i & 31) & 1);
    atomicAdd(count, mine);
}

__constant__ unsigned sha_k[64];
__device__ __forceinline__ unsigned rotr(unsigned x, int n)
{
    return __funnelshift_r(x, x, n);
}
__device__ unsigned root_bits(unsigned p, bool cube)
{
    const double r = cube ? cbrt((double)p) : sqrt((double)p);
    return (unsigned)((r - floor(r)) * 4294967296.0);
}
__global__ void sha256(unsigned *digest)
{
    __shared__ unsigned k[64], w[64];
    unsigned primes[64], found = 0;
    for (unsigned c = 2; found < 64; c++) {
        bool prime = true;
        for (unsigned i = 0; i < found && primes[i] * primes[i] <= c; i++)
            prime = prime && c % primes[i];
        if (prime)
            primes[found++] = c;
    }
    k[threadIdx.x] = root_bits(primes[threadIdx.x], true);
    w[threadIdx.x] = threadIdx.x == 0 ? 0x61626380 : threadIdx.x == 15 ? 24 : 0;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int i = 16; i < 64; i++) {
        const unsigned a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) +
               (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
    }
    unsigned h[8], s[8];
    for (int i = 0; i < 8; i++)
        s[i] = h[i] = root_bits(primes[i], false);
    for (int i = 0; i < 64; i++) {
        const unsigned t1 = s[7] + (rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25)) +
                            (s[4] & s[5] ^ ~s[4] & s[6]) + k[i] + w[i];
        const unsigned t2 = (rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22)) +
                            (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        digest[i] = h[i] + s[i];
}

__device__ inline float cnd(float d)
{
    return 0.5f + 0.5f * erff(d * 0.70710678f);
}
__global__ void black_scholes(float *call, float *put, float s, float x, float t, float r, float v)
{
    const float strike = x + threadIdx.x * 5;
    const float root = v * sqrtf(t), d1 = (__logf(s / strike) + (r + 0.5f * v * v) * t) / root,
                d2 = d1 - root;
    const float discounted = strike * __expf(-r * t), c = s * cnd(d1) - discounted * cnd(d2);
    call[threadIdx.x] = rintf(c * 100);
    put[threadIdx.x] = rintf((c - s + discounted) * 100);
}

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
    const int x = threadIdx.x % w, y = threadIdx.x / w;
    int n = 0;
    for (int dy = h - 1; dy <= h + 1; dy++)
        for (int dx = w - 1; dx <= w + 1; dx++)
            n += in[(y + dy) % h * w + (x + dx) % w];
    const int alive = in[y * w + x];
    out[y * w + x] = n - alive == 3 || (alive && n - alive == 2);
}

/* Merge of two sorted arrays: each thread finds where its part begins. */
__global__ void merge_path(const int *a, const int *b, int *out, int na, int nb)
{
    const int per = (na + nb + blockDim.x - 1) / blockDim.x,
              d = min((int)threadIdx.x * per, na + nb);
    int low = max(0, d - nb), high = min(d, na);
    while (low < high) {
        const int mid = (low + high) >> 1;
        if (a[mid] <= b[d - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    int i = low, j = d - low;
    for (int k = d; k < min(d + per, na + nb); k++)
        out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

__global__ void knapsack(const int *weight, const int *value, int items, int *best, int capacity)
{
    extern __shared__ int table[];
    const int c = threadIdx.x;
    int now = 0;
    table[c] = table[capacity + 1 + c] = 0;
    for (int i = 0; i < items; i++, now ^= 1) {
        __syncthreads();
        const int *last = table + now * (capacity + 1);
        int *next = table + (now ^ 1) * (capacity + 1);
        next[c] = c >= weight[i] ? max(last[c], last[c - weight[i]] + value[i]) : last[c];
    }
    __syncthreads();
    if (c == capacity)
        *best = table[now * (capacity + 1) + c];
}
