/* memory.c - what kernels may touch: the device's memory and the host's that is mapped.
 *
 * Allocations lie in the host's memory, their addresses are the host's. Sorted by address.
 */
#include "ptxsim.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };
static const uint64_t total_bytes = (uint64_t)4 << 30;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct extent *extents;
static size_t count, capacity;
static uint64_t used;

/* Locked. The row of the last allocation that begins at or below the address, plus 1. */
static size_t rows_up_to(uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (extents[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Locked. */
static bool insert(uint64_t begin, size_t bytes)
{
    if (count == capacity) {
        const size_t more = capacity ? 2 * capacity : 64;
        struct extent *rows = realloc(extents, more * sizeof *rows);
        if (!rows)
            return false;
        extents = rows;
        capacity = more;
    }
    const size_t at = rows_up_to(begin);
    memmove(extents + at + 1, extents + at, (count - at) * sizeof *extents);
    extents[at] = (struct extent){begin, bytes};
    count++;
    used += bytes;
    return true;
}

uint64_t memory_create(size_t bytes)
{
    void *memory = NULL;

    pthread_mutex_lock(&lock);
    if (bytes && bytes <= total_bytes - used)
        memory = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (memory && !insert((uintptr_t)memory, bytes)) {
        free(memory);
        memory = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (memory)
        memset(memory, POISON_BYTE, bytes);
    return (uintptr_t)memory;
}

bool memory_destroy(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const size_t at = rows_up_to(address);
    const bool is_there = at && extents[at - 1].begin == address;
    if (is_there) {
        used -= extents[at - 1].bytes;
        free((void *)(uintptr_t)address);
        memmove(extents + at - 1, extents + at, (count - at) * sizeof *extents);
        count--;
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}

void memory_destroy_all(void)
{
    pthread_mutex_lock(&lock);
    while (count)
        free((void *)(uintptr_t)extents[--count].begin);
    free(extents);
    extents = NULL;
    capacity = 0;
    used = 0;
    pthread_mutex_unlock(&lock);
}

bool memory_find(uint64_t address, struct extent *in)
{
    pthread_mutex_lock(&lock);
    const size_t at = rows_up_to(address);
    const bool is_there = at && address - extents[at - 1].begin < extents[at - 1].bytes;
    if (is_there)
        *in = extents[at - 1];
    pthread_mutex_unlock(&lock);
    return is_there;
}

void memory_info(size_t *unused, size_t *total)
{
    pthread_mutex_lock(&lock);
    *unused = total_bytes - used;
    *total = total_bytes;
    pthread_mutex_unlock(&lock);
}
