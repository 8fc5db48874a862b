/* steps.c - the events of rounds as steps.
 *
 * A round ends at a barrier or a collective. Within it, an iteration of a loop in which a thread
 * changed block memory is a step of its own. The threads are cut where such an iteration ends, all
 * at the same ones, however many each of them had. A last part that touches no memory joins the one
 * before.
 */
#include "run/picture/picture.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What becomes steps. */
struct part {
    struct lw__recording *r;
    const struct lw__ref_block *block;
    size_t begin, count; /* of its events */
    size_t *order;       /* of them, by thread */
    struct lw__iterations *cuts;
    size_t cut_count, cut_capacity;
};

static bool changes_block(const struct lw__recording *r, const struct lw__event *e)
{
    return (e->kind == LW_EVENT_WRITE || e->kind == LW_EVENT_ATOMIC) &&
           r->arrays[e->array].is_block;
}

/* ---- order by thread ------------------------------------------------------------------------- */

static bool sort_by_thread(struct part *p)
{
    const size_t threads = (size_t)p->block->launch->thread_count;
    const struct lw__event *events = p->r->events;
    size_t *next = calloc(threads + 1, sizeof *next);
    p->order = calloc(p->count + 1, sizeof *p->order);
    if (next && p->order) {
        for (size_t i = p->begin; i < p->begin + p->count; i++)
            next[events[i].thread + 1]++;
        for (size_t t = 0; t < threads; t++)
            next[t + 1] += next[t];
        for (size_t i = p->begin; i < p->begin + p->count; i++)
            p->order[next[events[i].thread]++] = i;
        assert(next[threads] == p->count);
    }
    free(next);
    return next && p->order;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static int compare_cuts(const void *a, const void *b)
{
    const struct lw__iterations *x = a, *y = b;
    const int order = lw__iterations_order(x, y);
    return order ? order : (x->depth > y->depth) - (x->depth < y->depth);
}

static bool add_cut(struct part *p, const struct lw__iterations *at)
{
    if (!lw__grow(&p->cuts, p->cut_count, &p->cut_capacity, sizeof *p->cuts))
        return false;
    p->cuts[p->cut_count++] = *at;
    return true;
}

/* As many as there are; equal ones are one. */
static void sort_cuts(struct part *p)
{
    size_t distinct = 0;
    if (p->cut_count)
        qsort(p->cuts, p->cut_count, sizeof *p->cuts, compare_cuts);
    for (size_t i = 0; i < p->cut_count; i++)
        if (i == 0 || compare_cuts(&p->cuts[i], &p->cuts[distinct - 1]))
            p->cuts[distinct++] = p->cuts[i];
    p->cut_count = distinct;
}

static bool find_cuts(struct part *p)
{
    struct lw__iterations iterations = {0};
    bool has_changed = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct lw__event *e = &p->r->events[p->order[i]];
        if (i == 0 || e->thread != p->r->events[p->order[i - 1]].thread) {
            iterations = p->r->walked[e->thread];
            has_changed = false;
        }
        if (changes_block(p->r, e))
            has_changed = true;
        if (e->kind != LW_EVENT_ITERATION)
            continue;
        lw__iterations_enter(&iterations, e->array, (uint32_t)e->element);
        if (has_changed && !add_cut(p, &iterations))
            return false;
        has_changed = false;
        enum { SOME = 1 << 14 };
        if (p->cut_count > SOME)
            sort_cuts(p);
    }
    sort_cuts(p);
    return true;
}

/* Each event gets its step; threads are walked to the end. */
static void place_events(struct part *p)
{
    size_t step = 0;
    for (size_t i = 0; i < p->count; i++) {
        struct lw__event *e = &p->r->events[p->order[i]];
        struct lw__iterations *iterations = &p->r->walked[e->thread];
        if (i == 0 || e->thread != p->r->events[p->order[i - 1]].thread)
            step = 0;
        if (e->kind == LW_EVENT_ITERATION) {
            lw__iterations_enter(iterations, e->array, (uint32_t)e->element);
            while (step < p->cut_count && lw__iterations_order(iterations, &p->cuts[step]) >= 0)
                step++;
        }
        e->step = (uint32_t)step;
    }
}

/* A last step without accesses and traces joins the one before. */
static void join_last(struct part *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct lw__event *e = &p->r->events[p->begin + i];
        if (e->step == p->cut_count && e->kind != LW_EVENT_LINE && e->kind != LW_EVENT_ITERATION)
            return;
    }
    if (!p->cut_count)
        return;
    p->cut_count--;
    for (size_t i = 0; i < p->count; i++)
        if (p->r->events[p->begin + i].step > p->cut_count)
            p->r->events[p->begin + i].step = (uint32_t)p->cut_count;
}

/* ---- requests -------------------------------------------------------------------------------- */

static int compare_requests(const void *a, const void *b)
{
    const struct lw__request *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* By step, then by thread; without iterations. Requests had their steps by the old order. */
static bool sort_by_step(struct part *p)
{
    struct lw__recording *r = p->r;
    struct lw__event *sorted = malloc((p->count + 1) * sizeof *sorted);
    size_t *next = calloc(p->cut_count + 2, sizeof *next), kept = 0;
    if (sorted && next) {
        for (size_t i = 0; i < p->count; i++) {
            const struct lw__event *e = &r->events[p->begin + i];
            if (e->kind != LW_EVENT_ITERATION)
                next[e->step + 1]++, kept++;
        }
        for (size_t s = 0; s <= p->cut_count; s++)
            next[s + 1] += next[s];
        for (size_t i = 0; i < p->count; i++) {
            const struct lw__event *e = &r->events[p->order[i]];
            if (e->kind != LW_EVENT_ITERATION)
                sorted[next[e->step]++] = *e;
        }
        if (kept) /* else there may be no list yet */
            memcpy(r->events + p->begin, sorted, kept * sizeof *sorted);
        assert(kept <= p->count && p->begin + p->count == r->event_count);
        r->event_count = p->begin + kept;
        r->pending = r->event_count;
    }
    free(sorted);
    free(next);
    return sorted && next;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static uint64_t line_hash(const struct lw__recording *r, const struct lw__event *e)
{
    const struct lw__site *site = e->site < r->site_count ? &r->sites[e->site] : NULL;
    const uint64_t line = site ? (uint64_t)site->line : 0;
    return (line + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Lines of the step that a warp's other lanes ran and thread t did not: 0 or 1. */
static void find_missing(const struct lw__recording *r, const struct lw__step *s, const char *state,
                         uint32_t *missing, int threads)
{
    enum { LINES = 64 };
    for (int first = 0; first < threads; first += LW_WARP_SIZE) {
        uint64_t line[LINES];
        uint32_t lanes[LINES], ran = 0;
        int count = 0;
        for (size_t i = s->event; i < s->event + s->event_count; i++) {
            const struct lw__event *e = &r->events[i];
            if (e->kind != LW_EVENT_LINE || e->thread / LW_WARP_SIZE != first / LW_WARP_SIZE)
                continue;
            const uint64_t hash = line_hash(r, e);
            int k = 0;
            while (k < count && line[k] != hash)
                k++;
            if (k == LINES)
                continue;
            if (k == count)
                line[count] = hash, lanes[count++] = 0;
            lanes[k] |= UINT32_C(1) << e->thread % LW_WARP_SIZE;
        }
        for (int t = first; t < first + LW_WARP_SIZE && t < threads; t++)
            ran |= (uint32_t)(state[t] == LW_LANE_RAN) << t % LW_WARP_SIZE;
        for (int t = first; t < first + LW_WARP_SIZE && t < threads; t++)
            for (int k = 0; k < count; k++)
                missing[t] |= (lanes[k] & ran) && !(lanes[k] >> t % LW_WARP_SIZE & 1);
    }
}

static bool find_states(struct part *p, struct lw__step *s, bool is_last)
{
    const struct lw__recording *r = p->r;
    const int threads = p->block->launch->thread_count;
    uint32_t *missing = calloc((size_t)threads, sizeof *missing);
    char *state = s->state = calloc((size_t)threads + 1, 1);
    for (int t = 0; state && t < threads; t++)
        state[t] = p->block->threads[t].abi.state == LW_REF_RETURNED ? LW_LANE_GONE : LW_LANE_WAITS;
    for (size_t i = s->event; state && i < s->event + s->event_count; i++)
        state[r->events[i].thread] = LW_LANE_RAN;
    for (size_t i = s->operation; state && is_last && i < s->operation + s->operation_count; i++)
        for (int k = 0; k < r->operations[i].count; k++)
            if (r->operations[i].active[k])
                state[r->operations[i].first + k] = LW_LANE_RAN;
    if (state && missing) {
        find_missing(r, s, state, missing, threads);
        for (int t = 0; t < threads; t++)
            if (state[t] == LW_LANE_RAN && missing[t])
                state[t] = LW_LANE_APART;
    }
    free(missing);
    return state && missing;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool add_step(struct part *p, size_t number, size_t *event, size_t *request)
{
    struct lw__recording *r = p->r;
    const bool is_last = number == p->cut_count;
    if (!lw__grow(&r->steps, r->step_count, &r->step_capacity, sizeof *r->steps))
        return false;
    struct lw__step *s = &r->steps[r->step_count];
    *s = (struct lw__step){.event = *event, .request = *request, .operation = r->operation_begin};
    while (*event < r->event_count && r->events[*event].step == number)
        ++*event;
    while (*request < r->request_count && r->requests[*request].step == number)
        ++*request;
    s->event_count = *event - s->event;
    s->request_count = *request - s->request;
    s->operation_count = is_last ? r->operation_count - r->operation_begin : 0;
    r->step_count++;
    return find_states(p, s, is_last);
}

static bool is_full(struct lw__recording *r)
{
    if (r->step_count < r->steps_max)
        return false;
    r->is_cut = true;
    snprintf(r->cut, sizeof r->cut, "the recording was cut behind step %zu; --steps N records more",
             r->step_count);
    return true;
}

void lw__steps_make(struct lw__recording *r, const struct lw__ref_block *block)
{
    struct part p = {
        .r = r, .block = block, .begin = r->round_begin, .count = r->event_count - r->round_begin};
    size_t event = r->round_begin, request = r->request_begin;
    bool ok = sort_by_thread(&p) && find_cuts(&p);
    if (ok) {
        place_events(&p);
        join_last(&p);
        for (size_t i = r->request_begin; i < r->request_count; i++) {
            struct lw__request *q = &r->requests[i];
            q->step = q->event < r->event_count ? r->events[q->event].step : (uint32_t)p.cut_count;
        }
        if (r->request_count > r->request_begin)
            qsort(r->requests + r->request_begin, r->request_count - r->request_begin,
                  sizeof *r->requests, compare_requests);
        ok = sort_by_step(&p);
    }
    for (size_t k = 0; ok && k <= p.cut_count && !is_full(r); k++)
        ok = add_step(&p, k, &event, &request);
    assert(!ok || r->is_cut || (event == r->event_count && request == r->request_count));
    r->round_begin = r->event_count;
    r->request_begin = r->request_count;
    r->operation_begin = r->operation_count;
    r->has_changed = false;
    r->failed |= !ok;
    free(p.order);
    free(p.cuts);
}
