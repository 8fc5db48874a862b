/* launch.h - a kernel with its grid and arguments becomes a job of a stream. Other folders have the
 * public functions alone.
 *
 *     scalar   a number as the bits of a type
 *     slot     one argument, with its parameter
 *     args     arguments are checked and packed
 *     declared those whose parameters declare their sizes
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

/* One argument and the parameter it is for. */
struct lw__slot {
    struct lw__job *job;
    const lw_param *param;
    size_t index;
    const lw_arg *arg;
    char *to;         /* param->bytes in the packed arguments */
    const char *what; /* "dot: parameter 2 'a' (const float *)" */
};

/* lw__slot_of - of the index-th parameter. lw__is_bytes - of no type: every pointer takes it.
 * lw__buffer_type - "f32". lw__add_numbers - "2, 3". */
struct lw__slot lw__slot_of(struct lw__job *job, size_t index, const lw_arg *args);
bool lw__is_bytes(const lw_buffer *b);
const char *lw__buffer_type(const lw_buffer *b);
void lw__add_numbers(struct lw__message *m, int count, const ptrdiff_t *numbers);

/* lw__check_declared - job->args is packed: has each argument the sizes that are declared? What it
 * may reach is then that.
 * errors   LW_E_SHAPE, LW_E_MEMORY */
lw_status lw__check_declared(struct lw__job *job, const lw_arg *args);

/* lw__launch_make - a job of a launch that is checked and packed; the one behind lw_stream_launch.
 * errors   those of lw_stream_launch that come of its arguments
 * owns     as lw__job_take */
lw_status lw__launch_make(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                          size_t dynamic_bytes, const lw_arg *args, size_t count,
                          struct lw__job **job);
#endif
