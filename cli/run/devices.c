/* devices.c - `lanewise devices`: what this machine has.
 */
#include "cli/run/run.h"
#include <stdlib.h>

/* By lw_bounds_mode. */
static const struct {
    const char *word, *text;
} bounds[] = {{"unproved", "refused; compared in launches that are not proved"},
              {"off", "not looked at"},
              {"always", "refused; compared in each launch"}};

static void print_device(const lw_device_info *info)
{
    printf("%-8s %s\n", info->name, info->description);
    if (!info->available) {
        printf("         not available: %s\n", info->unavailable);
        return;
    }
    printf("         SHARED %zu KiB, dynamic %zu KiB a block; printf %zu KiB a launch\n",
           info->max_shared_bytes / 1024, info->max_dynamic_bytes / 1024,
           info->max_print_bytes / 1024);
    printf("         accesses out of bounds: %s\n", bounds[info->bounds].text);
}

static void write_device(const lw_device_info *info)
{
    lw__json_member(stdout, "{", "name", info->name);
    lw__json_member(stdout, ", ", "description", info->description);
    printf(", \"available\": %s", info->available ? "true" : "false");
    if (info->available) {
        printf(", \"shared_bytes\": %zu, \"dynamic_bytes\": %zu, \"print_bytes\": %zu",
               info->max_shared_bytes, info->max_dynamic_bytes, info->max_print_bytes);
        printf(", \"bounds\": \"%s\"}", bounds[info->bounds].word);
        return;
    }
    lw__json_member(stdout, ", ", "unavailable", info->unavailable);
    fputc('}', stdout);
}

static void write_json(const lw_device_info *infos, size_t count)
{
    cli_report_begin();
    fputs("{\"devices\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stdout);
        write_device(&infos[i]);
    }
    fputs("]}\n", stdout);
}

int cli_devices(const struct cli_options *options)
{
    size_t count = lw_device_list(NULL, 0);
    lw_device_info *infos = calloc(count ? count : 1, sizeof *infos);
    if (!infos)
        return cli_fail_memory(count * sizeof *infos);
    size_t known = lw_device_list(infos, count);
    known = known < count ? known : count;
    if (options->json)
        write_json(infos, known);
    for (size_t i = 0; i < known && !options->json; i++)
        print_device(&infos[i]);
    free(infos);
    return CLI_DONE;
}
