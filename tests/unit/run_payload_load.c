/* Code from the compiler to the device: loaded from memory, from the cache, and changed under the
 * same key in one process; then run, its declared sizes checked. */
#include "run_test.h"

#define TWICE                                                                                      \
    "kernel\ttwice\tvoid twice(float *out, const float *a, int n)\t1\t0\t0\t0\t0\t0\t20\n"         \
    "param\tout\tfloat *\tp(f32)\t0\t8\t1\nparam\ta\tconst float *\tpc(f32)\t8\t8\t1\n"            \
    "param\tn\tint\ti32\t16\t4\t0\n"

static void run(lw_device *ref)
{
    lw_program *p = build_rows(ref, TWICE);
    lw_kernel *k = first_kernel(p);
    float x[100], y[100];

    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    lw_buffer *a;
    WORKS(lw_buffer_create(ref, LW_F32, 100, &a));
    lw_buffer *out;
    WORKS(lw_buffer_create(ref, LW_F32, 100, &out));
    WORKS(lw_buffer_write(a, 0, 100, x));
    lw_stream *s;
    WORKS(lw_stream_create(ref, &s));
    WORKS(LW_LAUNCH(s, k, 4, 32, out, a, 100));
    FAILS(LAUNCH(s, k, 4, 32, out, a, 101), LW_E_SHAPE,
          "twice: parameter 1 'out' (float *) is "
          "declared out[101], which needs 404 bytes; the buffer has 400 (100 x f32)");
    FAILS(LAUNCH(s, k, 4, 32, out, a, -1), LW_E_SHAPE,
          "twice: parameter 1 'out' (float *): declared size 1 is -1, need at least 0");
    WORKS(LW_LAUNCH(s, k, 4, 32, out, a, 0));
    WORKS(lw_stream_wait(s));
    WORKS(lw_buffer_read(out, 0, 100, y));
    for (int i = 0; i < 100; i++)
        CHECK(y[i] == 2 * x[i]);
    lw_stream_destroy(s);
    lw_buffer_destroy(a);
    lw_buffer_destroy(out);
    lw_program_destroy(p);
}

static void broken_code(lw_device *ref)
{
    lw_build_options options = {.source = TWICE "kernel\tnone\tvoid none()\t1\t0\t0\t0\t0\t0\t0\n"};
    lw_program *p;

    FAILS(lw_program_build(ref, "k.c", &options, &p), LW_E_INTERNAL,
          "the compiled kernels lack lw.objects.none");
    setenv("LW_FAKE_PAYLOAD", "/dev/null", 1);
    CHECK(lw_program_build(ref, "k.c", &options, &p) == LW_E_IO);
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_PAYLOAD"), 1);
}

int main(void)
{
    char folder[] = "/tmp/lanewise-load-XXXXXX", command[100];
    lw_device *ref = open_device("ref");

    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_PAYLOAD"), 1);
    run(ref);
    broken_code(ref);
    CHECK(mkdtemp(folder) != NULL);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    for (int i = 0; i < 3; i++)
        run(ref);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    lw_device_close(ref);
    return failures != 0;
}
