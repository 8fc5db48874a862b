/* matrix.c - buffers of two and more axes as NumPy breaks them: array2string with separator ", ".
 *
 *     a: f32[2,3] = [[ 0.0 ,  1.0 ,  2.25],
 *                    [10.0 , 11.0 , 12.0 ]]
 *
 * Each row begins a line, below the first. Matrices of a stack have an empty line between them.
 * Elements have one width, and their points are below each other. A row that is wider than 75
 * columns goes on in the next line. First the words of all elements are written one after the
 * other; then they are measured, and set.
 */
#include "cli/run/run.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 75 };

struct page {
    FILE *to;
    const struct cli_arg *arg;
    const struct lw__type *element;
    FILE *words; /* a memory stream: a 0 ends each */
    const char *next;
    size_t left, right; /* widths before the point, and from it on */
    size_t width;       /* of each word */
    bool has_points;    /* they are aligned */
    size_t indent;      /* columns before the first bracket */
};

/* ---- the words ------------------------------------------------------------------------------- */

static void collect(const struct page *page, int axis, const char *data)
{
    const struct cli_arg *arg = page->arg;
    size_t inner = arg->element_bytes;
    if (axis == arg->rank) {
        cli_print_value(page->words, CLI_TEXT, page->element, data);
        fputc('\0', page->words);
        return;
    }
    for (int i = axis + 1; i < arg->rank; i++)
        inner *= arg->extent[i];
    for (size_t i = 0; i < arg->extent[axis]; i = cli_next_shown(arg, axis, i))
        collect(page, axis + 1, data + i * inner);
}

/* measure - points are aligned where every finite number has one and no exponent. */
static void measure(struct page *page, const char *words, size_t size)
{
    bool is_float = page->element->form == LW_SCALAR && lw__dtype_is_float(page->element->dtype);
    page->has_points = is_float;
    for (const char *word = words; word < words + size; word += strlen(word) + 1) {
        size_t length = strlen(word), left = strcspn(word, ".");
        page->width = length > page->width ? length : page->width;
        page->has_points = page->has_points && !strchr(word, 'e');
        if (left == length)
            continue;
        page->left = left > page->left ? left : page->left;
        page->right = length - left > page->right ? length - left : page->right;
    }
    if (page->has_points && page->left + page->right > page->width)
        page->width = page->left + page->right;
}

static void write_word(struct page *page)
{
    size_t length = strlen(page->next), left = strcspn(page->next, ".");
    bool has_point = page->has_points && left < length;
    size_t after = has_point ? page->right - (length - left) : 0;
    fprintf(page->to, "%*s%s%*s", (int)(page->width - length - after), "", page->next, (int)after,
            "");
    page->next += length + 1;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* begin_word - the comma, and a blank or a new line, before a word of a row. */
static void begin_word(const struct page *page, size_t length, size_t *column)
{
    size_t rank = (size_t)page->arg->rank, first = page->indent + rank;
    bool is_first = *column == 0;
    size_t at = is_first ? first : *column + 2;
    bool breaks = at > first && at + length > LINE_WIDTH - rank;
    fputs(is_first ? "" : breaks ? "," : ", ", page->to);
    if (breaks)
        fprintf(page->to, "\n%*s", (int)first, "");
    *column = (breaks ? first : at) + length;
}

static void write_row(struct page *page)
{
    const struct cli_arg *arg = page->arg;
    int axis = arg->rank - 1;
    size_t column = 0, next;
    for (size_t i = 0; i < arg->extent[axis]; i = next) {
        next = cli_next_shown(arg, axis, i);
        begin_word(page, page->width, &column);
        write_word(page);
        if (next == i + 1)
            continue;
        begin_word(page, 3, &column);
        fputs("...", page->to);
    }
}

/* begin_part - the comma and the new lines before a part of an outer axis. */
static void begin_part(const struct page *page, int axis)
{
    fputc(',', page->to);
    for (int i = axis + 1; i < page->arg->rank; i++)
        fputc('\n', page->to);
    fprintf(page->to, "%*s", (int)page->indent + axis + 1, "");
}

static void write_axis(struct page *page, int axis)
{
    const struct cli_arg *arg = page->arg;
    bool is_row = axis == arg->rank - 1;
    fputc('[', page->to);
    if (is_row)
        write_row(page);
    size_t next;
    for (size_t i = 0; i < arg->extent[axis] && !is_row; i = next) {
        next = cli_next_shown(arg, axis, i);
        if (i > 0)
            begin_part(page, axis);
        write_axis(page, axis + 1);
        if (next == i + 1)
            continue;
        begin_part(page, axis);
        fputs("...", page->to);
    }
    fputc(']', page->to);
}

int cli_print_matrix(FILE *to, const struct cli_arg *arg, const struct lw__type *element,
                     const char *data, int indent)
{
    char *words = NULL;
    size_t size = 0;
    struct page page = {.to = to, .arg = arg, .element = element, .indent = (size_t)indent};
    page.words = open_memstream(&words, &size);
    if (page.words)
        collect(&page, 0, data);
    int failed = cli_end_text(page.words, &words);
    if (!failed) {
        measure(&page, words, size);
        page.next = words;
        write_axis(&page, 0);
    }
    free(words);
    return failed;
}
