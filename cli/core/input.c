/* input.c - a kernel file that is read from standard input: FILE is `-`, messages say `<stdin>`.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool cli_is_input(const char *file)
{
    return strcmp(file, "-") == 0;
}

const char *cli_input_name(const char *file)
{
    return cli_is_input(file) ? "<stdin>" : file;
}

/* read_some - at the end of the text, which grows; 0: there is no more. */
static ssize_t read_some(char **text, size_t *size, size_t *room)
{
    if (*room - *size < 2) {
        size_t more = *room ? 2 * *room : 1 << 16;
        char *larger = realloc(*text, more);
        if (!larger)
            return -1;
        *text = larger;
        *room = more;
    }
    ssize_t got;
    do
        got = read(STDIN_FILENO, *text + *size, *room - *size - 1);
    while (got < 0 && errno == EINTR);
    *size += got > 0 ? (size_t)got : 0;
    return got;
}

int cli_input_read(char **text)
{
    size_t size = 0, room = 0;
    *text = NULL;
    ssize_t got;
    do
        got = read_some(text, &size, &room);
    while (got > 0);
    if (got < 0)
        return errno == ENOMEM ? cli_fail_memory(2 * room)
                               : cli_fail(CLI_USAGE, "standard input: %s", strerror(errno));
    (*text)[size] = '\0';
    if (strlen(*text) != size)
        return cli_fail(CLI_USAGE, "standard input: byte %zu is 0; a kernel file is text",
                        strlen(*text));
    return CLI_DONE;
}

int cli_input_store(const char *text, int *file)
{
    const size_t size = strlen(text);
    *file = memfd_create("lanewise-input", MFD_CLOEXEC);
    if (*file < 0 || write(*file, text, size) != (ssize_t)size)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    return CLI_DONE;
}

int cli_input_file(int *file)
{
    char *text;
    int failed = cli_input_read(&text);
    *file = -1;
    if (!failed)
        failed = cli_input_store(text, file);
    free(text);
    return failed;
}
