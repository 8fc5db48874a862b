/* mpi.h - ranks of dist.h over MPI. Header only: your mpicc compiles it, so it fits every MPI and
 * the library links none. docs/many.md shows a program.
 *
 *     MPI_Init(&argc, &argv);
 *     lw_transport t;
 *     lw_comm *comm;
 *     if (lw_mpi_transport(MPI_COMM_WORLD, &t) || lw_comm_create(device, &t, &comm)) ...
 *     ...
 *     lw_comm_destroy(comm);        before MPI_Finalize
 *
 * MPI moves bytes and never adds. All calls come from the threads that call operations: for more
 * than one thread that uses MPI, start it by MPI_Init_thread with MPI_THREAD_MULTIPLE.
 *
 * A wait polls and answers others who ask whether this rank is there. Who waits too long asks all;
 * those that do not answer are named, and everyone who waits is told.
 */
#ifndef LANEWISE_MPI_H
#define LANEWISE_MPI_H
#include <lanewise/dist.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
    LW__MPI_ASK = 101, /* tags */
    LW__MPI_HERE = 102,
    LW__MPI_VERDICT = 103,
    LW__MPI_DATA = 104,
    LW__MPI_CHUNK = 1 << 28, /* bytes of a message: MPI counts in int */
    LW__MPI_TEXT = 200,
    LW__MPI_SPIN = 20000 /* nanoseconds of polling before others may have the processor */
};

/* A message on its way. */
typedef struct lw__mpi_sent {
    struct lw__mpi_sent *next;
    MPI_Request request;
} lw__mpi_sent;

typedef struct lw__mpi {
    MPI_Comm comm;
    int rank, size, is_broken;
    lw__mpi_sent *sent;
    char text[LW__MPI_TEXT + MPI_MAX_ERROR_STRING], verdict[LW__MPI_TEXT];
} lw__mpi;

static inline uint64_t lw__mpi_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* NULL, or what MPI says about a failure; then nothing is waited for any more. */
static inline const char *lw__mpi_check(lw__mpi *m, int code)
{
    char said[MPI_MAX_ERROR_STRING] = "";
    int length;

    if (code == MPI_SUCCESS)
        return NULL;
    m->is_broken = 1;
    MPI_Error_string(code, said, &length);
    snprintf(m->text, sizeof m->text, "MPI: %s", said);
    return m->text;
}

/* Give back the memory of messages that have gone. */
static inline void lw__mpi_forget_sent(lw__mpi *m)
{
    lw__mpi_sent **at = &m->sent;

    while (*at) {
        lw__mpi_sent *s = *at;
        int done = 0;

        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free(s);
    }
}

/* The next of so many bytes that one message takes. */
static inline size_t lw__mpi_piece(size_t bytes)
{
    return bytes < (size_t)LW__MPI_CHUNK ? bytes : (size_t)LW__MPI_CHUNK;
}

/* Send a copy, without waiting. */
static inline const char *lw__mpi_post(lw__mpi *m, int to, int tag, const void *data, size_t bytes)
{
    lw__mpi_sent *s = (lw__mpi_sent *)malloc(sizeof *s + bytes);
    int code;

    if (!s)
        return "out of memory: a message";
    if (bytes)
        memcpy(s + 1, data, bytes);
    code = MPI_Isend(s + 1, (int)bytes, MPI_BYTE, to, tag, m->comm, &s->request);
    if (code != MPI_SUCCESS) {
        free(s);
        return lw__mpi_check(m, code);
    }
    s->next = m->sent;
    m->sent = s;
    return NULL;
}

/* Answer who asks; note what the first to give up found. */
static inline void lw__mpi_serve(lw__mpi *m)
{
    MPI_Status status;
    int there = 0;

    while (MPI_Iprobe(MPI_ANY_SOURCE, LW__MPI_ASK, m->comm, &there, &status) == MPI_SUCCESS &&
           there) {
        if (MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, LW__MPI_ASK, m->comm,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        (void)lw__mpi_post(m, status.MPI_SOURCE, LW__MPI_HERE, NULL, 0);
    }
    while (MPI_Iprobe(MPI_ANY_SOURCE, LW__MPI_VERDICT, m->comm, &there, &status) == MPI_SUCCESS &&
           there) {
        char text[LW__MPI_TEXT];

        if (MPI_Recv(text, sizeof text, MPI_BYTE, status.MPI_SOURCE, LW__MPI_VERDICT, m->comm,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        if (!m->verdict[0])
            memcpy(m->verdict, text, sizeof text);
    }
}

/* Wait until `deadline`: *done says whether the request has ended. A poll may yield the processor
 * for milliseconds: so time, not a count of polls, says when to answer others.
 */
static inline const char *lw__mpi_poll(lw__mpi *m, MPI_Request *request, uint64_t deadline,
                                       int *done)
{
    uint64_t spin_end = lw__mpi_now() + LW__MPI_SPIN;

    for (;;) {
        const char *text = lw__mpi_check(m, MPI_Test(request, done, MPI_STATUS_IGNORE));
        const uint64_t now = lw__mpi_now();

        if (text || *done)
            return text;
        if (now < spin_end)
            continue;
        lw__mpi_serve(m);
        if (now >= deadline)
            return NULL;
        sched_yield();
        spin_end = lw__mpi_now() + LW__MPI_SPIN;
    }
}

/* ---- who did not answer ---- */

/* "rank 2 did not answer", "ranks 1, 4 did not answer" into m->verdict. */
static inline void lw__mpi_name(lw__mpi *m, const char *is_here)
{
    int missing = 0, said = 0;
    size_t at;

    for (int r = 0; r < m->size; r++)
        missing += !is_here[r];
    if (!missing) {
        snprintf(m->verdict, sizeof m->verdict, "all ranks are there, the exchange did not end");
        return;
    }
    at = (size_t)snprintf(m->verdict, sizeof m->verdict, missing == 1 ? "rank" : "ranks");
    for (int r = 0; r < m->size && at < sizeof m->verdict - 40; r++)
        if (!is_here[r])
            at += (size_t)snprintf(m->verdict + at, sizeof m->verdict - at, "%s %d",
                                   said++ ? "," : "", r);
    snprintf(m->verdict + at, sizeof m->verdict - at, "%s did not answer",
             said < missing ? " and more" : "");
}

/* Ask all, and give them a quarter of the limit. */
static inline const char *lw__mpi_find_missing(lw__mpi *m, uint64_t nanoseconds)
{
    const uint64_t deadline = lw__mpi_now() + nanoseconds / 4;
    char *is_here = (char *)calloc((size_t)m->size, 1);
    int found = 1;

    m->is_broken = 1;
    lw__mpi_serve(m);
    if (m->verdict[0] || !is_here) {
        free(is_here);
        return m->verdict[0] ? m->verdict : "some rank did not answer";
    }
    is_here[m->rank] = 1;
    for (int r = 0; r < m->size; r++)
        if (r != m->rank)
            (void)lw__mpi_post(m, r, LW__MPI_ASK, NULL, 0);
    while (found < m->size && !m->verdict[0] && lw__mpi_now() < deadline) {
        MPI_Status status;
        int there = 0;

        lw__mpi_serve(m);
        if (MPI_Iprobe(MPI_ANY_SOURCE, LW__MPI_HERE, m->comm, &there, &status) != MPI_SUCCESS)
            break;
        if (!there) {
            sched_yield();
            continue;
        }
        if (MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, LW__MPI_HERE, m->comm,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        found += !is_here[status.MPI_SOURCE];
        is_here[status.MPI_SOURCE] = 1;
    }
    if (!m->verdict[0])
        lw__mpi_name(m, is_here);
    for (int r = 0; r < m->size; r++)
        if (r != m->rank && is_here[r])
            (void)lw__mpi_post(m, r, LW__MPI_VERDICT, m->verdict, sizeof m->verdict);
    free(is_here);
    return m->verdict;
}

/* ---- the transport ---- */

static inline const char *lw__mpi_send(void *context, int to, int tag, const void *data,
                                       size_t bytes)
{
    lw__mpi *m = (lw__mpi *)context;
    const char *from = (const char *)data, *text = NULL;

    lw__mpi_forget_sent(m);
    do {
        const size_t now = lw__mpi_piece(bytes);

        text = lw__mpi_post(m, to, LW__MPI_DATA + tag, from, now);
        from += now;
        bytes -= now;
    } while (bytes && !text);
    return text;
}

static inline const char *lw__mpi_receive(void *context, int from, int tag, void *data,
                                          size_t bytes, uint64_t nanoseconds)
{
    const uint64_t deadline = lw__mpi_now() + nanoseconds;
    lw__mpi *m = (lw__mpi *)context;
    char *to = (char *)data;

    do {
        const size_t now = lw__mpi_piece(bytes);
        MPI_Request request;
        int done = 0;
        const char *text = lw__mpi_check(
            m, MPI_Irecv(to, (int)now, MPI_BYTE, from, LW__MPI_DATA + tag, m->comm, &request));

        if (!text)
            text = lw__mpi_poll(m, &request, deadline, &done);
        if (text)
            return text;
        if (!done) {
            m->is_broken = 1;
            MPI_Cancel(&request);
            MPI_Request_free(&request);
            snprintf(m->text, sizeof m->text, "rank %d did not answer", from);
            return m->text;
        }
        to += now;
        bytes -= now;
    } while (bytes);
    return NULL;
}

/* A request that never ends keeps its memory: MPI may still write there. */
static inline const char *lw__mpi_gather(lw__mpi *m, const void *data, size_t bytes, void *all,
                                         uint64_t deadline, uint64_t nanoseconds)
{
    char *memory = (char *)malloc((bytes + 1) * (size_t)(m->size + 1));
    char *own = memory ? memory + bytes * (size_t)m->size : NULL;
    const char *text;
    MPI_Request request;
    int done = 0;

    if (!memory)
        return "out of memory: an exchange";
    if (bytes)
        memcpy(own, data, bytes);
    text = lw__mpi_check(m, MPI_Iallgather(own, (int)bytes, MPI_BYTE, memory, (int)bytes, MPI_BYTE,
                                           m->comm, &request));
    if (!text)
        text = lw__mpi_poll(m, &request, deadline, &done);
    if (text)
        return text;
    if (!done)
        return lw__mpi_find_missing(m, nanoseconds);
    memcpy(all, memory, bytes * (size_t)m->size);
    free(memory);
    return NULL;
}

static inline const char *lw__mpi_allgather(void *context, const void *data, size_t bytes,
                                            void *all, uint64_t nanoseconds)
{
    const uint64_t deadline = lw__mpi_now() + nanoseconds;
    lw__mpi *m = (lw__mpi *)context;
    const char *text = NULL;
    char *piece;

    lw__mpi_forget_sent(m);
    if (bytes <= LW__MPI_CHUNK)
        return lw__mpi_gather(m, data, bytes, all, deadline, nanoseconds);
    piece = (char *)malloc((size_t)LW__MPI_CHUNK * (size_t)m->size);
    if (!piece)
        return "out of memory: an exchange";
    for (size_t at = 0; at < bytes && !text; at += LW__MPI_CHUNK) {
        const size_t now = lw__mpi_piece(bytes - at);

        text = lw__mpi_gather(m, (const char *)data + at, now, piece, deadline, nanoseconds);
        for (int r = 0; r < m->size && !text; r++)
            memcpy((char *)all + (size_t)r * bytes + at, piece + (size_t)r * now, now);
    }
    free(piece);
    return text;
}

/* After a failure some requests may never end: they are left, and so is the communicator. */
static inline void lw__mpi_release(void *context)
{
    lw__mpi *m = (lw__mpi *)context;
    int finalized = 0;

    MPI_Finalized(&finalized);
    if (m->is_broken || finalized)
        return;
    while (m->sent) {
        lw__mpi_forget_sent(m);
        sched_yield();
    }
    MPI_Comm_free(&m->comm);
    free(m);
}

/* lw_mpi_transport - the transport of an MPI communicator, of which it takes a duplicate: all its
 * ranks call this together. lw_comm_create takes the transport over.
 * errors   LW_E_MEMORY; LW_E_DEVICE MPI failed, or is not initialised */
static inline lw_status lw_mpi_transport(MPI_Comm comm, lw_transport *transport)
{
    int is_ready = 0, is_done = 0;
    lw__mpi *m;
    const char *text;

    MPI_Initialized(&is_ready);
    MPI_Finalized(&is_done);
    if (!is_ready || is_done)
        return lw_fail(LW_E_DEVICE, "MPI is not initialised; need MPI_Init before");
    m = (lw__mpi *)calloc(1, sizeof *m);
    if (!m)
        return lw_fail(LW_E_MEMORY, "out of memory: a transport");
    text = lw__mpi_check(m, MPI_Comm_dup(comm, &m->comm));
    if (text) {
        const lw_status status = lw_fail(LW_E_DEVICE, "%s", text);

        free(m);
        return status;
    }
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &m->rank);
    MPI_Comm_size(m->comm, &m->size);
    memset(transport, 0, sizeof *transport);
    transport->context = m;
    transport->rank = m->rank;
    transport->size = m->size;
    transport->send = lw__mpi_send;
    transport->receive = lw__mpi_receive;
    transport->allgather = lw__mpi_allgather;
    transport->release = lw__mpi_release;
    return LW_OK;
}

#ifdef __cplusplus
}
#endif
#endif
