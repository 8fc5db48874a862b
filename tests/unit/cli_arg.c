/* cli_arg.c - ARGs by the parameter they are for.
 */
#include "cli_test.h"

static const lw_param scalar_i32 = {.name = "n",
                                    .type = "int",
                                    .kind = LW_PARAM_SCALAR,
                                    .has_dtype = true,
                                    .dtype = LW_I32,
                                    .bytes = 4,
                                    .layout = "i32"};
static const lw_param scalar_f16 = {.name = "h",
                                    .type = "_Float16",
                                    .kind = LW_PARAM_SCALAR,
                                    .has_dtype = true,
                                    .dtype = LW_F16,
                                    .bytes = 2,
                                    .layout = "f16"};
static const lw_param by_value = {.name = "s",
                                  .type = "struct s",
                                  .kind = LW_PARAM_STRUCT,
                                  .bytes = 24,
                                  .layout = "s24(x@0:f32,n@4:a2(i32),v@12:s4(a@0:i8,b@2:i16),u@16:"
                                            "s4(f@0:f32,i@0:i32),w@20:v2(f16))"};
static const lw_param floats = {.name = "a",
                                .type = "const float *",
                                .kind = LW_PARAM_POINTER,
                                .has_dtype = true,
                                .dtype = LW_F32,
                                .element_bytes = 4,
                                .bytes = 8,
                                .is_const = true,
                                .layout = "pc(f32)"};
static const lw_param halves = {.name = "b",
                                .type = "__bf16 *",
                                .kind = LW_PARAM_POINTER,
                                .has_dtype = true,
                                .dtype = LW_BF16,
                                .element_bytes = 2,
                                .bytes = 8,
                                .layout = "p(bf16)"};
static const lw_param structs = {.name = "p",
                                 .type = "struct particle *",
                                 .kind = LW_PARAM_POINTER,
                                 .element_bytes = 12,
                                 .bytes = 8,
                                 .layout = "p(s12(x@0:f32,n@4:a2(i32)))"};
static const lw_param anything = {
    .name = "v", .type = "void *", .kind = LW_PARAM_POINTER, .bytes = 8, .layout = "p(void)"};
static const lw_param tensor = {.name = "t",
                                .type = "TENSOR(float, 2)",
                                .kind = LW_PARAM_TENSOR,
                                .has_dtype = true,
                                .dtype = LW_F32,
                                .element_bytes = 4,
                                .bytes = 40,
                                .rank = 2,
                                .layout = "t2(f32)"};

/* accept - read text, which is right. */
static struct cli_arg accept_arg(const lw_param *param, const char *text)
{
    struct cli_arg arg;
    if (cli_arg_read(0, param, text, &arg) != 0) {
        fprintf(stderr, "'%s' refused: %s\n", text, message);
        failures++;
    }
    return arg;
}

static void refuse(const lw_param *param, const char *text, const char *part)
{
    struct cli_arg arg;
    int status = cli_arg_read(0, param, text, &arg);
    if (status != CLI_USAGE || !strstr(message, part)) {
        fprintf(stderr, "'%s': status %d, %s\n  expected 2, %s\n", text, status, message, part);
        failures++;
    }
    cli_arg_free(&arg);
}

static void scalars(void)
{
    struct cli_arg arg = accept_arg(&scalar_i32, "-7");
    CHECK(!arg.is_buffer && *(int32_t *)arg.value == -7);
    cli_arg_free(&arg);
    arg = accept_arg(&scalar_f16, "0.1");
    CHECK(*(uint16_t *)arg.value == 0x2e66);
    cli_arg_free(&arg);
    refuse(&scalar_i32, "8.5", "argument 1 (int n): 8.5 is not a whole number, as i32 needs");
    refuse(&scalar_i32, "3000000000", "3000000000 is out of the range of i32");
    refuse(&scalar_i32, "f32[8]", "'f32[8]' is not a number (i32 is needed)");
    refuse(&scalar_i32, "", "'' is not a number");
    refuse(&scalar_i32, "1,2", "',2' follows the value");
    refuse(&scalar_i32, "{1}", "has parts");
    refuse(&scalar_f16, "1e6", "1e6 is out of the range of f16");
}

static void struct_values(void)
{
    struct cli_arg arg = accept_arg(&by_value, "{1.5,{2,-3},{4,5},{0.5},{1,2}}");
    struct {
        float x;
        int32_t n[2];
        struct {
            int8_t a;
            int16_t b;
        } v;
        float u;
        uint16_t w[2];
    } expected = {1.5f, {2, -3}, {4, 5}, 0.5f, {0x3c00, 0x4000}};
    CHECK(memcmp(arg.value, &expected, 13) == 0);
    CHECK(memcmp((char *)arg.value + 14, (char *)&expected + 14, 10) == 0);
    cli_arg_free(&arg);
    refuse(&by_value, "1", "is one value, {...} with 5 is needed");
    refuse(&by_value, "{1.5,{2,-3}}", "2 values in {...}, 5 are needed");
    refuse(&by_value, "{1.5,{2},{4,5},{0.5},{1,2}}", "1 values in {...}, 2 are needed");
    refuse(&by_value, "{1.5,{2,3,4},{4,5},{0.5},{1,2}}", "more than 2 values in {...}");
    refuse(&by_value, "{1.5,{2,3},{4,5},{0.5},{1,2}", "'}' is missing");
    refuse(&by_value, "{1.5,{2,3},{4,5},{0.5},{1,2}}x", "'x' follows the value");
    refuse(&by_value, "{", "'' is not a number");
    refuse(&by_value, "{1.5,{2,x},{4,5},{0.5},{1,2}}", "'x' is not a number");
}

static void literals(void)
{
    struct cli_arg arg = accept_arg(&floats, "f32[4,6]");
    CHECK(arg.is_buffer && arg.rank == 2 && arg.count == 24 && arg.fill == LW_FILL_ZEROS);
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[0]=iota");
    CHECK(arg.count == 0 && arg.fill == LW_FILL_IOTA);
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[3]=1,-inf,3:o.npy");
    CHECK(arg.fill == LW_FILL_DATA && ((float *)arg.value)[2] == 3 && !strcmp(arg.out, "o.npy"));
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[3]=nan,inf,1");
    CHECK(arg.fill == LW_FILL_DATA);
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[3]=rand:0x10:o.npy");
    CHECK(arg.fill == LW_FILL_RAND && arg.seed == 16 && !strcmp(arg.out, "o.npy"));
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[3]=const:2.5");
    CHECK(arg.fill == LW_FILL_CONST && *(float *)arg.value == 2.5f && !arg.out);
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "f32[3]=none:o.npy");
    CHECK(arg.fill == LW_FILL_NONE && arg.out);
    cli_arg_free(&arg);
    arg = accept_arg(&structs, "struct[2]={1,{2,3}},{4,{5,6}}");
    CHECK(!arg.has_dtype && arg.element_bytes == 12 && ((int32_t *)arg.value)[5] == 6);
    cli_arg_free(&arg);
    arg = accept_arg(&structs, "u8[24]");
    CHECK(arg.has_dtype && arg.count == 24);
    cli_arg_free(&arg);
    arg = accept_arg(&anything, "i16[3]");
    CHECK(arg.has_dtype && arg.element_bytes == 2);
    cli_arg_free(&arg);
}

/* put - a file of zeros. */
static void put(const char *path, lw_dtype dtype, size_t rows, size_t columns)
{
    struct cli_npy array = {.dtype = dtype, .rank = columns ? 2 : 1, .extent = {rows, columns}};
    array.count = columns ? rows * columns : rows;
    array.data = calloc(array.count, 8);
    CHECK(cli_npy_write(path, &array) == 0);
    free(array.data);
}

static void files(void)
{
    put("f.npy", LW_F32, 2, 3);
    put("half.npy", LW_U16, 4, 0);
    put("rows.npy", LW_U8, 3, 12);
    put("flat.npy", LW_U8, 24, 0);
    struct cli_arg arg = accept_arg(&floats, "@f.npy");
    CHECK(arg.rank == 2 && arg.count == 6 && !arg.out);
    cli_arg_free(&arg);
    arg = accept_arg(&floats, "@f.npy:f.npy");
    CHECK(arg.out && !strcmp(arg.out, "f.npy"));
    cli_arg_free(&arg);
    arg = accept_arg(&halves, "bf16@half.npy");
    CHECK(arg.dtype == LW_BF16 && arg.count == 4);
    cli_arg_free(&arg);
    arg = accept_arg(&structs, "struct@rows.npy");
    CHECK(!arg.has_dtype && arg.rank == 1 && arg.count == 3);
    cli_arg_free(&arg);
    arg = accept_arg(&structs, "struct@flat.npy");
    CHECK(arg.rank == 1 && arg.count == 2);
    cli_arg_free(&arg);
    refuse(&floats, "@g.npy", "g.npy: No such file");
    refuse(&halves, "@half.npy", "a buffer of u16 given, bf16 is needed");
    refuse(&halves, "bf16@f.npy", "f.npy holds f32, bf16@ needs u16");
    refuse(&structs, "struct@f.npy", "f.npy holds f32, struct@ needs u8");
    refuse(&floats, "f32@f.npy", "only bf16@ and struct@");
    refuse(&floats, "@f.npy:out", "must be a name that ends in .npy");
    unlink("f.npy"), unlink("half.npy"), unlink("rows.npy"), unlink("flat.npy");
}

static void refused_literals(void)
{
    refuse(&floats, "42", "'42' is not a buffer; write f32[N] or @FILE.npy");
    refuse(&floats, "i32[8]", "argument 1 (const float *a): a buffer of i32 given, f32 is needed");
    refuse(&floats, "struct[8]", "a buffer of struct given, f32 is needed");
    refuse(&floats, "float[8]", "'float' is no dtype");
    refuse(&floats, "f32[]", "an extent of the shape is needed");
    refuse(&floats, "f32[-1]", "an extent of the shape is needed");
    refuse(&floats, "f32[8", "']' is needed");
    refuse(&floats, "f32[8,]", "an extent of the shape is needed");
    refuse(&floats, "f32[99999999999999999999]", "too large");
    refuse(&floats, "f32[4294967296,4294967296]", "larger than any memory");
    refuse(&floats, "f32[8]x", "'=FILL' or ':OUT.npy' is needed at 'x'");
    refuse(&floats, "f32[8]=1,2", "2 values given, 8 needed");
    refuse(&floats, "f32[2]=1,x", "'x' is not a number");
    refuse(&floats, "f32[2]=1,", "'' is not a number");
    refuse(&floats, "f32[8]=ramp", "'ramp' is no fill");
    refuse(&floats, "f32[8]=rand", "rand needs a value: rand:SEED");
    refuse(&floats, "f32[8]=rand:x", "the seed 'x' is not a whole number");
    refuse(&floats, "f32[8]=const", "const needs a value");
    refuse(&floats, "f32[8]=const:1,2", "2 values given, 1 needed");
    refuse(&floats, "f32[8]:", "must be a name that ends in .npy");
    refuse(&floats, "f32[8]:.npy", "must be a name that ends in .npy");
    refuse(&structs, "f32[8]", "a buffer of f32 given, struct (of 12 bytes) or u8 is needed");
    refuse(&structs, "struct[8]=iota", "iota is not for structs");
    refuse(&anything, "struct[8]", "void has no size");
    refuse(&tensor, "f32[8]", "a shape of rank 1 given, rank 2 is needed");
    lw_param ints = floats;
    ints.dtype = LW_I32;
    ints.layout = "pc(i32)";
    refuse(&ints, "i32[8]=normal:1", "normal is for floats, not for i32");
    refuse(&ints, "i32[1]=1.5", "1.5 is not a whole number");
}

int main(void)
{
    char folder[] = "/tmp/lanewise-arg-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 2;
    scalars();
    struct_values();
    literals();
    files();
    refused_literals();
    CHECK(rmdir(folder) == 0);
    return failures != 0;
}
