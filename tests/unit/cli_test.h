/* cli_test.h - for unit tests of the command's parts: what main.c gives them, with the message kept
 * instead of printed, and checks. A test is linked with cli_unit_sources and the library.
 */
#include "cli/run/run.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char message[2048]; /* of the last cli_fail */
static int failures;

int cli_fail(enum cli_exit status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return status;
}

int cli_fail_file(int error, const char *path)
{
    return cli_fail(CLI_USAGE, "%s: %s", path, strerror(error));
}

int cli_fail_memory(size_t bytes)
{
    return cli_fail(CLI_LAUNCH, "out of memory, %zu", bytes);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static inline void check_text(const char *file, int line, const char *is, const char *expected)
{
    if (strcmp(is, expected) == 0)
        return;
    fprintf(stderr, "%s:%d:\n  is       %s\n  expected %s\n", file, line, is, expected);
    failures++;
}
#define CHECK_TEXT(is, expected) check_text(__FILE__, __LINE__, is, expected)

static inline void check_fails(const char *file, int line, int status, const char *part)
{
    if (status == CLI_USAGE && strstr(message, part))
        return;
    fprintf(stderr, "%s:%d:\n  status %d, message %s\n  expected 2, %s\n", file, line, status,
            message, part);
    failures++;
}
/* CHECK_FAILS - the call gives CLI_USAGE and a message with that part. */
#define CHECK_FAILS(call, part) check_fails(__FILE__, __LINE__, call, part)
