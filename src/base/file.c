/* file.c - whole files in and out, going on after signals. */
#include "base/base.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 16, ENDLESS_MAX = 64 << 20 };

lw_status lw__fail_system(int error, const char *what)
{
    if (error == ENOMEM)
        return lw__fail(LW_E_MEMORY, "%s: out of memory", what);
    struct rlimit files;
    if (error == EMFILE && !getrlimit(RLIMIT_NOFILE, &files))
        return lw__fail(LW_E_IO, "%s: too many open files; this process may have %llu (ulimit -n)",
                        what, (unsigned long long)files.rlim_cur);
    return lw__fail(LW_E_IO, "%s: %s", what, strerror(error));
}

const char *lw__file_kind(unsigned mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISREG(mode)  ? "a regular file"
                            : "a device";
}

static ssize_t read_some(int descriptor, char *to, size_t count)
{
    ssize_t got;

    do
        got = read(descriptor, to, count);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Some files lie about their size, so it is found by reading to the end. Pipes have no start. */
lw_status lw__read_descriptor(int descriptor, const char *name, struct lw__bytes *out)
{
    char *bytes = NULL, *more;
    size_t length = 0, capacity = 0;

    *out = (struct lw__bytes){0};
    if (lseek(descriptor, 0, SEEK_SET) < 0 && errno != ESPIPE)
        return lw__fail_system(errno, name);
    struct stat info;
    bool endless = fstat(descriptor, &info) || !S_ISREG(info.st_mode);
    ssize_t got;
    do {
        if (endless && length > ENDLESS_MAX) {
            free(bytes);
            return lw__fail(LW_E_IO, "%s: goes on after %d MiB; need a text or a regular file",
                            name, ENDLESS_MAX >> 20);
        }
        if (capacity - length < STEP) {
            capacity = capacity ? 2 * capacity : 2 * STEP;
            more = realloc(bytes, capacity);
            if (!more) {
                free(bytes);
                return lw__fail(LW_E_MEMORY, "out of memory: %zu bytes to read %s", capacity, name);
            }
            bytes = more;
        }
        got = read_some(descriptor, bytes + length, STEP - 1);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    if (got < 0) {
        free(bytes);
        return lw__fail_system(errno, name);
    }
    assert(length < capacity);
    bytes[length] = '\0';
    *out = (struct lw__bytes){bytes, length};
    return LW_OK;
}

lw_status lw__read_file(const char *path, struct lw__bytes *out)
{
    *out = (struct lw__bytes){0};
    int descriptor;
    do
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        return lw__fail_system(errno, path);
    lw_status status = lw__read_descriptor(descriptor, path, out);
    close(descriptor);
    return status;
}

lw_status lw__write_file(const char *path, const void *bytes, size_t count)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file < 0)
        return lw__fail_system(errno, path);
    const bool written = lw__write_all(file, bytes, count);
    const int error = errno;
    if (close(file) == 0 && written)
        return LW_OK;
    const lw_status status = lw__fail_system(written ? errno : error, path);
    struct stat info;
    if (!lstat(path, &info) && S_ISREG(info.st_mode))
        unlink(path); /* half of a file; a device, a pipe and what a link leads to stay */
    return status;
}
