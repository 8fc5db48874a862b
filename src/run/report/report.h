/* report.h - texts of launches, the same on every device.
 *
 *     report.c        composes the messages of launches that fail
 *     outside.c       those of accesses out of bounds
 *     guarded.c       of code that refuses them: its arguments, and the message
 *     printf.c        formats what kernels print
 *     output.c        keeps it until it is delivered
 *     environment.c   reads environment variables, and reports invalid values
 */
#ifndef LW_RUN_REPORT_H
#define LW_RUN_REPORT_H

#include "base/base.h"
#include "base/bounds_abi.h"
#include "run/device_ops.h"

/* All zero is an empty message. */
struct lw__message {
    char text[LW_MESSAGE_MAX + 1];
    size_t length;
};
void lw__message_add(struct lw__message *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* FILE:LINE of a site; the same and what stands there; "(x,y,z)". */
void lw__message_add_line(struct lw__message *m, const struct lw__launch *launch, uint32_t site);
void lw__message_add_site(struct lw__message *m, const struct lw__launch *launch, uint32_t site);
void lw__message_add_index(struct lw__message *m, const int32_t index[3]);

/* The whole message of a failed assert or, with args, of an assert_that. */
struct lw__print_texts;
struct lw__failed {
    const char *text; /* the condition; the format */
    uint32_t site;
    const uint64_t *args; /* LW_SAID_MAX; NULL: of an assert */
    const struct lw__print_texts *texts;
};
void lw__message_add_assert(struct lw__message *m, const struct lw__launch *launch,
                            const struct lw__failed *failed, const int32_t block[3],
                            const int32_t thread[3]);

/* Parts of that of a divergent barrier: its beginning; who came to a site; who did not, as ranges
 * in linear order; who never will. */
void lw__message_add_divergence(struct lw__message *m, const struct lw__launch *launch,
                                const int32_t block[3]);
void lw__message_add_reached(struct lw__message *m, int64_t count, const int32_t first[3]);
void lw__message_add_missing(struct lw__message *m, const struct lw__launch *launch, uint32_t site,
                             bool (*is_missing)(const void *who, int thread), const void *who);
void lw__message_add_returned(struct lw__message *m, int64_t count);

/* ---- outside.c: parts of the message of an access or index out of bounds ---- */

/* An object, and where in it an access would be. */
struct lw__outside {
    const char *name; /* in the source; NULL or "": it has none */
    unsigned kind;    /* enum lw_ref_memory (base/ref_abi.h) */
    int64_t offset;   /* bytes from its start */
    uint64_t bytes;   /* of the object */
    uint64_t element; /* bytes of an element; 0: it is counted in bytes */
    bool is_null;     /* an argument that is NULL */
};
void lw__message_add_place(struct lw__message *m, const struct lw__launch *launch, uint32_t site);
void lw__message_add_access(struct lw__message *m, const char *access, uint64_t bytes);
void lw__message_add_object(struct lw__message *m, const struct lw__outside *o); /* its name */
/* "index 10 of 'x', which has 10 elements of 4 bytes", or in bytes where those are not whole. */
void lw__message_add_outside(struct lw__message *m, const struct lw__outside *o);
/* It is within, but the variable is no more. A pointer into no object at all. */
void lw__message_add_ended(struct lw__message *m, const struct lw__outside *o);
void lw__message_add_nowhere(struct lw__message *m, uint64_t address, bool has_tag);
/* An index beyond its axis, of a tensor, or -1. o NULL: what it is of is not known. */
void lw__message_add_beyond(struct lw__message *m, const struct lw__outside *o, int64_t index,
                            int64_t count, int axis);
void lw__message_add_thread(struct lw__message *m, const int32_t block[3], const int32_t thread[3]);

/* ---- guarded.c: launches of code whose accesses stay within their objects ---- */

struct lw__guarded_args {
    void *more;
    _Alignas(16) char few[4096 + sizeof(struct lw_bounds)];
};

/* lw__guarded_args - what the code gets: the packed arguments, and where launch->is_guarded the
 * record after them, in `room`. NULL: memory is short.
 * fixed    the record has as many rows as the code knows: of what pointers from memory may be into,
 *          the closest are joined until they fit
 * owns     lw__guarded_args_end */
const char *lw__guarded_args(const struct lw__launch *launch, bool fixed,
                             struct lw__guarded_args *room, size_t *bytes);
void lw__guarded_args_end(struct lw__guarded_args *room);

/* An access that was refused. */
struct lw__refused {
    const uint64_t *words; /* LW_REFUSED_WORDS */
    const char *object;    /* that its word OBJECT points to, here and at any alignment, or NULL */
    uint64_t block;
    uint32_t thread, site;
};
void lw__message_add_refused(struct lw__message *m, const struct lw__launch *launch,
                             const struct lw__refused *refused);

/* lw__place - the three coordinates of a linear index in a grid or block, x fastest. */
void lw__place(lw_dim3 size, uint64_t linear, int32_t index[3]);

/* lw__print - format one printf of a thread and hand the text to out, which cuts what a thread
 * printed into lines. False: memory is short.
 * numeric  floating-point conversions as the C library's in the current locale and rounding */
bool lw__print(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
               const char *format, uint32_t count, const uint64_t *args);

/* Finds the text of a %s on the host, if its argument may be no address there. At most so many
 * bytes of it are read. */
struct lw__print_texts {
    const char *(*find)(const void *user, uint64_t address, size_t most);
    const void *user;
};

/* lw__print_plainly - the same with numbers as in the "C" locale, whatever the thread has set.
 * texts    NULL: arguments of %s are addresses of the host */
bool lw__print_plainly(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                       const char *format, uint32_t count, const uint64_t *args,
                       const struct lw__print_texts *texts);

/* lw__message_add_print - what lw__print_plainly prints, without an end of line. */
void lw__message_add_print(struct lw__message *m, const char *format, uint32_t count,
                           const uint64_t *args, const struct lw__print_texts *texts);

/* ---- output.c ---- */

struct lw__output *lw__output_create(lw_dim3 grid, lw_dim3 block); /* NULL: memory is short */
void lw__output_destroy(struct lw__output *out);
void lw__output_reuse(struct lw__output *out, lw_dim3 grid, lw_dim3 block); /* it is empty */
bool lw__output_is_empty(const struct lw__output *out);
struct lw__output **lw__output_next(struct lw__output *out); /* link for the stream's list */

/* What is handed over: lines, of all that a thread printed, or of each of its calls of printf; or
 * the text of each call as it is. */
enum lw__output_form { LW_OUTPUT_LINES, LW_OUTPUT_CALLS, LW_OUTPUT_TEXT };

/* lw__output_deliver - sort what threads printed, and hand it over. */
void lw__output_deliver(struct lw__output *out, enum lw__output_form form,
                        void (*fn)(const lw_output *, void *), void *user);

/* ---- environment.c: all errors are LW_E_ARG ---- */

/* lw__environment_number - the variable, a multiple of step from step to most; *number is 0 where
 * it is not set, and after an error. */
lw_status lw__environment_number(const char *name, long step, long most, long *number);
lw_status lw__environment_threads(size_t *count); /* LANEWISE_NUM_THREADS; 0: not set */
lw_status lw__environment_cache(bool *wanted);    /* LANEWISE_CACHE: 0 or 1 */
enum lw__wish { LW_WHERE_IT_PAYS, LW_NEVER, LW_ALWAYS };
lw_status lw__environment_screen(enum lw__wish *wish); /* LANEWISE_SCREEN: 0 or 1 */
lw_status lw__environment_bounds(enum lw__wish *wish); /* LANEWISE_BOUNDS: 0 or 1 */
/* The same for a device: its own where the variable is not set, or is not about it. */
lw_status lw__environment_bounds_of(const struct lw__device_ops *ops, enum lw__wish *wish);
lw_status lw__environment_cache_limit(uint64_t *bytes); /* LANEWISE_CACHE_LIMIT; 1 GiB: not set */
lw_status lw__environment_include(void);                /* LANEWISE_INCLUDE: is the header there? */
#endif
