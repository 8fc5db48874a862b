/* fuzz.h - for the libFuzzer targets: what must hold for every input, and the command's cli_fail.
 *
 * A target takes bytes, hands them to a reader, and checks what the reader promises: an error is
 * told exactly once, and what was accepted is whole. A broken promise is a crash; so is whatever
 * ASan and UBSan see.
 */
#include "cli/run/run.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ENSURE(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int failures; /* calls of cli_fail for this input */

int cli_fail(enum cli_exit status, const char *format, ...)
{
    char message[4096];
    va_list list;
    va_start(list, format);
    ENSURE(vsnprintf(message, sizeof message, format, list) > 0);
    va_end(list);
    failures++;
    return status;
}

int cli_fail_file(int error, const char *path)
{
    return cli_fail(CLI_USAGE, "%s: %s", path, strerror(error));
}

int cli_fail_memory(size_t bytes)
{
    return cli_fail(CLI_LAUNCH, "out of memory: %zu bytes", bytes);
}

int cli_fail_library(lw_status status)
{
    return cli_fail(CLI_LAUNCH, "%d: %s", status, lw_last_error());
}

/* ensure_told - a failed call told why, once; one that went well said nothing. */
static inline void ensure_told(int failed)
{
    ENSURE((failed != 0) == (failures == 1) && failures <= 1);
    failures = 0;
}

/* exact - count bytes and a NUL, so that ASan sees the first byte too far. Release with free. */
static inline char *exact(const uint8_t *bytes, size_t count)
{
    char *text = malloc(count + 1);
    ENSURE(text != NULL);
    memcpy(text, bytes, count);
    text[count] = '\0';
    return text;
}
