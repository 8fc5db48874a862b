/* replay.c - calls that repeat themselves: what a call launched before, queued once more.
 *
 * An operation's launches follow from its parameters, the device, and what it sees of its tensors,
 * which is all in struct seen. The second call that sees the same is recorded as well; later ones
 * queue its launches with their own buffers, and have no operation to run. A replay is out of its
 * place while it is used: no two threads share one, and who finds none runs the operation. It holds
 * its kernels, so its device is not another one at the same address.
 */
#include "lanewise/record.h"
#include "ops/registry.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS = 8, LAUNCHES = 4, SLOTS = 32, ARGS = 48, BYTES = 1024 };
enum { SCRATCH = TENSORS }; /* the tensor's number that stands for scratch memory */

/* A tensor, as far as an operation looks at it. */
struct seen {
    lw_tensor tensor;  /* without its buffer */
    lw_device *device; /* of the buffer, as the next */
    size_t first;      /* the tensor with the same buffer that comes first */
    size_t count, alignment;
    lw_dtype dtype;
    bool has_dtype, is_read_only;
};

struct lw__replay {
    size_t outputs, tensors;
    struct seen seen[TENSORS];
    enum { SEEN_ONCE, RECORDED, NOT_FOR_REPLAY } state;
    size_t scratch; /* bytes */
    size_t launches, slots, args, bytes;
    struct lw_recorded launch[LAUNCHES]; /* its args: below, one launch's after the other's */
    struct {
        size_t arg, tensor;
    } slot[SLOTS]; /* where a buffer goes */
    char byte[BYTES];
    lw_arg arg[ARGS]; /* last: it is cut */
};

/* ---- what a call sees ---- */

static void see(const lw_tensor *t, struct seen *to)
{
    memset(to, 0, sizeof *to); /* also between the members */
    to->tensor.offset = t->offset;
    to->tensor.rank = t->rank;
    to->tensor.strided = t->strided;
    for (int k = 0; k < t->rank; k++) {
        to->tensor.extent[k] = t->extent[k];
        to->tensor.stride[k] = t->stride[k];
    }
    to->device = lw_buffer_device(t->buffer);
    to->count = lw_buffer_count(t->buffer);
    to->alignment = lw_buffer_alignment(t->buffer);
    if (to->alignment > LW_ALIGNED_MAX)
        to->alignment = LW_ALIGNED_MAX;
    to->has_dtype = lw_buffer_has_dtype(t->buffer);
    to->dtype = to->has_dtype ? lw_buffer_dtype(t->buffer) : LW_U8;
    to->is_read_only = lw_buffer_is_read_only(t->buffer);
}

static const lw_tensor *tensor_of(const struct lw__named_call *c, size_t outputs, size_t index)
{
    return index < outputs ? &c->outputs[index] : &c->inputs[index - outputs];
}

/* False: the call is not one to be replayed, and may be wrong. */
static bool see_all(const struct lw__named_call *c, size_t outputs, struct seen *seen)
{
    const size_t tensors = outputs + c->count;
    lw_device *const device = lw_stream_device(c->stream);

    if (tensors > TENSORS || lw_stream_records(c->stream) || lw_device_has_findings(device))
        return false;
    for (size_t k = 0; k < tensors; k++) {
        const lw_tensor *t = tensor_of(c, outputs, k);

        if (!t->buffer || t->rank < 0 || t->rank > LW_AXES || lw_buffer_device(t->buffer) != device)
            return false;
        see(t, &seen[k]);
        while (tensor_of(c, outputs, seen[k].first)->buffer != t->buffer)
            seen[k].first++;
    }
    return true;
}

static size_t place_of(const struct seen *seen, size_t tensors)
{
    uint64_t hash = 0;

    for (size_t k = 0; k < tensors; k++) {
        hash ^= seen[k].count + seen[k].dtype + ((uint64_t)seen[k].alignment << 32);
        hash *= 0x9e3779b97f4a7c15u;
    }
    return hash >> 32 & (LW_REPLAYS - 1);
}

/* ---- recording ---- */

struct recording {
    const struct lw__named_call *call;
    struct lw__replay *replay;
    lw_stream *stream;
    lw_buffer *scratch;
};

static bool keep_arg(struct recording *r, const lw_arg *arg)
{
    struct lw__replay *p = r->replay;
    lw_arg *to = &p->arg[p->args];
    size_t tensor = 0;

    if (p->args == ARGS)
        return false;
    *to = *arg;
    if (arg->kind == LW_ARG_BYTES) {
        if (arg->as.bytes.size > BYTES - p->bytes)
            return false;
        memcpy(p->byte + p->bytes, arg->as.bytes.data, arg->as.bytes.size);
        p->bytes += arg->as.bytes.size;
    } else if (arg->kind == LW_ARG_BUFFER || arg->kind == LW_ARG_TENSOR) {
        lw_buffer *buffer = arg->kind == LW_ARG_BUFFER ? arg->as.buffer : arg->as.tensor.buffer;

        while (tensor < p->tensors && tensor_of(r->call, p->outputs, tensor)->buffer != buffer)
            tensor++;
        if (tensor == p->tensors)
            tensor = SCRATCH;
        if (p->slots == SLOTS || (tensor == SCRATCH && buffer != r->scratch))
            return false;
        p->slot[p->slots].arg = p->args;
        p->slot[p->slots++].tensor = tensor;
    }
    p->args++;
    return true;
}

static lw_status refuse(struct recording *r)
{
    r->replay->state = NOT_FOR_REPLAY;
    return LW_E_UNSUPPORTED; /* nobody is told */
}

static lw_status keep_launch(const lw_recorded *launch, void *user)
{
    struct recording *r = user;
    struct lw__replay *p = r->replay;

    if (p->launches == LAUNCHES)
        return refuse(r);
    for (size_t k = 0; k < launch->count; k++)
        if (!keep_arg(r, &launch->args[k]))
            return refuse(r);
    lw_kernel_hold(launch->kernel);
    p->launch[p->launches++] = *launch;
    return LW_OK;
}

/* An operation asks once. */
static lw_status make_scratch(size_t bytes, lw_buffer **buffer, void *user)
{
    struct recording *r = user;

    if (r->scratch)
        return refuse(r);
    LW_TRY(lw_buffer_create_blank(r->stream, LW_U8, bytes, &r->scratch));
    r->replay->scratch = bytes;
    *buffer = r->scratch;
    return LW_OK;
}

static void point_to_bytes(struct lw__replay *p)
{
    const char *byte = p->byte;

    for (size_t k = 0; k < p->args; k++)
        if (p->arg[k].kind == LW_ARG_BYTES) {
            p->arg[k].as.bytes.data = byte;
            byte += p->arg[k].as.bytes.size;
        }
    assert(byte == p->byte + p->bytes);
}

static void let_go(struct lw__replay *p)
{
    while (p->launches)
        lw_kernel_release(p->launch[--p->launches].kernel);
}

/* The replay, which has been seen once, with the launches of this call; it may be another one then.
 * A call that fails is none to replay. */
static struct lw__replay *record(const struct lw__named_call *c, lw__run *run,
                                 struct lw__replay *replay)
{
    struct recording r = {.call = c, .replay = replay};
    const lw_recorder recorder = {keep_launch, make_scratch, &r};
    struct lw__named_call call = *c;

    replay->state = RECORDED;
    lw_status status = lw_stream_create_recorder(lw_stream_device(c->stream), &recorder, &r.stream);
    if (!status) {
        call.stream = r.stream;
        status = run(&call);
    }
    if (status) {
        let_go(replay);
        replay->state = NOT_FOR_REPLAY;
    } else {
        const size_t bytes = offsetof(struct lw__replay, arg) + replay->args * sizeof(lw_arg);
        struct lw__replay *shorter = realloc(replay, bytes);

        replay = shorter ? shorter : replay;
        point_to_bytes(replay);
    }
    lw_buffer_destroy(r.scratch);
    lw_stream_destroy(r.stream);
    return replay;
}

/* ---- replaying ---- */

/* False: nothing was queued. */
static bool queue(struct lw__replay *p, const struct lw__named_call *c, lw_status *status)
{
    lw_buffer *memory = NULL;
    lw_arg *args = p->arg;

    if (p->scratch && lw_stream_scratch(c->stream, p->scratch, &memory))
        return false;
    for (size_t k = 0; k < p->slots; k++) {
        const size_t tensor = p->slot[k].tensor;
        lw_arg *arg = &p->arg[p->slot[k].arg];
        lw_buffer *buffer = tensor == SCRATCH ? memory : tensor_of(c, p->outputs, tensor)->buffer;

        if (arg->kind == LW_ARG_BUFFER)
            arg->as.buffer = buffer;
        else
            arg->as.tensor.buffer = buffer;
    }
    size_t k = 0;
    for (*status = LW_OK; k < p->launches && !*status; args += p->launch[k++].count) {
        const lw_recorded *l = &p->launch[k];
        const lw_launch_options options = {.shared_bytes = l->shared_bytes};

        *status =
            lw_stream_launch(c->stream, l->kernel, l->grid, l->block, &options, args, l->count);
    }
    lw_stream_scratch_done(c->stream, memory);
    if (*status && k > 1)
        *status = lw_fail(*status, "%s: %s", c->op, lw_last_error());
    return !*status || k > 1;
}

/* ---- calls ---- */

lw_status lw__replay_run(_Atomic(struct lw__replay *) *replays, const struct lw__named_call *c,
                         size_t outputs, lw__run *run)
{
    struct seen seen[TENSORS];

    if (!see_all(c, outputs, seen))
        return run(c);
    const size_t tensors = outputs + c->count;
    _Atomic(struct lw__replay *) *place = &replays[place_of(seen, tensors)];
    struct lw__replay *p = atomic_exchange_explicit(place, NULL, memory_order_acquire);
    lw_status status;
    bool is_done = false;

    if (p && p->outputs == outputs && p->tensors == tensors &&
        !memcmp(p->seen, seen, tensors * sizeof *seen)) {
        if (p->state == SEEN_ONCE)
            p = record(c, run, p);
        is_done = p->state == RECORDED && queue(p, c, &status);
    } else {
        lw__replay_destroy(p);
        p = malloc(sizeof *p);
        if (p) {
            memset(p, 0, offsetof(struct lw__replay, launch));
            p->outputs = outputs;
            p->tensors = tensors;
            memcpy(p->seen, seen, tensors * sizeof *seen);
        }
    }
    if (!is_done)
        status = run(c);
    lw__replay_destroy(atomic_exchange_explicit(place, p, memory_order_acq_rel));
    return status;
}

void lw__replay_destroy(struct lw__replay *p)
{
    if (p)
        let_go(p);
    free(p);
}
