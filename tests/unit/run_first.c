/* The code for the first launch, made with the program: the kernels are cpu_payload.c's, the
 * compiler a double that counts its runs.
 */
#include "run_test.h"
#include <sys/stat.h>

#define ROW(name)                                                                                  \
    "kernel\t" name "\tvoid " name "(unsigned long *out, long n)\t1\t0\t0\t0\t0\t0\t16\n"          \
    "param\tout\tunsigned long *\tp(u64)\t0\t8\t0\nparam\tn\tlong\ti64\t8\t8\t0\n"

static char path[] = "/tmp/lanewise-unit-XXXXXX";
static lw_device *device;
static lw_buffer *out;

static size_t runs(void)
{
    struct stat s;

    return stat(path, &s) ? 0 : (size_t)s.st_size;
}

static void launch(lw_program *program)
{
    WORKS(lw_buffer_fill(out, &(uint64_t){0}));
    lw_kernel *total;
    WORKS(lw_program_kernel(program, "total", &total));
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    WORKS(LW_LAUNCH(stream, total, 10, 7, out, 0));
    WORKS(lw_stream_wait(stream));
    uint64_t sum;
    WORKS(lw_buffer_read(out, 0, 1, &sum));
    CHECK(sum == 10);
    lw_stream_destroy(stream);
}

/* Launches in blocks of 7: how often has the compiler run before them, and how often with them? */
static void first_is(const char *kernel, uint32_t block, size_t built, size_t launched)
{
    const lw_build_options options = {
        .source = ROW("empty") ROW("total"), .first_kernel = kernel, .first_block = {block, 1, 1}};
    lw_program *program;

    CHECK(truncate(path, 0) == 0);
    WORKS(lw_program_build(device, "k.c", &options, &program));
    CHECK(runs() == built);
    launch(program);
    launch(program);
    CHECK(runs() == launched);
    lw_program_destroy(program);
}

int main(void)
{
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    close(mkstemp(path));
    setenv("LW_FAKE_LOG", path, 1);
    device = open_device("cpu");
    WORKS(lw_buffer_create(device, LW_U64, 16, &out));
    first_is("total", 7, 1, 1);
    first_is("total", 8, 1, 2);
    first_is("nothing", 7, 1, 2);
    first_is(NULL, 7, 1, 2); /* there are several */
    first_is("total", 0, 1, 2);
    first_is("total", 1025, 1, 2);
    setenv("LW_FAKE_FIRST_CRASHES", "1", 1);
    first_is("total", 7, 2, 3);
    unsetenv("LW_FAKE_FIRST_CRASHES");
    setenv("LW_FAKE_REFUSE", "total 8,1,1", 1); /* no error of the program's */
    first_is("total", 8, 1, 2);
    lw_buffer_destroy(out);
    lw_device_close(device);
    unlink(path);
    return failures != 0;
}
