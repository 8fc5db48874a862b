/* bounds.c - what the pointers of a launch may reach, and the messages where they do not.
 *
 * base/ref_abi.h says what a tag is. Rows of a thread's table come from here: arguments when the
 * launch begins, block memory when a block does, while private variables are entered by the thread.
 * The code compares on its own; what comes here is an access that its row does not allow. A pointer
 * with a tag of this launch is then wrong. One without, or with another launch's, was kept in
 * memory or computed: it may be to any object that holds all of the access, and to any other buffer
 * that the launch may reach.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t address_of(const void *memory)
{
    return lw__ref_address((uint64_t)(uintptr_t)memory);
}

static size_t rows(const struct lw_ref_launch *launch)
{
    return launch->code->kernel ? (size_t)launch->code->kernel->object_count : 0;
}

/* What the launch has for an argument's row; NULL: the row is no argument's. */
static const struct lw__object *object_of(const struct lw_ref_launch *launch,
                                          const struct lw_ref_row *row)
{
    const struct lw__launch *request = launch->request;
    const bool is_argument = row->kind == LW_REF_ARGUMENT && row->place < request->object_count;
    return is_argument ? &request->objects[row->place] : NULL;
}

/* The object of an argument's row; NULL: it is neither a pointer nor a tensor, or NULL. */
static const struct lw__object *argument(const struct lw_ref_launch *launch,
                                         const struct lw_ref_row *row)
{
    const struct lw__object *object = object_of(launch, row);
    return object && object->memory ? object : NULL;
}

static bool is_null(const struct lw_ref_launch *launch, const struct lw_ref_row *row)
{
    const struct lw__object *object = object_of(launch, row);
    return object && object->is_null;
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint64_t tag_of(const struct lw_ref_launch *launch, size_t row)
{
    return (launch->tag | row) << LW_REF_ADDRESS_BITS;
}

/* A row as far as it is known before any block, and the argument's tag. */
static void open_row(struct lw_ref_launch *launch, size_t i)
{
    const struct lw_ref_row *row = &launch->code->kernel->rows[i];
    const struct lw__object *object = argument(launch, row);
    launch->objects[i] = (struct lw_ref_object){tag_of(launch, i), row->bytes};
    if (row->kind == LW_REF_NOTHING)
        launch->objects[i] = (struct lw_ref_object){0, 0};
    if (row->kind == LW_REF_DYNAMIC)
        launch->objects[i].bytes = launch->request->dynamic_bytes;
    if (is_null(launch, row))
        launch->objects[i].base = 0;
    if (!object)
        return;
    launch->objects[i].base |= address_of(object->memory);
    launch->objects[i].bytes = object->bytes;
    uint64_t pointer;
    memcpy(&pointer, launch->args + object->place, sizeof pointer);
    pointer |= tag_of(launch, i);
    memcpy(launch->args + object->place, &pointer, sizeof pointer);
}

lw_status lw__ref_bounds_open(struct lw_ref_launch *launch)
{
    const struct lw__launch *request = launch->request;
    const size_t count = rows(launch);
    if (!count)
        return LW_OK;
    launch->objects = calloc(count, sizeof *launch->objects);
    launch->args = lw__alloc_shared(request->args_bytes + 1);
    if (!launch->objects || !launch->args)
        return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to launch it", request->kernel);
    if (request->args_bytes)
        memcpy(launch->args, request->args, request->args_bytes);
    /* The part of the tags that no other launch of late has had. */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t time = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    const uint64_t mixed = lw__hash(LW_HASH_START, &time, sizeof time);
    launch->tag = mixed % (UINT64_C(1) << (64 - LW_REF_ADDRESS_BITS)) / count * count;
    for (size_t i = 0; i < count; i++)
        open_row(launch, i);
    return LW_OK;
}

void lw__ref_bounds_close(struct lw_ref_launch *launch)
{
    free(launch->objects);
    free(launch->args);
}

static size_t tables(const struct lw_ref_launch *launch)
{
    return launch->code->kernel->has_private ? (size_t)launch->thread_count : 1;
}

bool lw__ref_bounds_block(struct lw__ref_block *block)
{
    const struct lw_ref_launch *launch = block->launch;
    if (!rows(launch))
        return true;
    block->objects = calloc(tables(launch) * rows(launch), sizeof *block->objects);
    return block->objects;
}

void lw__ref_bounds_start(struct lw__ref_block *block)
{
    const struct lw_ref_launch *launch = block->launch;
    const size_t count = rows(launch);
    struct lw_ref_object *table = block->objects;
    if (!count)
        return;
    memcpy(table, launch->objects, count * sizeof *table);
    for (size_t i = 0; i < count; i++) {
        const struct lw_ref_row *row = &launch->code->kernel->rows[i];
        if (row->kind == LW_REF_SHARED)
            table[i].base |= address_of(block->memory + row->place);
        if (row->kind == LW_REF_DYNAMIC)
            table[i].base |= address_of(block->memory + launch->dynamic_offset);
    }
    for (size_t t = 1; t < tables(launch); t++)
        memcpy(table + t * count, table, count * sizeof *table);
}

struct lw_ref_object *lw__ref_bounds_table(const struct lw__ref_block *block, int thread)
{
    const struct lw_ref_launch *launch = block->launch;
    if (!rows(launch))
        return NULL;
    return block->objects + (tables(launch) == 1 ? 0 : (size_t)thread * rows(launch));
}

/* ---- which object -------------------------------------------------------------------------- */

/* Where a pointer is, seen from the object that it should be in. row 0: there is no such object. */
struct place {
    size_t row;
    int64_t offset;
    uint64_t bytes, element; /* of the object */
};

static struct place place_in(const struct lw__ref_thread *thread, size_t row, uint64_t offset)
{
    const struct lw_ref_launch *launch = thread->block->launch;
    const struct lw_ref_row *known = &launch->code->kernel->rows[row];
    const struct lw__object *object = argument(launch, known);
    assert(row < launch->code->kernel->row_count);
    return (struct place){.row = row,
                          .offset = (int64_t)offset,
                          .bytes = row < rows(launch) && known->kind != LW_REF_PRIVATE
                                       ? thread->abi.objects[row].bytes
                                       : known->bytes,
                          .element = object ? object->element_bytes : known->element};
}

static size_t row_of_tag(const struct lw__ref_thread *thread, uint64_t pointer)
{
    return lw__ref_tagged_row(thread->block->launch, pointer);
}

/* The object among the first `count` rows that holds all of the access; 0: there is none. */
static size_t find_any(const struct lw__ref_thread *thread, uint64_t address, uint64_t bytes,
                       size_t count)
{
    const struct lw_ref_launch *launch = thread->block->launch;
    for (size_t i = 0; i < count; i++) {
        const struct lw_ref_row *row = &launch->code->kernel->rows[i];
        const bool has_base = row->kind != LW_REF_PRIVATE && i < rows(launch);
        const uint64_t base = has_base ? lw__ref_address(thread->abi.objects[i].base)
                              : row->kind == LW_REF_CONSTANT ? row->place
                                                             : 0;
        const uint64_t size = has_base ? thread->abi.objects[i].bytes : row->bytes;
        if (base && address - base <= size && size - (address - base) >= bytes)
            return i;
    }
    return 0;
}

size_t lw__ref_object_at(const struct lw__ref_thread *thread, uint64_t pointer, uint64_t *offset,
                         uint64_t *element)
{
    const struct lw_ref_launch *launch = thread->block->launch;
    size_t row = row_of_tag(thread, pointer);
    if (!row)
        row = find_any(thread, lw__ref_address(pointer), 1, rows(launch));
    *element = place_in(thread, row, 0).element;
    *offset = row ? lw__ref_address(pointer) - lw__ref_address(thread->abi.objects[row].base) : 0;
    return row;
}

/* ---- messages ------------------------------------------------------------------------------ */

lw_status lw__ref_refuse(const struct lw__ref_thread *thread, uint32_t site,
                         enum lw__ref_verdict verdict, uint64_t pointer,
                         const struct lw__message *what)
{
    const struct lw_ref_launch *launch = thread->block->launch;
    struct lw__message m = {0};
    if (launch->watcher) {
        launch->watcher->refuse(launch->watch, thread, site, verdict, pointer, what->text);
        return launch->status; /* it may lack memory */
    }
    lw__message_add_place(&m, thread->block->launch->request, site);
    lw__message_add(&m, "%s", what->text);
    lw__message_add_thread(&m, thread->abi.block_idx, thread->abi.thread_idx);
    return lw__fail(LW_E_LAUNCH, "%s", m.text);
}

static struct lw__outside outside(const struct lw__ref_thread *thread, const struct place *p)
{
    const struct lw_ref_row *known = &thread->block->launch->code->kernel->rows[p->row];
    return (struct lw__outside){.name = known->name,
                                .kind = known->kind,
                                .offset = p->offset,
                                .bytes = p->bytes,
                                .element = p->element,
                                .is_null = is_null(thread->block->launch, known)};
}

enum lw__ref_verdict lw__ref_bounds_access(const struct lw__ref_thread *thread,
                                           const struct lw_ref_access *access,
                                           struct lw__message *m)
{
    const struct lw__launch *request = thread->block->launch->request;
    struct place p = {0};
    if (!access->bytes)
        return LW_REF_ALLOWED;
    if (access->row) {
        p = place_in(thread, (size_t)access->row, access->pointer - access->base);
    } else if ((p.row = row_of_tag(thread, access->pointer))) {
        p = place_in(thread, p.row, access->pointer - thread->abi.objects[p.row].base);
    } else if (find_any(thread, lw__ref_address(access->pointer), access->bytes,
                        thread->block->launch->code->kernel->row_count) != 0 ||
               lw__reach_object(request->reach, lw__ref_address(access->pointer), access->bytes)) {
        return LW_REF_ALLOWED;
    }
    lw__message_add_access(
        m, access->site < request->site_count ? request->sites[access->site].what : "access",
        access->bytes);
    if (!p.row) {
        lw__message_add_nowhere(m, lw__ref_address(access->pointer),
                                access->pointer >> LW_REF_ADDRESS_BITS);
        return LW_REF_NOWHERE;
    }
    const struct lw__outside o = outside(thread, &p);
    if (p.bytes >= access->bytes && (uint64_t)p.offset <= p.bytes - access->bytes) {
        lw__message_add_ended(m, &o);
        return LW_REF_ENDED;
    }
    lw__message_add_outside(m, &o);
    return LW_REF_OUTSIDE;
}

void lw__ref_bounds_index(const struct lw__ref_thread *thread, const struct lw_ref_index *index,
                          struct lw__message *m)
{
    const struct place p = {.row = index->row ? (size_t)index->row
                                              : row_of_tag(thread, index->pointer)};
    const struct lw__outside o = outside(thread, &p);
    lw__message_add_beyond(m, p.row ? &o : NULL, index->index, index->count, index->axis);
}

void lw__ref_tell_object(const struct lw__ref_thread *thread, uint64_t pointer,
                         struct lw__message *m)
{
    uint64_t offset, element;
    const size_t row = lw__ref_object_at(thread, pointer, &offset, &element);
    const char *name = thread->block->launch->code->kernel->rows[row].name;
    const uint64_t address = lw__ref_address(pointer);
    const struct lw__object *other =
        row ? NULL : lw__reach_object(thread->block->launch->request->reach, address, 1);
    if (other)
        lw__message_add(m, "byte %" PRIu64 " of a buffer of %zu bytes",
                        address - (uint64_t)(uintptr_t)other->memory, other->bytes);
    else if (!row || !name || !*name)
        lw__message_add(m, "%s", row ? "block memory" : "memory");
    else
        lw__message_add(m, "%s", name);
    if (row && element && offset % element == 0)
        lw__message_add(m, "[%" PRIu64 "]", offset / element);
    else if (row)
        lw__message_add(m, " at byte %" PRIu64, offset);
}
