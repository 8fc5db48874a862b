/* bounds.c - launches of code whose accesses stay within their objects (base/bounds_abi.h): the
 * record that it reads, and the message of an access that it refuses.
 */
#include "run/cpu/cpu.h"
#include <string.h>

/* ---- the record ---- */

/* What pointers in memory may be into: the launch's buffers, by address, those that overlap as one.
 */
static size_t list_live(const struct lw__launch *l, struct lw_bound *live)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < l->object_count; i++) {
        const struct lw_bound bound = {(uint64_t)(uintptr_t)l->objects[i].memory,
                                       l->objects[i].bytes};
        size_t at = count;

        if (!bound.address)
            continue;
        for (; at && live[at - 1].address > bound.address; at--)
            live[at] = live[at - 1];
        live[at] = bound;
        count++;
    }
    for (size_t i = 1; i < count; i++) {
        struct lw_bound *last = &live[kept];
        const uint64_t distance = live[i].address - last->address;

        if (distance > last->bytes)
            live[++kept] = live[i];
        else if (live[i].bytes > last->bytes - distance)
            last->bytes = distance + live[i].bytes;
    }
    if (!count)
        live[0] = (struct lw_bound){0, 0};
    return kept + 1;
}

const char *lw__cpu_bounds_open(struct lw__cpu_bounds *b, const struct lw__launch *l)
{
    const size_t place = (l->args_bytes + 7) / 8 * 8;
    const struct lw_bounds *record = &b->record;

    b->record.dynamic_bytes = l->dynamic_bytes;
    b->record.live = b->live;
    b->record.live_count = list_live(l, b->live);
    for (b->record.live_step = 1; 2 * b->record.live_step <= b->record.live_count;)
        b->record.live_step *= 2;
    for (size_t i = 0; i < l->object_count; i++)
        b->record.params[i] = (struct lw_bound){(uint64_t)(uintptr_t)l->objects[i].memory,
                                                l->objects[i].memory ? l->objects[i].bytes : 0};
    if (l->args_bytes)
        memcpy(b->args, l->args, l->args_bytes);
    memcpy(b->args + place, &record, sizeof record);
    return b->args;
}

/* ---- refused accesses ---- */

/* Of a pointer of unknown origin the buffer is known by where it begins. */
static const struct lw__object *find_buffer(const struct lw__launch *l, const uint64_t *words)
{
    const struct lw_bounds_object *says =
        (const struct lw_bounds_object *)(uintptr_t)words[LW_REFUSED_OBJECT];

    if (says)
        return says->kind == LW_REF_ARGUMENT ? &l->objects[says->place] : NULL;
    for (size_t i = 0; i < l->object_count && words[LW_REFUSED_BASE]; i++)
        if ((uint64_t)(uintptr_t)l->objects[i].memory == words[LW_REFUSED_BASE])
            return &l->objects[i];
    return NULL;
}

/* kind LW_REF_NOTHING: no object is known. */
static struct lw__outside find_outside(const struct lw__launch *l, const uint64_t *words)
{
    const struct lw_bounds_object *says =
        (const struct lw_bounds_object *)(uintptr_t)words[LW_REFUSED_OBJECT];
    const struct lw__object *buffer = find_buffer(l, words);
    struct lw__outside o = {.offset = (int64_t)words[LW_REFUSED_OFFSET],
                            .bytes = words[LW_REFUSED_SIZE]};

    if (buffer) {
        o.name = buffer->name;
        o.kind = LW_REF_ARGUMENT;
        o.element = buffer->element_bytes;
    } else if (says) {
        o.name = says->name;
        o.kind = (unsigned)says->kind;
        o.element = says->element;
    }
    return o;
}

void lw__cpu_refused(struct lw_cpu_worker *w, uint64_t block, uint32_t thread, uint32_t site,
                     const uint64_t *words)
{
    static const char *const names[] = {"read", "write", "atomic"};
    struct lw__cpu_run *run = w->user;
    const struct lw__launch *l = run->launch;
    const uint64_t kind = words[LW_REFUSED_KIND];
    const struct lw__outside o = find_outside(l, words);
    struct lw__message m = {0};
    int32_t block_idx[3], thread_idx[3];

    lw__place(l->grid, block, block_idx);
    lw__place(l->block, thread, thread_idx);
    lw__message_add_place(&m, l, site);
    if (kind == LW_REFUSED_INDEX) {
        lw__message_add_beyond(&m, o.kind ? &o : NULL, (int64_t)words[LW_REFUSED_OFFSET],
                               (int64_t)words[LW_REFUSED_BYTES], (int)words[LW_REFUSED_SIZE]);
    } else {
        lw__message_add_access(&m, names[kind % LW_REFUSED_ENDED], words[LW_REFUSED_BYTES]);
        if (!o.kind)
            lw__message_add_nowhere(&m, words[LW_REFUSED_OFFSET], false);
        else if (kind & LW_REFUSED_ENDED || (o.kind == LW_REF_PRIVATE && !o.bytes))
            lw__message_add_ended(&m, &o);
        else
            lw__message_add_outside(&m, &o);
    }
    lw__message_add_thread(&m, block_idx, thread_idx);
    lw__cpu_fail(run, block, LW_E_LAUNCH, &m);
}
