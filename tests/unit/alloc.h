/* alloc.h - for tests that count allocations of the library, or have one of them fail. The program
 * is linked with --wrap of these functions (meson.build), so that the C library's own allocations
 * are left out.
 */
#ifndef ALLOC_H
#define ALLOC_H
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

static atomic_long alloc_calls;                /* in any thread, frees too */
static _Thread_local long alloc_calls_here;    /* in this thread */
static atomic_long alloc_outstanding;          /* blocks that are not freed yet */
static _Thread_local long alloc_until_failure; /* of this thread's allocations; 0: never */
static _Thread_local bool alloc_failed;
static atomic_long alloc_fails_at; /* that of all threads' allocations, 0: none; from 1 */
static bool alloc_stays_short;     /* and all behind it */
static atomic_long alloc_number;   /* of the last one since alloc_fails_at was set */

static inline void alloc_note(void)
{
    atomic_fetch_add(&alloc_calls, 1);
    alloc_calls_here++;
}

static inline bool alloc_fails_anywhere(void)
{
    const long at = atomic_load(&alloc_fails_at);
    const long number = at ? atomic_fetch_add(&alloc_number, 1) + 1 : 0;

    return at && (number == at || (number > at && alloc_stays_short));
}

static inline bool alloc_fails_now(void)
{
    alloc_note();
    if ((!alloc_until_failure || --alloc_until_failure) && !alloc_fails_anywhere())
        return false;
    alloc_failed = true;
    errno = ENOMEM;
    return true;
}

static inline void *alloc_count(void *memory)
{
    atomic_fetch_add(&alloc_outstanding, memory != NULL);
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return alloc_fails_now() ? NULL : alloc_count(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return alloc_fails_now() ? NULL : alloc_count(__real_calloc(n, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    if (alloc_fails_now())
        return NULL;
    void *memory = __real_realloc(old, bytes);
    return old ? memory : alloc_count(memory);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    return alloc_fails_now() ? NULL : alloc_count(__real_aligned_alloc(align, bytes));
}

char *__wrap_strdup(const char *text)
{
    return alloc_fails_now() ? NULL : alloc_count(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    if (memory)
        alloc_note();
    atomic_fetch_sub(&alloc_outstanding, memory != NULL);
    __real_free(memory);
}
#endif
