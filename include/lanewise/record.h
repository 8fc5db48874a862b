/* record.h - a stream that records: it checks every launch as usual, then passes it to a function
 * and does not run it. lw_graph is built on it; so can be other ways to run launches later.
 */
#ifndef LANEWISE_RECORD_H
#define LANEWISE_RECORD_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A launch that has been checked. args and what they point to live until the function returns. */
typedef struct lw_recorded {
    lw_kernel *kernel;
    lw_dim3 grid, block;
    size_t shared_bytes;
    const lw_arg *args;
    size_t count;
} lw_recorded;

/* The functions of a recorder. launch keeps a launch; lw_stream_launch returns its status.
 * scratch makes the buffer of lw_stream_scratch, a blank one of at least so many bytes of u8;
 * lw_stream_scratch returns its status. */
typedef struct lw_recorder {
    lw_status (*launch)(const lw_recorded *launch, void *user);
    lw_status (*scratch)(size_t bytes, lw_buffer **buffer, void *user);
    void *user;
} lw_recorder;

/* lw_stream_create_recorder - a stream whose launches go to *recorder, which is copied. To wait for
 * it, and events in it, are LW_E_ARG; lw_stream_cancel and lw_stream_on_output do nothing.
 * errors   LW_E_ARG, LW_E_MEMORY
 * owns     release with lw_stream_destroy */
LW_CHECKED lw_status lw_stream_create_recorder(lw_device *device, const lw_recorder *recorder,
                                               lw_stream **stream);
LW_API bool lw_stream_records(const lw_stream *stream);

/* An allocator for the scratch memory of a stream. lend makes the buffer of lw_stream_scratch, or
 * fails with lw_fail; done gets it back once all launches that use it are queued. */
typedef struct lw_lender {
    lw_status (*lend)(size_t bytes, lw_buffer **buffer, void *user);
    void (*done)(lw_buffer *buffer, void *user);
    void *user;
} lw_lender;

/* lw_stream_on_scratch - have the lender lend from now on, in the thread that queues; lend NULL:
 * the stream's own memory again. While a wrapped stream is captured, its own memory cannot grow. A
 * lender that follows the order of the wrapped stream can lend even then.
 * thread   while nothing is lent, and no other thread uses the stream */
LW_API void lw_stream_on_scratch(lw_stream *stream, lw_lender lender);

/* lw_buffer_create_blank - a buffer without memory, for launches that `stream` records. To read,
 * write, fill, map or discard it, and to launch with it on another stream, are LW_E_ARG.
 * errors   LW_E_ARG the stream does not record; LW_E_DTYPE; LW_E_MEMORY
 * owns     release with lw_buffer_destroy */
LW_CHECKED lw_status lw_buffer_create_blank(lw_stream *stream, lw_dtype dtype, size_t count,
                                            lw_buffer **buffer);
LW_API bool lw_buffer_is_blank(const lw_buffer *buffer);

/* lw_buffer_create_part - `count` elements in the memory of `whole`, from byte `offset` on. The
 * part keeps a reference to the whole. A use of one does not count as a use of the other.
 * errors   LW_E_ARG, LW_E_SHAPE it exceeds the whole, LW_E_DTYPE, LW_E_MEMORY
 * owns     release with lw_buffer_destroy */
LW_CHECKED lw_status lw_buffer_create_part(lw_buffer *whole, size_t offset, lw_dtype dtype,
                                           size_t count, lw_buffer **buffer);

LW_API bool lw_buffer_is_mapped(const lw_buffer *buffer);

/* Launches that are queued together, repeatedly; only their arguments change between runs. */
typedef struct lw_batch lw_batch;

/* lw_batch_create - a batch of `count` launches. Launch k runs after the launches whose numbers are
 * after[begin[k]] to after[begin[k + 1] - 1], all below k. Others may run at the same time. Both
 * arrays are copied.
 * errors   LW_E_ARG, LW_E_MEMORY; LW_E_UNSUPPORTED the device takes launches one by one
 * owns     release with lw_batch_destroy, at any time */
LW_CHECKED lw_status lw_batch_create(lw_device *device, size_t count, const size_t *begin,
                                     const size_t *after, lw_batch **batch);
LW_API void lw_batch_destroy(lw_batch *batch);

/* lw_batch_run - check the launches as lw_stream_launch does, and queue all or none. It first waits
 * for runs of the batch on other streams.
 * errors   those of lw_stream_launch; LW_E_MEMORY; LW_E_UNSUPPORTED these have to be queued one by
 *          one: the stream is wrapped, or a kernel prints
 * thread   one at a time for a batch */
LW_CHECKED lw_status lw_batch_run(lw_batch *batch, lw_stream *stream, const lw_recorded *launches);
LW_API void lw_batch_wait(lw_batch *batch); /* until all runs of it have ended, failed or not */

/* lw_stream_is_captured - True if it is wrapped, and its owner captures it now.
 * errors   none: false where that cannot be learnt. thread: any */
LW_API bool lw_stream_is_captured(lw_stream *stream);
LW_API bool lw_stream_is_wrapped(const lw_stream *stream);

/* Take a reference, for a record of the object. lw_buffer_destroy and lw_kernel_release drop it. */
LW_API void lw_buffer_hold(lw_buffer *buffer);
LW_API void lw_kernel_hold(lw_kernel *kernel);
LW_API void lw_kernel_release(lw_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
