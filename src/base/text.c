/* text.c - text that grows, and plain memory. */
#include "base/base.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CAPACITY = 128 };

/* Make room for `more` bytes and the NUL. */
static bool reserve(struct lw__text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;

    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    if (more > SIZE_MAX / 2 - text->length - 1) {
        text->failed = true;
        return false;
    }
    while (capacity - text->length <= more)
        capacity *= 2;
    char *data = text->owner ? memcpy(text->take(text->owner, capacity), text->data, text->length)
                             : realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void lw__text_add_bytes(struct lw__text *text, const void *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    assert(text->length < text->capacity);
    text->data[text->length] = '\0';
}

void lw__text_add(struct lw__text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    lw__text_add_list(text, format, arguments);
    va_end(arguments);
}

void lw__text_add_list(struct lw__text *text, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0)
        text->failed = true;
    else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void lw__text_free(struct lw__text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

void *lw__alloc_aligned(size_t bytes, void **block)
{
    *block = bytes > SIZE_MAX - ALIGNMENT ? NULL : calloc(1, bytes + ALIGNMENT);
    if (!*block)
        return NULL;
    uintptr_t address = (uintptr_t)*block;
    return (char *)*block + (ALIGNMENT - address % ALIGNMENT) % ALIGNMENT;
}

char *lw__copy_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}
