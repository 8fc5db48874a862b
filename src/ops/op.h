/* op.h - what every operation is made of: a call, operands, launches, scratch memory, copies.
 *
 * An operation is one function. It checks its arguments, brings its operands into the form that its
 * kernels read, and queues launches. It runs twice (lw__call_run). The first time finds out how
 * much scratch memory it takes; launches and copies then do nothing.
 *
 *     call.c       calls, scratch memory, launches
 *     programs.c   kernels of a device
 *     operand.c    checks
 *     axes.c       views
 *     copy.c       copies
 * Each family of operations has its own file.
 */
#ifndef LW_OPS_OP_H
#define LW_OPS_OP_H
#include "base/base.h"
#include "lanewise/ops.h"

enum { LW_AXES = 4 }; /* of every operand; those that a tensor lacks are leading ones of extent 1 */

/* ORDER VIEW: kernels/view.h. Strides and offset in elements of the buffer. */
struct lw__shape {
    size_t extent[LW_AXES];
};
struct lw__view {
    ptrdiff_t offset, stride[LW_AXES];
};

/* A tensor that has been checked. */
struct lw__operand {
    const char *name; /* for messages: "x" */
    lw_buffer *buffer;
    lw_dtype dtype;
    int rank; /* as the caller gave it */
    struct lw__shape shape;
    struct lw__view view;
};

/* One call of an operation. */
struct lw__call {
    const char *name; /* of the operation, for messages: "softmax" */
    lw_stream *stream;
    lw_device *device;
    bool is_gpu;      /* kernels come in variants for GPUs and for processors */
    bool has_vectors; /* some also for processors with vectors of more than 128 bits */
    bool is_dry;      /* the first run: nothing is launched */
    size_t scratch;   /* bytes taken so far */
    lw_buffer *memory;
};

/* ---- call.c ---------------------------------------------------------------------------------- */

typedef lw_status lw__op_body(struct lw__call *call, void *arguments);

/* lw__call_run - run the operation's body, as the head of this file says.
 * errors   LW_E_ARG the stream is NULL; LW_E_MEMORY; those of the body */
lw_status lw__call_run(const char *name, lw_stream *stream, lw__op_body *body, void *arguments);

/* lw__call_named - the status; the message of a failure gets the operation's name in front. */
lw_status lw__call_named(const struct lw__call *call, lw_status status);

/* lw__call_scratch - an operand in scratch memory, in C order, of this dtype and shape.
 * errors   LW_E_SHAPE it is larger than memory can be */
lw_status lw__call_scratch(struct lw__call *call, const char *name, lw_dtype dtype,
                           struct lw__shape shape, struct lw__operand *out);

/* The kernels' files, kernels/NAME.c. */
enum lw__ops_program {
#define LW_OPS_PROGRAM(name, targets, blocks) LW_PROGRAM_##name,
#include "ops/ops.def"
#undef LW_OPS_PROGRAM
    LW_PROGRAM_COUNT
};

/* lw__call_launch - queue a launch of a kernel of one of these files.
 * blocks   0: there is nothing to do; more than a grid takes in x are an LW_E_SHAPE
 * errors   those of lw_stream_launch */
lw_status lw__call_launch(struct lw__call *call, enum lw__ops_program program, const char *kernel,
                          lw_dim3 grid, lw_dim3 block, const lw_arg *args, size_t count);
#define LW_OP_LAUNCH(call, program, kernel, grid, block, ...)                                      \
    LW_OP_UNLESS_DRY(call, LW_PROGRAM_##program, kernel, grid, block, LW_ARGS(__VA_ARGS__))
#define LW_OP_UNLESS_DRY(call, ...) ((call)->is_dry ? LW_OK : lw__call_launch(call, __VA_ARGS__))
#define LW_ARGS(...)                                                                               \
    (const lw_arg[]){__VA_ARGS__}, sizeof((const lw_arg[]){__VA_ARGS__}) / sizeof(lw_arg)

/* lw__call_blocks - the same, of so many blocks in x. */
lw_status lw__call_blocks(struct lw__call *call, enum lw__ops_program program, const char *kernel,
                          size_t blocks, lw_dim3 block, const lw_arg *args, size_t count);
#define LW_OP_BLOCKS(call, program, kernel, blocks, block, ...)                                    \
    lw__call_blocks(call, LW_PROGRAM_##program, kernel, blocks, block, LW_ARGS(__VA_ARGS__))

/* From kernels/NAME.c, or on GPUs from NAME_gpu.c. */
#define LW_OP_LAUNCH_VARIANT(call, name, kernel, grid, block, ...)                                 \
    LW_OP_UNLESS_DRY(call, LW_OP_VARIANT(call, name), kernel, grid, block, LW_ARGS(__VA_ARGS__))
#define LW_OP_BLOCKS_VARIANT(call, name, kernel, blocks, block, ...)                               \
    lw__call_blocks(call, LW_OP_VARIANT(call, name), kernel, blocks, block, LW_ARGS(__VA_ARGS__))
#define LW_OP_VARIANT(call, name) ((call)->is_gpu ? LW_PROGRAM_##name##_gpu : LW_PROGRAM_##name)

/* The same where long vectors have NAME_vector.c. */
#define LW_OP_LAUNCH_LEVEL(call, name, kernel, grid, block, ...)                                   \
    LW_OP_UNLESS_DRY(call, LW_OP_LEVEL(call, name), kernel, grid, block, LW_ARGS(__VA_ARGS__))
#define LW_OP_BLOCKS_LEVEL(call, name, kernel, blocks, block, ...)                                 \
    lw__call_blocks(call, LW_OP_LEVEL(call, name), kernel, blocks, block, LW_ARGS(__VA_ARGS__))
#define LW_OP_LEVEL(call, name)                                                                    \
    ((call)->has_vectors ? LW_PROGRAM_##name##_vector : LW_OP_VARIANT(call, name))

/* lw__call_queue - lw_stream_launch, whose error gets the operation's name. */
lw_status lw__call_queue(struct lw__call *call, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                         const lw_launch_options *options, const lw_arg *args, size_t count);

/* lw__threads - the size of a block for kernels without barriers and collectives: a warp, but one
 * thread where vectors are short, since the code of a warp would be long. ops.def has the same. */
uint32_t lw__threads(const struct lw__call *call);

/* lw__workers - the processor's threads, which a launch of the kernel may have; 1 on a GPU and in a
 * dry run. */
lw_status lw__workers(const struct lw__call *call, enum lw__ops_program program, const char *kernel,
                      size_t *threads);

/* lw__grid - blocks in x. errors: LW_E_SHAPE there are too many. */
lw_status lw__grid(const struct lw__call *call, size_t blocks, lw_dim3 *grid);

static inline lw_arg lw__arg_view(const struct lw__view *v)
{
    return lw_arg_bytes(v, sizeof *v);
}
static inline lw_arg lw__arg_shape(const struct lw__shape *s)
{
    return lw_arg_bytes(s, sizeof *s);
}
static inline size_t lw__divide_up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

/* lw__arg_at - for a parameter `void *`: where the operand's elements begin. They lie side by side.
 */
lw_arg lw__arg_at(const struct lw__operand *o);

/* ---- programs.c ------------------------------------------------------------------------------ */

/* lw__ops_kernel - a kernel of the operations, built for the call's device.
 * errors   those of lw_program_build and lw_program_kernel
 * owns     nothing: it lives as long as the device */
lw_status lw__ops_kernel(const struct lw__call *call, enum lw__ops_program program,
                         const char *name, lw_kernel **kernel);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* lw__tensor_has_strides - as lanewise.h says: strides of 0 alone mean C order unless `strided`.
 * lw__tensor_is_plain - True if it is in C order without gaps.
 * lw__reach - the lowest and the highest element; false where they leave the range of ptrdiff_t. */
bool lw__tensor_has_strides(const lw_tensor *t);
bool lw__tensor_is_plain(const lw_tensor *t);
bool lw__reach(int axes, size_t offset, const ptrdiff_t *extent, const ptrdiff_t *stride,
               ptrdiff_t *lowest, ptrdiff_t *highest);

/* ---- operand.c ------------------------------------------------------------------------------- */

/* lw__operand_in, lw__operand_out - check a tensor and bring it to four axes.
 * errors   LW_E_ARG no buffer, an output that is read-only or whose elements share memory;
 *          LW_E_SHAPE a rank not 0 to 4, it leaves its buffer; LW_E_DTYPE the buffer holds structs;
 *          LW_E_DEVICE */
lw_status lw__operand_in(const struct lw__call *call, const char *name, lw_tensor t,
                         struct lw__operand *out);
lw_status lw__operand_out(const struct lw__call *call, const char *name, lw_tensor t,
                          struct lw__operand *out);

/* lw__operand_apart - an output may not overlap an input, but be the same tensor where `in_place`.
 * errors   LW_E_ARG */
lw_status lw__operand_apart(const struct lw__call *call, const struct lw__operand *out,
                            const struct lw__operand *in, bool in_place);

/* lw__operand_same_shape - errors: LW_E_SHAPE ranks or extents differ, with both. */
lw_status lw__operand_same_shape(const struct lw__call *call, const struct lw__operand *a,
                                 const struct lw__operand *b);

/* lw__operand_expect - errors: LW_E_SHAPE its rank or extents (outer first) are not these. */
lw_status lw__operand_expect(const struct lw__call *call, const struct lw__operand *o, int rank,
                             const size_t *extents);

size_t lw__operand_count(const struct lw__operand *o); /* its elements */

/* lw__operand_is_aligned - True if the first element is known to be aligned to `bytes`, a power of
 * two up to LW_ALIGNED_MAX. Buffer and offset are checked separately. Wrapped memory may be aligned
 * for its dtype alone. Scratch memory is aligned by its offset. */
bool lw__operand_is_aligned(const struct lw__operand *o, size_t bytes);
enum { LW_ALIGNED_MAX = 32 };

/* "(3, 4)" into text of LW_SHAPE_TEXT bytes; returns text. */
enum { LW_SHAPE_TEXT = 96 };
const char *lw__operand_text(const struct lw__operand *o, char *text);

/* ---- dtype.c --------------------------------------------------------------------------------- */

/* The type that sums are made in. ORDER ACCUMULATE: the names below. lw__accumulate - of elements
 * of `in` whose result is one of `out`: 64-bit integers where both are integers, f32 where both are
 * floats of at most 32 bits, else f64. */
enum lw__accumulate { LW_ACC_F32, LW_ACC_F64, LW_ACC_I64 };
enum lw__accumulate lw__accumulate(lw_dtype in, lw_dtype out);
const char *lw__accumulate_name(enum lw__accumulate type); /* "float", "double", "int64" */
lw_dtype lw__accumulate_dtype(enum lw__accumulate type);
bool lw__dtype_is_unsigned(lw_dtype dtype); /* bool is */
uint64_t lw__dtype_mask(lw_dtype dtype);    /* the bits that make an element different from 0 */

/* lw__promote - the common dtype, as in NumPy 2. There are two exceptions: u64 with a signed type
 * is i64; bf16 is treated as f16 is, and with f16 it is f32. */
lw_dtype lw__promote(lw_dtype a, lw_dtype b);

/* ---- axes.c ---------------------------------------------------------------------------------- */

/* lw__axis - an axis of options as an index of operands' four axes. option 0: `otherwise`, which
 * counts from 0.
 * errors   LW_E_ARG the tensor has no such axis */
lw_status lw__axis(const struct lw__call *call, const struct lw__operand *o, int option,
                   int otherwise, int *axis);

void lw__axis_to_last(struct lw__operand *o, int axis); /* the others keep their order */

/* lw__rows_of_all - the whole as one row, where its strides allow; else false and as it was. */
bool lw__flatten(struct lw__operand *o);

/* lw__operand_broadcast - view `o` with this shape: axes of extent 1 get a stride of 0. False where
 * it does not fit. */
bool lw__operand_broadcast(struct lw__operand *o, const struct lw__shape *shape);

bool lw__operand_is_contiguous(const struct lw__operand *o); /* C order, no gaps */

/* ---- norm.c, matmul.c, scan.c ---------------------------------------------------------------- */

/* lw__norm_check, lw__matmul_check, lw__scan_check - all checks of softmax or layer_norm, of
 * matmul, of scan, in a call that is dry. */
lw_status lw__scan_check(struct lw__call *call, lw_tensor out, lw_tensor x,
                         const lw_scan_options *options);

/* lw__scan_start - the first result of an exclusive scan, for an argument of type A: the identity
 * of the dtype of the result. */
lw_arg lw__scan_start(lw_scan_op op, enum lw__accumulate type, lw_dtype result);
lw_status lw__norm_check(struct lw__call *call, bool is_softmax, lw_tensor out, lw_tensor x,
                         const lw_norm_options *options);
lw_status lw__matmul_check(struct lw__call *call, lw_tensor out, lw_tensor x, lw_tensor y,
                           const lw_matmul_options *options);

/* ---- copy.c ---------------------------------------------------------------------------------- */

/* lw__copy - queue a copy between operands of one shape, of any dtypes and strides.
 * errors   LW_E_SHAPE it takes too many blocks; those of lw__call_launch */
lw_status lw__copy(struct lw__call *call, const struct lw__operand *to,
                   const struct lw__operand *from);

/* lw__rows_in - have the elements of the last axis lie side by side: copy to scratch if not.
 * lw__contiguous_in - the same for the whole operand. */
lw_status lw__rows_in(struct lw__call *call, struct lw__operand *o);
lw_status lw__contiguous_in(struct lw__call *call, struct lw__operand *o);

/* lw__as - have the operand in this dtype: convert it to scratch if it is of another. */
lw_status lw__as(struct lw__call *call, struct lw__operand *o, lw_dtype dtype);

/* lw__rows_in_out - operands of one shape for a kernel that computes in `type` and may write over
 * what it reads: rows of x of a dtype that it reads, and lw__rows_out for one that writes floating
 * types, or where `type` is integers those alone, which lw__out_done converts. x is converted into
 * the output's memory where that is of `type`, else to scratch. */
lw_status lw__rows_in_out(struct lw__call *call, enum lw__accumulate type, struct lw__operand *x,
                          const struct lw__operand *out, struct lw__operand *to);

/* lw__rows_out_as - the output of lw__rows_in_out alone; from: x's dtype, so that u64 keeps its
 * values. */
lw_status lw__rows_out_as(struct lw__call *call, enum lw__accumulate type,
                          const struct lw__operand *out, lw_dtype from, struct lw__operand *to);

/* lw__rows_out - where to write an output: `to` is `out` where its last axis has stride 1, else
 * scratch memory, which lw__rows_done copies. lw__contiguous_out: the same for the whole. */
lw_status lw__rows_out(struct lw__call *call, const struct lw__operand *out,
                       struct lw__operand *to);
lw_status lw__contiguous_out(struct lw__call *call, const struct lw__operand *out,
                             struct lw__operand *to);
lw_status lw__out_done(struct lw__call *call, const struct lw__operand *out,
                       const struct lw__operand *to);
#endif
