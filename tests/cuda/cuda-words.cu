// Bits, bytes and SIMD in words: each function against a plain formula on some pairs of words.
// run: -k bits -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k parts -g 1 -b 64 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#define CHECK(condition) atomicAdd(wrong, (condition) ? 0 : 1)

__global__ void bits(int *wrong)
{
    CHECK(__popc(0xf0f) == 8 && __popcll(~0ull) == 64 && __clz(0) == 32 && __clz(1) == 31);
    CHECK(__clzll(1) == 63 && __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41);
    CHECK(__brev(1) == 0x80000000 && __brevll(1) == 1ull << 63);
    CHECK(__byte_perm(0x33221100, 0x77665544, 0x7520) == 0x77552200);
    CHECK(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_r(2, 1, 1) == 0x80000001);
    CHECK(__funnelshift_lc(5, 6, 40) == 5 && __funnelshift_rc(5, 6, 40) == 6);
    CHECK(__mulhi(-1, 5) == -1 && __umulhi(0x80000000, 6) == 3);
    CHECK(__umul64hi(1ull << 63, 6) == 3 && __mul64hi(-1, 5) == -1);
    CHECK(__mul24(0x1000001, 3) == 3 && __umul24(0xffffff, 2) == 0x1fffffe);
    CHECK(__mul24(0xffffff, 3) == -3 && __sad(-3, 4, 1) == 8 && __usad(3, 9, 1) == 7);
    CHECK(__hadd(-3, 0) == -2 && __rhadd(-3, 0) == -1 && __uhadd(~0u, ~0u) == ~0u);
    CHECK(__dp4a(0x01ff02fe, 0x04030201, 10) == 10 + 4 - 3 + 4 - 2);
    CHECK(__dp4a(0x01ff02feu, 0x04030201u, 0u) == 4 + 765 + 4 + 254);
    CHECK(__dp2a_lo(0x0002ffff, 0x0403ff01, 5) == 5 - 1 - 2);
    CHECK(__fns(0xb0, 0, 2) == 5 && __fns(0xb0, 7, -2) == 5 && __fns(1, 1, 1) == ~0u);
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    CHECK(__hiloint2double(0x3ff00000, 0) == 1 && __double2hiint(2) == 0x40000000);
    bool first;
    CHECK(__vibmax_s32(-1, 2, &first) == 2 && !first && __vibmin_u32(3, 3, &first) == 3 && first);
    CHECK(__viaddmax_s32(-5, 3, 1) == 1 && __viaddmin_s32_relu(-5, 3, 1) == 0);
    CHECK(__vimax3_s16x2(0x0001fffe, 0x0002fffd, 0x0000ffff) == 0x0002ffff);
    CHECK(__vimin3_u32(3, 2, 9) == 2 && __vimax_s16x2_relu(0xffff8000, 0xfffe0001) == 1);
    CHECK(__usad4(0x01020304, 0x04030201) == 8 && __vsads2(0xffff0001, 0x00010002) == 3);
}

/* The parts of the words, computed one by one in int. */
template <class F> __device__ unsigned by_parts(unsigned a, unsigned b, int bits, bool sign, F f)
{
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits) {
        int x = a >> at & ((1 << bits) - 1), y = b >> at & ((1 << bits) - 1);
        if (sign && x >> (bits - 1))
            x -= 1 << bits;
        if (sign && y >> (bits - 1))
            y -= 1 << bits;
        result |= (f(x, y) & ((1u << bits) - 1)) << at;
    }
    return result;
}
#define BOTH(name, sign, expression)                                                               \
    CHECK(name##2(a, b) == by_parts(a, b, 16, sign, [](int x, int y) { return expression; }));     \
    CHECK(name##4(a, b) == by_parts(a, b, 8, sign, [](int x, int y) { return expression; }))
#define CLAMPED(name, sign, expression)                                                            \
    CHECK(name##2(a, b) == by_parts(a, b, 16, sign, [](int x, int y) {                             \
              return min(max(expression, sign ? -32768 : 0), sign ? 32767 : 65535);                \
          }));                                                                                     \
    CHECK(name##4(a, b) == by_parts(a, b, 8, sign, [](int x, int y) {                              \
              return min(max(expression, sign ? -128 : 0), sign ? 127 : 255);                      \
          }))

__global__ void parts(int *wrong)
{
    const unsigned words[] = {0,          0x80008000, 0x7f7f8080, 0x01ff807f,
                              0xffffffff, 0x12348765, 0x7fffffff, 0x00ff00fe};
    const unsigned a = words[threadIdx.x / 8], b = words[threadIdx.x % 8];
    BOTH(__vadd, false, x + y);
    BOTH(__vsub, false, x - y);
    CLAMPED(__vaddss, true, x + y);
    CLAMPED(__vsubss, true, x - y);
    CLAMPED(__vaddus, false, x + y);
    CLAMPED(__vsubus, false, x - y);
    BOTH(__vabsdiffs, true, abs(x - y));
    BOTH(__vabsdiffu, false, abs(x - y));
    BOTH(__vavgu, false, (x + y + 1) / 2);
    BOTH(__vhaddu, false, (x + y) / 2);
    BOTH(__vmaxs, true, x > y ? x : y);
    BOTH(__vminu, false, x < y ? x : y);
    BOTH(__vcmpeq, false, x == y ? -1 : 0);
    BOTH(__vcmpgts, true, x > y ? -1 : 0);
    BOTH(__vcmpleu, false, x <= y ? -1 : 0);
    BOTH(__vsetlts, true, x < y);
    BOTH(__vsetne, false, x != y);
    CHECK(__vabs4(a) == by_parts(a, b, 8, true, [](int x, int) { return abs(x); }));
    CHECK(__vnegss2(a) == by_parts(a, b, 16, true, [](int x, int) { return min(-x, 32767); }));
}
