/* check.h - findings of the device "check": docs/checking.md explains them.
 */
#ifndef LANEWISE_CHECK_H
#define LANEWISE_CHECK_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_check_options {
    int schedules; /* orders of threads in which a launch runs; 0: the default, 3 */
    bool strict;   /* warnings are errors */
    uint64_t seed; /* of the hashed schedules; 0: the default, 1 */
    const char *suppressions; /* a file of findings that are not told, or NULL: none */
} lw_check_options;

/* lw_check_configure - how a device "check" runs launches that begin from now on. NULL: the
 * default of all. The file is read now.
 * errors   LW_E_ARG another device, a number out of range, a line of the file that means nothing;
 *          LW_E_IO the file cannot be read; LW_E_MEMORY
 * thread   any */
LW_CHECKED lw_status lw_check_configure(lw_device *device, const lw_check_options *options);

typedef struct lw_place {
    const char *file;
    int line, column; /* from 1; 0: not known */
    lw_dim3 block, thread;
} lw_place;

typedef struct lw_finding {
    const char *name; /* the class, as "race-shared" */
    bool warning;
    const char *kernel, *message, *fix, *object; /* object: "part[3]", or "" */
    lw_place at, other;                          /* other.file NULL: there is none */
    const lw_place *stack;                       /* calls of helpers, the innermost first */
    size_t stack_count;
    size_t count; /* how often it was seen */
} lw_finding;

/* lw_check_findings - call fn for each finding, in the order in which the checker found them. They
 * are those of the stream's launches up to the last wait. NULL, and a stream of another device,
 * have none.
 * owns     the strings live during the call of fn */
LW_API void lw_check_findings(lw_stream *stream, void (*fn)(const lw_finding *finding, void *user),
                              void *user);

/* lw_check_leaks - call fn for each call that has created buffers or streams which still live:
 * findings of class "leak". Call it before lw_device_close, where all should be gone. It waits
 * for the device's streams. at.file is the program or library that made the call, at.line is 0. The
 * message has the address of the call, for addr2line. fn may be NULL.
 * errors   LW_E_CHECK there are some, the text has the first; LW_E_ARG another device; LW_E_MEMORY
 * owns     the strings live during the call of fn */
LW_CHECKED lw_status lw_check_leaks(lw_device *device,
                                    void (*fn)(const lw_finding *finding, void *user), void *user);

typedef enum lw_check_format {
    LW_CHECK_TEXT,
    LW_CHECK_JSON,
    LW_CHECK_SARIF,  /* 2.1.0: for a code host */
    LW_CHECK_VERBOSE /* text, with what was suppressed, how many launches were screened, and which
                      * accesses are proved in bounds */
} lw_check_format;

/* lw_check_write - write the findings and the verdict to a file: text with lines of the source, or
 * one JSON object. Only SARIF, JSON and VERBOSE tell of what was suppressed. An existing file is
 * replaced.
 * errors   LW_E_ARG; LW_E_IO the file cannot be written; LW_E_MEMORY */
LW_CHECKED lw_status lw_check_write(lw_stream *stream, lw_check_format format, const char *path);

typedef enum lw_check_verdict {
    LW_CHECK_CLEAN, /* no findings but warnings */
    LW_CHECK_FOUND,
    LW_CHECK_NOT_CHECKED /* nothing ran, or it did not run to its end */
} lw_check_verdict;

/* lw_check_get_verdict - the verdict on the stream's launches up to the last wait.
 * why      may be NULL; else *why is one line: what was covered, or the reason. It lives until the
 *          thread's next call of the library */
LW_API lw_check_verdict lw_check_get_verdict(lw_stream *stream, const char **why);

#ifdef __cplusplus
}
#endif
#endif
