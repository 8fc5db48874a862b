/* variants.c - the variants of a row, and the two simplest: the code by hand and the limits.
 */
#include "bench.h"
#include <stdarg.h>
#include <string.h>

static struct variant *add(struct session *s, const struct way *way, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct variant *add(struct session *s, const struct way *way, const char *format, ...)
{
    struct variant *v = &s->variants[s->count++];
    va_list list;
    va_start(list, format);
    vsnprintf(v->name, sizeof v->name, format, list);
    va_end(list);
    v->way = way;
    v->block = s->row->block;
    v->repeat = 1;
    v->computes = true;
    return v;
}

static void add_limit(struct session *s, enum hand_op op, const char *name)
{
    struct variant *v = add(s, &way_hand, "%s", name);
    v->op = op;
    v->computes = false;
}

/* ---- rows of arrays -------------------------------------------------------------------------- */

static void add_other_blocks(struct session *s)
{
    static const lw_dim3 blocks[] = {{64, 1, 1}, {128, 1, 1}, {512, 1, 1}, {1024, 1, 1}};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        add(s, &way_ours, "ours %u", blocks[i].x)->block = blocks[i];
    add(s, &way_ours, "ours 16x16")->block = (lw_dim3){16, 16, 1};
}

/* Peers are measured beside the widest level only: they choose their own instructions. */
static void add_peers(struct session *s)
{
    if (strcmp(s->bench->hand->level, "avx512") != 0 && hand_avx512.usable())
        return;
    if (s->row->blas)
        add(s, &way_blas, "openblas");
    if (s->row->numpy)
        add(s, &way_numpy, "numpy");
    if (s->bench->threads == 1)
        add(s, &way_opencl, "pocl");
}

static void arrays_make(struct session *s)
{
    add(s, &way_ours, "ours");
    if (s->row->hand)
        add(s, &way_hand, "hand")->op = s->row->hand;
    if (s->row->scalar)
        add(s, &way_hand, "scalar C")->op = s->row->scalar;
    if (s->row->limit[0])
        add_limit(s, s->row->limit[0], "limit");
    if (s->row->limit[1])
        add_limit(s, s->row->limit[1], "limit 2");
    add_peers(s);
    if (s->row->any_block && s->bench->threads == 1)
        add_other_blocks(s);
}

/* ---- the other rows -------------------------------------------------------------------------- */

static void launch_make(struct session *s)
{
    add(s, &way_launch_ours, "ours")->repeat = 1000;
    add(s, &way_launch_opencl, "pocl")->repeat = 100;
}

static void build_make(struct session *s)
{
    add(s, &way_build_ours, "ours");
    add(s, &way_cached_ours, "ours cached");
    add(s, &way_build_opencl, "pocl");
    add(s, &way_cached_opencl, "pocl cached");
}

static void limits_make(struct session *s)
{
    add_limit(s, HAND_READ, "read");
    add_limit(s, HAND_READ_TWO, "read of two");
    add_limit(s, HAND_COPY, "copy");
    add_limit(s, HAND_COPY_STREAMING, "copy, streaming");
    add_limit(s, HAND_PEAK, "fma peak");
}

void variants_make(struct session *s)
{
    switch (s->row->kind) {
    case ARRAYS: arrays_make(s); break;
    case LAUNCH: launch_make(s); break;
    case BUILD: build_make(s); break;
    case LIMITS: limits_make(s); break;
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

static bool hand_open(struct variant *v, struct session *s)
{
    if (!s->bench->hand->usable())
        return variant_fail(v, "not measured: this processor has no %s", s->bench->hand->level);
    if (s->bench->threads > 1 && !s->team)
        return variant_fail(v, "not measured: no %d threads", s->bench->threads);
    return true;
}

static void hand_ready(struct variant *v, struct session *s)
{
    (void)v;
    if (s->team)
        hand_team_wake(s->team);
}

static bool hand_run(struct variant *v, struct session *s)
{
    work_fn *fn = s->bench->hand->op[v->op];
    if (s->team)
        hand_team_run(s->team, fn, &s->work, s->b_element);
    else
        fn(&s->work);
    return true;
}

const struct way way_hand = {.open = hand_open, .ready = hand_ready, .run = hand_run};
