/* leak.c - what a program has created on a device and not destroyed, as findings.
 *
 * The place of such a finding is the call that created it. It is known as an address in a mapped
 * file, as debuggers and addr2line take it.
 */
#include "run/check/check.h"
#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

/* Of the call before the address to which it returns. *file NULL: code of no file. */
static uint64_t address_in_file(const void *returns_to, const char **file)
{
    const uintptr_t call = (uintptr_t)returns_to - 1;
    *file = NULL;
    Dl_info info;
    if (!dladdr((void *)call, &info) || !info.dli_fname)
        return call;
    *file = info.dli_fname;
    const Elf64_Ehdr *header = info.dli_fbase;
    return header->e_type == ET_EXEC ? call : call - (uintptr_t)info.dli_fbase;
}

static void add_extent(struct lw__message *m, const struct lw__alive_row *row)
{
    if (row->has_dtype)
        lw__message_add(m, "%s[%zu]", lw_dtype_name(row->dtype), row->count);
    else
        lw__message_add(m, "struct[%zu]", row->count);
}

/* What the callers want to know. */
struct listing {
    struct lw__check_settings settings;
    void (*fn)(const lw_finding *finding, void *user);
    void *user;
    size_t told;
    struct lw__message first;
};

/* `count` rows of one call. */
static void tell(struct listing *to, const struct lw__alive_row *rows, size_t count)
{
    struct lw__message message = {0}, object = {0}, by = {0};
    lw_finding finding = lw__check_class(LW_CLASS_LEAK);
    const uint64_t address = address_in_file(rows->creator, &finding.at.file);
    size_t bytes = 0;
    assert(count && rows[count - 1].creator == rows->creator);
    for (size_t i = 0; i < count; i++)
        bytes += rows[i].bytes;
    if (count > 1)
        lw__message_add(&message, "%zu %s", count, rows->is_stream ? "streams" : "buffers");
    else
        lw__message_add(&message, "a %s", rows->is_stream ? "stream" : "buffer");
    if (!rows->is_stream) {
        lw__message_add(&message, " of %zu bytes, %s", bytes, count > 1 ? "the first " : "");
        add_extent(&message, rows);
        lw__message_add(&message, ",");
    }
    lw__message_add(&message, " %s not destroyed", count > 1 ? "are" : "is");
    lw__message_add(&message, "; the call at 0x%" PRIx64 " creates %s", address,
                    count > 1 ? "them" : "it");
    if (rows->is_stream)
        lw__message_add(&object, "stream");
    else
        add_extent(&object, rows);
    finding.at.file = finding.at.file ? finding.at.file : "";
    finding.kernel = "";
    finding.object = object.text;
    finding.message = message.text;
    finding.count = count;
    if (lw__suppressions_find(to->settings.suppressions, &finding, &by))
        return;
    if (!to->told++)
        lw__message_add(&to->first, "%s: %s: %s", finding.at.file, finding.name, finding.message);
    if (to->fn)
        to->fn(&finding, to->user);
}

/* By the call, then the oldest first. */
static int compare(const void *a, const void *b)
{
    const struct lw__alive_row *x = a, *y = b;
    if (x->creator != y->creator)
        return (uintptr_t)x->creator < (uintptr_t)y->creator ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

lw_status lw_check_leaks(lw_device *device, void (*fn)(const lw_finding *finding, void *user),
                         void *user)
{
    LW_TRY(lw__state_check(device));
    lw__lock();
    lw__streams_finish(device); /* queued launches hold buffers that may be destroyed already */
    struct lw__alive_row *rows;
    size_t count;
    const bool is_listed = lw__alive_list(device, &rows, &count);
    lw__unlock();
    if (!is_listed)
        return lw__fail(LW_E_MEMORY, "out of memory: a list of what is not destroyed");
    struct listing to = {.settings = lw__state_of(device->state), .fn = fn, .user = user};
    qsort(rows, count, sizeof *rows, compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && rows[end].creator == rows[i].creator;)
            end++;
        tell(&to, &rows[i], end - i);
    }
    free(rows);
    lw__suppressions_release(to.settings.suppressions);
    if (!to.told)
        return LW_OK;
    return lw__fail(LW_E_CHECK, "%zu finding%s: %s", to.told, to.told > 1 ? "s, the first" : "",
                    to.first.text);
}
