/* waiting.h - results of elementwise functions that wait until they are read.
 *
 * A result that waits knows its function and its terms: Arrays, which may wait too, and numbers.
 * To compute it, all that waits below it becomes the text of one map, each function a statement, so
 * that the bits are those of function after function. A term is read when the result is computed.
 * So each memory, and each result that waits, has a list of who reads it. Who is about to write the
 * memory, or to hand it out, has those computed first.
 *
 *     settle.c     the lists, and what has to be there
 *     waiting.c    what may wait, and how long
 *     chain.c      the text of what waits, and its launch; reductions of it
 *     joined.c     axes that are joined, where there are too many
 */
#ifndef LANEWISE_PYTHON_WAITING_H
#define LANEWISE_PYTHON_WAITING_H
#include "core.h"

/* What waits has at most OPS functions, each as often as its weight says, INPUTS arrays, and
 * NUMBERS numbers. It keeps at most KEPT bytes that nobody else has. */
enum { OPS = 32, NUMBERS = 16, KEPT = 256 << 20 };

struct waiting {
    int (*compute)(array *a);
    elementwise *function;
    const overload *how;
    device *device;
    stream *stream; /* of the thread, when it was made; or NULL */
    struct {
        array *array; /* held; or NULL */
        number number;
        reader reader;
    } in[ARITY];
    reader *readers;                    /* of this result */
    size_t ops, arrays, numbers, bytes; /* of all below; what comes twice counts twice */
    bool is_running;
    unsigned walk; /* the last that came here, which named it: */
    size_t name;
};

/* settle.c */
void reader_add(reader **list, reader *r);
void reader_remove(reader *r); /* it may be in none */
reader **readers_of(array *a);

/* chain_write - compute what waits, into the elements of an array that is there, of its shape. */
int chain_write(array *a, array *to);

/* chain_reduce - what waits, over its last axis or all; the options have no `with`. */
int chain_reduce(array *a, array *to, enum reduction how, const lw_map_reduce_options *options);
bool is_same_view(const array *a, const array *b);

/* What is computed into an array, of arrays that broadcast to it: axes that are joined. */
typedef struct joined {
    int rank;
    size_t count; /* arrays; 0 is the one that is written */
    Py_ssize_t extent[AXES], at[AXES], stride[1 + INPUTS][AXES];
    bool is_looped[AXES];
} joined;

/* joined_tensor - the axes of an array and where it is in the loop; t has buffer and offset.
 * joined_next - go on in the loop. False: it has ended. */
void joined_begin(joined *j, const array *to, array *const *in, size_t count);
void joined_tensor(const joined *j, size_t number, lw_tensor *t);
bool joined_next(joined *j);
#endif
