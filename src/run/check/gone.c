/* gone.c - memory of buffers that were destroyed, of a device, as far as no new buffer has it.
 *
 * A kernel can keep a pointer in memory, and use it in a later launch. Where it then leads into no
 * object, this says whether there was one. The latest are kept.
 */
#include "run/check/check.h"

static bool overlaps(const struct lw__range *a, uint64_t begin, uint64_t bytes)
{
    return a->bytes && a->begin < begin + bytes && begin < a->begin + a->bytes;
}

void lw__gone_add(struct lw__gone *gone, uint64_t begin, uint64_t bytes)
{
    gone->ranges[gone->next++ % LW_GONE_MAX] = (struct lw__range){begin, bytes};
}

void lw__gone_reuse(struct lw__gone *gone, uint64_t begin, uint64_t bytes)
{
    for (size_t i = 0; i < LW_GONE_MAX; i++)
        if (overlaps(&gone->ranges[i], begin, bytes))
            gone->ranges[i].bytes = 0;
}

bool lw__gone_find(const struct lw__gone *gone, uint64_t address, struct lw__range *found)
{
    for (size_t i = 0; i < LW_GONE_MAX; i++)
        if (overlaps(&gone->ranges[i], address, 1)) {
            *found = gone->ranges[i];
            return true;
        }
    return false;
}
