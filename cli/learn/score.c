/* score.c - what the reader's threads did, beside what those of our solution did.
 */
#include "cli/learn/learn.h"

int learn_count_values(const lw_picture_counts *counts, struct learn_scope *scope)
{
    int failed = CLI_DONE;
    const char *name;
    uint64_t number;
    for (size_t i = 0; !failed && (name = cli_count_read(counts, i, &number)); i++)
        failed = learn_set(scope, name, (int64_t)number);
    return failed;
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
              cli_share(a->global_reads + a->global_writes, a->threads),
              cli_share(b->global_reads + b->global_writes, b->threads));
    print_row(to, "sectors of 32 bytes that they touch", (double)a->sectors, (double)b->sectors);
    if (a->block_requests || b->block_requests) {
        print_row(to, "accesses to block memory a thread",
                  cli_share(a->block_reads + a->block_writes, a->threads),
                  cli_share(b->block_reads + b->block_writes, b->threads));
        print_row(to, "passes that bank conflicts add", (double)(a->passes - a->block_requests),
                  (double)(b->passes - b->block_requests));
    }
    print_row(to, "barriers and block operations", (double)a->barriers, (double)b->barriers);
    if (a->collectives || b->collectives)
        print_row(to, "operations of warps", (double)a->collectives, (double)b->collectives);
    print_row(to, "idle lanes, %", 100 * cli_share(a->lanes_idle, a->lanes + a->lanes_idle),
              100 * cli_share(b->lanes_idle, b->lanes + b->lanes_idle));
}
