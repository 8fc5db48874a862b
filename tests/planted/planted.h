/* planted.h - the parts of planted: random kernels, right ones and with a planted defect, under the
 * device `check`, whose findings an oracle judges.
 *
 *     make     a random kernel that is right: patterns, one behind the other
 *     pattern  the patterns
 *     plant    one defect in it
 *     mix      a random kernel, right or wrong by chance
 *     print    the kernel in C
 *     flow     the kernel as the list of what each thread does
 *     finding  lists of findings
 *     oracle   what is wrong with it, by every pair of accesses to every byte
 *     run      what the device `check` finds
 *     main     options, batches, verdicts
 *
 * Nothing here knows how src/run/check works: the oracle follows docs/kernel-language.md.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include "dice.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WARP = 32, THREADS_MAX = 96, BLOCKS_MAX = 3, ARRAYS_MAX = 16, STEPS_MAX = 160 };

/* ---- kernels --------------------------------------------------------------------------------- */

/* ((ME * a + i * c + d) ^ x) % m / q + BLK * b + (i % 2) * flip + tree half + e. m and q 0: not. */
struct index {
    int a, b, c, d, x, m, q, flip, e;
    bool has_half; /* of a tree's level i */
};

/* Which threads: of these threads, in these blocks. */
enum of_threads { ALL, IS, BELOW, FROM, EVEN, IN_TREE };
enum of_blocks { ANY, BLOCK_IS, BLOCK_IS_NOT };
struct condition {
    enum of_threads threads;
    int k;
    enum of_blocks blocks;
    int block;
};

enum op {
    /* accesses */
    LOAD,
    STORE,
    PLAIN_ADD,
    ATOMIC_ADD,
    ATOMIC_LOAD,
    ATOMIC_STORE,
    CAS_FAILS,
    /* waits: until the element is not 0; until it is 0 and the thread has made it 1 */
    SPIN,
    LOCK,
    /* return unless the atomic count of the element is the grid's last */
    LAST,
    BARRIER,
    BLOCK_SUM,
    WARP_SYNC,
    VOTE,
    FENCE_BLOCK,
    FENCE_DEVICE,
    RETURN,
    /* structure */
    IF,
    ELSE,
    LOOP, /* count times, variable i */
    END
};

struct step {
    enum op op;
    int array, count, salt;  /* salt 0: the value is 0 */
    struct index index, row; /* row: of a tile */
    bool by_helper;
    struct condition when; /* of an access, a fence and a barrier by itself; of IF */
    int line;              /* print: where it stands, or its helper */
};

enum type { I8, I16, I32, I32X4, TYPES };
extern const struct type_info {
    const char *name;
    int bytes;
} type_infos[TYPES];

struct array {
    enum type type;
    bool is_shared;
    int rows, count; /* rows 0: not a tile; count: elements of a row */
    int line;        /* print: of its declaration */
};

struct kernel {
    uint64_t seed;
    int number; /* in its source */
    int block, grid, arrays, steps;
    int out_line; /* print: of the last store */
    struct array array[ARRAYS_MAX];
    struct step step[STEPS_MAX];
    char planted[160]; /* what; empty: nothing */
    bool is_mixed;     /* right or wrong by chance */
};

void make(struct kernel *k, uint64_t seed);
void mix(struct kernel *k, uint64_t seed);
void add_pattern(struct kernel *k, struct dice *d, bool is_last);
/* False: no such place was found. */
bool plant(struct kernel *k, struct dice *d);

struct step *add_step(struct kernel *k, enum op op);
int add_array(struct kernel *k, enum type type, bool is_shared, int rows, int count);

/* print - adds lines from *line on, sets those of the steps. */
void print_prelude(FILE *to, int *line);
void print_kernel(FILE *to, struct kernel *k, int *line);

/* ---- what is wrong --------------------------------------------------------------------------- */

enum class {
    RACE_WARP,
    RACE_SHARED,
    RACE_GLOBAL,
    BENIGN,
    DIVERGENCE,
    BOUNDS,
    STUCK,
    UNINITIALISED,
    OTHER
};
extern const char *const class_names[];

struct finding {
    enum class class;
    int line, other; /* other 0: there is none */
};
struct findings {
    struct finding *row;
    size_t count, capacity;
};
void add_finding(struct findings *f, struct finding one); /* once */
bool has_finding(const struct findings *f, struct finding one);
bool has_error(const struct findings *f); /* one that is no warning */
void print_findings(const struct findings *f);

/* What must be told for itself. */
enum kinds { A_RACE = 1, A_DIVERGENCE = 2, AN_INDEX = 4, A_WAIT = 8, A_VALUE = 16 };

unsigned kinds_of(const struct findings *f); /* which kinds are in it, as bits */

/* ---- flow.c ---------------------------------------------------------------------------------- */

/* One thing that a thread does. */
struct act {
    const struct step *step;
    int instance;     /* of a barrier or warp_sync: equal for those who meet */
    int first, bytes; /* of an access, in its array; first -1: out of bounds */
    int64_t i;        /* the loop's variable */
};
struct acts {
    struct act *act;
    int count, capacity;
    bool has_returned;
};
void flow_of(const struct kernel *k, int block, int thread, struct acts *acts);

/* ---- oracle.c -------------------------------------------------------------------------------- */

/* What is wrong with a kernel, run in several orders. */
struct truth {
    struct findings all;       /* in any of them */
    bool is_clean, is_certain; /* certain: an error in each of them */
    enum class class;          /* of them all, or OTHER: they differ */
    unsigned kinds;            /* that are in each order */
};
void oracle(const struct kernel *k, struct truth *truth);
/* True if the finding is in the truth, or in one of many more orders, which are added to it. */
bool oracle_confirms(const struct kernel *k, struct truth *truth, struct finding one);

/* ---- run.c ----------------------------------------------------------------------------------- */

struct device;
struct device *device_open(void);
void device_close(struct device *device);
const char *device_error(void); /* why the latest of these failed */
bool device_build(struct device *device, const char *source);
/* False: the launch failed, not by findings. */
bool device_check(struct device *device, const struct kernel *k, struct findings *found, char *why,
                  size_t size);
#endif
