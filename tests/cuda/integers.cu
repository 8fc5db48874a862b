// Integer functions: bits, bytes, products, sums of differences, dot products, SIMD in a word.
// Each thread has its pair of words; a number per function is the sum over threads of
// result * (2 * thread + 1), modulo 2^32.
// run: -k bits -b 32 'u32[11]'
// expect: out: u32[11] = [3383106354, 1591, 2536, 16063, 328419857, 1591, 2670, 32589, 98304, 32768, 41984]
// run: -k bytes -b 32 'u32[7]'
// expect: out: u32[7] = [4140845001, 744756127, 3442775373, 555532557, 2803555001, 1503013593, 3527778066]
// run: -k products -b 32 'u32[23]'
// expect: out: u32[23] = [17754688, 4044286528, 3083066785, 3654671594, 4171939017, 2264624044, 3735684181, 3291787949, 1619761734, 1619762324, 1619761734, 1619762324, 3062258412, 3124441324, 3685226996, 3315264556, 3614573300, 2606977836, 4075109185, 1281360283, 3883699307, 2729207270, 1728377169]
// run: -k simd2 -b 32 'u32[3,7]'
// expect: out: u32[3,7] = [[4098860027, 3827731041, 4097942501, 3826813515,
// expect:                   3207018202,  267293838, 3321485423],
// expect:                  [2144253028, 1034492885, 1186466419, 1613667156,
// expect:                   1630837908, 1608686150, 1957143501],
// expect:                  [3892038574, 1282380557, 3642452780,  701894848,
// expect:                    249585794,   34224504,   41119308]]
// run: -k simd4 -b 32 'u32[3,7]'
// expect: out: u32[3,7] = [[3419744715, 3575213665, 2999581085, 3155050035,
// expect:                   3864923866, 3965504206, 4021772473],
// expect:                  [3822089572, 2477037290,  313626795, 3932597850,
// expect:                   1949675028, 1289849030,  999246371],
// expect:                  [3019198950, 2240277687,  220325108, 1889997932,
// expect:                   2798873842,     289049,     301977]]
// run: -k compare2 -b 32 'u32[2,10]'
// expect: out: u32[2,10] = [[4294967149, 4294966419,    7142917,   14875967,
// expect:                       7143064,   14876114, 4287823208, 4280090158,
// expect:                    4287823355, 4280090305],
// expect:                   [   9633939,   57475949,   26083835,   31326913,
// expect:                      16449896,   21692974,   50659992,   45416914,
// expect:                      41026053,   35782975]]
// run: -k compare4 -b 32 'u32[2,10]'
// expect: out: u32[2,10] = [[4294967149, 4294966419, 1076647596, 3190062017,
// expect:                    1076647743, 3190062164, 3218318529, 1104904108,
// expect:                    3218318676, 1104904255],
// expect:                   [2475922323, 1886417005, 2429615444, 3768501055,
// expect:                    4248660417, 1292578732,  113678911, 3069760596,
// expect:                    1932723884,  593838273]]
// run: -k fused -b 32 'u32[3,12]'
// expect: out: u32[3,12] = [[1240655872,  762781579, 2630522198, 3667882549,
// expect:                    3747997170, 1812156018, 1756176624, 1119911655,
// expect:                     916010775, 1172405826, 2106776128, 1371571970],
// expect:                   [3950697687, 1086653326, 1958164173, 1281361056,
// expect:                    3883699785, 3650792740, 1215390140,  755541455,
// expect:                    2625060571, 3640838320, 3728273422, 1800357780],
// expect:                   [1749802867, 1125993077,  929670729, 1159146152,
// expect:                    2096931320, 1369585424, 3943203538, 1081177825,
// expect:                    1957144913, 1282382658, 3892040462, 3642454405]]
// run: -k gray_and_morton -g 4 -b 64 'u32[2]'
// expect: out: u32[2] = [0, 256]
// run: -k crc32 -b 64 'u8[17]=87,97,114,112,115,32,111,102,32,51,50,32,108,97,110,101,115' 'u32[1]' 17
// expect: out: u32[1] = [2371378302]
// run: -k murmur -b 4 'u32[4]=0,1,305419896,4294967295' 'u32[4]' 42
// expect: hashes: u32[4] = [933211791, 3735386339, 2573797136, 2690190909]
// run: -k wide_multiply -b 3 'u64[3]=18446744073709551615,12345678901234567890,9223372036854775808' 'u64[3]=18446744073709551615,987654321987654321,6' 'u64[6]'
// expect: out: u64[6] = [1, 18446744073709551614, 6116552186045480754, 660998118473061771, 0, 3]
// run: -k queens -b 32 'i32[1]' 8
// expect: solutions: i32[1] = [92]
// run: -k division -b 6 'i32[6]=17,-17,17,-17,2147483647,-2147483648' 'i32[6]=5,5,-5,-5,-1,3' 'i64[6]'
// expect: out: i64[6] = [302007, -302001, -298003, 298009, -214748364699996, -71582788201994]
__constant__ unsigned extremes[18] = {0,          0xffffffff, 0x80000000, 0x7fffffff, 0x80008000,
                                      0x80808080, 0x7fff8000, 0x007f80ff, 0x00010001};
__device__ unsigned word(unsigned n)
{
    if (n < 9)
        return extremes[n];
    if (n >= 41 && n < 46)
        n -= 32;
    if (n >= 34 && n < 38)
        return extremes[n - 32];
    n = (n + 1) * 0x9e3779b9u;
    n ^= n >> 16, n *= 0x85ebca6bu, n ^= n >> 13, n *= 0xc2b2ae35u;
    return n ^ n >> 16;
}
#define EACH(value)                                                                                \
    {                                                                                              \
        const unsigned sum =                                                                       \
            __reduce_add_sync(0xffffffff, (unsigned)(value) * (2 * threadIdx.x + 1));              \
        if (threadIdx.x == 0)                                                                      \
            out[i] = sum;                                                                          \
        i++;                                                                                       \
    }
#define WORD2(f) EACH(f(a, b))
#define WORD1(f) EACH(f(a))
#define INPUT                                                                                      \
    const unsigned a = word(threadIdx.x), b = word(threadIdx.x + 32), c = word(threadIdx.x + 64);  \
    const unsigned long long w = (unsigned long long)a << 32 | b;                                  \
    int i = 0;                                                                                     \
    (void)a, (void)b, (void)c, (void)w;

__global__ void bits(unsigned *out){INPUT WORD1(__brev) WORD1(__clz) WORD1(__ffs) WORD1(__popc)
                                        EACH(__brevll(w) >> 7) EACH(__clzll(w)) EACH(__ffsll(w))
                                            EACH(__popcll(w))
                                                EACH(__clz(0) + __ffs(0) + __clzll(0) + __ffsll(0))
                                                    EACH(__ffs(1 << 31)) EACH(__ffsll(1ll << 40))}

__global__ void bytes(unsigned *out){
    INPUT EACH(__byte_perm(a, b, c)) EACH(__byte_perm(a, 0, 0x4140)) EACH(__byte_perm(a, b, 0x0123))
        EACH(__funnelshift_l(a, b, c)) EACH(__funnelshift_r(a, b, c))
            EACH(__funnelshift_lc(a, b, c & 63)) EACH(__funnelshift_rc(a, b, c & 63))}

__global__ void products(unsigned *out)
{
    INPUT
    const int x = a, y = b, z = c;
    EACH(__mul24(x, y))
    EACH(__umul24(a, b)) EACH(__mulhi(x, y)) EACH(__umulhi(a, b)) EACH(__umul64hi(w, w ^ c))
        EACH(__mul64hi((long long)w, ~(long long)w)) EACH(__sad(x, y, c)) EACH(__usad(a, b, c))
            EACH(__hadd(x, y)) EACH(__rhadd(x, y)) EACH(__uhadd(a, b)) EACH(__urhadd(a, b))
                EACH(__dp4a(x, y, z)) EACH(__dp4a(a, b, c)) EACH(__dp2a_lo(x, y, z))
                    EACH(__dp2a_hi(x, y, z)) EACH(__dp2a_lo(a, b, c)) EACH(__dp2a_hi(a, b, c))
                        EACH(abs(x)) EACH(min(x, y)) EACH(max(a, b)) EACH(llabs((long long)w) >> 9)
                            EACH(min(w, (unsigned long long)c << 30) >> 5)
}

__global__ void simd2(unsigned *out){
    INPUT WORD1(__vabs2) WORD1(__vneg2) WORD1(__vabsss2) WORD1(__vnegss2) WORD2(__vadd2)
        WORD2(__vaddss2) WORD2(__vaddus2) WORD2(__vsub2) WORD2(__vsubss2) WORD2(__vsubus2)
            WORD2(__vavgs2) WORD2(__vavgu2) WORD2(__vhaddu2) WORD2(__vmaxs2) WORD2(__vmaxu2)
                WORD2(__vmins2) WORD2(__vminu2) WORD2(__vabsdiffs2) WORD2(__vabsdiffu2)
                    WORD2(__vsads2) WORD2(__vsadu2)} __global__ void simd4(unsigned *out){
    INPUT WORD1(__vabs4) WORD1(__vneg4) WORD1(__vabsss4) WORD1(__vnegss4) WORD2(__vadd4)
        WORD2(__vaddss4) WORD2(__vaddus4) WORD2(__vsub4) WORD2(__vsubss4) WORD2(__vsubus4)
            WORD2(__vavgs4) WORD2(__vavgu4) WORD2(__vhaddu4) WORD2(__vmaxs4) WORD2(__vmaxu4)
                WORD2(__vmins4) WORD2(__vminu4) WORD2(__vabsdiffs4) WORD2(__vabsdiffu4)
                    WORD2(__vsads4) WORD2(__vsadu4)}
#define COMPARE(f, n)                                                                              \
    WORD2(f##eq##n)                                                                                \
    WORD2(f##ne##n) WORD2(f##ges##n) WORD2(f##geu##n) WORD2(f##gts##n) WORD2(f##gtu##n)            \
        WORD2(f##les##n) WORD2(f##leu##n) WORD2(f##lts##n) WORD2(f##ltu##n)
__global__ void compare2(unsigned *out){INPUT COMPARE(__vcmp, 2) COMPARE(__vset, 2)} __global__
    void compare4(unsigned *out){INPUT COMPARE(__vcmp, 4) COMPARE(__vset, 4)}

__global__ void fused(unsigned *out)
{
    INPUT
    const int x = a, y = b, z = c;
    EACH(__viaddmax_s32(x, y, z))
    EACH(__viaddmin_s32(x, y, z)) EACH(__viaddmax_u32(a, b, c)) EACH(__viaddmin_u32(a, b, c))
        EACH(__viaddmax_s32_relu(x, y, z)) EACH(__viaddmin_s32_relu(x, y, z))
            EACH(__vimax3_s32(x, y, z)) EACH(__vimin3_s32(x, y, z)) EACH(__vimax3_u32(a, b, c))
                EACH(__vimin3_u32(a, b, c)) EACH(__vimax3_s32_relu(x, y, z))
                    EACH(__vimin3_s32_relu(x, y, z)) EACH(__vimax_s32_relu(x, y))
                        EACH(__vimin_s32_relu(x, y)) bool p,
        q;
    EACH(__vibmax_s32(x, y, &p) + (unsigned)p)
    EACH(__vibmin_s32(x, y, &p) + (unsigned)p) EACH(__vibmax_u32(a, b, &p) + p)
        EACH(__vibmin_u32(a, b, &p) + p) EACH(__viaddmax_s16x2(a, b, c))
            EACH(__viaddmin_s16x2(a, b, c)) EACH(__viaddmax_u16x2(a, b, c))
                EACH(__viaddmin_u16x2(a, b, c)) EACH(__viaddmax_s16x2_relu(a, b, c))
                    EACH(__viaddmin_s16x2_relu(a, b, c)) EACH(__vimax3_s16x2(a, b, c))
                        EACH(__vimin3_s16x2(a, b, c)) EACH(__vimax3_u16x2(a, b, c))
                            EACH(__vimin3_u16x2(a, b, c)) EACH(__vimax3_s16x2_relu(a, b, c))
                                EACH(__vimin3_s16x2_relu(a, b, c)) EACH(__vimax_s16x2_relu(a, b))
                                    EACH(__vimin_s16x2_relu(a, b))
                                        EACH(__vibmax_s16x2(a, b, &p, &q) + p + 2 * q)
                                            EACH(__vibmin_s16x2(a, b, &p, &q) + p + 2 * q)
                                                EACH(__vibmax_u16x2(a, b, &p, &q) + p + 2 * q)
                                                    EACH(__vibmin_u16x2(a, b, &p, &q) + p + 2 * q)
}

/* ---- In use -------------------------------------------------------------------------------- */

__global__ void gray_and_morton(unsigned *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, gray = t ^ (t >> 1);
    unsigned x = t & 0x1f, y = t >> 5;
    auto spread = [](unsigned v) {
        v = (v | v << 8) & 0x00ff00ff;
        v = (v | v << 4) & 0x0f0f0f0f;
        v = (v | v << 2) & 0x33333333;
        return (v | v << 1) & 0x55555555;
    };
    const unsigned morton = spread(x) | spread(y) << 1;
    unsigned back = gray;
    for (int s = 1; s < 32; s <<= 1)
        back ^= back >> s;
    atomicXor(out, morton * 3 + gray);
    atomicAdd(out + 1, back == t && (__popc(gray ^ ((t + 1) ^ ((t + 1) >> 1))) == 1));
}

__global__ void crc32(const unsigned char *text, unsigned *out, int n)
{
    __shared__ unsigned table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned crc = ~0u;
        for (int i = 0; i < n; i++)
            crc = table[(crc ^ text[i]) & 0xff] ^ crc >> 8;
        *out = ~crc;
    }
}

__device__ __forceinline__ unsigned rotl(unsigned x, int r)
{
    return __funnelshift_l(x, x, r);
}
__global__ void murmur(const unsigned *keys, unsigned *hashes, unsigned seed)
{
    unsigned k = keys[threadIdx.x] * 0xcc9e2d51u, h = seed;
    k = rotl(k, 15) * 0x1b873593u;
    h = rotl(h ^ k, 13) * 5 + 0xe6546b64u;
    h ^= 4;
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
    hashes[threadIdx.x] = h;
}

__global__ void wide_multiply(const unsigned long long *a, const unsigned long long *b,
                              unsigned long long *out)
{
    const int t = threadIdx.x;
    out[2 * t] = a[t] * b[t];
    out[2 * t + 1] = __umul64hi(a[t], b[t]);
}

__global__ void queens(int *solutions, int n)
{
    const int all = (1 << n) - 1;
    int columns[12], left[12], right[12], open[12], depth = 0, found = 0;
    if (threadIdx.x >= n)
        return;
    const int first = 1 << threadIdx.x;
    columns[0] = first, left[0] = first << 1, right[0] = first >> 1;
    open[0] = all & ~(columns[0] | left[0] | right[0]);
    while (depth >= 0) {
        const int bit = open[depth] & -open[depth];
        if (!bit) {
            depth--;
            continue;
        }
        open[depth] ^= bit;
        if (depth == n - 2) {
            found++;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        open[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    atomicAdd(solutions, found);
}

__global__ void division(const int *x, const int *y, long long *out)
{
    const int t = threadIdx.x;
    const long long big = (long long)x[t] * 1000003;
    out[t] =
        x[t] / y[t] * 100000ll + x[t] % y[t] * 1000 + big / y[t] % 7 + (unsigned)x[t] / 7u % 10;
}
