/* device.c - names of devices: which are words for a device, and which are misspelt.
 *
 * A name that this machine has no device for is not misspelt: `cuda:7` without GPUs.
 */
#include "cli/core/cli.h"
#include <stdlib.h>
#include <string.h>

/* is_listed - true if the library knows a device of that name of length bytes. */
static bool is_listed(const char *name, size_t length)
{
    size_t count = lw_device_list(NULL, 0);
    lw_device_info *infos = calloc(count ? count : 1, sizeof *infos);
    bool found = !infos; /* without memory nothing is said against it here */
    size_t known = infos ? lw_device_list(infos, count) : 0;
    for (size_t i = 0; i < known && i < count; i++)
        found = found || (strlen(infos[i].name) == length && !memcmp(infos[i].name, name, length));
    free(infos);
    return found;
}

bool cli_is_device(const char *name)
{
    size_t length = strcspn(name, ":");
    const char *rest = name + length;
    if (!is_listed(name, length))
        return false;
    bool is_cuda = length == 4 && memcmp(name, "cuda", length) == 0;
    return !*rest || (is_cuda && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]);
}

bool cli_is_target(const char *name)
{
    return cli_is_device(name) || strncmp(name, "cpu:", 4) == 0 ||
           strncmp(name, "cuda:sm_", 8) == 0 || strcmp(name, "ref:aarch64") == 0;
}
