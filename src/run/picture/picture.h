/* picture.h - the parts of the recorder for `lanewise picture`.
 *
 *     recorder    what the threads of a launch tell, as events of rounds
 *     requests    what a warp accesses at once: sectors, bank conflicts, lines
 *     arrays      the memory that a block can name: types, shapes, first values
 *     steps       the events of rounds as steps
 *     number      an element as text
 *     json        the recording as an object of JSON: data, and no drawing
 *     svg         a drawing of all steps, top-down
 *     api         lanewise/picture.h; a page is page.html with the JSON in it
 *
 * Letters: a *round* is one of the scheduler (run/ref/schedule.c); a *step* is what a reader sees
 * of it, and a round may have several. A *request* is an access of a warp: those of its lanes at
 * one place, in the same iterations of all loops.
 */
#ifndef LW_RUN_PICTURE_H
#define LW_RUN_PICTURE_H

#include "lanewise/picture.h"
#include "run/queue/queue.h"
#include "run/ref/ref.h"
#include "text/number.h"

enum {
    LW_PICTURE_STEPS = 100,        /* where nobody says how many */
    LW_PICTURE_EVENTS = 1 << 20,   /* of one recording */
    LW_PICTURE_BYTES = 1900 << 10, /* of its JSON */
    LW_PICTURE_DEPTH = 16,         /* loops in loops that are told apart */
};

/* ---- requests.c ------------------------------------------------------------------------------ */

/* The iterations of the loops that a thread is in, the outermost first. */
struct lw__iterations {
    uint32_t depth;
    struct {
        uint32_t loop, iteration;
    } at[LW_PICTURE_DEPTH];
    uint64_t hash;
};
void lw__iterations_enter(struct lw__iterations *iterations, uint32_t loop, uint32_t depth);
/* Negative, 0, positive: a is before, within, after the iteration that b begins. */
int lw__iterations_order(const struct lw__iterations *a, const struct lw__iterations *b);

/* What a warp does at a place. */
enum lw__request_kind { LW_REQUEST_LINE, LW_REQUEST_GLOBAL, LW_REQUEST_BLOCK };
struct lw__request {
    enum lw__request_kind kind;
    uint32_t site, nth;     /* nth: of the lanes' accesses there in this iteration */
    uint64_t iterations;    /* a hash */
    uint32_t lanes;         /* bits */
    uint32_t bytes;         /* of a lane */
    uint32_t sectors, ways; /* once it is done; ways: passes of block memory */
    size_t event;           /* the first of its events; SIZE_MAX: none is kept */
    uint32_t warp, step;    /* once it is kept; step: of its round */
    uint32_t array;
    bool writes;
    uint64_t address[LW_WARP_SIZE];
};

/* Those of one warp, by site, iterations and nth; all zero is empty. */
struct lw__requests {
    struct lw__request *rows;
    size_t count, capacity;
    uint32_t *slots; /* row + 1 by hash, a power of two */
    size_t slot_count;
};
/* One lane's access, or line. NULL: memory is short. */
struct lw__request *lw__requests_add(struct lw__requests *all, enum lw__request_kind kind,
                                     uint32_t site, uint64_t iterations, int lane);
/* Compute sectors and passes of each request, and add them to counts. active: the lanes of the warp
 * that ran. */
void lw__requests_count(struct lw__requests *all, uint32_t active, lw_picture_counts *counts);
void lw__requests_empty(struct lw__requests *all);
void lw__requests_free(struct lw__requests *all);

/* ---- arrays.c -------------------------------------------------------------------------------- */

enum { LW_ARRAY_RANK = 4, LW_ARRAY_FIRST = 4096 };
struct lw__array {
    char *name; /* owned; NULL: it is no memory that threads share */
    bool is_block, has_type;
    lw_dtype dtype;
    size_t bytes, element, count;
    int rank;
    size_t extent[LW_ARRAY_RANK];
    const char *memory; /* where it begins: of global ones */
    char *first;        /* owned: its bytes when the block started, or NULL */
};
/* By row of the kernel's objects: row_count of them. NULL: memory is short. */
struct lw__array *lw__arrays_create(const struct lw__ref_block *block);
void lw__arrays_free(struct lw__array *arrays, size_t count);
void lw__array_count(struct lw__array *array); /* elements and shape, once the type is known */

/* ---- recorder.c ------------------------------------------------------------------------------ */

enum lw__event_kind {
    LW_EVENT_LINE,
    LW_EVENT_ITERATION, /* array: the loop, element: its depth */
    LW_EVENT_READ,
    LW_EVENT_WRITE,
    LW_EVENT_ATOMIC,
    LW_EVENT_TRACE, /* array: the dtype; element: the name's number */
};
struct lw__event {
    uint8_t kind; /* enum lw__event_kind */
    uint16_t thread;
    uint32_t step; /* of its round */
    uint32_t site, array;
    uint64_t element, value;
};

/* A collective that ran. */
struct lw__operation {
    uint32_t op, type, site;
    int first, count;
    uint64_t *value, *result; /* count of each; owned */
    int32_t *number;
    bool *active;
};

enum lw__lane_state {
    LW_LANE_RAN = 'a',
    LW_LANE_APART = 'd',
    LW_LANE_WAITS = 'w',
    LW_LANE_GONE = 'x'
};

struct lw__step {
    size_t event, event_count;         /* of the recording's */
    size_t operation, operation_count; /* likewise */
    size_t request, request_count;
    char *state; /* enum lw__lane_state of each thread; owned */
};

struct lw__recording {
    lw_dim3 at; /* the block */
    uint32_t steps_max;
    bool counts_only;
    char **traces; /* those that are wanted; 0: all */
    size_t trace_count;
    char *source; /* the text, or NULL: of the file */

    /* of the launch */
    bool is_used; /* it is the one that is recorded */
    bool is_over;
    bool failed;   /* memory was short */
    bool is_found; /* the block started */
    char *kernel, *file;
    struct lw__site *sites; /* copies, with their strings */
    size_t site_count;
    lw_dim3 grid, block;
    lw_picture_counts counts;

    /* of the block */
    struct lw__array *arrays;
    size_t array_count;
    char **names; /* of traces */
    size_t name_count;
    struct lw__event *events;
    size_t event_count, event_capacity, round_begin; /* round_begin: of what is in no step yet */
    struct lw__operation *operations;
    size_t operation_count, operation_capacity, operation_begin;
    struct lw__request *requests;
    size_t request_count, request_capacity, request_begin;
    struct lw__iterations *walked; /* of each thread, as far as steps have been made */
    struct lw__step *steps;
    size_t step_count, step_capacity;
    bool has_changed; /* block memory, since the last step */
    size_t pending;   /* events from here on wrote what has not been looked at yet */
    struct lw__requests warp;
    bool is_cut;
    char cut[160]; /* why */
};

extern const struct lw__recorder lw__picture_recorder;
void lw__recording_free(void *recording); /* a struct lw__recording; NULL is allowed */
/* lw__grow - room for one more row of that size; false: memory is short. */
bool lw__grow(void *rows, size_t count, size_t *capacity, size_t size);

/* ---- steps.c --------------------------------------------------------------------------------- */

/* Steps of all events since the last one. states: of each thread before it, as of a step. */
void lw__steps_make(struct lw__recording *r, const struct lw__ref_block *block);

/* ---- json.c, svg.c --------------------------------------------------------------------------- */

/* lw__picture_number - an element as lw__number_write has it, but whole numbers without a point and
 * bool as 0 or 1. */
void lw__picture_number(char text[LW_NUMBER_SIZE], lw_dtype dtype, uint64_t bits);

/* lw__picture_line - the line of a site, if it is one of the file; else 0. */
int lw__picture_line(const struct lw__recording *r, uint32_t site);

/* lw__picture_source - the text of the kernels, a copy; NULL where its file cannot be read by now.
 * False: memory is short. */
bool lw__picture_source(const struct lw__recording *r, char **text);

/* findings: of the stream, or NULL. */
void lw__picture_json(struct lw__text *to, struct lw__recording *r, struct lw__findings *findings);
void lw__picture_svg(struct lw__text *to, struct lw__recording *r, struct lw__findings *findings);
#endif
