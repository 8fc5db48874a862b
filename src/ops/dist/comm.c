/* comm.c - lw_comm: exchanges over a transport, and failures that all ranks learn of.
 *
 * Every exchange carries each rank's status. Where one is a failure, a second exchange carries the
 * texts, so all ranks return the same error. An exchange that itself fails leaves the ranks out of
 * step: the comm then stays failed.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_LIMIT 60000000000u
enum { TAG = 7, HEAD = 8 }; /* HEAD: bytes of a status; it keeps what follows aligned */

/* ---- life ---- */

lw_status lw_comm_create(lw_device *device, const lw_transport *transport, lw_comm **comm)
{
    if (!comm)
        return lw_fail(LW_E_ARG, "the place for the comm is NULL");
    *comm = NULL;
    if (!device || !transport)
        return lw_fail(LW_E_ARG, "the %s is NULL", device ? "transport" : "device");
    if (!transport->send || !transport->receive || !transport->allgather)
        return lw_fail(LW_E_ARG, "the transport lacks send, receive or allgather");
    if (transport->size < 1 || transport->rank < 0 || transport->rank >= transport->size)
        return lw_fail(LW_E_ARG, "the transport has rank %d of %d; need 0 to size - 1",
                       transport->rank, transport->size);
    lw_comm *c;
    c = calloc(1, sizeof *c);
    if (!c)
        return lw_fail(LW_E_MEMORY, "out of memory: a comm");
    c->device = device;
    c->limit = DEFAULT_LIMIT;
    c->parts = calloc((size_t)transport->size, sizeof *c->parts);
    c->records = calloc((size_t)transport->size, sizeof *c->records);
    lw_buffer *stage;
    if (!c->parts || !c->records || lw__stage(c, LW_STAGE_NODES, LW_F32, 1, &stage)) {
        lw_comm_destroy(c);
        return lw_fail(LW_E_MEMORY, "out of memory: a comm of %d ranks", transport->size);
    }
    c->transport = *transport;
    *comm = c;
    return LW_OK;
}

void lw_comm_destroy(lw_comm *c)
{
    struct lw__room *rooms[5];

    if (!c)
        return;
    if (c->transport.release)
        c->transport.release(c->transport.context);
    for (int use = 0; use < LW_STAGE_COUNT; use++)
        for (int dtype = 0; dtype < LW_DTYPE_COUNT; dtype++)
            lw_buffer_destroy(c->stages[use][dtype]);
    rooms[0] = &c->mine;
    rooms[1] = &c->all;
    rooms[2] = &c->raw;
    rooms[3] = &c->nodes;
    rooms[4] = &c->merges;
    for (int k = 0; k < 5; k++)
        free(rooms[k]->memory);
    free(c->parts);
    free(c->records);
    free(c);
}

int lw_comm_rank(const lw_comm *c)
{
    return c ? c->transport.rank : 0;
}

int lw_comm_size(const lw_comm *c)
{
    return c ? c->transport.size : 0;
}

void lw_comm_set_limit(lw_comm *c, uint64_t nanoseconds)
{
    if (c)
        c->limit = nanoseconds;
}

lw_status lw__room(struct lw__room *room, size_t bytes)
{
    if (bytes <= room->bytes && room->memory)
        return LW_OK;
    void *more = malloc(bytes ? bytes : 1);
    if (!more)
        return lw_fail(LW_E_MEMORY, "out of memory: %zu bytes for an exchange", bytes);
    free(room->memory);
    *room = (struct lw__room){more, bytes};
    return LW_OK;
}

lw_status lw__stage(lw_comm *c, enum lw__stage use, lw_dtype dtype, size_t count, lw_buffer **out)
{
    lw_buffer **stage = &c->stages[use][dtype];

    if (!*stage || lw_buffer_count(*stage) < count) {
        lw_buffer_destroy(*stage);
        *stage = NULL;
        LW_TRY(lw_buffer_create(c->device, dtype, count ? count : 1, stage));
    }
    assert(lw_buffer_dtype(*stage) == dtype && lw_buffer_device(*stage) == c->device);
    *out = *stage;
    return LW_OK;
}

/* ---- exchanges ---- */

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The comm has failed, and stays so. */
static lw_status fail(lw_comm *c, lw_status status, const char *text)
{
    c->failed = status;
    snprintf(c->why, sizeof c->why, "%s", text);
    return lw_fail(status, "rank %d of %d: %s", c->transport.rank, c->transport.size, c->why);
}

static lw_status passed(lw_comm *c, uint64_t begin, const char *text)
{
    char all[LW_DIST_TEXT];

    if (!text)
        return LW_OK;
    if (now() - begin < c->limit)
        return fail(c, LW_E_DEVICE, text);
    snprintf(all, sizeof all, "%.160s within %g s", text, (double)c->limit * 1e-9);
    return fail(c, LW_E_TIMEOUT, all);
}

lw_status lw__dist_send(lw_comm *c, int to, const void *data, size_t bytes)
{
    const uint64_t begin = now();

    return passed(c, begin, c->transport.send(c->transport.context, to, TAG, data, bytes));
}

lw_status lw__dist_receive(lw_comm *c, int from, void *data, size_t bytes)
{
    const uint64_t begin = now();

    return passed(c, begin,
                  c->transport.receive(c->transport.context, from, TAG, data, bytes, c->limit));
}

static lw_status allgather(lw_comm *c, const void *data, size_t bytes, void *all)
{
    const uint64_t begin = now();

    return passed(c, begin,
                  c->transport.allgather(c->transport.context, data, bytes, all, c->limit));
}

/* All ranks have seen that one failed: its text is the error of all. */
static lw_status share_failure(lw_comm *c, int rank, lw_status status, const char *mine)
{
    char text[LW_DIST_TEXT] = "", found[LW_DIST_TEXT];
    char *all = calloc((size_t)c->transport.size, LW_DIST_TEXT);

    if (!all)
        return fail(c, LW_E_MEMORY, "out of memory: the text of a failure");
    snprintf(text, sizeof text, "%s", mine);
    if (allgather(c, text, sizeof text, all)) {
        free(all);
        return c->failed;
    }
    memcpy(found, all + (size_t)rank * LW_DIST_TEXT, LW_DIST_TEXT);
    free(all);
    return lw_fail(status, "rank %d: %.*s", rank, LW_DIST_TEXT - 1, found);
}

lw_status lw__dist_mine(lw_comm *c, size_t bytes, void **mine)
{
    if (lw__room(&c->mine, HEAD + bytes))
        return fail(c, LW_E_MEMORY, "out of memory: what it gives to an exchange");
    *mine = (char *)c->mine.memory + HEAD;
    return LW_OK;
}

lw_status lw__dist_raw(lw_comm *c, size_t bytes)
{
    if (lw__room(&c->raw, bytes))
        return fail(c, LW_E_MEMORY, "out of memory: elements for another rank");
    return LW_OK;
}

void *lw__dist_from(const lw_comm *c, int rank, size_t bytes)
{
    assert(rank < c->transport.size && ((size_t)rank + 1) * (HEAD + bytes) <= c->all.bytes);
    return (char *)c->all.memory + (size_t)rank * (HEAD + bytes) + HEAD;
}

lw_status lw__dist_gather(lw_comm *c, size_t bytes, lw_status status)
{
    const size_t block = HEAD + bytes;
    char text[LW_DIST_TEXT] = "";
    int64_t head = status;

    assert(c->mine.memory && block <= c->mine.bytes); /* lw__dist_mine has made it */
    if (status)
        snprintf(text, sizeof text, "%s", lw_last_error());
    if (lw__room(&c->all, block * (size_t)c->transport.size))
        return fail(c, LW_E_MEMORY, "out of memory: what all give to an exchange");
    memcpy(c->mine.memory, &head, sizeof head);
    LW_TRY(allgather(c, c->mine.memory, block, c->all.memory));
    for (int r = 0; r < c->transport.size; r++) {
        memcpy(&head, (char *)c->all.memory + (size_t)r * block, sizeof head);
        if (head)
            return share_failure(c, r, (lw_status)head, text);
    }
    return LW_OK;
}

/* ---- agreement ---- */

lw_status lw__dist_begin(lw_comm *c)
{
    if (!c)
        return lw_fail(LW_E_ARG, "the comm is NULL");
    if (c->failed)
        return lw_fail(c->failed, "rank %d of %d: an earlier exchange failed: %s",
                       c->transport.rank, c->transport.size, c->why);
    return LW_OK;
}

lw_status lw__dist_ready(const lw_comm *c, lw_stream *s)
{
    if (!s)
        return lw_fail(LW_E_ARG, "the stream is NULL");
    if (lw_stream_device(s) != c->device)
        return lw_fail(LW_E_DEVICE, "the stream belongs to another device than the comm");
    return lw_stream_wait(s);
}

/* "f32 (3, *)": the axis that is cut has a star. */
static const char *describe(const struct lw__record *r, char *text, size_t room)
{
    size_t at = 0;

    text[0] = 0;
    for (int i = 0; i < r->inputs && at < room; i++) {
        const struct lw__record_input *x = &r->input[i];

        at += (size_t)snprintf(text + at, room - at, "%s%s (", i ? ", " : "",
                               lw_dtype_name((lw_dtype)x->dtype));
        for (int k = 0; k < x->rank && at < room; k++) {
            if (k == x->axis)
                at += (size_t)snprintf(text + at, room - at, "%s*", k ? ", " : "");
            else
                at += (size_t)snprintf(text + at, room - at, "%s%lld", k ? ", " : "",
                                       (long long)x->extent[k]);
        }
        if (at < room)
            at += (size_t)snprintf(text + at, room - at, ")");
    }
    return text;
}

static lw_status compare(const struct lw__record *a, const struct lw__record *b, int rank)
{
    char of_a[100], of_b[100];

    if (strcmp(a->name, b->name))
        return lw_fail(LW_E_ARG, "rank %d calls %s; rank 0 calls %s", rank, b->name, a->name);
    if (a->inputs != b->inputs || memcmp(a->input, b->input, sizeof a->input))
        return lw_fail(LW_E_SHAPE, "%s: rank %d has %s; rank 0 has %s", a->name, rank,
                       describe(b, of_b, sizeof of_b), describe(a, of_a, sizeof of_a));
    if (a->type != b->type)
        return lw_fail(LW_E_DTYPE, "%s: rank %d computes in %s, as its output needs; rank 0 in %s",
                       a->name, rank, lw_dtype_name((lw_dtype)b->type),
                       lw_dtype_name((lw_dtype)a->type));
    if (memcmp(a->number, b->number, sizeof a->number))
        return lw_fail(LW_E_ARG, "%s: rank %d has other options than rank 0", a->name, rank);
    return LW_OK;
}

lw_status lw__dist_agree(lw_comm *c, struct lw__record *mine, lw_status status)
{
    const int size = c->transport.size;
    char text[LW_DIST_TEXT] = "";

    assert(!c->failed); /* lw__dist_begin said so */
    mine->status = status;
    if (status)
        snprintf(text, sizeof text, "%s", lw_last_error());
    LW_TRY(allgather(c, mine, sizeof *mine, c->records));
    for (int r = 0; r < size; r++)
        if (c->records[r].status)
            return share_failure(c, r, (lw_status)c->records[r].status, text);
    for (int r = 0; r < size; r++)
        c->parts[r] = (lw_part){c->records[r].global, c->records[r].first, c->records[r].count};
    for (int r = 1; r < size; r++)
        LW_TRY(compare(&c->records[0], &c->records[r], r));
    return lw__parts_cover(c->parts, size);
}
