/* ops_wrong.h - for tests of wrong arguments: what a refused call must leave as it was.
 *
 * A row is WRONG(operation, what is wrong with the good call, status, part of the message).
 */
#ifndef OPS_WRONG_H
#define OPS_WRONG_H
#include "ops_calls.h"

enum { BYTES = 4096 };

static struct place place, other; /* other: of another device */

static inline void take_bytes(lw_buffer *b, unsigned char *to)
{
    if (b && lw_buffer_bytes(b) <= BYTES)
        WORKS(lw_buffer_read(b, 0, lw_buffer_count(b), to));
}

static inline void complain(const struct operation *op, const char *what, const char *file,
                            int line)
{
    failures++;
    printf("%s:%d: %s: %s\n", file, line, op->name, what);
}

/* The status; the message has the operation's name, the operand's where not NULL, and the text.
 * After a wait the output's whole buffer is untouched; a good call on the stream gives the right
 * result. */
static inline void refuse(const struct call *c, lw_status status, const char *operand,
                          const char *text, const char *file, int line)
{
    unsigned char before[BYTES] = {0}, after[BYTES] = {0};

    take_bytes(c->out.buffer, before);
    lw_status got = c->op->run(c);
    if (got != status || !strstr(lw_last_error(), c->op->name) ||
        (operand && !strstr(lw_last_error(), operand)) || !strstr(lw_last_error(), text)) {
        complain(c->op, "another answer", file, line);
        printf("    got  %d \"%s\"\n    need %d \"... %s ...\"\n", got, got ? lw_last_error() : "",
               status, text);
    }
    if (lw_stream_wait(place.stream))
        complain(c->op, lw_last_error(), file, line);
    take_bytes(c->out.buffer, after);
    if (memcmp(before, after, sizeof before))
        complain(c->op, "the output is written", file, line);
    if (!is_good(&place, c->op))
        complain(c->op, "the good call behind it", file, line);
}

#define WRONG(name, change, status, text)                                                          \
    do {                                                                                           \
        struct call c;                                                                             \
                                                                                                   \
        good_call(&place, operation_of(name), &c);                                                 \
        change;                                                                                    \
        refuse(&c, status, NULL, text, __FILE__, __LINE__);                                        \
    } while (0)

/* The argument names the device, `cpu` or `ref`. */
static inline void open_places(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "cpu";

    open_place(name, &place);
    open_place(strcmp(name, "ref") ? "ref" : "cpu", &other);
    for (size_t k = 0; k < OPERATIONS; k++)
        CHECK(is_good(&place, &operations[k]));
}

static inline int close_places(void)
{
    close_place(&place);
    close_place(&other);
    return failures != 0;
}
#endif
