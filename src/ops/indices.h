/* indices.h - indices of one or several axes, for the operations that take and set slices. */
#ifndef LW_OPS_INDICES_H
#define LW_OPS_INDICES_H
#include "ops/op.h"

/* Index arrays of neighbouring axes, which broadcast to one shape. */
struct lw__indices {
    size_t count; /* 1 to LW_AXES */
    struct lw__operand of[LW_AXES];
    struct lw__shape shape;
    int rank; /* of the shape */
};

/* lw__indices_in - check them, and find the shape that they broadcast to.
 * errors   LW_E_DTYPE no integers; LW_E_SHAPE they do not broadcast; those of lw__operand_in */
lw_status lw__indices_in(struct lw__call *call, lw_tensor first, const lw_tensor *more,
                         size_t more_count, struct lw__indices *indices);

/* lw__indices_read - have an operand as kernels read indices: i32, i64, or u64 as i64. */
lw_status lw__indices_read(struct lw__call *call, struct lw__operand *o);

/* Slices' places in a tensor's memory. */
struct lw__places {
    struct lw__operand at; /* i64, in C order: distances from `least`, below `span` */
    ptrdiff_t least;       /* from the tensor's first element */
    size_t span;
};

/* lw__join - the places of x's slices. The launch fails where an index is out of range.
 * axis     the first one that the indices are of
 * errors   those of lw__call_scratch and lw__call_launch */
lw_status lw__join(struct lw__call *call, const struct lw__operand *x, int axis,
                   struct lw__indices *indices, struct lw__places *places);
#endif
