/* mix.c - a random kernel that is right or wrong by chance: few threads, small arrays, accesses of
 * all kinds by random threads, with barriers, warp_sync, fences and returns in between, and
 * patterns whose arrays the accesses go to as well.
 *
 * What waits is left to the patterns, for the oracle does not know how lanes of a warp wait for
 * each other, nor which of two waits ends a block. So elements that are waited for are only read,
 * and where threads wait none returns early or comes to a barrier without others.
 */
#include "planted.h"

static bool waits(const struct kernel *k)
{
    for (int i = 0; i < k->steps; i++)
        if (k->step[i].op == SPIN || k->step[i].op == LOCK || k->step[i].op == LAST)
            return true;
    return false;
}

static bool is_waited_for(const struct kernel *k, int array)
{
    for (int i = 0; i < k->steps; i++)
        if (k->step[i].array == array &&
            (k->step[i].op == SPIN || k->step[i].op == LOCK || k->step[i].op == LAST))
            return true;
    return false;
}

static struct condition some_threads(const struct kernel *k, struct dice *d)
{
    static const enum of_threads kinds[] = {ALL, IS, BELOW, FROM, EVEN};
    const enum of_blocks blocks = percent(d, 70) ? ANY : percent(d, 50) ? BLOCK_IS : BLOCK_IS_NOT;
    return (struct condition){.threads = kinds[below(d, 5)],
                              .k = below(d, k->block),
                              .blocks = k->grid > 1 ? blocks : ANY,
                              .block = below(d, k->grid)};
}

/* Always inside. */
static struct index some_index(const struct array *a, struct dice *d)
{
    if (percent(d, 40))
        return (struct index){.d = below(d, a->count)};
    return (struct index){.a = 1 + below(d, 3), .d = below(d, 4), .m = a->count};
}

static void add_access(struct kernel *k, struct dice *d)
{
    static const enum op ops[] = {LOAD,      LOAD,       STORE,       STORE,
                                  PLAIN_ADD, ATOMIC_ADD, ATOMIC_LOAD, ATOMIC_STORE};
    const int array = below(d, k->arrays);
    const struct array *a = &k->array[array];
    const bool is_word = a->type == I32;
    const enum op op =
        ops[is_waited_for(k, array) ? percent(d, 50) ? 0 : 6 : below(d, is_word ? 8 : 4)];
    struct step *s = add_step(k, op);
    s->array = array;
    s->index = some_index(a, d);
    if (a->rows)
        s->row = (struct index){.d = below(d, a->rows)};
    s->by_helper = !a->rows && percent(d, 15);
    if (percent(d, 60))
        s->when = some_threads(k, d);
}

static void add_any(struct kernel *k, struct dice *d, bool may_return, int depth)
{
    const int what = below(d, 100);
    if (what < 50 || depth > 1) {
        add_access(k, d);
    } else if (what < 60) {
        add_step(k, BARRIER)->when =
            percent(d, 4) ? some_threads(k, d) : (struct condition){.threads = ALL};
    } else if (what < 72) {
        add_step(k, WARP_SYNC)->when =
            percent(d, 40) ? some_threads(k, d) : (struct condition){.threads = ALL};
    } else if (what < 78) {
        add_step(k, percent(d, 50) ? FENCE_BLOCK : FENCE_DEVICE)->when = some_threads(k, d);
    } else if (what < 80) {
        add_step(k, VOTE);
    } else if (what < 84) {
        if (may_return)
            add_step(k, RETURN)->when = some_threads(k, d);
    } else if (what < 94) {
        add_step(k, IF)->when = some_threads(k, d);
        add_any(k, d, may_return, depth + 1);
        add_any(k, d, may_return, depth + 1);
        if (percent(d, 50)) {
            add_step(k, ELSE);
            add_any(k, d, may_return, depth + 1);
            if (percent(d, 40))
                add_step(k, WARP_SYNC);
        }
        add_step(k, END);
    } else {
        add_step(k, LOOP)->count = 2;
        add_any(k, d, false, depth + 1);
        add_any(k, d, false, depth + 1);
        add_step(k, END);
    }
}

/* Elements that threads below their number store, and a barrier. */
static void add_own_array(struct kernel *k, struct dice *d)
{
    const bool is_shared = percent(d, 60);
    const int count = 1 + below(d, 6);
    const int array =
        add_array(k, percent(d, 75) ? I32 : (enum type)below(d, TYPES), is_shared, 0, count);
    if (!is_shared)
        return;
    struct step *s = add_step(k, STORE);
    s->array = array;
    s->index = (struct index){.a = 1};
    s->when = (struct condition){.threads = BELOW, .k = count};
    add_step(k, BARRIER);
}

/* No thread returns early, none waits apart from others at a barrier. */
static void let_all_come(struct kernel *k)
{
    int depth = 0, arms[STEPS_MAX] = {0};
    for (int i = 0; i < k->steps; i++) {
        struct step *s = &k->step[i];
        if (s->op == IF || s->op == LOOP)
            arms[depth + 1] = arms[depth] + (s->op == IF), depth++;
        depth -= s->op == END;
        if (s->op == RETURN || (s->op == BARRIER && (arms[depth] || s->when.threads != ALL)))
            s->op = VOTE;
    }
}

void mix(struct kernel *k, uint64_t seed)
{
    static const int blocks[] = {8, 32, 40, 64};
    enum { STEPS_LEFT = 40 };
    struct dice d = {seed * UINT64_C(0x9e3779b97f4a7c15) + 7};
    below(&d, 2);
    *k = (struct kernel){.seed = seed, .block = blocks[below(&d, 4)], .grid = 1 + below(&d, 2)};
    snprintf(k->planted, sizeof k->planted, "a mixture");
    k->is_mixed = true;
    add_own_array(k, &d);
    for (int pieces = 1 + below(&d, 3); pieces > 0; pieces--) {
        if (percent(&d, 35) && k->arrays + 4 < ARRAYS_MAX)
            add_pattern(k, &d, false);
        else if (percent(&d, 40))
            add_own_array(k, &d);
        for (int n = 1 + below(&d, 5); n > 0 && k->steps + STEPS_LEFT < STEPS_MAX; n--)
            add_any(k, &d, !waits(k), 0);
    }
    if (waits(k))
        let_all_come(k);
}
