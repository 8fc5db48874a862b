// PTX in asm statements, each form against C++. A kernel counts what differs, by the number of the
// form: all must be 0.
// run: -k places -g 2 -b 64 'i32[8]'
// expect: wrong: i32[8] = [0, 0, 0, 0, 0, 0, 0, 0]
// run: -k integers -b 64 'i32[16]'
// expect: wrong: i32[16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// run: -k bits -b 64 'i32[24]'
// expect: wrong: i32[24] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// run: -k carries -b 64 'i32[4]'
// expect: wrong: i32[4] = [0, 0, 0, 0]
// run: -k floats -b 64 'i32[16]'
// expect: wrong: i32[16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// run: -k conversions -b 64 'i32[16]'
// expect: wrong: i32[16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// run: -k lanes -b 64 'i32[16]'
// expect: wrong: i32[16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// run: -k memory -b 8 'f32[32]=iota' 'f32[32]'
// expect: y: f32[32] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0]
// run: -k orders -b 64 'i32[64]=iota' 'i32[6]'
// expect: out: i32[6] = [2016, 64, 63, 1, 64, 2016]
// run: -k time -b 4 'i32[2]'
// expect: out: i32[2] = [1, 1]
// run: -k traps -b 1 'i32[1]'
// status: 4
// stderr: inline-ptx.cu:
// run: -k unknown -b 4 'i32[4]'
// status: 3
// stderr: kernel 'unknown': inline PTX 'vabsdiff.u32.u32.u32.add %0, %1, %1, %1' is not in the kernel language
// run: -k branches -b 4 'i32[4]'
// status: 3
// stderr: kernel 'branches': inline PTX '@p bra done' is not in the kernel language
#include <cuda_fp16.h>

#define WRONG(i, is) (atomicAdd(&wrong[i], (is) ? 0 : 1))

__global__ void places(int *wrong)
{
    unsigned r, w, s, t, b;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    asm("mov.u32 %0, %%warpid;" : "=r"(w));
    asm("mov.u32 %0, %%smid;" : "=r"(s));
    asm("mov.u32 %0, %%tid.x;" : "=r"(t));
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(b));
    WRONG(0, r == threadIdx.x % 32);
    WRONG(1, w == threadIdx.x / 32);
    WRONG(2, t == threadIdx.x && b == blockIdx.x);
    unsigned lt, le, gt, ge, eq;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
    WRONG(3, eq == 1u << r && lt == eq - 1 && le == (lt | eq) && gt == ~le && ge == ~lt);
    unsigned nt;
    asm("{\n\t.reg .u32 a, b;\n\tmov.u32 a, %%ntid.x; // the block\n\tmov.u32 b, %%nctaid.x;\n\t"
        "mul.lo.u32 %0, a, b; /* all */\n\t}"
        : "=r"(nt));
    WRONG(4, nt == 128);
}

/* Numbers with all kinds of bits. */
__device__ unsigned number(unsigned i)
{
    const unsigned some[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x12345678};
    return i % 8 < 6 ? some[i % 8] : i * 2654435761u;
}

__global__ void integers(int *wrong)
{
    const unsigned a = number(threadIdx.x), b = number(threadIdx.x / 8), c = number(threadIdx.x / 3);
    const int x = (int)a, y = (int)b;
    unsigned r;
    int i;
    unsigned long long l;
    long long sl;
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    WRONG(0, r == __umulhi(a, b));
    asm("mul.hi.s32 %0, %1, %2;" : "=r"(i) : "r"(x), "r"(y));
    WRONG(1, i == __mulhi(x, y));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(l) : "r"(a), "r"(b));
    WRONG(2, l == (unsigned long long)a * b);
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(sl) : "r"(x), "r"(y));
    WRONG(3, sl == (long long)x * y);
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    WRONG(4, r == a * b + c);
    asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    WRONG(5, r == __umulhi(a, b) + c);
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(l) : "r"(a), "r"(b), "l"((unsigned long long)c));
    WRONG(6, l == (unsigned long long)a * b + c);
    asm("min.s32 %0, %1, %2;" : "=r"(i) : "r"(x), "r"(y));
    WRONG(7, i == min(x, y));
    asm("max.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    WRONG(8, r == max(a, b));
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(c));
    WRONG(9, r == __sad(x, y, c));
    r = a;
    asm("add.u32 %0, %0, %1;" : "+r"(r) : "r"(b));
    WRONG(10, r == a + b);
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(x), "r"(y), "r"(c));
    WRONG(11, i == __dp4a(x, y, (int)c));
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(l) : "l"((unsigned long long)a << 32 | b), "l"(~0ull - c));
    WRONG(12, l == __umul64hi((unsigned long long)a << 32 | b, ~0ull - c));
    asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.s32 %0, %1, %2, p; }"
        : "=r"(i) : "r"(x), "r"(y));
    WRONG(13, i == min(x, y));
    r = c;
    asm("{\n .reg .pred q;\n setp.hi.u32 q, %1, %2;\n @q add.u32 %0, %0, 1;\n @!q sub.u32 %0, %0, 1;\n}"
        : "+r"(r) : "r"(a), "r"(b));
    WRONG(14, r == (a > b ? c + 1 : c - 1));
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(i) : "r"(x), "r"(y));
    WRONG(15, i == __mul24(x, y));
}

__global__ void bits(int *wrong)
{
    const unsigned a = number(threadIdx.x), b = number(threadIdx.x / 8), n = threadIdx.x % 36;
    const unsigned length = threadIdx.x / 2;
    const unsigned long long w = (unsigned long long)a << 32 | b;
    unsigned r;
    int i;
    unsigned long long l;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(n), "r"(length));
    const unsigned long long mask = length < 32 ? (1ull << length) - 1 : 0xffffffff;
    WRONG(0, r == (unsigned)((unsigned long long)a >> n & mask));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(a), "r"(n), "r"(length));
    const long long from = (long long)(int)a >> n;
    WRONG(1, i == (length ? length < 64 ? (int)(from << (64 - length) >> (64 - length)) : (int)from
                          : 0));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(n), "r"(length));
    const unsigned at = n < 32 ? (unsigned)(mask << n) : 0;
    WRONG(2, r == ((b & ~at) | ((n < 32 ? a << n : 0) & at)));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0x7531u));
    WRONG(3, r == __byte_perm(a, b, 0x7531));
    asm("prmt.b32 %0, %1, %2, 0x8888;" : "=r"(r) : "r"(a), "r"(b));
    WRONG(4, r == (a & 0x80 ? 0xffffffff : 0));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(n));
    WRONG(5, r == (a ^ b ^ n));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(n));
    WRONG(6, r == ((a & b) | (b & n) | (a & n)));
    asm("popc.b32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(7, r == __popc(a));
    asm("popc.b64 %0, %1;" : "=r"(r) : "l"(w));
    WRONG(8, r == __popcll(w));
    asm("clz.b32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(9, r == __clz(a));
    asm("clz.b64 %0, %1;" : "=r"(r) : "l"(w));
    WRONG(10, r == __clzll(w));
    asm("brev.b32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(11, r == __brev(a));
    asm("brev.b64 %0, %1;" : "=l"(l) : "l"(w));
    WRONG(12, l == __brevll(w));
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(13, r == 31u - __clz(a));
    asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(14, r == 31u - __clz((int)a < 0 ? ~a : a));
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(n));
    WRONG(15, r == (n < 32 ? a << n : 0));
    asm("shr.s32 %0, %1, %2;" : "=r"(i) : "r"((int)a), "r"(n));
    WRONG(16, i == (int)a >> (n < 32 ? n : 31));
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n));
    WRONG(17, r == __funnelshift_r(a, b, n));
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(n));
    WRONG(18, r == __funnelshift_lc(a, b, n));
    unsigned low, high;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(w));
    WRONG(19, low == b && high == a);
    asm("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(low), "r"(high));
    WRONG(20, l == w);
    asm("not.b32 %0, %1;" : "=r"(r) : "r"(a));
    WRONG(21, r == ~a);
    asm("xor.b32 %0, %1, -1;" : "=r"(r) : "r"(a));
    WRONG(22, r == ~a);
}

__global__ void carries(int *wrong)
{
    const unsigned a = number(threadIdx.x), b = number(threadIdx.x / 8), c = number(threadIdx.x / 3);
    const unsigned long long x = (unsigned long long)a << 32 | b, y = (unsigned long long)c << 32 | a;
    unsigned low, high;
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
        : "=r"(low), "=r"(high) : "r"(b), "r"(a), "r"(a), "r"(c));
    WRONG(0, ((unsigned long long)high << 32 | low) == x + y);
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(low) : "r"(b), "r"(a));
    asm volatile("subc.u32 %0, %1, %2;" : "=r"(high) : "r"(a), "r"(c));
    WRONG(1, ((unsigned long long)high << 32 | low) == x - y);
    asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;"
        : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(a));
    WRONG(2, ((unsigned long long)high << 32 | low) == (unsigned long long)a * b + ((unsigned long long)a << 32 | c));
    /* Three words: the flag goes on and on. */
    unsigned r0, r1, r2;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %5, %6; addc.u32 %2, 0, 0;"
        : "=r"(r0), "=r"(r1), "=r"(r2) : "r"(b), "r"(a), "r"(a), "r"(c));
    WRONG(3, ((unsigned long long)r1 << 32 | r0) == x + y && r2 == (x + y < x));
}

__global__ void floats(int *wrong)
{
    const float a = (threadIdx.x + 1) * 0.37f, b = ((int)threadIdx.x - 20) * 1.3f, c = 0.1f;
    const double d = a, e = b;
    float r;
    double s;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
    WRONG(0, r == fmaf(a, b, c));
    asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    WRONG(1, r == a + b);
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    WRONG(2, r == exp2f(b));
    asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    WRONG(3, r == log2f(a));
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    WRONG(4, r == 1 / a);
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    WRONG(5, r == rsqrtf(a));
    asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a));
    WRONG(6, r == sqrtf(a));
    asm("fma.rn.f64 %0, %1, %2, %2;" : "=d"(s) : "d"(d), "d"(e));
    WRONG(7, s == fma(d, e, e));
    asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    WRONG(8, r == fminf(a, b));
    asm("mul.f32 %0, %1, 0f40000000;" : "=f"(r) : "f"(a));
    WRONG(9, r == 2 * a);
    asm("mov.f64 %0, 0dBFF8000000000000;" : "=d"(s));
    WRONG(10, s == -1.5);
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(c));
    WRONG(11, r == a / c);
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(b));
    WRONG(12, r == tanhf(b));
    asm("abs.f32 %0, %1;" : "=f"(r) : "f"(b));
    WRONG(13, r == fabsf(b));
    unsigned u;
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(a));
    WRONG(14, u == __float_as_uint(a));
}

__global__ void conversions(int *wrong)
{
    const float a = ((int)threadIdx.x - 20) * 1.3f;
    unsigned short h, g;
    float r;
    int i;
    unsigned u;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
    WRONG(0, h == __half_as_ushort(__float2half_rn(a)));
    asm("{cvt.f32.f16 %0, %1;}" : "=f"(r) : "h"(h));
    WRONG(1, r == __half2float(__ushort_as_half(h)));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(a));
    WRONG(2, i == (int)a);
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(a));
    WRONG(3, i == __float2int_rn(a));
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(r) : "r"(0xffffff00u + threadIdx.x));
    WRONG(4, r == (float)(0xffffff00u + threadIdx.x));
    long long l;
    asm("cvt.s64.s32 %0, %1;" : "=l"(l) : "r"((int)threadIdx.x - 20));
    WRONG(5, l == (int)threadIdx.x - 20);
    asm("cvt.u32.u8 %0, %1;" : "=r"(u) : "r"(0x1234u + threadIdx.x));
    WRONG(6, u == ((0x1234 + threadIdx.x) & 0xff));
    asm("cvt.s32.s8 %0, %1;" : "=r"(i) : "r"(0x70u + threadIdx.x));
    WRONG(7, i == (signed char)(0x70 + threadIdx.x));
    double d;
    asm("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(a));
    WRONG(8, d == a);
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(r) : "d"(d / 3));
    WRONG(9, r == (float)(d / 3));
    asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
    WRONG(10, r == floorf(a));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(a), "f"(1.0f));
    asm("mov.b32 {%0, %1}, %2;" : "=h"(h), "=h"(g) : "r"(u));
    WRONG(11, h == 0x3c00 && g == __half_as_ushort(__float2half_rn(a)));
}

__global__ void lanes(int *wrong)
{
    const unsigned lane = threadIdx.x % 32, v = threadIdx.x * 3;
    unsigned r;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v));
    WRONG(0, r == (threadIdx.x ^ 1) * 3);
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, -1;" : "=r"(r) : "r"(v), "r"(4));
    WRONG(1, r == __shfl_down_sync(0xffffffff, v, 4));
    int p;
    asm volatile("{ .reg .pred p;\n shfl.sync.up.b32 %0|p, %2, 3, 0x0, 0xffffffff;\n"
                 " selp.u32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(p) : "r"(v));
    WRONG(2, r == __shfl_up_sync(0xffffffff, v, 3) && p == (lane >= 3));
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x181f, 0xffffffff;"
                 : "=r"(r) : "r"(v), "r"(lane + 1));
    WRONG(3, r == __shfl_sync(0xffffffff, v, lane + 1, 8));
    float f;
    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=f"(f) : "f"(1.5f * lane));
    WRONG(4, f == 7.5f);
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 10; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(r) : "r"(lane));
    WRONG(5, r == 0xfffff800);
    asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 7; vote.sync.any.pred q, p, 0xffffffff;"
                 " selp.u32 %0, 1, 0, q; }"
                 : "=r"(r) : "r"(lane));
    WRONG(6, r == 1);
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 31; vote.sync.all.pred q, p, 0xffffffff;"
                 " selp.u32 %0, 1, 0, q; }"
                 : "=r"(r) : "r"(lane));
    WRONG(7, r == 0);
    asm volatile("activemask.b32 %0;" : "=r"(r));
    WRONG(8, r == 0xffffffff);
    asm volatile("bar.warp.sync 0xffffffff;");
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(r) : "r"(threadIdx.x));
    WRONG(9, r == 40);
}

__global__ void memory(const float *x, float *y)
{
    float a, b, c, d;
    const float *from = x + 4 * threadIdx.x;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(from));
    float again;
    asm("ld.global.cg.f32 %0, [%1 + 4];" : "=f"(again) : "l"(from));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
    size_t to;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(to) : "l"(y + 4 * threadIdx.x));
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(a + 1), "f"(again + 1) : "memory");
    asm volatile("st.global.cs.f32 [%0+8], %1;" ::"l"(to), "f"(c + 1) : "memory");
    asm volatile("st.volatile.global.f32 [%0+12], %1;" ::"l"(to), "f"(d + 1) : "memory");
}

__global__ void orders(const int *x, int *out)
{
    __shared__ int all[64];
    int old, v;
    asm volatile("red.global.add.s32 [%0], %1;" ::"l"(out), "r"(x[threadIdx.x]) : "memory");
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(out + 1) : "memory");
    asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(out + 2), "r"(x[threadIdx.x])
                 : "memory");
    asm volatile("atom.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(out + 3) : "memory");
    all[threadIdx.x] = x[threadIdx.x];
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) {
            asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_shared(all + i)));
            sum += v;
        }
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(out + 1) : "memory");
        out[4] = v;
        asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(out + 5), "r"(sum) : "memory");
    }
    asm volatile("nanosleep.u32 20;");
}

__global__ void time(int *out)
{
    long long begin, end;
    unsigned low;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(low));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    if (threadIdx.x == 0)
        out[0] = end > begin, out[1] = low != 0;
}

__global__ void traps(int *x)
{
    if (x[0] == 0)
        asm("trap;");
}

__global__ void unknown(int *x)
{
    int r;
    asm("vabsdiff.u32.u32.u32.add %0, %1, %1, %1;" : "=r"(r) : "r"(x[0]));
    x[0] = r;
}

__global__ void branches(int *x)
{
    int r = 0;
    asm("{ .reg .pred p; setp.eq.s32 p, %1, 0; @p bra done; mov.s32 %0, 1; done: }"
        : "+r"(r) : "r"(x[0]));
    x[0] = r;
}

// not under sanitizers: the clang program, which that build starts, refuses the whole file
