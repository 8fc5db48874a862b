/* graph.h - graphs: what is recorded, where its memory lies, how it is run.
 *
 *     graph.c        recording
 *     index.c        finds recorded objects
 *     plan.c         lifetimes of temporaries
 *     place.c        their memory
 *     order.c        which launches follow which
 *     executable.c   compiled graphs and their runs
 *     draw.c         pictures
 * The work of recording and planning grows linearly with the launches. Both count it in `looks`,
 * which tests check.
 */
#ifndef LW_OPS_GRAPH_H
#define LW_OPS_GRAPH_H
#include "lanewise/record.h"
#include "ops/op.h"
#include <stdatomic.h>
#include <stdint.h>

#define LW_NO_TENSOR SIZE_MAX

enum lw__role { LW_ROLE_INPUT, LW_ROLE_OUTPUT, LW_ROLE_TEMPORARY, LW_ROLE_SCRATCH };

struct lw__graph_tensor {
    enum lw__role role;
    char *name; /* of an input or output; NULL */
    lw_dtype dtype;
    int rank;
    ptrdiff_t extent[LW_AXES];
    size_t count, bytes;
    size_t declared;   /* OUTPUT: how many came before it */
    lw_buffer *buffer; /* of a graph: blank; of an executable: what a launch gets, NULL if bound */

    /* plan.c: */
    bool is_used, is_written;
    bool needs_start;   /* a kernel takes it in larger elements: it may not begin between two */
    size_t first, last; /* launches that use it */
    size_t offset;      /* TEMPORARY, SCRATCH: bytes */
};

/* A recorded launch; graphs and executables share it. Nothing but holds changes. */
struct lw__graph_launch {
    atomic_size_t holds;
    lw_recorded call;
    size_t *tensors; /* of each argument: its tensor, or LW_NO_TENSOR */
};

struct lw__recording {
    lw_device *device;
    struct lw__graph_tensor *tensors;
    size_t tensor_count;
    struct lw__graph_launch **launches;
    size_t launch_count, inputs, outputs;
    uint64_t looks; /* of the plan */
};

/* ---- index.c ---- */

/* All zero: empty. */
struct lw__index {
    struct lw__index_entry {
        uint64_t hash;
        size_t number;
    } *entries;
    size_t room, count;
    uint64_t looks;
};
bool lw__index_add(struct lw__index *index, uint64_t hash, size_t number); /* false: no memory */

/* lw__index_next - one after the other the numbers with this hash, then LW_NO_TENSOR. *cursor is 0
 * before the first. */
size_t lw__index_next(struct lw__index *index, uint64_t hash, size_t *cursor);
void lw__index_free(struct lw__index *index);
uint64_t lw__index_hash(const char *text);
uint64_t lw__index_hash_pointer(const void *pointer);

/* ---- graph.c ---- */

/* lw__recording_copy - with launches shared, buffers held. errors: LW_E_MEMORY
 * owns     release with lw__recording_free, also after a failure */
lw_status lw__recording_copy(const struct lw__recording *from, struct lw__recording *to);
void lw__recording_free(struct lw__recording *recording);

lw_buffer *lw__arg_buffer(const lw_arg *arg); /* NULL: it is a value */
bool lw__tensor_is_planned(const struct lw__graph_tensor *t);

/* ---- plan.c ---- */

/* lw__plan - lifetimes, then a place for each temporary and piece of scratch memory.
 * errors   LW_E_ARG a temporary is read before it is written
 * out      *bytes of all; *unshared: what they would take side by side */
lw_status lw__plan(struct lw__recording *recording, size_t *bytes, size_t *unshared);

/* ---- place.c ---- */

/* lw__place_all - an offset for each of the temporaries, those alive together apart; they come in
 * the order of their first use, and order is changed. *looks is added to. False: no memory. */
bool lw__place_all(struct lw__graph_tensor **order, size_t count, uint64_t *looks);

/* ---- order.c ---- */

/* Launch k follows after[begin[k]] up to after[begin[k + 1]]. */
struct lw__order {
    size_t *begin, *after, count;
};

/* lw__order - of launches whose temporaries have places. errors: LW_E_MEMORY
 * owns     release with lw__order_free, also after a failure */
lw_status lw__order(struct lw__recording *recording, struct lw__order *order);
void lw__order_free(struct lw__order *order);

struct lw_graph {
    struct lw__recording recording;
    struct lw__index by_buffer, by_name; /* tensors */
    lw_stream *stream;
};
#endif
