/* program.c - where the programs of a build or an installation are.
 */
#include "cli/core/cli.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

bool cli_find_program(char *path, const char *built, const char *installed)
{
    const char *const places[] = {built, installed};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        int folder = (int)(slash - self);
        int written = snprintf(path, PATH_MAX, "%.*s/%s", folder, self, places[i]);
        if (written < PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    return false;
}
