/* launch.h - a kernel with its grid and arguments becomes a job of a stream. Other folders have the
 * public functions alone.
 *
 *     scalar   a number as the bits of a type
 *     args     arguments are checked and packed
 *     launch   limits, arguments, code: a job, which the stream's queue takes
 *     batch    launches that are queued as one
 */
#ifndef LW_RUN_LAUNCH_H
#define LW_RUN_LAUNCH_H

#include "run/queue/queue.h"

/* lw__scalar_pack - one number as the bits of a dtype, or an error with `what` before it.
 * errors   LW_E_DTYPE a real for an integer; LW_E_ARG the type cannot hold the value */
lw_status lw__scalar_pack(const char *what, const lw_arg *arg, lw_dtype dtype, void *to);

/* lw__args_pack - check the arguments against the kernel's parameters and pack them into job.
 * errors   LW_E_ARG, LW_E_SHAPE, LW_E_DTYPE, LW_E_DEVICE, LW_E_MEMORY */
lw_status lw__args_pack(struct lw__job *job, const lw_arg *args, size_t count);

/* lw__launch_make - a job of a launch that is checked and packed; the one behind lw_stream_launch.
 * errors   those of lw_stream_launch that come of its arguments
 * owns     as lw__job_take */
lw_status lw__launch_make(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                          size_t dynamic_bytes, const lw_arg *args, size_t count,
                          struct lw__job **job);
#endif
