/* status.c - this thread's last message, and the texts of the statuses.
 *
 * A failure is one expression, `return lw__fail(status, format, ...)`, so that the code and the
 * text cannot part. The text lives in the thread; no failure path allocates.
 */
#include "base/base.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[LW_MESSAGE_MAX + 1];

/* The arguments may point into last_error itself ("%s: %s"), hence the second buffer. */
static void set_error(const char *format, va_list args)
{
    char text[LW_MESSAGE_MAX + 1];

    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    for (char *p = text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    memcpy(last_error, text, sizeof text);
}

lw_status lw__fail(lw_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_error(format, args);
    va_end(args);
    return status;
}

lw_status lw_fail_lines(lw_status status, const char *below, const char *format, ...)
{
    size_t length, more = strlen(below);

    va_list args;
    va_start(args, format);
    set_error(format, args);
    va_end(args);
    length = strlen(last_error);
    if (length + 1 + more <= LW_MESSAGE_MAX) {
        last_error[length] = '\n';
        memcpy(last_error + length + 1, below, more + 1);
    }
    return status;
}

void lw__error_keep(char *text)
{
    memcpy(text, last_error, sizeof last_error);
}

void lw__error_restore(const char *text)
{
    memcpy(last_error, text, sizeof last_error);
}

lw_status lw_fail(lw_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_error(format ? format : "", args);
    va_end(args);
    return status;
}

const char *lw_last_error(void)
{
    return last_error;
}

const char *lw_status_text(lw_status status)
{
    switch (status) {
#define TEXT(name, value, text)                                                                    \
    case LW_##name: return text;
        LW_STATUS_MAP(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *lw_version(void)
{
    return LW_VERSION;
}

int lw_warp_size(void)
{
    return LW_WARP_SIZE;
}
