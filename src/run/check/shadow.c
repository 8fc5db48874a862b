/* shadow.c - a granule for every 4 bytes that a launch accesses, or for every byte of a page that
 * was accessed by less: its granules are copied four times then, which loses nothing.
 */
#include "run/check/check.h"
#include <stdlib.h>
#include <string.h>

static size_t granules(const struct lw__page *page)
{
    return LW_PAGE_BYTES / page->granule;
}

static void free_page(struct lw__page *page)
{
    for (size_t i = 0; page->events && i < granules(page); i++)
        free(page->events[i]);
    free(page->events);
    free(page->plain);
    free(page->atomic);
    free(page);
}

void lw__shadow_free(struct lw__shadow *shadow)
{
    for (size_t i = 0; i < shadow->capacity; i++)
        if (shadow->pages[i])
            free_page(shadow->pages[i]);
    free(shadow->pages);
    *shadow = (struct lw__shadow){0};
}

/* ---- pages by number ------------------------------------------------------------------------- */

/* Where the page is, or should be; there is always a free place. */
static struct lw__page **place_of(const struct lw__shadow *shadow, uint64_t number)
{
    size_t i = lw__page_hash(number) & (shadow->capacity - 1);
    while (shadow->pages[i] && shadow->pages[i]->number != number)
        i = (i + 1) & (shadow->capacity - 1);
    return &shadow->pages[i];
}

static bool grow(struct lw__shadow *shadow)
{
    enum { FIRST = 16 };
    struct lw__shadow more = {.capacity = shadow->capacity ? 2 * shadow->capacity : FIRST};
    more.pages = calloc(more.capacity, sizeof(struct lw__page *));
    if (!more.pages)
        return false;
    for (size_t i = 0; i < shadow->capacity; i++)
        if (shadow->pages[i])
            *place_of(&more, shadow->pages[i]->number) = shadow->pages[i];
    free(shadow->pages);
    shadow->pages = more.pages;
    shadow->capacity = more.capacity;
    return true;
}

static struct lw__page *add_page(struct lw__shadow *shadow, uint64_t number)
{
    if (2 * (shadow->count + 1) > shadow->capacity && !grow(shadow))
        return NULL;
    struct lw__page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    page->granule = LW_GRANULE_BYTES;
    page->plain = calloc(granules(page), sizeof *page->plain);
    if (!page->plain) {
        free(page);
        return NULL;
    }
    shadow->count++;
    return *place_of(shadow, number) = page;
}

/* ---- by bytes -------------------------------------------------------------------------------- */

static struct lw__granule *spread(const struct lw__granule *from)
{
    struct lw__granule *to = calloc(LW_PAGE_BYTES, sizeof *to);
    for (size_t i = 0; to && i < LW_PAGE_BYTES; i++)
        to[i] = from[i / LW_GRANULE_BYTES];
    return to;
}

static struct lw__history **spread_events(struct lw__history **from)
{
    struct lw__history **to = calloc(LW_PAGE_BYTES, sizeof(struct lw__history *));
    for (size_t i = 0; to && i < LW_PAGE_BYTES; i++) {
        struct lw__history *one = from[i / LW_GRANULE_BYTES];
        to[i] = one ? lw__history_copy(one) : NULL;
        if (one && !to[i]) {
            while (i-- > 0)
                free(to[i]);
            free(to);
            return NULL;
        }
    }
    return to;
}

static bool use_bytes(struct lw__page *page)
{
    struct lw__granule *plain = spread(page->plain),
                       *atomic = page->atomic ? spread(page->atomic) : NULL;
    struct lw__history **events = page->events ? spread_events(page->events) : NULL;
    if (!plain || (page->atomic && !atomic) || (page->events && !events)) {
        for (size_t i = 0; events && i < LW_PAGE_BYTES; i++)
            free(events[i]);
        free(events);
        free(plain);
        free(atomic);
        return false;
    }
    for (size_t i = 0; page->events && i < granules(page); i++)
        free(page->events[i]);
    free(page->events);
    free(page->plain);
    free(page->atomic);
    page->plain = plain;
    page->atomic = atomic;
    page->events = events;
    page->granule = 1;
    return true;
}

struct lw__page *lw__shadow_page(struct lw__shadow *shadow, uint64_t address, bool by_bytes)
{
    const uint64_t number = address / LW_PAGE_BYTES;
    struct lw__page *page = shadow->latest;
    if (!page || page->number != number) {
        page = shadow->capacity ? *place_of(shadow, number) : NULL;
        if (!page)
            page = add_page(shadow, number);
        if (!page)
            return NULL;
        shadow->latest = page;
    }
    if (by_bytes && page->granule > 1 && !use_bytes(page))
        return NULL;
    return page;
}

bool lw__page_add_atomic(struct lw__page *page)
{
    if (!page->atomic)
        page->atomic = calloc(granules(page), sizeof *page->atomic);
    return page->atomic;
}

bool lw__page_add_events(struct lw__page *page)
{
    if (!page->events)
        page->events = calloc(granules(page), sizeof(struct lw__history *));
    return page->events;
}
