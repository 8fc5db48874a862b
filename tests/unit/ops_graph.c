/* Graphs: each rule of recording, compiling and running, on a device that the argument names. */
#include "ops_test.h"
#include <pthread.h>
#include <unistd.h>

static struct opened d;
static lw_program *program;
static lw_kernel *add, *scale, *fail, *bump;

static const char kernels[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void add(int n, float *out, const float *a, const float *b)\n"
    "{ int i = (int)global_idx.x; if (i < n) out[i] = a[i] + b[i]; }\n"
    "KERNEL void scale(int n, float *out, const float *a, float k)\n"
    "{ int i = (int)global_idx.x; if (i < n) out[i] = a[i] * k; }\n"
    "KERNEL void bump(int n, float *x)\n"
    "{ int i = (int)global_idx.x; if (i < n) x[i] += 1.0f; }\n"
    "KERNEL void fail(int n, const float *a)\n"
    "{ if (global_idx.x == 0) { printf(\"n %d\\n\", n); assert(a[0] < 5.0f); } }\n";

enum { N = 64 };
static const ptrdiff_t n1[] = {N};

static void check_refused(lw_status got, lw_status status, const char *part, int line)
{
    if (got == status && strstr(lw_last_error(), part))
        return;
    failures++;
    printf("%s:%d: status %d, need %d; \"%s\" should have \"%s\"\n", __FILE__, line, got, status,
           lw_last_error(), part);
}
#define REFUSED(call, status, part) check_refused((call), (status), (part), __LINE__)

static lw_tensor tensor(lw_buffer *b)
{
    return (lw_tensor){.buffer = b, .rank = 1, .extent = {(ptrdiff_t)lw_buffer_count(b)}};
}

static lw_tensor filled(float value)
{
    lw_buffer *b = NULL;

    WORKS(lw_buffer_create(d.device, LW_F32, N, &b));
    WORKS(lw_buffer_fill(b, &value));
    return tensor(b);
}

static float first(lw_tensor t)
{
    float value = -1;

    WORKS(lw_buffer_read(t.buffer, t.offset, 1, &value));
    return value;
}

struct recorded {
    lw_graph *graph;
    lw_stream *stream;
    lw_tensor in, mid, out;
};

static struct recorded begin(void)
{
    struct recorded r = {0};

    WORKS(lw_graph_create(d.device, &r.graph));
    r.stream = lw_graph_stream(r.graph);
    WORKS(lw_graph_input(r.graph, "in", LW_F32, 1, n1, &r.in));
    WORKS(lw_graph_temporary(r.graph, LW_F32, 1, n1, &r.mid));
    WORKS(lw_graph_temporary(r.graph, LW_F32, 1, n1, &r.out));
    return r;
}

static lw_executable *compiled(lw_graph *graph)
{
    lw_executable *x = NULL;

    WORKS(lw_graph_compile(graph, &x));
    return x;
}

/* out = 2 in + in, by two launches; the executable outlives the graph. */
static lw_executable *triple(void)
{
    struct recorded r = begin();

    WORKS(LW_LAUNCH(r.stream, scale, 1, N, N, r.mid, r.in, 2.0));
    WORKS(LW_LAUNCH(r.stream, add, 1, N, N, r.out, r.mid, r.in));
    WORKS(lw_graph_output(r.graph, "out", r.out));
    lw_executable *x = compiled(r.graph);
    lw_graph_destroy(r.graph);
    return x;
}

static void runs(void)
{
    lw_executable *x = triple();
    lw_tensor t[2] = {filled(5), filled(0)}, swapped[2] = {t[1], t[0]};

    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    WORKS(lw_stream_wait(d.stream));
    CHECK(first(t[1]) == 15);
    WORKS(lw_buffer_fill(t[0].buffer, &(float){1}));
    WORKS(lw_executable_run(x, d.stream, (const char *const[]){"out", "in"}, swapped, 2));
    CHECK(first(t[1]) == 3); /* reading waits for the run */
    lw_executable_info info;
    WORKS(lw_executable_get_info(x, &info));
    CHECK(info.launches == 2 && info.temporaries == 1 && info.bytes_planned == 4 * N);
    CHECK(info.placements[0].first_launch == 0 && info.placements[0].last_launch == 1);
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    lw_buffer_destroy(t[0].buffer);
    lw_buffer_destroy(t[1].buffer);
}

/* Nothing is recorded by what is refused, and the graph stays usable. */
static void calls_that_cannot_be_recorded(void)
{
    struct recorded r = begin();
    lw_event *event = NULL;
    float value[N] = {0};

    WORKS(lw_event_create(d.device, &event));
    REFUSED(lw_stream_wait(r.stream), LW_E_ARG, "lw_stream_wait:");
    REFUSED(lw_stream_wait_for(r.stream, 1), LW_E_ARG, "lw_stream_wait_for:");
    REFUSED(lw_event_record(event, r.stream), LW_E_ARG, "lw_event_record:");
    WORKS(lw_event_record(event, d.stream));
    REFUSED(lw_stream_wait_event(r.stream, event), LW_E_ARG, "lw_stream_wait_event:");
    REFUSED(lw_buffer_read(r.in.buffer, 0, 1, value), LW_E_ARG, "lw_buffer_read:");
    REFUSED(lw_buffer_write(r.in.buffer, 0, 1, value), LW_E_ARG, "lw_buffer_write:");
    REFUSED(lw_buffer_copy(r.in.buffer, 0, r.in.buffer, 1, 1), LW_E_ARG, "lw_buffer_copy:");
    REFUSED(lw_buffer_fill(r.in.buffer, value), LW_E_ARG, "lw_buffer_fill:");
    void *memory;
    REFUSED(lw_buffer_map(r.in.buffer, &memory), LW_E_ARG, "lw_buffer_map:");
    REFUSED(lw_buffer_discard(r.in.buffer), LW_E_ARG, "lw_buffer_discard:");
    lw_stream_cancel(r.stream);
    lw_stream_on_output(r.stream, NULL, NULL);
    REFUSED(LW_LAUNCH(r.stream, scale, 1, N, N, r.mid, r.in), LW_E_ARG, "scale takes 4");
    REFUSED(LW_LAUNCH(d.stream, scale, 1, N, N, r.mid, r.in, 2.0), LW_E_ARG, "graph's");
    REFUSED(lw_stream_wait(d.stream), LW_E_ARG, "graph's"); /* the note of that launch */
    WORKS(LW_LAUNCH(r.stream, scale, 1, N, N, r.mid, r.in, 2.0));
    lw_executable *x = compiled(r.graph);
    lw_executable_info info;
    WORKS(lw_executable_get_info(x, &info));
    CHECK(info.launches == 1);
    REFUSED(lw_executable_run(x, r.stream, NULL, &r.in, 1), LW_E_ARG, "lw_executable_run:");
    lw_executable_destroy(x);
    lw_event_destroy(event);
    lw_graph_destroy(r.graph);
}

static void reads_before_writes(void)
{
    struct recorded r = begin();
    lw_executable *x = NULL;

    WORKS(LW_LAUNCH(r.stream, add, 1, N, N, r.out, r.in, r.mid));
    REFUSED(lw_graph_compile(r.graph, &x), LW_E_ARG, "parameter 4 'b' (const float *) reads");
    CHECK(!x);
    lw_graph_destroy(r.graph);
    r = begin();
    WORKS(lw_softmax(r.stream, r.out, r.mid, NULL));
    REFUSED(lw_graph_compile(r.graph, &x), LW_E_ARG, "that nothing has written");
    lw_graph_destroy(r.graph);
    r = begin();
    WORKS(LW_LAUNCH(r.stream, bump, 1, N, N, r.mid)); /* not const: it counts as written */
    WORKS(LW_LAUNCH(r.stream, add, 1, N, N, r.out, r.in, r.mid));
    lw_executable_destroy(compiled(r.graph));
    lw_graph_destroy(r.graph);
}

/* Of another graph; not a temporary; a part of one; names that are taken. */
static void wrong_tensors(void)
{
    struct recorded r = begin(), other = begin();
    lw_tensor part = r.mid;

    REFUSED(LW_LAUNCH(r.stream, scale, 1, N, N, r.mid, other.in, 2.0), LW_E_ARG, "graph's");
    REFUSED(lw_graph_output(r.graph, "out", other.out), LW_E_ARG, "no tensor of this graph");
    REFUSED(lw_graph_output(r.graph, "out", r.in), LW_E_ARG, "an input, which a run changes");
    part.extent[0] = N / 2;
    REFUSED(lw_graph_output(r.graph, "out", part), LW_E_SHAPE, "part");
    REFUSED(lw_graph_input(r.graph, NULL, LW_F32, 1, n1, &part), LW_E_ARG, "NULL");
    REFUSED(lw_graph_input(r.graph, "in", LW_F32, 1, n1, &part), LW_E_ARG, "input 'in' already");
    REFUSED(lw_graph_temporary(r.graph, LW_F32, 1, (ptrdiff_t[]){-1}, &part), LW_E_SHAPE, "-1");
    WORKS(lw_graph_output(r.graph, "out", r.out));
    REFUSED(lw_graph_output(r.graph, "out", r.mid), LW_E_ARG, "output 'out' already");
    REFUSED(lw_graph_output(r.graph, "more", r.out), LW_E_ARG, "an output already");
    lw_graph_destroy(r.graph);
    lw_graph_destroy(other.graph);
}

static void wrong_bindings(void)
{
    lw_executable *x = triple();
    lw_tensor in = filled(5), out = filled(0), shorter = out;
    lw_buffer *ints = NULL;
    void *memory;

    shorter.extent[0] = N - 1;
    WORKS(lw_buffer_create(d.device, LW_I32, N, &ints));
#define RUN(names, ...) lw_executable_run(x, d.stream, names, (lw_tensor[]){__VA_ARGS__}, 2)
    REFUSED(lw_executable_run(x, d.stream, NULL, &in, 1), LW_E_ARG, "1 tensors for 1 inputs");
    REFUSED(RUN(((const char *const[]){"in", "no"}), in, out), LW_E_ARG, "'no'");
    REFUSED(RUN(((const char *const[]){"in", "in"}), in, out), LW_E_ARG, "twice");
    REFUSED(RUN(NULL, in, shorter), LW_E_SHAPE, "out has shape (63,); need (64,)");
    REFUSED(RUN(NULL, tensor(ints), out), LW_E_DTYPE, "'in' is of i32; need f32");
    REFUSED(RUN(NULL, in, in), LW_E_ARG, "overlaps");
    WORKS(lw_buffer_map(in.buffer, &memory));
    REFUSED(RUN(NULL, in, out), LW_E_ARG, "mapped");
    WORKS(lw_buffer_unmap(in.buffer));
    WORKS(RUN(NULL, in, out));
    CHECK(first(out) == 15);
#undef RUN
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    lw_buffer_destroy(in.buffer);
    lw_buffer_destroy(out.buffer);
    lw_buffer_destroy(ints);
}

/* Scalars are copied; an ordinary buffer is held, read at each run, and refused while mapped. */
static void ordinary_buffers(void)
{
    struct recorded r = begin();
    lw_tensor bias = filled(1), t[2] = {filled(5), filled(0)};

    WORKS(lw_graph_output(r.graph, "out", r.out));
    void *memory;
    WORKS(lw_buffer_map(bias.buffer, &memory));
    REFUSED(LW_LAUNCH(r.stream, add, 1, N, N, r.out, r.in, bias), LW_E_ARG, "mapped");
    WORKS(lw_buffer_unmap(bias.buffer));
    WORKS(LW_LAUNCH(r.stream, add, 1, N, N, r.out, r.in, bias));
    lw_executable *x = compiled(r.graph);
    WORKS(lw_buffer_map(bias.buffer, &memory));
    REFUSED(lw_executable_run(x, d.stream, NULL, t, 2), LW_E_ARG, "mapped");
    WORKS(lw_buffer_unmap(bias.buffer));
    WORKS(lw_buffer_fill(bias.buffer, &(float){2}));
    lw_buffer_destroy(bias.buffer);
    lw_graph_destroy(r.graph);
    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    CHECK(first(t[1]) == 7);
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    lw_buffer_destroy(t[0].buffer);
    lw_buffer_destroy(t[1].buffer);
}

/* Strided tensors go through the executable's memory; what lies between their elements stays. */
static void strided(void)
{
    lw_executable *x = triple();
    lw_buffer *wide = NULL;
    lw_tensor t[2] = {filled(5)};
    float values[2 * N + 1] = {0};
    bool right = true;

    WORKS(lw_buffer_create(d.device, LW_F32, 2 * N + 1, &wide));
    WORKS(lw_buffer_fill(wide, &(float){9}));
    t[1] = (lw_tensor){wide, .offset = 1, .rank = 1, .extent = {N}, .stride = {2}};
    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    WORKS(lw_buffer_read(wide, 0, 2 * N + 1, values));
    for (int i = 0; i <= 2 * N; i++)
        right = right && values[i] == (i % 2 ? 15 : 9);
    CHECK(right);
    t[1] = (lw_tensor){wide, .offset = 3, .rank = 1, .extent = {N}};
    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    WORKS(lw_buffer_read(wide, 0, 2 * N + 1, values));
    CHECK(values[2] == 9 && values[3] == 15 && values[N + 2] == 15 && values[N + 4] == 9);
    lw_executable_destroy(x);
    WORKS(lw_stream_wait(d.stream));
    lw_buffer_destroy(wide);
    lw_buffer_destroy(t[0].buffer);
}

static void count_output(const lw_output *output, void *user)
{
    (void)output;
    ++*(int *)user;
}

/* What a run prints, and its failure, are its stream's; the next run, elsewhere, goes well. */
static void failures_of_runs(void)
{
    struct recorded r = begin();
    lw_tensor t[2] = {filled(5), filled(0)};
    lw_stream *bad = NULL;
    int lines = 0;

    WORKS(lw_stream_create(d.device, &bad));
    lw_stream_on_output(bad, count_output, &lines);
    WORKS(lw_graph_output(r.graph, "out", r.out));
    WORKS(LW_LAUNCH(r.stream, fail, 1, 1, N, r.in));
    WORKS(LW_LAUNCH(r.stream, scale, 1, N, N, r.out, r.in, 2.0));
    lw_executable *x = compiled(r.graph);
    lw_graph_destroy(r.graph);
    (void)!lw_executable_run(x, bad, NULL, t, 2); /* it may tell of the failure already */
    CHECK(lw_stream_wait(bad) != LW_OK && lines == 1);
    WORKS(lw_buffer_fill(t[0].buffer, &(float){1}));
    WORKS(lw_executable_run(x, d.stream, NULL, t, 2));
    WORKS(lw_stream_wait(d.stream));
    CHECK(first(t[1]) == 2);
    lw_executable_destroy(x);
    lw_stream_destroy(bad);
    lw_buffer_destroy(t[0].buffer);
    lw_buffer_destroy(t[1].buffer);
}

/* How often the file has the text. */
static int count_in(const char *path, const char *text)
{
    static char all[1 << 16];
    FILE *f = fopen(path, "r");
    int count = 0;

    CHECK(f);
    if (!f)
        return 0;
    all[fread(all, 1, sizeof all - 1, f)] = 0;
    fclose(f);
    for (const char *at = all; (at = strstr(at, text)); at++)
        count++;
    return count;
}

/* Four temporaries in two places: two colours, each twice. */
static void drawings(lw_graph *g)
{
    char path[] = "/tmp/lanewise-graph-XXXXXX";
    const int file = mkstemp(path);

    CHECK(file >= 0);
    WORKS(lw_graph_draw(g, "dot", path));
    CHECK(count_in(path, "shape=box") == 4 && count_in(path, "f32 (64,)") == 5);
    CHECK(count_in(path, "#bfdbf7") == 2 && count_in(path, "#c9e8c3") == 2);
    WORKS(lw_graph_draw(g, "svg", path));
    CHECK(count_in(path, "scale 1x1x1 of 64x1x1") == 4 && count_in(path, "in f32 (64,)") == 1);
    REFUSED(lw_graph_draw(g, "png", path), LW_E_ARG, "'png'; need dot or svg");
    REFUSED(lw_graph_draw(g, "dot", "/no/such/folder/x"), LW_E_IO, "/no/such/folder/x");
    close(file);
    unlink(path);
}

/* Temporaries that are not alive together share memory. */
static void sharing(void)
{
    lw_graph *g = NULL;
    lw_tensor in, t[4];

    WORKS(lw_graph_create(d.device, &g));
    WORKS(lw_graph_input(g, "in", LW_F32, 1, n1, &in));
    for (int k = 0; k < 4; k++) {
        WORKS(lw_graph_temporary(g, LW_F32, 1, n1, &t[k]));
        WORKS(LW_LAUNCH(lw_graph_stream(g), scale, 1, N, N, t[k], k ? t[k - 1] : in, 2.0));
    }
    lw_executable *x = compiled(g);
    lw_executable_info info;
    WORKS(lw_executable_get_info(x, &info));
    drawings(g);
    CHECK(info.temporaries == 4 && info.bytes_unshared == 16 * N && info.bytes_planned == 8 * N);
    lw_executable_destroy(x);
    lw_graph_destroy(g);
}

enum { THREADS = 8, RUNS = 50 };

struct runner {
    lw_executable *x;
    int number;
    bool right;
};

/* A stream and tensors of its own: each run leaves three times its own number. */
static void *run_often(void *runner)
{
    struct runner *r = runner;
    lw_tensor t[2] = {filled((float)r->number), filled(0)};
    lw_stream *s = NULL;

    r->right = lw_stream_create(d.device, &s) == LW_OK;
    for (int k = 0; k < RUNS && r->right; k++)
        r->right = lw_executable_run(r->x, s, NULL, t, 2) == LW_OK && lw_stream_wait(s) == LW_OK &&
                   first(t[1]) == 3 * (float)r->number;
    lw_stream_destroy(s);
    lw_buffer_destroy(t[0].buffer);
    lw_buffer_destroy(t[1].buffer);
    return NULL;
}

/* Runs of one executable from many threads follow one another. */
static void threads(void)
{
    struct runner runners[THREADS];
    pthread_t ids[THREADS];
    lw_executable *x = triple();

    for (int k = 0; k < THREADS; k++) {
        runners[k] = (struct runner){.x = x, .number = k + 1};
        CHECK(!pthread_create(&ids[k], NULL, run_often, &runners[k]));
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(ids[k], NULL);
        CHECK(runners[k].right);
    }
    lw_executable_destroy(x);
}

/* ---- random graphs against the same calls one by one ---- */

enum { SIDE = 16, INPUTS = 3, TENSORS = 9, STEPS = 12 };
static const ptrdiff_t square[] = {SIDE, SIDE};

static uint64_t seed = 1;

static int draw(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

struct step {
    int what, out, a, b;
};

static lw_status take_step(lw_stream *s, const lw_tensor *t, const struct step *p)
{
    lw_tensor turned;

    switch (p->what) {
    case 0: return lw_softmax(s, t[p->out], t[p->a], NULL);
    case 1: return lw_matmul(s, t[p->out], t[p->a], t[p->b], NULL);
    case 2: return lw_permute(s, t[p->out], t[p->a], NULL);
    case 3: return lw_map(s, t[p->out], "a * 0.5 + b", (lw_tensor[]){t[p->a], t[p->b]}, 2);
    case 4: return lw_scan(s, t[p->out], t[p->a], NULL);
    case 5:
        WORKS(lw_tensor_permute(t[p->a], NULL, &turned));
        return lw_softmax(s, t[p->out], turned, NULL);
    case 6: return LW_LAUNCH(s, add, 4, 64, SIDE * SIDE, t[p->out], t[p->a], t[p->b]);
    default: return LW_LAUNCH(s, scale, 4, 64, SIDE * SIDE, t[p->out], t[p->a], 0.25 * p->b);
    }
}

/* Each reads what has been written, and writes something else. */
static void draw_steps(struct step *steps)
{
    bool written[TENSORS] = {true, true, true};

    for (int k = 0; k < STEPS; k++) {
        struct step *p = &steps[k];

        p->what = draw(8);
        p->out = k ? INPUTS + draw(TENSORS - INPUTS) : TENSORS - 1;
        do
            p->a = draw(TENSORS);
        while (!written[p->a] || p->a == p->out);
        do
            p->b = draw(TENSORS);
        while (!written[p->b] || p->b == p->out);
        written[p->out] = true;
    }
}

static lw_tensor random_square(void)
{
    float values[SIDE * SIDE];
    lw_buffer *b = NULL;

    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = (float)next_number(&seed);
    WORKS(lw_buffer_create(d.device, LW_F32, SIDE * SIDE, &b));
    WORKS(lw_buffer_write(b, 0, SIDE * SIDE, values));
    lw_tensor t;
    WORKS(lw_tensor_of(b, 2, square, &t));
    return t;
}

/* All temporaries are in the plan but the two that the last steps wrote. */
static lw_executable *record_steps(const struct step *steps, int *outputs, size_t *count)
{
    lw_tensor t[TENSORS];
    lw_graph *g = NULL;

    WORKS(lw_graph_create(d.device, &g));
    for (int k = 0; k < INPUTS; k++)
        WORKS(lw_graph_input(g, (const char *const[]){"a", "b", "c"}[k], LW_F32, 2, square, &t[k]));
    for (int k = INPUTS; k < TENSORS; k++)
        WORKS(lw_graph_temporary(g, LW_F32, 2, square, &t[k]));
    for (int k = 0; k < STEPS; k++)
        WORKS(take_step(lw_graph_stream(g), t, &steps[k]));
    outputs[0] = steps[STEPS - 1].out;
    outputs[1] = steps[STEPS - 2].out;
    *count = outputs[0] == outputs[1] ? 1 : 2;
    for (size_t k = 0; k < *count; k++)
        WORKS(lw_graph_output(g, k ? "y" : "z", t[outputs[k]]));
    lw_executable *x = compiled(g);
    lw_graph_destroy(g);
    return x;
}

static void compare(lw_tensor a, lw_tensor b, int graph)
{
    float x[SIDE * SIDE] = {0}, y[SIDE * SIDE] = {1};

    WORKS(lw_buffer_read(a.buffer, 0, SIDE * SIDE, x));
    WORKS(lw_buffer_read(b.buffer, 0, SIDE * SIDE, y));
    if (!memcmp(x, y, sizeof x))
        return;
    failures++;
    printf("graph %d: not the bits of the calls one by one\n", graph);
}

/* Some inputs are given transposed: of a buffer that has them transposed. */
static void random_graph(int graph)
{
    lw_tensor t[TENSORS], given[INPUTS + 2], made[2];
    struct step steps[STEPS];
    int outputs[2];

    draw_steps(steps);
    for (int k = 0; k < TENSORS; k++)
        t[k] = random_square();
    size_t count;
    lw_executable *x = record_steps(steps, outputs, &count);
    for (int k = 0; k < INPUTS; k++) {
        given[k] = random_square();
        WORKS(lw_permute(d.stream, given[k], t[k], NULL));
        WORKS(lw_tensor_permute(given[k], NULL, &given[k]));
    }
    for (size_t k = 0; k < count; k++)
        given[INPUTS + k] = made[k] = random_square();
    for (int k = 0; k < STEPS; k++)
        WORKS(take_step(d.stream, t, &steps[k]));
    for (int round = 0; round < 2; round++)
        WORKS(lw_executable_run(x, d.stream, NULL, given, INPUTS + count));
    WORKS(lw_stream_wait(d.stream));
    for (size_t k = 0; k < count; k++) {
        compare(made[k], t[outputs[k]], graph);
        lw_buffer_destroy(made[k].buffer);
    }
    for (int k = 0; k < TENSORS; k++)
        lw_buffer_destroy(t[k].buffer);
    for (int k = 0; k < INPUTS; k++)
        lw_buffer_destroy(given[k].buffer);
    lw_executable_destroy(x);
}

/* ops_graph DEVICE [GRAPHS] */
int main(int argc, char **argv)
{
    const struct setting setting = {.device = argc > 1 ? argv[1] : "cpu", .threads = "2"};
    const int graphs = argc > 2 ? atoi(argv[2]) : 100;
    const lw_build_options options = {.source = kernels};

    open_device(&setting, &d);
    WORKS(lw_program_build(d.device, "graph.c", &options, &program));
    WORKS(lw_program_kernel(program, "add", &add));
    WORKS(lw_program_kernel(program, "scale", &scale));
    WORKS(lw_program_kernel(program, "bump", &bump));
    WORKS(lw_program_kernel(program, "fail", &fail));
    if (!failures) {
        runs();
        calls_that_cannot_be_recorded();
        reads_before_writes();
        wrong_tensors();
        wrong_bindings();
        ordinary_buffers();
        strided();
        failures_of_runs();
        sharing();
        threads();
    }
    for (int k = 0; k < graphs && !failures; k++)
        random_graph(k);
    lw_program_destroy(program);
    close_device(&d);
    return failures != 0;
}
