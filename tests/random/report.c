/* report.c - a program that went wrong as a test file: the kernel, how it is run, and what the
 * scalar program says comes out. */
#include "language.h"
#include "text/number.h"
#include <stdlib.h>
#include <string.h>

enum { SUMMARY_ABOVE = 1000, SUMMARY_EDGE = 3 };

static void number(FILE *to, enum type t, const void *value)
{
    char text[LW_NUMBER_SIZE];
    lw__number_write((lw_dtype)t, value, text);
    fputs(text, to);
}

/* values - with `separator` between; past a thousand the command shows three at each end. */
static void values(FILE *to, const struct buffer *b, const void *memory, const char *separator,
                   bool is_short)
{
    for (size_t i = 0; i < b->count; i++) {
        fputs(i ? separator : "", to);
        if (is_short && b->count > SUMMARY_ABOVE && i == SUMMARY_EDGE) {
            fprintf(to, "...%s", separator);
            i = b->count - SUMMARY_EDGE;
        }
        number(to, b->type, (const char *)memory + i * element_size(b->type));
    }
}

static void structure(FILE *to, const struct structure *s, const unsigned char *bytes)
{
    size_t at = 0;
    for (int f = 0; f < FIELDS; f++) {
        size_t size = element_size(s->field[f].type);
        int count = s->field[f].count;
        at = (at + size - 1) / size * size;
        fputs(f ? "," : "{", to);
        for (int i = 0; i < (count ? count : 1); i++, at += size) {
            fputs(!count ? "" : i ? "," : "{", to);
            number(to, s->field[f].type, bytes + at);
        }
        fputs(count ? "}" : "", to);
    }
    fputs("}", to);
}

static void argument(FILE *to, struct program *p, const struct buffer *b)
{
    if (!b->count) {
        if (b->var->shape == STRUCT)
            structure(to, &p->structure, b->var->value);
        else
            number(to, b->type, b->var->value);
        return;
    }
    fprintf(to, "%s[%zu]", types[b->type].name, b->count);
    if (!b->is_const && strncmp(b->name, "cells", 5))
        return;
    void *memory = calloc(b->count, element_size(b->type));
    if (!memory)
        return;
    fill_buffer(p, b, memory);
    fputs("=", to);
    values(to, b, memory, ",", false);
    free(memory);
}

static void run_line(FILE *to, const char *device, struct program *p, const struct buffer *list,
                     int count)
{
    char name[NAME_MAX_BYTES];
    p->language->name(p, name);
    fprintf(to, "// run: -d %s", device);
    if (p->language->is_cuda)
        fprintf(to, " -k '%s'", name);
    fprintf(to, " -g %d,%d,%d -b %d,%d,%d", p->grid[0], p->grid[1], p->grid[2], p->block[0],
            p->block[1], p->block[2]);
    for (int i = 0; i < p->shareds; i++)
        if (p->shared[i]->place == AT_LAUNCH)
            fprintf(to, " --shared %zu",
                    (size_t)program_threads(p) * element_size(p->shared[i]->type));
    for (int i = 0; i < count; i++) {
        if (list[i].is_symbol) {
            p->language->symbol_name(p, &list[i], name);
            fprintf(to, " --symbol %s=", name);
        } else {
            fputs(" ", to);
        }
        argument(to, p, &list[i]);
    }
    fputs("\n", to);
}

static bool write_text(FILE *to, struct program *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return false;
    write_kernel(memory, p);
    fclose(memory);
    p->language->prelude(to, text);
    fputs(text, to);
    free(text);
    return true;
}

/* In comments, a line each. */
static void why(FILE *to, const char *text)
{
    fputs("// ", to);
    for (; *text; text++) {
        fputc(*text, to);
        fputs(*text == '\n' ? "//" : "", to);
    }
    fputs("\n", to);
}

/* expected - what the scalar program left in a buffer. */
static void expected(FILE *to, struct program *p, const struct buffer *b, const void *memory,
                     const struct outcome *outcome)
{
    char symbol[NAME_MAX_BYTES];
    if (!b->count || *outcome->ended)
        return;
    if (b->is_symbol)
        p->language->symbol_name(p, b, symbol);
    fprintf(to, "// expect: %s: %s[%zu] = [", b->is_symbol ? symbol : b->name, types[b->type].name,
            b->count);
    values(to, b, memory, ", ", true);
    fputs("]\n", to);
}

bool report(FILE *to, const char *device, struct program *p, const struct outcome *outcome)
{
    struct buffer list[BUFFERS_MAX];
    void *memory[BUFFERS_MAX];
    p->number = 0;
    if (p->wilds)
        wild_launch(p, outcome->fill);
    bool done = run_scalar(p, memory);
    int count = list_buffers(p, list);
    fprintf(to, "// A random kernel, shrunk from seed %llu.\n", (unsigned long long)p->seed);
    why(to, outcome->verdict == AGREES ? "It agrees." : outcome->why);
    run_line(to, p->wilds ? "cpu" : device, p, list, count);
    if (*outcome->ended) { /* but for the place, which is another one in the file */
        const char *place = strstr(outcome->ended, "random.c"),
                   *what = place ? strstr(place, ": ") : NULL;
        fprintf(to, "// status: 4\n// stderr: %s\n", what ? what + 2 : outcome->ended);
    }
    for (int i = 0; i < count && done; i++)
        if (!list[i].is_symbol && !list[i].is_const)
            expected(to, p, &list[i], memory[i], outcome);
    for (int i = 0; i < count && done; i++) /* the command shows these behind the others */
        if (list[i].is_symbol)
            expected(to, p, &list[i], memory[i], outcome);
    for (int i = 0; i < count && done; i++)
        if (list[i].count)
            free(memory[i]);
    return write_text(to, p) && done;
}
