/* compare.c - what a schedule leaves in the buffers of a launch, against what the first one left.
 *
 * Where nothing races the order of threads shows by atomics alone. So a byte that differs is told
 * at the atomic that wrote it last, else at one by which the block that wrote it may have learnt of
 * others.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>

/* ---- who learns of others -------------------------------------------------------------------- */

bool lw__learnt(struct lw__learnt *learnt, const struct lw__access *now)
{
    if (now->block >= learnt->count) {
        const size_t count = 2 * (size_t)now->block + 1;
        uint32_t *more = realloc(learnt->sites, count * sizeof *more);
        if (!more)
            return false;
        for (size_t i = learnt->count; i < count; i++)
            more[i] = UINT32_MAX;
        learnt->sites = more;
        learnt->count = count;
    }
    learnt->sites[now->block] = now->site;
    learnt->latest = *now;
    return true;
}

/* ---- who wrote ------------------------------------------------------------------------------- */

/* The last that wrote the byte in this schedule; false: nobody did. */
static bool find_writer(struct lw__check *check, uint64_t address, struct lw__access *writer)
{
    struct lw__page *page = lw__shadow_page(&check->global, address, false);
    const size_t granule = page ? address % LW_PAGE_BYTES / page->granule : 0;
    const uint64_t atomic = page ? lw__page_summary(page, granule, LW_KIND_ATOMIC_WRITE).last : 0;
    const uint64_t plain = page ? lw__page_summary(page, granule, LW_KIND_WRITE).last : 0;
    if (!atomic && !plain)
        return false;
    *writer = lw__check_access(&check->intervals, atomic ? atomic : plain,
                               atomic ? LW_KIND_ATOMIC_WRITE : LW_KIND_WRITE);
    const bool is_learnt = !atomic && writer->block < check->learnt.count &&
                           check->learnt.sites[writer->block] != UINT32_MAX;
    if (is_learnt)
        writer->site = check->learnt.sites[writer->block];
    return true;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* False: memory is short. */
static bool tell(struct lw__check *check, const struct lw__object *object, uint64_t address)
{
    struct lw__access writer;
    if (!find_writer(check, address, &writer)) /* the first schedule wrote it, and this one not */
        writer = check->learnt.latest;
    bool is_new;
    struct lw__found *found =
        lw__check_found(check, LW_CLASS_NONDETERMINISTIC, &writer, NULL, &is_new);
    if (found && is_new) {
        const uint64_t offset = address - (uint64_t)(uintptr_t)object->memory;
        struct lw__message m = {0};
        lw__message_add(&m, "%s", *object->name ? object->name : "a buffer");
        if (object->element_bytes)
            lw__message_add(&m, "[%llu]", (unsigned long long)(offset / object->element_bytes));
        else
            lw__message_add(&m, " at byte %llu", (unsigned long long)offset);
        found->what = lw__copy_string(m.text);
    }
    return found && found->what;
}

static bool compare_object(struct lw__check *check, const struct lw__object *object)
{
    const uint64_t begin = (uint64_t)(uintptr_t)object->memory, end = begin + object->bytes;
    const uint64_t element = object->element_bytes ? object->element_bytes : 1;
    uint64_t at = begin;
    while ((at = lw__outcome_next(&check->outcome, at, end)) < end) {
        if (!tell(check, object, at))
            return false;
        at = begin + (at - begin) / element * element + element;
    }
    return true;
}

bool lw__check_compare(struct lw__check *check)
{
    const struct lw__launch *request = check->request;
    assert(check->schedule > 0); /* there is a first one to compare with */
    for (size_t i = 0; i < request->object_count; i++)
        if (request->objects[i].memory && !compare_object(check, &request->objects[i]))
            return false;
    for (size_t i = 0; request->reach && i < request->reach->count; i++)
        if (!compare_object(check, &request->reach->objects[i]))
            return false;
    return true;
}
