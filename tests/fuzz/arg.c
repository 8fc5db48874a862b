/* arg.c - any text as an ARG. The first byte chooses the parameter that it is for; in.npy, u8.npy
 * and u16.npy are there to be read. What is accepted fits its parameter; a value that was read and
 * is printed reads back as itself.
 */
#include "fuzz.h"
#include <unistd.h>

#define VALUE(kind_, dtype_, bytes_, layout_)                                                      \
    {.name = "n",                                                                                  \
     .type = "type",                                                                               \
     .kind = kind_,                                                                                \
     .has_dtype = kind_ == LW_PARAM_SCALAR,                                                        \
     .dtype = dtype_,                                                                              \
     .bytes = bytes_,                                                                              \
     .layout = layout_}
#define BUFFER(has_, dtype_, element_, layout_)                                                    \
    {.name = "a",                                                                                  \
     .type = "type *",                                                                             \
     .kind = LW_PARAM_POINTER,                                                                     \
     .has_dtype = has_,                                                                            \
     .dtype = dtype_,                                                                              \
     .element_bytes = element_,                                                                    \
     .bytes = 8,                                                                                   \
     .layout = layout_}

static const lw_param params[] = {
    VALUE(LW_PARAM_SCALAR, LW_I32, 4, "i32"),
    VALUE(LW_PARAM_SCALAR, LW_U64, 8, "u64"),
    VALUE(LW_PARAM_SCALAR, LW_I8, 1, "i8"),
    VALUE(LW_PARAM_SCALAR, LW_BOOL, 1, "bool"),
    VALUE(LW_PARAM_SCALAR, LW_F16, 2, "f16"),
    VALUE(LW_PARAM_SCALAR, LW_BF16, 2, "bf16"),
    VALUE(LW_PARAM_SCALAR, LW_F32, 4, "f32"),
    VALUE(LW_PARAM_SCALAR, LW_F64, 8, "f64"),
    VALUE(LW_PARAM_STRUCT, LW_I8, 24,
          "s24(x@0:f32,n@4:a2(i32),v@12:s4(a@0:i8,b@2:i16),u@16:s4(f@0:f32,i@0:i32),w@20:v2(f16))"),
    VALUE(LW_PARAM_STRUCT, LW_I8, 16, "v3(i32)"),
    VALUE(LW_PARAM_STRUCT, LW_I8, 0, "s0()"),
    VALUE(LW_PARAM_STRUCT, LW_I8, 16, "s16(p@0:p(f32),n@8:i64)"),
    BUFFER(true, LW_F32, 4, "p(f32)"),
    BUFFER(true, LW_U8, 1, "pc(u8)"),
    BUFFER(true, LW_BF16, 2, "p(bf16)"),
    BUFFER(true, LW_F32, 16, "p(v4(f32))"),
    BUFFER(false, LW_I8, 12, "p(s12(x@0:f32,n@4:a2(i32)))"),
    BUFFER(false, LW_I8, 0, "p(s0())"),
    BUFFER(false, LW_I8, 0, "p(void)"),
    BUFFER(false, LW_I8, 8, "p(p(i32))"),
    {.name = "t",
     .type = "TENSOR(float, 2)",
     .kind = LW_PARAM_TENSOR,
     .has_dtype = true,
     .dtype = LW_F32,
     .element_bytes = 4,
     .bytes = 40,
     .rank = 2,
     .layout = "t2(f32)"},
};

static char folder[] = "/tmp/lanewise-fuzz-XXXXXX";

static void clean_up(void)
{
    ENSURE(!unlink("in.npy") && !unlink("u8.npy") && !unlink("u16.npy") && !rmdir(folder));
}

static void make_files(void)
{
    static const unsigned char bytes[24] = {1, 2, 3, 4, 5};
    struct cli_npy array = {
        .dtype = LW_F32, .rank = 2, .extent = {2, 3}, .count = 6, .data = (void *)bytes};
    ENSURE(mkdtemp(folder) && !chdir(folder));
    ENSURE(!cli_npy_write("in.npy", &array));
    array = (struct cli_npy){
        .dtype = LW_U8, .rank = 2, .extent = {2, 12}, .count = 24, .data = (void *)bytes};
    ENSURE(!cli_npy_write("u8.npy", &array));
    array = (struct cli_npy){
        .dtype = LW_U16, .rank = 1, .extent = {12}, .count = 12, .data = (void *)bytes};
    ENSURE(!cli_npy_write("u16.npy", &array));
    atexit(clean_up);
}

/* Every byte that the library will read is there. */
static void ensure_readable(const unsigned char *bytes, size_t count)
{
    volatile unsigned char sink = 0;
    for (size_t i = 0; i < count; i++)
        sink = (unsigned char)(sink ^ bytes[i]);
}

static void ensure_buffer(const struct cli_arg *arg)
{
    size_t elements = 1;
    for (int axis = 0; axis < arg->rank; axis++)
        ENSURE(arg->extent[axis] <= PTRDIFF_MAX);
    for (int axis = 0; axis < arg->rank; axis++)
        elements *= arg->extent[axis];
    ENSURE(elements == arg->count);
    if (arg->fill == LW_FILL_DATA)
        ensure_readable(arg->value, arg->count * arg->element_bytes);
    else if (arg->fill == LW_FILL_ZEROS || arg->fill == LW_FILL_CONST)
        ensure_readable(arg->value, arg->element_bytes);
}

static char *print(const struct cli_arg *arg)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ENSURE(file != NULL);
    cli_print_value(file, CLI_TEXT, arg->type, arg->value);
    fclose(file);
    return text;
}

/* print writes ", " between parts and the reader takes ",": blanks are no part of an ARG. */
static void drop_blanks(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = '\0';
}

static void ensure_reads_back(const struct cli_arg *arg, const lw_param *param)
{
    char *first = print(arg);
    drop_blanks(first);
    struct cli_arg again;
    ENSURE(!cli_arg_read(0, param, first, &again));
    char *second = print(&again);
    drop_blanks(second);
    ENSURE(!strcmp(first, second));
    free(first);
    free(second);
    cli_arg_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static bool is_ready;
    if (!is_ready)
        make_files();
    is_ready = true;
    if (count == 0)
        return 0;
    struct cli_arg arg;
    const lw_param *param = &params[bytes[0] % (sizeof params / sizeof params[0])];
    char *text = exact(bytes + 1, count - 1);
    if (!strchr(text, '@') || !strchr(text, '/')) { /* opens no other files */
        int failed = cli_arg_read(0, param, text, &arg);
        ensure_told(failed);
        if (!failed && arg.is_buffer)
            ensure_buffer(&arg);
        else if (!failed)
            ensure_reads_back(&arg, param);
        cli_arg_free(&arg);
    }
    free(text);
    return 0;
}
