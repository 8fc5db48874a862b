/* registry.c - lw_op_register, find, list, infer, run.
 *
 * The list of operations is the process's; it only grows. The ready-made ones are put into it when
 * it is first asked for anything.
 */
#include "ops/registry.h"
#include "base/nearest.h"
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128, INPUTS_MAX = 16, NEAREST_MAX = 3 };

struct lw_op {
    struct lw_op *next;
    char *name, *parameters;
    struct lw__declaration declaration;
    const struct lw__builtin *builtin; /* NULL: def has the functions */
    lw_op_def def;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    lw_op *first, **end;
    bool has_builtins;
} list; /* locked */

/* ---- the list: locked ---- */

static lw_op *look_up(const char *name)
{
    lw_op *op = list.first;

    while (op && strcmp(op->name, name))
        op = op->next;
    return op;
}

static void append(lw_op *op)
{
    if (!list.end)
        list.end = &list.first;
    assert(!*list.end && !op->next);
    *list.end = op;
    list.end = &op->next;
}

static void free_op(lw_op *op)
{
    lw__declaration_free(&op->declaration);
    free(op->name);
    free(op->parameters);
    free(op);
}

static lw_status make(const char *name, const char *parameters, const struct lw__param_rule *rules,
                      lw_op **out)
{
    lw_op *op = calloc(1, sizeof *op);

    *out = NULL;
    if (op) {
        op->name = strdup(name);
        op->parameters = strdup(parameters ? parameters : "");
    }
    if (!op || !op->name || !op->parameters) {
        if (op)
            free_op(op);
        return lw_fail(LW_E_MEMORY, "out of memory: the operation %s", name);
    }
    lw_status status = lw__declaration_read(name, parameters, rules, &op->declaration);
    if (status)
        free_op(op);
    else
        *out = op;
    return status;
}

static lw_status add_builtins(void)
{
    lw_op *op;

    for (size_t k = 0; k < lw__builtin_count && !list.has_builtins; k++) {
        const struct lw__builtin *b = &lw__builtins[k];

        assert(b->least <= b->most && b->most <= INPUTS_MAX && b->outputs > 0);
        if (look_up(b->name)) /* of a time when memory was short */
            continue;
        LW_TRY(make(b->name, b->parameters + strspn(b->parameters, " "), b->rules, &op));
        op->builtin = b;
        op->def.inputs = b->most;
        op->def.outputs = b->outputs;
        append(op);
    }
    list.has_builtins = true;
    return LW_OK;
}

/* ---- registering ---- */

static bool is_op_name(const char *name)
{
    const size_t length = strlen(name);
    bool good = length && length < NAME_MAX_BYTES && !isdigit((unsigned char)*name);

    for (size_t i = 0; good && i < length; i++)
        if (name[i] == ':') {
            good = i > 0 && name[i + 1] == ':' && name[i + 2] && name[i + 2] != ':';
            i++;
        } else {
            good = isalnum((unsigned char)name[i]) || name[i] == '_';
        }
    return good;
}

static lw_status check_def(const lw_op_def *def)
{
    if (!def || !def->name)
        return lw_fail(LW_E_ARG, "the %s is NULL", def ? "operation's name" : "definition");
    if (!is_op_name(def->name))
        return lw_fail(LW_E_ARG,
                       "'%.140s' is no name for an operation; need letters, digits, _ and "
                       "::, as mine::attention, at most %d bytes",
                       def->name, NAME_MAX_BYTES - 1);
    if (!def->record)
        return lw_fail(LW_E_ARG, "%s: record is NULL", def->name);
    if (!def->outputs || def->outputs > INPUTS_MAX || def->inputs > INPUTS_MAX)
        return lw_fail(LW_E_ARG, "%s: %zu inputs and %zu outputs; need at most %d, and an output",
                       def->name, def->inputs, def->outputs, INPUTS_MAX);
    return LW_OK;
}

/* Locked. */
static lw_status add(const lw_op_def *def, lw_op **out)
{
    LW_TRY(add_builtins());
    if (look_up(def->name))
        return lw_fail(LW_E_ARG, "there is an operation %s already", def->name);
    LW_TRY(make(def->name, def->parameters, NULL, out));
    (*out)->def = *def;
    (*out)->def.name = (*out)->name;
    (*out)->def.parameters = NULL; /* the declaration has them */
    append(*out);
    return LW_OK;
}

lw_status lw_op_register(const lw_op_def *def, lw_op **op)
{
    lw_op *made = NULL;

    if (op)
        *op = NULL;
    LW_TRY(check_def(def));
    pthread_mutex_lock(&lock);
    lw_status status = add(def, &made);
    pthread_mutex_unlock(&lock);
    if (op)
        *op = made;
    return status;
}

/* ---- finding ---- */

/* Locked: the nearest names, the nearest first. */
static lw_status no_such_op(const char *name)
{
    const lw_op *near[NEAREST_MAX] = {NULL};
    size_t far[NEAREST_MAX] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

    for (const lw_op *op = list.first; op; op = op->next) {
        const size_t d = lw__distance(name, strlen(name), op->name, strlen(op->name));
        int k = NEAREST_MAX;

        while (k > 0 && d < far[k - 1])
            k--;
        if (k == NEAREST_MAX)
            continue;
        memmove(&near[k + 1], &near[k], (size_t)(NEAREST_MAX - 1 - k) * sizeof *near);
        memmove(&far[k + 1], &far[k], (size_t)(NEAREST_MAX - 1 - k) * sizeof *far);
        near[k] = op;
        far[k] = d;
    }
    assert(far[0] <= far[1] && far[1] <= far[2]);
    return lw_fail(LW_E_ARG, "there is no operation '%.140s'; the nearest are %s, %s, %s", name,
                   near[0] ? near[0]->name : "none", near[1] ? near[1]->name : "none",
                   near[2] ? near[2]->name : "none");
}

lw_status lw_op_find(const char *name, lw_op **op)
{
    if (!name || !op)
        return lw_fail(LW_E_ARG, "the %s is NULL", name ? "place for the operation" : "name");
    *op = NULL;
    pthread_mutex_lock(&lock);
    lw_status status = add_builtins();
    if (!status) {
        *op = look_up(name);
        status = *op ? LW_OK : no_such_op(name);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

size_t lw_op_list(const char **names, size_t capacity)
{
    size_t count = 0;

    pthread_mutex_lock(&lock);
    (void)!add_builtins(); /* short of memory: those that there are */
    for (const lw_op *op = list.first; op; op = op->next, count++)
        if (names && count < capacity)
            names[count] = op->name;
    pthread_mutex_unlock(&lock);
    return count;
}

lw_status lw_op_get_info(const lw_op *op, lw_op_info *info)
{
    if (!op || !info)
        return lw_fail(LW_E_ARG, "the %s is NULL", op ? "place for the answer" : "operation");
    *info = (lw_op_info){.name = op->name,
                         .parameters = op->parameters,
                         .text = op->builtin ? op->builtin->text : "",
                         .bound = op->builtin ? op->builtin->bound : "",
                         .least_inputs = op->builtin ? op->builtin->least : op->def.inputs,
                         .most_inputs = op->def.inputs,
                         .outputs = op->def.outputs};
    return LW_OK;
}

/* ---- using ---- */

static lw_status check_inputs(const lw_op *op, const void *inputs, size_t count)
{
    const size_t least = op->builtin ? op->builtin->least : op->def.inputs, most = op->def.inputs;

    if (count && !inputs)
        return lw_fail(LW_E_ARG, "%s: the list of %zu inputs is NULL", op->name, count);
    if (count >= least && count <= most)
        return LW_OK;
    if (least == most)
        return lw_fail(LW_E_ARG, "%s takes %zu inputs, not %zu", op->name, most, count);
    return lw_fail(LW_E_ARG, "%s takes %zu to %zu inputs, not %zu", op->name, least, most, count);
}

static lw_status check_rank(const lw_op *op, const char *what, size_t index, int rank)
{
    if (rank >= 0 && rank <= LW_AXES)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: %s %zu has rank %d; need 0 to %d", op->name, what, index, rank,
                   LW_AXES);
}

/* infer gets shapes that there can be. */
static lw_status check_shape(const lw_op *op, size_t index, const lw_shape *s)
{
    LW_TRY(check_rank(op, "input", index, s->rank));
    for (int k = 0; k < s->rank; k++)
        if (s->extent[k] < 0)
            return lw_fail(LW_E_SHAPE, "%s: input %zu has extent %td in axis %d; need at least 0",
                           op->name, index, s->extent[k], k);
    if ((int)s->dtype >= 0 && (int)s->dtype < LW_DTYPE_COUNT)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: input %zu is of dtype %d; need 0 to %d", op->name, index,
                   (int)s->dtype, LW_DTYPE_COUNT - 1);
}

lw_status lw_params_infer(const lw_params *params, const lw_shape *inputs, size_t count,
                          lw_shape *outputs, size_t capacity)
{
    const lw_op *op = params ? params->of : NULL;

    if (!op || !outputs)
        return lw_fail(LW_E_ARG, "the %s NULL", op ? "place for the shapes is" : "parameters are");
    LW_TRY(check_inputs(op, inputs, count));
    if (capacity < op->def.outputs)
        return lw_fail(LW_E_ARG, "%s has %zu outputs, there is room for %zu", op->name,
                       op->def.outputs, capacity);
    memset(outputs, 0, op->def.outputs * sizeof *outputs);
    for (size_t k = 0; k < count; k++)
        LW_TRY(check_shape(op, k, &inputs[k]));
    assert(params->declaration == &op->declaration);
    if (op->builtin)
        return op->builtin->infer(&(struct lw__question){op->name, inputs, count, params}, outputs);
    if (!op->def.infer)
        return lw_fail(LW_E_UNSUPPORTED, "%s says nothing of its outputs' shapes: infer is NULL",
                       op->name);
    return op->def.infer(inputs, params, outputs, op->def.user);
}

static lw_status shape_of(const lw_op *op, const char *what, size_t index, const lw_tensor *t,
                          lw_shape *shape)
{
    if (!t->buffer)
        return lw_fail(LW_E_ARG, "%s: %s %zu has no buffer", op->name, what, index);
    LW_TRY(check_rank(op, what, index, t->rank));
    *shape = (lw_shape){.dtype = lw_buffer_dtype(t->buffer), .rank = t->rank};
    memcpy(shape->extent, t->extent, sizeof shape->extent);
    return LW_OK;
}

static lw_status check_output(const lw_op *op, size_t index, const lw_shape *has,
                              const lw_shape *needs)
{
    bool same = has->rank == needs->rank;

    for (int k = 0; same && k < has->rank; k++)
        same = has->extent[k] == needs->extent[k];
    if (!same)
        return lw_fail(LW_E_SHAPE,
                       "%s: output %zu has rank %d and extents %td %td %td %td; need rank %d and "
                       "%td %td %td %td",
                       op->name, index, has->rank, has->extent[0], has->extent[1], has->extent[2],
                       has->extent[3], needs->rank, needs->extent[0], needs->extent[1],
                       needs->extent[2], needs->extent[3]);
    if (has->dtype != needs->dtype)
        return lw_fail(LW_E_DTYPE, "%s: output %zu is of %s; need %s", op->name, index,
                       lw_dtype_name(has->dtype), lw_dtype_name(needs->dtype));
    return LW_OK;
}

/* Of an operation that was registered: its outputs have to be what it infers. */
static lw_status check_outputs(const lw_op *op, const lw_params *params, const lw_tensor *outputs,
                               const lw_tensor *inputs)
{
    lw_shape in[INPUTS_MAX], needs[INPUTS_MAX] = {0}, has;

    assert(op->def.inputs <= INPUTS_MAX && op->def.outputs <= INPUTS_MAX);
    for (size_t k = 0; k < op->def.inputs; k++)
        LW_TRY(shape_of(op, "input", k, &inputs[k], &in[k]));
    if (op->def.infer)
        LW_TRY(op->def.infer(in, params, needs, op->def.user));
    for (size_t k = 0; k < op->def.outputs; k++) {
        LW_TRY(shape_of(op, "output", k, &outputs[k], &has));
        if (op->def.infer)
            LW_TRY(check_output(op, k, &has, &needs[k]));
    }
    return LW_OK;
}

lw_status lw_params_run(const lw_params *params, lw_stream *s, const lw_tensor *outputs,
                        size_t output_count, const lw_tensor *inputs, size_t input_count)
{
    const lw_op *op = params ? params->of : NULL;
    _Alignas(max_align_t) char options[LW_OPTIONS_BYTES] = {0};

    if (!op)
        return lw_fail(LW_E_ARG, "the parameters are NULL");
    if (!s || !outputs)
        return lw_fail(LW_E_ARG, "%s: the %s is NULL", op->name, s ? "list of outputs" : "stream");
    LW_TRY(check_inputs(op, inputs, input_count));
    if (output_count != op->def.outputs)
        return lw_fail(LW_E_ARG, "%s has %zu outputs, not %zu", op->name, op->def.outputs,
                       output_count);
    for (size_t k = 0; k < input_count; k++)
        LW_TRY(check_rank(op, "input", k, inputs[k].rank));
    if (!op->builtin) {
        LW_TRY(check_outputs(op, params, outputs, inputs));
        return op->def.record(s, outputs, inputs, params, op->def.user);
    }
    LW_TRY(lw__params_fill(params, input_count ? inputs->rank : 0, options));
    const struct lw__named_call call = {op->name, s, outputs, inputs, input_count, params, options};
    return params->replays ? lw__replay_run(params->replays, &call, output_count, op->builtin->run)
                           : op->builtin->run(&call);
}

/* ---- parameters ---- */

lw_status lw_params_create(const lw_op *op, const lw_word *words, size_t count, lw_params **params)
{
    if (!params)
        return lw_fail(LW_E_ARG, "the place for the parameters is NULL");
    *params = NULL;
    if (!op || (count && !words))
        return lw_fail(LW_E_ARG, "the %s is NULL", op ? "list of words" : "operation");
    lw_params *p = malloc(sizeof *p);
    if (!p)
        return lw_fail(LW_E_MEMORY, "%s: out of memory: its parameters", op->name);
    p->of = op;
    lw_status status = lw__params_take(op->name, &op->declaration, words, count, p);
    if (!status && !(p->replays = calloc(LW_REPLAYS, sizeof *p->replays)))
        status = lw_fail(LW_E_MEMORY, "%s: out of memory: its parameters", op->name);
    if (status) {
        lw_params_destroy(p);
        return status;
    }
    *params = p;
    return LW_OK;
}

void lw_params_destroy(lw_params *params)
{
    if (!params)
        return;
    for (size_t k = 0; k < LW_REPLAYS && params->replays; k++)
        lw__replay_destroy(params->replays[k]);
    free(params->replays);
    free(params);
}

lw_status lw_op_infer(lw_op *op, const char *params_json, const lw_shape *inputs, size_t count,
                      lw_shape *outputs, size_t capacity)
{
    if (!op)
        return lw_fail(LW_E_ARG, "the operation is NULL");
    struct lw_params params;
    params.of = op;
    lw_status status = lw__params_read(op->name, &op->declaration, params_json, &params);
    if (!status)
        status = lw_params_infer(&params, inputs, count, outputs, capacity);
    lw__params_free(&params);
    return status;
}

lw_status lw_op_run(lw_op *op, lw_stream *s, const char *params_json, const lw_tensor *outputs,
                    size_t output_count, const lw_tensor *inputs, size_t input_count)
{
    if (!op)
        return lw_fail(LW_E_ARG, "the operation is NULL");
    struct lw_params params;
    params.of = op;
    lw_status status = lw__params_read(op->name, &op->declaration, params_json, &params);
    if (!status)
        status = lw_params_run(&params, s, outputs, output_count, inputs, input_count);
    lw__params_free(&params);
    return status;
}
