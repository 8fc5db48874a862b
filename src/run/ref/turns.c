/* turns.c - in which order the lanes of a warp go on, in a kernel with loops that wait.
 *
 * Lanes of a warp have no progress of their own. Such a kernel has turns (compile/ref/turns.c): in
 * a loop that waits, and on the ways after it and round it. Of a warp whose lanes have all come to
 * a turn or a collective, those at the earliest place go on. So a lane that has left a loop goes on
 * when the others have left it, too, as it does where lanes run in step.
 *
 * A lane in an earlier iteration of the same loop catches up; that comes to an end, so it is
 * progress. Of a thread in a steady loop the frame does not tell whether it waits in vain: it does
 * if it is still in the loop and memory is what it was.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <string.h>

/* catches_up: they are in different iterations of the loop that holds both, and no more apart. */
static int place_order(const struct lw_ref_thread *a, const struct lw_ref_thread *b,
                       bool *catches_up)
{
    assert(a->place && b->place);
    const uint32_t *x = a->place + 1, *y = b->place + 1;
    const uint32_t loops = (a->place[0] < b->place[0] ? a->place[0] : b->place[0]) - 1;
    for (uint32_t i = 0; i <= loops; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
        if (i < loops && a->iteration[i] != b->iteration[i]) {
            *catches_up |= a->place == b->place && i + 1 == loops;
            return a->iteration[i] < b->iteration[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The lane at a turn that is earliest; NULL: there is none, or a lane is on its way. */
static struct lw__ref_thread *earliest_turn(struct lw__ref_block *block, int first, int end)
{
    struct lw__ref_thread *found = NULL;
    bool catches_up;
    for (int i = first; i < end; i++) {
        struct lw__ref_thread *thread = &block->threads[i];
        if (block->ready[i])
            return NULL;
        if (block->lives[i] && lw__ref_is_at_turn(block, i) &&
            (!found || place_order(&thread->abi, &found->abi, &catches_up) < 0))
            found = thread;
    }
    return found;
}

bool lw__ref_take_turn(struct lw__ref_block *block, int first, int end,
                       const struct lw__ref_thread *collective)
{
    const struct lw__ref_thread *earliest = earliest_turn(block, first, end);
    bool catches_up = false;
    if (!earliest || (collective && place_order(&collective->abi, &earliest->abi, &catches_up) < 0))
        return false;
    for (int i = first; i < end; i++) {
        const struct lw__ref_thread *thread = &block->threads[i];
        if (block->lives[i] && thread != earliest && lw__ref_is_at_turn(block, i))
            block->ready[i] = !place_order(&thread->abi, &earliest->abi, &catches_up);
    }
    block->ready[earliest->abi.linear] = true;
    block->launch->has_turns = true;
    block->launch->advanced |= catches_up;
    return true;
}

/* ---- steady loops ---------------------------------------------------------------------------- */

void lw__ref_turns_save(struct lw__ref_block *block)
{
    for (int i = 0; block->launch->has_turns && i < block->launch->thread_count; i++) {
        struct lw__ref_thread *thread = &block->threads[i];
        const struct lw_ref_thread *t = &thread->abi;
        thread->saved = (struct lw__ref_saved){
            t->place, t->value, t->result, t->state, t->is_steady, t->departures, block->ready[i]};
    }
}

/* The copy of the thread's frame has what the frame has. */
static void forgive(struct lw__ref_thread *thread)
{
    for (struct lw__ref_chunk *c = thread->block->chunks; c; c = c->next)
        if (thread->frame >= c->bytes && thread->frame < c->bytes + c->used)
            memcpy(c->copy + (thread->frame - c->bytes), thread->frame, thread->frame_bytes);
}

bool lw__ref_turns_same(struct lw__ref_block *block)
{
    for (int i = 0; block->launch->has_turns && i < block->launch->thread_count; i++) {
        struct lw__ref_thread *thread = &block->threads[i];
        const struct lw_ref_thread *t = &thread->abi;
        const struct lw__ref_saved *then = &thread->saved;
        if (t->state != then->state || block->ready[i] != then->ready || t->place != then->place ||
            t->value != then->value || t->result != then->result)
            return false;
        /* in a steady loop, which it has not left since */
        if (t->is_steady && then->is_steady && t->departures == then->departures)
            forgive(thread);
    }
    return true;
}
