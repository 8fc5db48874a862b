/* block.c - a resident block: its threads, its block memory, its coroutines' frames.
 *
 * Blocks that have ended become spare ones and keep their memory. So a launch has the memory of the
 * most blocks that were resident at once; its grid may be larger.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Memory that a kernel has not initialised holds this, again and again from its first byte: a NaN
 * in every floating-point type, a large number in integers of 16 bits and more. */
static const unsigned char UNINITIALISED[8] = {0xf4, 0x7f, 0xf4, 0x7f, 0xf4, 0x7f, 0xf4, 0x7f};

enum { CHUNK_BYTES = 64 << 10, FRAME_MAX = 1 << 30 }; /* bytes */
enum { TRIPS_AT_FIRST = 65536 };

/* Most pieces are frames of some hundred bytes: words are faster than calls for growing copies. */
void lw__ref_fill_uninitialised(char *memory, size_t bytes)
{
    size_t done = 0;
    for (; bytes - done >= sizeof UNINITIALISED; done += sizeof UNINITIALISED)
        memcpy(memory + done, UNINITIALISED, sizeof UNINITIALISED);
    memcpy(memory + done, UNINITIALISED, bytes - done);
}

/* memory_bytes - of a block's memory, and never 0. Both parts are within the device's limits. */
static size_t memory_bytes(const struct lw_ref_launch *launch)
{
    return launch->dynamic_offset + launch->request->dynamic_bytes + 1;
}

static struct lw__ref_block *block_create(struct lw_ref_launch *launch)
{
    size_t count = (size_t)launch->thread_count;
    struct lw__ref_block *block = calloc(1, sizeof *block + count * sizeof block->threads[0]);
    if (!block)
        return NULL;
    block->launch = launch;
    block->memory = lw__alloc_shared(memory_bytes(launch));
    if (!block->memory || !lw__ref_bounds_block(block) || !lw__ref_stacks_open(block)) {
        free(block->objects);
        free(block->memory);
        free(block);
        return NULL;
    }
    return block;
}

void lw__ref_block_free(struct lw__ref_block *list)
{
    while (list) {
        struct lw__ref_block *block = list;
        list = block->next;
        while (block->chunks) {
            struct lw__ref_chunk *chunk = block->chunks;
            block->chunks = chunk->next;
            free(chunk->copy);
            free(chunk);
        }
        if (block->watch)
            block->launch->watcher->block_free(block);
        if (block->recorded)
            block->launch->request->recorder->block_free(block);
        lw__ref_late_free(block);
        lw__ref_stacks_close(block);
        free(block->objects);
        free(block->memory);
        free(block);
    }
}

static void set_dim(int32_t to[3], lw_dim3 from)
{
    to[0] = (int32_t)from.x;
    to[1] = (int32_t)from.y;
    to[2] = (int32_t)from.z;
}

/* thread_open - prepare the thread with this linear index to start. */
static void thread_open(struct lw__ref_block *block, int linear)
{
    struct lw__ref_thread *thread = &block->threads[linear];
    const struct lw__launch *request = block->launch->request;
    struct lw_ref_thread *t = &thread->abi;
    int width = (int)request->block.x, height = (int)request->block.y;

    /* What the thread writes, and what it reads when it resumes; but not the key, which is long,
     * and of which nothing counts before it is written. */
    t->op = t->type = t->site = t->key_length = t->line = 0;
    t->number = t->budget = 0;
    t->is_behind = t->is_steady = t->departures = 0;
    t->place = NULL;
    t->value = t->identity = t->result = t->changed = 0;
    t->value_shadow = t->identity_shadow = t->number_shadow = t->result_shadow = 0;
    t->value_origin = t->identity_origin = t->number_origin = t->result_origin = 0;
    t->shared_shadow = NULL;
    t->shared_origin = NULL;
    t->watched = NULL;
    thread->block = block;
    thread->handle = NULL;
    block->lives[linear] = block->ready[linear] = true;
    t->calls = &block->launch->calls;
    t->args = block->launch->args ? block->launch->args : request->args;
    t->shared = block->memory;
    t->objects = lw__ref_bounds_table(block, linear);
    t->thread_idx[0] = linear % width;
    t->thread_idx[1] = linear / width % height;
    t->thread_idx[2] = linear / width / height;
    memcpy(t->block_idx, block->index, sizeof t->block_idx);
    set_dim(t->block_dim, request->block);
    set_dim(t->grid_dim, request->grid);
    t->linear = linear;
    t->state = LW_REF_FRESH;
    /* who steps through a loop stays with its thread for a while; a picture has fewer steps */
    if (block->stacks || request->recorder)
        t->budget = TRIPS_AT_FIRST;
    t->record_bytes = sizeof *thread;
}

lw_status lw__ref_block_open(struct lw_ref_launch *launch, const int32_t index[3],
                             struct lw__ref_block **out)
{
    struct lw__ref_block *block = launch->spare;
    if (block)
        launch->spare = block->next;
    else
        block = block_create(launch);
    *out = block;
    if (!block)
        return lw__fail(
            LW_E_MEMORY,
            "kernel '%s': no memory for block (%d,%d,%d): %zu bytes of block memory and "
            "%d threads; %d blocks wait unfinished",
            launch->request->kernel, index[0], index[1], index[2], memory_bytes(launch),
            launch->thread_count, launch->resident_count);
    block->next = NULL;
    block->launch = launch;
    block->live = launch->thread_count;
    memcpy(block->index, index, sizeof block->index);
    lw__ref_late_free(block);
    lw__ref_fill_uninitialised(block->memory, memory_bytes(launch));
    for (struct lw__ref_chunk *chunk = block->chunks; chunk; chunk = chunk->next)
        chunk->used = 0;
    lw__ref_bounds_start(block);
    for (int i = 0; i < launch->thread_count; i++)
        thread_open(block, i);
    if (launch->request->recorder)
        launch->request->recorder->block_open(launch->request->recording, block);
    if (launch->watcher)
        launch->watcher->block_open(launch->watch, block);
    return launch->status;
}

/* chunk_take - an aligned piece of the chunk, or NULL. */
static void *chunk_take(struct lw__ref_chunk *chunk, size_t bytes, size_t align)
{
    assert(align && !(align & (align - 1)) && chunk->used <= chunk->size);
    size_t padding = -((uintptr_t)chunk->bytes + chunk->used) & (align - 1);
    if (padding > chunk->size - chunk->used || bytes > chunk->size - chunk->used - padding)
        return NULL;
    char *piece = chunk->bytes + chunk->used + padding;
    chunk->used += padding + bytes;
    memset(piece - padding, 0, padding);
    lw__ref_fill_uninitialised(piece, bytes);
    return piece;
}

void *lw__ref_frame(struct lw__ref_block *block, uint64_t bytes, uint64_t align)
{
    struct lw__ref_chunk **end = &block->chunks;
    if (bytes > FRAME_MAX || align > FRAME_MAX)
        return NULL;
    for (; *end; end = &(*end)->next) {
        void *piece = chunk_take(*end, bytes, align);
        if (piece)
            return piece;
    }
    const size_t size = bytes + align > CHUNK_BYTES ? bytes + align : CHUNK_BYTES;
    *end = malloc(sizeof **end + size);
    if (!*end)
        return NULL;
    **end = (struct lw__ref_chunk){.size = size};
    return chunk_take(*end, bytes, align);
}

bool lw__ref_frames_save(struct lw__ref_block *block)
{
    for (struct lw__ref_chunk *chunk = block->chunks; chunk; chunk = chunk->next) {
        if (!chunk->copy)
            chunk->copy = malloc(chunk->size);
        if (!chunk->copy)
            return false;
        memcpy(chunk->copy, chunk->bytes, chunk->used);
    }
    lw__ref_turns_save(block);
    return lw__ref_stacks_save(block);
}

bool lw__ref_frames_same(struct lw__ref_block *block)
{
    if (!lw__ref_turns_same(block))
        return false;
    for (const struct lw__ref_chunk *chunk = block->chunks; chunk; chunk = chunk->next)
        if (memcmp(chunk->copy, chunk->bytes, chunk->used) != 0)
            return false;
    return lw__ref_stacks_same(block);
}
