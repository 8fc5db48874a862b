/* What goes wrong on one rank is an error on all, and names the rank: a wrong shape, part, option,
 * stream, a failed launch. A rank that is late or has gone is an error within the limit. A comm
 * whose exchange failed stays failed; after another error it works.
 */
#include "dist_test.h"
#include <time.h>

enum { N = 5000, SIZE = 3, CULPRIT = 1 };

struct expected {
    void (*wrong)(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o);
    lw_status status;
    const char *text;
    bool works_later;
};

static void fails(lw_status got, lw_status status, const char *text, int rank)
{
    if (got == status && !strcmp(lw_last_error(), text))
        return;
    CHECK(!"the status and the text");
    printf("rank %d: %d, need %d\n    got  %s\n    need %s\n", rank, got, status, lw_last_error(),
           text);
}

/* ---- arguments of one rank ---- */

static void no_change(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)x, (void)part, (void)o;
}
static void short_tensor(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)part, (void)o;
    x->extent[0]--;
}
static void overlap(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)x, (void)o;
    part->first--;
}
static void other_axis(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)x, (void)o;
    part->global++;
}
static void no_axis(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)x, (void)part;
    o->axis = LW_AXIS(3);
}
static void exact(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)x, (void)part;
    o->sum = LW_SUM_EXACT;
}
static void no_buffer(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)job, (void)part, (void)o;
    x->buffer = NULL;
}
static void cancelled(struct job *job, lw_tensor *x, lw_part *part, lw_reduce_options *o)
{
    (void)x, (void)part, (void)o;
    lw_stream_cancel(streams[job->rank]);
}

static const struct expected all_expected[] = {
    {no_change, LW_OK, "", true},
    {short_tensor, LW_E_SHAPE,
     "rank 1: dist_sum: x has 1666 elements along axis 0; its part has 1667", true},
    {overlap, LW_E_SHAPE,
     "rank 1 has elements 1665 to 3332 of 5000; need parts in the order of ranks, this one from "
     "1666 on",
     true},
    {other_axis, LW_E_SHAPE, "rank 1 says that the axis has 5001 elements, rank 0 5000", true},
    {no_axis, LW_E_ARG, "rank 1: dist_sum: x has no axis 3; its rank is 1", true},
    {exact, LW_E_ARG, "rank 1: dist_sum: sum is LW_SUM_EXACT, which ranks cannot keep", true},
    {no_buffer, LW_E_ARG, "rank 1: dist_sum: x has no buffer", true},
    {cancelled, LW_E_LAUNCH, "rank 1: the stream was cancelled", false},
};

static lw_status sum(struct job *job, const struct expected *e, float *result)
{
    const ptrdiff_t count = (ptrdiff_t)job->part.count;
    struct array x = array_of(LW_F32, 1, &count), out = array_of(LW_F32, 0, NULL);
    lw_tensor from, to = tensor_of(job->rank, &out);
    lw_reduce_options o = {0};
    lw_part part = job->part;

    for (ptrdiff_t i = 0; i < count; i++)
        ((float *)x.memory)[i] = 1;
    from = tensor_of(job->rank, &x);
    lw_buffer *held = from.buffer;
    if (e && job->rank == CULPRIT)
        e->wrong(job, &from, &part, &o);
    lw_status status = lw_dist_sum(job->comm, streams[job->rank], to, from, part, &o);
    if (!status && result) {
        read_back(job->rank, to, &out);
        memcpy(result, out.memory, sizeof *result);
    }
    if (status) { /* the message stays until the next failure */
        static _Thread_local char kept[300];
        snprintf(kept, sizeof kept, "%s", lw_last_error());
        lw_buffer_destroy(held);
        lw_buffer_destroy(to.buffer);
        (void)lw_fail(status, "%s", kept);
    } else {
        lw_buffer_destroy(held);
        lw_buffer_destroy(to.buffer);
    }
    free(x.memory);
    free(out.memory);
    return status;
}

static void one_wrong(struct job *job, void *user)
{
    const struct expected *e = user;
    const lw_status status = sum(job, e, NULL);
    float result = 0;

    if (e->status)
        fails(status, e->status, e->text, job->rank);
    else
        CHECK(status == LW_OK);
    if (!e->works_later)
        return;
    WORKS(sum(job, NULL, &result));
    CHECK(result == N);
}

/* ---- ranks that do not do the same ---- */

/* user: what rank 2 has otherwise, NULL: the operation */
static void other_operation(struct job *job, void *user)
{
    const ptrdiff_t count = (ptrdiff_t)job->part.count;
    const bool is_out = user && !strcmp(user, "output");
    struct array x = array_of(job->rank == 2 && user && !is_out ? LW_F64 : LW_F32, 1, &count),
                 out = array_of(job->rank == 2 && is_out ? LW_F64 : LW_F32, 0, NULL);
    lw_tensor from = tensor_of(job->rank, &x), to = tensor_of(job->rank, &out);
    lw_status status;

    if (job->rank == 2 && !user)
        status = lw_dist_mean(job->comm, streams[job->rank], to, from, job->part, NULL);
    else
        status = lw_dist_sum(job->comm, streams[job->rank], to, from, job->part, NULL);
    if (is_out)
        fails(status, LW_E_DTYPE,
              "dist_sum: rank 2 computes in f64, as its output needs; rank 0 in f32", job->rank);
    else if (user)
        fails(status, LW_E_SHAPE, "dist_sum: rank 2 has f64 (*); rank 0 has f32 (*)", job->rank);
    else
        fails(status, LW_E_ARG, "rank 2 calls dist_mean; rank 0 calls dist_sum", job->rank);
    lw_buffer_destroy(from.buffer);
    lw_buffer_destroy(to.buffer);
    free(x.memory);
    free(out.memory);
}

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void late(struct job *job, void *user)
{
    const struct timespec pause = {1, 0};
    const uint64_t begin = now();

    (void)user;
    if (job->rank == CULPRIT) {
        nanosleep(&pause, NULL);
        CHECK(sum(job, NULL, NULL) == LW_E_TIMEOUT);
        return;
    }
    fails(sum(job, NULL, NULL), LW_E_TIMEOUT,
          job->rank ? "rank 2 of 3: rank 1 did not answer within 0.2 s"
                    : "rank 0 of 3: rank 1 did not answer within 0.2 s",
          job->rank);
    CHECK(now() - begin < 900000000u);
    fails(sum(job, NULL, NULL), LW_E_TIMEOUT,
          job->rank ? "rank 2 of 3: an earlier exchange failed: rank 1 did not answer within 0.2 s"
                    : "rank 0 of 3: an earlier exchange failed: rank 1 did not answer within 0.2 s",
          job->rank);
}

/* ---- a comm that a rank destroys ---- */

static void *wait_for_others(void *comm)
{
    struct job job = {.rank = 0, .size = 2, .comm = comm, .part = {N, 0, N}};

    fails(sum(&job, NULL, NULL), LW_E_DEVICE, "rank 0 of 2: rank 1 destroyed its comm", 0);
    return NULL;
}

static void destroyed(void)
{
    lw_comm *comms[2];

    WORKS(lw_comm_devices(devices, 2, comms));
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, wait_for_others, comms[0]));
    lw_comm_destroy(comms[1]);
    pthread_join(thread, NULL);
    lw_comm_destroy(comms[0]);
}

/* ---- making comms ---- */

static const char *nothing(void *c, const void *d, size_t b, void *a, uint64_t n)
{
    (void)c, (void)d, (void)b, (void)a, (void)n;
    return "no such thing";
}
static const char *no_send(void *c, int to, int tag, const void *d, size_t b)
{
    (void)c, (void)to, (void)tag, (void)d, (void)b;
    return NULL;
}
static const char *no_receive(void *c, int from, int tag, void *d, size_t b, uint64_t n)
{
    (void)c, (void)from, (void)tag, (void)d, (void)b, (void)n;
    return NULL;
}

static void creating(void)
{
    lw_transport t = {.rank = 0, .size = 1};
    lw_comm *comm, *comms[2];

    fails(lw_comm_create(devices[0], NULL, &comm), LW_E_ARG, "the transport is NULL", 0);
    fails(lw_comm_create(NULL, &t, &comm), LW_E_ARG, "the device is NULL", 0);
    fails(lw_comm_create(devices[0], &t, &comm), LW_E_ARG,
          "the transport lacks send, receive or allgather", 0);
    t = (lw_transport){NULL, 2, 2, no_send, no_receive, nothing, NULL};
    fails(lw_comm_create(devices[0], &t, &comm), LW_E_ARG,
          "the transport has rank 2 of 2; need 0 to size - 1", 0);
    CHECK(!comm);
    fails(lw_comm_devices(devices, 0, comms), LW_E_ARG,
          "0 devices; need at least one, and places for the comms", 0);
    fails(lw_comm_devices((lw_device *[]){devices[0], NULL}, 2, comms), LW_E_ARG,
          "the device is NULL", 0);
    CHECK(!comms[0] && !comms[1]);
    lw_comm_destroy(NULL);

    /* a transport that fails at once */
    t.rank = 0;
    WORKS(lw_comm_create(devices[0], &t, &comm));
    CHECK(lw_comm_rank(comm) == 0 && lw_comm_size(comm) == 2);
    struct job job = {.rank = 0, .size = 2, .comm = comm, .part = {N, 0, N}};
    fails(sum(&job, NULL, NULL), LW_E_DEVICE, "rank 0 of 2: no such thing", 0);
    fails(sum(&job, NULL, NULL), LW_E_DEVICE,
          "rank 0 of 2: an earlier exchange failed: no such thing", 0);
    lw_comm_destroy(comm);
}

static void other_streams(void)
{
    const ptrdiff_t n = 4;
    struct array x = array_of(LW_F32, 1, &n), out = array_of(LW_F32, 0, NULL);
    lw_tensor from = tensor_of(0, &x), to = tensor_of(0, &out);
    const lw_part part = {4, 0, 4};
    lw_comm *comm;

    WORKS(lw_comm_devices(devices, 1, &comm));
    fails(lw_dist_sum(NULL, streams[0], to, from, part, NULL), LW_E_ARG, "the comm is NULL", 0);
    fails(lw_dist_sum(comm, NULL, to, from, part, NULL), LW_E_ARG, "rank 0: the stream is NULL", 0);
    fails(lw_dist_sum(comm, streams[1], to, from, part, NULL), LW_E_DEVICE,
          "rank 0: the stream belongs to another device than the comm", 0);
    lw_graph *graph;
    WORKS(lw_graph_create(devices[0], &graph));
    CHECK(lw_dist_sum(comm, lw_graph_stream(graph), to, from, part, NULL) == LW_E_ARG);
    lw_graph_destroy(graph);
    WORKS(lw_dist_sum(comm, streams[0], to, from, part, NULL));
    WORKS(lw_stream_wait(streams[0]));
    lw_comm_destroy(comm);
    lw_buffer_destroy(from.buffer);
    lw_buffer_destroy(to.buffer);
    free(x.memory);
    free(out.memory);
}

int main(int count, char **arguments)
{
    lw_part parts[RANKS];

    if (!open_devices(count > 1 ? arguments[1] : "cpu ref"))
        return 77;
    creating();
    other_streams();
    destroyed();
    cut(0, N, SIZE, parts);
    on_ranks(SIZE, parts, 0, other_operation, NULL);
    on_ranks(SIZE, parts, 0, other_operation, "dtype");
    on_ranks(SIZE, parts, 0, other_operation, "output");
    on_ranks(SIZE, parts, 200000000u, late, NULL);
    for (size_t k = 0; k < sizeof all_expected / sizeof *all_expected; k++)
        on_ranks(SIZE, parts, 0, one_wrong, (void *)&all_expected[k]);
    return close_devices();
}
