/* run.c - the launches of a test on one device, and the reference, which says what is right.
 *
 * Every run has buffers and a stream of its own, for a stream that failed stays failed. On `check`
 * outputs are declared uninitialised: to read one before it is written is a finding.
 */
#include "cli/learn/learn.h"
#include "lanewise/check.h"
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SECONDS = 30, FINDINGS_SHOWN = 3 };

/* ---- a file of kernels ----------------------------------------------------------------------- */

struct building {
    struct cli_messages messages;
    struct cli_progress *progress;
};

static void on_diagnostic(const lw_diagnostic *diagnostic, void *user)
{
    struct building *building = user;
    cli_progress_erase(building->progress);
    cli_print_diagnostic(diagnostic, &building->messages);
}

int learn_bench_open(struct learn_bench *bench, const struct learn_test *test,
                     const struct cli_options *options)
{
    struct building building = {.messages = {.color = cli_wants_color(options->color)},
                                .progress = bench->progress};
    lw_build_options build = {.defines = test->defines,
                              .define_count = test->define_count,
                              .on_diagnostic = on_diagnostic,
                              .user = &building,
                              .picture = bench->count};
    const lw_check_options check = {.strict = !test->is_lenient};
    lw_status status = lw_device_open(bench->device_name, &bench->device);
    if (status == LW_OK && strcmp(bench->device_name, "check") == 0)
        status = lw_check_configure(bench->device, &check);
    if (status == LW_OK)
        status = lw_program_build(bench->device, bench->file, &build, &bench->program);
    if (status == LW_E_COMPILE && building.messages.count > 0)
        return CLI_COMPILE;
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

void learn_bench_close(struct learn_bench *bench)
{
    lw_program_destroy(bench->program);
    lw_device_close(bench->device);
    bench->program = NULL;
    bench->device = NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* One launch, with arguments by the kernel's parameters. */
struct call {
    lw_kernel *kernel;
    struct cli_arg args[LEARN_PARAMS];
    lw_arg packed[LEARN_PARAMS];
    size_t count;
};

/* find_data - name ends at a '[', after which another shape stands. */
static const struct learn_data *find_data(const struct learn_test *test,
                                          const struct learn_data *data, const char *name)
{
    size_t length = strcspn(name, "[");
    for (size_t i = 0; i < test->array_count; i++)
        if (strlen(data[i].array->name) == length && !memcmp(data[i].array->name, name, length))
            return &data[i];
    return NULL;
}

/* reshape - where the argument is NAME[SHAPE]: the same elements as other rows and columns. */
static int reshape(const struct learn_scope *scope, const char *arg, struct learn_data *data)
{
    char shape[64];
    int64_t extent[LEARN_RANK];
    if (sscanf(arg, "%*[^[][%63[^]]]", shape) != 1)
        return CLI_DONE;
    size_t rank;
    int failed = learn_numbers(scope, shape, LEARN_RANK, extent, &rank);
    data->rank = (int)rank;
    for (size_t i = 0; i < rank && !failed; i++)
        data->extent[i] = (size_t)extent[i];
    return failed;
}

/* read_buffer - the parameter as an ARG for an array of that dtype, with the buffer given. */
static int read_buffer(struct call *call, const lw_param *param, const struct learn_data *data,
                       lw_dtype dtype, lw_buffer *buffer)
{
    char text[128];
    struct cli_arg *arg = &call->args[call->count];
    int length = snprintf(text, sizeof text, "%s[", lw_dtype_name(dtype));
    for (int i = 0; i < data->rank; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%zu", i ? "," : "",
                           data->extent[i]);
    snprintf(text + length, sizeof text - (size_t)length, "]");
    int failed = cli_arg_read(call->count++, param, text, arg);
    arg->buffer = buffer;
    arg->is_borrowed = true;
    if (!failed)
        call->packed[call->count - 1] = cli_arg_pack(arg);
    return failed;
}

static int read_number(struct call *call, const lw_param *param, const struct learn_scope *scope,
                       const char *expression)
{
    char text[LW_NUMBER_SIZE];
    struct cli_arg *arg = &call->args[call->count];
    int64_t number;
    int failed = learn_number(scope, expression, &number);
    if (failed)
        return failed;
    snprintf(text, sizeof text, "%lld", (long long)number);
    failed = cli_arg_read(call->count++, param, text, arg);
    if (!failed)
        call->packed[call->count - 1] = cli_arg_pack(arg);
    return failed;
}

static void release_call(struct call *call)
{
    for (size_t i = 0; i < call->count; i++)
        cli_arg_free(&call->args[i]);
    call->count = 0;
}

static int read_dim(const struct learn_scope *scope, const char *text, lw_dim3 *dim)
{
    int64_t axis[3] = {1, 1, 1};
    size_t count;
    int failed = learn_numbers(scope, text, 3, axis, &count);
    *dim = (lw_dim3){(uint32_t)axis[0], (uint32_t)axis[1], (uint32_t)axis[2]};
    return failed;
}

/* ---- the reader's launches ------------------------------------------------------------------- */

struct run {
    const struct learn_bench *bench;
    const struct learn_test *test;
    const struct learn_scope *scope;
    const struct learn_data *data;
    lw_buffer *buffers[LEARN_ARRAYS];
    lw_stream *stream;
    uint64_t timeout;
    struct learn_outcome *outcome;
};

static lw_status make_buffers(struct run *run)
{
    const bool is_check = strcmp(run->bench->device_name, "check") == 0;
    lw_status status = lw_stream_create(run->bench->device, &run->stream);
    for (size_t i = 0; i < run->test->array_count && status == LW_OK; i++) {
        const struct learn_data *data = &run->data[i];
        lw_buffer **buffer = &run->buffers[i];
        status = lw_buffer_create(run->bench->device, data->array->dtype, data->count, buffer);
        if (status == LW_OK && data->count > 0)
            status = lw_buffer_write(*buffer, 0, data->count, data->before);
        if (status == LW_OK && is_check && !data->array->fill && data->count > 0)
            status = lw_buffer_discard(*buffer);
    }
    return status;
}

static int read_call(struct run *run, const struct learn_launch *launch, struct call *call)
{
    lw_status status = lw_program_kernel(run->bench->program, launch->kernel, &call->kernel);
    if (status != LW_OK)
        return cli_fail_library(status);
    size_t needed = lw_kernel_param_count(call->kernel);
    if (needed != launch->arg_count)
        return cli_fail(CLI_USAGE, "%s: '%s' has %zu parameters; keep the %zu of the skeleton",
                        run->bench->file, launch->kernel, needed, launch->arg_count);
    for (size_t i = 0; i < needed; i++) {
        const struct learn_data *data = find_data(run->test, run->data, launch->args[i]);
        int failed = CLI_DONE;
        lw_param param;
        status = lw_kernel_param(call->kernel, i, &param);
        if (status != LW_OK)
            return cli_fail_library(status);
        if (data) {
            struct learn_data shaped = *data;
            failed = reshape(run->scope, launch->args[i], &shaped);
            if (!failed)
                failed = read_buffer(call, &param, &shaped, data->array->dtype,
                                     run->buffers[data - run->data]);
        } else {
            failed = read_number(call, &param, run->scope, launch->args[i]);
        }
        if (failed)
            return failed;
    }
    return CLI_DONE;
}

/* note - how a launch ended that did not end well. */
static void note(struct run *run, lw_status status)
{
    struct learn_outcome *outcome = run->outcome;
    outcome->has_findings |= status == LW_E_CHECK;
    outcome->has_timed_out |= status == LW_E_TIMEOUT;
    outcome->is_failed |= status != LW_OK && status != LW_E_CHECK;
    if (status == LW_E_TIMEOUT)
        snprintf(outcome->why, sizeof outcome->why, "it is not done after %g s",
                 (double)run->timeout / 1e9);
    else if (outcome->is_failed)
        snprintf(outcome->why, sizeof outcome->why, "%s", lw_last_error());
}

/* add_counts - of a launch that ended well. */
static int add_counts(struct run *run)
{
    lw_picture_counts more, *sum = &run->outcome->counts;
    uint64_t *to = (uint64_t *)sum, *from = (uint64_t *)&more;
    lw_status status = lw_picture_get_counts(run->stream, &more);
    if (status != LW_OK)
        return cli_fail_library(status);
    for (size_t i = 0; i < sizeof more / sizeof *from; i++)
        to[i] += from[i];
    return CLI_DONE;
}

static int launch(struct run *run, const struct learn_launch *launch)
{
    const lw_picture_options counts_only = {.counts_only = true};
    struct call call = {.count = 0};
    lw_launch_options options = {0};
    int64_t shared = 0;
    lw_dim3 grid;
    int failed = read_dim(run->scope, launch->grid, &grid);
    lw_dim3 block;
    if (!failed)
        failed = read_dim(run->scope, launch->block, &block);
    if (!failed && launch->shared)
        failed = learn_number(run->scope, launch->shared, &shared);
    if (!failed)
        failed = read_call(run, launch, &call);
    options.shared_bytes = (size_t)shared;
    lw_status status = LW_OK;
    if (!failed && run->bench->count)
        status = lw_picture_begin(run->stream, &counts_only);
    if (!failed && status == LW_OK)
        status = lw_stream_launch(run->stream, call.kernel, grid, block, &options, call.packed,
                                  call.count);
    if (!failed && status == LW_OK)
        status = lw_stream_wait_for(run->stream, run->timeout);
    if (!failed && status == LW_E_MEMORY) /* which says nothing of the kernel */
        failed = cli_fail_library(status);
    if (!failed)
        note(run, status);
    if (!failed && run->bench->count && !run->outcome->is_failed)
        failed = add_counts(run);
    release_call(&call);
    return failed;
}

/* ---- findings -------------------------------------------------------------------------------- */

struct findings {
    FILE *text;
    bool is_lenient;
    size_t count;
};

static void write_finding(const lw_finding *finding, void *user)
{
    struct findings *to = user;
    const lw_place *at = &finding->at;
    if ((finding->warning && to->is_lenient) || to->count++ >= FINDINGS_SHOWN)
        return;
    fprintf(to->text, "%s:%d:%d: %s: %s\n", at->file ? at->file : "", at->line, at->column,
            finding->name, finding->message);
    if (finding->fix && *finding->fix)
        fprintf(to->text, "fix: %s\n", finding->fix);
}

static int keep_findings(struct run *run)
{
    struct learn_outcome *outcome = run->outcome;
    size_t size;
    struct findings to = {.text = open_memstream(&outcome->findings, &size),
                          .is_lenient = run->test->is_lenient};
    if (to.text)
        lw_check_findings(run->stream, write_finding, &to);
    int failed = cli_end_text(to.text, &outcome->findings);
    if (failed)
        return failed;
    outcome->has_findings |= to.count > 0;
    return cli_json_stream(run->stream, "\"findings\":", &outcome->findings_json);
}

static int read_back(struct run *run)
{
    for (size_t i = 0; i < run->test->array_count && !run->outcome->is_failed; i++) {
        size_t count = run->data[i].count, bytes = lw_dtype_size(run->data[i].array->dtype);
        run->outcome->after[i] = calloc(count + 1, bytes);
        if (!run->outcome->after[i])
            return cli_fail_memory(count * bytes);
        lw_status status =
            count ? lw_buffer_read(run->buffers[i], 0, count, run->outcome->after[i]) : LW_OK;
        if (status != LW_OK)
            return cli_fail_library(status);
    }
    return CLI_DONE;
}

int learn_launch(const struct learn_bench *bench, const struct learn_test *test,
                 const struct learn_scope *scope, const struct learn_data *data,
                 const struct cli_options *options, struct learn_outcome *outcome)
{
    struct run run = {.bench = bench,
                      .test = test,
                      .scope = scope,
                      .data = data,
                      .timeout = options->timeout ? options->timeout
                                                  : DEFAULT_SECONDS * UINT64_C(1000000000),
                      .outcome = outcome};
    *outcome = (struct learn_outcome){.is_failed = false};
    lw_status status = make_buffers(&run);
    int failed = status == LW_OK ? CLI_DONE : cli_fail_library(status);
    for (size_t i = 0; i < test->launch_count && !failed && !outcome->is_failed; i++)
        failed = launch(&run, &test->launches[i]);
    if (outcome->has_timed_out)
        return failed; /* it still runs, and uses all that is here */
    if (!failed && strcmp(bench->device_name, "check") == 0)
        failed = keep_findings(&run);
    if (!failed)
        failed = read_back(&run);
    lw_stream_destroy(run.stream);
    for (size_t i = 0; i < test->array_count; i++)
        lw_buffer_destroy(run.buffers[i]);
    return failed;
}

void learn_outcome_free(struct learn_outcome *outcome)
{
    for (size_t i = 0; i < LEARN_ARRAYS; i++)
        free(outcome->after[i]);
    free(outcome->findings);
    free(outcome->findings_json);
    *outcome = (struct learn_outcome){.is_failed = false};
}

/* ---- the reference --------------------------------------------------------------------------- */

/* as_dtype - a buffer with the contents of an array as elements of another type. */
static lw_status as_dtype(lw_device *device, const struct learn_data *data, lw_dtype dtype,
                          lw_buffer **buffer)
{
    lw_status status = lw_buffer_create(device, dtype, data->count, buffer);
    if (status != LW_OK || data->count == 0 || !data->array->fill)
        return status;
    void *memory;
    status = lw_buffer_map(*buffer, &memory);
    if (status != LW_OK)
        return status;
    for (size_t i = 0; i < data->count; i++)
        learn_put(dtype, learn_element(data->array->dtype, data->before, i), memory, i);
    return lw_buffer_unmap(*buffer);
}

static lw_status read_expected(struct learn_data *data, lw_buffer *buffer)
{
    void *memory;
    lw_status status = data->count ? lw_buffer_map(buffer, &memory) : LW_OK;
    if (status != LW_OK || data->count == 0)
        return status;
    for (size_t i = 0; i < data->count; i++)
        data->expected[i] = learn_element(lw_buffer_dtype(buffer), memory, i);
    return lw_buffer_unmap(buffer);
}

/* read_param - a parameter's name is that of an array or a number. */
static int read_param(const struct learn_bench *bench, const struct learn_test *test,
                      const struct learn_scope *scope, const struct learn_data *data,
                      struct call *call, lw_buffer **buffer)
{
    lw_param param;
    lw_status status = lw_kernel_param(call->kernel, call->count, &param);
    if (status != LW_OK)
        return cli_fail_library(status);
    const struct learn_data *found = find_data(test, data, param.name);
    if (!found)
        return read_number(call, &param, scope, param.name);
    status = as_dtype(bench->device, found, param.dtype, buffer);
    if (status != LW_OK)
        return cli_fail_library(status);
    return read_buffer(call, &param, found, param.dtype, *buffer);
}

int learn_expect(const struct learn_bench *bench, const struct learn_test *test,
                 const struct learn_scope *scope, struct learn_data *data)
{
    struct call call = {.count = 0};
    lw_buffer *buffers[LEARN_PARAMS] = {NULL};
    lw_stream *stream = NULL;
    const lw_dim3 one = {1, 1, 1};
    lw_status status = lw_program_kernel(bench->program, test->reference, &call.kernel);
    size_t count = status == LW_OK ? lw_kernel_param_count(call.kernel) : 0;
    int failed = CLI_DONE;
    if (count > LEARN_PARAMS)
        return cli_fail(CLI_BROKEN, "%s: more than %d parameters", bench->file, LEARN_PARAMS);
    while (call.count < count && !failed)
        failed = read_param(bench, test, scope, data, &call, &buffers[call.count]);
    if (!failed && status == LW_OK)
        status = lw_stream_create(bench->device, &stream);
    if (!failed && status == LW_OK)
        status = lw_stream_launch(stream, call.kernel, one, one, NULL, call.packed, count);
    if (!failed && status == LW_OK)
        status = lw_stream_wait(stream);
    for (size_t i = 0; i < count && !failed && status == LW_OK; i++) {
        struct learn_data *to = (struct learn_data *)find_data(test, data, call.args[i].param.name);
        if (to && (to->array->role == LEARN_OUT || to->array->role == LEARN_INOUT))
            status = read_expected(to, buffers[i]);
    }
    if (!failed && status != LW_OK)
        failed = cli_fail_library(status);
    lw_stream_destroy(stream);
    release_call(&call);
    for (size_t i = 0; i < count; i++)
        lw_buffer_destroy(buffers[i]);
    return failed;
}
