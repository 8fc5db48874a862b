/* blocks.c - memory of the host for Arrays, which is kept for a while when it is given back: the
 * system clears each page that it gives, which takes longer than to compute what goes there.
 */
#include "core.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 32 };
#define LEAST ((size_t)128 << 10) /* bytes; of less malloc keeps what it has */
#define MOST ((size_t)256 << 20)  /* of all together */

static struct block {
    void *memory;
    size_t bytes;
} kept[BLOCKS]; /* the latest last */
static size_t count, total;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the library releases in any thread */

static void *remove_at(size_t k)
{
    void *memory = kept[k].memory;

    total -= kept[k].bytes;
    memmove(&kept[k], &kept[k + 1], (--count - k) * sizeof *kept);
    return memory;
}

static void *find(size_t bytes)
{
    void *memory = NULL;

    pthread_mutex_lock(&mutex);
    for (size_t k = count; k-- > 0 && !memory;)
        if (kept[k].bytes == bytes)
            memory = remove_at(k);
    pthread_mutex_unlock(&mutex);
    return memory;
}

static void free_all(void)
{
    pthread_mutex_lock(&mutex);
    while (count)
        free(remove_at(0));
    pthread_mutex_unlock(&mutex);
}

void *block_take(size_t bytes)
{
    void *memory = bytes >= LEAST ? find(bytes) : NULL;

    if (!memory)
        memory = aligned_alloc(64, bytes);
    if (!memory && bytes >= LEAST) {
        free_all();
        memory = aligned_alloc(64, bytes);
    }
    return memory;
}

void block_give(void *memory, size_t bytes)
{
    if (bytes < LEAST || bytes > MOST / 4) {
        free(memory);
        return;
    }
    pthread_mutex_lock(&mutex);
    while (count == BLOCKS || total + bytes > MOST)
        free(remove_at(0));
    kept[count++] = (struct block){memory, bytes};
    total += bytes;
    pthread_mutex_unlock(&mutex);
}
