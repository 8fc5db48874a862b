/* cache.c - `lanewise cache`: what is kept of programs that were built, and what of it shall go.
 */
#include "cli/make/make.h"
#include "lanewise/cache.h"
#include <inttypes.h>
#include <string.h>

/* print_bytes - in the largest unit of which there is one at least: 812 bytes, 1.5 MiB. */
static void print_bytes(uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    size_t unit = 0;
    if (bytes < 1024) {
        printf("%" PRIu64 " bytes", bytes);
        return;
    }
    for (size /= 1024; size >= 1024 && unit < 3; size /= 1024)
        unit++;
    printf("%.1f %s", size, units[unit]);
}

static void print_text(const lw_cache_info *before, const lw_cache_info *after, bool has_trimmed)
{
    if (!*after->path) {
        puts("no folder: neither LANEWISE_CACHE_DIR nor HOME says one");
        return;
    }
    puts(after->path);
    if (has_trimmed) {
        printf("removed %zu entries, ", before->entries - after->entries);
        print_bytes(before->bytes - after->bytes);
        puts("");
    }
    printf("%zu entries, ", after->entries);
    print_bytes(after->bytes);
    printf("; limit ");
    print_bytes(after->limit);
    puts(after->is_used ? "" : "; not used, as the environment says");
}

static void print_json(const lw_cache_info *before, const lw_cache_info *after, bool has_trimmed)
{
    lw__json_member(stdout, "{", "path", after->path);
    printf(", \"used\": %s, \"entries\": %zu, \"bytes\": %" PRIu64 ", \"limit\": %" PRIu64,
           after->is_used ? "true" : "false", after->entries, after->bytes, after->limit);
    if (has_trimmed)
        printf(", \"removed_entries\": %zu, \"removed_bytes\": %" PRIu64,
               before->entries - after->entries, before->bytes - after->bytes);
    puts("}");
}

int cli_cache(const struct cli_options *options)
{
    const bool has_trimmed = options->clear || options->trim;
    if (options->clear && options->trim)
        return cli_fail(CLI_USAGE, "--clear and --trim: need one of them");
    lw_cache_info before;
    lw_status status = lw_cache_get_info(&before);
    lw_cache_info after = before;
    if (!status && has_trimmed)
        status = lw_cache_trim(options->clear           ? 0
                               : options->has_trim_size ? options->trim_size
                                                        : before.limit,
                               &after);
    if (status)
        return cli_fail_library(status);
    /* Others may have built meanwhile. */
    if (after.entries > before.entries)
        before.entries = after.entries;
    if (after.bytes > before.bytes)
        before.bytes = after.bytes;
    (options->json ? print_json : print_text)(&before, &after, has_trimmed);
    return CLI_DONE;
}
