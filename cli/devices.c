/* devices.c - `lanewise devices`: what this machine has.
 */
#include "cli.h"
#include <stdlib.h>

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
}

int cli_devices(const struct cli_options *options)
{
    (void)options;
    size_t count = lw_device_list(NULL, 0);
    lw_device_info *infos = calloc(count ? count : 1, sizeof *infos);
    if (!infos)
        return cli_fail_memory(count * sizeof *infos);
    size_t known = lw_device_list(infos, count);
    for (size_t i = 0; i < known && i < count; i++)
        print_device(&infos[i]);
    free(infos);
    return CLI_DONE;
}
