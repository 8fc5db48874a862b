/* dist.h - operations over ranks: the comm, agreement, parts, and folds.
 *
 * Every operation goes through the same steps on all ranks, in this order:
 *
 *     agree    each rank checks its own arguments; all learn each other's parts and failures
 *     fold     each rank computes the roots of the largest aligned subtrees that it holds whole,
 *              all ranks get all roots, and each merges them by the tree of docs/order.md
 *     finish   each rank writes its own result
 *
 * A rank that fails still takes part in the exchanges, with its status, so that all return.
 *
 *     comm.c     lw_comm, exchanges, failures
 *     devices.c  the transport between threads of a process, which also lends device memory
 *     parts.c    parts of an axis, nodes of the tree, merges
 *     fold.c     roots of subtrees
 *     join.c     those that need exp, joined on the device
 * and reduce.c, norm.c, attention.c, scan.c, move.c with the operations.
 */
#ifndef LW_OPS_DIST_H
#define LW_OPS_DIST_H
#include "lanewise/dist.h"
#include "ops/reduce.h"

enum { LW_DIST_INPUTS = 3, LW_DIST_NUMBERS = 6, LW_DIST_TEXT = 240 };

/* What all ranks must say alike, and their parts. It travels as it is. */
struct lw__record {
    int32_t status; /* of the rank's own checks */
    int32_t inputs;
    int64_t type;  /* an lw_dtype: the one that is computed in, which follows the output's, too */
    char name[16]; /* of the operation */
    uint64_t global, first, count;
    struct lw__record_input {
        int32_t dtype, rank, axis, unused;
        int64_t extent[LW_AXES]; /* 0 for the axis that is cut */
    } input[LW_DIST_INPUTS];
    double number[LW_DIST_NUMBERS]; /* options */
};

/* Memory that grows and is kept. */
struct lw__room {
    void *memory;
    size_t bytes;
};

/* Buffers of the device that the comm keeps, one for each use and dtype. */
enum lw__stage {
    LW_STAGE_NODES,
    LW_STAGE_RESULT,
    LW_STAGE_RAW,
    LW_STAGE_MORE,
    LW_STAGE_STATES,
    LW_STAGE_COUNT
};

/* Node `level, leaf >> level` of the aligned tree. */
struct lw__node {
    int rank, level;
    size_t leaf;       /* the first */
    size_t begin, end; /* elements of the axis */
    size_t slot;       /* among those of the rank */
};

/* right into left; merges of a round do not depend on each other. */
struct lw__merge {
    size_t left, right, round;
};

struct lw_comm {
    lw_device *device;
    lw_transport transport;
    uint64_t limit;
    lw_status failed;
    char why[LW_DIST_TEXT];
    lw_part *parts; /* of each rank */
    struct lw__record *records;
    lw_buffer *stages[LW_STAGE_COUNT][LW_DTYPE_COUNT];
    struct lw__room mine, all, raw, nodes, merges;
    size_t node_count, merge_count, rounds;
};

/* ---- comm.c ---------------------------------------------------------------------------------- */

/* lw__dist_begin - errors: LW_E_ARG no comm; that of a comm that failed. */
lw_status lw__dist_begin(lw_comm *c);

/* lw__dist_ready - the stream is of the comm's device, and what is queued so far is done: so a
 * launch that failed earlier is an error of this call, and of all ranks. Part of a rank's checks.
 * errors   LW_E_ARG, LW_E_DEVICE; those of the stream */
lw_status lw__dist_ready(const lw_comm *c, lw_stream *s);

/* lw__dist_agree - exchange records; fills c->records and c->parts. A rank with a failure gives
 * it as `status`, with its text in lw_last_error.
 * errors   that of the lowest rank that has one, naming it; LW_E_SHAPE parts that do not cover the
 *          axis; LW_E_ARG, LW_E_SHAPE, LW_E_DTYPE records that differ; of the exchange */
lw_status lw__dist_agree(lw_comm *c, struct lw__record *mine, lw_status status);

/* lw__dist_gather - each rank's status and `bytes` bytes from c->mine go to c->all of all ranks.
 * lw__dist_from: where those of a rank are.
 * errors   as lw__dist_agree */
lw_status lw__dist_gather(lw_comm *c, size_t bytes, lw_status status);
void *lw__dist_from(const lw_comm *c, int rank, size_t bytes);
/* Where to put this rank's bytes. errors: LW_E_MEMORY, and the comm has failed. */
lw_status lw__dist_mine(lw_comm *c, size_t bytes, void **mine);

/* Memory for what is sent or received. errors: LW_E_MEMORY, and the comm has failed. */
lw_status lw__dist_raw(lw_comm *c, size_t bytes);
lw_status lw__dist_send(lw_comm *c, int to, const void *data, size_t bytes);
lw_status lw__dist_receive(lw_comm *c, int from, void *data, size_t bytes);

/* Memory of at least so many bytes; what was in it is lost. errors: LW_E_MEMORY. */
lw_status lw__room(struct lw__room *room, size_t bytes);

/* A buffer of the comm with at least `count` elements. */
lw_status lw__stage(lw_comm *c, enum lw__stage use, lw_dtype dtype, size_t count, lw_buffer **out);

/* lw__dist_lends - true if ranks are threads of this process, so that each can read the buffers of
 * others: devices.c. */
bool lw__dist_lends(const lw_comm *c);

/* ---- parts.c --------------------------------------------------------------------------------- */

/* lw__parts_cover - errors: LW_E_SHAPE the parts do not follow each other or do not cover. */
lw_status lw__parts_cover(const lw_part *parts, int count);

/* lw__dist_nodes - the nodes of all ranks in the order of leaves of `leaf` elements, in c->nodes,
 * and the merges that make one of them, the first, the root.
 * errors   LW_E_MEMORY */
lw_status lw__dist_nodes(lw_comm *c, size_t leaf);

/* lw__own_nodes - those of this rank alone, as its part says, before others' are known. */
lw_status lw__own_nodes(lw_comm *c, lw_part part, size_t leaf, size_t *count);

static inline const struct lw__node *lw__dist_node(const lw_comm *c, size_t k)
{
    return (const struct lw__node *)c->nodes.memory + k;
}
static inline const struct lw__merge *lw__dist_merge(const lw_comm *c, size_t k)
{
    return (const struct lw__merge *)c->merges.memory + k;
}

/* ---- fold.c ---------------------------------------------------------------------------------- */

/* The roots of the subtrees that a rank holds. */
struct lw__fold {
    lw_comm *comm;
    lw_stream *stream;
    int inputs;
    lw_tensor x[LW_DIST_INPUTS]; /* this rank's parts */
    int axis[LW_DIST_INPUTS];    /* that is cut */
    size_t leaf;
    lw_dtype dtype; /* of the values of a node */
    size_t values;  /* of a node */
    /* Queue the launches that make one node from `x`, whose axes begin with element `first` of the
     * whole axis, into `values` elements from out.offset on. */
    lw_status (*node)(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out);
    void *user;
    bool is_queued; /* lw__fold_early was called, and lw__fold not since */
};

/* lw__fold_early - queue this rank's whole nodes before the ranks agree: the exchange then takes no
 * time of the device. It is part of a rank's checks. */
lw_status lw__fold_early(struct lw__fold *f, lw_part part);

/* lw__fold - all roots, on all ranks: lw__fold_at. c->parts are those of the axis.
 * errors   that of the lowest rank that has one, naming it; of the exchange */
lw_status lw__fold(struct lw__fold *f);
void *lw__fold_at(const struct lw__fold *f, size_t node); /* as lw__dist_node counts */

/* lw__fold_cut - the node that a rank makes with elements of later ones, or NULL.
 * lw__fold_leaf - its elements, of the first input, which stay after lw__fold.
 * lw__fold_head - the rank that makes the leaf in which this rank's part begins; -1: itself.
 * lw__fold_head_end - where in that leaf the part ends. */
const struct lw__node *lw__fold_cut(const struct lw__fold *f, int rank);
lw_status lw__fold_leaf(struct lw__fold *f, const struct lw__node *leaf, lw_tensor *x);
int lw__fold_head(const struct lw__fold *f);
size_t lw__fold_head_end(const struct lw__fold *f, const lw_part *part);

/* The same view with the axis first; the others keep their order. */
lw_status lw__axis_first(lw_tensor t, int axis, lw_tensor *out);

/* lw__fold_sum - merge all roots by addition into `values` elements of A; false: there are none. */
bool lw__fold_sum(const struct lw__fold *f, void *total);

/* ---- join.c ---------------------------------------------------------------------------------- */

/* lw__dist_join - queue launches that join all nodes of softmax (width 0) or attention. nodes,
 * root: where the root is, in values of a node.
 * errors   LW_E_MEMORY, those of launches */
lw_status lw__dist_join(const struct lw__fold *f, const char *name, size_t width, lw_buffer **nodes,
                        size_t *root);

/* lw__join_line - queue launches that join `count` nodes of one level, which lie side by side in
 * scratch memory that has room for 2 * count + 64. root: as above. */
lw_status lw__join_line(struct lw__call *call, const struct lw__operand *nodes, size_t count,
                        size_t rows, size_t width, size_t *root);

/* ---- ../attention.c -------------------------------------------------------------------------- */

lw_status lw__attention_check(struct lw__call *call, lw_tensor out, lw_tensor q, lw_tensor k,
                              lw_tensor v, const lw_attention_options *options);

/* lw__attention_node - queue: the parts of all rows over some keys, after which are `later` more,
 * into out: for each row v's depth, its maximum and its sum. */
lw_status lw__attention_node(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                             size_t later, const lw_attention_options *options);

/* lw__attention_end - queue: from the parts over all keys, so many, the result. k and v may have
 * any number of them. */
lw_status lw__attention_end(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                            size_t keys, lw_tensor parts, const lw_attention_options *options);

/* ---- operation.c ----------------------------------------------------------------------------- */

/* lw__dist_call - a call without launches, for checks of operands: named as the operation. */
struct lw__call lw__dist_call(const char *name, const lw_comm *c, lw_stream *s);

/* lw__dist_axis - options' axis of a tensor whose operand is `o`, from 0. option 0: `otherwise`.
 * errors   LW_E_ARG there is none; LW_E_SHAPE the tensor has another extent than `part` says */
lw_status lw__dist_axis(const struct lw__call *call, const struct lw__operand *o, int option,
                        int otherwise, lw_part part, int *axis);

/* lw__record - the record of an operation, without inputs; lw__record_add adds one whose axis is
 * cut, -1: none. */
struct lw__record lw__record(const char *name, lw_part part);
void lw__record_add(struct lw__record *r, const struct lw__operand *o, int axis);

/* lw__dist_write - queue: `count` values of a dtype from the host, in C order, converted to out.
 * The values may go once it returns. */
lw_status lw__dist_write(lw_comm *c, lw_stream *s, lw_tensor out, lw_dtype dtype, size_t count,
                         const void *values);
#endif
