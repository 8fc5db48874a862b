/* ops.h - ready-made operations, graphs, registered operations: docs/operations.md explains them.
 *
 * Every call that takes a stream checks its arguments, queues launches and returns; what goes wrong
 * later comes from lw_stream_wait. `options` NULL or all zero: the defaults.
 */
#ifndef LANEWISE_OPS_H
#define LANEWISE_OPS_H

#include <lanewise/lanewise.h> /* lw_tensor there gets a last field: bool strided */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what lanewise.h gains (they stand there, not here; listed to fix their form) ------------

LW_CHECKED lw_status lw_buffer_wrap(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                                    bool read_only, void (*release)(void *memory, void *user),
                                    void *user, lw_buffer **buffer);
LW_CHECKED lw_status lw_stream_wrap(lw_device *device, void *native, lw_stream **stream);
LW_CHECKED lw_status lw_stream_check(lw_stream *stream);       errors known so far, without waiting
LW_CHECKED lw_status lw_stream_reserve(lw_stream *stream, size_t scratch_bytes);
LW_CHECKED lw_status lw_trap_faults(void);         faults of kernels on cpu become LW_E_LAUNCH
*/

/* ---- views on the host, zero-copy ------------------------------------------------------------ */

/* All make *out of t, of the same buffer, with `strided` set; nothing is copied and no buffer is
 * held. Ranks go from 0 (one element) to 4, extents from 0. On failure *out is all zero. t must be
 * a view within its buffer. An axis counts from 0, or from the end if negative.
 * errors   of all: LW_E_ARG a pointer or t's buffer is NULL, or no such axis; LW_E_SHAPE a rank or
 *          extent out of range, t reaches beyond its buffer, or there are too many elements
 * thread   any */

/* lw_tensor_of - the first elements of a buffer in C order.
 * errors   also LW_E_SHAPE the buffer has fewer */
LW_CHECKED lw_status lw_tensor_of(lw_buffer *buffer, int rank, const ptrdiff_t *extents,
                                  lw_tensor *out);

/* lw_tensor_slice - every step-th slice along an axis, from begin on and before end, both as
 * Python's: negative ones count from the end, those out of range are clipped. step < 0: from begin
 * down to end. There is no None: PTRDIFF_MAX as end, or PTRDIFF_MIN with step < 0, goes through.
 * errors   also LW_E_ARG step is 0 */
LW_CHECKED lw_status lw_tensor_slice(lw_tensor t, int axis, ptrdiff_t begin, ptrdiff_t end,
                                     ptrdiff_t step, lw_tensor *out);

/* lw_tensor_permute - axis i of *out is axis axes[i] of t. axes NULL: reversed.
 * errors   also LW_E_ARG an axis comes twice */
LW_CHECKED lw_status lw_tensor_permute(lw_tensor t, const int *axes, lw_tensor *out);

/* lw_tensor_reshape - the elements in C order under other extents.
 * errors   also LW_E_SHAPE the number of elements differs, or the strides do not allow it */
LW_CHECKED lw_status lw_tensor_reshape(lw_tensor t, int rank, const ptrdiff_t *extents,
                                       lw_tensor *out);

/* lw_tensor_broadcast - as NumPy: axes are matched from the last on. An extent of 1, or an axis
 * that t lacks, is repeated with a stride of 0.
 * errors   also LW_E_SHAPE an extent fits neither way */
LW_CHECKED lw_status lw_tensor_broadcast(lw_tensor t, int rank, const ptrdiff_t *extents,
                                         lw_tensor *out);

/* ---- options --------------------------------------------------------------------------------- */

/* An axis in options: LW_AXIS(k), k from 0, or negative from the end. 0: the operation's default,
 * which is all axes for reductions and arg*, the last for the others. */
#define LW_AXIS(k) ((k) >= 0 ? (k) + 1 : (k))

typedef enum lw_sum_order { LW_SUM_FIXED, LW_SUM_EXACT, LW_SUM_FREE } lw_sum_order;

typedef struct lw_dot_options { lw_sum_order sum; } lw_dot_options;
typedef struct lw_reduce_options { int axis; bool keepdims; lw_sum_order sum; } lw_reduce_options;
typedef struct lw_map_number { const char *name; lw_arg value; } lw_map_number; /* an int, uint or
    real: a parameter of the kernel, so that another value needs no other kernel */
typedef struct lw_map_options {
    const char *const *names; /* of the inputs in the expressions; NULL: a to h */
    const lw_map_number *numbers;
    size_t number_count; /* up to 16 */
    const char *head; /* C that comes before, as functions that the expressions call; or NULL */
} lw_map_options;
typedef struct lw_map_reduce_options { int axis; bool keepdims; const lw_map_options *with; }
    lw_map_reduce_options; /* with: for the map, or NULL */
typedef enum lw_scan_op { LW_SCAN_ADD, LW_SCAN_MUL, LW_SCAN_MAX, LW_SCAN_MIN } lw_scan_op;
typedef struct lw_scan_options { int axis; bool exclusive; lw_scan_op op; } lw_scan_options;
typedef enum lw_edge { LW_EDGE_VALID, LW_EDGE_ZERO, LW_EDGE_SHRINK } lw_edge;
typedef struct lw_difference_options { int axis; lw_edge edge; }
    lw_difference_options; /* VALID, ZERO */
typedef struct lw_moving_average_options { int axis, window; lw_edge edge; bool centre; }
    lw_moving_average_options; /* window 0 means 3 */
typedef struct lw_norm_options { int axis; double eps; const lw_tensor *weight, *bias; }
    lw_norm_options; /* eps 0 means 1e-5; not used by mean_normalize and softmax */
typedef struct lw_matmul_options { const lw_tensor *bias; lw_sum_order sum; }
    lw_matmul_options; /* sum: not EXACT, here and in the next two */
typedef struct lw_attention_options {
    double scale; /* 0 means 1 */
    bool causal;  /* query i of n sees keys up to i + keys - n */
    int window;   /* keys up to the query's own, and as many from it on if not causal; 0: all */
    const lw_tensor *weights; /* an output, or NULL */
    lw_sum_order sum;
} lw_attention_options;
typedef struct lw_conv_options { int pad[2], stride[2]; lw_sum_order sum; }
    lw_conv_options; /* stride 0 means 1 */
typedef struct lw_take_options {
    int axis;              /* 0: the first one */
    const lw_tensor *more; /* indices of the axes behind it, which broadcast with the first ones */
    size_t more_count;
} lw_take_options;
typedef struct lw_take_along_axis_options { int axis; } lw_take_along_axis_options;
typedef lw_take_options lw_scatter_options;
typedef struct lw_histogram_options { double low, high; } lw_histogram_options;
typedef struct lw_sort_options { int axis; bool descending; } lw_sort_options;
typedef struct lw_top_k_options { int axis; bool smallest; } lw_top_k_options;
typedef enum lw_side { LW_SIDE_LEFT, LW_SIDE_RIGHT } lw_side; /* before equals, behind them */
typedef struct lw_searchsorted_options { lw_side side; } lw_searchsorted_options;

/* ---- operations ------------------------------------------------------------------------------ */

/* The output's dtype is the caller's. Where inputs and output are f16, bf16 or f32, sums are
 * made in f32. Where both are integers they are made in 64 bits, else in f64 (docs/order.md). */
#define LW__CALL LW_CHECKED lw_status
LW__CALL lw_dot(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                const lw_dot_options *options);
#define LW__REDUCTION(name)                                                                        \
    LW__CALL name(lw_stream *s, lw_tensor out, lw_tensor x, const lw_reduce_options *options);
LW__REDUCTION(lw_sum) LW__REDUCTION(lw_prod) LW__REDUCTION(lw_max) LW__REDUCTION(lw_min)
LW__REDUCTION(lw_mean) LW__REDUCTION(lw_any) LW__REDUCTION(lw_all)
LW__REDUCTION(lw_argmax) LW__REDUCTION(lw_argmin) /* out: i64 */
LW__CALL lw_map(lw_stream *s, lw_tensor out, const char *expression, const lw_tensor *inputs,
                size_t count);
LW__CALL lw_map_many(lw_stream *s, const lw_tensor *outs, const char *const *expressions,
                     size_t out_count, const lw_tensor *inputs, size_t count,
                     const lw_map_options *options); /* outs of one shape, 1 to 4 */
LW__CALL lw_map_reduce(lw_stream *s, lw_tensor out, const char *map, const char *combine,
                       double identity, const lw_tensor *inputs, size_t count,
                       const lw_map_reduce_options *options);
LW__CALL lw_scan(lw_stream *s, lw_tensor out, lw_tensor x, const lw_scan_options *options);
LW__CALL lw_difference(lw_stream *s, lw_tensor out, lw_tensor x,
                       const lw_difference_options *options);
LW__CALL lw_moving_average(lw_stream *s, lw_tensor out, lw_tensor x,
                           const lw_moving_average_options *options);
#define LW__NORM(name)                                                                             \
    LW__CALL name(lw_stream *s, lw_tensor out, lw_tensor x, const lw_norm_options *options);
LW__NORM(lw_mean_normalize) LW__NORM(lw_layer_norm) LW__NORM(lw_rms_norm)
LW__NORM(lw_softmax) LW__NORM(lw_log_softmax)
LW__CALL lw_permute(lw_stream *s, lw_tensor out, lw_tensor x, const int *axes); /* NULL: reversed */
LW__CALL lw_copy(lw_stream *s, lw_tensor out, lw_tensor x);
LW__CALL lw_matmul(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                   const lw_matmul_options *options);
LW__CALL lw_attention(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                      const lw_attention_options *options);
LW__CALL lw_conv1d(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
                   const lw_conv_options *options);
LW__CALL lw_conv2d(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
                   const lw_conv_options *options);
LW__CALL lw_take(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                 const lw_take_options *options);
LW__CALL lw_take_along_axis(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                            const lw_take_along_axis_options *options);
LW__CALL lw_scatter(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices, lw_tensor values,
                    const lw_scatter_options *options); /* out may be x, here and in the next one */
LW__CALL lw_scatter_add(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                        lw_tensor values, const lw_scatter_options *options);
LW__CALL lw_histogram(lw_stream *s, lw_tensor counts, lw_tensor x,
                      const lw_histogram_options *options);
LW__CALL lw_compact(lw_stream *s, lw_tensor out, lw_tensor count, lw_tensor x, lw_tensor mask);
LW__CALL lw_sort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options);
LW__CALL lw_argsort(lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *options);
LW__CALL lw_top_k(lw_stream *s, lw_tensor values, lw_tensor indices, lw_tensor x,
                  const lw_top_k_options *options);
LW__CALL lw_searchsorted(lw_stream *s, lw_tensor out, lw_tensor sorted, lw_tensor values,
                         const lw_searchsorted_options *options); /* sorted: of rank 1; out: i64 */

/* ---- graphs ---------------------------------------------------------------------------------- */

typedef struct lw_graph lw_graph;
typedef struct lw_executable lw_executable;

LW_CHECKED lw_status lw_graph_create(lw_device *device, lw_graph **graph);
LW_API void lw_graph_destroy(lw_graph *graph);
LW_API lw_stream *lw_graph_stream(lw_graph *graph); /* lives as long as the graph */
LW_CHECKED lw_status lw_graph_input(lw_graph *graph, const char *name, lw_dtype dtype, int rank,
                                    const ptrdiff_t *extents, lw_tensor *out);
LW_CHECKED lw_status lw_graph_temporary(lw_graph *graph, lw_dtype dtype, int rank,
                                        const ptrdiff_t *extents, lw_tensor *out);
LW_CHECKED lw_status lw_graph_output(lw_graph *graph, const char *name, lw_tensor t);
LW_CHECKED lw_status lw_graph_compile(lw_graph *graph, lw_executable **executable);
LW_CHECKED lw_status lw_graph_draw(lw_graph *graph, const char *format, /* "dot" "svg" */
                                   const char *path);

LW_API void lw_executable_destroy(lw_executable *executable);
LW_CHECKED lw_status lw_executable_run(lw_executable *executable, lw_stream *s,
                                       const char *const *names, const lw_tensor *tensors,
                                       size_t count);
typedef struct lw_placement { size_t bytes, offset, first_launch, last_launch; } lw_placement;
typedef struct lw_executable_info {
    size_t launches;
    size_t bytes_planned, bytes_unshared, temporaries; /* operations' scratch counts too */
    const lw_placement *placements;                    /* lives as long as the executable */
} lw_executable_info;
LW_CHECKED lw_status lw_executable_get_info(const lw_executable *executable,
                                            lw_executable_info *info);

/* ---- operations by name ---------------------------------------------------------------------- */

typedef struct lw_op lw_op;
typedef struct lw_shape { lw_dtype dtype; int rank; ptrdiff_t extent[4]; } lw_shape;
typedef struct lw_params lw_params; /* values of the declared parameters */
LW_CHECKED lw_status lw_params_int(const lw_params *p, const char *name, int64_t *value);
LW_CHECKED lw_status lw_params_real(const lw_params *p, const char *name, double *value);
LW_CHECKED lw_status lw_params_bool(const lw_params *p, const char *name, bool *value);
LW_CHECKED lw_status lw_params_string(const lw_params *p, const char *name, const char **value);
LW_CHECKED lw_status lw_params_dtype(const lw_params *p, const char *name, lw_dtype *value);

typedef struct lw_op_def {
    const char *name;       /* letters, digits, _ and ::, as "mine::attention" */
    const char *parameters; /* "d:int=0 scale:real=1 causal:bool=false mode:string=a t:dtype=f32" */
    size_t inputs, outputs;
    lw_status (*infer)(const lw_shape *inputs, const lw_params *params, lw_shape *outputs,
                       void *user);
    lw_status (*record)(lw_stream *s, const lw_tensor *outputs, const lw_tensor *inputs,
                        const lw_params *params, void *user);
    void *user;
} lw_op_def;
/* errors LW_E_ARG the name is taken, the parameters do not parse */
LW_CHECKED lw_status lw_op_register(const lw_op_def *def, lw_op **op);
LW_CHECKED lw_status lw_op_find(const char *name, lw_op **op); /* LW_E_ARG lists the nearest */
LW_API size_t lw_op_list(const char **names, size_t capacity);
LW_CHECKED lw_status lw_op_infer(lw_op *op, const char *params_json, const lw_shape *inputs,
                                 size_t count, lw_shape *outputs, size_t capacity);
LW_CHECKED lw_status lw_op_run(lw_op *op, lw_stream *s, const char *params_json,
                               const lw_tensor *outputs, size_t output_count,
                               const lw_tensor *inputs, size_t input_count);

/* In infer and record: leave a message and give the status. */
LW_API lw_status lw_fail(lw_status status, const char *format, ...) LW__PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
