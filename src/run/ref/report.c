/* report.c - the messages of launches that fail: who waits where, and who is missing. */
#include "run/ref/ref.h"
#include <assert.h>
#include <string.h>

enum { GROUPS_MAX = 8 };

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

/* sort_threads - put the live threads of a block into groups; first come, first group. waiting: no
 * others than those that wait. */
static void sort_threads(struct groups *groups, const struct lw__ref_block *block, bool waiting,
                         bool (*same)(const struct lw_ref_thread *, const struct lw_ref_thread *))
{
    for (int i = 0; i < block->launch->thread_count; i++) {
        const struct lw__ref_thread *thread = &block->threads[i];
        if (!block->lives[i] || (waiting && !lw__ref_is_waiting(block, i)))
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

static void add_others(struct lw__message *m, const struct groups *groups)
{
    if (groups->others > 0)
        lw__message_add(m, ", other lines by %lld", (long long)groups->others);
}

static const char *threads(int64_t count)
{
    return count == 1 ? "thread" : "threads";
}

lw_status lw__ref_fail_assert(const struct lw_ref_launch *launch, const struct lw_ref_thread *t,
                              const struct lw__failed *failed)
{
    struct lw__message m = {0};
    lw__message_add_assert(&m, launch->request, failed, t->block_idx, t->thread_idx);
    return lw__fail(LW_E_LAUNCH, "%s", m.text);
}

/* The innermost iteration of an instance precedes its last place. */
static bool has_iteration(const struct lw_ref_thread *t)
{
    return t->key_length >= 3;
}

static uint64_t iteration_of(const struct lw_ref_thread *t)
{
    assert(has_iteration(t));
    return t->key[t->key_length - 2];
}

/* True if the message names the iteration: any but the first, and the first if another group on the
 * same line is in another iteration. */
static bool iteration_matters(const struct groups *groups, const struct lw_ref_thread *t)
{
    if (iteration_of(t) > 0)
        return true;
    for (int g = 0; g < groups->count; g++) {
        const struct lw_ref_thread *other = &groups->group[g].first->abi;
        if (is_same_line(t, other) && has_iteration(other) &&
            iteration_of(other) != iteration_of(t))
            return true;
    }
    return false;
}

/* True if the thread waits at another instance than `earliest`. */
static bool is_missing(const void *who, int thread)
{
    const struct lw__ref_thread *earliest = who, *t = &earliest->block->threads[thread];
    return lw__ref_is_waiting(t->block, thread) && !is_same_instance(&earliest->abi, &t->abi);
}

void lw__ref_tell_divergence(struct lw__message *m, const struct lw__ref_block *block,
                             const struct lw__ref_thread *earliest)
{
    const struct lw_ref_launch *launch = block->launch;
    struct groups groups = {.group = {{.first = earliest}}, .count = 1};
    sort_threads(&groups, block, true, is_same_instance);
    lw__message_add_divergence(m, launch->request, block->index);
    for (int g = 0; g < groups.count; g++) {
        lw__message_add(m, "%s", g == 0 ? "" : ", ");
        const struct lw_ref_thread *t = &groups.group[g].first->abi;
        lw__message_add_site(m, launch->request, t->site);
        if (has_iteration(t) && iteration_matters(&groups, t))
            lw__message_add(m, " in iteration %llu", (unsigned long long)iteration_of(t));
        lw__message_add_reached(m, groups.group[g].count, t->thread_idx);
    }
    add_others(m, &groups);
    lw__message_add_missing(m, launch->request, earliest->abi.site, is_missing, earliest);
    lw__message_add_returned(m, launch->thread_count - block->live);
}

const struct lw__ref_thread *lw__ref_find_apart(const struct lw__ref_block *block,
                                                const struct lw__ref_thread *earliest)
{
    for (int i = 0; i < block->launch->thread_count; i++)
        if (is_missing(earliest, i))
            return &block->threads[i];
    return NULL;
}

/* At a turn that is in no loop that waits. */
static bool is_behind(const struct lw__ref_thread *thread)
{
    return lw__ref_is_at_turn(thread->block, thread->abi.linear) && thread->abi.is_behind;
}

const struct lw__ref_thread *lw__ref_tell_stuck(struct lw__message *m,
                                                const struct lw_ref_launch *launch,
                                                const struct lw__ref_thread **other)
{
    struct groups groups = {0};
    const struct lw__ref_thread *first = NULL;
    *other = NULL;
    for (const struct lw__ref_block *block = launch->resident; block; block = block->next)
        sort_threads(&groups, block, false, is_same_line);
    lw__message_add(m, "no thread can make progress: ");
    for (int g = 0; g < groups.count; g++) {
        const struct group *group = &groups.group[g];
        const struct lw_ref_thread *t = &group->first->abi;
        lw__message_add(m, "%s", g == 0 ? "" : ", ");
        const struct lw__ref_thread **place = is_behind(group->first) ? other : &first;
        *place = *place ? *place : group->first;
        if (is_behind(group->first))
            lw__message_add_line(m, launch->request, t->site);
        else
            lw__message_add_site(m, launch->request, t->site);
        lw__message_add(m, " waits with %lld %s (first block ", (long long)group->count,
                        threads(group->count));
        lw__message_add_index(m, t->block_idx);
        lw__message_add(m, " thread ");
        lw__message_add_index(m, t->thread_idx);
        lw__message_add(m, is_behind(group->first) ? ") for lanes of its warp in a loop" : ")");
    }
    add_others(m, &groups);
    return first ? first : groups.group[0].first;
}
