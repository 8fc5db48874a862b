/* guard.c - memory between guard pages: an access to such a page is a fault.
 *
 * Guard pages are address space only. But each guarded memory takes two or three of the mappings
 * that the system allows a process (vm.max_map_count). Some of them are left to the program.
 */
#include "run/threads/threads.h"
#include <assert.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 };

static atomic_size_t guarded; /* pieces of memory that there are */

static size_t round_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) & ~(align - 1);
}

/* A large mapping begins at a large page. */
static bool map(size_t bytes, size_t guard, struct lw__guarded *g)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), sides = 2 * round_up(guard, page) + page;
    const size_t align = bytes >= LARGE_PAGE ? LARGE_PAGE : page;

    if (bytes > PTRDIFF_MAX - sides - align)
        return false;
    bytes = round_up(bytes, page);
    g->map_bytes = bytes + sides + align;
    void *at = mmap(NULL, g->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    g->map = at;
    g->low = (char *)round_up((uintptr_t)at + guard, align);
    g->top = g->low + bytes;
    return mprotect(g->low, bytes, PROT_READ | PROT_WRITE) == 0;
}

static void unmap(struct lw__guarded *g)
{
    if (g->map)
        munmap(g->map, g->map_bytes);
    *g = (struct lw__guarded){0};
}

bool lw__guard_create(size_t bytes, size_t guard, enum lw__guard_most most, struct lw__guarded *g)
{
    *g = (struct lw__guarded){0};
    if (atomic_fetch_add(&guarded, 1) < (size_t)most && map(bytes, guard, g))
        return true;
    atomic_fetch_sub(&guarded, 1);
    unmap(g);
    return false;
}

void lw__guard_free(struct lw__guarded *g)
{
    if (!g->map)
        return;
    assert(atomic_load(&guarded) > 0 && g->map < g->low && g->top < g->map + g->map_bytes);
    unmap(g);
    atomic_fetch_sub(&guarded, 1);
}
