/* last_error.c - robust_last_error DEVICE: lw_last_error() is of the last call that failed. Calls
 * that succeed leave it, whatever they have tried inside: a lookup in the cache, another device,
 * code for another processor.
 */
#include "robust.h"
#include <lanewise/ops.h>

#define MARK "what failed last"

/* The call works, and says nothing. */
#define QUIET(call)                                                                                \
    do {                                                                                           \
        (void)lw_fail(LW_E_IO, MARK);                                                              \
        WORKS(call);                                                                               \
        is_left(__LINE__);                                                                         \
    } while (0)

static void is_left(int line)
{
    if (strcmp(lw_last_error(), MARK)) {
        failures++;
        printf("line %d: \"%s\"\n", line, lw_last_error());
    }
}

static const char *name = "cpu";

static lw_status open_named(lw_device **device)
{
    lw_device_info rows[8];
    return lw_device_list(rows, 8) ? lw_device_open(name, device) : LW_E_DEVICE;
}

static lw_status open_default(void)
{
    lw_device *device;
    lw_status status = lw_device_open(NULL, &device);
    lw_device_close(device);
    return status;
}

/* A text that no cache has, then the same one again, then without a cache. */
static void builds(lw_device *device)
{
    char source[400], folder[] = "/tmp/lanewise-error-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source,
             "#include <lanewise/kernel.h>\nKERNEL void k(int *x) { x[global_idx.x] = %d; }\n",
             (int)getpid());
    for (int i = 0; i < 3; i++) {
        lw_build_options options = {.source = source,
                                    .first_block = {i == 1   ? 32
                                                    : i == 2 ? 4096
                                                             : 0,
                                                    1, 1}};
        const int values[256] = {0};
        lw_dim3 grid, block;
        lw_program *program;
        lw_stream *stream;
        lw_buffer *buffer;
        lw_kernel *kernel;
        setenv("LANEWISE_CACHE_DIR", folder, 1);
        setenv("LANEWISE_CACHE", i == 2 ? "0" : "1", 1);
        QUIET(lw_program_build(device, "k.c", &options, &program));
        if (!program)
            return;
        QUIET(lw_program_kernel(program, "k", &kernel));
        QUIET(lw_stream_create(device, &stream));
        QUIET(lw_buffer_create(device, LW_I32, 256, &buffer));
        QUIET(lw_buffer_write(buffer, 0, 256, values));
        QUIET(LW_LAUNCH(stream, kernel, 1, 32, buffer));
        QUIET(lw_stream_wait(stream));
        QUIET(LW_LAUNCH(stream, kernel, 4, 64, buffer));
        QUIET(lw_stream_wait(stream));
        QUIET(lw_buffer_wait_for(buffer, 0));
        QUIET(lw_kernel_suggest(kernel, NULL, &grid, &block));
        QUIET((lw_stream_destroy(stream), lw_buffer_destroy(buffer), lw_program_destroy(program),
               LW_OK));
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    unsetenv("LANEWISE_CACHE_DIR");
}

static lw_status capture(lw_device *device, lw_executable **executable)
{
    const ptrdiff_t extent[] = {8};
    lw_graph *graph;
    lw_status status = lw_graph_create(device, &graph);
    lw_tensor x;
    if (!status)
        status = lw_graph_input(graph, "x", LW_F32, 1, extent, &x);
    lw_tensor y;
    if (!status)
        status = lw_graph_temporary(graph, LW_F32, 1, extent, &y);
    if (!status)
        status = lw_map(lw_graph_stream(graph), y, "exp(a) + 1", &x, 1);
    if (!status)
        status = lw_graph_output(graph, "y", y);
    if (!status)
        status = lw_graph_compile(graph, executable);
    lw_graph_destroy(graph);
    return status;
}

static void operations(lw_device *device)
{
    lw_executable *executable = NULL;
    lw_stream *stream;
    QUIET(lw_stream_create(device, &stream));
    lw_buffer *in;
    QUIET(lw_buffer_create(device, LW_F32, 8, &in));
    lw_buffer *out;
    QUIET(lw_buffer_create(device, LW_F32, 8, &out));
    const lw_tensor x = {.buffer = in, .rank = 1, .extent = {8}};
    const lw_tensor y = {.buffer = out, .rank = 1, .extent = {8}};
    const lw_tensor one = {.buffer = out, .rank = 1, .extent = {1}};
    const lw_tensor result[] = {x, y};
    QUIET(lw_softmax(stream, y, x, NULL));
    QUIET(lw_sum(stream, one, x, &(lw_reduce_options){.keepdims = true}));
    QUIET(lw_map(stream, y, "a * b", (const lw_tensor[]){x, x}, 2));
    QUIET(lw_map_reduce(stream, one, "a", "x + y", 0, &x, 1,
                        &(lw_map_reduce_options){.keepdims = true}));
    QUIET(lw_sort(stream, y, x, NULL));
    QUIET(lw_stream_wait(stream));
    QUIET(capture(device, &executable));
    QUIET(lw_executable_run(executable, stream, NULL, result, 2));
    QUIET(lw_stream_wait(stream));
    QUIET((lw_executable_destroy(executable), lw_stream_destroy(stream), LW_OK));
    lw_buffer_destroy(in);
    lw_buffer_destroy(out);
}

int main(int argc, char **argv)
{
    lw_device *device = NULL;
    name = argc > 1 ? argv[1] : name;
    QUIET(open_named(&device));
    QUIET(open_default());
    if (!device)
        return 1;
    builds(device);
    if (strcmp(name, "check")) /* which builds them all, for long */
        operations(device);
    QUIET(lw_trap_faults());
    QUIET((lw_device_close(device), LW_OK));
    return failures != 0;
}
