/* report.c - what the messages of launches that fail have in common, whatever the device.
 *
 * A message is put together in a fixed buffer of the length that lw_last_error keeps, so reporting
 * needs no memory; what does not fit is cut.
 */
#include "run/report/report.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { RANGES_MAX = 4 };

void lw__message_add(struct lw__message *m, const char *format, ...)
{
    size_t room = sizeof m->text - m->length;

    assert(m->length < sizeof m->text && !m->text[m->length]);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(m->text + m->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        m->length += (size_t)length < room ? (size_t)length : room - 1;
}

void lw__message_add_line(struct lw__message *m, const struct lw__launch *launch, uint32_t site)
{
    if (site < launch->site_count)
        lw__message_add(m, "%s:%d", launch->sites[site].file, launch->sites[site].line);
    else
        lw__message_add(m, "unknown line");
}

void lw__message_add_site(struct lw__message *m, const struct lw__launch *launch, uint32_t site)
{
    lw__message_add_line(m, launch, site);
    if (site < launch->site_count)
        lw__message_add(m, " %s", launch->sites[site].what);
}

void lw__message_add_index(struct lw__message *m, const int32_t index[3])
{
    lw__message_add(m, "(%d,%d,%d)", index[0], index[1], index[2]);
}

void lw__message_add_assert(struct lw__message *m, const struct lw__launch *launch,
                            const struct lw__failed *failed, const int32_t block[3],
                            const int32_t thread[3])
{
    lw__message_add(m, "kernel '%s': ", launch->kernel);
    lw__message_add_line(m, launch, failed->site);
    if (failed->args) {
        lw__message_add(m, ": ");
        lw__message_add_print(m, failed->text, LW_SAID_MAX, failed->args, failed->texts);
    } else {
        lw__message_add(m, ": assertion '%s' failed", failed->text);
    }
    lw__message_add(m, ", block ");
    lw__message_add_index(m, block);
    lw__message_add(m, " thread ");
    lw__message_add_index(m, thread);
}

void lw__message_add_divergence(struct lw__message *m, const struct lw__launch *launch,
                                const int32_t block[3])
{
    lw__message_add(m, "kernel '%s': barrier divergence in block ", launch->kernel);
    lw__message_add_index(m, block);
    lw__message_add(m, ": ");
}

void lw__message_add_reached(struct lw__message *m, int64_t count, const int32_t first[3])
{
    lw__message_add(m, " reached by %lld %s (first thread ", (long long)count,
                    count == 1 ? "thread" : "threads");
    lw__message_add_index(m, first);
    lw__message_add(m, ")");
}

void lw__message_add_returned(struct lw__message *m, int64_t count)
{
    if (count > 0)
        lw__message_add(m, "; %lld %s returned", (long long)count,
                        count == 1 ? "thread has" : "threads have");
}

void lw__message_add_missing(struct lw__message *m, const struct lw__launch *launch, uint32_t site,
                             bool (*is_missing)(const void *who, int thread), const void *who)
{
    int count = (int)(launch->block.x * launch->block.y * launch->block.z), ranges = 0, end;
    int32_t index[3];

    lw__message_add(m, "; missing at ");
    lw__message_add_line(m, launch, site);
    lw__message_add(m, ":");
    for (int i = 0; i < count; i = end + 1) {
        for (end = i; end < count && is_missing(who, end); end++)
            ;
        if (end == i)
            continue;
        if (ranges == RANGES_MAX) {
            lw__message_add(m, ", ...");
            return;
        }
        lw__message_add(m, "%s", ranges++ == 0 ? " " : ", ");
        lw__place(launch->block, (uint64_t)i, index);
        lw__message_add_index(m, index);
        if (end > i + 1) {
            lw__message_add(m, " to ");
            lw__place(launch->block, (uint64_t)end - 1, index);
            lw__message_add_index(m, index);
        }
    }
}

void lw__place(lw_dim3 size, uint64_t linear, int32_t index[3])
{
    assert(size.x && size.y && size.z);
    index[0] = (int32_t)(linear % size.x);
    index[1] = (int32_t)(linear / size.x % size.y);
    index[2] = (int32_t)(linear / size.x / size.y);
}
