/* test_instructions.c - one instruction at a time, against results that are known: the limits of
 * shifts and conversions, numbers that are none, the sign of zero.
 */
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char loads[] = "ld.global.u64 %d1, [%words+8]; ld.global.u64 %d2, [%words+16];\n"
                            "ld.global.u64 %d3, [%words+24];\n"
                            "ld.global.u32 %r1, [%words+8]; ld.global.u32 %r2, [%words+16];\n"
                            "ld.global.u32 %r3, [%words+24];\n"
                            "ld.global.f32 %f1, [%words+8]; ld.global.f32 %f2, [%words+16];\n"
                            "ld.global.f32 %f3, [%words+24];\n"
                            "ld.global.f64 %e1, [%words+8]; ld.global.f64 %e2, [%words+16];\n"
                            "ld.global.f64 %e3, [%words+24];\n"
                            "ld.global.u16 %h1, [%words+8]; ld.global.u16 %h2, [%words+16];\n";

/* What ends the text: the result is the register 0 that the statement has. */
static const struct {
    const char *name, *store;
    uint64_t bits;
} results[] = {
    {"%h0", "st.global.u16 [%words], %h0;", UINT16_MAX},
    {"%r0", "st.global.u32 [%words], %r0;", UINT32_MAX},
    {"%f0", "st.global.f32 [%words], %f0;", UINT32_MAX},
    {"%d0", "st.global.u64 [%words], %d0;", UINT64_MAX},
    {"%e0", "st.global.f64 [%words], %e0;", UINT64_MAX},
    {"%p0", "selp.u32 %r0, 1, 0, %p0; st.global.u32 [%words], %r0;", UINT32_MAX},
};

/* The operands are %r1 to %r3, %d1 ..., %f1 ..., %e1 ..., %h1, %h2; the result %r0, ... %p0. */
static void gives(const char *statement, uint64_t expected, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t words[WORDS] = {0, a, b, c}, bits;
    char text[2048];
    size_t i = 0;

    while (!strstr(statement, results[i].name))
        i++;
    snprintf(text, sizeof text, "%s%s%s\n%s%s", KERNEL_HEAD, loads, statement, results[i].store,
             KERNEL_TAIL);
    const int result = run_ptx(text, 1, 1, words);
    bits = results[i].bits;
    check(!result, "%s: result %d", statement, result);
    check((words[0] & bits) == (expected & bits), "%s: 0x%llx, expected 0x%llx", statement,
          (unsigned long long)(words[0] & bits), (unsigned long long)(expected & bits));
}

static uint64_t f32(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof f);
    return bits;
}

static uint64_t f64(double f)
{
    uint64_t bits;

    memcpy(&bits, &f, sizeof f);
    return bits;
}

#define S(x) ((uint64_t)(int64_t)(x))
enum { NONE = 0 };
static const uint64_t nan32 = 0x7fffffff, nan64 = 0x7fffffffffffffff, top = (uint64_t)1 << 63;

static void integers(void)
{
    gives("add.s32 %r0, %r1, %r2;", 0x80000000, 0x7fffffff, 1, NONE);
    gives("add.s16 %h0, %h1, %h2;", 0x8000, 0x7fff, 1, NONE);
    gives("sub.s64 %d0, %d1, %d2;", UINT64_MAX, 0, 1, NONE);
    gives("add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", 1, UINT32_MAX, 1, NONE);
    gives("add.cc.s32 %r0, %r1, %r2; addc.s32 %r0, 0, 0;", 0, 0x7fffffff, 1, NONE);
    gives("add.cc.s64 %d0, %d1, %d2; addc.cc.s64 %d0, %d3, 0; addc.s64 %d0, 5, 0;", 6, top, top,
          UINT64_MAX);
    gives("sub.cc.s64 %d0, %d1, %d2; subc.s64 %d0, 7, 0;", 6, 1, 2, NONE);
    gives("sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r0, 0, 0; subc.u32 %r0, 0, 0;", S(-1), 1, 2,
          NONE);
    gives("sub.cc.u64 %d0, %d1, %d2; subc.u64 %d0, %d3, %d3;", 0, 2, 2, 9);
    gives("mul.lo.s16 %h0, %h1, %h2;", 1, 0xffff, 0xffff, NONE);
    gives("mul.lo.s32 %r0, %r1, -3;", S(-21), 7, NONE, NONE);
    gives("mul.lo.s64 %d0, %d1, %d2;", 0, top, 2, NONE);
    gives("mul.wide.s32 %d0, %r1, %r2;", S(-6), S(-2), 3, NONE);
    gives("mul.wide.u32 %d0, %r1, %r2;", 0xfffffffe00000001, UINT32_MAX, UINT32_MAX, NONE);
    gives("mul.wide.u16 %r0, %h1, %h2;", 0xfffe0001, UINT16_MAX, UINT16_MAX, NONE);
    gives("mul.hi.s32 %r0, %r1, %r2;", S(-1), S(-2), 3, NONE);
    gives("mul.hi.u32 %r0, %r1, %r2;", 2, S(-2), 3, NONE);
    gives("mul.hi.u16 %h0, %h1, %h2;", 0xfffe, UINT16_MAX, UINT16_MAX, NONE);
    gives("mul.hi.s64 %d0, %d1, %d2;", S(-1), S(-2), 3, NONE);
    gives("mul.hi.u64 %d0, %d1, %d2;", UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, NONE);
    gives("mad.lo.s32 %r0, %r1, %r2, %r3;", S(-13), S(-3), 5, 2);
    gives("mad.wide.u32 %d0, %r1, %r2, %d3;", 0xfffffffe00000000, UINT32_MAX, UINT32_MAX, S(-1));
    gives("div.s32 %r0, %r1, %r2;", S(-2), S(-7), 3, NONE);
    gives("div.s32 %r0, %r1, %r2;", 0x80000000, 0x80000000, S(-1), NONE);
    gives("div.s64 %d0, %d1, %d2;", top, top, S(-1), NONE);
    gives("div.u32 %r0, %r1, %r2;", 0x55555553, S(-7), 3, NONE);
    gives("div.s16 %h0, %h1, %h2;", S(-2), S(-7), 3, NONE);
    gives("rem.s32 %r0, %r1, %r2;", S(-1), S(-7), 3, NONE);
    gives("rem.s64 %d0, %d1, %d2;", 0, top, S(-1), NONE);
    gives("rem.u64 %d0, %d1, %d2;", 6, 20, 7, NONE);
    gives("min.s16 %h0, %h1, %h2;", 0x8000, 0x8000, 1, NONE);
    gives("min.u16 %h0, %h1, %h2;", 1, 0x8000, 1, NONE);
    gives("max.s32 %r0, %r1, %r2;", 1, S(-1), 1, NONE);
    gives("max.u32 %r0, %r1, %r2;", S(-1), S(-1), 1, NONE);
    gives("abs.s32 %r0, %r1;", 0x80000000, 0x80000000, NONE, NONE);
    gives("neg.s64 %d0, %d1;", top, top, NONE, NONE);
    gives("neg.s16 %h0, %h1;", 1, 0xffff, NONE, NONE);
}

/* A distance that is the width or more moves all out. */
static void shifts(void)
{
    gives("shl.b32 %r0, %r1, %r2;", 0x80000000, 1, 31, NONE);
    gives("shl.b32 %r0, %r1, %r2;", 0, 1, 32, NONE);
    gives("shl.b64 %d0, %d1, %r2;", 0, 1, 64, NONE);
    gives("shl.b64 %d0, %d1, %r2;", top, 1, 63, NONE);
    gives("shl.b16 %h0, %h1, %r2;", 0, 1, 16, NONE);
    gives("shr.u32 %r0, %r1, %r2;", 0, S(-1), 32, NONE);
    gives("shr.u32 %r0, %r1, %r2;", 0, S(-1), S(-1), NONE);
    gives("shr.s32 %r0, %r1, %r2;", S(-1), 0x80000000, 32, NONE);
    gives("shr.s32 %r0, %r1, %r2;", S(-1), 0x80000000, S(-1), NONE);
    gives("shr.s64 %d0, %d1, %r2;", S(-1), top, 200, NONE);
    gives("shr.u64 %d0, %d1, %r2;", 0, top, 64, NONE);
    gives("shr.s16 %h0, %h1, %r2;", 0xf800, 0x8000, 4, NONE);
    gives("shr.u16 %h0, %h1, %r2;", 0x0800, 0x8000, 4, NONE);
    gives("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", 0xd1234567, 0x12345678, 0xabcd, 36);
    gives("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0xabcd1, 0x12345678, 0xabcd, 36);
}

static void bits(void)
{
    gives("and.b64 %d0, %d1, -4294967296;", 0x1234567800000000, 0x123456789abcdef0, NONE, NONE);
    gives("xor.b32 %r0, %r1, %r2;", 0xff, 0xf0, 0x0f, NONE);
    gives("or.b16 %h0, %h1, %h2;", 0xff, 0xf0, 0x0f, NONE);
    gives("not.b16 %h0, %h1;", 0xfff0, 0x0f, NONE, NONE);
    gives("selp.b32 %r0, %r1, 5, 1;", 7, 7, NONE, NONE);
    gives("selp.b32 %r0, %r1, 5, 0;", 5, 7, NONE, NONE);
    gives("setp.ne.s32 %p1, %r1, 7; not.pred %p0, %p1;", 1, 7, NONE, NONE);
    gives("mov.pred %p1, -1; mov.pred %p2, 0; xor.pred %p0, %p1, %p2;", 1, NONE, NONE, NONE);
    gives("mov.pred %p1, -1; mov.pred %p2, 0; and.pred %p0, %p1, %p2;", 0, NONE, NONE, NONE);
    gives("bfe.u32 %r0, %r1, 4, 8;", 0x67, 0x12345678, NONE, NONE);
    gives("bfe.u32 %r0, %r1, 28, 8;", 1, 0x12345678, NONE, NONE);
    gives("bfe.u32 %r0, %r1, 32, 8;", 0, 0x12345678, NONE, NONE);
    gives("bfe.u32 %r0, %r1, 4, 0;", 0, 0x12345678, NONE, NONE);
    gives("bfe.s32 %r0, %r1, 4, 4;", S(-2), 0xe0, NONE, NONE);
    gives("bfe.s32 %r0, %r1, 28, 8;", S(-2), 0xe0000000, NONE, NONE);
    gives("bfe.s32 %r0, %r1, 40, 8;", S(-1), 0xe0000000, NONE, NONE);
    gives("bfe.u64 %d0, %d1, 52, 11;", 0x3ff, 0xbff0000000000000, NONE, NONE);
    gives("bfe.s64 %d0, %d1, 60, 4;", S(-1), 0xf000000000000000, NONE, NONE);
    gives("bfi.b32 %r0, %r1, %r2, 8, 8;", 0x5555ab55, 0x12ab, 0x55555555, NONE);
    gives("bfi.b32 %r0, %r1, %r2, 28, 8;", 0xb5555555, 0x12ab, 0x55555555, NONE);
    gives("bfi.b32 %r0, %r1, %r2, 32, 8;", 0x55555555, 0x12ab, 0x55555555, NONE);
    gives("popc.b32 %r0, %r1;", 32, S(-1), NONE, NONE);
    gives("popc.b64 %r0, %d1;", 64, S(-1), NONE, NONE);
    gives("clz.b32 %r0, %r1;", 32, 0, NONE, NONE);
    gives("clz.b64 %r0, %d1;", 63, 1, NONE, NONE);
    gives("clz.b64 %r0, %d1;", 64, 0, NONE, NONE);
    gives("brev.b32 %r0, %r1;", 0x80000001, 0x80000001, NONE, NONE);
    gives("brev.b32 %r0, %r1;", 0xc0000000, 3, NONE, NONE);
    gives("brev.b64 %d0, %d1;", top, 1, NONE, NONE);
    gives("prmt.b32 %r0, %r1, %r2, 0x7410;", 0x88441100, 0x33221100, 0x88776644, NONE);
    gives("prmt.b32 %r0, %r1, %r2, 0xf000;", 0xff000000, 0x33221100, 0x88776644, NONE);
    gives("mov.b32 {%h0, %h1}, %r1;", 0x5678, 0x12345678, NONE, NONE);
    gives("mov.b32 {%h1, %h0}, %r1;", 0x1234, 0x12345678, NONE, NONE);
    gives("mov.b32 %r0, {%h1, %h2};", 0x12345678, 0x5678, 0x1234, NONE);
    gives("mov.b64 %d0, {%r1, %r2};", 0x1234567800000001, 1, 0x12345678, NONE);
    gives("{ .reg .b32 %x; mov.b64 {%x, %r0}, %d1; }", 0x12345678, 0x1234567800000001, NONE, NONE);
}

static void floats(void)
{
    gives("add.rn.f32 %f0, %f1, %f2;", f32(0x1p24f), f32(0x1p24f), f32(1), NONE);
    gives("add.rn.f32 %f0, %f1, %f2;", nan32, f32(INFINITY), f32(-INFINITY), NONE);
    gives("sub.rn.f64 %e0, %e1, %e2;", f64(-0.5), f64(1), f64(1.5), NONE);
    gives("mul.rn.f32 %f0, %f1, 0f3F000000;", 1, 2, NONE, NONE);
    gives("mul.rn.f32 %f0, %f1, 0f3F000000;", 0, 1, NONE, NONE);
    gives("fma.rn.f32 %f0, %f1, %f2, %f3;", f32(-0x1p-46f), f32(1 + 0x1p-23f), f32(1 - 0x1p-23f),
          f32(-1));
    gives("fma.rn.f64 %e0, %e1, %e2, %e3;", f64(-0x1p-104), f64(1 + 0x1p-52), f64(1 - 0x1p-52),
          f64(-1));
    gives("div.rn.f32 %f0, %f1, %f2;", f32(1.0f / 3), f32(1), f32(3), NONE);
    gives("div.rn.f64 %e0, %e1, %e2;", nan64, 0, top, NONE);
    gives("rcp.rn.f32 %f0, %f1;", f32(-INFINITY), 0x80000000, NONE, NONE);
    gives("sqrt.rn.f32 %f0, %f1;", 0x80000000, 0x80000000, NONE, NONE);
    gives("sqrt.rn.f64 %e0, %e1;", nan64, f64(-1), NONE, NONE);
    gives("neg.f32 %f0, %f1;", 0xffc00000, 0x7fc00000, NONE, NONE);
    gives("neg.bf16 %h0, %h1;", 0x8000, 0, NONE, NONE);
    gives("abs.f64 %e0, %e1;", 0, top, NONE, NONE);
    gives("abs.bf16 %h0, %h1;", 0x7f80, 0xff80, NONE, NONE);
    gives("abs.f16 %h0, %h1;", 0x3c00, 0xbc00, NONE, NONE);
    gives("min.f32 %f0, %f1, %f2;", 0x80000000, 0, 0x80000000, NONE);
    gives("min.f32 %f0, %f1, %f2;", 0x80000000, 0x80000000, 0, NONE);
    gives("max.f32 %f0, %f1, %f2;", 0, 0, 0x80000000, NONE);
    gives("max.f32 %f0, %f1, %f2;", 0, 0x80000000, 0, NONE);
    gives("max.f32 %f0, %f1, %f2;", f32(-1), nan32, f32(-1), NONE);
    gives("min.f64 %e0, %e1, %e2;", f64(1), f64(1), nan64, NONE);
    gives("min.f64 %e0, %e1, %e2;", nan64, nan64, nan64 ^ 1, NONE);
    gives("mov.b32 %r0, %f1;", 0x7f800001, 0x7f800001, NONE, NONE);
    gives("selp.f32 %f0, %f1, %f2, 1;", 0x7f800001, 0x7f800001, NONE, NONE);
}

static void comparisons(void)
{
    static const struct {
        const char *name;
        int less, equal, greater, unordered;
    } rows[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
                {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
                {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
                {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
    char statement[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(statement, sizeof statement, "setp.%s.f32 %%p0, %%f1, %%f2;", rows[i].name);
        gives(statement, (uint64_t)rows[i].less, f32(-1), f32(1), NONE);
        gives(statement, (uint64_t)rows[i].equal, 0, 0x80000000, NONE);
        gives(statement, (uint64_t)rows[i].greater, f32(INFINITY), f32(1), NONE);
        gives(statement, (uint64_t)rows[i].unordered, f32(1), nan32, NONE);
        snprintf(statement, sizeof statement, "setp.%s.f64 %%p0, %%e1, %%e2;", rows[i].name);
        gives(statement, (uint64_t)rows[i].less, f64(-1), f64(1), NONE);
        gives(statement, (uint64_t)rows[i].unordered, nan64, f64(1), NONE);
    }
    gives("setp.neu.bf16 %p0, %h1, %h2;", 0, 0x8000, 0, NONE);
    gives("setp.lt.s32 %p0, %r1, %r2;", 1, S(-1), 0, NONE);
    gives("setp.lt.u32 %p0, %r1, %r2;", 0, S(-1), 0, NONE);
    gives("setp.gt.s16 %p0, %h1, %h2;", 0, 0x8000, 0, NONE);
    gives("setp.gt.u16 %p0, %h1, %h2;", 1, 0x8000, 0, NONE);
    gives("setp.ge.u64 %p0, %d1, %d2;", 1, top, 1, NONE);
    gives("setp.eq.b16 %p0, %h1, %h2;", 1, 0x18000, 0x28000, NONE);
}

static void conversions(void)
{
    gives("cvt.rzi.s32.f32 %r0, %f1;", S(-1), f32(-1.9f), NONE, NONE);
    gives("cvt.rzi.s32.f32 %r0, %f1;", INT32_MAX, f32(0x1p31f), NONE, NONE);
    gives("cvt.rzi.s32.f32 %r0, %f1;", 0x80000000, f32(-INFINITY), NONE, NONE);
    gives("cvt.rzi.s32.f32 %r0, %f1;", 0, nan32, NONE, NONE);
    gives("cvt.rzi.u32.f32 %r0, %f1;", 0, f32(-5), NONE, NONE);
    gives("cvt.rzi.u32.f32 %r0, %f1;", UINT32_MAX, f32(0x1p32f), NONE, NONE);
    gives("cvt.rzi.s64.f64 %d0, %e1;", INT64_MAX, f64(0x1p63), NONE, NONE);
    gives("cvt.rzi.s64.f64 %d0, %e1;", top, f64(-0x1p63), NONE, NONE);
    gives("cvt.rzi.u64.f64 %d0, %e1;", 0xfffffffffffff800, f64(0x1.fffffffffffffp63), NONE, NONE);
    gives("cvt.rzi.u64.f64 %d0, %e1;", UINT64_MAX, f64(0x1p64), NONE, NONE);
    gives("cvt.rzi.s16.f32 %h0, %f1;", 0x8000, f32(-40000), NONE, NONE);
    gives("cvt.rzi.u16.f32 %h0, %f1;", 0xffff, f32(70000), NONE, NONE);
    gives("cvt.rn.f32.s32 %f0, %r1;", f32(0x1p24f), 0x1000001, NONE, NONE);
    gives("cvt.rn.f32.u64 %f0, %d1;", f32(0x1p64f), UINT64_MAX, NONE, NONE);
    gives("cvt.rn.f32.s16 %f0, %h1;", f32(-1), 0xffff, NONE, NONE);
    gives("cvt.rn.f64.s64 %e0, %d1;", f64(0x1p53), 0x20000000000001, NONE, NONE);
    gives("cvt.rn.f32.f64 %f0, %e1;", f32(1), f64(1 + 0x1p-24), NONE, NONE);
    gives("cvt.rn.f32.f64 %f0, %e1;", nan32, 0x7ff8000000000001, NONE, NONE);
    gives("cvt.f64.f32 %e0, %f1;", f64(0x1p-149), 1, NONE, NONE);
    gives("cvt.rni.f32.f32 %f0, %f1;", f32(2), f32(2.5f), NONE, NONE);
    gives("cvt.rmi.f64.f64 %e0, %e1;", f64(-3), f64(-2.5), NONE, NONE);
    gives("cvt.rpi.f32.f32 %f0, %f1;", 0x80000000, f32(-0.5f), NONE, NONE);
    gives("cvt.s32.s8 %r0, %r1;", S(-128), 0x180, NONE, NONE);
    gives("cvt.u32.u8 %r0, %r1;", 0x80, 0x180, NONE, NONE);
    gives("cvt.s16.s8 %h0, %h1;", 0xff80, 0x80, NONE, NONE);
    gives("cvt.s8.s32 %h0, %r1;", 0xff80, 0x180, NONE, NONE);
    gives("cvt.u16.u64 %h0, %d1;", 0x8000, 0x18000, NONE, NONE);
    gives("cvt.s64.s32 %d0, %r1;", S(-1), S(-1), NONE, NONE);
    gives("cvt.u64.u32 %d0, %r1;", UINT32_MAX, S(-1), NONE, NONE);
    gives("cvt.f32.bf16 %f0, %h1;", f32(-2), 0xc000, NONE, NONE);
    gives("cvt.rn.bf16.f32 %h0, %f1;", 0x3f80, 0x3f808000, NONE, NONE);
    gives("cvt.rn.bf16.f32 %h0, %f1;", 0x3f82, 0x3f818000, NONE, NONE);
    gives("cvt.f32.f16 %f0, %h1;", f32(-0x1p-24f), 0x8001, NONE, NONE);
    gives("cvt.rn.f16.f32 %h0, %f1;", 0x6802, f32(2051), NONE, NONE);
    gives("cvt.rn.f16.f32 %h0, %f1;", 0x7c00, f32(65520), NONE, NONE);
    gives("cvt.rn.f16.f32 %h0, %f1;", 0x7fff, nan32, NONE, NONE);
}

static void memory(void)
{
    gives("ld.global.s8 %r0, [%words+8];", S(-2), 0xfe, NONE, NONE);
    gives("ld.global.u8 %r0, [%words+8];", 0xfe, 0xfe, NONE, NONE);
    gives("ld.global.s32 %d0, [%words+8];", S(-2), 0xfffffffe, NONE, NONE);
    gives("ld.global.nc.v2.u32 {%r0, %r1}, [%words+8];", 5, 0x600000005, NONE, NONE);
    gives("ld.volatile.global.v2.u64 {%d1, %d0}, [%words+16];", 7, NONE, NONE, 7);
    gives("ld.u16 %h0, [%words+10];", 3, 0x30002, NONE, NONE);
    gives("atom.global.add.u32 %r0, [%words+8], 3; ld.global.u32 %r0, [%words+8];", 2, S(-1), NONE,
          NONE);
    gives("atom.global.add.u64 %d0, [%words+8], 3;", S(-1), S(-1), NONE, NONE);
    gives("atom.global.min.s32 %r1, [%words+8], -3; ld.global.u32 %r0, [%words+8];", S(-3), 2, NONE,
          NONE);
    gives("atom.global.max.u64 %d0, [%words+8], 1; ld.global.u64 %d0, [%words+8];", S(-1), S(-1),
          NONE, NONE);
    gives("atom.global.cas.b32 %r0, [%words+8], 2, 9; ld.global.u32 %r0, [%words+8];", 9, 2, NONE,
          NONE);
    gives("atom.global.cas.b16 %h0, [%words+8], 2, 9; ld.global.u16 %h0, [%words+8];", 9, 2, NONE,
          NONE);
    gives("atom.global.cas.b32 %r0, [%words+8], 3, 9; ld.global.u32 %r0, [%words+8];", 2, 2, NONE,
          NONE);
    gives("atom.global.exch.b64 %d0, [%words+8], %d2; ld.global.u64 %d0, [%words+8];", 8, 2, 8,
          NONE);
    gives("{ .local .align 8 .b8 room[16]; .reg .b64 %s; mov.u64 %s, room;\n"
          "st.local.v2.u32 [%s+8], {%r1, %r2}; cvta.local.u64 %s, %s; ld.u64 %d0, [%s+8]; }",
          0x700000006, 6, 7, NONE);
    gives(".shared .align 8 .b8 room[16]; mov.u64 %d3, room;\n"
          "st.shared.b16 [room+8], %h1; cvta.shared.u64 %d3, %d3; ld.u16 %h0, [%d3+8];",
          0x1234, 0x1234, NONE, NONE);
}

int main(void)
{
    open_simulator();
    integers();
    shifts();
    bits();
    floats();
    comparisons();
    conversions();
    memory();
    close_simulator();
    return finish();
}
