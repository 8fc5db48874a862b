/* shadow.c - a granule for every 4 bytes that a launch accesses, or for every byte of a page that
 * was accessed by less: its granules are copied four times then, which loses nothing.
 */
#include "run/check/check.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t granules(const struct lw__page *page)
{
    return LW_PAGE_BYTES / page->granule;
}

static void free_plane(const struct lw__plane *plane)
{
    free(plane->last);
    free(plane->other);
}

void lw__shadow_free(struct lw__shadow *shadow)
{
    for (size_t i = 0; i < shadow->capacity; i++) {
        struct lw__page *page = shadow->pages[i];
        if (!page)
            continue;
        for (size_t k = 0; page->events && k < granules(page); k++)
            free(page->events[k]);
        free(page->events);
        if (page->is_flat)
            page->plain.last = NULL;
        free_plane(&page->plain);
        free_plane(&page->atomic);
        free(page);
    }
    free(shadow->pages);
    free(shadow->flat);
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

/* cells: NULL, or where they are in the array. */
static struct lw__page *add_page(struct lw__shadow *shadow, uint64_t number, struct lw__cell *cells)
{
    if (2 * (shadow->count + 1) > shadow->capacity && !grow(shadow))
        return NULL;
    struct lw__page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->number = number;
    page->granule = LW_GRANULE_BYTES;
    page->is_flat = cells;
    page->plain.last = cells ? cells : calloc(granules(page), sizeof *cells);
    if (!page->plain.last) {
        free(page);
        return NULL;
    }
    assert(!*place_of(shadow, number) && 2 * shadow->count < shadow->capacity);
    shadow->count++;
    return *place_of(shadow, number) = page;
}

bool lw__shadow_flat(struct lw__shadow *shadow, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address / LW_PAGE_BYTES, last = (address + bytes - 1) / LW_PAGE_BYTES;
    const size_t cells = LW_PAGE_BYTES / LW_GRANULE_BYTES;
    shadow->flat = calloc((size_t)(last - first + 1) * cells, sizeof *shadow->flat);
    bool ok = shadow->flat;
    for (uint64_t number = first; ok && number <= last; number++)
        ok = add_page(shadow, number, shadow->flat + (number - first) * cells);
    return ok;
}

/* False: memory is short. */
static bool leave_flat(struct lw__page *page)
{
    if (!page->is_flat)
        return true;
    const size_t bytes = granules(page) * sizeof *page->plain.last;
    struct lw__cell *own = malloc(bytes);
    if (!own)
        return false;
    memcpy(own, page->plain.last, bytes);
    memset(page->plain.last, 0xff, bytes);
    page->plain.last = own;
    page->is_flat = false;
    return true;
}

/* ---- by bytes -------------------------------------------------------------------------------- */

static struct lw__cell *spread(const struct lw__cell *from)
{
    struct lw__cell *to = from ? calloc(LW_PAGE_BYTES, sizeof *to) : NULL;
    for (size_t i = 0; to && i < LW_PAGE_BYTES; i++)
        to[i] = from[i / LW_GRANULE_BYTES];
    return to;
}

/* False: memory is short; what there is then is to be released. */
static bool spread_plane(const struct lw__plane *from, struct lw__plane *to)
{
    to->last = spread(from->last);
    to->other = spread(from->other);
    return !to->last == !from->last && !to->other == !from->other;
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
    struct lw__page to = {.granule = 1};
    const bool is_whole = leave_flat(page) && spread_plane(&page->plain, &to.plain) &&
                          spread_plane(&page->atomic, &to.atomic);
    to.events = is_whole && page->events ? spread_events(page->events) : NULL;
    if (!is_whole || (page->events && !to.events)) {
        free_plane(&to.plain);
        free_plane(&to.atomic);
        return false;
    }
    for (size_t i = 0; page->events && i < granules(page); i++)
        free(page->events[i]);
    free(page->events);
    free_plane(&page->plain);
    free_plane(&page->atomic);
    page->plain = to.plain;
    page->atomic = to.atomic;
    page->events = to.events;
    page->granule = 1;
    return true;
}

struct lw__page *lw__shadow_page(struct lw__shadow *shadow, uint64_t address, bool by_bytes)
{
    const uint64_t number = address / LW_PAGE_BYTES;
    struct lw__page *page = lw__shadow_recent(shadow, address);
    if (!page) {
        page = shadow->capacity ? *place_of(shadow, number) : NULL;
        if (!page)
            page = add_page(shadow, number, NULL);
        if (!page)
            return NULL;
        shadow->recent[number % LW_SHADOW_RECENT] = page;
    }
    if (by_bytes && page->granule > 1 && !use_bytes(page))
        return NULL;
    return page;
}

bool lw__page_add_atomic(struct lw__page *page)
{
    if (!page->atomic.last && leave_flat(page))
        page->atomic.last = calloc(granules(page), sizeof *page->atomic.last);
    return page->atomic.last;
}

bool lw__page_add_events(struct lw__page *page)
{
    if (!page->events)
        page->events = calloc(granules(page), sizeof(struct lw__history *));
    return page->events;
}

/* ---- summaries ------------------------------------------------------------------------------- */

static uint64_t flags_of(struct lw__summary summary)
{
    const bool is_near = summary.last >> 32 == summary.other >> 32;
    const bool is_twin = is_near && lw__entry_site(summary.last) == lw__entry_site(summary.other);
    if (!summary.other)
        return 0;
    return LW_REF_ENTRY_MORE | (is_twin ? LW_REF_ENTRY_TWIN : is_near ? 0 : LW_REF_ENTRY_FAR);
}

/* Most granules are accessed by one thread, or by one after the other, and have no `other`. */
struct lw__summary lw__page_summary(const struct lw__page *page, size_t granule, enum lw__kind kind)
{
    const struct lw__plane *plane = kind & LW_KIND_ATOMIC_READ ? &page->atomic : &page->plain;
    const uint64_t last = plane->last ? plane->last[granule].of[kind & LW_KIND_WRITE] : 0;
    if (!(last & LW_REF_ENTRY_MORE))
        return (struct lw__summary){.last = last};
    assert(plane->other && plane->other[granule].of[kind & LW_KIND_WRITE]);
    const uint64_t flags = LW_REF_ENTRY_MORE | LW_REF_ENTRY_FAR | LW_REF_ENTRY_TWIN;
    return (struct lw__summary){last & ~flags, plane->other[granule].of[kind & LW_KIND_WRITE]};
}

bool lw__page_set(struct lw__page *page, size_t granule, enum lw__kind kind,
                  struct lw__summary summary)
{
    struct lw__plane *plane = kind & LW_KIND_ATOMIC_READ ? &page->atomic : &page->plain;
    assert(plane->last && granule < granules(page) && (summary.last || !summary.other));
    if (summary.other && !plane->other)
        plane->other = calloc(granules(page), sizeof *plane->other);
    if (summary.other && !plane->other)
        return false;
    if (summary.other)
        plane->other[granule].of[kind & LW_KIND_WRITE] = summary.other;
    plane->last[granule].of[kind & LW_KIND_WRITE] = summary.last | flags_of(summary);
    return true;
}

void lw__page_forget(struct lw__page *page, size_t granule, uint64_t before)
{
    struct lw__cell *cells[] = {page->plain.last, page->atomic.last};
    for (size_t k = 0; k < 2; k++)
        for (size_t kind = 0; cells[k] && kind < 2; kind++)
            if (cells[k][granule].of[kind] < before)
                cells[k][granule].of[kind] = 0;
}
