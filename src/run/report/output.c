/* output.c - the text that a launch prints: collected in any order, delivered in launch order.
 *
 * Devices add pieces as threads print them. After the launch the pieces are sorted by block, thread
 * and time. A piece is a call of printf. The pieces of one thread are joined and cut into lines; or
 * each piece is, or is handed over as it is, where that is asked for. Lines of different threads
 * never mix.
 */
#include "run/report/report.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    uint64_t block;       /* linear, x fastest */
    uint32_t thread;      /* linear in its block */
    size_t start, length; /* in text */
};

struct lw__output {
    struct lw__output *next;
    pthread_mutex_t lock;
    lw_dim3 grid, block;
    struct piece *pieces;
    size_t count, capacity;
    struct lw__text text;
    struct lw__text joined; /* has room for all of text, so that delivery needs no memory */
    bool full;              /* from then on all is lost, so that no line has holes */
    size_t lost;            /* lines */
};

struct lw__output *lw__output_create(lw_dim3 grid, lw_dim3 block)
{
    struct lw__output *out = calloc(1, sizeof *out);

    if (!out)
        return NULL;
    pthread_mutex_init(&out->lock, NULL);
    out->grid = grid;
    out->block = block;
    return out;
}

void lw__output_reuse(struct lw__output *out, lw_dim3 grid, lw_dim3 block)
{
    assert(lw__output_is_empty(out));
    out->next = NULL;
    out->grid = grid;
    out->block = block;
}

void lw__output_destroy(struct lw__output *out)
{
    if (!out)
        return;
    pthread_mutex_destroy(&out->lock);
    free(out->pieces);
    lw__text_free(&out->text);
    lw__text_free(&out->joined);
    free(out);
}

struct lw__output **lw__output_next(struct lw__output *out)
{
    return &out->next;
}

bool lw__output_is_empty(const struct lw__output *out)
{
    return !out->count && !out->lost && !out->text.failed && !out->joined.failed;
}

static uint64_t linear(lw_dim3 size, const int32_t at[3])
{
    return (uint32_t)at[0] +
           (uint64_t)size.x * ((uint32_t)at[1] + (uint64_t)size.y * (uint32_t)at[2]);
}

static lw_dim3 position(lw_dim3 size, uint64_t at)
{
    return (lw_dim3){(uint32_t)(at % size.x), (uint32_t)(at / size.x % size.y),
                     (uint32_t)(at / size.x / size.y)};
}

/* For one more piece; false: memory is short. */
static bool make_room(struct lw__output *out)
{
    size_t capacity = out->capacity ? 2 * out->capacity : 64;

    if (out->count < out->capacity)
        return true;
    struct piece *pieces;
    pieces = realloc(out->pieces, capacity * sizeof *pieces);
    if (!pieces)
        return false;
    out->pieces = pieces;
    out->capacity = capacity;
    return true;
}

/* The last line needs no newline. */
static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; lines++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return lines;
}

void lw__output_lose(struct lw__output *out, size_t lines)
{
    pthread_mutex_lock(&out->lock);
    out->lost += lines;
    out->full = true;
    pthread_mutex_unlock(&out->lock);
}

/* Locked. */
static bool keep(struct lw__output *out, struct piece *piece, const char *text)
{
    if (out->full || piece->length > LW_PRINT_BYTES_MAX - out->text.length) {
        out->lost += count_lines(text);
        out->full = true;
        return true;
    }
    if (!make_room(out))
        return false;
    piece->start = out->text.length;
    lw__text_add_bytes(&out->text, text, piece->length);
    lw__text_add_bytes(&out->joined, text, piece->length);
    if (out->text.failed || out->joined.failed)
        return false;
    assert(out->count < out->capacity && piece->start + piece->length == out->text.length);
    out->pieces[out->count++] = *piece;
    return true;
}

bool lw__output_add(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                    const char *text)
{
    struct piece piece = {.block = linear(out->grid, block),
                          .thread = (uint32_t)linear(out->block, thread),
                          .length = strlen(text)};

    bool is_kept;

    if (!piece.length)
        return true;
    pthread_mutex_lock(&out->lock);
    is_kept = keep(out, &piece, text);
    pthread_mutex_unlock(&out->lock);
    return is_kept;
}

/* Pieces of one thread lie in text in the order it printed them. */
static int in_launch_order(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

void lw__output_deliver(struct lw__output *out, enum lw__output_form form,
                        void (*fn)(const lw_output *, void *), void *user)
{
    struct lw__text *text = &out->joined;

    text->failed = false; /* of a piece that was not kept: there is room for all that were */
    if (out->count)
        qsort(out->pieces, out->count, sizeof *out->pieces, in_launch_order);
    for (size_t i = 0; i < out->count;) {
        const struct piece *first = &out->pieces[i];

        text->length = 0;
        do {
            lw__text_add_bytes(text, out->text.data + out->pieces[i].start, out->pieces[i].length);
            i++;
        } while (form == LW_OUTPUT_LINES && i < out->count &&
                 first->block == out->pieces[i].block && first->thread == out->pieces[i].thread);
        assert(!text->failed); /* it had room for all of it */
        lw_output line = {.block = position(out->grid, first->block),
                          .thread = position(out->block, first->thread)};
        for (char *at = text->data; *at;) { /* the last line needs no newline */
            const size_t length = form == LW_OUTPUT_TEXT ? strlen(at) : strcspn(at, "\n");
            const bool is_last = !at[length];

            at[length] = '\0';
            line.text = at;
            fn(&line, user);
            at += length + !is_last;
        }
    }
    if (out->lost)
        fn(&(lw_output){.lost = out->lost}, user);
}
