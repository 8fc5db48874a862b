/* arena.c - memory of one compilation: taken piece by piece, given back at once.
 *
 * An arena is a list of blocks; rows are cut from the last. What a block has not given out is zero.
 * Pages that were never given out cost no memory.
 */
#include "compile/support/arena.h"
#include "base/manifest.h"
#include "compile/support/unit.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { GAP = 16 }; /* between rows: an access there is found */
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
enum { GAP = 0 };
#endif

enum { BLOCK_BYTES = 256 << 10, ALIGNMENT = 16, FEW_ROWS = 4 };

struct lw__arena_block {
    struct lw__arena_block *before;
    size_t size, used;
    _Alignas(ALIGNMENT) char bytes[];
};

_Noreturn void lw__out_of_memory(void)
{
    lw__defect("out of memory");
    exit(LW_EXIT_MEMORY);
}

static struct lw__arena_block *new_block(size_t size)
{
    struct lw__arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        lw__out_of_memory();
    block->size = size;
    ASAN_POISON_MEMORY_REGION(block->bytes, size);
    return block;
}

static struct lw__arena_block *add_block(struct lw__arena *arena, size_t bytes)
{
    struct lw__arena_block *block = bytes > BLOCK_BYTES ? NULL : arena->spare;
    if (block)
        arena->spare = NULL;
    else
        block = new_block(bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
    block->before = arena->last;
    return arena->last = block;
}

void *lw__new(struct lw__arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - GAP) / size)
        lw__out_of_memory();
    const size_t asked = count * size;
    const size_t bytes = (asked + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct lw__arena_block *block = arena->last;
    if (!block || bytes > block->size - block->used)
        block = add_block(arena, bytes);
    char *memory = block->bytes + block->used;
    block->used += bytes;
    ASAN_UNPOISON_MEMORY_REGION(memory, asked);
    return memory;
}

/* There is room for FEW_ROWS at least, and then for a power of two. */
void *lw__one_more(struct lw__arena *arena, void *rows, size_t count, size_t size)
{
    assert(rows || !count);
    const bool is_full = count >= FEW_ROWS && (count & (count - 1)) == 0;
    if (rows && !is_full)
        return rows;
    void *more = lw__new(arena, count < FEW_ROWS ? FEW_ROWS : 2 * count, size);
    return rows ? memcpy(more, rows, count * size) : more;
}

char *lw__copy_bytes(struct lw__arena *arena, const char *bytes, size_t length)
{
    char *copy = lw__new(arena, length + 1, 1);
    return length ? memcpy(copy, bytes, length) : copy;
}

char *lw__copy(struct lw__arena *arena, const char *text)
{
    return lw__copy_bytes(arena, text, strlen(text));
}

static void *take(void *arena, size_t bytes)
{
    return lw__new(arena, bytes, 1);
}

struct lw__text lw__text_in(struct lw__arena *arena)
{
    return (struct lw__text){.data = (char *)"", .owner = arena, .take = take};
}

char *lw__format(struct lw__arena *arena, const char *format, ...)
{
    struct lw__text text = lw__text_in(arena);
    va_list arguments;
    va_start(arguments, format);
    lw__text_add_list(&text, format, arguments);
    va_end(arguments);
    return text.data;
}

struct lw__arena_mark lw__arena_mark(const struct lw__arena *arena)
{
    return (struct lw__arena_mark){arena->last, arena->last ? arena->last->used : 0};
}

/* What was given out after the first `used` bytes is zero again. */
static void clear_after(struct lw__arena_block *block, size_t used)
{
    ASAN_UNPOISON_MEMORY_REGION(block->bytes + used, block->used - used);
    memset(block->bytes + used, 0, block->used - used);
    ASAN_POISON_MEMORY_REGION(block->bytes + used, block->used - used);
    block->used = used;
}

static void free_block(struct lw__arena_block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
    free(block);
}

static void drop_last(struct lw__arena *arena)
{
    assert(arena->last);
    struct lw__arena_block *block = arena->last;
    arena->last = block->before;
    if (arena->spare || block->size > BLOCK_BYTES) {
        free_block(block);
    } else {
        clear_after(block, 0);
        arena->spare = block;
    }
}

void lw__arena_release(struct lw__arena *arena, struct lw__arena_mark mark)
{
    while (arena->last != mark.last)
        drop_last(arena);
    assert(!arena->last || mark.used <= arena->last->used);
    if (arena->last)
        clear_after(arena->last, mark.used);
}

void lw__arena_free(struct lw__arena *arena)
{
    lw__arena_release(arena, (struct lw__arena_mark){0});
    if (arena->spare)
        free_block(arena->spare);
    arena->spare = NULL;
}
