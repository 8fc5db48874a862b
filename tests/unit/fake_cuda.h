/* fake_cuda.h - a test double of the NVIDIA driver, on host memory.
 *
 * fake_cuda.c is a library with the functions of cuda/driver.h; each stream is a thread that does
 * its work in order. "Running" a kernel is a call of the test's own function. A test loads the
 * library itself to find `fake_cuda`, by which it tells the double what to do.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lw_cuda_launch;

enum { FAKE_ARGS = 128, FAKE_TEXT = 256 };

struct fake_launch {
    unsigned grid[3], block[3], dynamic_bytes;
    char args[FAKE_ARGS]; /* fake_cuda.args_bytes of them */
    struct lw_cuda_launch *record;
    void *user;            /* fake_cuda.user when the module was loaded */
    uint64_t text_address; /* of its lw_text */
};

struct fake_cuda {
    /* runs in the stream's thread; a result that is not 0 is the end of the context */
    int (*run)(const struct fake_launch *launch);
    size_t args_bytes;
    /* of GPUs: how many, what cuInit says, compute capability, memory in bytes */
    int gpus, init_result, major, minor;
    size_t memory;
    /* of the modules that are loaded from now on */
    uint32_t uses;
    char text[FAKE_TEXT];
    int static_bytes, threads;
    void *user;
    const char *log; /* not NULL: it is refused with that */
    int refusal;     /* and this */
    /* the fail_at-th call from now fails with fail_with; 0: none */
    long fail_at;
    int fail_with;
    bool failed; /* it has */
    /* what is there: contexts retained, memory, pinned memory, modules, streams, events */
    long contexts, memories, pinned, modules, streams, events;
    long calls, launches, copies;
    struct cu_stream *captured; /* its work is recorded, not done */
    long recorded, violations;  /* calls in it; calls that a capture does not allow */
    int max_dynamic;            /* of the last function */
};
#endif
