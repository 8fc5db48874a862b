/* check_test.h - what tests of the device `check` share. */
#ifndef LW_CHECK_TEST_H
#define LW_CHECK_TEST_H
#include <lanewise/check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void must(lw_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", lw_last_error());
    exit(1);
}

/* Of a stream with one launch. */
static inline bool was_screened(lw_stream *s)
{
    char path[] = "/tmp/check_test-XXXXXX", text[4096];
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    must(lw_check_write(s, LW_CHECK_VERBOSE, path)); /* another file of that name */
    close(file);
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    unlink(path);
    return strstr(text, "1 of 1 launches screened");
}
#endif
