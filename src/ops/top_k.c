/* top_k.c - lw_top_k: on processors the k elements of each row are selected, and then sorted.
 *
 * A row is selected from by parts, and again from what they leave, until one part is a row.
 */
#include "ops/sorting.h"
#include "ops/registry.h"
#include <assert.h>

/* A selection pays where it leaves a fourth, and has at least a fourth of the parts that keep all
 * threads of a processor busy. */
enum { FOURTH = 4, PARTS = 64, PART_LEAST = 16384 };

struct top_arguments {
    lw_tensor values, indices, x;
    int axis;
    bool is_smallest;
};

/* ---- the selection ---- */

/* Each of the rows' parts leaves the k elements that a sort puts first, in their order. */
static lw_status select_in_parts(struct lw__call *call, struct lw__sorting *s, size_t parts,
                                 size_t k)
{
    struct lw__shape shape = s->x.shape;
    const struct lw__carried c = {.has_index = true, .is_first = !s->is_given};

    assert(shape.extent[LW_AXES - 1] == s->n && parts && parts * k < s->n);
    shape.extent[LW_AXES - 1] = parts * k;
    struct lw__operand out;
    LW_TRY(lw__call_scratch(call, "values", s->word, shape, &out));
    struct lw__operand indices;
    LW_TRY(lw__call_scratch(call, "indices", LW_U32, shape, &indices));
    LW_TRY(LW_OP_BLOCKS(
        call, top_k, lw__by_word(s, "top_k_part_4", "top_k_part_8"), s->rows * parts,
        lw_dim_1(lw__threads(call)), lw__arg_keys(s), lw_arg_uint(8 * s->passes), lw_arg_uint(s->n),
        lw_arg_uint(parts), lw_arg_uint(k), lw__arg_at(&s->x), lw__arg_carried(&c),
        lw__arg_at(s->is_given ? &s->given : &s->x), lw__arg_at(&out), lw__arg_at(&indices)));
    s->x = out;
    s->given = indices;
    s->is_given = true;
    s->n = parts * k;
    return LW_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The parts that few long rows of n elements are cut into; of others 1. */
static size_t cut(size_t rows, size_t n)
{
    const size_t parts = n / PART_LEAST;

    return rows >= PARTS || parts < FOURTH ? 1 : least(parts, PARTS);
}

/* Leaves the first k elements of each row, unsorted, where this is less work than a sort. */
static lw_status select_first(struct lw__call *call, struct lw__sorting *s, size_t k)
{
    const size_t all = cut(s->rows, s->n);

    if (call->is_gpu || s->n <= LW_SORT_SHORT || s->n / k / FOURTH * FOURTH < all ||
        s->n / k < FOURTH)
        return LW_OK;
    while (s->n > k) {
        const size_t parts = least(cut(s->rows, s->n), s->n / k / FOURTH);

        LW_TRY(select_in_parts(call, s, parts ? parts : 1, k));
    }
    return LW_OK;
}

/* ---- the operation ---- */

static lw_status top_body(struct lw__call *call, void *arguments)
{
    const struct top_arguments *a = arguments;
    size_t k, extents[LW_AXES];
    char of_x[LW_SHAPE_TEXT], of_values[LW_SHAPE_TEXT];

    struct lw__operand x;
    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    struct lw__operand values;
    LW_TRY(lw__operand_out(call, "values", a->values, &values));
    struct lw__operand indices;
    LW_TRY(lw__operand_out(call, "indices", a->indices, &indices));
    LW_TRY(lw__sort_check_indices(call, &indices));
    int axis;
    LW_TRY(lw__axis(call, &x, a->axis, x.rank - 1, &axis));
    k = values.rank == x.rank ? values.shape.extent[axis] : 0;
    for (int j = 0; j < x.rank; j++)
        extents[j] = x.shape.extent[LW_AXES - x.rank + j];
    extents[axis - (LW_AXES - x.rank)] = k;
    if (k > x.shape.extent[axis])
        return lw_fail(LW_E_SHAPE, "%s: values has shape %s and x has %s: there are no %zu largest",
                       call->name, lw__operand_text(&values, of_values), lw__operand_text(&x, of_x),
                       k);
    LW_TRY(lw__operand_expect(call, &values, x.rank, extents));
    LW_TRY(lw__operand_same_shape(call, &values, &indices));
    LW_TRY(lw__operand_apart(call, &values, &x, false));
    LW_TRY(lw__operand_apart(call, &indices, &x, false));
    LW_TRY(lw__operand_apart(call, &indices, &values, false));
    if (!lw__operand_count(&values))
        return LW_OK;
    lw__axis_to_last(&x, axis);
    lw__axis_to_last(&values, axis);
    lw__axis_to_last(&indices, axis);
    struct lw__sorting s;
    LW_TRY(lw__sort_begin(call, x, !a->is_smallest, !a->is_smallest, &s));
    LW_TRY(select_first(call, &s, values.shape.extent[LW_AXES - 1]));
    return lw__sort_end(call, &s, &values, &indices);
}

lw_status lw_top_k(lw_stream *s, lw_tensor values, lw_tensor indices, lw_tensor x,
                   const lw_top_k_options *options)
{
    struct top_arguments a = {.values = values, .indices = indices, .x = x};

    if (options) {
        a.axis = options->axis;
        a.is_smallest = options->smallest;
    }
    return lw__call_run("top_k", s, top_body, &a);
}

/* ---- by name ---- */

static lw_status read_k(const lw_params *params, int rank, const ptrdiff_t *extents, int *axis,
                        int64_t *k)
{
    *k = lw__param(params, "k")->i;
    LW_TRY(lw__axis_read(params, rank, axis));
    if (*k >= 0 && *k <= extents[*axis])
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: k is %lld; need 0 to %lld, the extent of the axis", params->op,
                   (long long)*k, (long long)extents[*axis]);
}

lw_status lw__infer_top_k(const struct lw__question *q, lw_shape *outputs)
{
    const lw_shape *x = q->inputs;
    int64_t k;
    int axis;

    LW_TRY(read_k(q->params, x->rank, x->extent, &axis, &k));
    outputs[0] = outputs[1] = *x;
    outputs[0].extent[axis] = outputs[1].extent[axis] = k;
    outputs[1].dtype = LW_I64;
    return LW_OK;
}

lw_status lw__run_top_k(const struct lw__named_call *c)
{
    const lw_tensor *x = c->inputs, *values = c->outputs;
    int64_t k;
    int axis;

    LW_TRY(read_k(c->params, x->rank, x->extent, &axis, &k));
    if (values->rank == x->rank && values->extent[axis] != k)
        return lw_fail(LW_E_SHAPE, "%s: values has extent %td in axis %d; need k, which is %lld",
                       c->op, values->extent[axis], axis, (long long)k);
    return lw_top_k(c->stream, values[0], c->outputs[1], *x, c->options);
}
