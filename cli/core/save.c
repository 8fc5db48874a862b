/* save.c - files that the command writes: whole or not at all.
 *
 * A name that cannot be opened is a mistake of the command line, status 2. What then cannot be
 * written is a result that is lost, status 4: a full disk.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const struct cli_part *part)
{
    const char *bytes = part->bytes;
    size_t count = part->count;
    while (count > 0) {
        ssize_t n = write(file, bytes, count);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n < 0 ? 0 : n;
        count -= n < 0 ? 0 : (size_t)n;
    }
    return true;
}

static int fail(int error, const char *path, int status)
{
    bool is_short =
        error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE || error == ENOMEM;
    return cli_fail(is_short ? CLI_LAUNCH : status, "%s: %s; it is not saved", path,
                    strerror(error));
}

/* put - the parts into a file that is open, and is closed. */
static int put(int file, const char *path, const struct cli_part *parts, size_t count)
{
    bool is_written = true;
    for (size_t i = 0; i < count && is_written; i++)
        is_written = write_all(file, &parts[i]);
    int error = errno;
    if (close(file) != 0 && is_written) {
        is_written = false;
        error = errno;
    }
    return is_written ? CLI_DONE : fail(error, path, CLI_LAUNCH);
}

/* save_beside - under another name, then renamed. */
static int save_beside(const char *path, const struct cli_part *parts, size_t count)
{
    size_t size = strlen(path) + 32;
    char *aside = malloc(size);
    if (!aside)
        return cli_fail_memory(size);
    snprintf(aside, size, "%s.%ld.tmp", path, (long)getpid());
    int file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int failed = file < 0 ? fail(errno, path, CLI_USAGE) : put(file, path, parts, count);
    if (!failed && rename(aside, path) != 0)
        failed = fail(errno, path, CLI_USAGE);
    if (failed && file >= 0)
        unlink(aside);
    free(aside);
    return failed;
}

int cli_save(const char *path, const struct cli_part *parts, size_t count)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return save_beside(path, parts, count);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* devices and pipes are written to */
    return file < 0 ? fail(errno, path, CLI_USAGE) : put(file, path, parts, count);
}
