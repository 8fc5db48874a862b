/* trap.c - kernel code called so that it can be left: its faults are failures of the launch.
 *
 * Each call of kernel code and each call that it makes goes through threads/call.c, so here stand
 * both: lw__cpu_enter_* into kernel code, and the table lw__cpu_outside_calls of what it calls.
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is told ---- */

/* Where the launch's code begins, and its lines. If the code is linked into the process
 * (program/image.c), its lines are read from its file now; the caller frees *read. */
static const struct lw__lines *find_object(const struct lw__launch *launch, uintptr_t *begin,
                                           struct lw__lines *read)
{
    struct lw__bytes file = {0};
    struct link_map *map;

    if (launch->code) {
        *begin = dlinfo(launch->code, RTLD_DI_LINKMAP, &map) ? 0 : map->l_addr;
        return launch->lines;
    }
    Dl_info info;
    if (!dladdr1(launch->entry, &info, (void **)&map, RTLD_DL_LINKMAP))
        return NULL;
    *begin = map->l_addr;
    if (!lw__read_file(*map->l_name ? map->l_name : "/proc/self/exe", &file))
        lw__lines_take(read, file.bytes, file.length);
    free(file.bytes);
    return read;
}

/* The line of the access, or of the call where what was called accessed: memcpy. */
static bool find_line(const struct lw__launch *launch, const struct lw__fault *fault,
                      struct lw__line *line)
{
    struct lw__lines read = {0};
    uintptr_t begin = 0;
    const struct lw__lines *lines = fault->pc ? find_object(launch, &begin, &read) : NULL;
    bool found = lines && lw__lines_find(lines, fault->pc - begin, line);

    for (size_t i = 0; lines && !found && i < LW_FAULT_WORDS; i++)
        found = lw__lines_find(lines, fault->words[i] - begin - 1, line);
    lw__lines_free(&read);
    return found;
}

static void add_block(struct lw__message *m, lw_dim3 grid, uint64_t block)
{
    int32_t index[3];

    lw__message_add(m, ", block ");
    if (grid.y == 1 && grid.z == 1) {
        lw__message_add(m, "%" PRIu64, block);
        return;
    }
    lw__place(grid, block, index);
    lw__message_add_index(m, index);
}

static void tell(struct lw__cpu_run *run, uint64_t block, const struct lw__fault *fault)
{
    const struct lw__launch *launch = run->launch;
    struct lw__message m = {0};

    if (fault->stack_bytes)
        lw__message_add(&m, "kernel '%s' needs more than the %zu bytes of stack that there are",
                        launch->kernel, fault->stack_bytes);
    else
        lw__message_add(&m, "kernel '%s' accessed memory outside its buffers", launch->kernel);
    struct lw__line line;
    if (find_line(launch, fault, &line))
        lw__message_add(&m, " near %s:%u", line.file, line.line);
    add_block(&m, launch->grid, block);
    if (!fault->stack_bytes)
        lw__message_add(&m, "; `-d ref` names the index");
    lw__cpu_fail(run, block, LW_E_LAUNCH, &m);
}

/* ---- into kernel code ---- */

static bool enter(struct lw__cpu_thread *t, const struct lw__call *call, uint64_t block,
                  uint64_t *result)
{
    struct lw__fault fault;

    if (lw__fault_call(t->fault, call, result, &fault))
        return true;
    if (!fault.is_cancelled)
        tell(t->abi.user, block == LW_CPU_BLOCK_SAYS ? t->abi.block : block, &fault);
    return false;
}

bool lw__cpu_enter_blocks(struct lw__cpu_thread *t, lw_cpu_entry *entry,
                          const struct lw_cpu_launch *launch, uint64_t block, uint64_t first,
                          uint64_t count)
{
    const struct lw__call call = {(void (*)(void))entry,
                                  {LW__WORD(launch), LW__WORD(&t->abi), first, count}};
    uint64_t result;
    return enter(t, &call, block, &result) && (uint32_t)result == 0;
}

void *lw__cpu_enter_start(struct lw__cpu_thread *t, lw_cpu_gang_start *start,
                          const struct lw_cpu_launch *launch, struct lw_cpu_gang *gang)
{
    const struct lw__call call = {(void (*)(void))start,
                                  {LW__WORD(launch), LW__WORD(&t->abi), LW__WORD(gang)}};
    uint64_t result;
    return enter(t, &call, gang->block, &result) ? (void *)(uintptr_t)result : NULL;
}

/* On the stack for kernels: the library loses nothing if it is left. */
static void resume_gangs(const struct lw__cpu_resume *gangs)
{
    for (uint32_t g = 0; g < gangs->count; g++)
        gangs->resume(gangs->handles[g]);
}

bool lw__cpu_enter_gangs(struct lw__cpu_thread *t, const struct lw__cpu_resume *gangs,
                         uint64_t block)
{
    const struct lw__call call = {(void (*)(void))resume_gangs, {LW__WORD(gangs)}};

    assert(gangs->count <= LW_CPU_GANGS_MAX);
    uint64_t result;
    return enter(t, &call, block, &result);
}

/* The text is looked at as kernel code would. */
const char *lw__cpu_find_text(const void *printer, uint64_t address, size_t most)
{
    const struct lw__cpu_printer *p = printer;
    const struct lw__call call = {(void (*)(void))strnlen, {address, most}};
    uint64_t length;

    return enter(p->thread, &call, p->block, &length) ? (const char *)(uintptr_t)address : "";
}

/* ---- out of it ---- */

static void outside_print(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                          const char *format, uint32_t count, const uint64_t *args)
{
    const struct lw__call call = {
        (void (*)(void))lw__cpu_calls.print,
        {LW__WORD(w), block, thread, LW__WORD(format), count, LW__WORD(args)}};

    lw__fault_outside(&call);
}

static void outside_assert_fail(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                                const char *expression, uint32_t site)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.assert_fail,
                                  {LW__WORD(w), block, thread, LW__WORD(expression), site}};

    lw__fault_outside(&call);
}

static void outside_assert_that(struct lw_cpu_worker *w, uint64_t block, uint32_t thread,
                                const char *format, uint32_t site, const uint64_t *args)
{
    const struct lw__call call = {
        (void (*)(void))lw__cpu_calls.assert_that,
        {LW__WORD(w), block, thread, LW__WORD(format), site, LW__WORD(args)}};

    lw__fault_outside(&call);
}

static void outside_refused(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, uint32_t site,
                            const uint64_t *words)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.refused,
                                  {LW__WORD(w), block, thread, site, LW__WORD(words)}};

    lw__fault_outside(&call);
}

static void outside_diverged(struct lw_cpu_worker *w, uint64_t block, uint32_t site,
                             const uint32_t *arrived, const uint32_t *live)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.diverged,
                                  {LW__WORD(w), block, site, LW__WORD(arrived), LW__WORD(live)}};

    lw__fault_outside(&call);
}

static void *outside_frame(struct lw_cpu_worker *w, uint64_t bytes)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.frame, {LW__WORD(w), bytes}};

    return (void *)(uintptr_t)lw__fault_outside(&call);
}

static uint32_t outside_run_gangs(const struct lw_cpu_launch *launch, struct lw_cpu_worker *w,
                                  uint64_t first, uint64_t count, const struct lw_cpu_gangs *gangs)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.run_gangs,
                                  {LW__WORD(launch), LW__WORD(w), first, count, LW__WORD(gangs)}};

    return (uint32_t)lw__fault_outside(&call);
}

static void *outside_gang_memory(struct lw_cpu_worker *w, struct lw_cpu_gang *gang, uint64_t bytes)
{
    const struct lw__call call = {(void (*)(void))lw__cpu_calls.gang_memory,
                                  {LW__WORD(w), LW__WORD(gang), bytes}};

    return (void *)(uintptr_t)lw__fault_outside(&call);
}

const struct lw_cpu_calls lw__cpu_outside_calls = {
    .print = outside_print,
    .assert_fail = outside_assert_fail,
    .diverged = outside_diverged,
    .frame = outside_frame,
    .run_gangs = outside_run_gangs,
    .gang_memory = outside_gang_memory,
    .assert_that = outside_assert_that,
    .refused = outside_refused,
};
