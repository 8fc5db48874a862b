/* Memory of someone else: what a wrapped buffer refuses, what it changes in place, and when it is
 * released. */
#include "run_gate.h"

static float memory[8] __attribute__((aligned(64)));
static atomic_int released;

static void release(void *address, void *user)
{
    CHECK(address == memory && user == &released);
    atomic_fetch_add(&released, 1);
}

static lw_buffer *wrap(lw_device *d, size_t count, bool read_only)
{
    lw_buffer *b = NULL;

    WORKS(lw_buffer_wrap(d, LW_F32, count, memory, read_only, release, &released, &b));
    return b;
}

static void contents(lw_device *d)
{
    lw_buffer *b = wrap(d, 8, false);
    float seven = 7, two[2] = {1, 2};

    atomic_store(&released, 0);
    WORKS(lw_buffer_fill(b, &seven));
    CHECK(memory[0] == 7 && memory[7] == 7);
    WORKS(lw_buffer_write(b, 3, 2, two));
    CHECK(memory[2] == 7 && memory[3] == 1 && memory[4] == 2);
    memory[5] = 9;
    WORKS(lw_buffer_read(b, 4, 2, two));
    CHECK(two[0] == 2 && two[1] == 9);
    void *mapped;
    WORKS(lw_buffer_map(b, &mapped));
    ((float *)mapped)[6] = 3;
    WORKS(lw_buffer_unmap(b));
    CHECK(memory[6] == 3 && lw_buffer_count(b) == 8 && lw_buffer_bytes(b) == 32);
    CHECK(lw_buffer_address(b) == memory);
    CHECK(released == 0);
    lw_buffer_destroy(b);
    CHECK(released == 1);
    WORKS(lw_buffer_wrap(d, LW_F32, 8, memory, false, NULL, NULL, &b));
    lw_buffer_destroy(b);
    WORKS(lw_buffer_wrap(d, LW_F64, 0, NULL, false, NULL, NULL, &b));
    lw_buffer_destroy(b);
    CHECK(released == 1);
}

static void read_only(lw_device *d)
{
    lw_buffer *b = wrap(d, 8, true);
    static const char text[] = "the buffer is read-only: its memory was wrapped so";
    float x[8];
    void *mapped = x;

    memory[1] = 5;
    FAILS(lw_buffer_write(b, 0, 1, x), LW_E_ARG, text);
    FAILS(lw_buffer_fill(b, x), LW_E_ARG, text);
    FAILS(lw_buffer_copy(b, 0, b, 4, 4), LW_E_ARG, text);
    FAILS(lw_buffer_discard(b), LW_E_ARG, text);
    FAILS(lw_buffer_map(b, &mapped), LW_E_ARG, text);
    CHECK(!mapped && memory[1] == 5);
    WORKS(lw_buffer_read(b, 0, 8, x));
    CHECK(x[1] == 5);
    lw_buffer_destroy(b);
}

static void refusals(lw_device *d)
{
    lw_buffer *b = (lw_buffer *)&b;
    char text[100];

    atomic_store(&released, 0);
    FAILS(lw_buffer_wrap(NULL, LW_F32, 8, memory, false, release, NULL, &b), LW_E_ARG,
          "the device is NULL");
    CHECK(!b);
    FAILS(lw_buffer_wrap(d, LW_F32, 8, memory, false, release, NULL, NULL), LW_E_ARG,
          "the place for the buffer is NULL");
    FAILS(lw_buffer_wrap(d, LW_F32, 8, NULL, false, release, NULL, &b), LW_E_ARG,
          "the memory for 8 elements is NULL");
    FAILS(lw_buffer_wrap(d, (lw_dtype)13, 8, memory, false, release, NULL, &b), LW_E_DTYPE,
          "13 is no dtype; they go from 0 (i8) to 12 (f64)");
    snprintf(text, sizeof text, "the memory at %p is not aligned: f64 needs a multiple of 8",
             (void *)(memory + 1));
    FAILS(lw_buffer_wrap(d, LW_F64, 3, memory + 1, false, release, NULL, &b), LW_E_ARG, text);
    CHECK(lw_buffer_wrap(d, LW_F64, SIZE_MAX / 8 + 1, memory, false, release, NULL, &b) ==
          LW_E_MEMORY);
    CHECK(!b && released == 0);
}

/* ---- launches ---- */

static const char rows[] =
    "kernel\tk\tvoid k(float4 *x)\t1\t0\t0\t0\t0\t0\t8\nparam\tx\tfloat4 *\tp(v4(f32))\t0\t8\t0\n"
    "kernel\tc\tvoid c(const float *x)\t1\t0\t0\t0\t0\t0\t8\n"
    "param\tx\tconst float *\tpc(f32)\t0\t8\t0\n"
    "kernel\tt\tvoid t(TENSOR(float, 1) x)\t1\t0\t0\t0\t0\t0\t24\n"
    "param\tx\tTENSOR(float, 1)\tt1(f32)\t0\t24\t0\n";

/* Of what a kernel may not write, and of what is not aligned for it. */
static void parameters(lw_device *d)
{
    lw_program *p = build_rows(d, rows);
    lw_buffer *fixed = wrap(d, 8, true), *odd;
    lw_tensor view = {.buffer = fixed, .rank = 1, .extent = {8}};
    char text[150];

    lw_stream *s;
    WORKS(lw_stream_create(d, &s));
    WORKS(lw_buffer_wrap(d, LW_F32, 4, memory + 1, false, NULL, NULL, &odd));
    lw_kernel *k;
    WORKS(lw_program_kernel(p, "k", &k));
    lw_kernel *c;
    WORKS(lw_program_kernel(p, "c", &c));
    lw_kernel *t;
    WORKS(lw_program_kernel(p, "t", &t));
    WORKS(LW_LAUNCH(s, c, 1, 1, fixed));
    WORKS(LW_LAUNCH(s, c, 1, 1, odd));
    FAILS(LAUNCH(s, k, 1, 1, fixed), LW_E_ARG,
          "k: parameter 1 'x' (float4 *): the buffer is read-only, the parameter does not point to "
          "const");
    FAILS(LAUNCH(s, t, 1, 1, view), LW_E_ARG,
          "t: parameter 1 'x' (TENSOR(float, 1)): the buffer is read-only, the parameter does not "
          "point to const");
    snprintf(
        text, sizeof text,
        "k: parameter 1 'x' (float4 *): the memory at %p is not aligned; need a multiple of 16",
        (void *)(memory + 1));
    FAILS(LAUNCH(s, k, 1, 1, odd), LW_E_ARG, text);
    WORKS(lw_stream_wait(s));
    lw_stream_destroy(s);
    lw_buffer_destroy(fixed);
    lw_buffer_destroy(odd);
    lw_program_destroy(p);
}

/* The last use ends long after the buffer is destroyed. */
static void release_after_launch(void)
{
    lw_stream *s = new_stream();
    lw_buffer *b = wrap(device, 8, false);

    atomic_store(&released, 0);
    gate_set(false);
    WORKS(LW_LAUNCH(s, touch, 1, 1, HOLD, b));
    WORKS(LW_LAUNCH(s, touch, 1, 1, RUN, b));
    gate_wait_held(1);
    lw_buffer_destroy(b);
    CHECK(released == 0);
    gate_set(true);
    WORKS(lw_stream_wait(s));
    CHECK(released == 1);
    lw_stream_destroy(s);
    CHECK(released == 1);
}

int main(void)
{
    lw_device *devices[] = {open_device("null"), open_device("ref")};

    for (int i = 0; i < 2; i++) {
        contents(devices[i]);
        read_only(devices[i]);
        refusals(devices[i]);
        if (!i)
            parameters(devices[i]);
        lw_device_close(devices[i]);
    }
    gate_set_up();
    release_after_launch();
    gate_tear_down();
    return failures != 0;
}
