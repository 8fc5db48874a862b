/* Calls with the same parameters, again and again: with other buffers, other shapes, views, in
 * place, wrong ones between, by several threads, and on a device that is opened anew. Each leaves
 * the bits, or the message, of a call that was never made before. And with the n-th allocation of
 * such calls failing, for n from 1 until none does: one of them may give LW_E_MEMORY. */
#include "alloc.h"
#include "ops_test.h"
#include <lanewise/op_info.h>
#include <pthread.h>

enum { N = 600, ROUNDS = 5, THREADS = 4, CALLS = 500, MOST = 1000 };

/* An operation of x, y and the like, all of n x n at most. */
struct operation {
    const char *name, *json;
    lw_word words[2];
    size_t word_count, inputs;
    int rank, out_rank;
    bool in_place;
};
static const struct operation operations[] = {
    {"sum", "{}", {{0}}, 0, 1, 2, 0, false},
    {"sum", "{\"axis\": 0}", {{"axis", "0", LW_WORD_PLAIN}}, 1, 1, 2, 1, false},
    {"dot", "{\"sum\": \"exact\"}", {{"sum", "exact", LW_WORD_STRING}}, 1, 2, 1, 0, false},
    {"map",
     "{\"expression\": \"a * b + i\"}",
     {{"expression", "a * b + i", LW_WORD_STRING}},
     1,
     2,
     2,
     2,
     true},
    {"softmax", "{}", {{0}}, 0, 1, 2, 2, true},
    {"matmul", "{}", {{0}}, 0, 2, 2, 2, false},
    {"scan", "{\"axis\": 0}", {{"axis", "0", LW_WORD_PLAIN}}, 1, 1, 2, 2, false},
    {"sort", "{}", {{0}}, 0, 1, 1, 1, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* What a call leaves. */
struct outcome {
    lw_status status;
    char text[400];
    float out[N];
};

static lw_tensor view(lw_buffer *b, int rank, ptrdiff_t n, size_t offset)
{
    lw_tensor t = plain(b, rank, n, n, 0, 0);

    t.offset = offset;
    return t;
}

static void finish(lw_stream *s, lw_buffer *out, lw_status status, struct outcome *o)
{
    memset(o, 0, sizeof *o);
    o->status = status ? status : lw_stream_wait(s);
    if (o->status)
        snprintf(o->text, sizeof o->text, "%s", lw_last_error());
    WORKS(lw_buffer_read(out, 0, N, o->out));
}

/* In what way the arguments of a call are others than those of the one before. */
enum how { APART, IN_PLACE, SHIFTED, READ_ONLY, TOO_SMALL, WAYS };

static _Thread_local long fails_at; /* of the allocations of the next calls; 0: none */

/* By parameters, or NULL: by a call of its own. */
static void call(lw_device *d, lw_stream *s, const struct operation *op, const lw_params *params,
                 ptrdiff_t n, enum how how, uint64_t seed, struct outcome *o)
{
    const size_t offset = how == SHIFTED ? 4 : 0;
    float values[3][N];
    lw_buffer *b[3];

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            values[k][i] = (float)next_number(&seed);
    for (int k = 0; k < 3; k++)
        b[k] = buffer_with(d, LW_F32, N, values[k]);
    const lw_tensor in[2] = {view(b[0], op->rank, n, offset), view(b[1], op->rank, n, offset)};
    lw_buffer *of_out = how == IN_PLACE ? b[0] : b[2], *wrapped = NULL;
    if (how == READ_ONLY || how == TOO_SMALL) {
        WORKS(lw_buffer_wrap(d, LW_F32, how == TOO_SMALL ? 0 : N, lw_buffer_address(b[2]),
                             how == READ_ONLY, NULL, NULL, &wrapped));
        of_out = wrapped;
    }
    const lw_tensor out = view(of_out, op->out_rank, n, offset);
    lw_op *found;
    WORKS(lw_op_find(op->name, &found));
    alloc_until_failure = fails_at;
    const lw_status status = params ? lw_params_run(params, s, &out, 1, in, op->inputs)
                                    : lw_op_run(found, s, op->json, &out, 1, in, op->inputs);
    fails_at = alloc_until_failure;
    alloc_until_failure = 0;
    finish(s, how == IN_PLACE ? b[0] : b[2], status, o);
    lw_buffer_destroy(wrapped);
    for (int k = 0; k < 3; k++)
        lw_buffer_destroy(b[k]);
}

static lw_params *params_of(const struct operation *op)
{
    lw_params *params;
    lw_op *found;

    WORKS(lw_op_find(op->name, &found));
    WORKS(lw_params_create(found, op->words, op->word_count, &params));
    return params;
}

static void compare(lw_device *d, lw_stream *s, const struct operation *op, const lw_params *params,
                    ptrdiff_t n, enum how how, uint64_t seed)
{
    struct outcome got, need;

    call(d, s, op, params, n, how, seed, &got);
    call(d, s, op, NULL, n, how, seed, &need);
    if (!memcmp(&got, &need, sizeof got))
        return;
    failures++;
    printf("%s %s, n %td, way %d: %d %s; need %d %s\n", op->name, op->json, n, how, got.status,
           got.text, need.status, need.text);
}

static void in_turns(const char *device)
{
    static const ptrdiff_t sizes[] = {3, 0, 17, 1, 24, 8};
    lw_params *params[OPERATIONS];

    for (size_t k = 0; k < OPERATIONS; k++)
        params[k] = params_of(&operations[k]);
    for (int opening = 0; opening < 2; opening++) {
        lw_device *d;
        WORKS(lw_device_open(device, &d));
        lw_stream *s;
        WORKS(lw_stream_create(d, &s));
        for (size_t k = 0; k < OPERATIONS; k++)
            for (uint64_t seed = 0; seed < 3 * ROUNDS; seed++)
                for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                    for (int how = 0; how < WAYS; how++)
                        compare(d, s, &operations[k], params[k], sizes[n], (enum how)how, seed);
        lw_stream_destroy(s);
        lw_device_close(d);
    }
    for (size_t k = 0; k < OPERATIONS; k++)
        lw_params_destroy(params[k]);
}

/* ---- by several threads ---- */

struct thread {
    lw_device *device;
    const struct operation *op;
    const lw_params *params;
    uint64_t seed;
    bool is_right;
};

static void *repeat(void *argument)
{
    struct thread *t = argument;
    struct outcome got, need;
    lw_stream *s;

    t->is_right = !lw_stream_create(t->device, &s);
    for (int k = 0; t->is_right && k < CALLS; k++) {
        const ptrdiff_t n = k % 3 ? 8 : 5;

        call(t->device, s, t->op, t->params, n, APART, t->seed + (uint64_t)k, &got);
        if (k % 50 == 0) {
            call(t->device, s, t->op, NULL, n, APART, t->seed + (uint64_t)k, &need);
            t->is_right = !memcmp(&got, &need, sizeof got);
        }
        t->is_right = t->is_right && !got.status;
    }
    lw_stream_destroy(s);
    return NULL;
}

static void side_by_side(const char *device)
{
    lw_device *d;

    WORKS(lw_device_open(device, &d));
    for (size_t k = 0; k < OPERATIONS; k += 3) { /* sum, map, scan */
        lw_params *params = params_of(&operations[k]);
        struct thread threads[THREADS];
        pthread_t ids[THREADS];

        for (int i = 0; i < THREADS; i++) {
            threads[i] = (struct thread){d, &operations[k], params, 1000 * (uint64_t)i, false};
            CHECK(!pthread_create(&ids[i], NULL, repeat, &threads[i]));
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(ids[i], NULL);
            CHECK(threads[i].is_right);
        }
        lw_params_destroy(params);
    }
    lw_device_close(d);
}

/* ---- short of memory ---- */

struct attempt {
    lw_device *device;
    const struct operation *op;
    long n;
    bool failed;
};

static void *fail_once(void *argument)
{
    struct attempt *a = argument;
    lw_params *params = params_of(a->op);
    struct outcome got, need;

    fails_at = a->n;
    alloc_failed = false;
    for (uint64_t seed = 0; seed < 4; seed++) {
        lw_stream *s;
        WORKS(lw_stream_create(a->device, &s));
        call(a->device, s, a->op, params, 8, APART, seed, &got);
        const long rest = fails_at;
        fails_at = 0;
        call(a->device, s, a->op, NULL, 8, APART, seed, &need);
        fails_at = rest;
        const bool is_short = alloc_failed && got.status == LW_E_MEMORY && *got.text;
        if (!is_short && memcmp(&got, &need, sizeof got)) {
            failures++;
            printf("%s %s, allocation %ld, call %d: %d %s\n", a->op->name, a->op->json, a->n,
                   (int)seed, got.status, got.text);
        }
        lw_stream_destroy(s);
    }
    a->failed = alloc_failed;
    fails_at = 0;
    lw_params_destroy(params);
    return NULL;
}

/* The blocks that an attempt leaves, in a thread of its own: what is kept for a thread goes too. */
static long left_by(struct attempt *a)
{
    const long before = atomic_load(&alloc_outstanding);
    pthread_t thread;

    CHECK(!pthread_create(&thread, NULL, fail_once, a) && !pthread_join(thread, NULL));
    return atomic_load(&alloc_outstanding) - before;
}

static void short_of_memory(const char *device)
{
    struct attempt a = {0};

    WORKS(lw_device_open(device, &a.device));
    for (size_t k = 0; k < OPERATIONS; k++) {
        a.op = &operations[k];
        a.n = 0;
        left_by(&a); /* makes what the process keeps */
        for (a.failed = true; a.failed && a.n < MOST;) {
            a.n++;
            long left = left_by(&a);
            for (int more = 0; left && more < 2; more++) /* a worker's first launch keeps memory */
                left = left_by(&a);
            if (left) {
                failures++;
                printf("%s, allocation %ld: %ld blocks are left\n", a.op->name, a.n, left);
            }
        }
        CHECK(a.n > 2 && a.n < MOST);
    }
    lw_device_close(a.device);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";

    in_turns(device);
    side_by_side(device);
    short_of_memory(device);
    printf("%d failures\n", failures);
    return failures != 0;
}
