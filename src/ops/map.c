/* map.c - elementwise expressions: the kernel's text is made from the expression and the types, and
 * the device keeps what was built of it.
 */
#include "ops/op.h"
#include "ops/text.h"
#include <assert.h>

enum { THREADS = 256 };
#define EACH 4 /* elements of a thread, a block apart */
#define QUOTED(number) #number
#define AS_TEXT(number) QUOTED(number)

static const char *const names[LW_INPUTS_MAX] = {"a", "b", "c", "d"};

struct map_arguments {
    lw_tensor out;
    const lw_tensor *inputs;
    size_t count;
    const char *expression;
};

/* `const float a = ((const float *)lw_a)[i];` for each input; one element is the same for all. */
static void add_inputs(struct lw__source *text, const struct lw__operand *inputs, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const char *type = lw__dtypes[inputs[k].dtype].c_name;

        LW_SOURCE_JOIN(text, "            const ", type, " ", names[k], " = ((const ", type,
                       " *)lw_", names[k],
                       lw__operand_count(&inputs[k]) == 1 ? ")[0];\n" : ")[i];\n");
    }
}

static void write_source(struct lw__source *text, const struct map_arguments *a, lw_dtype out,
                         const struct lw__operand *inputs)
{
    lw__source_begin(text);
    LW_SOURCE_JOIN(text, "KERNEL void map(const size_t n, void *lw_out");
    for (size_t k = 0; k < a->count; k++)
        LW_SOURCE_JOIN(text, ", const void *lw_", names[k]);
    LW_SOURCE_JOIN(
        text,
        ")\n{\n"
        "    const size_t lw_first = (size_t)block_idx.x * block_dim.x * " AS_TEXT(
            EACH) " + thread_idx.x;\n"
                  "#pragma unroll\n"
                  "    for (int lw_k = 0; lw_k < " AS_TEXT(
                      EACH) "; lw_k++) {\n"
                            "        const size_t i = lw_first + (size_t)(lw_k * block_dim.x);\n"
                            "        if (i < n) {\n");
    add_inputs(text, inputs, a->count);
    LW_SOURCE_JOIN(text, "            ((", lw__dtypes[out].c_name, " *)lw_out)[i] = (",
                   lw__dtypes[out].c_name, ")");
    lw__source_expression(text, "expression", a->expression);
    LW_SOURCE_JOIN(text, ";\n        }\n    }\n}\n");
}

static lw_status launch(struct lw__call *call, const struct map_arguments *a,
                        const struct lw__operand *out, const struct lw__operand *inputs)
{
    const size_t n = lw__operand_count(out);
    lw_arg args[2 + LW_INPUTS_MAX] = {lw_arg_uint(n), lw__arg_at(out)};
    lw_dim3 grid;

    LW_TRY(lw__grid(call, lw__divide_up(n, (size_t)THREADS * EACH), &grid));
    if (call->is_dry)
        return LW_OK;
    for (size_t k = 0; k < a->count; k++)
        args[2 + k] = lw__arg_at(&inputs[k]);
    struct lw__source text;
    write_source(&text, a, out->dtype, inputs);
    return lw__source_launch(call, &text, "map", grid, lw_dim_1(THREADS), args, 2 + a->count);
}

/* Broadcast to the output's shape; but one element stays one. */
static lw_status take_input(struct lw__call *call, const struct map_arguments *a, size_t k,
                            const struct lw__operand *out, struct lw__operand *to)
{
    char has[LW_SHAPE_TEXT], needs[LW_SHAPE_TEXT];

    LW_TRY(lw__operand_in(call, names[k], a->inputs[k], to));
    LW_TRY(lw__operand_apart(call, out, to, true));
    struct lw__operand given = *to;
    if (to->rank > out->rank || !lw__operand_broadcast(to, &out->shape))
        return lw_fail(LW_E_SHAPE, "%s: %s has shape %s, which does not broadcast to out's, %s",
                       call->name, to->name, lw__operand_text(&given, has),
                       lw__operand_text(out, needs));
    if (lw__operand_count(&given) != 1)
        return lw__contiguous_in(call, to);
    *to = given;
    return LW_OK;
}

static lw_status map_body(struct lw__call *call, void *arguments)
{
    const struct map_arguments *a = arguments;
    struct lw__operand out, to, inputs[LW_INPUTS_MAX];

    assert(a->count <= LW_INPUTS_MAX); /* lw__check_inputs was here */
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    for (size_t k = 0; k < a->count; k++)
        LW_TRY(take_input(call, a, k, &out, &inputs[k]));
    if (!lw__operand_count(&out))
        return LW_OK;
    LW_TRY(lw__contiguous_out(call, &out, &to));
    LW_TRY(launch(call, a, &to, inputs));
    return lw__out_done(call, &out, &to);
}

lw_status lw_map(lw_stream *s, lw_tensor out, const char *expression, const lw_tensor *inputs,
                 size_t count)
{
    struct map_arguments a = {
        .out = out, .inputs = inputs, .count = count, .expression = expression};

    LW_TRY(lw__check_expression("map", "expression", expression));
    LW_TRY(lw__check_inputs("map", inputs, count));
    return lw__call_run("map", s, map_body, &a);
}
