/* large.c - buffers over 4 GiB: no address is cut to 32 bits, whatever its shape.
 *
 *     large DEVICE
 *
 * One buffer of 8 GiB and a little. Each kernel writes bytes around 2, 4 and 8 GiB; there they must
 * be, and nowhere that is a multiple of 2 GiB away. The pages between are never touched. Exit
 * status 77: the machine does not give that much address space, or lacks the level of LANEWISE_CPU.
 */
#include "robust.h"

#define GIB ((size_t)1 << 30)
enum { SLACK = 4096, THREADS = 96, COLS = 1 << 17 };
static const size_t bytes = 8 * GIB + SLACK;

/* clang-format off */
static const char source[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void row(uint8_t *p, size_t first)\n" /* vector stores */
    "{\n"
    "    size_t i = first + global_idx.x;\n"
    "    p[i] = (uint8_t)(i % 251 + 1);\n"
    "}\n"
    "KERNEL void signed_index(float *p, int first)\n" /* 4 bytes a step: 8 GiB at 2^31 - 1 */
    "{\n"
    "    int i = first + (int)global_idx.x;\n"
    "    p[i] = i % 251 + 1;\n"
    "}\n"
    "KERNEL void unsigned_index(float *p, unsigned first)\n"
    "{\n"
    "    unsigned i = first + (unsigned)global_idx.x;\n"
    "    p[i] = i % 251 + 1;\n"
    "}\n"
    "KERNEL void columns(int rows, int cols, uint8_t p[rows][cols], int first)\n" /* strides */
    "{\n"
    "    int r = first + (int)global_idx.x;\n"
    "    p[r][5] = (uint8_t)(r % 251 + 1);\n"
    "}\n"
    "KERNEL void looked_up(uint8_t *p, const size_t *at)\n" /* gather and scatter */
    "{\n"
    "    size_t i = at[global_idx.x];\n"
    "    p[i] = p[i] + (uint8_t)(i % 251 + 1);\n"
    "}\n";
/* clang-format on */

static lw_device *device;
static lw_program *program;
static lw_stream *stream;

static lw_buffer *buffer_of(lw_dtype dtype, size_t count)
{
    lw_buffer *b = NULL;
    if (lw_buffer_create(device, dtype, count, &b) == LW_E_MEMORY) {
        printf("skipped: %s\n", lw_last_error());
        exit(77);
    }
    return b;
}

static lw_kernel *kernel(const char *name)
{
    lw_kernel *k = NULL;
    WORKS(lw_program_kernel(program, name, &k));
    return k;
}

/* Element `at` is what it should be; the one that 32 bits of its byte offset name is 0. */
static void expect_u8(lw_buffer *b, size_t at, size_t number)
{
    unsigned char here = 0, there = 0;
    WORKS(lw_buffer_read(b, at, 1, &here));
    CHECK(here == number % 251 + 1);
    for (size_t wrong = at % (2 * GIB); wrong < at; wrong += 2 * GIB) {
        WORKS(lw_buffer_read(b, wrong, 1, &there));
        CHECK(there == 0);
    }
}

static void expect_f32(lw_buffer *b, size_t at)
{
    float here = 0, there = 0;
    WORKS(lw_buffer_read(b, at, 1, &here));
    CHECK(here == (float)(at % 251 + 1));
    for (size_t wrong = at % (GIB / 2); wrong < at; wrong += GIB / 2) {
        WORKS(lw_buffer_read(b, wrong, 1, &there));
        CHECK(there == 0);
    }
}

static void rows(void)
{
    lw_buffer *b = buffer_of(LW_U8, bytes);
    const size_t ends[] = {2 * GIB, 4 * GIB, 8 * GIB};
    for (int k = 0; k < 3; k++) {
        size_t first = ends[k] - 50 + 7 * (size_t)k; /* elsewhere each time, modulo 2 GiB */
        first += (size_t)k * 3 * THREADS;
        WORKS(LW_LAUNCH(stream, kernel("row"), 2, THREADS, b, first));
        for (size_t i = first; i < first + 2 * THREADS; i += i == first ? 1 : 37)
            expect_u8(b, i, i);
    }
    lw_buffer_destroy(b);
}

static void indices(void)
{
    lw_buffer *b = buffer_of(LW_F32, bytes / 4);
    const int first = INT32_MAX - 2 * THREADS;
    const uint32_t above = (UINT32_C(1) << 31) + 100;
    WORKS(LW_LAUNCH(stream, kernel("signed_index"), 2, THREADS, b, first));
    for (size_t i = (size_t)first; i < (size_t)first + 2 * THREADS; i += 13)
        expect_f32(b, i);
    WORKS(LW_LAUNCH(stream, kernel("unsigned_index"), 2, THREADS, b, above));
    for (size_t i = above; i < (size_t)above + 2 * THREADS; i += 13)
        expect_f32(b, i);
    lw_buffer_destroy(b);
}

static void columns(void)
{
    const int count = (int)(bytes / COLS), first = count - 2 * THREADS;
    lw_buffer *b = buffer_of(LW_U8, (size_t)count * COLS);
    WORKS(LW_LAUNCH(stream, kernel("columns"), 2, THREADS, count, COLS, b, first));
    for (size_t r = (size_t)first; r < (size_t)count; r += 13)
        expect_u8(b, r * COLS + 5, r);
    lw_buffer_destroy(b);
}

static void looked_up(void)
{
    lw_buffer *b = buffer_of(LW_U8, bytes), *at = buffer_of(LW_U64, THREADS);
    uint64_t place[THREADS];
    for (size_t i = 0; i < THREADS; i++) /* far apart, no two alike modulo 2 GiB */
        place[i] = (8 * GIB + 11) / THREADS * i + i * i * 4099 % 65536 + i;
    WORKS(lw_buffer_write(at, 0, THREADS, place));
    WORKS(LW_LAUNCH(stream, kernel("looked_up"), 1, THREADS, b, at));
    for (size_t i = 0; i < THREADS; i++)
        expect_u8(b, place[i], place[i]);
    lw_buffer_destroy(at);
    lw_buffer_destroy(b);
}

int main(int argc, char **argv)
{
    lw_build_options options = {.source = source};
    const char *level = getenv("LANEWISE_CPU");
    if (lw_device_open(argc > 1 ? argv[1] : NULL, &device) == LW_E_DEVICE && level) {
        printf("skipped: %s\n", lw_last_error());
        return 77;
    }
    WORKS(lw_program_build(device, "large.c", &options, &program));
    WORKS(lw_stream_create(device, &stream));
    if (!failures) {
        rows();
        indices();
        columns();
        looked_up();
    }
    lw_stream_destroy(stream);
    lw_program_destroy(program);
    lw_device_close(device);
    return failures != 0;
}
