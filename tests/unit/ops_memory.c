/* ops_memory - memory of the host and the operations. Arguments: the device, and
 *
 *     steady   a call like one before it makes no memory and gives none back, up to the end of the
 *              wait behind it; on `ref`, whose launches do, up to its return
 *     short    the n-th allocation of a first call fails, for n from 1 until none does: the answer
 *              is LW_E_MEMORY, or the result is there all the same; nothing is left, and the stream
 *              works unless it was a launch that failed. Of larger n a share is tried, another one
 *              for each operation; with a third argument, "all", every one
 */
#include "alloc.h"
#include "ops_calls.h"
#include <pthread.h>
#include <unistd.h>

enum { LONG = 5000, PAIRS = 20, MOST = 1000 };

/* What takes other launches, copies and scratch memory than the good call. */
enum kind { AS_IS, BY_NAME, STRIDED, OTHER_DTYPE, WHOLE, EXACT, IN_LEAVES, KINDS };
static const char *const kinds[] = {"as it is",      "by name", "strided",  "into another dtype",
                                    "over all axes", "exact",   "in leaves"};

struct memory {
    struct place p;
    lw_buffer *in[INPUTS], *out; /* for LONG elements in a row */
};

static const char *name_of_device;

static void open_memory(struct memory *m)
{
    open_place(name_of_device, &m->p);
    for (int k = 0; k < INPUTS; k++)
        WORKS(lw_buffer_create(m->p.device, LW_F32, 2 * LONG, &m->in[k]));
    WORKS(lw_buffer_create(m->p.device, LW_F32, 2 * LONG, &m->out));
}

static void close_memory(struct memory *m)
{
    for (int k = 0; k < INPUTS; k++)
        lw_buffer_destroy(m->in[k]);
    lw_buffer_destroy(m->out);
    close_place(&m->p);
}

/* ---- kinds of calls ---- */

static bool is_one_of(const struct operation *op, const char *names)
{
    char word[40];

    snprintf(word, sizeof word, " %s ", op->name);
    return strstr(names, word) != NULL;
}

static bool has_kind(const struct operation *op, enum kind kind)
{
    if (kind == OTHER_DTYPE)
        return !is_one_of(op, " argmax argmin argsort searchsorted histogram ");
    if (kind == WHOLE)
        return op->out.rank == 1 && !is_one_of(op, " compact argsort top_k histogram conv1d ");
    return kind != EXACT || is_one_of(op, " dot sum mean ");
}

/* The axes in memory the other way around, or with gaps. */
static void stride(lw_tensor *t)
{
    t->strided = true;
    t->stride[0] = t->rank == 1 ? 2 : 1;
    t->stride[1] = t->extent[0];
}

static void lengthen(lw_tensor *t, lw_buffer *b)
{
    if (b)
        t->buffer = b;
    for (int k = 0; k < t->rank; k++)
        t->extent[k] = t->extent[k] == 3 ? LONG : t->extent[k] == 6 ? 2 * LONG : t->extent[k];
}

static void make_call(const struct memory *m, const struct operation *op, enum kind kind,
                      struct call *c)
{
    good_call(&m->p, op, c);
    /* there is no long output of i64, and two extents of a convolution would grow */
    if (kind == IN_LEAVES && is_one_of(op, " argsort searchsorted conv1d conv2d "))
        return;
    for (size_t k = 0; k < op->count && kind == STRIDED; k++)
        stride(&c->in[k]);
    if (kind == STRIDED)
        stride(&c->out);
    for (size_t k = 0; k < op->count && kind == IN_LEAVES; k++)
        lengthen(&c->in[k], has_integers(op, k) ? NULL : m->in[k]);
    if (kind == IN_LEAVES)
        lengthen(&c->out, op->out.rank == 2 || is_one_of(op, " compact ") ? m->out : NULL);
    if (kind == IN_LEAVES && is_one_of(op, " difference moving_average "))
        c->out.extent[1] = LONG - 1;
    if (kind == OTHER_DTYPE)
        c->out.buffer = m->p.out[op->dtype == LW_BOOL ? LW_I32 : LW_F64];
    if (kind == EXACT)
        c->sum = LW_SUM_EXACT;
    if (kind == WHOLE) {
        c->axis = 0;
        c->out.rank = 0;
    }
}

static const char *json_of(const struct operation *op)
{
    return is_one_of(op, " dot matmul attention copy take scatter scatter_add searchsorted compact "
                         "conv1d conv2d ")
               ? NULL
           : op->run == run_map            ? "{\"expression\": \"a + b * 2\"}"
           : op->run == run_permute        ? "{\"axes\": \"1,0\"}"
           : op->run == run_top_k          ? "{\"k\": 2}"
           : op->run == run_histogram      ? "{\"bins\": 2}"
           : op->run == run_moving_average ? "{\"window\": 2}"
           : op->run == run_map_reduce     ? "{\"map\": \"a * b\", \"combine\": \"x + y\", "
                                             "\"identity\": 0, \"axis\": -1}"
                                           : "{\"axis\": -1}";
}

static lw_status start(const struct call *c, enum kind kind)
{
    if (kind != BY_NAME)
        return c->op->run(c);
    lw_op *op;
    lw_status status = lw_op_find(c->op->name, &op);
    return status ? status : run_by_name(c, op, json_of(c->op));
}

/* ---- steady ---- */

/* Allocations and frees of a call. */
static long count_call(const struct call *c, enum kind kind)
{
    const long all = atomic_load(&alloc_calls), here = alloc_calls_here;

    WORKS(start(c, kind));
    long of_call = alloc_calls_here - here;
    WORKS(lw_stream_wait(c->stream));
    return strcmp(name_of_device, "ref") ? atomic_load(&alloc_calls) - all : of_call;
}

/* The second and third call on a stream; on a busy machine, where a worker gives a job back late so
 * that a call needs one more than those before it, some pair of later ones. */
static void check_steady(const struct memory *m, const struct operation *op, enum kind kind)
{
    long count = 1;
    struct call c;

    make_call(m, op, kind, &c);
    WORKS(lw_stream_create(m->p.device, &c.stream));
    count_call(&c, kind);
    for (int i = 0; i < PAIRS && count; i++) {
        count = count_call(&c, kind);
        count += count_call(&c, kind);
    }
    lw_stream_destroy(c.stream);
    if (!count)
        return;
    failures++;
    printf("%s, %s: %ld allocations and frees in two calls like those before\n", op->name,
           kinds[kind], count);
}

static void test_steady(void)
{
    struct memory m;

    open_memory(&m);
    for (size_t k = 0; k < OPERATIONS; k++)
        for (int kind = 0; kind < KINDS; kind++)
            if (has_kind(&operations[k], (enum kind)kind))
                check_steady(&m, &operations[k], (enum kind)kind);
    close_memory(&m);
}

/* ---- short ---- */

struct attempt {
    const struct operation *op;
    enum kind kind;
    long n;
    bool failed;
};

/* True if the output is as it was, or whole. */
static bool is_untouched_or_whole(const struct memory *m, const struct attempt *a, lw_status status)
{
    double got[ELEMENTS], pattern[ELEMENTS];

    memset(pattern, a->op->dtype == LW_BOOL ? 1 : PATTERN, sizeof pattern);
    WORKS(lw_buffer_read(m->p.out[a->op->dtype], 0, ELEMENTS, got));
    if (status && !memcmp(got, pattern, ELEMENTS * lw_dtype_size(a->op->dtype)))
        return true;
    return a->kind > BY_NAME || has_result(a->op, (const unsigned char *)got);
}

/* In a thread of its own: what is kept for a thread goes with it. */
static void *fail_once(void *argument)
{
    struct attempt *a = argument;
    struct memory m;

    open_memory(&m);
    struct call c;
    make_call(&m, a->op, a->kind, &c);
    alloc_until_failure = a->n;
    alloc_failed = false;
    lw_status status = start(&c, a->kind);
    lw_status waited = lw_stream_wait(c.stream);
    status = status ? status : waited;
    alloc_until_failure = 0;
    a->failed = alloc_failed;
    if (status && (status != LW_E_MEMORY || strlen(lw_last_error()) < 10)) {
        failures++;
        printf("%s, %s, allocation %ld: status %d, \"%s\"\n", a->op->name, kinds[a->kind], a->n,
               status, lw_last_error());
    }
    CHECK(a->failed || !status);
    /* one launch gives scatter's output what x has, and the next one the values */
    CHECK(is_untouched_or_whole(&m, a, status) ||
          (waited && is_one_of(a->op, " scatter scatter_add ")));
    if (waited) { /* a launch failed, and with it its stream, but not the device */
        lw_stream_destroy(m.p.stream);
        WORKS(lw_stream_create(m.p.device, &m.p.stream));
    }
    CHECK(is_good(&m.p, a->op));
    close_memory(&m);
    return NULL;
}

/* The blocks that it leaves. */
static long left_by(struct attempt *a)
{
    const long before = atomic_load(&alloc_outstanding);
    pthread_t thread;

    if (pthread_create(&thread, NULL, fail_once, a) || pthread_join(thread, NULL)) {
        failures++;
        return 0;
    }
    return atomic_load(&alloc_outstanding) - before;
}

/* True if an allocation failed. A worker keeps block memory and frames from the first launch on
 * that it runs itself: that is left once, and what is lost, every time. */
static bool attempt(const struct operation *op, enum kind kind, long n)
{
    struct attempt a = {op, kind, n, false};
    long left = left_by(&a);

    for (int more = 0; left && n && more < 2; more++)
        left = left_by(&a);
    if (left && n) {
        failures++;
        printf("%s, %s, allocation %ld: %ld blocks are left\n", op->name, kinds[kind], n, left);
    }
    return a.failed;
}

/* What the process keeps for ever is made by a first attempt. A text that cannot be had from the
 * cache is compiled, which takes its time. */
static long sweep(size_t k, enum kind kind, bool all)
{
    const struct operation *op = &operations[k];
    const bool compiles = op->run == run_map || op->run == run_map_reduce;
    long n = 1, count = 0;

    if (compiles && kind != AS_IS && !all)
        return 0;
    attempt(op, kind, 0);
    for (; n < MOST && attempt(op, kind, n); count++)
        n += all ? 1 : 1 + ((long)k + n) % (1 + n / (compiles ? 2 : 8));
    CHECK(count > 2 && n < MOST);
    return count;
}

static void test_short(bool all)
{
    static const enum kind tried[] = {AS_IS, STRIDED, IN_LEAVES, BY_NAME};
    long count = 0;

    for (size_t k = 0; k < OPERATIONS; k++)
        for (size_t i = 0; i < (all ? 4 : 3); i++)
            count += sweep(k, tried[i], all);
    printf("%ld allocations failed in turn\n", count);
}

int main(int count, char **arguments)
{
    char folder[] = "/tmp/lanewise-memory-XXXXXX", command[100];
    const bool is_short = count > 2 && !strcmp(arguments[2], "short");

    name_of_device = count > 1 ? arguments[1] : "cpu";
    setenv("LANEWISE_NUM_THREADS", is_short ? "1" : "2", 1);
    CHECK(mkdtemp(folder) != NULL);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    if (is_short)
        test_short(count > 3);
    else
        test_steady();
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return failures != 0;
}
