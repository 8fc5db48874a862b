/* index.c - numbers by the hash of what they stand for, in a table that is at most half full. */
#include "ops/graph.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 16 };

static size_t *find_free(const struct lw__index *index, uint64_t hash)
{
    size_t at = hash & (index->room - 1);

    while (index->entries[at].number != LW_NO_TENSOR)
        at = (at + 1) & (index->room - 1);
    index->entries[at].hash = hash;
    return &index->entries[at].number;
}

static bool grow(struct lw__index *index)
{
    const struct lw__index old = *index;

    index->room = old.room ? 2 * old.room : ROOM_MIN;
    index->entries = malloc(index->room * sizeof *index->entries);
    if (!index->entries) {
        *index = old;
        return false;
    }
    for (size_t k = 0; k < index->room; k++)
        index->entries[k].number = LW_NO_TENSOR;
    for (size_t k = 0; k < old.room; k++)
        if (old.entries[k].number != LW_NO_TENSOR)
            *find_free(index, old.entries[k].hash) = old.entries[k].number;
    free(old.entries);
    return true;
}

bool lw__index_add(struct lw__index *index, uint64_t hash, size_t number)
{
    if (2 * index->count >= index->room && !grow(index))
        return false;
    assert(number != LW_NO_TENSOR); /* which marks a free entry */
    *find_free(index, hash) = number;
    index->count++;
    assert(2 * index->count <= index->room && !(index->room & (index->room - 1)));
    return true;
}

size_t lw__index_next(struct lw__index *index, uint64_t hash, size_t *cursor)
{
    while (*cursor < index->room) {
        const struct lw__index_entry *e = &index->entries[(hash + *cursor) & (index->room - 1)];

        index->looks++;
        if (e->number == LW_NO_TENSOR)
            break;
        ++*cursor;
        if (e->hash == hash)
            return e->number;
    }
    return LW_NO_TENSOR;
}

void lw__index_free(struct lw__index *index)
{
    free(index->entries);
}

uint64_t lw__index_hash(const char *text)
{
    const uint64_t hash = lw__hash(LW_HASH_START, text, strlen(text));

    return hash ^ hash >> 32;
}

/* Neighbours in memory differ in few bits, and not in the lowest. */
uint64_t lw__index_hash_pointer(const void *pointer)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)pointer * 0x9e3779b97f4a7c15u;

    return mixed ^ mixed >> 32;
}
