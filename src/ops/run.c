/* run.c - calls by name that have more than an output, inputs and options. Of operations that have
 * files of their own with room for it, these stand there.
 */
#include "ops/registry.h"
#include "ops/text.h"
#include <stdlib.h>
#include <string.h>

/* The names, which commas part, into the text's own bytes. */
static lw_status read_names(char *text, const char *names[LW_INPUTS_MAX], size_t count)
{
    size_t found = 0;

    for (char *name = text; name; found++) {
        char *comma = strchr(name, ',');

        if (comma)
            *comma++ = '\0';
        if (found < LW_INPUTS_MAX)
            names[found] = name + strspn(name, " ");
        name = comma;
    }
    if (found != count)
        return lw_fail(LW_E_ARG, "map: there are %zu names and %zu inputs", found, count);
    return LW_OK;
}

/* Expressions, which semicolons outside of brackets part, in the text's own bytes. */
static lw_status read_expressions(char *text, const char **expressions, size_t count)
{
    size_t found = 1;
    int depth = 0;

    expressions[0] = text;
    for (char *at = text, *next; *at; at = next) {
        next = (char *)(uintptr_t)lw__after_literal(at);
        if (next != at)
            continue;
        next = at + 1;
        depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
        if (*at != ';' || depth)
            continue;
        *at = '\0';
        if (found < count)
            expressions[found] = next;
        found++;
    }
    if (found != count)
        return lw_fail(LW_E_ARG, "map%zu: there are %zu expressions, apart by ;", count, found);
    return LW_OK;
}

static lw_status run_map(const struct lw__named_call *c, const char *expressions, size_t count)
{
    const char *given = lw__param(c->params, "names")->s, *head = lw__param(c->params, "head")->s;
    const char *names[LW_INPUTS_MAX], *each[LW_OUTPUTS_MAX] = {expressions};
    const bool has_names = given && *given;
    char *text = has_names ? strdup(given) : NULL;
    char *parts = count > 1 ? strdup(expressions) : NULL;
    const lw_map_options options = {.names = has_names ? names : NULL,
                                    .head = head && *head ? head : NULL};
    lw_status status = LW_OK;

    if ((has_names && !text) || (count > 1 && !parts))
        status = lw_fail(LW_E_MEMORY, "out of memory: map's text");
    if (!status && text)
        status = read_names(text, names, c->count);
    if (!status && parts)
        status = read_expressions(parts, each, count);
    if (!status)
        status = lw_map_many(c->stream, c->outputs, each, count, c->inputs, c->count, &options);
    free(text);
    free(parts);
    return status;
}

lw_status lw__run_map(const struct lw__named_call *c)
{
    return run_map(c, lw__param(c->params, "expression")->s, 1);
}

#define MAP_OF_SEVERAL(count)                                                                      \
    lw_status lw__run_map##count(const struct lw__named_call *c)                                   \
    {                                                                                              \
        return run_map(c, lw__param(c->params, "expressions")->s, count);                          \
    }
MAP_OF_SEVERAL(2)
MAP_OF_SEVERAL(3)
MAP_OF_SEVERAL(4)

lw_status lw__run_map_reduce(const struct lw__named_call *c)
{
    return lw_map_reduce(c->stream, c->outputs[0], lw__param(c->params, "map")->s,
                         lw__param(c->params, "combine")->s, lw__param(c->params, "identity")->r,
                         c->inputs, c->count, c->options);
}

lw_status lw__run_layer_norm(const struct lw__named_call *c)
{
    const bool has_weight = lw__param(c->params, "weight")->i;
    const lw_tensor *more = c->count > 1 ? &c->inputs[1] : NULL;
    lw_norm_options o = *(const lw_norm_options *)c->options;

    if (!has_weight && c->count > 2)
        return lw_fail(LW_E_ARG, "%s: weight is false, and there are 3 inputs; need x and the bias",
                       c->op);
    o.weight = has_weight ? more : NULL;
    o.bias = !has_weight ? more : c->count > 2 ? &c->inputs[2] : NULL;
    return lw_layer_norm(c->stream, c->outputs[0], c->inputs[0], &o);
}

lw_status lw__run_rms_norm(const struct lw__named_call *c)
{
    lw_norm_options o = *(const lw_norm_options *)c->options;

    o.weight = c->count > 1 ? &c->inputs[1] : NULL;
    return lw_rms_norm(c->stream, c->outputs[0], c->inputs[0], &o);
}

lw_status lw__run_copy(const struct lw__named_call *c)
{
    return lw_copy(c->stream, c->outputs[0], c->inputs[0]);
}

lw_status lw__run_matmul(const struct lw__named_call *c)
{
    lw_matmul_options o = *(const lw_matmul_options *)c->options;

    o.bias = c->count > 2 ? &c->inputs[2] : NULL;
    return lw_matmul(c->stream, c->outputs[0], c->inputs[0], c->inputs[1], &o);
}

/* ---- permute ---- */

/* True if the text has each axis once; negative ones count from the end. */
static bool read_axes(const char *at, int rank, int axes[LW_AXES])
{
    bool seen[LW_AXES] = {false};

    for (int k = 0; k < rank; k++) {
        char *end;
        long axis = strtol(at, &end, 10);

        axis += axis < 0 ? rank : 0;
        if (end == at || axis < 0 || axis >= rank || seen[axis])
            return false;
        seen[axis] = true;
        axes[k] = (int)axis;
        at = end;
        if (k < rank - 1 && *at++ != ',')
            return false;
    }
    return !*at;
}

static lw_status axes_of(const lw_params *params, int rank, int axes[LW_AXES])
{
    const char *text = lw__param(params, "axes")->s;

    for (int k = 0; k < rank; k++)
        axes[k] = rank - 1 - k;
    if (!strcmp(text, "reversed") || read_axes(text, rank, axes))
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: axes is '%.80s'; need `reversed` or %d axes, as 1,0, each once",
                   params->op, text, rank);
}

lw_status lw__infer_permute(const struct lw__question *q, lw_shape *output)
{
    int axes[LW_AXES];

    *output = q->inputs[0];
    LW_TRY(axes_of(q->params, output->rank, axes));
    for (int k = 0; k < output->rank; k++)
        output->extent[k] = q->inputs[0].extent[axes[k]];
    return LW_OK;
}

lw_status lw__run_permute(const struct lw__named_call *c)
{
    int axes[LW_AXES];

    LW_TRY(axes_of(c->params, c->inputs[0].rank, axes));
    return lw_permute(c->stream, c->outputs[0], c->inputs[0], axes);
}

/* ---- attention ---- */

/* Its parameters seq_len and d are 0, or those of k. */
static lw_status check_sizes(const lw_params *params, int rank, const ptrdiff_t *extents)
{
    const int64_t keys = lw__param(params, "seq_len")->i, depth = lw__param(params, "d")->i;

    if (rank < 2) /* the operation says so */
        return LW_OK;
    if (keys && keys != extents[rank - 2])
        return lw_fail(LW_E_SHAPE, "%s: seq_len is %lld, k has %td keys", params->op,
                       (long long)keys, extents[rank - 2]);
    if (depth && depth != extents[rank - 1])
        return lw_fail(LW_E_SHAPE, "%s: d is %lld, k has depth %td", params->op, (long long)depth,
                       extents[rank - 1]);
    return LW_OK;
}

/* q's shape with v's depth. */
lw_status lw__infer_attention(const struct lw__question *q, lw_shape *output)
{
    const lw_shape *query = &q->inputs[0], *k = &q->inputs[1], *v = &q->inputs[2];

    if (!query->rank || k->rank < 2 || v->rank < 2)
        return lw_fail(LW_E_SHAPE,
                       "%s: q, k, v have ranks %d, %d, %d; need 1, 2, 2 or 2, 2, 2 or "
                       "4, 4, 4",
                       q->op, query->rank, k->rank, v->rank);
    LW_TRY(check_sizes(q->params, k->rank, k->extent));
    *output = *query;
    output->extent[output->rank - 1] = v->extent[v->rank - 1];
    return LW_OK;
}

lw_status lw__run_attention(const struct lw__named_call *c)
{
    const lw_tensor *in = c->inputs;

    LW_TRY(check_sizes(c->params, in[1].rank, in[1].extent));
    return lw_attention(c->stream, c->outputs[0], in[0], in[1], in[2], c->options);
}

/* The weights: a row of keys for each query. */
lw_status lw__infer_attention_weights(const struct lw__question *q, lw_shape *outputs)
{
    const lw_shape *query = &q->inputs[0], *k = &q->inputs[1];

    LW_TRY(lw__infer_attention(q, outputs));
    outputs[1] = *query;
    outputs[1].extent[query->rank - 1] = k->extent[k->rank - 2];
    return LW_OK;
}

lw_status lw__run_attention_weights(const struct lw__named_call *c)
{
    lw_attention_options o = *(const lw_attention_options *)c->options;
    struct lw__named_call call = *c;

    o.weights = &c->outputs[1];
    call.options = &o;
    return lw__run_attention(&call);
}
