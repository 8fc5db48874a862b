/* time_passes.c - --time-passes: processor time and memory of each pass, ours and LLVM's.
 *
 * LLVM times its passes by itself (-time-passes) and appends reports to a memory file: the
 * optimiser's at the end of each run, the code generator's when LLVM shuts down. Rows that appear
 * while one of our passes runs are that pass's; the last ones are `object`'s.
 *
 *     cpu s   share     MiB  peak MiB  pass
 *     2.310   71.2%      40       210  optimise
 *     1.020   31.4%                      InstCombinePass
 */
#include "compile/driver/driver.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { COLUMN = 18, NAME_BYTES = 64, LEAST_PERMILLE = 5, PASSES_MAX = 48, ROWS_MAX = 256 };

/* What one pass of LLVM's took within one of ours, all its runs together. */
struct row {
    char name[NAME_BYTES];
    double seconds;
};

struct timed_pass {
    const char *name;
    double seconds;
    int64_t bytes; /* of the heap, more than before */
    long peak_kib; /* of the process so far; of its largest child, where that is more */
    struct row rows[ROWS_MAX];
    size_t row_count;
};

struct lw__times {
    struct lw__arena *arena;
    int report; /* LLVM's, a memory file */
    struct timed_pass passes[PASSES_MAX];
    size_t count;
    double began;
    int64_t bytes_before;
};

static double seconds_of(const struct rusage *r)
{
    return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
           1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

/* Processor time of this process and its ended children. */
static double seconds_now(long *peak_kib)
{
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    *peak_kib = own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss;
    return seconds_of(&own) + seconds_of(&children);
}

static int64_t heap_bytes(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (int64_t)(m.uordblks + m.hblkhd);
}

struct lw__times *lw__times_open(struct lw__arena *arena)
{
    struct lw__times *t = lw__new(arena, 1, sizeof *t);
    t->arena = arena;
    t->report = lw__memory_file("lanewise-time-passes");
    if (t->report >= 0) {
        lw__llvm_time_passes(t->report);
        return t;
    }
    lw__defect("no memory file for the times of passes");
    return NULL;
}

void lw__times_begin(struct lw__times *t, const char *pass)
{
    t->count += t->count < PASSES_MAX;
    assert(t->count && t->count <= PASSES_MAX);
    t->passes[t->count - 1].name = pass;
    t->bytes_before = heap_bytes();
    long peak;
    t->began = seconds_now(&peak);
}

/* ---- LLVM's reports -------------------------------------------------------------------------- */

/* The heading of a report: which of its columns of seconds, each with a share in brackets, says how
 * long; how many there are. */
struct heading {
    size_t time, columns;
};

static bool is_heading(const char *line, struct heading *h)
{
    const char *name = strstr(line, "--- Name ---"), *wall = strstr(line, "---Wall Time---"),
               *both = strstr(line, "--User+System--");
    if (!name || !wall)
        return false;
    h->columns = (size_t)(wall - line) / COLUMN + 1;
    h->time = (size_t)((both ? both : wall) - line) / COLUMN;
    return true;
}

/* Long times are wider than their columns. */
static void read_row(struct timed_pass *p, const struct heading *h, const char *line)
{
    double seconds = 0;
    char *end = (char *)line;
    for (size_t c = 0; c < h->columns; c++) {
        const double value = strtod(line, &end);
        seconds = c == h->time ? value : seconds;
        line = strchr(end, ')');
        if (end == line || !line++)
            return;
    }
    line += strspn(line, " ");
    if (strcmp(line, "Total") != 0) {
        size_t k = 0;
        while (k < p->row_count && strncmp(p->rows[k].name, line, NAME_BYTES - 1))
            k++;
        if (k == ROWS_MAX)
            return;
        if (k == p->row_count) {
            p->row_count++;
            snprintf(p->rows[k].name, NAME_BYTES, "%s", line);
        }
        p->rows[k].seconds += seconds;
    }
}

/* Rows that LLVM has written since the last time. */
static void read_report(struct lw__times *t, struct timed_pass *p)
{
    struct lw__text text = lw__text_in(t->arena);
    struct heading h = {.columns = 0};
    if (!lw__read_all(t->report, &text) || !text.length)
        return;
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strncmp(line, "===", 3))
            h.columns = 0;
        else if (!is_heading(line, &h) && h.columns)
            read_row(p, &h, line);
    }
    if (ftruncate(t->report, 0))
        lw__defect("the memory file for the times of passes cannot be emptied");
}

void lw__times_end(struct lw__times *t)
{
    struct timed_pass *p = &t->passes[t->count - 1];
    p->seconds = seconds_now(&p->peak_kib) - t->began;
    p->bytes = heap_bytes() - t->bytes_before;
    read_report(t, p);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int slower_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static struct timed_pass *pass_named(struct lw__times *t, const char *name)
{
    for (size_t k = 0; k < t->count; k++)
        if (!strcmp(t->passes[k].name, name))
            return &t->passes[k];
    return t->count ? &t->passes[t->count - 1] : NULL;
}

bool lw__times_print(struct lw__times *t)
{
    double all = 1e-9;
    LLVMShutdown(); /* the code generator's report */
    struct timed_pass *generator = pass_named(t, "object");
    if (generator)
        read_report(t, generator);
    for (size_t k = 0; k < t->count; k++)
        all += t->passes[k].seconds;
    printf("%9s %7s %7s %9s  %s\n", "cpu s", "share", "MiB", "peak MiB", "pass");
    for (size_t k = 0; k < t->count; k++) {
        struct timed_pass *p = &t->passes[k];
        printf("%9.3f %6.1f%% %7lld %9ld  %s\n", p->seconds, 100 * p->seconds / all,
               (long long)(p->bytes / (1 << 20)), p->peak_kib / 1024, p->name);
        qsort(p->rows, p->row_count, sizeof *p->rows, slower_first);
        for (size_t r = 0; r < p->row_count; r++)
            if (1000 * p->rows[r].seconds >= LEAST_PERMILLE * all)
                printf("%9.3f %6.1f%% %7s %9s    %s\n", p->rows[r].seconds,
                       100 * p->rows[r].seconds / all, "", "", p->rows[r].name);
    }
    printf("%9.3f %6.1f%%\n", all, 100.0);
    close(t->report);
    return !fflush(stdout) || lw__defect("the table cannot be written");
}
