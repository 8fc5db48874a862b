/* Launch arguments and limits: each wrong one is an error with its values, before anything runs;
 * the right ones arrive in the packed arguments bit by bit. */
#include "run_test.h"

/* ---- a device that shows what it gets ---- */

static struct lw__launch seen;
static char seen_args[4096];
static int64_t rows_and_columns[2] = {4, 16};
static int size_count = 2;

static lw_status load(void *state, const char *path, const void *payload, size_t bytes, void **code)
{
    (void)state, (void)path, (void)payload, (void)bytes;
    *code = &seen;
    return LW_OK;
}

static void unload(void *state, void *code)
{
    (void)state, (void)code;
}

static lw_status find(void *code, const char *kernel, void **entry)
{
    (void)kernel;
    *entry = code;
    return LW_OK;
}

static void give_sizes(const char *args, int64_t *sizes)
{
    (void)args;
    for (int i = 0; i < size_count; i++)
        sizes[i] = rows_and_columns[i % 2];
}

static lw_status sizes(void *code, const char *kernel, void **function)
{
    lw__sizes_fn *fn = give_sizes;

    (void)code, (void)kernel;
    memcpy(function, &fn, sizeof fn);
    return LW_OK;
}

static lw_status launch(void *state, const struct lw__launch *l)
{
    (void)state;
    seen = *l;
    memcpy(seen_args, l->args, l->args_bytes);
    return LW_OK;
}

static const struct lw__device_ops show_ops = {
    .info = {.name = "show",
             .description = "",
             .unavailable = "",
             .max_shared_bytes = 1000,
             .max_dynamic_bytes = 2000},
    .target = "null",
    .load = load,
    .unload = unload,
    .find = find,
    .sizes = sizes,
    .launch = launch,
};

/* ---- what the tests work with ---- */

static lw_device *device;
static lw_stream *stream;
static lw_buffer *f32_64, *f64_8, *u8_48, *s12_4;

static void set_up(const char *name)
{
    device = name ? open_device(name) : open_own(&show_ops);
    WORKS(lw_stream_create(device, &stream));
    WORKS(lw_buffer_create(device, LW_F32, 64, &f32_64));
    WORKS(lw_buffer_create(device, LW_F64, 8, &f64_8));
    WORKS(lw_buffer_create(device, LW_U8, 48, &u8_48));
    WORKS(lw_buffer_create_structs(device, 12, 4, &s12_4));
}

static void tear_down(void)
{
    lw_buffer_destroy(f32_64);
    lw_buffer_destroy(f64_8);
    lw_buffer_destroy(u8_48);
    lw_buffer_destroy(s12_4);
    lw_stream_destroy(stream);
    lw_device_close(device);
}

/* A kernel k of one parameter. */
static lw_program *program;
static lw_kernel *one_param(const char *type, const char *layout, size_t bytes, int dims)
{
    char rows[512];

    snprintf(rows, sizeof rows,
             "kernel\tk\tvoid k(%s x)\t1\t0\t0\t0\t0\t0\t%zu\n"
             "param\tx\t%s\t%s\t0\t%zu\t%d\n",
             type, bytes, type, layout, bytes, dims);
    program = build_rows(device, rows);
    return first_kernel(program);
}

static lw_status launch_one(lw_kernel *k, lw_arg arg)
{
    lw_status status = lw_stream_launch(stream, k, lw_dim_1(1), lw_dim_1(1), NULL, &arg, 1);

    return status ? status : lw_stream_wait(stream);
}

/* ---- the tests ---- */

static void counts(void)
{
    lw_program *p = build_rows(device, ADD_ROWS);
    lw_kernel *k = first_kernel(p);
    lw_device *other = open_device("null");

    WORKS(LW_LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, 64));
    WORKS(lw_stream_wait(stream));
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f32_64, 64), LW_E_ARG,
          "add takes 4 arguments, not 3: void add(float *out, const float *a, const float *b, int "
          "n)");
    FAILS(lw_stream_launch(stream, k, lw_dim_1(1), lw_dim_1(1), NULL, NULL, 4), LW_E_ARG,
          "add: the list of arguments is NULL");
    FAILS(LAUNCH(NULL, k, 1, 1, 1), LW_E_ARG, "the stream is NULL");
    FAILS(LAUNCH(stream, NULL, 1, 1, 1), LW_E_ARG, "the kernel is NULL");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f64_8, f32_64, 64), LW_E_DTYPE,
          "add: parameter 2 'a' (const float *) needs a buffer of f32, this one holds f64");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, 1, f32_64, 64), LW_E_DTYPE,
          "add: parameter 2 'a' (const float *) takes a buffer, not an integer");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, (lw_buffer *)NULL, f32_64, 64), LW_E_ARG,
          "add: parameter 2 'a' (const float *) needs a buffer, this one is NULL");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, f32_64), LW_E_DTYPE,
          "add: parameter 4 'n' (int) takes a number, not a buffer");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, 1.5), LW_E_DTYPE,
          "add: parameter 4 'n' (int) takes an integer, not the real 1.5");
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, 1L << 40), LW_E_ARG,
          "add: parameter 4 'n' (int) cannot hold 1099511627776; need -2147483648 to 2147483647");
    FAILS(LAUNCH(stream, k, 2, 32, ((lw_arg){.kind = (lw_arg_kind)77}), f32_64, f32_64, 1),
          LW_E_ARG, "add: parameter 1 'out' (float *): the argument's kind is 77, need 0 to 6");
    lw_buffer *far;
    WORKS(lw_buffer_create(other, LW_F32, 64, &far));
    CHECK(LAUNCH(stream, k, 2, 32, far, f32_64, f32_64, 1) == LW_E_DEVICE);
    CHECK(strstr(lw_last_error(), "add: parameter 1 'out' (float *): the buffer is of "));
    lw_stream *elsewhere;
    WORKS(lw_stream_create(other, &elsewhere));
    CHECK(LAUNCH(elsewhere, k, 2, 32, f32_64, f32_64, f32_64, 1) == LW_E_DEVICE);
    lw_stream_destroy(elsewhere);
    lw_buffer_destroy(far);
    lw_device_close(other);
    lw_program_destroy(p);
}

static void mapped(void)
{
    lw_program *p = build_rows(device, ADD_ROWS);
    lw_kernel *k = first_kernel(p);
    void *memory;

    WORKS(lw_buffer_map(f32_64, &memory));
    FAILS(LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, 64), LW_E_ARG,
          "add: parameter 1 'out' (float *): the buffer is mapped; it needs lw_buffer_unmap first");
    WORKS(lw_buffer_unmap(f32_64));
    WORKS(LW_LAUNCH(stream, k, 2, 32, f32_64, f32_64, f32_64, 64));
    WORKS(lw_buffer_map(f32_64, &memory));
    WORKS(lw_buffer_unmap(f32_64));
    lw_program_destroy(p);
}

static void limits(void)
{
    lw_program *p = build_rows(device, "kernel\tfree\tvoid free(void)\t1\t0\t0\t0\t0\t0\t0\n"
                                       "kernel\tfixed\tvoid fixed(void)\t1\t16\t8\t1\t0\t0\t0\n"
                                       "kernel\tbig\tvoid big(void)\t1\t0\t0\t0\t49153\t0\t0\n"
                                       "kernel\twide\tvoid wide(void)\t1\t0\t0\t0\t0\t0\t32765\n");
    lw_kernel *k, *fixed, *big, *wide;
    lw_device_info info;
    lw_launch_options options = {0};
    char text[200];

#define TRY(kernel, grid, block) lw_stream_launch(stream, kernel, grid, block, &options, NULL, 0)
    WORKS(lw_program_kernel(p, "free", &k));
    WORKS(lw_program_kernel(p, "fixed", &fixed));
    WORKS(lw_program_kernel(p, "big", &big));
    WORKS(lw_program_kernel(p, "wide", &wide));
    WORKS(TRY(k, lw_dim_3(0x7fffffff, 65535, 65535), lw_dim_3(4, 4, 64)));
    WORKS(TRY(k, lw_dim_1(1), lw_dim_1(1024)));
    FAILS(TRY(k, lw_dim_3(1, 0, 1), lw_dim_1(1)), LW_E_SHAPE,
          "free: grid 1 x 0 x 1 has no blocks; need at least 1 each");
    FAILS(TRY(k, lw_dim_1(0x80000000), lw_dim_1(1)), LW_E_SHAPE,
          "free: grid 2147483648 x 1 x 1 is too large; need x at most 2147483647, y and z at most "
          "65535");
    CHECK(TRY(k, lw_dim_2(1, 65536), lw_dim_1(1)) == LW_E_SHAPE);
    CHECK(TRY(k, lw_dim_3(1, 1, 65536), lw_dim_1(1)) == LW_E_SHAPE);
    FAILS(TRY(k, lw_dim_1(1), lw_dim_1(0)), LW_E_SHAPE,
          "free: block 0 x 1 x 1 has no threads; need at least 1 each");
    FAILS(TRY(k, lw_dim_1(1), lw_dim_1(1025)), LW_E_SHAPE,
          "free: block 1025 x 1 x 1 is too large; need at most 1024 threads, z at most 64");
    CHECK(TRY(k, lw_dim_1(1), lw_dim_2(33, 32)) == LW_E_SHAPE);
    CHECK(TRY(k, lw_dim_1(1), lw_dim_3(1, 1, 65)) == LW_E_SHAPE);
    CHECK(TRY(k, lw_dim_1(1), lw_dim_3(UINT32_MAX, UINT32_MAX, UINT32_MAX)) == LW_E_SHAPE);
    WORKS(TRY(fixed, lw_dim_1(1), lw_dim_2(16, 8)));
    FAILS(TRY(fixed, lw_dim_1(1), lw_dim_1(128)), LW_E_SHAPE,
          "fixed: block 128 x 1 x 1, but BLOCK fixes 16 x 8 x 1");
    WORKS(lw_device_get_info(device, &info));
    options.shared_bytes = info.max_dynamic_bytes;
    WORKS(TRY(k, lw_dim_1(1), lw_dim_1(1)));
    options.shared_bytes++;
    snprintf(text, sizeof text, "free: %zu bytes of dynamic block memory; device '%s' has %zu",
             options.shared_bytes, info.name, info.max_dynamic_bytes);
    FAILS(TRY(k, lw_dim_1(1), lw_dim_1(1)), LW_E_SHAPE, text);
    options.shared_bytes = 0;
    snprintf(text, sizeof text, "big: 49153 bytes of SHARED memory; device '%s' has %zu", info.name,
             info.max_shared_bytes);
    FAILS(TRY(big, lw_dim_1(1), lw_dim_1(1)), LW_E_SHAPE, text);
    FAILS(TRY(wide, lw_dim_1(1), lw_dim_1(1)), LW_E_SHAPE,
          "wide: 32765 bytes of parameters; need at most 32764");
    WORKS(lw_stream_wait(stream));
    lw_program_destroy(p);
}

static void pointers(void)
{
    lw_kernel *k = one_param("struct p *", "p(s12(a@0:a3(f32)))", 8, 0);

    WORKS(launch_one(k, lw_arg_buffer(s12_4)));
    WORKS(launch_one(k, lw_arg_buffer(u8_48)));
    FAILS(launch_one(k, lw_arg_buffer(f32_64)), LW_E_DTYPE,
          "k: parameter 1 'x' (struct p *) needs "
          "a buffer of structs of 12 bytes, or u8; this one holds f32");
    lw_buffer *any;
    WORKS(lw_buffer_create_bytes(device, 40, &any));
    WORKS(launch_one(k, lw_arg_buffer(any)));
    char *start = lw_buffer_address(any);
    WORKS(launch_one(k, lw_arg_address(start + 7)));
    CHECK(!seen.kernel || !memcmp(seen_args, &(char *){start + 7}, 8));
    WORKS(launch_one(k, lw_arg_address(NULL)));
    lw_buffer_destroy(any);
    lw_program_destroy(program);
    k = one_param("struct q *", "p(s16(a@0:a4(f32)))", 8, 0);
    FAILS(launch_one(k, lw_arg_buffer(s12_4)), LW_E_DTYPE,
          "k: parameter 1 'x' (struct q *) needs "
          "a buffer of structs of 16 bytes; this one's have 12");
    lw_program_destroy(program);
    k = one_param("float4 *", "p(v4(f32))", 8, 0);
    WORKS(launch_one(k, lw_arg_buffer(f32_64)));
    FAILS(launch_one(k, lw_arg_buffer(u8_48)), LW_E_DTYPE,
          "k: parameter 1 'x' (float4 *) needs a buffer of f32, this one holds u8");
    FAILS(launch_one(k, lw_arg_buffer(s12_4)), LW_E_DTYPE,
          "k: parameter 1 'x' (float4 *) needs a buffer of f32, this one holds structs");
    lw_program_destroy(program);
    k = one_param("void *", "p(void)", 8, 0);
    WORKS(launch_one(k, lw_arg_buffer(f32_64)));
    WORKS(launch_one(k, lw_arg_buffer(s12_4)));
    FAILS(launch_one(k, lw_arg_bytes("12345678", 8)), LW_E_DTYPE,
          "k: parameter 1 'x' (void *) takes a buffer, not plain bytes");
    lw_program_destroy(program);
}

static void structs(void)
{
    lw_kernel *k = one_param("struct p", "s12(a@0:a3(f32))", 12, 0);

    WORKS(launch_one(k, lw_arg_bytes("abcdefghijkl", 12)));
    FAILS(launch_one(k, lw_arg_bytes("abcdefghijkl", 11)), LW_E_SHAPE,
          "k: parameter 1 'x' (struct p) has 12 bytes, the argument 11");
    FAILS(launch_one(k, lw_arg_bytes(NULL, 12)), LW_E_ARG,
          "k: parameter 1 'x' (struct p) needs 12 bytes, the argument is NULL");
    FAILS(launch_one(k, lw_arg_int(1)), LW_E_DTYPE,
          "k: parameter 1 'x' (struct p) takes plain bytes, not an integer");
    lw_program_destroy(program);
    k = one_param("float", "f32", 4, 0);
    WORKS(launch_one(k, lw_arg_bytes("\0\0\x80\x3f", 4)));
    lw_program_destroy(program);
}

static lw_tensor view(ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t down, ptrdiff_t right)
{
    return (lw_tensor){
        .buffer = f32_64, .rank = 2, .extent = {rows, columns}, .stride = {down, right}};
}

static void tensors(void)
{
    lw_kernel *k = one_param("TENSOR(float, 2)", "t2(f32)", 40, 0);
    lw_tensor t = view(8, 8, 0, 0);

#define TAKES(tensor) WORKS(launch_one(k, lw_arg_tensor(tensor)))
#define REFUSES(tensor, text) FAILS(launch_one(k, lw_arg_tensor(tensor)), LW_E_SHAPE, text)
#define X "k: parameter 1 'x' (TENSOR(float, 2))"
    TAKES(t);
    TAKES(view(8, 8, 1, 8));
    TAKES(view(0, 1000, 0, 0));
    TAKES(view(PTRDIFF_MAX, 0, PTRDIFF_MAX, 1));
    TAKES(view(1, 1, PTRDIFF_MAX, PTRDIFF_MIN));
    REFUSES(view(8, 9, 0, 0), X " reaches elements 0 to 71, the buffer has 64");
    REFUSES(view(8, 8, 8, 2), X " reaches elements 0 to 70, the buffer has 64");
    REFUSES(view(2, 2, -1, 1), X " reaches elements -1 to 1, the buffer has 64");
    REFUSES(view(-1, 2, 0, 0), X ": extent 0 is -1, need at least 0");
    REFUSES(view(PTRDIFF_MAX, PTRDIFF_MAX, 0, 0), X ": the extents reach beyond any memory");
    REFUSES(view(PTRDIFF_MAX, 2, 2, 1), X ": extents and strides reach beyond any memory");
    REFUSES(view(2, 2, PTRDIFF_MAX, PTRDIFF_MAX),
            X ": extents and strides reach beyond any memory");
    t.offset = 1;
    REFUSES(t, X " reaches elements 1 to 64, the buffer has 64");
    t = view(8, 8, -8, 1);
    t.offset = 56;
    TAKES(t);
    t.offset = 65;
    REFUSES(t, X " starts at element 65, the buffer has 64");
    t = view(0, 8, 0, 0);
    t.offset = 64;
    TAKES(t);
    t = view(1000, 1000, 0, 0);
    t.strided = true;
    t.offset = 63;
    TAKES(t);
    t.offset = 64;
    REFUSES(t, X " reaches elements 64 to 64, the buffer has 64");
    t = view(8, 8, 0, 0);
    t.rank = 1;
    REFUSES(t, X " has rank 2, the lw_tensor 1");
    t.rank = 2;
    t.buffer = NULL;
    FAILS(launch_one(k, lw_arg_tensor(t)), LW_E_ARG, X " needs a buffer, this one is NULL");
    t.buffer = f64_8;
    FAILS(launch_one(k, lw_arg_tensor(t)), LW_E_DTYPE,
          X " needs a buffer of f32, this one holds f64");
    FAILS(launch_one(k, lw_arg_buffer(f32_64)), LW_E_DTYPE, X " takes an lw_tensor, not a buffer");
    lw_program_destroy(program);
}

/* ---- views for pointers ---- */

/* A float *x, no sizes declared. */
static void pointer_views(void)
{
    lw_kernel *k = one_param("float *", "p(f32)", 8, 0);
    lw_tensor t = view(8, 8, 0, 0);

#undef X
#define X "k: parameter 1 'x' (float *)"
    TAKES(t);
    TAKES(view(8, 8, 8, 1));
    TAKES(view(1, 8, 77, 1));
    TAKES(view(8, 1, 1, 5));
    TAKES(view(0, 8, 3, 3));
    t.rank = 0;
    t.offset = 63;
    TAKES(t);
    t.offset = 64;
    REFUSES(t, X " reaches elements 64 to 64, the buffer has 64");
    t = view(8, 8, 0, 0);
    t.offset = 1;
    REFUSES(t, X " reaches elements 1 to 64, the buffer has 64");
    REFUSES(view(8, 9, 0, 0), X " reaches elements 0 to 71, the buffer has 64");
    REFUSES(view(8, -1, 0, 0), X ": extent 1 is -1, need at least 0");
    REFUSES(view(PTRDIFF_MAX, PTRDIFF_MAX, 0, 0), X ": the extents reach beyond any memory");
    REFUSES(view(4, 8, 1, 4),
            X " is a plain pointer, so the lw_tensor must be in C order: its strides are 1, 4; "
              "need 8, 1");
    REFUSES(view(4, 8, -8, 1),
            X " is a plain pointer, so the lw_tensor must be in C order: its strides are -8, 1; "
              "need 8, 1");
    t.strided = true;
    REFUSES(t, X " is a plain pointer, so the lw_tensor must be in C order: its strides are 0, 0; "
                 "need 8, 1");
    t.extent[0] = t.extent[1] = 1;
    TAKES(t);
    t.rank = 5;
    REFUSES(t, X ": the lw_tensor has rank 5, need 0 to 4");
    t.rank = -1;
    REFUSES(t, X ": the lw_tensor has rank -1, need 0 to 4");
    t = view(8, 8, 0, 0);
    t.buffer = f64_8;
    FAILS(launch_one(k, lw_arg_tensor(t)), LW_E_DTYPE,
          X " needs a buffer of f32, this one holds f64");
    lw_program_destroy(program);
}

/* A view in bytes for a pointer to structs of 12. */
static void pointer_views_of_structs(void)
{
    lw_kernel *k = one_param("struct s *", "p(s12(a@0:a3(f32)))", 8, 0);
    lw_tensor t = {.buffer = u8_48, .offset = 12, .rank = 1, .extent = {36}};

#undef X
#define X "k: parameter 1 'x' (struct s *)"
    TAKES(t);
    t.offset = 4;
    REFUSES(t, X ": the lw_tensor begins at byte 4 of its buffer; need a multiple of 12, the size "
                 "of what the parameter points to");
    t = (lw_tensor){.buffer = s12_4, .offset = 3, .rank = 1, .extent = {1}};
    TAKES(t);
    lw_program_destroy(program);
}

/* ---- on the device that shows what it gets ---- */

/* The address that the kernel gets is that of the view's first element. */
static void pointer_view_packed(void)
{
    lw_kernel *k = one_param("float *", "p(f32)", 8, 0);
    lw_tensor t = {.buffer = f32_64, .offset = 3, .rank = 1, .extent = {5}};

    WORKS(launch_one(k, lw_arg_buffer(f32_64)));
    char *whole;
    memcpy(&whole, seen_args, sizeof whole);
    WORKS(launch_one(k, lw_arg_tensor(t)));
    char *part;
    memcpy(&part, seen_args, sizeof part);
    CHECK(part == whole + 12);
    lw_program_destroy(program);
}

/* float x[4][16] and arrays of shapes that are, or are not, that. */
static void declared_shapes(void)
{
    lw_kernel *k = one_param("float *", "p(f32)", 8, 2);
    lw_tensor t = view(4, 16, 0, 0);

#undef X
#define X "k: parameter 1 'x' (float *) is declared x[4][16]"
#define LEAST "; the first must be at least that, the others equal"
    TAKES(t);
    rows_and_columns[0] = 3;
    TAKES(t);
    rows_and_columns[0] = 4;
    REFUSES(view(16, 4, 0, 0), X "; the array given has the shape [16, 4]" LEAST);
    REFUSES(view(4, 15, 0, 0), X "; the array given has the shape [4, 15]" LEAST);
    REFUSES(view(3, 16, 0, 0), X "; the array given has the shape [3, 16]" LEAST);
    REFUSES(view(3, 17, 0, 0), X "; the array given has the shape [3, 17]" LEAST);
    t.rank = 1, t.extent[0] = 64;
    TAKES(t);
    t.extent[0] = 62, t.offset = 2;
    REFUSES(t, X ", which needs 256 bytes; the buffer has 248 (62 x f32)");
    lw_program_destroy(program);
}

/* float4 x[2][4]: in floats, of which the last extent counts four for each, or which have an axis
 * of their own. */
static void declared_vectors(void)
{
    lw_kernel *k = one_param("float4 *", "p(v4(f32))", 8, 2);
    lw_tensor own = {.buffer = f32_64, .rank = 3, .extent = {2, 4, 4}};

    rows_and_columns[0] = 2, rows_and_columns[1] = 4;
#undef X
#define X "k: parameter 1 'x' (float4 *) is declared x[2][4] of 4 x f32 each"
    TAKES(view(2, 16, 0, 0));
    TAKES(own);
    REFUSES(view(4, 8, 0, 0), X "; the array given has the shape [4, 8]" LEAST);
    REFUSES(view(2, 17, 0, 0), X "; the array given has the shape [2, 17]" LEAST);
    own.extent[1] = 5;
    REFUSES(own, X "; the array given has the shape [2, 5, 4]" LEAST);
    own.extent[0] = 4, own.extent[1] = 2, own.extent[2] = 8;
    TAKES(own);
    own = (lw_tensor){.buffer = f32_64, .offset = 2, .rank = 1, .extent = {32}};
    REFUSES(own, "k: parameter 1 'x' (float4 *): the lw_tensor begins at byte 8 of its buffer; "
                 "need a multiple of 16, the size of what the parameter points to");
    rows_and_columns[0] = 4, rows_and_columns[1] = 16;
    lw_program_destroy(program);
}

/* A struct without members takes no bytes, and any array is large enough. */
static void declared_nothing(void)
{
    lw_kernel *k = one_param("struct e *", "p(s0())", 8, 2);

    TAKES(view(4, 16, 0, 0));
    lw_program_destroy(program);
}

/* A kernel with DYNAMIC_SHARED memory needs some. */
static void dynamic_memory(void)
{
    lw_program *p = build_rows(device, "kernel\tk\tvoid k(void)\t1\t0\t0\t0\t0\t1\t0\n");
    lw_kernel *k = first_kernel(p);
    lw_launch_options options = {0};

    for (int i = 0; i < 2; i++)
        FAILS(lw_stream_launch(stream, k, lw_dim_1(1), lw_dim_1(1), i ? &options : NULL, NULL, 0),
              LW_E_SHAPE,
              "k: it uses DYNAMIC_SHARED memory and the launch gives it 0 bytes; give its size as "
              "lw_launch_options.shared_bytes, to the command as --shared, in Python as shared=");
    options.shared_bytes = 1;
    WORKS(lw_stream_launch(stream, k, lw_dim_1(1), lw_dim_1(1), &options, NULL, 0));
    WORKS(lw_stream_wait(stream));
    lw_program_destroy(p);
}

static void declared(void)
{
    lw_kernel *k = one_param("float *", "p(f32)", 8, 2);

    WORKS(launch_one(k, lw_arg_buffer(f32_64)));
    rows_and_columns[1] = 17;
    FAILS(launch_one(k, lw_arg_buffer(f32_64)), LW_E_SHAPE,
          "k: parameter 1 'x' (float *) is "
          "declared x[4][17], which needs 272 bytes; the buffer has 256 (64 x f32)");
    rows_and_columns[1] = -1;
    FAILS(launch_one(k, lw_arg_buffer(f32_64)), LW_E_SHAPE,
          "k: parameter 1 'x' (float *): declared size 2 is -1, need at least 0");
    rows_and_columns[0] = 0;
    rows_and_columns[1] = INT64_MAX;
    WORKS(launch_one(k, lw_arg_buffer(f32_64)));
    rows_and_columns[0] = 3;
    FAILS(launch_one(k, lw_arg_buffer(f32_64)), LW_E_SHAPE,
          "k: parameter 1 'x' (float *): x[3][9223372036854775807] is beyond any memory");
    rows_and_columns[0] = 4, rows_and_columns[1] = 16;
    lw_program_destroy(program);
}

/* More sizes than the library has room for without memory of their own. */
static void declared_many(void)
{
    lw_program *p = build_rows(device, "kernel\tk\tvoid k()\t1\t0\t0\t0\t0\t0\t16\n"
                                       "param\tx\tfloat *\tp(f32)\t0\t8\t64\n"
                                       "param\ty\tfloat *\tp(f32)\t8\t8\t1\n");
    lw_kernel *k = first_kernel(p);

    size_count = 65, rows_and_columns[0] = 1, rows_and_columns[1] = 1;
    WORKS(LW_LAUNCH(stream, k, 1, 1, f32_64, f32_64));
    WORKS(lw_stream_wait(stream));
    rows_and_columns[0] = 0, rows_and_columns[1] = -1;
    FAILS(LAUNCH(stream, k, 1, 1, f32_64, f32_64), LW_E_SHAPE,
          "k: parameter 1 'x' (float *): declared size 2 is -1, need at least 0");
    size_count = 2, rows_and_columns[0] = 4, rows_and_columns[1] = 16;
    lw_program_destroy(p);
}

static void packed(void)
{
    lw_program *p = build_rows(
        device,
        "kernel\tk\tvoid k()\t1\t0\t0\t0\t64\t1\t72\nparam\tc\tsigned char\ti8\t0\t1\t0\n"
        "param\th\t_Float16\tf16\t2\t2\t0\nparam\ts\tstruct s\ts5(a@0:a5(i8))\t4\t5\t0\n"
        "param\tp\tfloat *\tp(f32)\t16\t8\t0\nparam\tt\tTENSOR(float, 2)\tt2(f32)\t24\t40\t0\n"
        "param\td\tdouble\tf64\t64\t8\t0\nsite\tk.c\t4\t5\tbarrier\n");
    lw_tensor t = {.buffer = f32_64, .offset = 3, .rank = 2, .extent = {2, 5}};
    ptrdiff_t axes[4];
    char *pointer;
    double d;
    lw_launch_options options = {.shared_bytes = 640};
    lw_arg args[] = {lw_arg_int(-2),        lw_arg_real(1.5), lw_arg_bytes("hello", 5),
                     lw_arg_buffer(f32_64), lw_arg_tensor(t), lw_arg_int(3)};

    WORKS(lw_stream_launch(stream, first_kernel(p), lw_dim_3(2, 3, 4), lw_dim_2(5, 6), &options,
                           args, 6));
    WORKS(lw_stream_wait(stream));
    CHECK((uintptr_t)seen.args % 64 == 0 && seen.args_bytes == 72 && !strcmp(seen.kernel, "k"));
    CHECK(seen.grid.z == 4 && seen.block.y == 6 && seen.block.z == 1);
    CHECK(seen.shared_bytes == 64 && seen.dynamic_bytes == 640 && seen.entry == &seen);
    CHECK(seen.site_count == 1 && seen.cancelled && seen.output);
    CHECK(!memcmp(seen_args, "\xfe\0\0\x3ehello\0\0\0\0\0\0\0", 16));
    memcpy(&pointer, seen_args + 16, 8);
    CHECK((uintptr_t)pointer % 64 == 0);
    memcpy(axes, seen_args + 32, sizeof axes);
    CHECK(axes[0] == 2 && axes[1] == 5 && axes[2] == 5 && axes[3] == 1);
    pointer += 12;
    CHECK(!memcmp(&pointer, seen_args + 24, 8));
    memcpy(&d, seen_args + 64, 8);
    CHECK(d == 3);
    lw_program_destroy(p);
}

int main(void)
{
    const char *const devices[] = {"null", NULL};

    for (int i = 0; i < 2; i++) {
        set_up(devices[i]);
        counts();
        mapped();
        limits();
        pointers();
        structs();
        tensors();
        pointer_views();
        pointer_views_of_structs();
        dynamic_memory();
        if (!devices[i]) {
            pointer_view_packed();
            declared();
            declared_shapes();
            declared_vectors();
            declared_nothing();
            declared_many();
            packed();
        }
        tear_down();
    }
    return failures != 0;
}
