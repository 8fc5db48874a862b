/* counts.c - the counts of a launch, by the names that --json and check.txt have for them.
 */
#include "cli/run/run.h"
#include "lanewise/picture.h"
#include <inttypes.h>
#include <stddef.h>
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

const char *cli_count_read(const void *counts, size_t index, uint64_t *number)
{
    if (index >= sizeof rows / sizeof *rows)
        return NULL;
    memcpy(number, (const char *)counts + rows[index].offset, sizeof *number);
    return rows[index].name;
}

void cli_json_counts_as(FILE *to, const char *member, const void *counts)
{
    fprintf(to, ",\n \"%s\": {", member);
    const char *name;
    uint64_t number;
    for (size_t i = 0; (name = cli_count_read(counts, i, &number)); i++)
        fprintf(to, "%s\"%s\": %" PRIu64, i ? ", " : "", name, number);
    fputc('}', to);
}

void cli_json_counts(FILE *to, const void *counts)
{
    cli_json_counts_as(to, "counts", counts);
}

double cli_share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}
