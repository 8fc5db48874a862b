/* outcome.c - what a launch writes: each byte as it was before, and as the first schedule left it.
 *
 * Bytes are kept as they are written first, so memory that the launch does not write costs nothing,
 * and nothing is put back that another stream may use meanwhile.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = LW_OUTCOME_WORD };

static unsigned char *memory_of(const struct lw__outcome_page *page)
{
    return (unsigned char *)(uintptr_t)(page->number * LW_PAGE_BYTES);
}

static bool is_written(const struct lw__outcome_page *page, size_t i)
{
    return page->written[i / WORD] >> i % WORD & 1;
}

void lw__outcome_free(struct lw__outcome *outcome)
{
    for (size_t i = 0; i < outcome->capacity; i++)
        free(outcome->pages[i]);
    free(outcome->pages);
    *outcome = (struct lw__outcome){0};
}

/* ---- pages by number ------------------------------------------------------------------------- */

/* Where the page is, or should be; there is always a free place. */
static struct lw__outcome_page **place_of(const struct lw__outcome *outcome, uint64_t number)
{
    size_t i = lw__page_hash(number) & (outcome->capacity - 1);
    while (outcome->pages[i] && outcome->pages[i]->number != number)
        i = (i + 1) & (outcome->capacity - 1);
    return &outcome->pages[i];
}

static bool grow(struct lw__outcome *outcome)
{
    enum { FIRST = 16 };
    struct lw__outcome more = {.count = outcome->count,
                               .capacity = outcome->capacity ? 2 * outcome->capacity : FIRST};
    more.pages = calloc(more.capacity, sizeof(struct lw__outcome_page *));
    if (!more.pages)
        return false;
    for (size_t i = 0; i < outcome->capacity; i++)
        if (outcome->pages[i])
            *place_of(&more, outcome->pages[i]->number) = outcome->pages[i];
    free(outcome->pages);
    more.latest = outcome->latest;
    *outcome = more;
    return true;
}

static struct lw__outcome_page *find(const struct lw__outcome *outcome, uint64_t number)
{
    if (outcome->latest && outcome->latest->number == number)
        return outcome->latest;
    return outcome->capacity ? *place_of(outcome, number) : NULL;
}

static struct lw__outcome_page *find_or_add(struct lw__outcome *outcome, uint64_t number)
{
    struct lw__outcome_page *page = find(outcome, number);
    if (!page) {
        if (2 * (outcome->count + 1) > outcome->capacity && !grow(outcome))
            return NULL;
        page = calloc(1, sizeof *page);
        if (!page)
            return NULL;
        assert(!*place_of(outcome, number) && 2 * outcome->count < outcome->capacity);
        page->number = number;
        *place_of(outcome, number) = page;
        outcome->count++;
    }
    return outcome->latest = page;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

struct lw__outcome_page *lw__outcome_page_of(struct lw__outcome *outcome, uint64_t address)
{
    return find_or_add(outcome, address / LW_PAGE_BYTES);
}

/* A byte that only a later schedule writes was left by the first as it was. */
void lw__outcome_keep_in(struct lw__outcome_page *page, uint64_t address, uint64_t bytes)
{
    const size_t begin = address % LW_PAGE_BYTES;
    const uint64_t ones = bytes < WORD ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX;
    assert(page->number == address / LW_PAGE_BYTES && begin % WORD + bytes <= WORD);
    uint64_t *written = &page->written[begin / WORD];
    const uint64_t mask = ones << begin % WORD, known = *written & mask;
    *written |= mask;
    for (size_t i = begin; known && known != mask && i < begin + bytes; i++)
        if (!(known >> i % WORD & 1))
            page->before[i] = page->first[i] = memory_of(page)[i];
    if (known)
        return;
    memcpy(page->before + begin, memory_of(page) + begin, bytes);
    memcpy(page->first + begin, memory_of(page) + begin, bytes);
}

bool lw__outcome_keep(struct lw__outcome *outcome, uint64_t address, uint64_t bytes)
{
    for (uint64_t part; bytes; address += part, bytes -= part) {
        struct lw__outcome_page *page = find_or_add(outcome, address / LW_PAGE_BYTES);
        part = WORD - address % WORD < bytes ? WORD - address % WORD : bytes;
        if (!page)
            return false;
        lw__outcome_keep_in(page, address, part);
    }
    return true;
}

void lw__outcome_take_first(struct lw__outcome *outcome)
{
    for (size_t p = 0; p < outcome->capacity; p++) {
        struct lw__outcome_page *page = outcome->pages[p];
        for (size_t i = 0; page && i < LW_PAGE_BYTES; i++)
            if (is_written(page, i))
                page->first[i] = memory_of(page)[i];
    }
}

static void put(const struct lw__outcome_page *page, const unsigned char *bytes)
{
    for (size_t i = 0; i < LW_PAGE_BYTES; i++)
        if (is_written(page, i))
            memory_of(page)[i] = bytes[i];
}

void lw__outcome_put_before(const struct lw__outcome *outcome)
{
    for (size_t p = 0; p < outcome->capacity; p++)
        if (outcome->pages[p])
            put(outcome->pages[p], outcome->pages[p]->before);
}

void lw__outcome_put_first(const struct lw__outcome *outcome)
{
    for (size_t p = 0; p < outcome->capacity; p++)
        if (outcome->pages[p])
            put(outcome->pages[p], outcome->pages[p]->first);
}

uint64_t lw__outcome_next(const struct lw__outcome *outcome, uint64_t address, uint64_t end)
{
    while (address < end) {
        const struct lw__outcome_page *page = find(outcome, address / LW_PAGE_BYTES);
        const size_t i = address % LW_PAGE_BYTES;
        if (!page)
            address += LW_PAGE_BYTES - i;
        else if (is_written(page, i) && page->first[i] != memory_of(page)[i])
            return address;
        else
            address++;
    }
    return end;
}
