/* outside.h - random kernels with an access outside of its object, on `ref` and on `cpu`.
 *
 *     outside        options, batches, verdicts
 *     outside_make   a random kernel, defects of it, its text
 *     outside_run    a launch: memory between pages that nobody may touch, what comes out
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include "dice.h"
#include <lanewise/lanewise.h>
#include <stdio.h>

enum { OBJECTS = 6, ACCESSES = 8, ALL_THREADS = -1, NO_ACCESS = -1 };

/* What is accessed. VIEW: a tensor. AT_LAUNCH: block memory whose size the launch gives. ENDED: a
 * variable of a helper, which the defect has return. */
enum kind {
    BUFFER,
    DECLARED,
    ROWS,
    VIEW,
    IN_BLOCK,
    ROWS_IN_BLOCK,
    AT_LAUNCH,
    OWN,
    OWN_ROWS,
    TABLE,
    ENDED,
    KINDS
};
extern const char *const kind_names[KINDS];

extern const struct element {
    const char *name;
    lw_dtype dtype;
    int bytes;
    bool is_added; /* it has an atomic addition */
} elements[];
enum { ELEMENTS = 6 };

struct object {
    enum kind kind;
    int element, rows, count;
    int size;                     /* count, but less of it by a defect */
    bool is_named;                /* its count is a parameter */
    bool is_written, is_gathered; /* gathered: with a buffer of indices */
    int layout;                   /* of a VIEW: C order, transposed, backward */
};

/* The index: me, guarded; (me * a + d) % count; d; of a buffer; of a loop over all, over those of
 * the thread, backward. */
enum form { GUARDED, WRAPPED, FIXED, GATHERED, COUNTED, STRIDED, BACKWARD, FORMS };
enum way { DIRECT, BY_HELPER, BY_POINTER, AS_NUMBER, COPIED, WAYS };
struct access {
    int object, a, d, salt, within; /* within: which if or loop */
    enum form form;
    enum way way;
};

/* is_chosen: the launch says which access is wrong, for which thread, and what its index is. */
struct kernel {
    uint64_t seed;
    int number, block[3], grid, objects, accesses;
    bool is_chosen;
    struct object object[OBJECTS];
    struct access access[ACCESSES];
};

enum what { NOTHING, SHIFTED, UNGUARDED, TOO_FAR, SHRUNK, WRONG_DATA, RETURNED, CHOSEN };
struct defect {
    enum what what;
    int access, thread; /* thread: ALL_THREADS, or in each block the one that is wrong */
    bool is_row;        /* SHIFTED: the index of the row */
    int64_t by;         /* SHIFTED, SHRUNK; the index itself */
};

void make_kernel(struct kernel *k, uint64_t seed);
/* False: no such place was found. SHRUNK changes the kernel. */
bool make_defect(struct kernel *k, struct dice *d, struct defect *defect);
void print_helpers(FILE *to);
void print_kernel(FILE *to, const struct kernel *k, const struct defect *defect);
int threads_of(const struct kernel *k);
bool is_parameter(const struct object *o);
bool has_rows(const struct object *o);

struct result {
    lw_status status;
    char text[400];
    bool is_clean;     /* nothing outside of a buffer has changed */
    uint64_t contents; /* a hash of all that the launch has left */
};
void run_kernel(lw_device *device, lw_program *program, const struct kernel *k,
                const struct defect *defect, struct result *result);
#endif
