/* devices.c - operations over several devices against the first of them alone: dot of 2^30
 * elements, softmax of long rows, attention with keys cut; gather of 2^28 against a copy. Times
 * alternate; the medians and their ratio are printed, and whether the bits are the same.
 *
 *     build/bench/dist-devices cuda:0 cuda:1
 *     build/bench/dist-devices -s 6 cpu cpu        every size divided by 2^6
 */
#include <lanewise/dist.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, REPEATS = 15, INPUTS = 3, SEED_ELEMENTS = 1 << 16 };

enum op { DOT, SOFTMAX, GATHER, ATTENTION, OPS };
static const char *const names[OPS] = {"dot", "softmax", "gather", "attention"};

/* Inputs and output of an operation, and which axis is cut, -1: none. */
struct shapes {
    int inputs, rank[INPUTS + 1];
    ptrdiff_t extent[INPUTS + 1][4]; /* the last is the output's */
    int axis[INPUTS + 1];
    size_t global;
};

struct rank {
    lw_device *device;
    lw_stream *stream;
    lw_comm *comm;
    lw_part part;
    lw_tensor t[INPUTS + 1];
    enum op op;
    bool right;
};

struct bench {
    struct rank ranks[MOST], whole;
    int count, shift;
    pthread_barrier_t begin, end;
    bool stop;
};

static void need(lw_status status)
{
    if (!status)
        return;
    fprintf(stderr, "dist-devices: %s\n", lw_last_error());
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- shapes and values ---- */

static struct shapes shapes_of(enum op op, int shift)
{
    const ptrdiff_t n = (ptrdiff_t)1 << (30 - shift), row = (ptrdiff_t)1 << (25 - shift),
                    keys = (ptrdiff_t)1 << (20 - shift);

    if (op == DOT)
        return (struct shapes){2, {1, 1, 0}, {{n}, {n}, {0}}, {0, 0, -1}, (size_t)n};
    if (op == SOFTMAX)
        return (struct shapes){1, {2, 2}, {{64, row}, {64, row}}, {1, 1}, (size_t)row};
    if (op == GATHER)
        return (struct shapes){1, {1, 1}, {{n / 4}, {n / 4}}, {0, -1}, (size_t)n / 4};
    return (struct shapes){
        3,
        {4, 4, 4, 4},
        {{1, 16, 1024, 64}, {1, 16, keys, 64}, {1, 16, keys, 64}, {1, 16, 1024, 64}},
        {-1, 2, 2, -1},
        (size_t)keys};
}

/* Any values: they repeat along the cut axis, and are the same for each index before it. So the
 * parts of up to 16 ranks, a power of two of them, have what the whole has there. */
static void fill(struct rank *r, lw_tensor t, int axis, size_t global, unsigned seed)
{
    float *values = malloc(SEED_ELEMENTS * sizeof *values);
    ptrdiff_t outer = 1, line = 1, whole = 1, one;

    for (int k = 0; k < t.rank; k++) {
        outer *= k < axis ? t.extent[k] : 1;
        line *= k < axis ? 1 : t.extent[k];
        whole *= k < axis ? 1 : k == axis ? (ptrdiff_t)global : t.extent[k];
    }
    one = whole / MOST < SEED_ELEMENTS ? whole / MOST : SEED_ELEMENTS;
    for (int i = 0; i < SEED_ELEMENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    lw_buffer *few;
    need(lw_buffer_create(r->device, LW_F32, SEED_ELEMENTS, &few));
    need(lw_buffer_write(few, 0, SEED_ELEMENTS, values));
    free(values);
    const ptrdiff_t shape[] = {outer, line / one, one};
    lw_tensor from;
    need(lw_tensor_of(few, 1, &one, &from));
    need(lw_tensor_broadcast(from, 3, shape, &from));
    lw_tensor to;
    need(lw_tensor_of(t.buffer, 3, shape, &to));
    need(lw_copy(r->stream, to, from));
    need(lw_stream_wait(r->stream));
    lw_buffer_destroy(few);
}

static void make_tensors(struct rank *r, enum op op, const struct shapes *s)
{
    for (int k = 0; k <= s->inputs; k++) {
        ptrdiff_t extent[4];
        size_t count = 1;

        memcpy(extent, s->extent[k], sizeof extent);
        if (s->axis[k] >= 0)
            extent[s->axis[k]] = (ptrdiff_t)r->part.count;
        for (int a = 0; a < s->rank[k]; a++)
            count *= (size_t)extent[a];
        lw_buffer *buffer;
        need(lw_buffer_create(r->device, LW_F32, count, &buffer));
        need(lw_tensor_of(buffer, s->rank[k], extent, &r->t[k]));
        if (k < s->inputs)
            fill(r, r->t[k], s->axis[k], s->global, (unsigned)k);
    }
    r->op = op;
}

static void drop_tensors(struct rank *r, const struct shapes *s)
{
    for (int k = 0; k <= s->inputs; k++)
        lw_buffer_destroy(r->t[k].buffer);
}

/* ---- runs ---- */

static void run(struct rank *r)
{
    lw_stream *s = r->stream;
    const lw_tensor *t = r->t;
    lw_comm *c = r->comm;

    if (r->op == DOT)
        need(c ? lw_dist_dot(c, s, t[2], t[0], t[1], r->part, NULL)
               : lw_dot(s, t[2], t[0], t[1], NULL));
    else if (r->op == SOFTMAX)
        need(c ? lw_dist_softmax(c, s, t[1], t[0], r->part, NULL)
               : lw_softmax(s, t[1], t[0], NULL));
    else if (r->op == GATHER)
        need(c ? lw_dist_gather(c, s, t[1], t[0], r->part) : lw_copy(s, t[1], t[0]));
    else
        need(c ? lw_dist_attention(c, s, t[3], t[0], t[1], t[2], r->part, NULL)
               : lw_attention(s, t[3], t[0], t[1], t[2], NULL));
    need(lw_stream_wait(s));
}

struct thread {
    struct bench *bench;
    int rank;
};

static void *drive(void *thread)
{
    const struct thread *t = thread;
    struct bench *b = t->bench;

    for (;;) {
        pthread_barrier_wait(&b->begin);
        if (b->stop)
            return NULL;
        run(&b->ranks[t->rank]);
        pthread_barrier_wait(&b->end);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Whether rank 0's output is where the whole one's begins. */
static bool is_same(const struct bench *b, int k)
{
    enum { COMPARED = 1 << 10 };
    const lw_tensor *a = &b->whole.t[k], *c = &b->ranks[0].t[k];
    float x[COMPARED], y[COMPARED];
    size_t count = lw_buffer_count(c->buffer);

    if (count > COMPARED)
        count = COMPARED;
    need(lw_buffer_read(a->buffer, 0, count, x));
    need(lw_buffer_read(c->buffer, 0, count, y));
    return !memcmp(x, y, count * sizeof *x);
}

static void measure(struct bench *b, enum op op)
{
    const struct shapes s = shapes_of(op, b->shift);
    double one[REPEATS], many[REPEATS];

    b->whole.part = (lw_part){s.global, 0, s.global};
    make_tensors(&b->whole, op, &s);
    for (int r = 0; r < b->count; r++) {
        const size_t first = s.global * (size_t)r / (size_t)b->count,
                     end = s.global * (size_t)(r + 1) / (size_t)b->count;

        b->ranks[r].part = (lw_part){s.global, first, end - first};
        make_tensors(&b->ranks[r], op, &s);
    }
    for (int i = -2; i < REPEATS; i++) { /* two to warm up */
        const double begin = now();

        run(&b->whole);
        const double middle = now();

        pthread_barrier_wait(&b->begin);
        pthread_barrier_wait(&b->end);
        if (i < 0)
            continue;
        one[i] = middle - begin;
        many[i] = now() - middle;
    }
    qsort(one, REPEATS, sizeof *one, by_value);
    qsort(many, REPEATS, sizeof *many, by_value);
    printf("%-10s one %9.3f ms  %d devices %9.3f ms  ratio %.3f  bits %s\n", names[op],
           one[REPEATS / 2] * 1e3, b->count, many[REPEATS / 2] * 1e3,
           one[REPEATS / 2] / many[REPEATS / 2], is_same(b, s.inputs) ? "same" : "DIFFER");
    drop_tensors(&b->whole, &s);
    for (int r = 0; r < b->count; r++)
        drop_tensors(&b->ranks[r], &s);
}

int main(int argc, char **argv)
{
    static struct bench b;
    struct thread threads[MOST];
    pthread_t ids[MOST];
    lw_device *devices[MOST];
    lw_comm *comms[MOST];
    int at = 1;

    if (argc > 2 && !strcmp(argv[1], "-s")) {
        b.shift = atoi(argv[2]);
        at = 3;
    }
    b.count = argc - at;
    if (b.count < 1 || b.count > MOST) {
        fprintf(stderr, "usage: dist-devices [-s SHIFT] DEVICE...\n");
        return 2;
    }
    for (int r = 0; r < b.count; r++)
        need(lw_device_open(argv[at + r], &devices[r]));
    need(lw_comm_devices(devices, b.count, comms));
    pthread_barrier_init(&b.begin, NULL, (unsigned)b.count + 1);
    pthread_barrier_init(&b.end, NULL, (unsigned)b.count + 1);
    for (int r = 0; r < b.count; r++) {
        b.ranks[r] = (struct rank){.device = devices[r], .comm = comms[r]};
        need(lw_stream_create(devices[r], &b.ranks[r].stream));
        threads[r] = (struct thread){&b, r};
        pthread_create(&ids[r], NULL, drive, &threads[r]);
    }
    b.whole = (struct rank){.device = devices[0]};
    need(lw_stream_create(devices[0], &b.whole.stream));
    for (int op = 0; op < OPS; op++)
        measure(&b, (enum op)op);
    b.stop = true;
    pthread_barrier_wait(&b.begin);
    for (int r = 0; r < b.count; r++)
        pthread_join(ids[r], NULL);
    return 0;
}
