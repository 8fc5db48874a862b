/* screen.c - run a launch as a screen: nothing is wrong, or perhaps something is.
 *
 * Blocks run on the machine's threads as on `cpu`. Each thread has cells of its own, so that
 * entering an access takes no atomic. When all is over, the cells of all threads are laid side by
 * side: what one has written must not have been accessed by another. Where anything may be wrong,
 * what the launch has written is put back.
 */
#include "run/check/screen.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Who runs blocks. Blocks of one worker follow each other, so their serials grow. */
struct worker {
    struct worker *next;
    const struct lw_cpu_worker *id;
    struct lw_cpu_launch abi;
    struct lw_screen_record *record; /* its address is in the arguments */
    uint32_t serial;                 /* of the next block */
};

struct screen {
    const struct lw_screen_kernel *says;
    const struct lw__launch *launch;
    lw_cpu_entry *entry;
    _Atomic(struct worker *) workers;
};

/* ---- cells ----------------------------------------------------------------------------------- */

static bool is_parameter(const struct lw_screen_kernel *says, size_t row)
{
    return row < says->param_count;
}

static size_t bytes_of(const struct screen *s, size_t row)
{
    if (is_parameter(s->says, row))
        return s->launch->objects[row].bytes;
    return s->says->rows[row].bytes ? s->says->rows[row].bytes : s->launch->dynamic_bytes;
}

static bool make_cells(struct lw_screen_cells *cells, uint64_t count)
{
    cells->cells = cells->again = calloc(count + 1, sizeof *cells->cells);
    return cells->cells;
}

/* Parameters that the kernel does not change have no cells. */
static bool open_object(const struct screen *s, size_t row, struct lw_screen_object *object)
{
    const uint32_t uses = s->says->rows[row].uses;
    const bool is_shared = !is_parameter(s->says, row);
    const uint64_t count = object->granules = bytes_of(s, row) / s->says->rows[row].granule;
    if (!uses || (!is_shared && !(uses & LW_SCREEN_CHANGES)))
        return true;
    return (!(is_shared || uses & LW_SCREEN_WRITES) || make_cells(&object->written, count)) &&
           (!(uses & LW_SCREEN_READS) || make_cells(&object->read, count)) &&
           (!(uses & LW_SCREEN_UPDATES) || make_cells(&object->updated, count));
}

static void free_worker(const struct screen *s, struct worker *w)
{
    for (size_t i = 0; w->record && i < s->says->row_count; i++) {
        free(w->record->objects[i].written.cells);
        free(w->record->objects[i].read.cells);
        free(w->record->objects[i].updated.cells);
    }
    free(w->record);
    free((void *)w->abi.args);
    free(w);
}

static bool open_worker(struct screen *s, struct worker *w, const struct lw_cpu_launch *abi)
{
    const size_t bytes = s->says->args_bytes;
    char *args = malloc(bytes);
    bool ok = args;
    w->abi = *abi;
    w->abi.args = args;
    w->record = calloc(1, sizeof *w->record + s->says->row_count * sizeof *w->record->objects);
    if (!args || !w->record)
        return false;
    assert(bytes >= s->launch->args_bytes + sizeof w->record);
    memcpy(args, s->launch->args, s->launch->args_bytes);
    memcpy(args + bytes - sizeof w->record, &w->record, sizeof w->record);
    for (size_t i = 0; i < s->says->row_count && ok; i++)
        ok = open_object(s, i, &w->record->objects[i]);
    return ok;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* What the launch has in place of its packed arguments leads here. */
static struct worker *worker_of(struct screen *s, const struct lw_cpu_worker *id,
                                const struct lw_cpu_launch *abi)
{
    struct worker *first = atomic_load(&s->workers), *w = first;
    while (w && w->id != id)
        w = w->next;
    if (w)
        return w;
    w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->id = id;
    w->serial = 1;
    if (!open_worker(s, w, abi)) {
        free_worker(s, w);
        return NULL;
    }
    w->next = first;
    while (!atomic_compare_exchange_weak(&s->workers, &w->next, w))
        ;
    return w;
}

/* In place of the kernel's entry. */
static uint32_t run_blocks(const struct lw_cpu_launch *abi, struct lw_cpu_worker *id,
                           uint64_t first, uint64_t count)
{
    struct screen *s = (struct screen *)(uintptr_t)abi->args;
    struct worker *w = worker_of(s, id, abi);
    uint32_t stopped = !w;
    for (uint64_t b = first; b < first + count && !stopped; b++) {
        assert(w->serial && w->serial <= LW_SCREEN_LAST_SERIAL);
        w->record->first = w->record->last = w->serial << LW_SCREEN_SERIAL_SHIFT;
        stopped = s->entry(&w->abi, id, b, 1);
        w->serial = (w->record->last >> LW_SCREEN_SERIAL_SHIFT) + 1;
        stopped |= w->serial > LW_SCREEN_LAST_SERIAL;
    }
    return stopped;
}

/* ---- workers side by side -------------------------------------------------------------------- */

static bool share_granule(const struct lw_screen_cells *a, const struct lw_screen_cells *b,
                          uint64_t count)
{
    uint32_t both = 0;
    for (uint64_t i = 0; a->cells && b->cells && i < count; i++)
        both |= a->cells[i] && b->cells[i];
    return both;
}

/* True if `b` has not accessed what `a` has written, nor read what `a` has changed by an atomic. */
static bool are_apart(const struct lw_screen_object *a, const struct lw_screen_object *b)
{
    return !share_granule(&a->written, &b->written, a->granules) &&
           !share_granule(&a->written, &b->read, a->granules) &&
           !share_granule(&a->written, &b->updated, a->granules) &&
           !share_granule(&a->updated, &b->read, a->granules);
}

static bool all_are_apart(const struct screen *s)
{
    bool ok = true;
    for (const struct worker *a = s->workers; a; a = a->next)
        for (const struct worker *b = s->workers; b; b = b->next)
            for (size_t i = 0; i < s->says->param_count && ok && a != b; i++)
                ok = are_apart(&a->record->objects[i], &b->record->objects[i]);
    return ok;
}

/* ---- what is written ------------------------------------------------------------------------- */

/* Copies of what parameters lead to, one a parameter; NULL where it is not written. */
static bool keep_memory(const struct screen *s, char **copies)
{
    for (size_t i = 0; i < s->says->param_count; i++) {
        const struct lw__object *object = &s->launch->objects[i];
        if (!(s->says->rows[i].uses & LW_SCREEN_CHANGES))
            continue;
        copies[i] = malloc(object->bytes + 1);
        if (!copies[i])
            return false;
        memcpy(copies[i], object->memory, object->bytes);
    }
    return true;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* True if the code sees this parameter's memory as the rows say: from its start on, with a value,
 * and if it is changed, by no other parameter. */
static bool suits(const struct lw_screen_kernel *says, const struct lw__launch *l, size_t i)
{
    enum { ALIGN = 16 };
    const struct lw__object *object = &l->objects[i];
    const char *pointer;
    if (!says->rows[i].uses)
        return true;
    if (!object->memory || (uintptr_t)object->memory % ALIGN || object->undefined)
        return false;
    memcpy(&pointer, l->args + object->place, sizeof pointer);
    bool ok = pointer == object->memory;
    for (size_t k = 0; k < says->param_count && ok; k++)
        ok = k == i || !says->rows[k].uses || !l->objects[k].memory ||
             !((says->rows[i].uses | says->rows[k].uses) & LW_SCREEN_CHANGES) ||
             !lw__objects_overlap(object, &l->objects[k]);
    return ok;
}

static size_t shared_bytes(const struct screen *s)
{
    size_t bytes = 0;
    for (size_t i = s->says->param_count; i < s->says->row_count; i++)
        bytes += s->says->rows[i].bytes + LW_SHARED_ALIGN;
    return bytes;
}

bool lw__screen_run(struct lw__screened *kernel, const struct lw__launch *launch,
                    uint64_t *accesses)
{
    struct lw__launch own = *launch;
    struct screen s = {.says = kernel->says, .launch = launch};
    bool ok = !launch->recorder;
    *accesses = 0;
    for (size_t i = 0; i < s.says->param_count && ok; i++)
        ok = suits(s.says, launch, i);
    if (!ok || lw__special_use(&kernel->kernel, &own))
        return false;
    char **copies = calloc(s.says->param_count + 1, sizeof *copies);
    ok = copies && keep_memory(&s, copies);
    if (ok) {
        lw_cpu_entry *entry = run_blocks; /* as on `cpu`, but each block is entered by itself */
        memcpy(&s.entry, &own.entry, sizeof s.entry);
        memcpy(&own.entry, &entry, sizeof entry);
        own.args = (const char *)&s;
        own.shared_bytes = shared_bytes(&s);
        ok = lw__cpu_launch(NULL, &own) == LW_OK && all_are_apart(&s);
        for (size_t i = 0; i < s.says->param_count; i++)
            if (!ok && copies[i])
                memcpy(launch->objects[i].memory, copies[i], launch->objects[i].bytes);
    }
    for (struct worker *w = s.workers, *next; w; w = next) {
        next = w->next;
        *accesses += w->record->accesses;
        free_worker(&s, w);
    }
    for (size_t i = 0; copies && i < s.says->param_count; i++)
        free(copies[i]);
    free(copies);
    return ok;
}

lw_status lw__screen_is_worth_it(struct lw__screened *kernel, const struct lw__launch *launch,
                                 bool *is_worth_it)
{
    enum { MANY_THREADS = 1 << 16, MUCH_NS = 100000000 };
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const uint64_t threads = blocks * launch->block.x * launch->block.y * launch->block.z;
    enum lw__wish wish;
    *is_worth_it = false;
    LW_TRY(lw__environment_screen(&wish));
    if (kernel && wish != LW_NEVER)
        *is_worth_it =
            wish == LW_ALWAYS || threads >= MANY_THREADS || atomic_load(&kernel->spent) >= MUCH_NS;
    return LW_OK;
}
