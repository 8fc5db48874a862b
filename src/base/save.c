/* save.c - results as files: whole or not at all.
 *
 * Without the library's messages: the command, which is no part of the library, has this, too.
 */
#include "base/save.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lw__write_all(int descriptor, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count) {
        const ssize_t put = write(descriptor, from, count);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            from += put;
            count -= (size_t)put;
        }
    }
    return true;
}

/* A path that could not be opened or renamed to. */
static enum lw__saved fail(void)
{
    const bool is_short =
        errno == ENOSPC || errno == EDQUOT || errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    return is_short ? LW_SAVE_LOST : LW_SAVE_REFUSED;
}

/* The parts into a file that is open, and is closed. */
static enum lw__saved put(int file, const struct lw__part *parts, size_t count)
{
    bool is_written = true;
    for (size_t i = 0; i < count && is_written; i++)
        is_written = lw__write_all(file, parts[i].bytes, parts[i].count);
    const int error = errno;
    if (close(file) == 0 && is_written)
        return LW_SAVE_DONE;
    errno = is_written ? errno : error;
    return LW_SAVE_LOST;
}

/* Under another name, then renamed. */
static enum lw__saved save_beside(const char *path, const struct lw__part *parts, size_t count)
{
    const size_t size = strlen(path) + 32;
    char *aside = malloc(size);
    if (!aside)
        return LW_SAVE_LOST;
    snprintf(aside, size, "%s.%ld.tmp", path, (long)getpid());
    const int file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    enum lw__saved saved = file < 0 ? fail() : put(file, parts, count);
    if (saved == LW_SAVE_DONE && rename(aside, path) != 0)
        saved = fail();
    const int error = errno;
    if (saved != LW_SAVE_DONE && file >= 0)
        unlink(aside);
    free(aside);
    errno = error;
    return saved;
}

enum lw__saved lw__save(const char *path, const struct lw__part *parts, size_t count)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return save_beside(path, parts, count);
    const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file < 0 ? fail() : put(file, parts, count);
}
