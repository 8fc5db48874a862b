/* late_lanes.c - lanes that come too late to a collective of their warp.
 *
 *     if (lane_id() == 0)
 *         barrier();
 *     else
 *         x = warp_sum(x);
 *
 * All of these lanes wait. The lanes in the sum go on, since lane 0 never gets there. The scheduler
 * cannot know that before. So it records which lanes went on without which others. If one of the
 * others still reaches the same instance, the two groups had waited for each other. The launch then
 * fails with the error of that time. A record ends when all lanes are past its instance.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Instances that differ in the innermost iteration alone; the key is that of the first. */
struct lw__ref_late {
    struct lw__ref_late *next;
    int warp;
    uint32_t key_length;
    uint64_t key[LW_REF_KEY_MAX], last; /* the last iteration */
    char text[];                        /* the message */
};

static bool is_iteration(const struct lw__ref_late *late, uint32_t k)
{
    return k + 2 == late->key_length;
}

/* Does the thread wait at one of the instances? */
static bool is_of(const struct lw__ref_late *late, const struct lw_ref_thread *t)
{
    bool is = t->key_length == late->key_length;
    for (uint32_t k = 0; is && k < t->key_length; k++)
        is = t->key[k] == late->key[k] ||
             (is_iteration(late, k) && t->key[k] > late->key[k] && t->key[k] <= late->last);
    return is;
}

/* Does it wait after them all? */
static bool is_past(const struct lw__ref_late *late, const struct lw_ref_thread *t)
{
    for (uint32_t k = 0; k < t->key_length && k < late->key_length; k++) {
        const uint64_t last = is_iteration(late, k) ? late->last : late->key[k];
        if (t->key[k] != last)
            return t->key[k] > last;
    }
    return t->key_length > late->key_length;
}

/* True if it waits in the next iteration; the record then includes that one. */
static bool goes_on(struct lw__ref_late *late, const struct lw_ref_thread *t)
{
    late->last++;
    const bool is = late->key_length > 2 && t->key_length == late->key_length &&
                    t->key[late->key_length - 2] == late->last && is_of(late, t);
    late->last -= !is;
    return is;
}

static int warp_of(const struct lw__ref_thread *thread)
{
    return thread->abi.linear / LW_WARP_SIZE;
}

lw_status lw__ref_go_without(struct lw__ref_block *block, const struct lw__ref_thread *earliest,
                             const struct lw__ref_thread *at)
{
    const struct lw_ref_thread *t = &at->abi;
    struct lw__message m = {0};
    for (struct lw__ref_late *late = block->late; late; late = late->next)
        if (late->warp == warp_of(at) && goes_on(late, t))
            return LW_OK;
    lw__ref_tell_divergence(&m, block, earliest);
    struct lw__ref_late *late = malloc(sizeof *late + m.length + 1);
    if (!late)
        return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to note who waits for whom",
                        block->launch->request->kernel);
    assert(earliest->block == block && at->block == block && t->key_length <= LW_REF_KEY_MAX);
    late->warp = warp_of(at);
    late->key_length = t->key_length;
    memcpy(late->key, t->key, t->key_length * sizeof *t->key);
    late->last = t->key_length > 2 ? t->key[t->key_length - 2] : 0;
    memcpy(late->text, m.text, m.length + 1);
    late->next = block->late;
    block->late = late;
    return LW_OK;
}

const char *lw__ref_find_late(struct lw__ref_block *block, const struct lw__ref_thread *earliest)
{
    const int warp = warp_of(earliest);
    for (struct lw__ref_late **end = &block->late, *late; (late = *end);) {
        if (late->warp == warp && is_of(late, &earliest->abi))
            return late->text;
        if (late->warp != warp || !is_past(late, &earliest->abi)) {
            end = &late->next;
            continue;
        }
        *end = late->next;
        free(late);
    }
    return NULL;
}

void lw__ref_late_free(struct lw__ref_block *block)
{
    while (block->late) {
        struct lw__ref_late *late = block->late;
        block->late = late->next;
        free(late);
    }
}
