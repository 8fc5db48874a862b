/* dist.h - operations over ranks: more than one device, more than one machine. docs/many.md
 * explains it.
 *
 * Ranks hold parts of a tensor and call the same operations in the same order. Each has a device.
 * Results have the bits of one rank that holds everything: for any number of ranks, of devices and
 * threads, and however the tensor is cut. Ranks never exchange sums that the transport makes. They
 * exchange the roots of subtrees of docs/order.md, about log n values.
 */
#ifndef LANEWISE_DIST_H
#define LANEWISE_DIST_H
#include <lanewise/ops.h>
#ifdef __cplusplus
extern "C" {
#endif

/* How bytes travel: <lanewise/mpi.h> makes one from an MPI_Comm, with the user's mpicc. Each call
 * returns 0, or a text for lw_last_error. Calls are in the same order on all ranks.
 *
 * send       may return before the message is received, and must not wait for its receiver; the
 *            caller may change `data` after it
 * receive    waits for a message of exactly `bytes` from that rank and tag
 * allgather  of each rank `bytes` bytes, in the order of ranks; its text names who did not answer
 * release    is called once, by lw_comm_destroy; it may be NULL
 *
 * receive and allgather wait so many nanoseconds and then return a text. All calls of a rank are
 * made by the thread that calls the operation. */
typedef struct lw_transport {
    void *context;
    int rank, size;
    const char *(*send)(void *context, int to, int tag, const void *data, size_t bytes);
    const char *(*receive)(void *context, int from, int tag, void *data, size_t bytes,
                           uint64_t nanoseconds);
    const char *(*allgather)(void *context, const void *data, size_t bytes, void *all,
                             uint64_t nanoseconds);
    void (*release)(void *context);
} lw_transport;

typedef struct lw_comm lw_comm;

/* lw_comm_create - a rank on a device. The transport is copied; on failure the caller keeps it.
 * errors   LW_E_ARG, LW_E_MEMORY, LW_E_DEVICE
 * owns     release with lw_comm_destroy
 * thread   one thread at a time uses a comm */
LW_CHECKED lw_status lw_comm_create(lw_device *device, const lw_transport *transport,
                                    lw_comm **comm);

/* lw_comm_devices - one rank for each device, in this process: comms[i] is for the thread that
 * drives devices[i]. A device may be there more than once.
 * errors   LW_E_ARG, LW_E_MEMORY, LW_E_DEVICE; then all comms are NULL
 * owns     release each with lw_comm_destroy */
LW_CHECKED lw_status lw_comm_devices(lw_device *const *devices, int count, lw_comm **comms);

LW_API void lw_comm_destroy(lw_comm *comm);   /* NULL is allowed */
LW_API int lw_comm_rank(const lw_comm *comm); /* 0 for NULL */
LW_API int lw_comm_size(const lw_comm *comm); /* 0 for NULL */

/* lw_comm_set_limit - of one exchange; 60 seconds where it is not set. */
LW_API void lw_comm_set_limit(lw_comm *comm, uint64_t nanoseconds);

/* The part of one axis that this rank holds: elements first .. first + count of global. Parts
 * follow each other in rank order, of any size, also 0, and cover the axis; else LW_E_SHAPE on all
 * ranks. */
typedef struct lw_part { size_t global, first, count; } lw_part;

/* The operations of ops.h over ranks: tensors hold the rank's part, `part` says which. All ranks
 * call the same one, with tensors that differ in the cut axis alone, and the same options.
 *
 * A call waits for the work that is queued on the stream, and for the other ranks. It returns when
 * its last launches are queued. It cannot be recorded in a graph.
 *
 * sum mean max argmax   cut is the axis of the options; where they are all axes, the first one.
 *                       Every rank gets the result. LW_SUM_EXACT of floating point is LW_E_ARG
 * scan softmax          cut is the axis of the options; each rank gets its part of the result
 * layer_norm            the same; weight and bias are cut as x is
 * matmul                cut are the rows of x and out, the axis before the last; y is whole
 * attention             cut are the positions of k and v; q and out are whole. No weights
 * gather                cut is the first axis of x; out is whole, on all ranks
 * scatter               x is whole, and rank 0's counts; cut is the first axis of out
 *
 * errors   of one rank are errors of all, which name it: those of the operation; of the stream,
 *          also of launches before; LW_E_SHAPE parts that do not cover the axis. LW_E_SHAPE,
 *          LW_E_ARG ranks differ. LW_E_TIMEOUT an exchange took longer than the limit: the text
 *          names the ranks that did not answer. LW_E_DEVICE the transport failed. After these two
 *          the comm stays failed: each call returns the same status */
#define LW__DIST LW_CHECKED lw_status
LW__DIST lw_dist_dot(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                     lw_part part, const lw_dot_options *o);
LW__DIST lw_dist_sum(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                     const lw_reduce_options *o);
LW__DIST lw_dist_mean(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                      const lw_reduce_options *o);
LW__DIST lw_dist_max(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                     const lw_reduce_options *o);
LW__DIST lw_dist_argmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                        const lw_reduce_options *o);
LW__DIST lw_dist_scan(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                      const lw_scan_options *o);
LW__DIST lw_dist_softmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                         const lw_norm_options *o);
LW__DIST lw_dist_layer_norm(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                            const lw_norm_options *o);
LW__DIST lw_dist_matmul(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                        lw_part rows, const lw_matmul_options *o);
LW__DIST lw_dist_attention(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k,
                           lw_tensor v, lw_part keys, const lw_attention_options *o);
LW__DIST lw_dist_gather(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part);
LW__DIST lw_dist_scatter(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part);

#ifdef __cplusplus
}
#endif
#endif
