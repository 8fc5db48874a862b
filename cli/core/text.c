/* text.c - text in memory, before it goes into a file: what the library writes to a path, and
 * memory streams.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_text_read(int file, char **text, size_t *size)
{
    size_t have = 0;
    *text = NULL;
    struct stat about;
    if (fstat(file, &about) != 0)
        return cli_fail(CLI_BROKEN, "a memory file: %s", strerror(errno));
    *size = (size_t)about.st_size;
    *text = malloc(*size + 1);
    if (!*text)
        return cli_fail_memory(*size + 1);
    while (have < *size) {
        ssize_t n = pread(file, *text + have, *size - have, (off_t)have);
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    (*text)[have] = '\0';
    *size = have;
    return CLI_DONE;
}

int cli_capture(cli_writer *write, const void *of, char **text, size_t *size)
{
    char path[64];
    int file = memfd_create("lanewise-text", MFD_CLOEXEC);
    *text = NULL;
    if (file < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    lw_status status = write(of, path);
    int failed = status == LW_OK ? cli_text_read(file, text, size) : cli_fail_library(status);
    close(file);
    return failed;
}

/* glibc closes a stream whose last allocation failed without an error, and with no text. */
int cli_end_text(FILE *memory, char *const *text)
{
    bool is_whole = memory && !ferror(memory);
    if (memory)
        is_whole = fclose(memory) == 0 && is_whole && *text;
    return is_whole ? CLI_DONE : cli_fail_memory(BUFSIZ);
}
