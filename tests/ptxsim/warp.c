/* warp.c - threads that meet: the operations of a warp, the barriers of a block.
 *
 * As on processors that schedule each thread by itself: an operation of a warp happens once all
 * lanes of its mask that have not ended wait at one with the same mask. All but bar.warp.sync must
 * be the same instruction then. Lanes that are not there give POISON.
 * source  PTX ISA 8.3: shfl.sync, vote.sync, match.sync, bar.warp.sync, barrier
 */
#include "ptxsim.h"
#include "run/cuda/driver.h"

struct sync_point {
    struct thread *lane[LANES];
    uint32_t there, mask; /* not ended; of the operation */
};

static uint32_t mask_of(const struct thread *t)
{
    const struct instruction *i = t->now.at;

    switch (i->op) {
    case OP_warp_sync: return (uint32_t)t->now.slots[i->d];
    case OP_ballot:
    case OP_vote_any:
    case OP_vote_all:
    case OP_match_b32:
    case OP_match_b64: return (uint32_t)t->now.slots[i->b];
    default: return (uint32_t)t->now.slots[i->e];
    }
}

/* ---- shuffles ---- */

/* The lane to read from. c has the last (or, for up, the first) lane and which bits of a lane's
 * number say its segment. */
static uint32_t source_of(uint32_t op, uint32_t lane, uint32_t b, uint32_t c)
{
    const uint32_t segment = c >> 8 & 31, low = lane & segment;
    const uint32_t last = low | (c & 31 & ~segment);
    uint32_t from;

    b &= 31;
    switch (op) {
    case OP_shfl_up: from = lane - b; return (int)from >= (int)last ? from : lane;
    case OP_shfl_down: from = lane + b; break;
    case OP_shfl_bfly: from = lane ^ b; break;
    default: from = low | (b & ~segment); break;
    }
    return from <= last ? from : lane;
}

static bool shuffle(const struct sync_point *m)
{
    uint64_t value[LANES];

    for (uint32_t k = 0; k < LANES; k++)
        value[k] =
            m->lane[k] ? (uint32_t)m->lane[k]->now.slots[m->lane[k]->now.at->a] : (uint32_t)POISON;
    for (uint32_t k = 0; k < LANES; k++) {
        const struct thread *t = m->lane[k];
        if (!t)
            continue;
        const struct instruction *i = t->now.at;
        const uint64_t *r = t->now.slots;
        const uint32_t from = source_of(i->op, k, (uint32_t)r[i->b], (uint32_t)r[i->c]);
        if (!(m->mask >> from & 1)) {
            block_fail(t, LW_CU_LAUNCH_FAILED, "it reads lane %u, which is not in the mask 0x%x",
                       from, m->mask);
            return false;
        }
        t->now.slots[i->d] = value[from];
    }
    return true;
}

/* ---- votes ---- */

/* The lanes for which the operand has all of these bits as `value` has them. */
static uint32_t lanes_with(const struct sync_point *m, uint64_t value, uint64_t bits)
{
    uint32_t lanes = 0;

    for (uint32_t k = 0; k < LANES; k++)
        if (m->lane[k] && !((m->lane[k]->now.slots[m->lane[k]->now.at->a] ^ value) & bits))
            lanes |= 1u << k;
    return lanes;
}

static void vote(const struct sync_point *m)
{
    const uint32_t yes = lanes_with(m, 1, 1);
    uint32_t result[LANES];

    for (uint32_t k = 0; k < LANES; k++) {
        const struct thread *t = m->lane[k];
        if (!t)
            continue;
        const uint64_t value = t->now.slots[t->now.at->a];
        switch (t->now.at->op) {
        case OP_ballot: result[k] = yes; break;
        case OP_vote_any: result[k] = yes != 0; break;
        case OP_vote_all: result[k] = yes == (m->mask & m->there); break;
        case OP_match_b32: result[k] = lanes_with(m, value, UINT32_MAX); break;
        default: result[k] = lanes_with(m, value, UINT64_MAX); break;
        }
    }
    for (uint32_t k = 0; k < LANES; k++)
        if (m->lane[k])
            m->lane[k]->now.slots[m->lane[k]->now.at->d] = result[k];
}

/* ---- who meets ---- */

static bool is_same(const struct sync_point *m, const struct thread *t)
{
    for (uint32_t k = 0; k < LANES; k++) {
        const struct thread *other = m->lane[k];
        if (!other || other->now.at == t->now.at ||
            (other->now.at->op == OP_warp_sync && t->now.at->op == OP_warp_sync))
            continue;
        block_fail(t, LW_CU_LAUNCH_FAILED, "lane %u stands at line %u", k, other->now.at->line);
        return false;
    }
    return true;
}

static void operate(const struct sync_point *m, const struct thread *t)
{
    bool works = is_same(m, t);

    switch (t->now.at->op) {
    case OP_warp_sync: break;
    case OP_shfl_idx:
    case OP_shfl_up:
    case OP_shfl_down:
    case OP_shfl_bfly: works = works && shuffle(m); break;
    default:
        if (works)
            vote(m);
        break;
    }
    for (uint32_t k = 0; works && k < LANES; k++)
        if (m->lane[k]) {
            m->lane[k]->state = RUNS;
            m->lane[k]->now.at++;
        }
}

/* All in the mask of t that are there wait with the same mask? */
static bool gather(struct sync_point *m, struct thread *warp, const struct thread *t,
                   uint32_t lanes)
{
    *m = (struct sync_point){.mask = mask_of(t)};
    for (uint32_t k = 0; k < lanes; k++) {
        struct thread *other = &warp[k];
        if (other->state == EXITED)
            continue;
        m->there |= 1u << k;
        if (!(m->mask >> k & 1))
            continue;
        if (other->state != MEETS_WARP || mask_of(other) != m->mask)
            return false;
        m->lane[k] = other;
    }
    return true;
}

bool warp_meet(struct block *b, uint32_t number)
{
    struct thread *warp = &b->thread[number * LANES];
    const uint32_t rest = b->threads - number * LANES, lanes = rest < LANES ? rest : LANES;
    bool some = false;

    struct sync_point m;
    for (uint32_t k = 0; k < lanes && !b->launch->error; k++) {
        struct thread *t = &warp[k];
        if (t->state != MEETS_WARP)
            continue;
        if (!(mask_of(t) >> k & 1)) {
            block_fail(t, LW_CU_LAUNCH_FAILED, "its own lane is not in the mask 0x%x", mask_of(t));
        } else if (gather(&m, warp, t, lanes)) {
            operate(&m, t);
            some = true;
        }
    }
    return some;
}

/* ---- barriers ---- */

/* The threads of a warp come together, and all to the same kind. */
static bool may_meet(const struct thread *first, const struct thread *t,
                     const struct thread *leader)
{
    const char *wrong = NULL;

    if (t->now.slots[t->now.at->op == OP_bar ? t->now.at->d : t->now.at->a] != 0)
        wrong = "a barrier other than 0";
    else if (t->now.at->op != first->now.at->op)
        wrong = "threads of the block stand at another kind of barrier";
    else if (t->now.at != leader->now.at)
        wrong = "threads of the warp stand at another barrier";
    if (wrong)
        block_fail(t, LW_CU_LAUNCH_FAILED, "%s (line %u)", wrong,
                   t->now.at->op == first->now.at->op ? leader->now.at->line : first->now.at->line);
    return !wrong;
}

static uint32_t reduce(uint32_t op, uint32_t count, uint32_t all)
{
    return op == OP_bar_popc ? count : op == OP_bar_and ? count == all : count != 0;
}

bool block_meet(struct block *b)
{
    const struct thread *first = NULL, *leader = NULL;
    uint32_t count = 0;

    for (uint32_t k = 0; k < b->threads; k++) {
        const struct thread *t = &b->thread[k];
        if (t->state == EXITED)
            continue;
        if (t->state != MEETS_BLOCK)
            return false;
        first = first ? first : t;
        leader = leader && leader->index / LANES == k / LANES ? leader : t;
        if (!may_meet(first, t, leader))
            return false;
        count += t->now.at->op != OP_bar && t->now.slots[t->now.at->b] & 1;
    }
    for (uint32_t k = 0; k < b->threads; k++) {
        struct thread *t = &b->thread[k];
        if (t->state == EXITED)
            continue;
        if (t->now.at->op != OP_bar)
            t->now.slots[t->now.at->d] = reduce(t->now.at->op, count, b->running);
        t->state = RUNS;
        t->now.at++;
    }
    return first != NULL;
}
