/* plant.c - one defect in a right kernel. Whether it is one, the oracle says: a barrier may have
 * been one too many. */
#include "planted.h"
#include <string.h>

static void say(struct kernel *k, const char *what, const struct step *s)
{
    snprintf(k->planted, sizeof k->planted, "%s, step %d", what, (int)(s - k->step));
}

static void drop(struct kernel *k, struct step *s, const char *what)
{
    say(k, what, s);
    memmove(s, s + 1, (size_t)(k->step + k->steps - (s + 1)) * sizeof *s);
    k->steps--;
}

static bool plain(struct kernel *k, struct step *s)
{
    const enum op op = s->op == ATOMIC_ADD     ? PLAIN_ADD
                       : s->op == ATOMIC_LOAD  ? LOAD
                       : s->op == ATOMIC_STORE ? STORE
                                               : s->op;
    if (op == s->op)
        return false;
    s->op = op;
    say(k, "an atomic made plain", s);
    return true;
}

static bool shift(struct kernel *k, struct dice *d, struct step *s)
{
    struct index *index = k->array[s->array].rows && percent(d, 50) ? &s->row : &s->index;
    index->e += percent(d, 50) ? 1 : -1;
    say(k, "an index shifted", s);
    return true;
}

static bool shrink(struct kernel *k, struct dice *d, struct step *s)
{
    struct array *a = &k->array[s->array];
    int *size = a->rows > 1 && percent(d, 50) ? &a->rows : &a->count;
    if (*size < 2)
        return false;
    *size -= 1 + below(d, *size > 4 ? 3 : 1);
    say(k, "an array shrunk", s);
    return true;
}

static bool widen(struct kernel *k, struct dice *d, struct step *s)
{
    struct index *index = &s->index;
    if (index->b && percent(d, 50))
        index->b = 0;
    else if (s->when.threads != ALL && percent(d, 70))
        s->when.threads = ALL;
    else if (s->when.blocks != ANY)
        s->when.blocks = ANY;
    else if (index->a == 1 && !index->q)
        index->q = 2;
    else
        return false;
    say(k, "sharing widened", s);
    return true;
}

static bool widen_if(struct kernel *k, struct step *s)
{
    if (s->when.threads == IN_TREE)
        return false;
    s->when.blocks = ANY;
    s->when.threads = BELOW;
    s->when.k++;
    say(k, "a condition widened", s);
    return true;
}

static bool waits(const struct kernel *k)
{
    for (int i = 0; i < k->steps; i++)
        if (k->step[i].op == SPIN || k->step[i].op == LOCK)
            return true;
    return false;
}

static bool part(struct kernel *k, struct dice *d, struct step *s, const char *what)
{
    s->when = (struct condition){.threads = percent(d, 50) ? BELOW : EVEN,
                                 .k = 1 + below(d, k->block - 1)};
    say(k, what, s);
    return true;
}

/* The fence comes behind the access that it should stand before. */
static bool delay(struct kernel *k, struct step *s)
{
    if (s + 1 == k->step + k->steps || s[1].op > LAST)
        return false;
    const struct step fence = *s;
    s[0] = s[1];
    s[1] = fence;
    say(k, "a fence too late", s);
    return true;
}

static bool plant_at(struct kernel *k, struct dice *d, struct step *s)
{
    switch (s->op) {
    case BARRIER:
    case BLOCK_SUM:
        if (percent(d, 30))
            return part(k, d, s, "a barrier for some threads");
        drop(k, s, "a barrier dropped");
        return true;
    case WARP_SYNC:
        if (percent(d, 40))
            return part(k, d, s, "a warp_sync for some lanes");
        drop(k, s, "a warp_sync dropped");
        return true;
    case FENCE_BLOCK:
    case FENCE_DEVICE:
        if (percent(d, 30))
            return delay(k, s);
        if (s->op == FENCE_DEVICE && percent(d, 30)) {
            s->op = FENCE_BLOCK;
            say(k, "a fence of the block only", s);
        } else {
            drop(k, s, "a fence dropped");
        }
        return true;
    /* More threads at a lock or flag may wait for their own warp, which is another defect. */
    case IF: return !waits(k) && widen_if(k, s);
    case LOAD:
    case STORE:
    case PLAIN_ADD:
    case ATOMIC_ADD:
    case ATOMIC_LOAD:
    case ATOMIC_STORE:
    case CAS_FAILS: break;
    default: return false;
    }
    switch (below(d, s->op == STORE ? 5 : 4)) {
    case 4: drop(k, s, "a store dropped"); return true;
    case 0: return plain(k, s);
    case 1: return shift(k, d, s);
    case 2: return shrink(k, d, s);
    default: return widen(k, d, s);
    }
}

bool plant(struct kernel *k, struct dice *d)
{
    enum { TRIES = 40 };
    for (int i = 0; i < TRIES; i++)
        if (plant_at(k, d, &k->step[below(d, k->steps)]))
            return true;
    return false;
}
