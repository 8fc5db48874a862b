/* fail.c - what went wrong: a line on standard error, and for --json the first of these lines.
 */
#include "bench.h"
#include <stdarg.h>
#include <string.h>

static char *first_failure(void)
{
    static char text[TEXT_SIZE]; /* a process has one report */
    return text;
}

int bench_fail(int status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "bench: %s\n", text);
    if (!first_failure()[0])
        memcpy(first_failure(), text, sizeof text);
    return status;
}

const char *bench_first_failure(void)
{
    return first_failure();
}
