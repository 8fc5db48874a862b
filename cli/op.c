/* op.c - `lanewise op NAME [key=value...] [ARG...]`: a ready-made operation on files or fills.
 *
 * A word with '=' behind a plain name is a parameter, or `out=FILE.npy`; every other one is an ARG,
 * as of a kernel's parameter `const void *`. The result is printed as `run` prints a buffer.
 */
#include "cli.h"
#include "lanewise/op_info.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS_MAX = 16 };

struct op_job {
    const struct cli_options *options;
    lw_op *op;
    lw_op_info info;
    char *json; /* of the parameters; capacity is enough for all words twice */
    size_t json_length;
    const char *out;
    lw_device *device;
    lw_stream *stream;
    lw_event *begin, *end;
    struct cli_arg args[INPUTS_MAX + 1]; /* inputs, then the output */
    lw_tensor tensors[INPUTS_MAX + 1];
    size_t inputs;
    uint64_t *times;
};

/* ---- parameters ------------------------------------------------------------------------------ */

/* The length of the name before '='; 0: the word is no parameter. */
static size_t key_length(const char *word)
{
    size_t n = 0;
    while (isalnum((unsigned char)word[n]) || word[n] == '_')
        n++;
    return word[n] == '=' && !isdigit((unsigned char)*word) ? n : 0;
}

/* "name:type" in the operation's declaration: the type, or NULL. */
static const char *find_type(const char *parameters, const char *name, size_t length)
{
    for (const char *at = parameters; *at;) {
        at += strspn(at, " ");
        if (!strncmp(at, name, length) && at[length] == ':')
            return at + length + 1;
        at += strcspn(at, " ");
    }
    return NULL;
}

static void add(struct op_job *job, char c)
{
    job->json[job->json_length++] = c;
}

static void add_string(struct op_job *job, const char *text, size_t length)
{
    add(job, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            add(job, '\\');
        add(job, text[i]);
    }
    add(job, '"');
}

/* Words are strings in JSON, also the words of numbers, as `all` and `inf`. */
static bool is_word(const char *type, const char *value)
{
    bool is_text = !strncmp(type, "string", 6) || !strncmp(type, "dtype", 5);
    bool is_bool = !strncmp(type, "bool", 4);
    return is_text || (!is_bool && !isdigit((unsigned char)value[strspn(value, "+-.")]));
}

static int take_parameter(struct op_job *job, const char *word, size_t length)
{
    const char *value = word + length + 1;
    const char *type = find_type(job->info.parameters, word, length);
    if (length == 3 && !strncmp(word, "out", 3)) {
        job->out = value;
        return CLI_DONE;
    }
    if (!type)
        return cli_fail(CLI_USAGE, "%s has no parameter '%.*s'; it has %s, and out=FILE.npy",
                        job->info.name, (int)length, word,
                        *job->info.parameters ? job->info.parameters : "none");
    add(job, job->json_length ? ',' : '{');
    add_string(job, word, length);
    add(job, ':');
    if (is_word(type, value)) {
        add_string(job, value, strlen(value));
    } else {
        memcpy(job->json + job->json_length, value, strlen(value));
        job->json_length += strlen(value);
    }
    return CLI_DONE;
}

/* ---- ARGs ------------------------------------------------------------------------------------ */

static int take_arg(struct op_job *job, const char *word)
{
    static const char *const names[] = {"x", "y", "z"};
    lw_param param = {.name = job->inputs < 3 ? names[job->inputs] : "input",
                      .type = "const void *",
                      .kind = LW_PARAM_POINTER,
                      .bytes = sizeof(void *),
                      .is_const = true,
                      .layout = "pc(void)"};
    if (job->inputs == job->info.most_inputs)
        return cli_fail(CLI_USAGE, "%s takes at most %zu ARGs; '%s' is one more", job->info.name,
                        job->info.most_inputs, word);
    size_t index = job->inputs++;
    return cli_arg_read(index, &param, word, &job->args[index]);
}

static int read_words(struct op_job *job)
{
    const struct cli_options *o = job->options;
    size_t room = 3;
    for (size_t i = 0; i < o->arg_count; i++)
        room += 2 * strlen(o->args[i]) + 8;
    job->json = malloc(room);
    if (!job->json)
        return cli_fail_memory(room);
    for (size_t i = 0; i < o->arg_count; i++) {
        size_t length = key_length(o->args[i]);
        int failed = length ? take_parameter(job, o->args[i], length) : take_arg(job, o->args[i]);
        if (failed)
            return failed;
    }
    if (job->json_length)
        add(job, '}');
    add(job, '\0');
    if (job->inputs < job->info.least_inputs)
        return cli_fail(CLI_USAGE, "%s needs %zu ARGs, %zu given", job->info.name,
                        job->info.least_inputs, job->inputs);
    return CLI_DONE;
}

static int find_op(struct op_job *job)
{
    lw_status status = lw_op_find(job->options->file, &job->op);
    if (status == LW_OK)
        status = lw_op_get_info(job->op, &job->info);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

static int open_device(struct op_job *job)
{
    const char *name = job->options->device;
    lw_status status = lw_device_open(name, &job->device);
    if (status == LW_E_DEVICE && name) {
        int failed = cli_fail_library(status);
        return cli_is_device(name) ? failed : CLI_USAGE;
    }
    if (status == LW_OK)
        status = lw_stream_create(job->device, &job->stream);
    if (status == LW_OK)
        status = lw_event_create(job->device, &job->begin);
    if (status == LW_OK)
        status = lw_event_create(job->device, &job->end);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

static int create_inputs(struct op_job *job)
{
    for (size_t i = 0; i < job->inputs; i++) {
        struct cli_arg *arg = &job->args[i];
        if (arg->rank > 4)
            return cli_fail(CLI_USAGE, "%s: rank %d; need at most 4", arg->label, arg->rank);
        int failed = cli_arg_create(job->device, arg);
        if (failed)
            return failed;
        job->tensors[i] = (lw_tensor){.buffer = arg->buffer, .rank = arg->rank};
        for (int axis = 0; axis < arg->rank; axis++)
            job->tensors[i].extent[axis] = (ptrdiff_t)arg->extent[axis];
    }
    return CLI_DONE;
}

/* ---- the output ------------------------------------------------------------------------------ */

static int create_output(struct op_job *job)
{
    struct cli_arg *out = &job->args[job->inputs];
    lw_shape in[INPUTS_MAX] = {0}, shape;
    for (size_t i = 0; i < job->inputs; i++) {
        in[i] = (lw_shape){.dtype = job->args[i].dtype, .rank = job->args[i].rank};
        memcpy(in[i].extent, job->tensors[i].extent, sizeof in[i].extent);
    }
    lw_status status = lw_op_infer(job->op, job->json, in, job->inputs, &shape, 1);
    if (status != LW_OK)
        return cli_fail_library(status);
    *out = (struct cli_arg){.param = {.name = "out"},
                            .is_buffer = true,
                            .has_dtype = true,
                            .dtype = shape.dtype,
                            .element_bytes = lw_dtype_size(shape.dtype),
                            .rank = shape.rank,
                            .count = 1};
    lw_tensor *tensor = &job->tensors[job->inputs];
    for (int axis = 0; axis < shape.rank; axis++) {
        tensor->extent[axis] = shape.extent[axis];
        out->extent[axis] = (size_t)shape.extent[axis];
        out->count *= out->extent[axis];
    }
    int failed = cli_arg_create(job->device, out);
    tensor->buffer = out->buffer;
    tensor->rank = shape.rank;
    out->out = job->out ? strdup(job->out) : NULL;
    if (!failed && job->out && !out->out)
        failed = cli_fail_memory(strlen(job->out) + 1);
    return failed;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int run_once(struct op_job *job, uint64_t *time)
{
    for (size_t i = 0; i < job->inputs; i++) {
        int failed = cli_arg_refill(&job->args[i]);
        if (failed)
            return failed;
    }
    lw_status status = lw_event_record(job->begin, job->stream);
    if (status == LW_OK)
        status = lw_op_run(job->op, job->stream, job->json, &job->tensors[job->inputs], 1,
                           job->tensors, job->inputs);
    if (status != LW_OK)
        return cli_fail_library(status);
    lw_status marked = lw_event_record(job->end, job->stream);
    status = job->options->timeout ? lw_stream_wait_for(job->stream, job->options->timeout)
                                   : lw_stream_wait(job->stream);
    if (status == LW_OK && marked == LW_OK && job->options->time_launches)
        status = lw_event_elapsed(job->begin, job->end, time);
    return status == LW_OK ? CLI_DONE : (cli_fail_library(status), CLI_LAUNCH);
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int run_all(struct op_job *job)
{
    size_t timed = job->options->time_launches, runs = timed ? timed : 1;
    job->times = calloc(runs, sizeof *job->times);
    if (!job->times)
        return cli_fail_memory(runs * sizeof *job->times);
    for (size_t i = 0; i < runs; i++) {
        int failed = run_once(job, &job->times[i]);
        if (failed)
            return failed;
    }
    qsort(job->times, timed, sizeof *job->times, compare_times);
    return CLI_DONE;
}

static int deliver(struct op_job *job)
{
    lw_device_info info;
    lw_status status = lw_device_get_info(job->device, &info);
    if (status != LW_OK)
        return cli_fail_library(status);
    struct cli_result result = {.kernel = job->info.name,
                                .device = info.name,
                                .args = &job->args[job->inputs],
                                .arg_count = 1,
                                .times = job->times,
                                .time_count = job->options->time_launches,
                                .quiet = job->options->quiet};
    int failed = cli_arg_write_file(&job->args[job->inputs]);
    if (failed)
        return failed;
    return job->options->json ? cli_json_result(stdout, &result)
                              : cli_print_result(stdout, &result);
}

static void release(struct op_job *job)
{
    lw_event_destroy(job->begin);
    lw_event_destroy(job->end);
    lw_stream_destroy(job->stream);
    for (size_t i = 0; i <= job->inputs; i++)
        cli_arg_free(&job->args[i]);
    free(job->json);
    free(job->times);
    lw_device_close(job->device);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void print_row(const lw_op_info *info, bool markdown)
{
    if (markdown) {
        printf("| **%s** %s | %zu", info->name, info->text, info->least_inputs);
        if (info->most_inputs > info->least_inputs)
            printf(" to %zu", info->most_inputs);
        printf(" | %s%s%s | %s |\n", *info->parameters ? "`" : "", info->parameters,
               *info->parameters ? "`" : "", info->bound);
        return;
    }
    printf("%-16s %s\n", info->name, info->text);
    if (*info->parameters)
        printf("%-16s     %s\n", "", info->parameters);
}

static int list(bool markdown)
{
    size_t count = lw_op_list(NULL, 0);
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return cli_fail_memory(count * sizeof *names);
    count = lw_op_list(names, count);
    for (size_t i = 0; i < count; i++) {
        lw_op *op;
        lw_op_info info;
        if (lw_op_find(names[i], &op) != LW_OK || lw_op_get_info(op, &info) != LW_OK)
            continue;
        print_row(&info, markdown);
    }
    free(names);
    return CLI_DONE;
}

int cli_op(const struct cli_options *options)
{
    static int (*const steps[])(struct op_job *) = {
        find_op, read_words, open_device, create_inputs, create_output, run_all, deliver};
    struct op_job job = {.options = options};
    int failed = CLI_DONE;
    if (options->list)
        return list(options->markdown);
    for (size_t i = 0; !failed && i < sizeof steps / sizeof steps[0]; i++)
        failed = steps[i](&job);
    release(&job);
    return failed;
}
