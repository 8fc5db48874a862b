/* graph.h - graphs: what is recorded, where its memory lies, how it is run.
 *
 * Files: graph.c (recording), plan.c (lifetimes and memory), executable.c (compiled graphs and
 * their runs), draw.c.
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
    size_t launch_count, outputs;
};

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

struct lw_graph {
    struct lw__recording recording;
    lw_stream *stream;
};
#endif
