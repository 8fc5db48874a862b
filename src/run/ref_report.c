/* ref_report.c - the messages of launches that fail: who waits where, and who is missing.
 *
 * A message is put together in a fixed buffer of the length that lw_last_error keeps, so reporting
 * needs no memory; what does not fit is cut.
 */
#include "run/ref.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS_MAX = 8, RANGES_MAX = 4 };

struct message {
    char text[1024];
    size_t length;
};

/* Threads that wait at the same place, or at the same instance of it. */
struct group {
    const struct lw__ref_thread *first;
    int64_t count;
};

struct groups {
    struct group group[GROUPS_MAX];
    int count;
    int64_t others; /* threads of further groups */
};

__attribute__((format(printf, 2, 3))) static void add(struct message *m, const char *format, ...)
{
    size_t room = sizeof m->text - m->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(m->text + m->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        m->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* add_line - where a site is, without what it is. */
static void add_line(struct message *m, const struct lw_ref_launch *launch, uint32_t index)
{
    if (index < launch->request->site_count)
        add(m, "%s:%d", launch->request->sites[index].file, launch->request->sites[index].line);
    else
        add(m, "unknown line");
}

static void add_site(struct message *m, const struct lw_ref_launch *launch, uint32_t index)
{
    add_line(m, launch, index);
    if (index < launch->request->site_count)
        add(m, " %s", launch->request->sites[index].what);
}

static void add_index(struct message *m, const int32_t index[3])
{
    add(m, "(%d,%d,%d)", index[0], index[1], index[2]);
}

int lw__ref_key_order(const struct lw_ref_thread *a, const struct lw_ref_thread *b)
{
    for (uint32_t i = 0; i < a->key_length && i < b->key_length; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

static bool is_same_instance(const struct lw_ref_thread *a, const struct lw_ref_thread *b)
{
    return a->op == b->op && lw__ref_key_order(a, b) == 0;
}

static bool is_same_line(const struct lw_ref_thread *a, const struct lw_ref_thread *b)
{
    return a->site == b->site;
}

/* sort_threads - put the live threads of a block into groups; first come, first group. */
static void sort_threads(struct groups *groups, const struct lw__ref_block *block,
                         bool (*same)(const struct lw_ref_thread *, const struct lw_ref_thread *))
{
    for (int i = 0; i < block->launch->thread_count; i++) {
        const struct lw__ref_thread *thread = &block->threads[i];
        if (thread->abi.state == LW_REF_RETURNED)
            continue;
        int g = 0;
        while (g < groups->count && !same(&groups->group[g].first->abi, &thread->abi))
            g++;
        if (g == GROUPS_MAX) {
            groups->others++;
            continue;
        }
        if (g == groups->count)
            groups->group[groups->count++] = (struct group){.first = thread};
        groups->group[g].count++;
    }
}

static void add_others(struct message *m, const struct groups *groups)
{
    if (groups->others > 0)
        add(m, ", other lines by %lld", (long long)groups->others);
}

static const char *threads(int64_t count)
{
    return count == 1 ? "thread" : "threads";
}

lw_status lw__ref_fail_assert(const struct lw_ref_launch *launch, const struct lw_ref_thread *t,
                              const char *expression, uint32_t site)
{
    struct message m = {0};
    add_line(&m, launch, site);
    add(&m, ": assertion '%s' failed, block ", expression);
    add_index(&m, t->block_idx);
    add(&m, " thread ");
    add_index(&m, t->thread_idx);
    return lw__fail(LW_E_LAUNCH, "kernel '%s': %s", launch->request->kernel, m.text);
}

/* add_missing - the live threads that are not at the same instance as t, as ranges in linear order.
 */
static void add_missing(struct message *m, const struct lw__ref_block *block,
                        const struct lw_ref_thread *t)
{
    int ranges = 0, end;
    for (int i = 0; i < block->launch->thread_count; i = end + 1) {
        for (end = i; end < block->launch->thread_count; end++) {
            const struct lw_ref_thread *other = &block->threads[end].abi;
            if (other->state == LW_REF_RETURNED || is_same_instance(t, other))
                break;
        }
        if (end == i)
            continue;
        if (ranges == RANGES_MAX) {
            add(m, ", ...");
            return;
        }
        add(m, "%s", ranges++ == 0 ? " " : ", ");
        add_index(m, block->threads[i].abi.thread_idx);
        if (end > i + 1) {
            add(m, " to ");
            add_index(m, block->threads[end - 1].abi.thread_idx);
        }
    }
}

/* The innermost trip of an instance: in front of its last place. */
static bool has_trip(const struct lw_ref_thread *t)
{
    return t->key_length >= 3;
}

static uint64_t trip_of(const struct lw_ref_thread *t)
{
    return t->key[t->key_length - 2];
}

/* Is the trip worth telling? A first one is, where another group on the same line is in another. */
static bool trip_matters(const struct groups *groups, const struct lw_ref_thread *t)
{
    if (trip_of(t) > 0)
        return true;
    for (int g = 0; g < groups->count; g++) {
        const struct lw_ref_thread *other = &groups->group[g].first->abi;
        if (is_same_line(t, other) && has_trip(other) && trip_of(other) != trip_of(t))
            return true;
    }
    return false;
}

/* add_group - one group of a divergent block. */
static void add_group(struct message *m, const struct lw_ref_launch *launch,
                      const struct groups *groups, const struct group *group)
{
    const struct lw_ref_thread *t = &group->first->abi;
    add_site(m, launch, t->site);
    if (has_trip(t) && trip_matters(groups, t))
        add(m, " in trip %llu", (unsigned long long)trip_of(t));
    add(m, " reached by %lld %s (first thread ", (long long)group->count, threads(group->count));
    add_index(m, t->thread_idx);
    add(m, ")");
}

lw_status lw__ref_fail_divergence(const struct lw__ref_block *block,
                                  const struct lw__ref_thread *earliest)
{
    const struct lw_ref_launch *launch = block->launch;
    struct message m = {0};
    struct groups groups = {.group = {{.first = earliest}}, .count = 1};
    sort_threads(&groups, block, is_same_instance);
    for (int g = 0; g < groups.count; g++) {
        add(&m, "%s", g == 0 ? "" : ", ");
        add_group(&m, launch, &groups, &groups.group[g]);
    }
    add_others(&m, &groups);
    add(&m, "; missing at ");
    add_line(&m, launch, earliest->abi.site);
    add(&m, ":");
    add_missing(&m, block, &earliest->abi);
    int returned = launch->thread_count - block->live;
    if (returned > 0)
        add(&m, "; %d %s returned", returned, returned == 1 ? "thread has" : "threads have");
    return lw__fail(LW_E_LAUNCH, "kernel '%s': barrier divergence in block (%d,%d,%d): %s",
                    launch->request->kernel, block->index[0], block->index[1], block->index[2],
                    m.text);
}

lw_status lw__ref_fail_stuck(const struct lw_ref_launch *launch)
{
    struct message m = {0};
    struct groups groups = {0};
    for (const struct lw__ref_block *block = launch->resident; block; block = block->next)
        sort_threads(&groups, block, is_same_line);
    for (int g = 0; g < groups.count; g++) {
        const struct group *group = &groups.group[g];
        const struct lw_ref_thread *t = &group->first->abi;
        add(&m, "%s", g == 0 ? "" : ", ");
        add_site(&m, launch, t->site);
        add(&m, " waits with %lld %s (first block ", (long long)group->count,
            threads(group->count));
        add_index(&m, t->block_idx);
        add(&m, " thread ");
        add_index(&m, t->thread_idx);
        add(&m, ")");
    }
    add_others(&m, &groups);
    return lw__fail(LW_E_LAUNCH, "kernel '%s': no thread can make progress: %s",
                    launch->request->kernel, m.text);
}
