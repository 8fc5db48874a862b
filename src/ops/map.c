/* map.c - elementwise expressions: the kernel's text is made from the expressions and the types,
 * and the device keeps what was built of it.
 *
 * Inputs that lie as the output does, or are one element, are read at the place i. Others are
 * views whose last axis has a stride of 0 or 1: the kernel then goes by rows, finds the place of a
 * row in each such input once, and reads along it. What has another stride is copied first.
 */
#include "ops/op.h"
#include "ops/text.h"
#include <assert.h>
#include <string.h>

enum { THREADS = 256, WARP = 32, ROW_MIN = 32 };
enum { EACH = 4 };        /* elements of a thread, a block apart */
enum { SHORT_EACH = 16 }; /* the same, of short rows on a processor */

struct map_arguments {
    const lw_tensor *outs, *inputs;
    const char *const *expressions;
    size_t out_count, count;
    lw_map_options options;
};

/* What a row's place in an input is made of. ORDER STEPS: the kernel's struct. */
struct steps {
    ptrdiff_t at, step[LW_AXES - 1];
};

enum reading { WHOLE, ONE, ROWS_OF_ONE, ROWS };

struct place {
    struct lw__operand operand;
    enum reading reading;
    struct steps steps; /* of rows, as the next: memory from the lowest element on */
    lw_tensor memory;
};

struct plan {
    struct lw__operand to[LW_OUTPUTS_MAX]; /* whole */
    struct place in[LW_INPUTS_MAX];
    size_t n, row, rows;        /* row: elements of one; as the next, where there are rows */
    size_t extent[LW_AXES - 1]; /* of the axes of rows */
    bool has_rows, is_short;    /* short: a block has many rows, whose length the text has */
};

/* ---- the kernel's text ---- */

static const char steps_text[] = "struct lw_steps {\n    ptrdiff_t at, step[3];\n};\n"
                                 "struct lw_extents {\n    size_t of[3];\n};\n";

/* EACH stands in these as 4. */
static const char flat_begin[] =
    "    const size_t lw_first = (size_t)block_idx.x * block_dim.x * 4 + thread_idx.x;\n";
static const char flat_each[] =
    "    for (int lw_k = 0; lw_k < 4; lw_k++) {\n"
    "        const size_t i = lw_first + (size_t)(lw_k * block_dim.x);\n"
    "        if (i < n) {\n";

/* A block has `lw_each` rows, or a part of one row. */
static const char rows_begin[] =
    "    const size_t lw_part = (size_t)block_idx.x % lw_parts;\n"
    "    const size_t lw_first = lw_part * block_dim.x * 4 + thread_idx.x;\n"
    "    for (size_t lw_r = 0; lw_r < lw_each; lw_r++) {\n"
    "        const size_t lw_at = (size_t)block_idx.x / lw_parts * lw_each + lw_r;\n"
    "        const size_t lw_z = lw_at % lw_axes.of[2], lw_xy = lw_at / lw_axes.of[2];\n"
    "        const size_t lw_y = lw_xy % lw_axes.of[1], lw_x = lw_xy / lw_axes.of[1];\n"
    "        if (lw_x >= lw_axes.of[0])\n"
    "            return;\n";
static const char rows_each[] =
    "    for (int lw_k = 0; lw_k < 4; lw_k++) {\n"
    "        const size_t lw_j = lw_first + (size_t)(lw_k * block_dim.x);\n"
    "        const size_t i = lw_at * lw_row + lw_j;\n"
    "        if (lw_j < lw_row) {\n";

/* A thread has a place in a row, the same in each of its rows. */
static const char short_begin[] =
    "    const uint32_t lw_y = thread_idx.x / lw_length, lw_j = thread_idx.x - lw_y * lw_length;\n"
    "    const size_t lw_first = (size_t)block_idx.x * lw_each * block_dim.x + thread_idx.x;\n"
    "    const size_t lw_many = block_dim.x / lw_length;\n";
static const char short_each[] =
    "    for (size_t lw_k = 0; lw_k < lw_each; lw_k++) {\n"
    "        const size_t i = lw_first + lw_k * block_dim.x;\n"
    "        const size_t lw_at = ((size_t)block_idx.x * lw_each + lw_k) * lw_many + lw_y;\n"
    "        if (i < n) {\n";

static const char *const digits[LW_OUTPUTS_MAX] = {"0", "1", "2", "3"};

static void add_parameters(struct lw__source *text, const struct map_arguments *a,
                           const struct plan *p)
{
    LW_SOURCE_JOIN(text, "KERNEL void map(const size_t n");
    if (p->has_rows)
        LW_SOURCE_JOIN(text, ", const size_t lw_row, const size_t lw_parts, const size_t lw_each, "
                             "const struct lw_extents lw_axes");
    for (size_t k = 0; k < a->out_count; k++)
        LW_SOURCE_JOIN(text, ", void *lw_out", digits[k]);
    for (size_t k = 0; k < a->count; k++) {
        LW_SOURCE_JOIN(text, ", const void *lw_", lw__input_name(&a->options, k));
        if (p->in[k].reading >= ROWS_OF_ONE)
            LW_SOURCE_JOIN(text, ", const struct lw_steps lw_of_", lw__input_name(&a->options, k));
    }
    for (size_t k = 0; k < a->options.number_count; k++) {
        const lw_map_number *number = &a->options.numbers[k];

        LW_SOURCE_JOIN(text, ", const ", lw__number_type(number), " ", number->name);
    }
    LW_SOURCE_JOIN(text, ")\n{\n");
}

/* `const float a = ((const float *)lw_a)[i];` for each input. */
static void add_inputs(struct lw__source *text, const struct map_arguments *a, const struct plan *p)
{
    static const char *const index[] = {
        [WHOLE] = "[i];\n", [ONE] = "[0];\n", [ROWS_OF_ONE] = "];\n", [ROWS] = " + lw_j];\n"};

    for (size_t k = 0; k < a->count; k++) {
        const char *name = lw__input_name(&a->options, k);
        const char *type = lw__dtypes[p->in[k].operand.dtype].c_name;
        const enum reading reading = p->in[k].reading;

        LW_SOURCE_JOIN(text, "            const ", type, " ", name, " = ((const ", type, " *)lw_",
                       name, ")");
        if (reading >= ROWS_OF_ONE && p->is_short)
            LW_SOURCE_JOIN(text, "[lw_of_", name, ".at + (ptrdiff_t)lw_at * lw_of_", name,
                           ".step[2]");
        else if (reading >= ROWS_OF_ONE)
            LW_SOURCE_JOIN(text, "[lw_at_", name);
        LW_SOURCE_JOIN(text, index[reading]);
    }
}

static void add_rows(struct lw__source *text, const struct map_arguments *a, const struct plan *p)
{
    LW_SOURCE_JOIN(text, rows_begin);
    for (size_t k = 0; k < a->count; k++) {
        const char *name = lw__input_name(&a->options, k);

        if (p->in[k].reading >= ROWS_OF_ONE)
            LW_SOURCE_JOIN(text, "        const ptrdiff_t lw_at_", name, " = lw_of_", name,
                           ".at + (ptrdiff_t)lw_x * lw_of_", name,
                           ".step[0] + (ptrdiff_t)lw_y * lw_of_", name,
                           ".step[1] + (ptrdiff_t)lw_z * lw_of_", name, ".step[2];\n");
    }
}

/* All results are there before the first is stored: an output may be an input. */
static void write_source(struct lw__source *text, const struct map_arguments *a,
                         const struct plan *p, bool is_gpu)
{
    lw__source_begin(text);
    if (a->options.head)
        LW_SOURCE_JOIN(text, a->options.head, "\n");
    if (p->has_rows)
        LW_SOURCE_JOIN(text, steps_text);
    if (p->is_short)
        lw__source_add(text, "#define lw_length %zuu\n", p->row);
    add_parameters(text, a, p);
    if (p->is_short)
        LW_SOURCE_JOIN(text, short_begin);
    else if (p->has_rows)
        add_rows(text, a, p);
    else
        LW_SOURCE_JOIN(text, flat_begin);
    /* A GPU has all loads under way; for a processor the code would be compiled four times. */
    LW_SOURCE_JOIN(text, is_gpu ? "#pragma unroll\n" : "#pragma nounroll\n",
                   p->is_short   ? short_each
                   : p->has_rows ? rows_each
                                 : flat_each);
    add_inputs(text, a, p);
    for (size_t k = 0; k < a->out_count; k++) {
        const char *type = lw__dtypes[p->to[k].dtype].c_name;

        LW_SOURCE_JOIN(text, "            const ", type, " lw_result", digits[k], " = (", type,
                       ")");
        lw__source_expression(text, "expression", a->expressions[k]);
        LW_SOURCE_JOIN(text, ";\n");
    }
    for (size_t k = 0; k < a->out_count; k++)
        LW_SOURCE_JOIN(text, "            ((", lw__dtypes[p->to[k].dtype].c_name, " *)lw_out",
                       digits[k], ")[i] = lw_result", digits[k], ";\n");
    LW_SOURCE_JOIN(text, p->has_rows && !p->is_short ? "        }\n    }\n    }\n}\n"
                                                     : "        }\n    }\n}\n");
}

/* ---- where the inputs lie ---- */

/* The outer axes of all become as few as their strides allow, and the last one as long. */
static void find_rows(const struct map_arguments *a, const struct plan *p,
                      const struct lw__shape *shape, size_t *extent, ptrdiff_t stride[][LW_AXES])
{
    int last = LW_AXES - 1;

    for (int x = LW_AXES; x-- > 0;) {
        bool follows = true;

        if (shape->extent[x] == 1)
            continue;
        for (size_t k = 0; k < a->count; k++)
            follows = follows &&
                      (p->in[k].reading == ONE || p->in[k].operand.view.stride[x] ==
                                                      stride[k][last] * (ptrdiff_t)extent[last]);
        if (extent[last] == 1 || !follows) {
            last -= extent[last] > 1;
            extent[last] = 1;
            for (size_t k = 0; k < a->count; k++)
                stride[k][last] = p->in[k].operand.view.stride[x];
        }
        extent[last] *= shape->extent[x];
    }
}

/* The memory from the lowest element on, and a row's place in it. */
static void find_place(struct place *in, const size_t *extent, const ptrdiff_t *stride)
{
    ptrdiff_t low = in->operand.view.offset, high = low;

    for (int x = 0; x < LW_AXES; x++) {
        const ptrdiff_t reach = (ptrdiff_t)(extent[x] - 1) * stride[x];

        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    in->reading = stride[LW_AXES - 1] ? ROWS : ROWS_OF_ONE;
    in->steps.at = in->operand.view.offset - low;
    memcpy(in->steps.step, stride, sizeof in->steps.step);
    in->memory = (lw_tensor){.buffer = in->operand.buffer, .offset = (size_t)low, .rank = 1};
    in->memory.extent[0] = high - low + 1;
}

/* Views of rows are read where they lie. They are copied where rows are short and have more than
 * one axis. */
static lw_status place_inputs(struct lw__call *call, const struct map_arguments *a,
                              const struct lw__shape *shape, struct plan *p)
{
    size_t extent[LW_AXES] = {1, 1, 1, 1};
    ptrdiff_t stride[LW_INPUTS_MAX][LW_AXES] = {0};

    for (size_t k = 0; k < a->count; k++)
        p->has_rows = p->has_rows || p->in[k].reading == ROWS;
    if (!p->has_rows)
        return LW_OK;
    find_rows(a, p, shape, extent, stride);
    p->row = extent[LW_AXES - 1];
    p->is_short = p->row < ROW_MIN && extent[0] * extent[1] == 1;
    p->has_rows = p->row >= ROW_MIN || p->is_short;
    for (size_t k = 0; k < a->count; k++) {
        struct place *in = &p->in[k];

        if (in->reading == ROWS && p->has_rows)
            find_place(in, extent, stride[k]);
        else if (in->reading == ROWS) {
            in->reading = WHOLE;
            LW_TRY(lw__contiguous_in(call, &in->operand));
        }
    }
    p->rows = p->n / p->row;
    memcpy(p->extent, extent, sizeof p->extent);
    return LW_OK;
}

/* Broadcast to the outputs' shape; but one element stays one. */
static lw_status take_input(struct lw__call *call, const struct map_arguments *a, size_t k,
                            const struct lw__operand *outs, struct place *in)
{
    char has[LW_SHAPE_TEXT], needs[LW_SHAPE_TEXT];
    struct lw__operand *to = &in->operand;

    LW_TRY(lw__operand_in(call, lw__input_name(&a->options, k), a->inputs[k], to));
    for (size_t n = 0; n < a->out_count; n++)
        LW_TRY(lw__operand_apart(call, &outs[n], to, true));
    struct lw__operand given = *to;
    if (to->rank > outs[0].rank || !lw__operand_broadcast(to, &outs[0].shape))
        return lw_fail(LW_E_SHAPE, "%s: %s has shape %s, which does not broadcast to out's, %s",
                       call->name, to->name, lw__operand_text(&given, has),
                       lw__operand_text(&outs[0], needs));
    in->reading = WHOLE;
    if (lw__operand_count(&given) == 1) {
        *to = given;
        in->reading = ONE;
    } else if (!lw__operand_is_contiguous(to)) {
        int last = LW_AXES - 1;

        while (to->shape.extent[last] == 1)
            last--;
        if (to->view.stride[last] == 0 || to->view.stride[last] == 1)
            in->reading = ROWS;
        else
            return lw__contiguous_in(call, to);
    }
    return LW_OK;
}

/* ---- the call ---- */

static lw_status launch(struct lw__call *call, const struct map_arguments *a, const struct plan *p)
{
    lw_arg args[5 + LW_OUTPUTS_MAX + 2 * LW_INPUTS_MAX + LW_NUMBERS_MAX] = {lw_arg_uint(p->n)};
    size_t threads = THREADS, blocks = lw__divide_up(p->n, (size_t)THREADS * EACH), count = 1;
    lw_dim3 grid;

    if (p->has_rows) {
        const size_t most = (size_t)THREADS * EACH;
        size_t each = call->is_gpu || p->row > most / 2 ? 1 : most / p->row, parts = 1;

        if (p->is_short) {
            each = call->is_gpu ? EACH : SHORT_EACH;
            threads = THREADS / p->row * p->row;
            blocks = lw__divide_up(p->n, threads * each);
        } else {
            if (p->row < most)
                threads = lw__divide_up(lw__divide_up(p->row, EACH), WARP) * WARP;
            parts = lw__divide_up(p->row, threads * EACH);
            blocks = lw__divide_up(p->rows, each) * parts;
        }
        args[count++] = lw_arg_uint(p->row);
        args[count++] = lw_arg_uint(parts);
        args[count++] = lw_arg_uint(each);
        args[count++] = lw_arg_bytes(p->extent, sizeof p->extent);
    }
    LW_TRY(lw__grid(call, blocks, &grid));
    if (call->is_dry)
        return LW_OK;
    for (size_t k = 0; k < a->out_count; k++)
        args[count++] = lw__arg_at(&p->to[k]);
    for (size_t k = 0; k < a->count; k++) {
        const struct place *in = &p->in[k];

        args[count++] =
            in->reading >= ROWS_OF_ONE ? lw_arg_tensor(in->memory) : lw__arg_at(&in->operand);
        if (in->reading >= ROWS_OF_ONE)
            args[count++] = lw_arg_bytes(&in->steps, sizeof in->steps);
    }
    for (size_t k = 0; k < a->options.number_count; k++)
        args[count++] = a->options.numbers[k].value;
    struct lw__source text;
    write_source(&text, a, p, call->is_gpu);
    return lw__source_launch(call, &text, "map", grid, lw_dim_1((uint32_t)threads), args, count);
}

static lw_status map_body(struct lw__call *call, void *arguments)
{
    const struct map_arguments *a = arguments;
    struct lw__operand outs[LW_OUTPUTS_MAX];
    struct plan p = {0};

    assert(a->count <= LW_INPUTS_MAX && a->out_count <= LW_OUTPUTS_MAX); /* check was here */
    for (size_t k = 0; k < a->out_count; k++) {
        LW_TRY(lw__operand_out(call, "out", a->outs[k], &outs[k]));
        if (k)
            LW_TRY(lw__operand_same_shape(call, &outs[k], &outs[0]));
        for (size_t n = 0; n < k; n++)
            LW_TRY(lw__operand_apart(call, &outs[k], &outs[n], false));
    }
    for (size_t k = 0; k < a->count; k++)
        LW_TRY(take_input(call, a, k, outs, &p.in[k]));
    p.n = lw__operand_count(&outs[0]);
    if (!p.n)
        return LW_OK;
    LW_TRY(place_inputs(call, a, &outs[0].shape, &p));
    for (size_t k = 0; k < a->out_count; k++)
        LW_TRY(lw__contiguous_out(call, &outs[k], &p.to[k]));
    LW_TRY(launch(call, a, &p));
    for (size_t k = 0; k < a->out_count; k++)
        LW_TRY(lw__out_done(call, &outs[k], &p.to[k]));
    return LW_OK;
}

static lw_status check(const struct map_arguments *a)
{
    if (!a->out_count || a->out_count > LW_OUTPUTS_MAX)
        return lw_fail(LW_E_ARG, "map: there are %zu outputs; need 1 to %d", a->out_count,
                       LW_OUTPUTS_MAX);
    if (!a->outs || !a->expressions)
        return lw_fail(LW_E_ARG, "map: the list of %s is NULL",
                       a->outs ? "expressions" : "outputs");
    for (size_t k = 0; k < a->out_count; k++)
        LW_TRY(lw__check_expression("map", "expression", a->expressions[k]));
    LW_TRY(lw__check_inputs("map", a->inputs, a->count));
    return lw__check_map_options("map", &a->options, a->count);
}

lw_status lw_map_many(lw_stream *s, const lw_tensor *outs, const char *const *expressions,
                      size_t out_count, const lw_tensor *inputs, size_t count,
                      const lw_map_options *options)
{
    struct map_arguments a = {.outs = outs,
                              .inputs = inputs,
                              .expressions = expressions,
                              .out_count = out_count,
                              .count = count};

    if (options)
        a.options = *options;
    LW_TRY(check(&a));
    return lw__call_run("map", s, map_body, &a);
}

lw_status lw_map(lw_stream *s, lw_tensor out, const char *expression, const lw_tensor *inputs,
                 size_t count)
{
    return lw_map_many(s, &out, &expression, 1, inputs, count, NULL);
}
