/* code.c - code for a GPU: the shared object of a program, and the PTX text of a kernel for one
 * block size. The driver translates the text.
 */
#include "run/cuda/cuda.h"
#include "run/build/build.h"
#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_ROOM = 4096 };

/* ---- text ---- */

/* What the driver says about a text that it does not take; the first lines are enough. */
static lw_status refuse(struct lw__cuda *gpu, int result, const char *log)
{
    if (result == LW_CU_UNSUPPORTED_PTX_VERSION)
        return lw__fail(LW_E_DEVICE,
                        "the NVIDIA driver is too old for the code of lanewise-compile; need 535 "
                        "or newer: %s",
                        log);
    if (result == LW_CU_INVALID_PTX)
        return lw__fail(LW_E_INTERNAL, "the NVIDIA driver refuses the compiled kernel: %s", log);
    return lw__gpu_result(&gpu->gpu, result,
                          "the NVIDIA driver does not load the compiled kernel%s%.200s",
                          *log ? ": " : "", log);
}

/* Entered. */
static int read_global(struct lw__cuda *gpu, const struct lw__cuda_code *c, const char *name,
                       void *to, size_t bytes)
{
    uint64_t address;
    size_t there;
    int result = gpu->driver->module_global(&address, &there, c->module, name);

    if (!result && there < bytes)
        result = LW_CU_INVALID_VALUE;
    if (result)
        return result;
    return lw__gpu_copied(&gpu->gpu,
                          gpu->gpu.driver->memory_read(to, address, bytes, gpu->gpu.copies));
}

/* Entered. A launch may have as much dynamic memory as the processor leaves. */
static int prepare_function(struct lw__cuda *gpu, struct lw__cuda_code *c)
{
    const struct lw__cuda_driver *cu = gpu->driver;
    int bytes = 0, result = cu->module_function(&c->gpu.function, c->module, LW_CUDA_ENTRY);

    result = result ? result
                    : cu->function_attribute(&bytes, LW_CU_FUNCTION_STATIC_BYTES, c->gpu.function);
    result = result
                 ? result
                 : cu->function_attribute(&c->gpu.threads, LW_CU_FUNCTION_THREADS, c->gpu.function);
    if (result)
        return result;
    c->gpu.static_bytes = (size_t)bytes;
    return cu->function_set_attribute(c->gpu.function, LW_CU_FUNCTION_DYNAMIC_BYTES,
                                      (int)gpu->gpu.shared_bytes - bytes);
}

/* Entered. */
static lw_status load_text(struct lw__cuda *gpu, const char *text, struct lw__cuda_code *c)
{
    static const int options[] = {LW_CU_JIT_ERROR_LOG, LW_CU_JIT_ERROR_LOG_BYTES};
    char log[LOG_ROOM] = "";
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    int result = gpu->driver->module_load(&c->module, text, 2, options, values);

    log[sizeof log - 1] = '\0';
    if (result)
        return refuse(gpu, result, log);
    LW_TRY(lw__gpu_result(&gpu->gpu, prepare_function(gpu, c), "%s of the compiled kernel",
                          LW_CUDA_ENTRY));
    LW_TRY(lw__gpu_result(&gpu->gpu,
                          read_global(gpu, c, LW_CUDA_USES, &c->gpu.uses, sizeof c->gpu.uses),
                          "%s of the compiled kernel", LW_CUDA_USES));
    c->gpu.slack_bytes = c->gpu.uses >> LW_CUDA_SLACK_SHIFT;
    c->gpu.follows = c->gpu.uses & LW_CUDA_FOLLOWS;
    c->gpu.uses &= ((1u << LW_CUDA_SLACK_SHIFT) - 1) & ~(uint32_t)LW_CUDA_FOLLOWS;
    if (!(c->gpu.uses & (LW_CUDA_PRINTS | LW_CUDA_FAILS)))
        return LW_OK;
    result = gpu->driver->module_global(&c->gpu.text_address, &c->gpu.text_bytes, c->module,
                                        LW_CUDA_TEXT);
    if (result == LW_CU_NOT_FOUND && !(c->gpu.uses & (LW_CUDA_PRINTS | LW_CUDA_ASSERTS)))
        return LW_OK;
    if (!result) {
        c->gpu.text = calloc(1, c->gpu.text_bytes + 1);
        if (!c->gpu.text)
            return lw__fail(LW_E_MEMORY, "out of memory: the texts of a kernel");
        result = read_global(gpu, c, LW_CUDA_TEXT, c->gpu.text, c->gpu.text_bytes);
    }
    return lw__gpu_result(&gpu->gpu, result, "%s of the compiled kernel", LW_CUDA_TEXT);
}

/* The driver wants a NUL at the end. */
static lw_status load_bytes(struct lw__cuda *gpu, const void *payload, size_t bytes,
                            struct lw__cuda_code *c)
{
    char *text = malloc(bytes + 1);

    if (!text)
        return lw__fail(LW_E_MEMORY, "out of memory: the code of a kernel, %zu bytes", bytes);
    memcpy(text, payload, bytes);
    text[bytes] = '\0';
    lw_status status = lw__gpu_enter(&gpu->gpu);
    if (!status) {
        status = load_text(gpu, text, c);
        lw__gpu_leave(&gpu->gpu);
    }
    free(text);
    return status;
}

/* ---- for the device ---- */

lw_status lw__cuda_load(void *state, const char *path, const void *payload, size_t bytes,
                        void **code)
{
    struct lw__cuda_code *c = calloc(1, sizeof *c);

    *code = NULL;
    if (!c)
        return lw__fail(LW_E_MEMORY, "out of memory: the code of a kernel");
    lw_status status;
    if (bytes >= 4 && !memcmp(payload, "\177ELF", 4))
        status = lw__code_open(path, &c->object);
    else
        status = load_bytes(state, payload, bytes, c);
    if (status)
        lw__cuda_unload(state, c);
    else
        *code = c;
    return status;
}

void lw__cuda_unload(void *state, void *code)
{
    struct lw__cuda *gpu = state;
    struct lw__cuda_code *c = code;

    assert(!c->object || !c->module); /* a program's or a kernel's */
    if (c->object)
        dlclose(c->object);
    if (c->module && lw__gpu_enter_to_release(&gpu->gpu)) {
        (void)gpu->driver->module_unload(c->module);
        lw__gpu_leave(&gpu->gpu);
    }
    free(c->gpu.text);
    free(c);
}

/* A program has no entry: program/specialize.c has one built for each size of block. */
lw_status lw__cuda_find(void *code, const char *kernel, void **entry)
{
    struct lw__cuda_code *c = code;

    (void)kernel;
    *entry = c->gpu.function;
    return LW_OK;
}

lw_status lw__cuda_sizes(void *code, const char *kernel, void **function)
{
    const struct lw__cuda_code *c = code;

    return lw__code_symbol(c->object, "lw.sizes", kernel, function);
}

lw_status lw__cuda_symbol(void *code, const char *name, void **value)
{
    const struct lw__cuda_code *c = code;

    return lw__code_symbol(c->object, LW_SYMBOL_PREFIX, name, value);
}

lw_status lw__cuda_common(void *code, const void **bitcode, size_t *bytes)
{
    const struct lw__cuda_code *c = code;

    return lw__code_bitcode(c->object, "common", bitcode, bytes);
}

lw_status lw__cuda_guarded(void *code, const void **bitcode, size_t *bytes)
{
    const struct lw__cuda_code *c = code;

    return lw__code_bitcode(c->object, "guarded", bitcode, bytes);
}
