/* driver.c - the functions of NVIDIA's driver, as run/cuda/driver.h declares them.
 *
 * $LANEWISE_CUDA_DRIVER=.../libptxsim.so makes the device `cuda` a simulated one. Each call is
 * under one lock; work is done by the thread of device.c.
 */
#include "device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_VERSION = 12040, CAPABILITY = 9, BLOCK_REGISTER_THREADS = BLOCK_THREADS };

static _Thread_local int depth; /* contexts pushed */

/* ---- calls ---- */

/* Takes the lock; a context is needed, and its error is the result of all calls. */
int begin(void)
{
    pthread_mutex_lock(&device_lock);
    return depth ? device_context.error : INVALID_CONTEXT;
}

int end(int result)
{
    pthread_mutex_unlock(&device_lock);
    return result;
}

static bool is_stream(const struct gpu_stream *stream)
{
    const struct gpu_stream *s = device_context.streams;

    while (s && s != stream)
        s = s->next;
    return s != NULL;
}

/* Of a call with a stream; NULL is the default one. */
int begin_with(struct gpu_stream **stream)
{
    struct gpu_stream *standard = &device_context.standard;
    const int result = begin();

    if (!result && !*stream) {
        if (!is_stream(standard)) {
            standard->end = &standard->first;
            standard->next = device_context.streams;
            device_context.streams = standard;
        }
        *stream = standard;
    }
    return result ? result : is_stream(*stream) ? 0 : INVALID_HANDLE;
}

/* ---- the driver ---- */

int ptxsim_init(unsigned flags)
{
    return flags ? LW_CU_INVALID_VALUE : 0;
}

int ptxsim_version(int *version)
{
    *version = DRIVER_VERSION;
    return 0;
}

static const struct {
    int result;
    const char *name, *text;
} results[] = {
    {LW_CU_OK, "CUDA_SUCCESS", "no error"},
    {LW_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {LW_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {LW_CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {LW_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {LW_CU_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {LW_CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {LW_CU_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {LW_CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static int find_result(int result, const char **name, const char **text)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result) {
            *name = results[i].name;
            *text = results[i].text;
            return 0;
        }
    return LW_CU_INVALID_VALUE;
}

int ptxsim_error_name(int result, const char **name)
{
    const char *text;

    return find_result(result, name, &text);
}

int ptxsim_error_text(int result, const char **text)
{
    const char *name;

    return find_result(result, &name, text);
}

/* ---- devices and contexts ---- */

int ptxsim_device_count(int *count)
{
    *count = 1;
    return 0;
}

int ptxsim_device(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal ? LW_CU_INVALID_VALUE : 0;
}

int ptxsim_device_name(char *name, int room, int device)
{
    (void)device;
    snprintf(name, (size_t)room, "PTX simulator");
    return 0;
}

int ptxsim_device_bytes(size_t *bytes, int device)
{
    (void)device;
    size_t unused;
    memory_info(&unused, bytes);
    return 0;
}

int ptxsim_device_attribute(int *value, int attribute, int device)
{
    (void)device;
    switch (attribute) {
    case LW_CU_PROCESSORS: *value = PROCESSORS; break;
    case LW_CU_CAPABILITY_MAJOR: *value = CAPABILITY; break;
    case LW_CU_CAPABILITY_MINOR: *value = 0; break;
    case LW_CU_BLOCK_SHARED_BYTES: *value = SHARED_BYTES; break;
    default: return LW_CU_INVALID_VALUE;
    }
    return 0;
}

int ptxsim_context_retain(struct gpu_context **context, int device)
{
    (void)device;
    pthread_mutex_lock(&device_lock);
    *context = &device_context;
    return end(device_start() ? device_context.error : LW_CU_OUT_OF_MEMORY);
}

int ptxsim_context_release(int device)
{
    return device ? LW_CU_INVALID_VALUE : 0;
}

int ptxsim_context_push(struct gpu_context *context)
{
    (void)context;
    depth++;
    return 0;
}

int ptxsim_context_pop(struct gpu_context **context)
{
    *context = depth ? &device_context : NULL;
    if (!depth)
        return INVALID_CONTEXT;
    depth--;
    return 0;
}

/* ---- modules ---- */

/* $PTXSIM_DUMP: each module's text is added to that file. */
static void dump(const char *text)
{
    const char *path = getenv("PTXSIM_DUMP");
    FILE *to = path && *path ? fopen(path, "a") : NULL;

    if (!to)
        return;
    fputs(text, to);
    fclose(to);
}

int ptxsim_module_load(struct cu_module **module, const void *image, unsigned count,
                       const int *options, void **values)
{
    char *log = NULL;
    size_t room = 0;
    int result = begin();

    result = result ? result : capture_refuse(NULL);
    if (result)
        return end(result);
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == LW_CU_JIT_ERROR_LOG)
            log = values[i];
        else if (options[i] == LW_CU_JIT_ERROR_LOG_BYTES)
            room = (uintptr_t)values[i];
    }
    dump(image);
    struct cu_module *m;
    m = calloc(1, sizeof *m);
    if (!m)
        return end(LW_CU_OUT_OF_MEMORY);
    m->module = module_load(image, log, log ? room : 0);
    if (!m->module) {
        free(m);
        return end(LW_CU_INVALID_PTX);
    }
    m->next = device_context.modules;
    device_context.modules = m;
    *module = m;
    return end(0);
}

static void free_module(struct cu_module *m)
{
    while (m->functions) {
        struct gpu_function *next = m->functions->next;
        free(m->functions);
        m->functions = next;
    }
    module_unload(m->module);
    free(m);
}

int ptxsim_module_unload(struct cu_module *module)
{
    struct cu_module **link = &device_context.modules;
    int result = begin();

    result = result ? result : device_drain(NULL);
    while (!result && *link && *link != module)
        link = &(*link)->next;
    if (result || !*link)
        return end(result ? result : INVALID_HANDLE);
    *link = module->next;
    free_module(module);
    return end(0);
}

int ptxsim_module_function(struct gpu_function **function, struct cu_module *module,
                           const char *name)
{
    const int result = begin();
    struct function *f = result ? NULL : module->module->functions;

    while (f && (!f->is_entry || strcmp(f->name, name)))
        f = f->next;
    if (!f)
        return end(result ? result : LW_CU_NOT_FOUND);
    *function = calloc(1, sizeof **function);
    if (!*function)
        return end(LW_CU_OUT_OF_MEMORY);
    **function = (struct gpu_function){module->functions, f};
    module->functions = *function;
    return end(0);
}

int ptxsim_module_global(uint64_t *address, size_t *bytes, struct cu_module *module,
                         const char *name)
{
    const int result = begin();
    const struct variable *v = result ? NULL : module_variable(module->module, name);

    if (!v || v->is_shared)
        return end(result ? result : LW_CU_NOT_FOUND);
    *address = v->address;
    *bytes = v->bytes;
    return end(0);
}

/* ---- functions ---- */

static int static_bytes(const struct gpu_function *f)
{
    return (int)f->function->module->shared_bytes - SPACE_BEGIN;
}

int ptxsim_function_attribute(int *value, int attribute, struct gpu_function *function)
{
    switch (attribute) {
    case LW_CU_FUNCTION_THREADS: *value = BLOCK_REGISTER_THREADS; return 0;
    case LW_CU_FUNCTION_STATIC_BYTES: *value = static_bytes(function); return 0;
    case LW_CU_FUNCTION_DYNAMIC_BYTES: *value = function->function->dynamic_bytes; return 0;
    default: return LW_CU_INVALID_VALUE;
    }
}

int ptxsim_function_set_attribute(struct gpu_function *function, int attribute, int value)
{
    const int result = begin();

    if (result)
        return end(result);
    if (attribute != LW_CU_FUNCTION_DYNAMIC_BYTES || value + static_bytes(function) > SHARED_BYTES)
        return end(LW_CU_INVALID_VALUE);
    function->function->dynamic_bytes = value;
    return end(0);
}

int ptxsim_function_blocks(int *blocks, struct gpu_function *function, int threads,
                           size_t dynamic_bytes)
{
    const int result = begin();

    *blocks = launch_resident(function->function, (uint32_t)threads, dynamic_bytes);
    return end(result);
}

static bool is_launchable(const struct function *f, const uint32_t grid[3], const uint32_t block[3],
                          unsigned dynamic_bytes)
{
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

    for (int k = 0; k < 3; k++)
        if (!grid[k] || !block[k] || grid[k] > (k ? UINT16_MAX : INT32_MAX) ||
            (f->threads[0] && f->threads[k] && f->threads[k] != block[k]))
            return false;
    return threads <= BLOCK_THREADS && dynamic_bytes <= (unsigned)f->dynamic_bytes;
}

bool function_is_launchable(const struct cu_node_params *p)
{
    const uint32_t grid[3] = {p->grid_x, p->grid_y, p->grid_z};
    const uint32_t block[3] = {p->block_x, p->block_y, p->block_z};

    return is_launchable(p->function->function, grid, block, p->dynamic_bytes);
}

int ptxsim_launch(struct gpu_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
                  struct gpu_stream *stream, void **parameters, void **extra)
{
    const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    const int result = begin_with(&stream);

    if (result)
        return end(result);
    if (extra || !is_launchable(function->function, grid, block, dynamic_bytes))
        return end(LW_CU_INVALID_VALUE);
    struct launch *l = launch_create(function->function, grid, block, dynamic_bytes, parameters);
    if (l && !device_enqueue(stream, &(struct command){.kind = LAUNCH, .launch = l})) {
        launch_destroy(l);
        l = NULL;
    }
    return end(l ? 0 : LW_CU_OUT_OF_MEMORY);
}

/* Launched before those in front have ended, it must wait for them itself. */
static bool waits_for_grid(const struct function *f)
{
    for (uint32_t i = 0; i < f->code_count; i++)
        if (f->code[i].op == OP_wait_grid)
            return true;
    return false;
}

int ptxsim_launch_with(const struct cu_launch_config *c, struct gpu_function *function,
                       void **parameters, void **extra)
{
    for (unsigned i = 0; i < c->attribute_count; i++)
        if (c->attributes[i].id != LW_CU_LAUNCH_PROGRAMMATIC || !waits_for_grid(function->function))
            return LW_CU_INVALID_VALUE;
    return ptxsim_launch(function, c->grid_x, c->grid_y, c->grid_z, c->block_x, c->block_y,
                         c->block_z, c->dynamic_bytes, c->stream, parameters, extra);
}

/* ---- the end of a context ---- */

/* All that is in it goes with it. */
int ptxsim_context_reset(int device)
{
    struct gpu_context *c = &device_context;

    if (device)
        return LW_CU_INVALID_VALUE;
    pthread_mutex_lock(&device_lock);
    c->error = c->error ? c->error : LW_CU_CONTEXT_IS_DESTROYED;
    (void)device_drain(NULL);
    for (struct gpu_stream *s = c->streams, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    for (struct gpu_event *e = c->events, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    for (struct cu_module *m = c->modules, *next; m; m = next) {
        next = m->next;
        free_module(m);
    }
    graphs_destroy_all();
    memory_destroy_all();
    *c = (struct gpu_context){.error = 0};
    return end(0);
}
