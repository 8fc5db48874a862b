/* recorder.c - what the threads of a launch tell, kept for the block that is drawn and counted for
 * all.
 *
 * The scheduler runs one thread at a time, so a write is looked at when the next event comes: then
 * its value is in memory. Threads of a warp run one after the other, so the requests of a warp are
 * complete when a thread of another one comes.
 */
#include "run/picture/picture.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block's own. */
struct recorded {
    bool is_drawn;
    int warp;                           /* whose requests are being collected */
    uint32_t active;                    /* its lanes that ran */
    struct lw__iterations iterations[]; /* of each thread */
};

bool lw__grow(void *rows, size_t count, size_t *capacity, size_t size)
{
    void **at = rows;
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*at, more * size);
    if (!grown)
        return false;
    *at = grown;
    *capacity = more;
    return true;
}

static void lack_memory(struct lw__recording *r, struct lw__ref_block *block)
{
    r->failed = true;
    block->launch->status =
        lw__fail(LW_E_MEMORY, "kernel '%s': no memory to record it", r->kernel ? r->kernel : "");
}

static bool keeps_events(const struct lw__recording *r, const struct recorded *own)
{
    return own->is_drawn && !r->is_cut && !r->counts_only;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* What the last events wrote is in memory now. */
static void settle(struct lw__recording *r)
{
    for (; r->pending < r->event_count; r->pending++) {
        struct lw__event *e = &r->events[r->pending];
        if (e->kind != LW_EVENT_WRITE && e->kind != LW_EVENT_ATOMIC)
            continue;
        assert(e->array < r->array_count);
        const struct lw__array *a = &r->arrays[e->array];
        const char *from = (const char *)(uintptr_t)e->value;
        e->value = 0;
        memcpy(&e->value, from, a->element);
    }
}

static void add_event(struct lw__recording *r, struct lw__ref_block *block, struct lw__event event)
{
    if (r->event_count >= LW_PICTURE_EVENTS) {
        r->is_cut = true;
        snprintf(r->cut, sizeof r->cut,
                 "the recording was cut behind step %zu: it has more than %d events; take a "
                 "smaller block or less work a thread",
                 r->step_count, LW_PICTURE_EVENTS);
        return;
    }
    if (!lw__grow(&r->events, r->event_count, &r->event_capacity, sizeof *r->events)) {
        lack_memory(r, block);
        return;
    }
    assert(r->pending <= r->event_count && r->round_begin <= r->event_count);
    r->events[r->event_count++] = event;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The requests of a warp are complete. */
static void finish_warp(struct lw__recording *r, struct lw__ref_block *block)
{
    struct recorded *own = block->recorded;
    lw__requests_count(&r->warp, own->active, &r->counts);
    for (size_t i = 0; keeps_events(r, own) && i < r->warp.count; i++) {
        struct lw__request *row = &r->warp.rows[i];
        if (row->kind == LW_REQUEST_LINE || row->event == SIZE_MAX)
            continue;
        if (!lw__grow(&r->requests, r->request_count, &r->request_capacity, sizeof *r->requests)) {
            lack_memory(r, block);
            break;
        }
        row->warp = (uint32_t)own->warp;
        r->requests[r->request_count++] = *row;
    }
    lw__requests_empty(&r->warp);
    own->active = 0;
}

static struct lw__request *add_request(struct lw__recording *r, struct lw__ref_thread *thread,
                                       enum lw__request_kind kind, uint32_t site)
{
    struct recorded *own = thread->block->recorded;
    const int linear = thread->abi.linear, lane = linear % LW_WARP_SIZE;
    struct lw__request *row =
        lw__requests_add(&r->warp, kind, site, own->iterations[linear].hash, lane);
    if (!row)
        lack_memory(r, thread->block);
    return row;
}

/* A thread goes on: NULL where memory was short. */
static struct recorded *come(struct lw__recording *r, struct lw__ref_thread *thread)
{
    struct recorded *own = thread->block->recorded;
    const int warp = thread->abi.linear / LW_WARP_SIZE;
    if (r->failed || !own)
        return NULL;
    settle(r);
    if (warp != own->warp)
        finish_warp(r, thread->block);
    own->warp = warp;
    own->active |= UINT32_C(1) << thread->abi.linear % LW_WARP_SIZE;
    return own;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The type of memory that clang says nothing of, by an access to it. */
static void guess_type(struct lw__array *a, uint32_t what)
{
    static const lw_dtype floats[] = {LW_I8, LW_F16, LW_F32, LW_F64},
                          integers[] = {LW_I8, LW_I16, LW_I32, LW_I64};
    const uint32_t size = what >> LW_OBSERVE_SCALAR_SHIFT & 3;
    if (a->has_type)
        return;
    a->dtype = what & LW_OBSERVE_FLOAT ? floats[size] : integers[size];
    a->element = lw_dtype_size(a->dtype);
    a->has_type = true;
    lw__array_count(a);
}

static bool is_read(uint32_t kind)
{
    return kind == LW_OBSERVE_READ || kind == LW_OBSERVE_ATOMIC_READ;
}

struct access {
    uint64_t address, offset, bytes;
    uint32_t what, site, row;
};

static void keep_access(struct lw__recording *r, struct lw__ref_thread *thread,
                        const struct access *x)
{
    struct lw__array *a = &r->arrays[x->row];
    const uint32_t kind = x->what & LW_OBSERVE_KIND;
    struct lw__event e = {.thread = (uint16_t)thread->abi.linear,
                          .site = x->site,
                          .array = x->row,
                          .kind = is_read(kind)              ? LW_EVENT_READ
                                  : kind == LW_OBSERVE_WRITE ? LW_EVENT_WRITE
                                                             : LW_EVENT_ATOMIC};
    r->has_changed |= a->is_block && e.kind != LW_EVENT_READ;
    guess_type(a, x->what);
    const uint64_t first = x->offset / a->element, end = x->offset + x->bytes;
    for (e.element = first; e.element * a->element < end && e.element < a->count; e.element++) {
        const char *at = (const char *)(uintptr_t)(x->address - x->offset) + e.element * a->element;
        e.value = (uint64_t)(uintptr_t)at;
        if (e.kind == LW_EVENT_READ) {
            e.value = 0;
            memcpy(&e.value, at, a->element);
        }
        add_event(r, thread->block, e);
    }
}

static void count_access(struct lw__recording *r, struct lw__ref_thread *thread,
                         const struct access *x, bool is_block)
{
    enum { MOST = 16 }; /* bytes that a lane accesses at once */
    const bool reads = is_read(x->what & LW_OBSERVE_KIND);
    const size_t event = r->event_count;
    uint64_t *count = is_block ? reads ? &r->counts.block_reads : &r->counts.block_writes
                      : reads  ? &r->counts.global_reads
                               : &r->counts.global_writes;
    ++*count;
    for (uint64_t at = 0; at < x->bytes; at += MOST) {
        struct lw__request *row =
            add_request(r, thread, is_block ? LW_REQUEST_BLOCK : LW_REQUEST_GLOBAL, x->site);
        if (!row)
            return;
        row->bytes = (uint32_t)(x->bytes - at < MOST ? x->bytes - at : MOST);
        row->address[thread->abi.linear % LW_WARP_SIZE] = x->address + at;
        row->array = x->row;
        row->writes = !reads;
        if (row->event == SIZE_MAX && keeps_events(r, thread->block->recorded))
            row->event = event;
    }
}

static void observe(void *to, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                    uint32_t what, uint32_t site)
{
    struct lw__recording *r = to;
    const struct recorded *own = come(r, thread);
    struct access x = {
        .address = lw__ref_address(pointer), .bytes = bytes, .what = what, .site = site};
    uint64_t element;
    if (!own || !bytes)
        return;
    x.row = (uint32_t)lw__ref_object_at(thread, pointer, &x.offset, &element);
    assert(x.row < thread->block->launch->code->kernel->row_count);
    const uint64_t kind = thread->block->launch->code->kernel->rows[x.row].kind;
    const bool is_block = kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC;
    if (kind == LW_REF_PRIVATE || kind == LW_REF_CONSTANT)
        return;
    count_access(r, thread, &x, is_block);
    if (keeps_events(r, own) && r->arrays[x.row].name)
        keep_access(r, thread, &x);
}

/* ---- lines, iterations, traces --------------------------------------------------------------- */

static void line(void *to, struct lw__ref_thread *thread, uint32_t site)
{
    struct lw__recording *r = to;
    const struct recorded *own = come(r, thread);
    if (!own)
        return;
    (void)add_request(r, thread, LW_REQUEST_LINE, site);
    if (keeps_events(r, own))
        add_event(r, thread->block,
                  (struct lw__event){
                      .kind = LW_EVENT_LINE, .thread = (uint16_t)thread->abi.linear, .site = site});
}

static void iteration(void *to, struct lw__ref_thread *thread, uint32_t loop, uint32_t depth)
{
    struct lw__recording *r = to;
    struct recorded *own = come(r, thread);
    if (!own)
        return;
    lw__iterations_enter(&own->iterations[thread->abi.linear], loop, depth);
    if (keeps_events(r, own))
        add_event(r, thread->block,
                  (struct lw__event){.kind = LW_EVENT_ITERATION,
                                     .thread = (uint16_t)thread->abi.linear,
                                     .array = loop,
                                     .element = depth});
}

static bool is_wanted(const struct lw__recording *r, const char *name)
{
    for (size_t i = 0; i < r->trace_count; i++)
        if (!strcmp(r->traces[i], name))
            return true;
    return r->trace_count == 0;
}

/* The number of a name; SIZE_MAX: memory is short. */
static size_t number_of(struct lw__recording *r, const char *name)
{
    for (size_t i = 0; i < r->name_count; i++)
        if (!strcmp(r->names[i], name))
            return i;
    char **names = realloc(r->names, (r->name_count + 1) * sizeof *names), *copy;
    if (!names)
        return SIZE_MAX;
    r->names = names;
    copy = lw__copy_string(name);
    if (!copy)
        return SIZE_MAX;
    names[r->name_count] = copy;
    return r->name_count++;
}

static void trace(void *to, struct lw__ref_thread *thread, const char *name, uint32_t type,
                  uint64_t value, uint32_t site)
{
    struct lw__recording *r = to;
    const struct recorded *own = come(r, thread);
    if (!own || !keeps_events(r, own) || !is_wanted(r, name))
        return;
    const size_t number = number_of(r, name);
    if (number == SIZE_MAX) {
        lack_memory(r, thread->block);
        return;
    }
    add_event(r, thread->block,
              (struct lw__event){.kind = LW_EVENT_TRACE,
                                 .thread = (uint16_t)thread->abi.linear,
                                 .site = site,
                                 .array = type,
                                 .element = number,
                                 .value = value});
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool copy_lanes(struct lw__operation *m, const struct lw__ref_lanes *lanes)
{
    const size_t n = (size_t)lanes->count;
    m->value = calloc(n, sizeof *m->value);
    m->result = calloc(n, sizeof *m->result);
    m->number = calloc(n, sizeof *m->number);
    m->active = calloc(n, sizeof *m->active);
    if (!m->value || !m->result || !m->number || !m->active)
        return false;
    memcpy(m->value, lanes->value, n * sizeof *m->value);
    memcpy(m->result, lanes->result, n * sizeof *m->result);
    memcpy(m->number, lanes->number, n * sizeof *m->number);
    memcpy(m->active, lanes->active, n * sizeof *m->active);
    return true;
}

static void collective(void *to, struct lw__ref_block *block, int first,
                       const struct lw__ref_thread *at, const struct lw__ref_lanes *lanes)
{
    struct lw__recording *r = to;
    const struct recorded *own = block->recorded;
    struct lw__operation m = {.op = at->abi.op,
                              .type = at->abi.type,
                              .site = at->abi.site,
                              .first = first,
                              .count = lanes->count};
    if (r->failed || !own)
        return;
    assert(first >= 0 && first + lanes->count <= block->launch->thread_count);
    ++*(lw__ref_is_block_op(m.op) ? &r->counts.barriers : &r->counts.collectives);
    if (!keeps_events(r, own))
        return;
    bool ok =
        lw__grow(&r->operations, r->operation_count, &r->operation_capacity, sizeof *r->operations);
    ok = ok && copy_lanes(&m, lanes);
    if (ok)
        r->operations[r->operation_count++] = m;
    else
        lack_memory(r, block);
}

/* ---- blocks and rounds ----------------------------------------------------------------------- */

static bool copy_sites(struct lw__recording *r, const struct lw__launch *request)
{
    r->sites = calloc(request->site_count + 1, sizeof *r->sites);
    for (size_t i = 0; r->sites && i < request->site_count; i++) {
        r->sites[i] = request->sites[i];
        r->sites[i].file = lw__copy_string(request->sites[i].file);
        r->sites[i].what = NULL;
        r->site_count = i + 1;
        if (!r->sites[i].file)
            return false;
    }
    return r->sites;
}

/* The block that is drawn starts. False: memory is short. */
static bool begin_drawing(struct lw__recording *r, struct lw__ref_block *block)
{
    const struct lw__launch *request = block->launch->request;
    r->is_found = true;
    if (r->counts_only)
        return true;
    r->array_count = block->launch->code->kernel->row_count;
    r->arrays = lw__arrays_create(block);
    r->walked = calloc((size_t)block->launch->thread_count, sizeof *r->walked);
    return r->arrays && r->walked && copy_sites(r, request);
}

static bool begin_launch(struct lw__recording *r, const struct lw__launch *request)
{
    const lw_dim3 b = request->block, g = request->grid;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z, blocks = (uint64_t)g.x * g.y * g.z;
    if (r->is_used)
        return true;
    r->is_used = true;
    r->grid = g;
    r->block = b;
    r->counts.threads = blocks * threads;
    r->counts.warps = blocks * ((threads + LW_WARP_SIZE - 1) / LW_WARP_SIZE);
    r->kernel = lw__copy_string(request->kernel);
    r->file = lw__copy_string(request->file);
    return r->kernel && r->file;
}

static void block_open(void *to, struct lw__ref_block *block)
{
    struct lw__recording *r = to;
    const size_t count = (size_t)block->launch->thread_count;
    struct recorded *own = block->recorded;
    if (r->is_over || r->failed)
        return;
    if (!own)
        own = block->recorded = malloc(sizeof *own + count * sizeof own->iterations[0]);
    if (!own || !begin_launch(r, block->launch->request)) {
        lack_memory(r, block);
        return;
    }
    memset(own, 0, sizeof *own + count * sizeof own->iterations[0]);
    own->is_drawn = (uint32_t)block->index[0] == r->at.x && (uint32_t)block->index[1] == r->at.y &&
                    (uint32_t)block->index[2] == r->at.z;
    if (own->is_drawn && !begin_drawing(r, block))
        lack_memory(r, block);
}

static void block_free(struct lw__ref_block *block)
{
    free(block->recorded);
    block->recorded = NULL;
}

static void ran(void *to, struct lw__ref_block *block)
{
    struct lw__recording *r = to;
    if (r->failed || !block->recorded)
        return;
    settle(r);
    finish_warp(r, block);
}

static void end_round(void *to, struct lw__ref_block *block)
{
    struct lw__recording *r = to;
    const struct recorded *own = block->recorded;
    if (r->failed || !own || !keeps_events(r, own))
        return;
    /* It is worth a step where all collectives ran that could, or block memory changed. */
    if (r->operation_count == r->operation_begin && block->live && !r->has_changed)
        return;
    lw__steps_make(r, block);
    if (r->failed)
        lack_memory(r, block);
}

static void end(void *to, struct lw__ref_block *blocks)
{
    struct lw__recording *r = to;
    for (struct lw__ref_block *block = blocks; block && !r->failed; block = block->next) {
        const struct recorded *own = block->recorded;
        ran(r, block);
        if (own && keeps_events(r, own) && r->event_count > r->round_begin)
            lw__steps_make(r, block);
    }
    r->is_over = r->is_used;
}

const struct lw__recorder lw__picture_recorder = {
    .block_open = block_open,
    .block_free = block_free,
    .observe = observe,
    .line = line,
    .iteration = iteration,
    .trace = trace,
    .collective = collective,
    .ran = ran,
    .end_round = end_round,
    .end = end,
};

/* ---- the end --------------------------------------------------------------------------------- */

static void free_strings(char **strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

void lw__recording_free(void *recording)
{
    struct lw__recording *r = recording;
    if (!r)
        return;
    for (size_t i = 0; i < r->site_count; i++)
        free((char *)r->sites[i].file);
    for (size_t i = 0; i < r->step_count; i++)
        free(r->steps[i].state);
    for (size_t i = 0; i < r->operation_count; i++) {
        free(r->operations[i].value), free(r->operations[i].result);
        free(r->operations[i].number), free(r->operations[i].active);
    }
    lw__arrays_free(r->arrays, r->array_count);
    lw__requests_free(&r->warp);
    free_strings(r->traces, r->trace_count);
    free_strings(r->names, r->name_count);
    free(r->kernel), free(r->file), free(r->source);
    free(r->sites), free(r->events), free(r->operations), free(r->requests);
    free(r->walked), free(r->steps);
    free(r);
}
