/* run.c - the ready-made operations called by name: parameters become options. */
#include "ops/registry.h"
#include <limits.h>
#include <string.h>

lw_status lw__axis_option(const lw_params *params, int rank, int *axis)
{
    int64_t k;

    LW_TRY(lw_params_int(params, "axis", &k));
    if (k != LW_INT_ALL && (k >= INT_MAX || k < INT_MIN))
        return lw__wrong_axis(params->op, k, rank);
    *axis = k == LW_INT_ALL ? 0 : (int)LW_AXIS(k);
    return LW_OK;
}

/* A word of a list as its index; where the list has NULL there is no choice. */
static lw_status read_choice(const lw_params *params, const char *name, const char *const *words,
                             size_t count, int *index)
{
    const char *word;
    char all[80] = "";

    LW_TRY(lw_params_string(params, name, &word));
    for (size_t k = 0; k < count; k++)
        if (words[k] && !strcmp(word, words[k])) {
            *index = (int)k;
            return LW_OK;
        }
    for (size_t k = 0; k < count; k++)
        if (words[k])
            strcat(strcat(all, k ? ", " : ""), words[k]);
    return lw_fail(LW_E_ARG, "%s: %s is '%.80s'; need one of %s", params->op, name, word, all);
}

static lw_status read_sum(const lw_params *params, lw_sum_order *sum)
{
    static const char *const words[] = {"fixed", "exact", "free"};
    int k = 0;

    LW_TRY(read_choice(params, "sum", words, 3, &k));
    *sum = (lw_sum_order)k;
    return LW_OK;
}

lw_status lw__window_read(const lw_params *params, int least, int *window)
{
    int64_t v;

    *window = least;
    LW_TRY(lw_params_int(params, "window", &v));
    if (v < least || v > INT_MAX)
        return lw_fail(LW_E_ARG, "%s: window is %lld; need %d to %d", params->op, (long long)v,
                       least, INT_MAX);
    *window = (int)v;
    return LW_OK;
}

lw_status lw__run_dot(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                      size_t count, const lw_params *params)
{
    lw_dot_options o = {0};

    (void)op;
    (void)count;
    LW_TRY(read_sum(params, &o.sum));
    return lw_dot(s, out, inputs[0], inputs[1], &o);
}

typedef lw_status reduction(lw_stream *, lw_tensor, lw_tensor, const lw_reduce_options *);

lw_status lw__run_reduce(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                         size_t count, const lw_params *params)
{
    static const struct {
        const char *name;
        reduction *run;
        bool has_sum;
    } rows[] = {{"sum", lw_sum, true},  {"prod", lw_prod, false},     {"max", lw_max, false},
                {"min", lw_min, false}, {"mean", lw_mean, true},      {"any", lw_any, false},
                {"all", lw_all, false}, {"argmax", lw_argmax, false}, {"argmin", lw_argmin, false}};
    lw_reduce_options o = {0};
    size_t k = 0;

    (void)count;
    while (strcmp(rows[k].name, op))
        k++;
    LW_TRY(lw__axis_option(params, inputs->rank, &o.axis));
    LW_TRY(lw_params_bool(params, "keepdims", &o.keepdims));
    if (rows[k].has_sum)
        LW_TRY(read_sum(params, &o.sum));
    return rows[k].run(s, out, inputs[0], &o);
}

lw_status lw__run_map(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                      size_t count, const lw_params *params)
{
    const char *expression;

    (void)op;
    LW_TRY(lw_params_string(params, "expression", &expression));
    return lw_map(s, out, expression, inputs, count);
}

lw_status lw__run_map_reduce(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                             size_t count, const lw_params *params)
{
    lw_map_reduce_options o = {0};
    int rank = 0; /* of what the inputs broadcast to */
    const char *map, *combine;
    double identity;

    (void)op;
    LW_TRY(lw_params_string(params, "map", &map));
    LW_TRY(lw_params_string(params, "combine", &combine));
    LW_TRY(lw_params_real(params, "identity", &identity));
    for (size_t k = 0; k < count; k++)
        rank = inputs[k].rank > rank ? inputs[k].rank : rank;
    LW_TRY(lw__axis_option(params, rank, &o.axis));
    LW_TRY(lw_params_bool(params, "keepdims", &o.keepdims));
    return lw_map_reduce(s, out, map, combine, identity, inputs, count, &o);
}

static lw_status run_scan(lw_stream *s, lw_tensor out, lw_tensor x, const lw_params *params)
{
    static const char *const words[] = {"add", "mul", "max", "min"};
    lw_scan_options o = {0};
    int k = 0;

    LW_TRY(lw__axis_option(params, x.rank, &o.axis));
    LW_TRY(lw_params_bool(params, "exclusive", &o.exclusive));
    LW_TRY(read_choice(params, "op", words, 4, &k));
    o.op = (lw_scan_op)k;
    return lw_scan(s, out, x, &o);
}

typedef lw_status norm(lw_stream *, lw_tensor, lw_tensor, const lw_norm_options *);

static lw_status run_norm(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                          size_t count, const lw_params *params)
{
    static const struct {
        const char *name;
        norm *run;
        bool has_eps;
    } rows[] = {{"mean_normalize", lw_mean_normalize, false},
                {"layer_norm", lw_layer_norm, true},
                {"rms_norm", lw_rms_norm, true},
                {"softmax", lw_softmax, false},
                {"log_softmax", lw_log_softmax, false}};
    lw_norm_options o = {0};
    bool has_weight = true;
    size_t k = 0;

    while (strcmp(rows[k].name, op))
        k++;
    LW_TRY(lw__axis_option(params, inputs->rank, &o.axis));
    if (rows[k].has_eps)
        LW_TRY(lw_params_real(params, "eps", &o.eps));
    if (rows[k].run == lw_layer_norm)
        LW_TRY(lw_params_bool(params, "weight", &has_weight));
    if (!has_weight && count > 2)
        return lw_fail(LW_E_ARG, "%s: weight is false, and there are 3 inputs; need x and the bias",
                       op);
    o.weight = has_weight && count > 1 ? &inputs[1] : NULL;
    o.bias = has_weight ? (count > 2 ? &inputs[2] : NULL) : count > 1 ? &inputs[1] : NULL;
    return rows[k].run(s, out, inputs[0], &o);
}

lw_status lw__run_like(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                       size_t count, const lw_params *params)
{
    if (!strcmp(op, "copy"))
        return lw_copy(s, out, inputs[0]);
    if (!strcmp(op, "scan"))
        return run_scan(s, out, inputs[0], params);
    return run_norm(op, s, out, inputs, count, params);
}

lw_status lw__run_window(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                         size_t count, const lw_params *params)
{
    static const char *const of_difference[] = {"valid", "zero", NULL},
                             *const of_average[] = {"valid", NULL, "shrink"}; /* ORDER EDGE */
    const bool is_average = strcmp(op, "difference") != 0;
    lw_moving_average_options o = {0};
    lw_difference_options d = {0};
    int edge = 0;

    (void)count;
    LW_TRY(lw__axis_option(params, inputs->rank, &o.axis));
    LW_TRY(read_choice(params, "edge", is_average ? of_average : of_difference, 3, &edge));
    d.axis = o.axis;
    o.edge = d.edge = (lw_edge)edge;
    if (!is_average)
        return lw_difference(s, out, inputs[0], &d);
    LW_TRY(lw__window_read(params, 1, &o.window));
    LW_TRY(lw_params_bool(params, "centre", &o.centre));
    return lw_moving_average(s, out, inputs[0], &o);
}

lw_status lw__run_permute(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                          size_t count, const lw_params *params)
{
    const char *text;
    const int *axes;
    int storage[4];

    (void)count;
    LW_TRY(lw_params_string(params, "axes", &text));
    LW_TRY(lw__axes_read(op, text, inputs[0].rank, storage, &axes));
    return lw_permute(s, out, inputs[0], axes);
}

lw_status lw__run_matmul(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                         size_t count, const lw_params *params)
{
    lw_matmul_options o = {.bias = count > 2 ? &inputs[2] : NULL};

    (void)op;
    (void)params;
    return lw_matmul(s, out, inputs[0], inputs[1], &o);
}

lw_status lw__run_attention(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                            size_t count, const lw_params *params)
{
    lw_attention_options o = {0};

    (void)count;
    LW_TRY(lw__sizes_agree(op, params, inputs[1].rank, inputs[1].extent));
    LW_TRY(lw_params_real(params, "scale", &o.scale));
    LW_TRY(lw_params_bool(params, "causal", &o.causal));
    LW_TRY(lw__window_read(params, 0, &o.window));
    return lw_attention(s, out, inputs[0], inputs[1], inputs[2], &o);
}
