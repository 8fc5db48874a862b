/* The public header alone, and the shared library behind it: every declared function is exported,
 * and LW_LAUNCH tags arguments by their C types. */
#include <lanewise/cache.h>
#include <lanewise/lanewise.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
        }                                                                                          \
    } while (0)

static void tags(void)
{
    struct pair {
        int a, b;
    } pair = {1, 2};
    lw_buffer *buffer = NULL;
    lw_tensor tensor = {.rank = 1};
    const lw_arg args[] = {LW__EACH((short)-1, 2u, (bool)1, 1.5f, 2.5, 'c', -3LL, 4ull, buffer,
                                    tensor, lw_arg_bytes(&pair, sizeof pair))};
    static const lw_arg_kind kinds[] = {
        LW_ARG_INT, LW_ARG_UINT, LW_ARG_UINT,   LW_ARG_REAL,   LW_ARG_REAL,  LW_ARG_INT,
        LW_ARG_INT, LW_ARG_UINT, LW_ARG_BUFFER, LW_ARG_TENSOR, LW_ARG_BYTES,
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        CHECK(args[i].kind == kinds[i]);
    CHECK(args[0].as.i == -1 && args[3].as.f == 1.5 && args[6].as.i == -3);
    CHECK(args[10].as.bytes.size == sizeof pair && args[10].as.bytes.data == &pair);
    CHECK(LW__DIM(7).x == 7 && LW__DIM(7).y == 1 && LW__DIM(lw_dim_2(3, 4)).y == 4);
}

/* One address of each declared function, so that a missing export does not link. */
#define F(name) (void (*)(void)) name
static void (*const all[])(void) = {
    F(lw_last_error),
    F(lw_fail),
    F(lw_fail_lines),
    F(lw_status_text),
    F(lw_version),
    F(lw_warp_size),
    F(lw_dtype_size),
    F(lw_dtype_name),
    F(lw_cache_get_info),
    F(lw_cache_trim),
    F(lw_device_list),
    F(lw_device_open),
    F(lw_device_close),
    F(lw_device_get_info),
    F(lw_program_build),
    F(lw_program_destroy),
    F(lw_program_kernel_count),
    F(lw_program_kernel_at),
    F(lw_program_kernel),
    F(lw_kernel_name),
    F(lw_kernel_signature),
    F(lw_kernel_fixed_block),
    F(lw_kernel_param_count),
    F(lw_kernel_param),
    F(lw_buffer_create),
    F(lw_buffer_create_structs),
    F(lw_buffer_destroy),
    F(lw_buffer_wrap),
    F(lw_buffer_count),
    F(lw_buffer_bytes),
    F(lw_buffer_address),
    F(lw_buffer_alignment),
    F(lw_buffer_is_read_only),
    F(lw_buffer_has_dtype),
    F(lw_buffer_dtype),
    F(lw_buffer_write),
    F(lw_buffer_read),
    F(lw_buffer_fill),
    F(lw_buffer_copy),
    F(lw_buffer_discard),
    F(lw_buffer_map),
    F(lw_buffer_unmap),
    F(lw_stream_create),
    F(lw_stream_destroy),
    F(lw_stream_wait),
    F(lw_stream_wait_for),
    F(lw_buffer_wait_for),
    F(lw_stream_cancel),
    F(lw_stream_wrap),
    F(lw_stream_check),
    F(lw_stream_scratch),
    F(lw_stream_scratch_done),
    F(lw_stream_reserve),
    F(lw_stream_on_output),
    F(lw_stream_on_print),
    F(lw_stream_on_text),
    F(lw_event_create),
    F(lw_event_destroy),
    F(lw_event_record),
    F(lw_event_wait),
    F(lw_stream_wait_event),
    F(lw_event_elapsed),
    F(lw_stream_launch),
    F(lw_stream_launch_noted),
    F(lw_kernel_suggest),
};
#undef F

static void exports(void)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        CHECK(all[i] != NULL);
}

/* From opening to an answer, as the head of the header shows it. */
static void first_program(void)
{
    lw_build_options options = {.source = "kernel\tk\tvoid k(int n)\t1\t0\t0\t0\t0\t0\t4\n"
                                          "param\tn\tint\ti32\t0\t4\t0\n"};
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel;
    lw_stream *stream;

    CHECK(lw_device_open("null", &device) == LW_OK);
    CHECK(lw_program_build(device, "k.c", &options, &program) == LW_OK);
    CHECK(lw_program_kernel(program, "k", &kernel) == LW_OK);
    CHECK(lw_stream_create(device, &stream) == LW_OK);
    CHECK(LW_LAUNCH(stream, kernel, 1, 8, 8) == LW_OK);
    CHECK(lw_stream_wait(stream) == LW_OK);
    lw_stream_destroy(stream);
    lw_program_destroy(program);
    lw_device_close(device);
}

int main(void)
{
    tags();
    exports();
    first_program();
    return failures != 0;
}
