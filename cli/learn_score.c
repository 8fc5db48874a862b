/* learn_score.c - what the reader's threads did, beside what those of our solution did.
 */
#include "learn.h"
#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} rows[] = {
#define ROW(name) {#name, offsetof(lw_picture_counts, name)}
    ROW(threads),        ROW(warps),        ROW(global_reads),    ROW(global_writes),
    ROW(block_reads),    ROW(block_writes), ROW(global_requests), ROW(sectors),
    ROW(block_requests), ROW(passes),       ROW(barriers),        ROW(collectives),
    ROW(lines),          ROW(lanes),        ROW(lanes_idle),
#undef ROW
};

static uint64_t value(const lw_picture_counts *counts, size_t row)
{
    uint64_t number;
    memcpy(&number, (const char *)counts + rows[row].offset, sizeof number);
    return number;
}

int learn_count_values(const lw_picture_counts *counts, struct learn_scope *scope)
{
    int failed = CLI_DONE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; i++)
        failed = learn_set(scope, rows[i].name, (int64_t)value(counts, i));
    return failed;
}

void learn_json_counts(FILE *to, const char *name, const lw_picture_counts *counts)
{
    fprintf(to, ",\n \"%s\": {", name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(to, "%s\"%s\": %" PRIu64, i ? ", " : "", rows[i].name, value(counts, i));
    fputc('}', to);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void print_row(FILE *to, const char *name, double mine, double ours)
{
    fprintf(to, "  %-40s %8.4g %8.4g\n", name, mine, ours);
}

void learn_print_score(FILE *to, const struct learn_verdict *verdict)
{
    const lw_picture_counts *a = &verdict->mine, *b = &verdict->ours;
    fprintf(to, "\nscore, %-34s    yours solution\n", verdict->sizes);
    print_row(to, "accesses to global memory a thread",
              share(a->global_reads + a->global_writes, a->threads),
              share(b->global_reads + b->global_writes, b->threads));
    print_row(to, "sectors of 32 bytes that they touch", (double)a->sectors, (double)b->sectors);
    if (a->block_requests || b->block_requests) {
        print_row(to, "accesses to block memory a thread",
                  share(a->block_reads + a->block_writes, a->threads),
                  share(b->block_reads + b->block_writes, b->threads));
        print_row(to, "passes that bank conflicts add", (double)(a->passes - a->block_requests),
                  (double)(b->passes - b->block_requests));
    }
    print_row(to, "barriers and block operations", (double)a->barriers, (double)b->barriers);
    if (a->collectives || b->collectives)
        print_row(to, "operations of warps", (double)a->collectives, (double)b->collectives);
    print_row(to, "idle lanes, %", 100 * share(a->lanes_idle, a->lanes + a->lanes_idle),
              100 * share(b->lanes_idle, b->lanes + b->lanes_idle));
}
