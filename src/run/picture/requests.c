/* requests.c - what a warp does at once: the accesses of its lanes at one place, in the same
 * iterations of all loops. These are the lanes that the language calls active there.
 *
 * source   sectors of 32 bytes, 32 banks of 4 bytes, halves and quarters of a warp for accesses of
 *          8 and 16 bytes: CUDA C++ Programming Guide 12, sections 16.2 to 16.5
 */
#include "run/picture/picture.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32, BANKS = 32, BANK_BYTES = 4 };

/* ---- iterations ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void lw__iterations_enter(struct lw__iterations *t, uint32_t loop, uint32_t depth)
{
    if (depth >= LW_PICTURE_DEPTH)
        return;
    const bool is_next = depth < t->depth && t->at[depth].loop == loop;
    t->at[depth].iteration = is_next ? t->at[depth].iteration + 1 : 0;
    t->at[depth].loop = loop;
    t->depth = depth + 1;
    t->hash = 0;
    for (uint32_t i = 0; i < t->depth; i++)
        t->hash = mix(mix(t->hash, t->at[i].loop + UINT64_C(1)), t->at[i].iteration);
}

int lw__iterations_order(const struct lw__iterations *a, const struct lw__iterations *b)
{
    for (uint32_t i = 0; i < b->depth; i++) {
        if (i == a->depth)
            return -1;
        if (a->at[i].loop != b->at[i].loop)
            return a->at[i].loop < b->at[i].loop ? -1 : 1;
        if (a->at[i].iteration != b->at[i].iteration)
            return a->at[i].iteration < b->at[i].iteration ? -1 : 1;
    }
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t slot_of(const struct lw__requests *all, const struct lw__request *key)
{
    const uint64_t hash =
        mix(mix(mix(key->iterations, key->site), key->nth), (uint64_t)key->kind + 1);
    return (size_t)hash & (all->slot_count - 1);
}

static bool grow(struct lw__requests *all)
{
    const size_t capacity = all->capacity ? 2 * all->capacity : 256;
    struct lw__request *rows = realloc(all->rows, capacity * sizeof *rows);
    if (!rows)
        return false;
    all->rows = rows;
    uint32_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!slots)
        return false;
    free(all->slots);
    all->slots = slots;
    all->capacity = capacity;
    all->slot_count = 2 * capacity;
    for (size_t i = 0; i < all->count; i++) {
        size_t s = slot_of(all, &rows[i]);
        while (slots[s])
            s = (s + 1) & (all->slot_count - 1);
        slots[s] = (uint32_t)i + 1;
    }
    return true;
}

static bool is_of(const struct lw__request *row, const struct lw__request *key)
{
    return row->site == key->site && row->iterations == key->iterations && row->nth == key->nth &&
           row->kind == key->kind;
}

/* The row of the key, which may be new. */
static struct lw__request *find(struct lw__requests *all, const struct lw__request *key)
{
    size_t s = slot_of(all, key);
    for (; all->slots[s]; s = (s + 1) & (all->slot_count - 1))
        if (is_of(&all->rows[all->slots[s] - 1], key))
            return &all->rows[all->slots[s] - 1];
    assert(all->count < all->capacity && 2 * all->capacity == all->slot_count);
    all->slots[s] = (uint32_t)++all->count;
    all->rows[all->count - 1] = *key;
    return &all->rows[all->count - 1];
}

struct lw__request *lw__requests_add(struct lw__requests *all, enum lw__request_kind kind,
                                     uint32_t site, uint64_t iterations, int lane)
{
    struct lw__request key = {
        .kind = kind, .site = site, .iterations = iterations, .event = SIZE_MAX};
    for (;; key.nth++) {
        if (all->count == all->capacity && !grow(all))
            return NULL;
        struct lw__request *row = find(all, &key);
        if (row->lanes >> lane & 1)
            continue;
        row->lanes |= UINT32_C(1) << lane;
        return row;
    }
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum { UNITS_MAX = LW_WARP_SIZE * 6 }; /* 16 bytes that are not aligned touch five words */

/* Distinct units of so many bytes that the lanes from first to end - 1 touch, sorted. */
static size_t units_of(const struct lw__request *r, int first, int end, size_t unit,
                       uint64_t units[])
{
    size_t count = 0, distinct = 0;
    for (int lane = first; lane < end; lane++)
        for (uint64_t at = r->address[lane] / unit;
             r->lanes >> lane & 1 && at <= (r->address[lane] + r->bytes - 1) / unit; at++)
            units[count++] = at;
    assert(count <= UNITS_MAX);
    qsort(units, count, sizeof *units, compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || units[i] != units[distinct - 1])
            units[distinct++] = units[i];
    return distinct;
}

/* Words of one bank are served one after the other; the same word, to all at once. */
static uint32_t passes_of(const struct lw__request *r)
{
    const int part = r->bytes > 8   ? LW_WARP_SIZE / 4
                     : r->bytes > 4 ? LW_WARP_SIZE / 2
                                    : LW_WARP_SIZE;
    uint64_t units[UNITS_MAX];
    uint32_t passes = 0;
    for (int first = 0; first < LW_WARP_SIZE; first += part) {
        uint32_t of_bank[BANKS] = {0}, most = 0;
        const size_t count = units_of(r, first, first + part, BANK_BYTES, units);
        for (size_t i = 0; i < count; i++)
            if (++of_bank[units[i] % BANKS] > most)
                most = of_bank[units[i] % BANKS];
        passes += most;
    }
    return passes;
}

void lw__requests_count(struct lw__requests *all, uint32_t active, lw_picture_counts *counts)
{
    const uint64_t width = (uint64_t)__builtin_popcount(active);
    for (size_t i = 0; i < all->count; i++) {
        struct lw__request *r = &all->rows[i];
        const uint64_t lanes = (uint64_t)__builtin_popcount(r->lanes);
        if (r->kind == LW_REQUEST_LINE) {
            counts->lines++;
            counts->lanes += lanes;
            counts->lanes_idle += width - lanes;
        } else if (r->kind == LW_REQUEST_GLOBAL) {
            counts->global_requests++;
            uint64_t units[UNITS_MAX];
            r->sectors = (uint32_t)units_of(r, 0, LW_WARP_SIZE, SECTOR_BYTES, units);
            counts->sectors += r->sectors;
        } else {
            counts->block_requests++;
            counts->passes += r->ways = passes_of(r);
        }
    }
}

void lw__requests_empty(struct lw__requests *all)
{
    enum { SPARSE = 8 };
    if (all->count * SPARSE > all->slot_count) {
        memset(all->slots, 0, all->slot_count * sizeof *all->slots);
    } else {
        for (size_t i = all->count; i-- > 0;) { /* the last that came is the end of its chain */
            size_t s = slot_of(all, &all->rows[i]);
            while (all->slots[s] != i + 1)
                s = (s + 1) & (all->slot_count - 1);
            all->slots[s] = 0;
        }
    }
    all->count = 0;
}

void lw__requests_free(struct lw__requests *all)
{
    free(all->rows);
    free(all->slots);
    *all = (struct lw__requests){0};
}
