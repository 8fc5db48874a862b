/* outside.c - what is said of an access or an index that is out of bounds, on every device. */
#include "run/report/report.h"
#include "base/ref_abi.h"
#include <assert.h>
#include <inttypes.h>

void lw__message_add_object(struct lw__message *m, const struct lw__outside *o)
{
    static const char *const nameless[] = {
        [LW_REF_NOTHING] = "no object",          [LW_REF_ARGUMENT] = "an argument",
        [LW_REF_SHARED] = "a SHARED array",      [LW_REF_DYNAMIC] = "dynamic block memory",
        [LW_REF_PRIVATE] = "a private variable", [LW_REF_CONSTANT] = "a constant"};

    assert(o->kind < sizeof nameless / sizeof *nameless);
    if (o->name && *o->name)
        lw__message_add(m, "'%s'", o->name);
    else
        lw__message_add(m, "%s", nameless[o->kind]);
}

void lw__message_add_access(struct lw__message *m, const char *access, uint64_t bytes)
{
    lw__message_add(m, "%s of %" PRIu64 " byte%s outside: ", access, bytes, bytes == 1 ? "" : "s");
}

void lw__message_add_outside(struct lw__message *m, const struct lw__outside *o)
{
    const int64_t element = o->element ? (int64_t)o->element : 1;
    const bool whole = o->element && o->offset % element == 0 && o->bytes % o->element == 0;

    if (whole)
        lw__message_add(m, "index %" PRId64 " of ", o->offset / element);
    else
        lw__message_add(m, "byte %" PRId64 " of ", o->offset);
    lw__message_add_object(m, o);
    if (o->is_null)
        lw__message_add(m, ", which is NULL");
    else if (whole)
        lw__message_add(m, ", which has %" PRIu64 " element%s of %" PRIu64 " byte%s",
                        o->bytes / o->element, o->bytes / o->element == 1 ? "" : "s", o->element,
                        o->element == 1 ? "" : "s");
    else
        lw__message_add(m, ", which has %" PRIu64 " byte%s", o->bytes, o->bytes == 1 ? "" : "s");
}

void lw__message_add_ended(struct lw__message *m, const struct lw__outside *o)
{
    lw__message_add_object(m, o);
    lw__message_add(m, " of a function that has returned");
}

void lw__message_add_nowhere(struct lw__message *m, uint64_t address, bool has_tag)
{
    enum { FIRST_PAGE = 4096 };

    if (address < FIRST_PAGE && !has_tag)
        lw__message_add(m, "byte %" PRIu64 " of a NULL pointer", address);
    else
        lw__message_add(m, "a pointer into no memory of the launch (0x%" PRIx64 ")", address);
}

void lw__message_add_beyond(struct lw__message *m, const struct lw__outside *o, int64_t index,
                            int64_t count, int axis)
{
    lw__message_add(m, "index %" PRId64 " outside: ", index);
    if (axis >= 0)
        lw__message_add(m, "axis %d of ", axis);
    else
        lw__message_add(m, "this axis of ");
    if (o)
        lw__message_add_object(m, o);
    else
        lw__message_add(m, "%s", axis >= 0 ? "a tensor" : "an array");
    lw__message_add(m, " has %" PRId64 " element%s", count, count == 1 ? "" : "s");
}

void lw__message_add_place(struct lw__message *m, const struct lw__launch *launch, uint32_t site)
{
    lw__message_add(m, "kernel '%s': ", launch->kernel);
    lw__message_add_line(m, launch, site);
    if (site < launch->site_count)
        lw__message_add(m, ":%d", launch->sites[site].column);
    lw__message_add(m, ": ");
}

void lw__message_add_thread(struct lw__message *m, const int32_t block[3], const int32_t thread[3])
{
    lw__message_add(m, ", block ");
    lw__message_add_index(m, block);
    lw__message_add(m, " thread ");
    lw__message_add_index(m, thread);
}

const struct lw__object *lw__reach_object(const struct lw__reach *reach, uint64_t address,
                                          uint64_t bytes)
{
    size_t low = 0, high = reach ? reach->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uint64_t)(uintptr_t)reach->objects[middle].memory <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low; low--) {
        const struct lw__object *o = &reach->objects[low - 1];
        const uint64_t offset = address - (uint64_t)(uintptr_t)o->memory;
        if (offset <= o->bytes && o->bytes - offset >= bytes)
            return o;
    }
    return NULL;
}
