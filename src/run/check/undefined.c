/* undefined.c - which bits of memory and of collectives' results are undefined.
 *
 * The code has the shadow of what is in registers and in most private variables
 * (src/compile/check/shadow.h). It asks here for that of other memory. Block memory is undefined
 * when a block starts. A buffer is defined, except what lw_buffer_discard has left undefined. A
 * store to a buffer is a use, after which it is defined. An origin is 0, or 1 + the site where
 * undefined bits come from: a declaration, or a shuffle whose source lane is not there.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN_BYTES = 4 };

/* A private variable of a thread with a shadow of its own. */
struct lw__private {
    uint64_t address, bytes;
    struct lw_ref_shadow at;
    uint32_t number; /* for which 0 stands */
};
struct lw__privates {
    struct lw__private *rows;
    size_t count, capacity;
};

static size_t origins_of(size_t bytes)
{
    return bytes / ORIGIN_BYTES + 2; /* of an access that begins within one */
}

static inline bool is_undefined(const uint8_t *shadow, uint64_t bytes)
{
    uint32_t word;
    if (bytes == sizeof word) {
        memcpy(&word, shadow, sizeof word);
        return word;
    }
    for (uint64_t i = 0; i < bytes; i++)
        if (shadow[i])
            return true;
    return false;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

bool lw__undefined_start(struct lw__undefined *u, const struct lw__ref_block *block)
{
    const size_t bytes = block->launch->dynamic_offset + block->launch->request->dynamic_bytes;
    const size_t threads = (size_t)block->launch->thread_count;
    if (!u->block.shadow) {
        u->block.shadow = malloc(bytes + 1);
        u->block.origin = calloc(origins_of(bytes), sizeof *u->block.origin);
        u->privates = calloc(threads, sizeof *u->privates);
        u->thread_count = threads;
    }
    if (!u->block.shadow || !u->block.origin || !u->privates)
        return false;
    assert(u->thread_count == threads && (!u->bytes || u->bytes == bytes)); /* all blocks alike */
    u->bytes = bytes;
    memset(u->block.shadow, 0xff, bytes);
    memset(u->block.origin, 0, origins_of(bytes) * sizeof *u->block.origin);
    for (size_t i = 0; i < threads; i++)
        u->privates[i].count = 0;
    return true;
}

void lw__undefined_end(struct lw__undefined *u)
{
    for (size_t i = 0; u->privates && i < u->thread_count; i++)
        free(u->privates[i].rows);
    free(u->privates);
    free(u->block.shadow);
    free(u->block.origin);
    *u = (struct lw__undefined){0};
}

bool lw__undefined_private(struct lw__undefined *u, const struct lw__ref_thread *thread,
                           uint64_t pointer, uint64_t bytes, struct lw_ref_shadow at,
                           uint32_t number)
{
    struct lw__privates *all = &u->privates[thread->abi.linear];
    if (all->count == all->capacity) {
        const size_t capacity = all->capacity ? 2 * all->capacity : 4;
        struct lw__private *rows = realloc(all->rows, capacity * sizeof *rows);
        if (!rows)
            return false;
        all->rows = rows;
        all->capacity = capacity;
    }
    all->rows[all->count++] = (struct lw__private){lw__ref_address(pointer), bytes, at, number};
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void lw__undefined_close(struct lw__defined *d)
{
    free(d->zeros);
    free(d->sink);
    free(d->quick);
    *d = (struct lw__defined){0};
}

/* Of memory that is defined: what is read is 0, what is written is of no use. */
static struct lw_ref_shadow defined(struct lw__defined *d, uint64_t bytes, bool is_written)
{
    struct lw_ref_shadow *own = is_written ? &d->written : &d->read;
    uint64_t **memory = is_written ? &d->sink : &d->zeros;
    size_t *capacity = is_written ? &d->sink_bytes : &d->zero_bytes;
    if (*capacity < bytes || !*memory) {
        const size_t more = bytes < LW_PAGE_BYTES ? LW_PAGE_BYTES : (size_t)bytes;
        free(*memory);
        /* first the origins, then the shadow */
        *memory = calloc(origins_of(more) * ORIGIN_BYTES + more + sizeof(uint64_t), 1);
        *capacity = *memory ? more : 0;
        own->origin = (uint32_t *)*memory;
        own->shadow = *memory ? (uint8_t *)(own->origin + origins_of(more)) : NULL;
    }
    return *own;
}

bool lw__undefined_open(struct lw__defined *d, struct lw_ref_launch *launch)
{
    const struct lw__launch *request = launch->request;
    struct lw_ref_calls *calls = &launch->calls;
    for (size_t i = 0; i < launch->code->kernel->object_count && i < LW_REF_QUICK_ROWS; i++) {
        const struct lw_ref_row *row = &launch->code->kernel->rows[i];
        const bool is_buffer = row->kind == LW_REF_ARGUMENT && row->place < request->object_count;
        if (is_buffer && !request->objects[row->place].undefined)
            calls->defined |= UINT64_C(1) << i;
    }
    enum { WORDS = LW_REF_QUICK_BYTES / sizeof(uint64_t) + 1 };
    d->quick = calloc(4 * WORDS, sizeof *d->quick);
    if (!d->quick)
        return false;
    calls->read = (struct lw_ref_shadow){(uint8_t *)d->quick, (uint32_t *)(d->quick + WORDS)};
    calls->written = (struct lw_ref_shadow){(uint8_t *)(d->quick + 2 * WORDS),
                                            (uint32_t *)(d->quick + 3 * WORDS)};
    return true;
}

/* At the offset, of what has this shadow; number: the origin for which 0 stands. */
static struct lw_ref_shadow part_of(struct lw_ref_shadow all, uint64_t offset, uint64_t bytes,
                                    uint32_t number, bool is_written)
{
    const struct lw_ref_shadow at = {all.shadow + offset, all.origin + offset / ORIGIN_BYTES};
    if (is_written || !is_undefined(at.shadow, bytes))
        return at;
    for (uint64_t i = 0; i <= (offset % ORIGIN_BYTES + bytes - 1) / ORIGIN_BYTES; i++)
        if (!at.origin[i])
            at.origin[i] = number;
    return at;
}

/* In block memory; false: the access is not within. */
static bool in_block(const struct lw__undefined *u, const struct lw__ref_thread *thread,
                     uint64_t address, uint64_t bytes, uint32_t number, bool is_written,
                     struct lw_ref_shadow *at)
{
    const uint64_t offset = address - lw__ref_address((uint64_t)(uintptr_t)thread->block->memory);
    if (offset > u->bytes || u->bytes - offset < bytes)
        return false;
    *at = part_of(u->block, offset, bytes, number, is_written);
    return true;
}

static bool in_private(const struct lw__undefined *u, const struct lw__ref_thread *thread,
                       uint64_t address, uint64_t bytes, bool is_written, struct lw_ref_shadow *at)
{
    const struct lw__privates *all = &u->privates[thread->abi.linear];
    for (size_t i = 0; i < all->count; i++) {
        const struct lw__private *p = &all->rows[i];
        const uint64_t offset = address - p->address;
        if (offset > p->bytes || p->bytes - offset < bytes)
            continue;
        *at = part_of(p->at, offset, bytes, p->number, is_written);
        return true;
    }
    return false;
}

/* In a buffer of which something may be undefined; false: nothing is. Each schedule starts with
 * what was undefined before the launch. */
static bool in_buffer(struct lw__check *check, const struct lw__object *object, uint64_t address,
                      uint64_t bytes, uint32_t number, bool is_written, struct lw_ref_shadow *at)
{
    struct lw__defined *d = &check->defined;
    const uint64_t offset = address - lw__ref_address((uint64_t)(uintptr_t)object->memory);
    if (!object->undefined || offset > object->bytes || object->bytes - offset < bytes)
        return false;
    *at = defined(d, bytes, is_written);
    if (is_written) {
        uint8_t *shadow = object->undefined + offset;
        if (!lw__outcome_keep(&check->outcome, lw__ref_address((uint64_t)(uintptr_t)shadow), bytes))
            at->shadow = NULL;
        memset(shadow, 0, bytes);
    }
    if (is_written || !at->origin || !is_undefined(object->undefined + offset, bytes))
        return true;
    *at = defined(d, bytes, true); /* a copy, so that origins need no memory of the buffer's size */
    if (!at->origin)
        return true;
    memcpy(at->shadow, object->undefined + offset, bytes);
    for (size_t i = 0; i < origins_of(bytes) - 1; i++)
        at->origin[i] = number;
    return true;
}

struct lw_ref_shadow lw__undefined_shadow(struct lw__check *check, const struct lw__undefined *u,
                                          const struct lw__ref_thread *thread, uint64_t pointer,
                                          uint64_t bytes, bool is_written)
{
    const struct lw__launch *request = thread->block->launch->request;
    const uint64_t address = lw__ref_address(pointer);
    const struct lw_ref_row *row = lw__check_row(thread, pointer);
    const uint32_t origin = (uint32_t)row->origin;
    const bool is_argument = row->kind == LW_REF_ARGUMENT && row->place < request->object_count;
    const struct lw__object *other =
        row->kind == LW_REF_NOTHING ? lw__reach_object(request->reach, address, bytes) : NULL;
    struct lw_ref_shadow at;
    if ((row->kind == LW_REF_SHARED || row->kind == LW_REF_DYNAMIC) &&
        in_block(u, thread, address, bytes, origin, is_written, &at))
        return at;
    if (is_argument &&
        in_buffer(check, &request->objects[row->place], address, bytes, origin, is_written, &at))
        return at;
    if (other && in_buffer(check, other, address, bytes, origin, is_written, &at))
        return at;
    if ((row->kind == LW_REF_PRIVATE || row->kind == LW_REF_NOTHING) &&
        in_private(u, thread, address, bytes, is_written, &at))
        return at;
    return defined(&check->defined, bytes, is_written);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static const uint64_t ALL = UINT64_MAX;

static void set(struct lw_ref_thread *t, uint64_t shadow, uint32_t origin)
{
    t->result_shadow = shadow;
    t->result_origin = origin;
}

/* Of the place that is read; of the operation itself if that is not there. */
static void move(struct lw__ref_thread *threads, int count, const bool *active, uint32_t op)
{
    for (int i = 0; i < count; i++) {
        struct lw_ref_thread *t = &threads[i].abi;
        if (!active[i])
            continue;
        const int64_t source = lw__ref_source_of(op, i, t->number);
        if (t->number_shadow)
            set(t, ALL, t->number_origin);
        else if (source < 0 || source >= count || !active[source])
            set(t, ALL, t->site + 1);
        else
            set(t, threads[source].abi.value_shadow, threads[source].abi.value_origin);
    }
}

static void partner(struct lw__ref_thread *threads, int count, const bool *active)
{
    for (int i = 0; i < count; i++) {
        struct lw_ref_thread *t = &threads[i].abi;
        if (!active[i])
            continue;
        const int source = lw__ref_partner_of(i, t->number, count, active);
        if (source < 0)
            set(t, t->identity_shadow, t->identity_origin);
        else
            set(t, threads[source].abi.value_shadow, threads[source].abi.value_origin);
    }
}

/* A vote: a defined voice that decides leaves no doubt. */
static void vote(struct lw__ref_thread *threads, int count, const bool *active, uint32_t op)
{
    const bool for_any = op == LW_OP_warp_any || op == LW_OP_block_any;
    const bool for_all = op == LW_OP_warp_all || op == LW_OP_block_all;
    uint64_t shadow = 0;
    uint32_t origin = 0;
    bool is_decided = false;
    for (int i = 0; i < count; i++) {
        const struct lw_ref_thread *t = &threads[i].abi;
        if (!active[i])
            continue;
        is_decided |= !t->value_shadow && ((for_any && t->value) || (for_all && !t->value));
        if (!t->value_shadow)
            continue;
        shadow |= op == LW_OP_ballot ? UINT64_C(1) << i : for_any || for_all ? 1 : ALL;
        origin = t->value_origin;
    }
    for (int i = 0; i < count; i++)
        if (active[i])
            set(&threads[i].abi, is_decided ? 0 : shadow, origin);
}

/* Sums and their like: all places get what any has; scans what those before have. */
static void combine(struct lw__ref_thread *threads, int count, const bool *active, uint32_t op)
{
    const bool inclusive = op == LW_OP_warp_inclusive_sum || op == LW_OP_block_inclusive_sum;
    const bool exclusive = op == LW_OP_warp_exclusive_sum || op == LW_OP_block_exclusive_sum;
    uint64_t shadow = 0;
    uint32_t origin = 0;
    for (int i = 0; i < count; i++) {
        struct lw_ref_thread *t = &threads[i].abi;
        if (!active[i])
            continue;
        if (exclusive)
            set(t, shadow, origin);
        if (t->value_shadow && !shadow) {
            shadow = ALL;
            origin = t->value_origin;
        }
        if (inclusive)
            set(t, shadow, origin);
    }
    for (int i = 0; !inclusive && !exclusive && i < count; i++)
        if (active[i])
            set(&threads[i].abi, shadow, origin);
}

void lw__undefined_collective(struct lw__ref_thread *threads, int count, uint32_t op,
                              const bool *active)
{
    switch (lw__op_table[op].kind) {
    case LW_KIND_MOVE: move(threads, count, active, op); break;
    case LW_KIND_PARTNER: partner(threads, count, active); break;
    case LW_KIND_SYNC: return;
    case LW_KIND_VOTE: vote(threads, count, active, op); break;
    default: combine(threads, count, active, op);
    }
    for (int i = 0; i < count; i++)
        if (active[i]) {
            struct lw_ref_thread *t = &threads[i].abi;
            t->value_shadow = t->identity_shadow = t->number_shadow = 0;
        }
}

/* ---- in words -------------------------------------------------------------------------------- */

void lw__undefined_tell(struct lw__message *m, const struct lw__site *use,
                        const struct lw__site *from)
{
    static const struct {
        const char *what, *words;
    } uses[] = {{"branch", "a branch depends on"},
                {"address", "an address depends on"},
                {"atomic", "an atomic operation takes"},
                {"store", "global memory gets"},
                {"print", "what is printed depends on"}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!strcmp(use->what, uses[i].what))
            lw__message_add(m, "%s ", uses[i].words);
    /* "'v', which is declared at k.c:5:9 and has no value" */
    const bool is_variable = *from->what == '\'';
    if (is_variable && from->what[1] != '\'')
        lw__message_add(m, "a value of %s, which nothing has written since its declaration at ",
                        from->what);
    else if (is_variable)
        lw__message_add(m, "a value that nothing has written, at ");
    else
        lw__message_add(m, "a value for which %s had no source lane, at ", from->what);
    lw__message_add(m, "%s:%d:%d", from->file, from->line, from->column);
}

bool lw__undefined_is_lane(const struct lw__site *from)
{
    return *from->what != '\'';
}
