/* guarded.c - launches of code whose accesses stay within their objects (base/bounds_abi.h): the
 * arguments that it gets, and the message of an access that it refuses.
 */
#include "base/ref_abi.h"
#include "run/report/report.h"
#include <assert.h>
#include <string.h>

/* ---- the arguments ---- */

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

const char *lw__guarded_args(const struct lw__launch *l, struct lw__guarded_args *room,
                             size_t *bytes)
{
    const size_t place = (l->args_bytes + 7) / 8 * 8;

    *bytes = l->args_bytes;
    if (!l->is_guarded)
        return l->args;
    struct lw_bounds record = {0};
    assert(place <= LW_ARG_BYTES_MAX);
    *bytes = place + lw_bounds_bytes(l->object_count);
    record.dynamic_bytes = l->dynamic_bytes;
    for (size_t i = 0; i < l->object_count; i++)
        record.rows[i] = (struct lw_bound){(uint64_t)(uintptr_t)l->objects[i].memory,
                                           l->objects[i].memory ? l->objects[i].bytes : 0};
    record.live_count = list_live(l, record.rows + l->object_count);
    for (record.live_step = 1; 2 * record.live_step <= record.live_count;)
        record.live_step *= 2;
    assert(record.live_step <= record.live_count && record.live_count <= l->object_count + 1);
    memset(room->args, 0, place);
    if (l->args_bytes)
        memcpy(room->args, l->args, l->args_bytes);
    memcpy(room->args + place, &record, *bytes - place);
    return room->args;
}

/* ---- refused accesses ---- */

/* Of a pointer of unknown origin the buffer is known by where it begins. */
static const struct lw__object *find_buffer(const struct lw__launch *l, const uint64_t *words,
                                            const struct lw_bounds_object *says)
{
    if (says)
        return says->kind == LW_REF_ARGUMENT ? &l->objects[says->place] : NULL;
    for (size_t i = 0; i < l->object_count && words[LW_REFUSED_BASE]; i++)
        if ((uint64_t)(uintptr_t)l->objects[i].memory == words[LW_REFUSED_BASE])
            return &l->objects[i];
    return NULL;
}

/* kind LW_REF_NOTHING: no object is known; the offset is then the address. */
static struct lw__outside find_outside(const struct lw__launch *l, const uint64_t *words,
                                       const char *object)
{
    struct lw__outside o = {.offset = (int64_t)words[LW_REFUSED_OFFSET],
                            .bytes = words[LW_REFUSED_SIZE]};

    struct lw_bounds_object says;
    if (object)
        memcpy(&says, object, sizeof says);
    const struct lw__object *buffer = find_buffer(l, words, object ? &says : NULL);
    if (buffer) {
        o.name = buffer->name;
        o.kind = LW_REF_ARGUMENT;
        o.element = buffer->element_bytes;
    } else if (object) {
        o.name = object + offsetof(struct lw_bounds_object, name);
        o.kind = (unsigned)says.kind;
        o.element = says.element;
    } else {
        o.offset += (int64_t)words[LW_REFUSED_BASE];
    }
    return o;
}

void lw__message_add_refused(struct lw__message *m, const struct lw__launch *l,
                             const struct lw__refused *r)
{
    static const char *const names[] = {"read", "write", "atomic"};
    const uint64_t *words = r->words;
    const uint64_t kind = words[LW_REFUSED_KIND];
    const struct lw__outside o = find_outside(l, words, r->object);
    int32_t block_idx[3], thread_idx[3];

    lw__place(l->grid, r->block, block_idx);
    lw__place(l->block, r->thread, thread_idx);
    lw__message_add_place(m, l, r->site);
    if (kind == LW_REFUSED_INDEX) {
        lw__message_add_beyond(m, o.kind ? &o : NULL, (int64_t)words[LW_REFUSED_OFFSET],
                               (int64_t)words[LW_REFUSED_BYTES], (int)words[LW_REFUSED_SIZE]);
    } else {
        lw__message_add_access(m, names[kind % LW_REFUSED_ENDED % 3], words[LW_REFUSED_BYTES]);
        if (!o.kind)
            lw__message_add_nowhere(m, (uint64_t)o.offset, false);
        else if (kind & LW_REFUSED_ENDED || (o.kind == LW_REF_PRIVATE && !o.bytes))
            lw__message_add_ended(m, &o);
        else
            lw__message_add_outside(m, &o);
    }
    lw__message_add_thread(m, block_idx, thread_idx);
}
