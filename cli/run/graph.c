/* graph.c - `lanewise graph FILE.so NAME [key=value...] [ARG...]`: an operation of a shared object,
 * recorded into a graph, which is compiled, run, and shown.
 *
 * FILE.so exports lanewise_register, which registers its operations. The words are those of `op`.
 * The first output is the graph's; the others are what the operation works in: temporaries. With
 * outputs=N the first N are the graph's.
 */
#include "cli/run/op_call.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct job {
    const struct cli_options *options;
    const char **names; /* of the file's operations, which live as long as the process */
    size_t name_count;
    size_t graph_outputs; /* as outputs=N says; 1 */
    struct cli_op_call call;
    lw_executable *executable;
    lw_executable_info info;
};

/* ---- the shared object ----------------------------------------------------------------------- */

typedef lw_status register_all(void);

/* open_object - its function. A name without '/' would be looked for in the system's folders. It
 * stays open: what it registers lives as long as the process. */
static int open_object(const char *file, register_all **function)
{
    struct stat about;
    if (stat(file, &about) != 0)
        return cli_fail(CLI_USAGE, "%s: %s", file, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return cli_fail(CLI_USAGE, "%s: a directory", file);
    char *path = NULL;
    if (asprintf(&path, "%s%s", strchr(file, '/') ? "" : "./", file) < 0)
        return cli_fail_memory(strlen(file) + 3);
    errno = 0;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int error = object ? 0 : errno;
    free(path);
    if (error == ENOMEM || error == EMFILE) /* dlerror() may blame the file */
        return cli_fail_file(error, file);
    if (!object)
        return cli_fail(CLI_USAGE, "%s: not a shared object that can be loaded: %s", file,
                        dlerror());
    *(void **)function = dlsym(object, "lanewise_register");
    if (!*function)
        return cli_fail(CLI_USAGE,
                        "%s: has no function lanewise_register; docs/graphs.md shows one", file);
    return CLI_DONE;
}

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* register_operations - the names that are there afterwards and were not before. */
static int register_operations(struct job *job, register_all *function)
{
    const char *file = job->options->file;
    size_t before, after = 0;
    const char **old;
    int failed = cli_op_names(&old, &before);
    if (failed)
        return failed;
    lw_status status = function();
    if (status == LW_OK)
        failed = cli_op_names(&job->names, &after);
    for (size_t i = 0; i < after; i++)
        if (!has_name(old, before, job->names[i]))
            job->names[job->name_count++] = job->names[i];
    free(old);
    if (failed)
        return failed;
    if (status != LW_OK)
        return cli_fail((enum cli_exit)cli_exit_of(status), "%s: lanewise_register: %s", file,
                        lw_last_error());
    if (job->name_count == 0)
        return cli_fail(CLI_USAGE, "%s: lanewise_register registers no operation", file);
    return CLI_DONE;
}

/* ---- the words ------------------------------------------------------------------------------- */

static int fail_name(const struct job *job, const char *name)
{
    char list[1024] = "";
    for (size_t i = 0, length = 0; i < job->name_count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "",
                                   job->names[i]);
    if (name)
        return cli_fail(CLI_USAGE, "%s has no operation '%s'; it has %s", job->options->file, name,
                        list);
    return cli_fail(CLI_USAGE, "graph needs the NAME of an operation; %s has %s",
                    job->options->file, list);
}

/* take_outputs - outputs=N, the last one counts; other words are moved to words. */
static int take_outputs(struct job *job, const char **words, size_t *count)
{
    static const char key[] = "outputs=";
    *count = 0;
    job->graph_outputs = 1;
    for (size_t i = 1; i < job->options->arg_count; i++) {
        const char *word = job->options->args[i];
        if (strncmp(word, key, sizeof key - 1) != 0) {
            words[(*count)++] = word;
            continue;
        }
        uint64_t value;
        if (lw__number_read(LW_U64, word + sizeof key - 1, &value) != LW_NUMBER_OK || value == 0)
            return cli_fail(CLI_USAGE, "'%s': need a whole number of at least 1", word);
        job->graph_outputs = value;
    }
    return CLI_DONE;
}

static int read_words(struct job *job)
{
    const struct cli_options *options = job->options;
    const char *name = options->arg_count > 0 ? options->args[0] : NULL;
    if (!name || !has_name(job->names, job->name_count, name))
        return fail_name(job, name);
    size_t count;
    const char **words = calloc(options->arg_count, sizeof *words);
    if (!words)
        return cli_fail_memory(options->arg_count * sizeof *words);
    int failed = take_outputs(job, words, &count);
    if (!failed)
        failed = cli_op_read(name, words, count, &job->call);
    free(words);
    if (failed)
        return failed;
    if (job->graph_outputs > job->call.outputs)
        return cli_fail(CLI_USAGE, "outputs=%zu: %s has %zu", job->graph_outputs, name,
                        job->call.outputs);
    job->call.shown = job->graph_outputs;
    return CLI_DONE;
}

/* draw_format - by the file's name; NULL: neither. */
static const char *draw_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".dot") == 0))
        return dot + 1;
    return NULL;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* declare - tensors of the graph as the ARGs are: inputs, then outputs. */
static lw_status declare(const struct cli_op_call *call, lw_graph *graph, lw_tensor *tensors)
{
    lw_status status = LW_OK;
    for (size_t i = 0; i < call->inputs + call->outputs && status == LW_OK; i++) {
        const struct cli_arg *arg = &call->args[i];
        ptrdiff_t extents[4] = {0};
        char name[32];
        for (int axis = 0; axis < arg->rank; axis++)
            extents[axis] = (ptrdiff_t)arg->extent[axis];
        snprintf(name, sizeof name, i < 3 ? "%s" : "%s%zu", arg->param.name, i + 1);
        status = i < call->inputs
                     ? lw_graph_input(graph, name, arg->dtype, arg->rank, extents, &tensors[i])
                     : lw_graph_temporary(graph, arg->dtype, arg->rank, extents, &tensors[i]);
    }
    return status;
}

/* record - infer has accepted the words of the command line. So an operation that the recording
 * refuses is a failed launch. */
static int record(const struct job *job, lw_graph *graph)
{
    const struct cli_op_call *call = &job->call;
    lw_tensor tensors[CLI_OP_INPUTS + CLI_OP_OUTPUTS];
    lw_status status = declare(call, graph, tensors);
    if (status == LW_OK)
        status = lw_params_run(call->params, lw_graph_stream(graph), &tensors[call->inputs],
                               call->outputs, tensors, call->inputs);
    for (size_t i = call->inputs; i < call->inputs + call->shown && status == LW_OK; i++)
        status = lw_graph_output(graph, call->args[i].param.name, tensors[i]);
    int failed = cli_exit_of(status);
    if (!failed)
        return CLI_DONE;
    return cli_fail((enum cli_exit)(failed == CLI_USAGE ? CLI_LAUNCH : failed), "%s",
                    lw_last_error());
}

struct drawing {
    lw_graph *graph;
    const char *format;
};

static lw_status write_drawing(const void *of, const char *path)
{
    const struct drawing *drawing = of;
    return lw_graph_draw(drawing->graph, drawing->format, path);
}

static int save_drawing(lw_graph *graph, const char *path)
{
    char *text;
    size_t size;
    int failed =
        cli_capture(write_drawing, &(struct drawing){graph, draw_format(path)}, &text, &size);
    if (failed)
        return failed;
    failed = cli_save(path, &(struct lw__part){text, size}, 1);
    free(text);
    return failed;
}

static int make_graph(struct job *job, lw_device *device)
{
    const char *draw = job->options->draw;
    lw_graph *graph;
    lw_status status = lw_graph_create(device, &graph);
    if (status != LW_OK)
        return cli_fail_library(status);
    int failed = record(job, graph);
    if (!failed) {
        status = lw_graph_compile(graph, &job->executable);
        if (status == LW_OK)
            status = lw_executable_get_info(job->executable, &job->info);
        failed = status == LW_OK ? CLI_DONE : cli_fail_library(status);
        if (!failed && draw)
            failed = save_drawing(graph, draw);
    }
    lw_graph_destroy(graph);
    return failed;
}

static lw_status queue(void *of, lw_stream *stream)
{
    const struct job *job = of;
    return lw_executable_run(job->executable, stream, NULL, job->call.tensors,
                             job->call.inputs + job->call.shown);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void write_plan(FILE *to, const void *of)
{
    const lw_executable_info *info = of;
    fprintf(to,
            ",\n \"plan\": {\"launches\": %zu, \"bytes\": %zu, \"bytes_unshared\": %zu, "
            "\"temporaries\": [",
            info->launches, info->bytes_planned, info->bytes_unshared);
    for (size_t i = 0; i < info->temporaries; i++) {
        const lw_placement *at = &info->placements[i];
        fprintf(to,
                "%s\n  {\"bytes\": %zu, \"offset\": %zu, \"first_launch\": %zu, "
                "\"last_launch\": %zu}",
                i > 0 ? "," : "", at->bytes, at->offset, at->first_launch, at->last_launch);
    }
    fputs("]}", to);
}

static void print_plan(const lw_executable_info *info)
{
    printf("plan %zu launches, %zu temporaries in %zu bytes\n", info->launches, info->temporaries,
           info->bytes_planned);
    for (size_t i = 0; i < info->temporaries; i++) {
        const lw_placement *at = &info->placements[i];
        printf("  %zu bytes at %zu, launches %zu to %zu\n", at->bytes, at->offset, at->first_launch,
               at->last_launch);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int run(struct job *job, struct cli_session *session)
{
    const struct cli_options *options = job->options;
    struct cli_result result = {.kernel = job->call.info.name,
                                .args = &job->call.args[job->call.inputs],
                                .arg_count = job->call.shown,
                                .quiet = options->quiet,
                                .write_more = options->plan ? write_plan : NULL,
                                .more = &job->info};
    struct cli_task task = {.what = "graph",
                            .args = job->call.args,
                            .arg_count = job->call.inputs,
                            .queue = queue,
                            .job = job,
                            .result = &result};
    int failed = cli_session_open(session, options);
    if (!failed)
        failed = cli_op_create(&job->call, session->device);
    if (!failed)
        failed = make_graph(job, session->device);
    result.device = session->info.name;
    if (!failed)
        failed = cli_session_run(session, &task);
    if (!failed)
        failed = cli_session_deliver(session, &result);
    if (!failed && options->plan && !options->json)
        print_plan(&job->info);
    free(result.times);
    return failed;
}

/* close_all - the executable goes before the stream's device, buffers after the stream. */
static void close_all(struct job *job, struct cli_session *session)
{
    lw_executable_destroy(job->executable);
    cli_session_close(session);
    cli_op_free(&job->call);
    free(job->names);
}

int cli_graph(const struct cli_options *options)
{
    struct job job = {.options = options};
    struct cli_session session = {0};
    register_all *function = NULL;
    int failed = CLI_DONE;
    if (!options->file)
        return cli_fail(CLI_USAGE, "graph needs a FILE; see lanewise --help");
    if (options->draw && !draw_format(options->draw))
        return cli_fail(CLI_USAGE, "--draw: '%s' ends in neither .svg nor .dot", options->draw);
    failed = open_object(options->file, &function);
    if (!failed)
        failed = register_operations(&job, function);
    if (!failed && options->list)
        failed = cli_op_list(options, job.names, job.name_count);
    else if (!failed)
        failed = read_words(&job);
    if (!failed && !options->list)
        failed = run(&job, &session);
    close_all(&job, &session);
    return failed;
}
