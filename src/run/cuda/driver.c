/* driver.c - find the NVIDIA driver's library, and the functions in it; calls as GPUs need them.
 *
 * Only what has succeeded is kept: whoever installs a driver, or names another, need not start the
 * process anew. A process forked from one that uses the driver cannot; fork() is only heard of, so
 * that every call there can say so instead of hanging.
 */
#include "run/cuda/driver.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_library[] = "libcuda.so.1";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while it is being loaded */
static struct lw__cuda_driver driver;                    /* fixed once it is_loaded */
static atomic_bool is_loaded, is_begun, is_forked;

static void in_child(void)
{
    if (atomic_load(&is_begun))
        atomic_store(&is_forked, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

bool lw__cuda_is_forked(void)
{
    return atomic_load_explicit(&is_forked, memory_order_relaxed);
}

static lw_status fail_forked(void)
{
    return lw__fail(LW_E_DEVICE, "this process was forked after the NVIDIA driver was loaded, and "
                                 "cannot use it; open the device in the child only, or fork first");
}

const char *lw__cuda_result_text(int result, char *text)
{
    const char *name = NULL, *meaning = NULL;

    if (driver.error_name(result, &name) || !name)
        snprintf(text, LW_GPU_RESULT_ROOM, "error %d", result);
    else if (driver.error_text(result, &meaning) || !meaning)
        snprintf(text, LW_GPU_RESULT_ROOM, "%s", name);
    else
        snprintf(text, LW_GPU_RESULT_ROOM, "%s (%s)", name, meaning);
    return text;
}

/* ---- calls as GPUs need them ---- */

static bool ends_context(int result)
{
    switch (result) {
    case LW_CU_ECC_UNCORRECTABLE:
    case LW_CU_NVLINK_UNCORRECTABLE:
    case LW_CU_ILLEGAL_ADDRESS:
    case LW_CU_LAUNCH_TIMEOUT:
    case LW_CU_CONTEXT_IS_DESTROYED:
    case LW_CU_ASSERT: return true;
    default: return result >= LW_CU_HARDWARE_STACK_ERROR && result <= LW_CU_LAUNCH_FAILED;
    }
}

static int address_check(uint64_t address)
{
    uint64_t there = 0;

    return driver.pointer_attribute(&there, LW_CU_POINTER_DEVICE_ADDRESS, address);
}

static int launch(const struct lw__gpu_start *s, struct gpu_stream *stream)
{
    struct cu_launch_attribute programmatic = {.id = LW_CU_LAUNCH_PROGRAMMATIC, .value = {1}};
    const struct cu_launch_config config = {s->grid.x,     s->grid.y,  s->grid.z,        s->block.x,
                                            s->block.y,    s->block.z, s->dynamic_bytes, stream,
                                            &programmatic, 1};

    if (s->follows && driver.launch_with)
        return driver.launch_with(&config, s->function, s->parameters, NULL);
    return driver.launch(s->function, s->grid.x, s->grid.y, s->grid.z, s->block.x, s->block.y,
                         s->block.z, s->dynamic_bytes, stream, s->parameters, NULL);
}

static struct cu_node_params node_params(const struct lw__gpu_start *s)
{
    return (struct cu_node_params){
        .function = s->function,
        .grid_x = s->grid.x,
        .grid_y = s->grid.y,
        .grid_z = s->grid.z,
        .block_x = s->block.x,
        .block_y = s->block.y,
        .block_z = s->block.z,
        .dynamic_bytes = s->dynamic_bytes,
        .parameters = s->parameters,
    };
}

static int graph_kernel(struct gpu_node **node, struct gpu_graph *graph,
                        struct gpu_node *const *after, size_t count, const struct lw__gpu_start *s)
{
    const struct cu_node_params params = node_params(s);

    return driver.graph_kernel(node, graph, after, count, &params);
}

static int graph_set(struct gpu_graph_exec *exec, struct gpu_node *node,
                     const struct lw__gpu_start *s)
{
    const struct cu_node_params params = node_params(s);

    return driver.graph_set(exec, node, &params);
}

static const struct lw__gpu_driver own_calls = {
    .not_ready = LW_CU_NOT_READY,
    .out_of_memory = LW_CU_OUT_OF_MEMORY,
    .invalid_value = LW_CU_INVALID_VALUE,
    .wrong_context = LW_CU_INVALID_CONTEXT,
    .ends_context = ends_context,
    .result_text = lw__cuda_result_text,
    .is_forked = lw__cuda_is_forked,
    .fail_forked = fail_forked,
    .address_check = address_check,
    .launch = launch,
    .graph_kernel = graph_kernel,
    .graph_set = graph_set,
};

/* ---- loading: all under the lock ---- */

static bool find(void *library, const char *symbol, void *function, const char **missing)
{
    void *address = dlsym(library, symbol);

    if (!address)
        *missing = symbol;
    memcpy(function, &address, sizeof address); /* POSIX: a function fits a void * */
    return address != NULL;
}

static lw_status start(void)
{
    char text[LW_GPU_RESULT_ROOM];
    int count = 0, result = driver.init(0);

    if (result)
        return lw__fail(LW_E_DEVICE, "the NVIDIA driver does not start: %s",
                        lw__cuda_result_text(result, text));
    result = driver.device_count(&count);
    if (result)
        return lw__fail(LW_E_DEVICE, "the NVIDIA driver does not tell how many GPUs there are: %s",
                        lw__cuda_result_text(result, text));
    return count > 0 ? LW_OK : lw__fail(LW_E_DEVICE, "the NVIDIA driver finds no GPU");
}

static lw_status load(void)
{
    const char *path = getenv("LANEWISE_CUDA_DRIVER"), *why;
    lw_status status;

    if (path && !*path)
        return lw__fail(LW_E_ARG, "LANEWISE_CUDA_DRIVER is ''; need the path of a library");
    errno = 0;
    void *library = dlopen(path ? path : default_library, RTLD_NOW | RTLD_LOCAL);
    if (!library && errno == ENOMEM) /* dlerror() may blame the file */
        return lw__fail_system(errno, "the NVIDIA driver");
    if (!library) {
        why = dlerror();
        why = why ? why : "it cannot be loaded";
        return path ? lw__fail(LW_E_ARG,
                               "LANEWISE_CUDA_DRIVER is '%s'; need the path of a library: %s", path,
                               why)
                    : lw__fail(LW_E_DEVICE, "there is no NVIDIA driver: %s", why);
    }
    const char *missing = NULL, *new_ones = NULL, *of_graphs = NULL;

    driver.calls = own_calls;
#define FIND(member, symbol, parameters) (void)find(library, symbol, &driver.member, &missing);
    LW_CUDA_DRIVER_MAP(FIND)
#undef FIND
#define FIND(member, symbol, parameters) (void)find(library, symbol, &driver.member, &new_ones);
    LW_CUDA_NEW_DRIVER_MAP(FIND)
#undef FIND
#define FIND(slot, symbol) (void)find(library, symbol, &driver.calls.slot, &missing);
    LW_CUDA_CALLS_MAP(FIND)
#undef FIND
#define FIND(slot, symbol) (void)find(library, symbol, &driver.calls.slot, &of_graphs);
    LW_CUDA_GRAPH_CALLS_MAP(FIND)
#undef FIND
    driver.calls.has_graphs = !of_graphs && driver.graph_kernel && driver.graph_set;
    status = missing
                 ? lw__fail(LW_E_DEVICE,
                            "the NVIDIA driver is too old: it lacks %s; need 450 or newer", missing)
                 : LW_OK;
    if (status) {
        dlclose(library);
        return status;
    }
    atomic_store(&is_begun, true);
    status = start(); /* after that the library may have threads: it is not closed any more */
    if (status) {
        atomic_store(&is_begun, false);
        return status;
    }
    atomic_store_explicit(&is_loaded, true, memory_order_release);
    return LW_OK;
}

lw_status lw__cuda_driver(const struct lw__cuda_driver **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    lw_status status = LW_OK;

    *out = &driver;
    if (lw__cuda_is_forked())
        return fail_forked();
    if (atomic_load_explicit(&is_loaded, memory_order_acquire))
        return LW_OK;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_loaded))
        status = load();
    pthread_mutex_unlock(&lock);
    return status;
}
