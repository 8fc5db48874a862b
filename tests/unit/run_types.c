/* Layout texts, and numbers packed into every scalar type. */
#include "run_test.h"
#include <math.h>

/* ---- layouts ---- */

static lw_param read_layout(const char *layout, size_t bytes)
{
    lw_param p = {0};
    size_t got = 0;

    if (lw__layout_read(layout, &p, &got) || got != bytes) {
        failures++;
        printf("layout %s: %zu bytes, need %zu\n", layout, got, bytes);
    }
    return p;
}

static void layouts(void)
{
    lw_param p = read_layout("f32", 4);

    CHECK(p.kind == LW_PARAM_SCALAR && p.has_dtype && p.dtype == LW_F32);
    p = read_layout("bf16", 2);
    CHECK(p.dtype == LW_BF16);
    p = read_layout("pc(f32)", 8);
    CHECK(p.kind == LW_PARAM_POINTER && p.is_const && p.dtype == LW_F32 && p.element_bytes == 4);
    p = read_layout("p(v3(f64))", 8);
    CHECK(!p.is_const && p.has_dtype && p.dtype == LW_F64 && p.element_bytes == 32);
    p = read_layout("p(void)", 8);
    CHECK(!p.has_dtype && p.element_bytes == 0);
    p = read_layout("p(pc(i8))", 8);
    CHECK(!p.has_dtype && p.element_bytes == 8);
    p = read_layout("p(s12(x@0:f32,n@4:a2(i32)))", 8);
    CHECK(!p.has_dtype && p.element_bytes == 12);
    p = read_layout("s12(x@0:f32,n@4:a2(i32))", 12);
    CHECK(p.kind == LW_PARAM_STRUCT && !p.has_dtype);
    p = read_layout("v4(f32)", 16);
    CHECK(p.kind == LW_PARAM_STRUCT);
    p = read_layout("t2(f32)", 40);
    CHECK(p.kind == LW_PARAM_TENSOR && p.rank == 2 && p.dtype == LW_F32 && !p.is_const);
    p = read_layout("tc4(s3(a@0:a3(u8)))", 72);
    CHECK(p.rank == 4 && p.is_const && !p.has_dtype && p.element_bytes == 3);
    read_layout("s8(@0:s4(a@0:i32),p@4:s4(a@0:f32,b@0:i32))", 8);
    read_layout("s0()", 0);
    read_layout("s8(a@0:w20.0(i32),b@2:w12.4(u32),c@4:i32)", 8);
    read_layout("s9(a@0:w1.7(bool),b@1:w64.0(i64))", 9);
}

static void bad_layouts(void)
{
    static const char *const bad[] = {
        "",
        "f",
        "f3",
        "f32 ",
        "f32f32",
        "void",
        "a3(i8)",
        "p",
        "p(",
        "p()",
        "p(f32",
        "p(f32))",
        "t(f32)",
        "t0(f32)",
        "t5(f32)",
        "t1(void)",
        "v1(f32)",
        "v2(p(f32))",
        "s24(x@0:f32,)",
        "v(f32)",
        "s(x@0:i8)",
        "s4(x0:i8)",
        "s4(x@:i8)",
        "s4(x@0i8)",
        "s4(x@0:i8",
        "s4(x@1:i32)",
        "s4(x@5:i8)",
        "a99999999999999999999(i8)",
        "pp(f32)",
        "s18446744073709551615(x@18446744073709551615:i8)",
        "p(a4611686018427387904(f64))",
        "w3.0(i32)",
        "p(w3.0(i32))",
        "s4(x@0:a2(w3.0(i32)))",
        "s4(x@0:w3(i32))",
        "s4(x@0:w0.0(i32))",
        "s8(x@0:w33.0(i32))",
        "s4(x@0:w3.8(i32))",
        "s4(x@0:w3.0(f32))",
        "s4(x@0:w32.1(i32))",
    };
    char deep[4096] = "";
    lw_param p;
    size_t bytes;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check(lw__layout_read(bad[i], &p, &bytes), bad[i], __FILE__, __LINE__);
    for (int i = 0; i < 1000; i++)
        strcat(deep, "p(");
    CHECK(lw__layout_read(deep, &p, &bytes));
}

/* ---- scalars ---- */

static uint64_t pack(lw_arg arg, lw_dtype dtype)
{
    uint64_t bits = 0;

    WORKS(lw__scalar_pack("k: x", &arg, dtype, &bits));
    return bits;
}

static bool takes(lw_arg arg, lw_dtype dtype)
{
    uint64_t bits;

    return lw__scalar_pack("k: x", &arg, dtype, &bits) == LW_OK;
}

static void integers(void)
{
    CHECK(pack(lw_arg_int(-1), LW_I8) == 0xff && pack(lw_arg_int(-1), LW_I64) == UINT64_MAX);
    CHECK(takes(lw_arg_int(-128), LW_I8) && !takes(lw_arg_int(-129), LW_I8));
    CHECK(takes(lw_arg_int(127), LW_I8) && !takes(lw_arg_int(128), LW_I8));
    CHECK(takes(lw_arg_uint(255), LW_U8) && !takes(lw_arg_uint(256), LW_U8));
    CHECK(!takes(lw_arg_int(-1), LW_U64) && takes(lw_arg_uint(UINT64_MAX), LW_U64));
    CHECK(!takes(lw_arg_uint(UINT64_MAX), LW_I64) && takes(lw_arg_int(INT64_MIN), LW_I64));
    CHECK(takes(lw_arg_int(1), LW_BOOL) && !takes(lw_arg_int(2), LW_BOOL));
    CHECK(!takes(lw_arg_int(-1), LW_BOOL));
    CHECK(takes(lw_arg_int(16777216), LW_F32) && !takes(lw_arg_int(16777217), LW_F32));
    CHECK(takes(lw_arg_int(16777218), LW_F32) && takes(lw_arg_int(INT64_MIN), LW_F32));
    CHECK(takes(lw_arg_int(65504), LW_F16) && !takes(lw_arg_int(65536), LW_F16));
    CHECK(takes(lw_arg_int(-256), LW_BF16) && !takes(lw_arg_int(257), LW_BF16));
    CHECK(!takes(lw_arg_uint(UINT64_MAX), LW_F64) && takes(lw_arg_int(0), LW_F16));
    CHECK(pack(lw_arg_int(1), LW_F16) == 0x3c00 && pack(lw_arg_int(-2), LW_BF16) == 0xc000);
}

/* Halves by hand: values, ties, subnormals, the edges of the range. */
static void halves(void)
{
    static const struct {
        double value;
        lw_dtype dtype;
        uint64_t bits;
    } rows[] = {
        {1.0, LW_F16, 0x3c00},         {-2.5, LW_F16, 0xc100},
        {65504, LW_F16, 0x7bff},       {65519.99, LW_F16, 0x7bff},
        {0x1p-24, LW_F16, 1},          {0x1p-25, LW_F16, 0},
        {0x1.000001p-25, LW_F16, 1},   {0x1.8p-24, LW_F16, 2},
        {0x1p-14, LW_F16, 0x400},      {0x1.ff8p-15, LW_F16, 0x3ff},
        {0x1.ffcp-15, LW_F16, 0x400},  {-0.0, LW_F16, 0x8000},
        {1 + 0x1p-11, LW_F16, 0x3c00}, {1 + 0x1.8p-10, LW_F16, 0x3c02},
        {0x1p-1074, LW_F16, 0},        {1.0, LW_BF16, 0x3f80},
        {0x1p-133, LW_BF16, 1},        {0x1p-134, LW_BF16, 0},
        {0x1.fep127, LW_BF16, 0x7f7f}, {1.00390625, LW_BF16, 0x3f80},
        {1.01171875, LW_BF16, 0x3f82}, {1e-40, LW_BF16, 1},
        {-1e-300, LW_BF16, 0x8000},    {INFINITY, LW_F16, 0x7c00},
        {-INFINITY, LW_BF16, 0xff80},  {INFINITY, LW_F32, 0x7f800000},
        {0.1, LW_F32, 0x3dcccccd},     {0x1p-149, LW_F32, 1},
        {0x1p-150, LW_F32, 0},         {-1.5, LW_F64, 0xbff8000000000000},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (pack(lw_arg_real(rows[i].value), rows[i].dtype) != rows[i].bits) {
            failures++;
            printf("%a as %s is not 0x%llx\n", rows[i].value, lw_dtype_name(rows[i].dtype),
                   (unsigned long long)rows[i].bits);
        }
    CHECK(pack(lw_arg_real(NAN), LW_F16) == 0x7e00 && pack(lw_arg_real(NAN), LW_BF16) == 0x7fc0);
    CHECK(!takes(lw_arg_real(65520), LW_F16) && !takes(lw_arg_real(1e39), LW_F32));
    CHECK(!takes(lw_arg_real(0x1.ffp127), LW_BF16));
}

/* Against the host's own conversion, over many patterns. */
static void floats(void)
{
    uint64_t state = 1;

    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = (state & 0x800fffffffffffffu) | (uint64_t)(1023 - 160 + (state >> 33) % 280)
                                                            << 52;
        double value;
        memcpy(&value, &bits, sizeof value);
        float narrow = (float)value;
        uint32_t expected;
        memcpy(&expected, &narrow, sizeof expected);
        CHECK(pack(lw_arg_real(value), LW_F32) == expected);
    }
}

static void texts(void)
{
    lw_arg a = lw_arg_int(300);
    uint64_t bits;

    FAILS(lw__scalar_pack("k: x", &a, LW_U8, &bits), LW_E_ARG,
          "k: x cannot hold 300; need 0 to 255");
    FAILS(lw__scalar_pack("k: x", &a, LW_I8, &bits), LW_E_ARG,
          "k: x cannot hold 300; need -128 to 127");
    FAILS(lw__scalar_pack("k: x", &a, LW_BF16, &bits), LW_OK,
          "k: x cannot hold 300; need -128 to 127");
    a = lw_arg_int(-16777217);
    FAILS(lw__scalar_pack("k: x", &a, LW_F32, &bits), LW_E_ARG,
          "k: x cannot hold the integer -16777217 exactly; pass a real to have it rounded");
    a = lw_arg_real(8.5);
    FAILS(lw__scalar_pack("k: x", &a, LW_I32, &bits), LW_E_DTYPE,
          "k: x takes an integer, not the real 8.5");
    a = lw_arg_real(1e300);
    FAILS(lw__scalar_pack("k: x", &a, LW_F32, &bits), LW_E_ARG,
          "k: x cannot hold 1e+300; it is beyond the range of f32");
}

int main(void)
{
    layouts();
    bad_layouts();
    integers();
    halves();
    floats();
    texts();
    return failures != 0;
}
