/* Runs of graphs: what goes wrong in one is told to its stream alone, runs follow one another, and
 * launches run in an order that leaves what their recording does. The argument names the device. */
#include "ops_test.h"
#include <lanewise/record.h>
#include <pthread.h>
#include <time.h>

enum { N = 64, ROUNDS = 25, WIDE = 12 };

static struct opened d;
static const char *device_name;
static lw_program *program;
static lw_kernel *add, *scale, *bump, *demand, *beyond, *hold;

static const char kernels[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void add(float *out, const float *a, const float *b)\n"
    "{ out[global_idx.x] = a[global_idx.x] + b[global_idx.x]; }\n"
    "KERNEL void scale(float *out, const float *a, float k)\n"
    "{ out[global_idx.x] = a[global_idx.x] * k; }\n"
    "KERNEL void bump(float *x) { x[global_idx.x] += 1.0f; }\n"
    "KERNEL void demand(const float *a) { assert(a[global_idx.x] < 5.0f); }\n"
    "KERNEL void beyond(float *out, int at) { out[at] = 1.0f; }\n"
    "KERNEL void hold(const int *gate, float *out)\n"
    "{ while (!atomic_load(gate)) ; out[global_idx.x] = 1.0f; }\n";

static lw_tensor filled(float value)
{
    lw_buffer *b = NULL;

    WORKS(lw_buffer_create(d.device, LW_F32, N, &b));
    WORKS(lw_buffer_fill(b, &value));
    return (lw_tensor){.buffer = b, .rank = 1, .extent = {N}};
}

static bool is_all(lw_tensor t, float value)
{
    float values[N] = {0};
    bool right = true;

    WORKS(lw_buffer_read(t.buffer, 0, N, values));
    for (int i = 0; i < N; i++)
        right = right && values[i] == value;
    return right;
}

static lw_stream *stream(void)
{
    lw_stream *s = NULL;

    WORKS(lw_stream_create(d.device, &s));
    return s;
}

static lw_tensor input(lw_graph *g, const char *name)
{
    lw_tensor t = {0};

    WORKS(lw_graph_input(g, name, LW_F32, 1, (ptrdiff_t[]){N}, &t));
    return t;
}

static lw_tensor temporary(lw_graph *g)
{
    lw_tensor t = {0};

    WORKS(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &t));
    return t;
}

static lw_graph *begin(void)
{
    lw_graph *g = NULL;

    WORKS(lw_graph_create(d.device, &g));
    return g;
}

static lw_executable *end(lw_graph *g)
{
    lw_executable *x = NULL;

    WORKS(lw_graph_compile(g, &x));
    lw_graph_destroy(g);
    return x;
}

static void free_all(lw_tensor *t, int count)
{
    for (int k = 0; k < count; k++)
        lw_buffer_destroy(t[k].buffer);
}

/* ---- what goes wrong ---- */

/* in, out: the first of three launches asserts. */
static lw_executable *demanding(void)
{
    lw_graph *g = begin();
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in = input(g, "in"), mid = temporary(g), out = temporary(g);

    WORKS(LW_LAUNCH(s, demand, 1, N, in));
    WORKS(LW_LAUNCH(s, scale, 1, N, mid, in, 2.0));
    WORKS(LW_LAUNCH(s, scale, 1, N, out, mid, 2.0));
    WORKS(lw_graph_output(g, "out", out));
    return end(g);
}

/* Runs before the one that fails are good, and so are those on other streams. */
static void asserts(void)
{
    lw_executable *x = demanding();
    lw_tensor good[2] = {filled(1), filled(0)}, bad[2] = {filled(7), filled(0)};
    lw_stream *s = stream();
    lw_event *between = NULL;

    WORKS(lw_event_create(d.device, &between));
    WORKS(lw_executable_run(x, s, NULL, good, 2));
    WORKS(lw_event_record(between, s));
    (void)!lw_executable_run(x, s, NULL, bad, 2); /* it may tell of the failure already */
    (void)!lw_executable_run(x, s, NULL, good, 2);
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH && strstr(lw_last_error(), "a[global_idx.x] < 5.0f"));
    CHECK(strstr(lw_last_error(), "demand"));
    CHECK(lw_executable_run(x, s, NULL, good, 2) == LW_E_LAUNCH);
    WORKS(lw_event_wait(between));
    CHECK(is_all(good[1], 4));
    WORKS(lw_buffer_fill(good[1].buffer, &(float){0}));
    WORKS(lw_executable_run(x, d.stream, NULL, good, 2));
    WORKS(lw_stream_wait(d.stream));
    CHECK(is_all(good[1], 4));
    lw_event_destroy(between);
    lw_stream_destroy(s);
    lw_executable_destroy(x);
    free_all(good, 2);
    free_all(bad, 2);
}

/* `ref` sees it, and what was in front of it is there; a GPU is lost by it, and says that it was
 * one of the graph's kernels. */
static void faults(bool is_lost)
{
    lw_graph *g = begin();
    lw_stream *s = stream();
    lw_tensor in = input(g, "in"), out = temporary(g), t[2] = {filled(3), filled(0)};

    WORKS(LW_LAUNCH(lw_graph_stream(g), scale, 1, N, out, in, 2.0));
    WORKS(LW_LAUNCH(lw_graph_stream(g), beyond, 1, 1, out, is_lost ? 1 << 28 : N));
    WORKS(lw_graph_output(g, "out", out));
    lw_executable *x = end(g);
    (void)!lw_executable_run(x, s, NULL, t, 2);
    lw_status status = lw_stream_wait(s);
    CHECK(is_lost ? status != LW_OK : status == LW_E_LAUNCH);
    CHECK(strstr(lw_last_error(), "beyond"));
    CHECK(is_lost || is_all(t[1], 6));
    lw_executable_destroy(x);
    lw_stream_destroy(s);
    free_all(t, 2);
}

/* A run that is given up may still be running: the next one, elsewhere, waits until it is over. */
static void cancelled(void)
{
    lw_graph *g = begin();
    lw_stream *s = stream();
    lw_tensor in = input(g, "in"), mid = temporary(g), out = temporary(g);
    lw_tensor t[2] = {filled(1), filled(0)};
    lw_buffer *gate = NULL;

    WORKS(lw_buffer_create(d.device, LW_I32, 1, &gate));
    WORKS(lw_buffer_fill(gate, &(int32_t){0}));
    WORKS(LW_LAUNCH(lw_graph_stream(g), hold, 1, N, gate, mid));
    WORKS(LW_LAUNCH(lw_graph_stream(g), add, 1, N, out, mid, in));
    WORKS(lw_graph_output(g, "out", out));
    lw_executable *x = end(g);
    WORKS(lw_executable_run(x, s, NULL, t, 2));
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    lw_stream_cancel(s);
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH);
    WORKS(lw_buffer_fill(gate, &(int32_t){1}));
    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    WORKS(lw_stream_wait(d.stream));
    CHECK(is_all(t[1], 2));
    lw_executable_destroy(x);
    lw_stream_destroy(s);
    lw_buffer_destroy(gate);
    free_all(t, 2);
}

/* ---- order ---- */

/* Many that are independent, then their sum; the inputs change from run to run. */
static void wide(void)
{
    lw_graph *g = begin();
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in = input(g, "in"), part[WIDE], sum = temporary(g), t[2] = {filled(0), filled(0)};

    for (int k = 0; k < WIDE; k++) {
        part[k] = temporary(g);
        WORKS(LW_LAUNCH(s, scale, 1, N, part[k], in, (double)(k + 1)));
    }
    WORKS(LW_LAUNCH(s, scale, 1, N, sum, in, 0.0));
    for (int k = 0; k < WIDE; k++)
        WORKS(LW_LAUNCH(s, add, 1, N, sum, sum, part[k]));
    WORKS(lw_graph_output(g, "out", sum));
    lw_executable *x = end(g);
    for (int round = 0; round < ROUNDS; round++) {
        WORKS(lw_buffer_fill(t[0].buffer, &(float){(float)round}));
        WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
        CHECK(is_all(t[1], (float)(round * WIDE * (WIDE + 1) / 2)));
    }
    lw_executable_destroy(x);
    free_all(t, 2);
}

/* An output may be bound to an ordinary buffer of the graph, and that be written by it. */
static void ordinary_as_output(void)
{
    lw_graph *g = begin();
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in = input(g, "in"), one = temporary(g), two = temporary(g), three = temporary(g);
    lw_tensor mid = temporary(g);
    lw_tensor state = filled(0), t[4] = {filled(5), state, filled(0), filled(0)};

    WORKS(LW_LAUNCH(s, scale, 1, N, one, in, 2.0));      /* one, the state: 10 */
    WORKS(LW_LAUNCH(s, scale, 1, N, two, state, 3.0));   /* 30 */
    WORKS(LW_LAUNCH(s, bump, 1, N, state));              /* 11 */
    WORKS(LW_LAUNCH(s, add, 1, N, three, one, two));     /* 41 */
    WORKS(LW_LAUNCH(s, scale, 1, N, one, in, 4.0));      /* 20 */
    WORKS(LW_LAUNCH(s, add, 1, N, three, three, state)); /* 61 */
    WORKS(LW_LAUNCH(s, scale, 1, N, mid, state, 1.0));   /* 20 */
    WORKS(LW_LAUNCH(s, scale, 1, N, one, in, 5.0));      /* 25 */
    WORKS(LW_LAUNCH(s, add, 1, N, two, two, mid));       /* 50 */
    WORKS(lw_graph_output(g, "one", one));
    WORKS(lw_graph_output(g, "two", two));
    WORKS(lw_graph_output(g, "three", three));
    lw_executable *x = end(g);
    for (int round = 0; round < ROUNDS; round++) {
        WORKS(lw_executable_run(x, d.stream, NULL, t, 4));
        CHECK(is_all(t[1], 25) && is_all(t[2], 50) && is_all(t[3], 61));
    }
    lw_executable_destroy(x);
    free_all(t, 4);
}

/* An input that is an ordinary buffer the graph writes: what it reads comes after, or before. */
static void ordinary_as_input(void)
{
    lw_graph *g = begin();
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in = input(g, "in"), mid = temporary(g), before = temporary(g), after = temporary(g);
    lw_tensor state = filled(0), t[3] = {state, filled(0), filled(0)};

    WORKS(LW_LAUNCH(s, scale, 1, N, mid, in, 1.0));
    WORKS(LW_LAUNCH(s, bump, 1, N, state));
    WORKS(LW_LAUNCH(s, scale, 1, N, before, mid, 1.0));
    WORKS(LW_LAUNCH(s, scale, 1, N, after, in, 1.0));
    WORKS(lw_graph_output(g, "before", before));
    WORKS(lw_graph_output(g, "after", after));
    lw_executable *x = end(g);
    for (int round = 0; round < ROUNDS; round++) {
        WORKS(lw_executable_run(x, d.stream, NULL, t, 3));
        CHECK(is_all(t[1], (float)round) && is_all(t[2], (float)(round + 1)));
    }
    lw_executable_destroy(x);
    free_all(t, 3);
}

/* Two parts of one buffer are one memory to the graph's launches, as they are to a stream's. */
static void parts(void)
{
    lw_tensor whole = filled(0), a = whole, b = whole, t[2] = {filled(5), filled(0)};
    lw_graph *g = begin();
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in = input(g, "in"), out = temporary(g);

    WORKS(lw_buffer_create_part(whole.buffer, 0, LW_F32, N, &a.buffer));
    WORKS(lw_buffer_create_part(whole.buffer, 0, LW_F32, N, &b.buffer));
    WORKS(LW_LAUNCH(s, scale, 1, N, a, in, 2.0));
    WORKS(LW_LAUNCH(s, scale, 1, N, out, b, 3.0));
    WORKS(lw_graph_output(g, "out", out));
    lw_executable *x = end(g);
    free_all(&a, 1);
    free_all(&b, 1);
    for (int round = 0; round < ROUNDS; round++) {
        WORKS(lw_buffer_fill(t[0].buffer, &(float){(float)round}));
        WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
        CHECK(is_all(t[1], 6 * (float)round));
    }
    lw_executable_destroy(x);
    free_all(t, 2);
    free_all(&whole, 1);
}

/* An output may have the name of an input, which then comes first. */
static void one_name(void)
{
    lw_graph *g = begin();
    lw_tensor in = input(g, "x"), out = temporary(g), t[2] = {filled(5), filled(0)};

    WORKS(LW_LAUNCH(lw_graph_stream(g), scale, 1, N, out, in, 2.0));
    WORKS(lw_graph_output(g, "x", out));
    lw_executable *x = end(g);
    WORKS(lw_executable_run(x, d.stream, (const char *const[]){"x", "x"}, t, 2));
    CHECK(is_all(t[0], 5) && is_all(t[1], 10));
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    free_all(t, 2);
}

enum { ROWS = 4, COLUMNS = 16, HALF = COLUMNS / 2 };

static lw_tensor sliced(lw_tensor t, int axis, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t step)
{
    lw_tensor part = {0};

    WORKS(lw_tensor_slice(t, axis, begin, end, step, &part));
    return part;
}

/* The left half of 2 in, then all of 3 in in the reverse order, its rows summed into a column. */
static void steps(lw_stream *s, lw_tensor in, lw_tensor kept, lw_tensor out)
{
    lw_tensor halves = {0};

    WORKS(LW_LAUNCH(s, scale, 1, N, kept, in, 2.0));
    WORKS(lw_copy(s, sliced(out, 1, 0, HALF, 1), sliced(kept, 1, 0, HALF, 1)));
    WORKS(LW_LAUNCH(s, scale, 1, N, kept, in, 3.0));
    WORKS(lw_copy(s, sliced(out, 1, HALF, COLUMNS, 1), sliced(kept, 1, COLUMNS, HALF - 1, -1)));
    WORKS(lw_tensor_reshape(sliced(kept, 0, 1, 2, 1), 2, (ptrdiff_t[]){2, HALF}, &halves));
    WORKS(lw_sum(s, sliced(sliced(out, 1, 0, 1, 1), 0, 0, 2, 1), halves,
                 &(lw_reduce_options){.axis = -1, .keepdims = true}));
    WORKS(LW_LAUNCH(s, bump, 1, COLUMNS, sliced(out, 0, 2, 3, 1)));
}

/* Slices of temporaries are read and written, as those of ordinary tensors; nothing is copied. */
static void views(void)
{
    static const ptrdiff_t shape[] = {ROWS, COLUMNS};
    lw_tensor t[4] = {filled(0), filled(0), filled(0), filled(0)}, in = {0}, kept = {0}, out = {0};
    float values[N], expected[N] = {0}, got[N] = {1};
    lw_graph *g = begin();

    for (int k = 0; k < N; k++)
        values[k] = (float)(k * k % 37);
    WORKS(lw_buffer_write(t[0].buffer, 0, N, values));
    for (int k = 0; k < 4; k++)
        WORKS(lw_tensor_of(t[k].buffer, 2, shape, &t[k]));
    steps(d.stream, t[0], t[1], t[2]);
    WORKS(lw_graph_input(g, "in", LW_F32, 2, shape, &in));
    WORKS(lw_graph_temporary(g, LW_F32, 2, shape, &kept));
    WORKS(lw_graph_temporary(g, LW_F32, 2, shape, &out));
    steps(lw_graph_stream(g), in, kept, out);
    WORKS(lw_graph_output(g, "out", out));
    lw_executable *x = end(g);
    lw_executable_info info;
    WORKS(lw_executable_get_info(x, &info));
    CHECK(info.launches == 6 && info.temporaries == 1 && info.bytes_planned == sizeof values);
    WORKS(lw_executable_run(x, d.stream, NULL, (lw_tensor[]){t[0], t[3]}, 2));
    WORKS(lw_buffer_read(t[2].buffer, 0, N, expected));
    WORKS(lw_buffer_read(t[3].buffer, 0, N, got));
    CHECK(!memcmp(expected, got, sizeof got));
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    free_all(t, 4);
}

/* ---- life ---- */

/* All is let go while runs are under way; each run has buffers of its own. */
static void let_go_early(void)
{
    lw_tensor t[ROUNDS][2];
    lw_stream *s = stream();
    lw_executable *x = demanding();

    for (int k = 0; k < ROUNDS; k++) {
        t[k][0] = filled((float)k / ROUNDS);
        t[k][1] = filled(0);
        WORKS(lw_executable_run(x, s, NULL, t[k], 2));
        lw_buffer_destroy(t[k][0].buffer);
    }
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(s));
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(is_all(t[k][1], 4 * ((float)k / ROUNDS)));
        lw_buffer_destroy(t[k][1].buffer);
    }
    lw_stream_destroy(s);
}

/* A graph without launches has nothing to do. */
static void empty(void)
{
    lw_graph *g = begin();
    lw_tensor in = input(g, "in"), t = filled(1);
    lw_executable *x = end(g);

    (void)in;
    WORKS(lw_executable_run(x, d.stream, NULL, &t, 1));
    WORKS(lw_stream_wait(d.stream));
    CHECK(is_all(t, 1));
    lw_executable_destroy(x);
    free_all(&t, 1);
}

static void find(const char *name, lw_kernel **kernel)
{
    WORKS(lw_program_kernel(program, name, kernel));
}

int main(int argc, char **argv)
{
    const struct setting setting = {.device = argc > 1 ? argv[1] : "cpu", .threads = "2"};
    const lw_build_options options = {.source = kernels};

    device_name = setting.device;
    open_device(&setting, &d);
    WORKS(lw_program_build(d.device, "runs.c", &options, &program));
    if (!failures) {
        find("add", &add), find("scale", &scale), find("bump", &bump);
        find("demand", &demand), find("beyond", &beyond), find("hold", &hold);
        asserts();
        cancelled();
        wide();
        ordinary_as_output();
        ordinary_as_input();
        parts();
        one_name();
        views();
        let_go_early();
        empty();
        if (strcmp(device_name, "cpu"))
            faults(!strcmp(device_name, "cuda")); /* the last: a lost GPU does nothing more */
    }
    lw_program_destroy(program);
    close_device(&d);
    return failures != 0;
}
