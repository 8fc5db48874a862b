/* report.c - this program's output: defects to standard error, the result to its descriptor. */
#include "base/manifest.h"
#include "compile/support/unit.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool lw__defect(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "lanewise-compile: ");
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return false;
}

bool lw__print(const char *text)
{
    return fputs(text, stdout) != EOF && !fflush(stdout);
}

static bool write_all(int fd, const char *data, size_t count)
{
    while (count) {
        ssize_t n = write(fd, data, count);
        if (n < 0)
            return lw__defect("the result cannot be written: %s", strerror(errno));
        data += n;
        count -= (size_t)n;
    }
    return true;
}

bool lw__write_result(struct lw__unit *unit)
{
    const size_t bytes = unit->diags.errors ? 0 : unit->payload.length;
    struct lw__text head = lw__text_in(&unit->scratch);
    lw__text_add(&head, "lanewise-manifest\t%d\n", LW_MANIFEST_VERSION);
    lw__text_add_bytes(&head, unit->manifest.data, unit->manifest.length);
    lw__text_add_bytes(&head, unit->sites.data, unit->sites.length);
    lw__text_add(&head, "end\t%zu\n", bytes);
    return write_all(unit->options->out_fd, head.data, head.length) &&
           write_all(unit->options->out_fd, unit->payload.data, bytes);
}
