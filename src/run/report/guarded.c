/* guarded.c - launches of code whose accesses stay within their objects (base/bounds_abi.h): the
 * arguments that it gets, and the message of an access that it refuses.
 */
#include "base/ref_abi.h"
#include "run/report/report.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the arguments ---- */

static int by_address(const void *a, const void *b)
{
    const struct lw_bound *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* What pointers in memory may be into, by address, those that overlap or touch as one: the launch's
 * buffers, and what it may reach besides. */
static size_t list_live(const struct lw__launch *l, struct lw_bound *live)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < l->object_count; i++)
        if (l->objects[i].memory)
            live[count++] =
                (struct lw_bound){(uint64_t)(uintptr_t)l->objects[i].memory, l->objects[i].bytes};
    for (size_t i = 0; l->reach && i < l->reach->count; i++)
        live[count++] = (struct lw_bound){(uint64_t)(uintptr_t)l->reach->objects[i].memory,
                                          l->reach->objects[i].bytes};
    qsort(live, count, sizeof *live, by_address);
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

/* Join the two rows that are closest to each other. */
static void join_closest(struct lw_bound *live, size_t count)
{
    size_t at = 0;
    uint64_t least = UINT64_MAX;

    assert(count > 1);
    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t gap = live[i + 1].address - (live[i].address + live[i].bytes);

        if (gap < least) {
            least = gap;
            at = i;
        }
    }
    live[at].bytes = live[at + 1].address + live[at + 1].bytes - live[at].address;
    memmove(live + at + 1, live + at + 2, (count - at - 2) * sizeof *live);
}

const char *lw__guarded_args(const struct lw__launch *l, bool fixed, struct lw__guarded_args *room,
                             size_t *bytes)
{
    const size_t place = (l->args_bytes + 7) / 8 * 8;
    const size_t reached = l->reach ? l->reach->count : 0;

    room->more = NULL;
    *bytes = l->args_bytes;
    if (!l->is_guarded)
        return l->args;
    *bytes = place + lw_bounds_bytes(l->object_count);
    char *args = room->few;
    if (*bytes + reached * sizeof(struct lw_bound) > sizeof room->few)
        args = room->more =
            aligned_alloc(16, (*bytes + reached * sizeof(struct lw_bound) + 15) / 16 * 16);
    if (!args)
        return NULL;
    memset(args, 0, *bytes);
    if (l->args_bytes)
        memcpy(args, l->args, l->args_bytes);
    struct lw_bounds *record = (struct lw_bounds *)(void *)(args + place);
    record->dynamic_bytes = l->dynamic_bytes;
    for (size_t i = 0; i < l->object_count; i++)
        record->rows[i] = (struct lw_bound){(uint64_t)(uintptr_t)l->objects[i].memory,
                                            l->objects[i].memory ? l->objects[i].bytes : 0};
    struct lw_bound *live = record->rows + l->object_count;
    const size_t most = l->object_count ? l->object_count : 1;
    record->live_count = list_live(l, live);
    for (; fixed && record->live_count > most; record->live_count--)
        join_closest(live, record->live_count);
    if (!fixed && record->live_count > most)
        *bytes += (record->live_count - most) * sizeof *live;
    for (record->live_step = 1; 2 * record->live_step <= record->live_count;)
        record->live_step *= 2;
    assert(record->live_step <= record->live_count);
    return args;
}

void lw__guarded_args_end(struct lw__guarded_args *room)
{
    free(room->more);
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
        o.is_null = buffer->is_null;
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
