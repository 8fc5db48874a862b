/* stack.c - threads with stacks of their own, for code that a debugger is to follow.
 *
 * Such code (lw_build_options.debug) is plain functions: a thread suspends by a call, in which the
 * others run. To a debugger a barrier is then a normal call, which `next` steps over. All variables
 * of a thread stay at their addresses.
 *
 * All stacks of a block are one mapping, of which the system gives memory to pages that are used.
 * A stack cannot overflow: the compiler says how large a kernel's frame may be, and what kernels
 * call needs less than CALLS_BYTES.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CALLS_BYTES = 96 << 10, STACK_ALIGN = 4096, STACK_MAX = 1 << 30 }; /* bytes */

/* The sanitizers keep notes of frames that a switch to another stack would leave behind. */
#if defined(__clang__) || defined(__GNUC__)
#define ON_OTHER_STACK __attribute__((no_sanitize_address, no_sanitize_thread, noinline))
#endif

/* switch.S */
void lw__ref_switch(void **from, void *to);
void lw__ref_begin(void);
void lw__ref_stack_end(struct lw__ref_thread *thread);

/* stack_bytes - of one thread; 0: a kernel that needs more than there may be. */
static size_t stack_bytes(const struct lw_ref_launch *launch)
{
    const uint64_t frame = launch->code->frame_bytes;
    if (frame > STACK_MAX)
        return 0;
    return (size_t)(frame + CALLS_BYTES + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
}

bool lw__ref_stacks_open(struct lw__ref_block *block)
{
    const struct lw_ref_launch *launch = block->launch;
    if (!launch->code->frame_bytes)
        return true;
    block->stack_bytes = stack_bytes(launch) * (size_t)launch->thread_count;
    if (!block->stack_bytes)
        return false;
    block->stacks = mmap(NULL, block->stack_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (block->stacks == MAP_FAILED)
        block->stacks = NULL;
    return block->stacks;
}

void lw__ref_stacks_close(struct lw__ref_block *block)
{
    if (block->stacks)
        munmap(block->stacks, block->stack_bytes);
    free(block->stack_copy);
}

static char *top_of(const struct lw__ref_thread *thread)
{
    const struct lw__ref_block *block = thread->block;
    const size_t bytes = block->stack_bytes / (size_t)block->launch->thread_count;
    return block->stacks + bytes * (size_t)(thread->abi.linear + 1);
}

/* begin - the first frame, as lw__ref_switch leaves one behind. ORDER FIRST_FRAME: switch.S */
static void begin(struct lw__ref_thread *thread)
{
    const struct lw__ref_code *code = thread->block->launch->code;
    char *top = top_of(thread);
#if defined(__x86_64__)
    enum { WORDS = 9, THREAD = 4, FUNCTION = 3, RETURN = 6 };
#else
    enum { WORDS = 20, THREAD = 0, FUNCTION = 1, RETURN = 11 };
#endif
    void *frame[WORDS] = {0};
    void (*start)(void) = lw__ref_begin;
    lw__ref_fill_uninitialised(top - code->frame_bytes - sizeof frame,
                               code->frame_bytes + sizeof frame);
    frame[THREAD] = thread;
    memcpy(&frame[FUNCTION], &code->ramp, sizeof frame[0]);
    memcpy(&frame[RETURN], &start, sizeof frame[0]);
    memcpy(top - sizeof frame, frame, sizeof frame);
    thread->handle = top - sizeof frame;
}

ON_OTHER_STACK void lw__ref_stack_resume(struct lw__ref_thread *thread)
{
    if (!thread->handle)
        begin(thread);
    lw__ref_switch(&thread->block->launch->scheduler, thread->handle);
}

ON_OTHER_STACK void lw__ref_stack_suspend(struct lw__ref_thread *thread)
{
    lw__ref_switch(&thread->handle, thread->block->launch->scheduler);
}

/* The kernel has returned: nobody resumes it again. */
ON_OTHER_STACK void lw__ref_stack_end(struct lw__ref_thread *thread)
{
    lw__ref_stack_suspend(thread);
}

/* ---- what is on them ------------------------------------------------------------------------- */

static size_t used_bytes(const struct lw__ref_thread *thread)
{
    assert(!thread->handle || (char *)thread->handle < top_of(thread));
    return thread->handle ? (size_t)(top_of(thread) - (char *)thread->handle) : 0;
}

bool lw__ref_stacks_save(struct lw__ref_block *block)
{
    size_t bytes = 0;
    if (!block->stacks)
        return true;
    for (int i = 0; i < block->launch->thread_count; i++)
        bytes += sizeof bytes + used_bytes(&block->threads[i]);
    char *copy = realloc(block->stack_copy, bytes);
    if (!copy)
        return false;
    block->stack_copy = copy;
    for (int i = 0; i < block->launch->thread_count; i++) {
        const size_t used = used_bytes(&block->threads[i]);
        memcpy(copy, &used, sizeof used);
        if (used)
            memcpy(copy + sizeof used, block->threads[i].handle, used);
        copy += sizeof used + used;
    }
    return true;
}

bool lw__ref_stacks_same(const struct lw__ref_block *block)
{
    const char *copy = block->stack_copy;
    for (int i = 0; block->stacks && i < block->launch->thread_count; i++) {
        const size_t used = used_bytes(&block->threads[i]);
        if (memcmp(copy, &used, sizeof used) != 0 ||
            (used && memcmp(copy + sizeof used, block->threads[i].handle, used) != 0))
            return false;
        copy += sizeof used + used;
    }
    return true;
}
