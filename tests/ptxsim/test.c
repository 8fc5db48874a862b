/* test.c - see test.h. */
#include "test.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct lw__cuda_driver *driver;
int failures;

static struct gpu_context *context;
static struct gpu_stream *stream;
static char log_text[4096];
static int passes;

void check(int works, const char *format, ...)
{
    if (works) {
        passes++;
        return;
    }
    failures++;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void open_simulator(void)
{
    if (lw__cuda_driver(&driver) || driver->context_retain(&context, 0) ||
        driver->calls.context_push(context) ||
        driver->calls.stream_create(&stream, LW_GPU_STREAM_NON_BLOCKING)) {
        printf("no simulator: %s\n", lw_last_error());
        exit(1);
    }
}

void close_simulator(void)
{
    check(!driver->calls.stream_destroy(stream), "a stream is destroyed");
    check(!driver->calls.context_pop(&context), "a context is popped");
    check(!driver->context_release(0), "a context is released");
}

static int launch(struct gpu_function *f, unsigned blocks, unsigned threads, uint64_t *words)
{
    const size_t bytes = WORDS * sizeof *words;
    uint64_t memory;
    void *parameters[] = {&memory};
    int result = driver->calls.memory_create(&memory, bytes), freed;

    if (result)
        return result;
    result = driver->calls.memory_write(memory, words, bytes, stream);
    result = result ? result
                    : driver->launch(f, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
    result = result ? result : driver->calls.memory_read(words, memory, bytes, stream);
    result = result ? result : driver->calls.stream_wait(stream);
    freed = driver->calls.memory_destroy(memory);
    return result ? result : freed;
}

int run_ptx(const char *text, unsigned blocks, unsigned threads, uint64_t *words)
{
    const int options[] = {LW_CU_JIT_ERROR_LOG, LW_CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log_text, (void *)(uintptr_t)sizeof log_text};
    struct cu_module *module;
    int result = driver->module_load(&module, text, 2, options, values), unloaded;

    if (result)
        return result;
    struct gpu_function *f;
    result = driver->module_function(&f, module, "t");
    result = result ? result : launch(f, blocks, threads, words);
    unloaded = driver->module_unload(module);
    return result ? result : unloaded;
}

/* Standard error of run_ptx, behind what log_text has. */
static int run_silently(const char *text, unsigned threads)
{
    uint64_t words[WORDS] = {0};
    FILE *file = tmpfile();
    const int saved = dup(STDERR_FILENO);

    if (!file || saved < 0)
        exit(1);
    dup2(fileno(file), STDERR_FILENO);
    log_text[0] = '\0';
    int result = run_ptx(text, 1, threads, words);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    const size_t length = strlen(log_text);
    log_text[length + fread(log_text + length, 1, sizeof log_text - length - 1, file)] = '\0';
    fclose(file);
    return result;
}

void fails(const char *what, const char *text, unsigned threads, int result, const char *says)
{
    const int got = run_silently(text, threads);

    check(got == result, "%s: result %d, expected %d", what, got, result);
    check(strstr(log_text, says) != NULL, "%s: '%s' was not said, but: %s", what, says, log_text);
    if (got < LW_CU_ILLEGAL_ADDRESS)
        return;
    check(driver->calls.stream_wait(stream) == result, "%s: the context's end stays", what);
    check(!driver->calls.context_pop(&context) && !driver->context_reset(0), "%s: a reset", what);
    open_simulator();
}

int finish(void)
{
    printf("%d passed, %d failed\n", passes, failures);
    return failures != 0;
}
