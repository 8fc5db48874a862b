/* calls.c - what kernel code calls, in the context of a thread of it.
 */
#include "run/ref/ref.h"

static struct lw__ref_block *block_of(struct lw_ref_thread *t)
{
    return ((struct lw__ref_thread *)t)->block;
}

static void *call_frame(struct lw_ref_thread *t, uint64_t bytes, uint64_t align)
{
    struct lw__ref_thread *thread = (struct lw__ref_thread *)t;
    thread->frame_bytes = bytes;
    return thread->frame = lw__ref_frame(block_of(t), bytes, align);
}

static void call_print(struct lw_ref_thread *t, const char *format, uint32_t count,
                       const uint64_t *args)
{
    struct lw_ref_launch *launch = block_of(t)->launch;
    if (!lw__print(launch->request->output, t->block_idx, t->thread_idx, format, count, args))
        launch->status = lw__fail(LW_E_MEMORY, "kernel '%s': no memory for what it prints",
                                  launch->request->kernel);
}

static void call_fail(struct lw_ref_thread *t, const char *expression, uint32_t site)
{
    struct lw_ref_launch *launch = block_of(t)->launch;
    const struct lw__failed failed = {.text = expression, .site = site};
    launch->status = lw__ref_fail_assert(launch, t, &failed);
}

static void call_fail_saying(struct lw_ref_thread *t, const char *format, uint32_t site,
                             const uint64_t *args)
{
    struct lw_ref_launch *launch = block_of(t)->launch;
    const struct lw__failed failed = {.text = format, .site = site, .args = args};
    launch->status = lw__ref_fail_assert(launch, t, &failed);
}

static uint32_t call_access(struct lw_ref_thread *t, const struct lw_ref_access *access)
{
    struct lw__ref_thread *thread = (struct lw__ref_thread *)t;
    struct lw__message what = {0};
    const enum lw__ref_verdict verdict = lw__ref_bounds_access(thread, access, &what);
    if (verdict == LW_REF_ALLOWED)
        return 1;
    block_of(t)->launch->status =
        lw__ref_refuse(thread, access->site, verdict, access->pointer, &what);
    return 0;
}

static void call_index(struct lw_ref_thread *t, const struct lw_ref_index *index)
{
    struct lw__ref_thread *thread = (struct lw__ref_thread *)t;
    struct lw__message what = {0};
    lw__ref_bounds_index(thread, index, &what);
    block_of(t)->launch->status =
        lw__ref_refuse(thread, index->site, LW_REF_OUTSIDE, index->pointer, &what);
}

static void call_promise(struct lw_ref_thread *t, uint32_t what, uint64_t number, uint32_t site)
{
    struct lw__message m = {0};
    if (what == LW_PROMISE_HOLDS)
        lw__message_add(&m, "what __builtin_assume says does not hold");
    else if (what == LW_PROMISE_ALIGNED)
        lw__message_add(&m, "a pointer is not aligned to %llu bytes, as the program says",
                        (unsigned long long)number);
    else
        lw__message_add(&m, "this is reached, where the program says that it never is");
    block_of(t)->launch->status =
        lw__ref_refuse((struct lw__ref_thread *)t, site, LW_REF_PROMISED, 0, &m);
}

static void call_suspend(struct lw_ref_thread *t)
{
    lw__ref_stack_suspend((struct lw__ref_thread *)t);
}

static void call_observe(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t what,
                         uint32_t site)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    const struct lw__launch *request = launch->request;
    if (launch->watcher)
        launch->watcher->observe(t, pointer, bytes, what, site);
    if (request->recorder)
        request->recorder->observe(request->recording, (struct lw__ref_thread *)t, pointer, bytes,
                                   what, site);
}

static void call_fence(struct lw_ref_thread *t, uint32_t is_of_device)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    if (launch->watcher)
        launch->watcher->fence(launch->watch, (struct lw__ref_thread *)t, is_of_device != 0);
}

static void call_line(struct lw_ref_thread *t, uint32_t site)
{
    const struct lw__launch *request = block_of(t)->launch->request;
    if (request->recorder)
        request->recorder->line(request->recording, (struct lw__ref_thread *)t, site);
}

static void call_iteration(struct lw_ref_thread *t, uint32_t loop, uint32_t depth)
{
    const struct lw__launch *request = block_of(t)->launch->request;
    if (request->recorder)
        request->recorder->iteration(request->recording, (struct lw__ref_thread *)t, loop, depth);
}

static void call_trace(struct lw_ref_thread *t, const char *name, uint32_t type, uint64_t value,
                       uint32_t site)
{
    const struct lw__launch *request = block_of(t)->launch->request;
    if (request->recorder)
        request->recorder->trace(request->recording, (struct lw__ref_thread *)t, name, type, value,
                                 site);
}

static void call_variable(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes,
                          uint64_t shadow, uint64_t origin, uint32_t number)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    const struct lw_ref_shadow at = {(uint8_t *)(uintptr_t)lw__ref_address(shadow),
                                     (uint32_t *)(uintptr_t)lw__ref_address(origin)};
    launch->watcher->variable(launch->watch, (struct lw__ref_thread *)t, pointer, bytes, at,
                              number);
}

static void call_undefined(struct lw_ref_thread *t, uint64_t pointer, uint32_t origin,
                           uint32_t site)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    launch->watcher->undefined(launch->watch, (struct lw__ref_thread *)t, pointer, origin, site);
}

static void call_update(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t site)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    launch->watcher->update(launch->watch, (struct lw__ref_thread *)t, pointer, bytes, site);
}

static void call_overflow(struct lw_ref_thread *t, uint64_t a, uint64_t b, uint32_t what,
                          uint32_t site)
{
    const struct lw_ref_launch *launch = block_of(t)->launch;
    if (launch->watcher)
        launch->watcher->overflow(launch->watch, (struct lw__ref_thread *)t, a, b, what, site);
}

void lw__ref_calls_open(struct lw_ref_launch *launch)
{
    launch->calls = (struct lw_ref_calls){.frame = call_frame,
                                          .print = call_print,
                                          .fail = call_fail,
                                          .fail_saying = call_fail_saying,
                                          .access = call_access,
                                          .index = call_index,
                                          .suspend = call_suspend,
                                          .observe = call_observe,
                                          .fence = call_fence,
                                          .line = call_line,
                                          .iteration = call_iteration,
                                          .trace = call_trace,
                                          .variable = call_variable,
                                          .undefined = call_undefined,
                                          .update = call_update,
                                          .overflow = call_overflow,
                                          .promise = call_promise};
    if (launch->watcher)
        launch->calls.shadow = launch->watcher->shadow;
    if (launch->watcher && !launch->request->recorder)
        launch->calls.observe = launch->watcher->observe;
}
