/* map_reduce.c - an expression of each place, then an associative one over all of an axis, in the
 * order of sums (docs/order.md). The kernels' text is made as in map.c: `parts` gives the leaves'
 * results, a warp a leaf, and `merge` those of the rows, by the aligned tree.
 */
#include "ops/op.h"
#include "ops/text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { LEAF = 1024, WARP = 32 };

struct map_reduce_arguments {
    lw_tensor out;
    const lw_tensor *inputs;
    size_t count;
    const char *map, *combine;
    double identity;
    lw_map_reduce_options options;
    lw_map_options with;
};

/* What an input has an element for: each term, each row, each place of a row, or all. */
enum repeated { EACH, OF_ROW, OF_PLACE, OF_ALL };

struct reduction {
    struct lw__operand inputs[LW_INPUTS_MAX]; /* in C order; the axis is the last */
    enum repeated repeated[LW_INPUTS_MAX];
    struct lw__operand out; /* whole */
    size_t rows, n, leaves;
};

/* ---- the kernels' text ---- */

static const char parts_text[] =
    "    const size_t lw_part = (size_t)block_idx.x * block_dim.y + thread_idx.y;\n"
    "    if (lw_part >= lw_count)\n"
    "        return;\n"
    "    const size_t lw_row = lw_part / lw_leaves, lw_begin = lw_part %% lw_leaves * 1024;\n"
    "    const size_t lw_end = lw_begin + 1024 < lw_n ? lw_begin + 1024 : lw_n;\n"
    "    const size_t n = lw_rows * lw_n, lw_whole = (lw_end - lw_begin) / 64;\n"
    "    const size_t lw_first = lw_row * lw_n;\n"
    "    size_t i = lw_first + lw_begin + (size_t)lane_id();\n"
    "    lw_type lw_lane[2] = {lw_identity, lw_identity};\n"
    "    for (size_t lw_k = 0; lw_k < lw_whole; lw_k++)\n"
    "#pragma unroll\n"
    "        for (int lw_half = 0; lw_half < 2; lw_half++, i += 32) {\n"
    "            const lw_type lw_term = (lw_type)lw_map(i, n%s);\n"
    "            lw_lane[lw_half] = lw_k ? lw_combine(lw_lane[lw_half], lw_term) : lw_term;\n"
    "        }\n"
    "    size_t lw_j = lw_begin + lw_whole * 64 + (size_t)lane_id();\n"
    "    for (int lw_half = 0; lw_half < 2; lw_half++, i += 32, lw_j += 32)\n"
    "        if (lw_j < lw_end) {\n"
    "            const lw_type lw_term = (lw_type)lw_map(i, n%s);\n"
    "            lw_lane[lw_half] = lw_whole ? lw_combine(lw_lane[lw_half], lw_term) : lw_term;\n"
    "        }\n"
    "    lw_lane[0] = WARP_REDUCE(lw_lane[0], lw_identity, lw_x, lw_y, lw_combine(lw_x, lw_y));\n"
    "    lw_lane[1] = WARP_REDUCE(lw_lane[1], lw_identity, lw_x, lw_y, lw_combine(lw_x, lw_y));\n"
    "    if (lane_id() == 0)\n"
    "        ((lw_type *)lw_parts)[lw_part] =\n"
    "            lw_begin + 32 < lw_end ? lw_combine(lw_lane[0], lw_lane[1]) : lw_lane[0];\n"
    "}\n";

static const char merge_text[] =
    "KERNEL BLOCK(32) void merge(const size_t lw_leaves, void *lw_parts, void *lw_out)\n"
    "{\n"
    "    lw_type *lw_row = (lw_type *)lw_parts + (size_t)block_idx.x * lw_leaves;\n"
    "    for (size_t lw_step = 1; lw_step < lw_leaves; lw_step *= 2) {\n"
    "        for (size_t lw_k = 2 * lw_step * thread_idx.x; lw_k + lw_step < lw_leaves;\n"
    "             lw_k += 64 * lw_step)\n"
    "            lw_row[lw_k] = lw_combine(lw_row[lw_k], lw_row[lw_k + lw_step]);\n"
    "        barrier();\n"
    "    }\n"
    "    if (thread_idx.x == 0)\n"
    "        ((%s *)lw_out)[block_idx.x] = (%s)(lw_leaves ? lw_row[0] : (lw_type)lw_identity);\n"
    "}\n";

/* A C literal of the identity that any type takes. */
static void add_identity(struct lw__source *text, double identity)
{
    if (isnan(identity))
        lw__source_add(text, "#define lw_identity ((lw_type)NAN)\n");
    else if (isinf(identity))
        lw__source_add(text, "#define lw_identity ((lw_type)%sINFINITY)\n",
                       identity < 0 ? "-" : "");
    else
        lw__source_add(text, "#define lw_identity ((lw_type)%a)\n", identity);
}

/* lw_map(i, n, a, b, ...), lw_combine(x, y), and lw_type, which both give: the accumulation type of
 * what the map gives, but integers stay integers, which the combination may need. The extern names
 * are there for __typeof__ alone. */
static void add_functions(struct lw__source *text, const struct map_reduce_arguments *a,
                          const struct reduction *r)
{
    const char *real = r->out.dtype == LW_F64 ? "0.0" : "0.0f";

    lw__source_begin(text);
    if (a->with.head)
        LW_SOURCE_JOIN(text, a->with.head, "\n");
    lw__source_add(text, "extern const size_t i, n;\n");
    for (size_t k = 0; k < a->count; k++)
        lw__source_add(text, "extern const %s %s;\n", lw__dtypes[r->inputs[k].dtype].c_name,
                       lw__input_name(&a->with, k));
    for (size_t k = 0; k < a->with.number_count; k++)
        lw__source_add(text, "extern const %s %s;\n", lw__number_type(&a->with.numbers[k]),
                       a->with.numbers[k].name);
    lw__source_add(text, "typedef __typeof__");
    lw__source_expression(text, "map", a->map);
    lw__source_add(text,
                   " lw_mapped;\n"
                   "typedef __typeof__(_Generic((lw_mapped)0, float: %s, double: 0.0,\n"
                   "    _Float16: %s, __bf16: %s, default: (int64_t)0)) lw_type;\n",
                   real, real, real);
    add_identity(text, a->identity);
    lw__source_add(text, "static lw_type lw_combine(lw_type x, lw_type y)\n"
                         "{\n    return (lw_type)");
    lw__source_expression(text, "combine", a->combine);
    lw__source_add(text, ";\n}\n");
    lw__source_add(text, "static lw_type lw_map(size_t i, size_t n");
    for (size_t k = 0; k < a->count; k++)
        lw__source_add(text, ", %s %s", lw__dtypes[r->inputs[k].dtype].c_name,
                       lw__input_name(&a->with, k));
    for (size_t k = 0; k < a->with.number_count; k++)
        lw__source_add(text, ", %s %s", lw__number_type(&a->with.numbers[k]),
                       a->with.numbers[k].name);
    lw__source_add(text, ")\n{\n    return (lw_type)");
    lw__source_expression(text, "map", a->map);
    lw__source_add(text, ";\n}\n");
}

static void write_source(struct lw__source *text, const struct map_reduce_arguments *a,
                         const struct reduction *r)
{
    static const char *const places[] = {"i", "lw_row", "i - lw_first", "0"};
    char values[LW_INPUTS_MAX * 112 + LW_NUMBERS_MAX * 48] = "";
    size_t length = 0;

    add_functions(text, a, r);
    lw__source_add(text, "KERNEL void parts(const size_t lw_count, const size_t lw_rows, "
                         "const size_t lw_n, const size_t lw_leaves, void *lw_parts");
    for (size_t k = 0; k < a->count; k++) {
        const char *name = lw__input_name(&a->with, k);

        lw__source_add(text, ", const void *lw_%s", name);
        length +=
            (size_t)snprintf(values + length, sizeof values - length, ", ((const %s *)lw_%s)[%s]",
                             lw__dtypes[r->inputs[k].dtype].c_name, name, places[r->repeated[k]]);
    }
    for (size_t k = 0; k < a->with.number_count; k++) {
        const lw_map_number *number = &a->with.numbers[k];

        lw__source_add(text, ", const %s %s", lw__number_type(number), number->name);
        length += (size_t)snprintf(values + length, sizeof values - length, ", %s", number->name);
    }
    assert(length < sizeof values);
    lw__source_add(text, ")\n{\n");
    lw__source_add(text, parts_text, values, values);
    lw__source_add(text, merge_text, lw__dtypes[r->out.dtype].c_name,
                   lw__dtypes[r->out.dtype].c_name);
}

/* ---- launches ---- */

static lw_status launch(struct lw__call *call, const struct map_reduce_arguments *a,
                        const struct reduction *r)
{
    const lw_dim3 block = lw_dim_2(WARP, call->is_gpu ? 4 : 1);
    const size_t count = r->rows * r->leaves;
    const struct lw__shape shape = {{1, 1, r->rows, r->leaves}};
    lw_arg args[5 + LW_INPUTS_MAX + LW_NUMBERS_MAX];
    struct lw__operand parts;

    LW_TRY(lw__call_scratch(call, "parts", LW_I64, shape, &parts)); /* or f32, f64 */
    lw_dim3 grid;
    LW_TRY(lw__grid(call, lw__divide_up(count, block.y), &grid));
    lw_dim3 rows;
    LW_TRY(lw__grid(call, r->rows, &rows));
    if (call->is_dry || !r->rows)
        return LW_OK;
    struct lw__source text;
    write_source(&text, a, r);
    args[0] = lw_arg_uint(count);
    args[1] = lw_arg_uint(r->rows);
    args[2] = lw_arg_uint(r->n);
    args[3] = lw_arg_uint(r->leaves);
    args[4] = lw__arg_at(&parts);
    for (size_t k = 0; k < a->count; k++)
        args[5 + k] = lw__arg_at(&r->inputs[k]);
    for (size_t k = 0; k < a->with.number_count; k++)
        args[5 + a->count + k] = a->with.numbers[k].value;
    if (count)
        LW_TRY(lw__source_launch(call, &text, "parts", grid, block, args,
                                 5 + a->count + a->with.number_count));
    args[0] = lw_arg_uint(r->leaves);
    args[1] = args[4];
    args[2] = lw__arg_at(&r->out);
    return lw__source_launch(call, &text, "merge", rows, lw_dim_1(WARP), args, 3);
}

/* ---- arguments ---- */

/* Inputs that repeat in different axes may reach beyond all numbers together. */
static lw_status check_count(const struct lw__call *call, const struct lw__operand *all)
{
    char shape[LW_SHAPE_TEXT];
    ptrdiff_t count = 1;
    bool fits = true;

    for (int x = 0; x < LW_AXES; x++)
        if (all->shape.extent[x])
            fits = !__builtin_mul_overflow(count, all->shape.extent[x], &count) && fits;
    if (fits)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: the inputs together have shape %s, which is too large",
                   call->name, lw__operand_text(all, shape));
}

/* The shape that all inputs broadcast to. */
static lw_status common_shape(struct lw__call *call, const struct map_reduce_arguments *a,
                              struct reduction *r, struct lw__operand *all)
{
    char has[LW_SHAPE_TEXT], needs[LW_SHAPE_TEXT];

    *all = (struct lw__operand){.name = "the inputs", .shape = {{1, 1, 1, 1}}};
    for (size_t k = 0; k < a->count; k++) {
        struct lw__operand *in = &r->inputs[k];

        LW_TRY(lw__operand_in(call, lw__input_name(&a->with, k), a->inputs[k], in));
        for (int x = 0; x < LW_AXES; x++)
            if (all->shape.extent[x] == 1)
                all->shape.extent[x] = in->shape.extent[x];
            else if (in->shape.extent[x] != 1 && in->shape.extent[x] != all->shape.extent[x])
                return lw_fail(LW_E_SHAPE, "%s: %s has shape %s, which does not fit %s", call->name,
                               in->name, lw__operand_text(in, has), lw__operand_text(all, needs));
        all->rank = in->rank > all->rank ? in->rank : all->rank;
    }
    return check_count(call, all);
}

/* Without the elements that are repeated: those of a row, or the rows. */
static enum repeated shrink(struct lw__operand *o)
{
    struct lw__operand row = *o, column = *o;
    bool is_row = row.shape.extent[LW_AXES - 1] > 1 && !row.view.stride[LW_AXES - 1];
    bool is_column = true;

    row.shape.extent[LW_AXES - 1] = 1;
    for (int k = 0; k < LW_AXES - 1; k++) {
        is_column = is_column && (column.shape.extent[k] == 1 || !column.view.stride[k]);
        column.shape.extent[k] = 1;
    }
    if (is_row && lw__operand_is_contiguous(&row)) {
        *o = row;
        return OF_ROW;
    }
    if (!is_column || !lw__operand_is_contiguous(&column))
        return EACH;
    *o = column;
    return OF_PLACE;
}

/* Each input in C order, the axis last; what is repeated is there once. */
static lw_status take_inputs(struct lw__call *call, const struct map_reduce_arguments *a,
                             struct reduction *r, const struct lw__operand *all, int axis)
{
    for (size_t k = 0; k < a->count; k++) {
        struct lw__operand *in = &r->inputs[k];

        LW_TRY(lw__operand_apart(call, &r->out, in, false));
        r->repeated[k] = lw__operand_count(in) == 1 ? OF_ALL : EACH;
        if (r->repeated[k] == OF_ALL)
            continue;
        (void)lw__operand_broadcast(in, &all->shape);
        if (axis >= 0) {
            lw__axis_to_last(in, axis);
            r->repeated[k] = shrink(in);
        }
        LW_TRY(lw__contiguous_in(call, in));
    }
    return LW_OK;
}

/* The shape that out must have: the inputs' without the axis, or with 1 there. */
static lw_status check_out(struct lw__call *call, const struct map_reduce_arguments *a,
                           const struct lw__operand *all, int axis, const struct lw__operand *out)
{
    size_t extents[LW_AXES];
    int rank = 0;

    for (int x = LW_AXES - all->rank; x < LW_AXES; x++) {
        if (axis >= 0 && x != axis)
            extents[rank++] = all->shape.extent[x];
        else if (a->options.keepdims)
            extents[rank++] = 1;
    }
    return lw__operand_expect(call, out, rank, extents);
}

static lw_status map_reduce_body(struct lw__call *call, void *arguments)
{
    const struct map_reduce_arguments *a = arguments;
    struct reduction r = {.n = 1};
    int axis = -1;

    struct lw__operand all;
    LW_TRY(common_shape(call, a, &r, &all));
    if (a->options.axis)
        LW_TRY(lw__axis(call, &all, a->options.axis, 0, &axis));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    LW_TRY(check_out(call, a, &all, axis, &out));
    r.out = out;
    LW_TRY(take_inputs(call, a, &r, &all, axis));
    r.n = axis >= 0 ? all.shape.extent[axis] : lw__operand_count(&all);
    r.rows = lw__operand_count(&out);
    r.leaves = lw__divide_up(r.n, LEAF);
    assert(r.rows * r.n == lw__operand_count(&all));
    LW_TRY(lw__contiguous_out(call, &out, &r.out));
    LW_TRY(launch(call, a, &r));
    return lw__out_done(call, &out, &r.out);
}

lw_status lw_map_reduce(lw_stream *s, lw_tensor out, const char *map, const char *combine,
                        double identity, const lw_tensor *inputs, size_t count,
                        const lw_map_reduce_options *options)
{
    struct map_reduce_arguments a = {.out = out,
                                     .inputs = inputs,
                                     .count = count,
                                     .map = map,
                                     .combine = combine,
                                     .identity = identity};

    if (options)
        a.options = *options;
    if (options && options->with)
        a.with = *options->with;
    LW_TRY(lw__check_expression("map_reduce", "map", map));
    LW_TRY(lw__check_expression("map_reduce", "combine", combine));
    LW_TRY(lw__check_inputs("map_reduce", inputs, count));
    LW_TRY(lw__check_map_options("map_reduce", &a.with, count));
    return lw__call_run("map_reduce", s, map_reduce_body, &a);
}
