/* ref.h - the parts of the `ref` device.
 *
 *     device          the device: loads programs, finds kernels
 *     schedule        runs one launch: rounds over the threads, collectives, progress
 *     calls           what kernel code calls
 *     order           the order of threads and blocks that can run
 *     turns           in which order the lanes of a warp go on where loops wait
 *     late_lanes      lanes that come too late to a collective of their warp
 *     block           a resident block: its threads, its memory, its coroutines' frames
 *     stack           threads with stacks in place of frames, for a debugger
 *     bounds          what pointers may reach; refused accesses
 *     collective      every collective on plain arrays, one value a lane
 *     report          the messages of launches that fail
 *
 * A launch runs on one host thread; nothing here is shared between launches. Letters: a place is a
 * lane of a warp (0..31) or a thread's linear index in its block (0..1023).
 */
#ifndef LW_RUN_REF_H
#define LW_RUN_REF_H

#include "base/base.h"
#include "base/manifest.h"
#include "base/collectives.h"
#include "run/device_ops.h"
#include "run/report/report.h"

enum {
    LW_REF_THREADS_MAX = 1024,
    LW_REF_SHARED_MAX = 48 << 10, /* bytes, static */
    LW_REF_DYNAMIC_MAX = 1 << 20, /* bytes */
    LW_REF_PRINT_BYTES = 1 << 20, /* of text kept for a launch */
};

/* What lanewise-compile --device takes for code that can be recorded. */
#if defined(__aarch64__)
#define LW_PICTURE_TARGET "picture:aarch64"
#else
#define LW_PICTURE_TARGET "picture"
#endif

/* A pointer of kernel code without its tag. */
static inline uint64_t lw__ref_address(uint64_t pointer)
{
    return pointer & ((UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1);
}

/* A kernel's two functions; ref_abi.h says what they do. */
struct lw__ref_code {
    void *(*ramp)(struct lw_ref_thread *thread);
    void (*resume)(void *handle);       /* NULL: threads have stacks */
    uint64_t frame_bytes;               /* of such a thread at the most; else 0 */
    const struct lw_ref_kernel *kernel; /* NULL: no pointer of it is checked */
};

/* ---- device: for others that run such code --------------------------------------------------- */

/* As the members of struct lw__device_ops; the code of a launch. */
lw_status lw__ref_load(void *state, const char *path, const void *payload, size_t bytes,
                       void **code);
void lw__ref_unload(void *state, void *code);
lw_status lw__ref_find(void *code, const char *kernel, void **entry);
lw_status lw__ref_sizes(void *code, const char *kernel, void **function);
lw_status lw__ref_symbol(void *code, const char *name, void **value);
/* lw__ref_proofs - *proofs is NULL: it has none. False: memory is short. */
bool lw__ref_proofs(void *code, const char *kernel, const struct lw_proofs **proofs);
struct lw__ref_code lw__ref_code_of(const struct lw__launch *launch);

/* ---- who watches a launch -------------------------------------------------------------------- */

struct lw__ref_thread;
struct lw__ref_block;

/* Of an access: allowed, or why not: it is outside of its object; the object is no more; there is
 * no object. LW_REF_PROMISED: it is no access, but a promise that is not kept. */
enum lw__ref_verdict {
    LW_REF_ALLOWED,
    LW_REF_OUTSIDE,
    LW_REF_ENDED,
    LW_REF_NOWHERE,
    LW_REF_PROMISED
};

/* Where a launch is watched, what would fail it is told instead, and it goes on without the threads
 * concerned. `watch` is the launch's. A function that runs out of memory sets launch->status. */
struct lw__ref_watcher {
    /* before the first block, with the arguments' rows known; after the last */
    lw_status (*open)(void *watch, struct lw_ref_launch *launch);
    void (*close)(void *watch, struct lw_ref_launch *launch);
    /* a block starts, with block->watch as the last one that used its memory has left it; its
     * memory is released */
    void (*block_open)(void *watch, struct lw__ref_block *block);
    void (*block_free)(struct lw__ref_block *block);
    /* lw_ref_calls.observe and shadow themselves, as there is one for each access; the watch is the
     * launch's */
    void (*observe)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t what,
                    uint32_t site);
    struct lw_ref_shadow (*shadow)(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes,
                                   uint32_t is_written);
    /* as lw_ref_calls.fence */
    void (*fence)(void *watch, struct lw__ref_thread *thread, bool is_of_device);
    /* as lw_ref_calls.variable, undefined and update */
    void (*variable)(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                     struct lw_ref_shadow at, uint32_t number);
    void (*undefined)(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint32_t origin,
                      uint32_t site);
    void (*update)(void *watch, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                   uint32_t site);
    /* as lw_ref_calls.overflow */
    void (*overflow)(void *watch, struct lw__ref_thread *thread, uint64_t a, uint64_t b,
                     uint32_t what, uint32_t site);
    /* a collective ran: for the block's threads from first to end - 1, as far as they are active */
    void (*collective)(void *watch, struct lw__ref_block *block, int first, int end, uint32_t op,
                       const bool *active);
    /* an access or an index is refused: the thread ends. verdict, pointer: of the access */
    void (*refuse)(void *watch, const struct lw__ref_thread *thread, uint32_t site,
                   enum lw__ref_verdict verdict, uint64_t pointer, const char *what);
    /* threads of a block wait apart: all of them end. other: NULL, or one of those elsewhere */
    void (*part)(void *watch, const struct lw__ref_thread *earliest,
                 const struct lw__ref_thread *other, const char *what);
    /* nobody can make progress: the launch ends. other: NULL, or a lane that does not go on because
     * `first` or others of its warp wait */
    void (*stop)(void *watch, const struct lw__ref_thread *first,
                 const struct lw__ref_thread *other, const char *what);
};

/* ---- who records a launch -------------------------------------------------------------------- */

struct lw__ref_lanes;

/* Where a launch is recorded, its recorder is told what the threads do, of code for a picture; the
 * launch goes on as it does without. `to` is the launch's `recording`. */
struct lw__recorder {
    /* a block starts, with block->recorded as the last one that used its memory has left it; its
     * memory is released */
    void (*block_open)(void *to, struct lw__ref_block *block);
    void (*block_free)(struct lw__ref_block *block);
    /* as of lw_ref_calls */
    void (*observe)(void *to, struct lw__ref_thread *thread, uint64_t pointer, uint64_t bytes,
                    uint32_t what, uint32_t site);
    void (*line)(void *to, struct lw__ref_thread *thread, uint32_t site);
    void (*iteration)(void *to, struct lw__ref_thread *thread, uint32_t loop, uint32_t depth);
    void (*trace)(void *to, struct lw__ref_thread *thread, const char *name, uint32_t type,
                  uint64_t value, uint32_t site);
    /* a collective ran, for the block's threads from `first` on; `at` is one of them */
    void (*collective)(void *to, struct lw__ref_block *block, int first,
                       const struct lw__ref_thread *at, const struct lw__ref_lanes *lanes);
    /* each thread of the block that could run has run; then all collectives ran that could */
    void (*ran)(void *to, struct lw__ref_block *block);
    void (*end_round)(void *to, struct lw__ref_block *block);
    /* the launch is over; what is still resident is `blocks` */
    void (*end)(void *to, struct lw__ref_block *blocks);
};

/* ---- ref_schedule -------------------------------------------------------------------------- */

/* In which order threads and resident blocks run. HASHED: a new one each round, by the seed. */
enum lw__ref_direction { LW_REF_FORWARD, LW_REF_REVERSE, LW_REF_HASHED };
struct lw__ref_schedule {
    enum lw__ref_direction direction;
    uint64_t seed;
};

/* lw__ref_run - run one launch to its end, or to the first failure.
 * watcher  NULL: nobody watches it
 * schedule NULL: forward
 * numeric  the kernel sees the default floating-point environment and the "C" locale; the caller's
 *          are back afterwards
 * errors   LW_E_LAUNCH a failed assert, threads that wait at different collectives, no progress,
 *          cancelled;
 *          LW_E_MEMORY; LW_E_INTERNAL the code breaks ref_abi.h */
lw_status lw__ref_run(const struct lw__launch *request, const struct lw__ref_code *code,
                      const struct lw__ref_watcher *watcher, void *watch,
                      const struct lw__ref_schedule *schedule);

/* ---- ref_calls ----------------------------------------------------------------------------- */

/* lw__ref_calls_open - fill in the launch's calls; its request and its watcher are known. */
void lw__ref_calls_open(struct lw_ref_launch *launch);

/* ---- ref_order ----------------------------------------------------------------------------- */

/* lw__ref_order_open - before the first block. lw__ref_order_threads - before a block's round.
 * lw__ref_order_block - where a block that starts goes in the list of resident ones. */
void lw__ref_order_open(struct lw_ref_launch *launch, const struct lw__ref_schedule *schedule);
void lw__ref_order_threads(struct lw_ref_launch *launch);
struct lw__ref_block **lw__ref_order_block(struct lw_ref_launch *launch);

/* ---- ref_block ----------------------------------------------------------------------------- */

/* Of a thread at the last snapshot, besides its frame. */
struct lw__ref_saved {
    const uint32_t *place;
    uint64_t value, result;
    uint32_t state, is_steady, departures;
    bool ready;
};

struct lw__ref_thread {
    struct lw_ref_thread abi; /* first: kernel code hands its address back */
    struct lw__ref_block *block;
    void *handle; /* the coroutine, or the place on its stack; NULL before it started */
    char *frame;  /* of the coroutine */
    size_t frame_bytes;
    struct lw__ref_saved saved;
};

/* A piece of frame memory. */
struct lw__ref_chunk {
    struct lw__ref_chunk *next;
    size_t size, used; /* of bytes */
    char *copy;        /* bytes at the last snapshot; NULL before the first */
    char bytes[];
};

struct lw__ref_late;

struct lw__ref_block {
    struct lw__ref_block *next; /* in the list of resident blocks, or of spare ones */
    struct lw_ref_launch *launch;
    void *watch;    /* the watcher's; NULL in a new block */
    void *recorded; /* the recorder's; NULL in a new block */
    int32_t index[3];
    int live; /* threads that have not returned */
    /* of each thread: it has not returned; it may be resumed in the next round. Side by side, as
     * all are asked in each round */
    bool lives[LW_REF_THREADS_MAX], ready[LW_REF_THREADS_MAX];
    /* of each warp, until a lane of it runs: an operation that its lanes can run was looked for;
     * one that they can run without those at one of the block. Another look would find none */
    bool seen[LW_REF_WARPS_MAX], seen_without[LW_REF_WARPS_MAX];
    char *memory; /* static SHARED, then dynamic memory */
    struct lw_ref_object
        *objects;                 /* a table for each thread, or one for all; NULL: there is none */
    struct lw__ref_late *late;    /* who went on without whom */
    struct lw__ref_chunk *chunks; /* all frame memory, kept from one use of the block to the next */
    char *stacks;                 /* of all threads, or NULL: they have frames */
    size_t stack_bytes;           /* of all of them */
    char *stack_copy; /* at the last snapshot: of each thread, how many bytes, and them */
    struct lw__ref_thread threads[]; /* launch->thread_count, x fastest */
};

/* lw__ref_is_waiting - is a thread in a collective or barrier that has not run? */
static inline bool lw__ref_is_waiting(const struct lw__ref_block *block, int thread)
{
    return !block->ready[thread] && block->threads[thread].abi.state == LW_REF_COLLECTIVE;
}

/* lw__ref_is_at_turn - is it at a turn, and not the earliest of its warp? */
static inline bool lw__ref_is_at_turn(const struct lw__ref_block *block, int thread)
{
    return !block->ready[thread] && block->threads[thread].abi.state == LW_REF_TURN;
}

/* lw__ref_block_open - take a spare block or a new one and prepare its threads to start.
 * errors   LW_E_MEMORY */
lw_status lw__ref_block_open(struct lw_ref_launch *launch, const int32_t index[3],
                             struct lw__ref_block **block);

/* lw__ref_block_free - release a list of blocks. */
void lw__ref_block_free(struct lw__ref_block *list);

/* lw__ref_frame - memory for a frame, until the block is opened again; NULL if memory is short
 * or the frame is larger than any kernel's (1 GiB). */
void *lw__ref_frame(struct lw__ref_block *block, uint64_t bytes, uint64_t align);

/* lw__ref_frames_save - remember all bytes of all frames; false if memory is short.
 * lw__ref_frames_same - are they what they were? No frame was added since they were saved. */
bool lw__ref_frames_save(struct lw__ref_block *block);
bool lw__ref_frames_same(struct lw__ref_block *block);

/* lw__ref_fill_uninitialised - memory that the kernel has not written yet. */
void lw__ref_fill_uninitialised(char *memory, size_t bytes);

/* ---- ref_stack ----------------------------------------------------------------------------- */

/* lw__ref_stacks_open - for the threads of a new block, if its code needs them; false if memory is
 * short. lw__ref_stacks_close releases them. save, same: as of frames. */
bool lw__ref_stacks_open(struct lw__ref_block *block);
void lw__ref_stacks_close(struct lw__ref_block *block);
bool lw__ref_stacks_save(struct lw__ref_block *block);
bool lw__ref_stacks_same(const struct lw__ref_block *block);

/* lw__ref_stack_resume - run a thread, from its start or from where it stands, until it calls
 * lw__ref_stack_suspend or returns. */
void lw__ref_stack_resume(struct lw__ref_thread *thread);
void lw__ref_stack_suspend(struct lw__ref_thread *thread);

/* ---- ref_turns ----------------------------------------------------------------------------- */

/* lw__ref_take_turn - let those of a warp's lanes at turns go on that are earliest, if all its
 * lanes are at a turn or collective. collective: the one that can run, or NULL; where it is
 * earlier, and where no lane is at a turn, nothing happens and the result is false. */
bool lw__ref_take_turn(struct lw__ref_block *block, int first, int end,
                       const struct lw__ref_thread *collective);

/* As of frames. Copies of frames that do not matter become what the frames are. */
void lw__ref_turns_save(struct lw__ref_block *block);
bool lw__ref_turns_same(struct lw__ref_block *block);

/* ---- ref_late ------------------------------------------------------------------------------ */

/* lw__ref_go_without - record that lanes of a warp go on while others wait at a block operation.
 * at        one of the lanes that go on; all of them wait at its warp operation
 * earliest  of the lanes that wait
 * errors   LW_E_MEMORY */
lw_status lw__ref_go_without(struct lw__ref_block *block, const struct lw__ref_thread *earliest,
                             const struct lw__ref_thread *at);

/* lw__ref_find_late - all live lanes of a warp wait, none before `earliest`: the message where
 * anybody has gone on from there without it, else NULL. */
const char *lw__ref_find_late(struct lw__ref_block *block, const struct lw__ref_thread *earliest);

/* lw__ref_late_free - forget all that was noted. */
void lw__ref_late_free(struct lw__ref_block *block);

/* ---- ref_collective ------------------------------------------------------------------------ */

/* One collective: a warp's 32 places, or one for each thread of a block. */
struct lw__ref_lanes {
    int count;
    bool active[LW_REF_THREADS_MAX]; /* takes part; the other arrays hold nothing elsewhere */
    uint64_t value[LW_REF_THREADS_MAX], identity[LW_REF_THREADS_MAX], result[LW_REF_THREADS_MAX];
    int32_t number[LW_REF_THREADS_MAX];
};

/* lw__ref_collective - from value, identity and number of the active places make their result, as
 * KERNEL_LANGUAGE "Together" says. False: there is no such operation on this type. */
bool lw__ref_collective(uint32_t op, uint32_t type, struct lw__ref_lanes *lanes);

/* lw__ref_source_of - the place that this place reads in a shuffle or broadcast; any number.
 * lw__ref_partner_of - ... in a step of the tree; -1: there is none. */
int64_t lw__ref_source_of(uint32_t op, int place, int32_t number);
int lw__ref_partner_of(int place, int32_t number, int count, const bool *active);

/* lw__ref_is_block_op - do all threads of the block take part, and not only a warp's? */
bool lw__ref_is_block_op(uint32_t op);

/* ---- ref_report ---------------------------------------------------------------------------- */

/* lw__ref_key_order - negative, 0, positive: a waits earlier in the program than b, at the same
 * instance, later. */
int lw__ref_key_order(const struct lw_ref_thread *a, const struct lw_ref_thread *b);

/* Sets the message of a launch that failed and returns LW_E_LAUNCH. */
lw_status lw__ref_fail_assert(const struct lw_ref_launch *launch, const struct lw_ref_thread *t,
                              const struct lw__failed *failed);

/* lw__ref_tell_stuck - who waits where, when no thread can make progress; the first of them.
 * other: the first that only waits for lanes of its warp, or NULL */
const struct lw__ref_thread *lw__ref_tell_stuck(struct lw__message *m,
                                                const struct lw_ref_launch *launch,
                                                const struct lw__ref_thread **other);

/* lw__ref_tell_divergence - the message of a launch where the threads of a block that wait do not
 * wait together; the earliest of them in the program. */
void lw__ref_tell_divergence(struct lw__message *m, const struct lw__ref_block *block,
                             const struct lw__ref_thread *earliest);

/* lw__ref_find_apart - the first thread that waits elsewhere than the earliest; NULL: there is
 * none. */
const struct lw__ref_thread *lw__ref_find_apart(const struct lw__ref_block *block,
                                                const struct lw__ref_thread *earliest);

/* ---- ref_bounds ---------------------------------------------------------------------------- */

/* lw__ref_bounds_open - the launch's own packed arguments, with tags, and the part of the tables
 * that all threads share; close releases them. block - tables for the threads of a block that is
 * new; start - as the threads of the next one find them; table - that of a thread.
 * errors   LW_E_MEMORY */
lw_status lw__ref_bounds_open(struct lw_ref_launch *launch);
void lw__ref_bounds_close(struct lw_ref_launch *launch);
bool lw__ref_bounds_block(struct lw__ref_block *block);
void lw__ref_bounds_start(struct lw__ref_block *block);
struct lw_ref_object *lw__ref_bounds_table(const struct lw__ref_block *block, int thread);

/* lw__ref_bounds_access - an access that a thread's table does not allow: another object may; else
 * what is wrong with it. lw__ref_bounds_index - what is wrong with an index. */
enum lw__ref_verdict lw__ref_bounds_access(const struct lw__ref_thread *thread,
                                           const struct lw_ref_access *access,
                                           struct lw__message *what);
void lw__ref_bounds_index(const struct lw__ref_thread *thread, const struct lw_ref_index *index,
                          struct lw__message *what);

/* lw__ref_refuse - fail the launch for it, or tell who watches. */
lw_status lw__ref_refuse(const struct lw__ref_thread *thread, uint32_t site,
                         enum lw__ref_verdict verdict, uint64_t pointer,
                         const struct lw__message *what);

/* lw__ref_tell_object - what a pointer with its tag is to, as "part[3]".
 * lw__ref_object_at - the row of the object that a pointer with its tag is into, and how many bytes
 * from its start; 0: into none that is known. *element: bytes of its elements, 0: it has none. */
size_t lw__ref_object_at(const struct lw__ref_thread *thread, uint64_t pointer, uint64_t *offset,
                         uint64_t *element);
void lw__ref_tell_object(const struct lw__ref_thread *thread, uint64_t pointer,
                         struct lw__message *m);

/* ---- the launch: shared by schedule, block and report -------------------------------------- */

struct lw_ref_launch {
    const struct lw__launch *request;
    const struct lw__ref_code *code;
    const struct lw__ref_watcher *watcher; /* or NULL */
    void *watch;
    struct lw_ref_calls calls;      /* what kernel code calls back; every thread points here */
    int thread_count;               /* of a block */
    size_t dynamic_offset;          /* of dynamic memory in block memory, bytes */
    char *args;                     /* the packed arguments with tags; NULL: request->args */
    struct lw_ref_object *objects;  /* a table before any block's; NULL: there is none */
    uint64_t tag;                   /* what all tags of the launch have besides the row */
    int32_t next[3];                /* the block to start next; next[2] == grid.z: none is left */
    struct lw__ref_block *resident; /* started and not ended, in the order in which they run */
    struct lw__ref_block *spare;
    int resident_count, resident_least; /* least: while there are blocks left */
    struct lw__ref_schedule schedule;
    uint64_t inverse[LW_REF_THREADS_MAX]; /* hashed: 2^64 / (i + 1), from i = 1 on */
    uint64_t numbers;                     /* the state from which the next hashed one comes */
    uint16_t turn[LW_REF_THREADS_MAX]; /* the threads of a block in the order in which they run */
    void *scheduler; /* its place on its stack, while a thread with a stack of its own runs */

    /* of the current round */
    bool moved;       /* a thread started or returned, or a collective ran */
    bool advanced;    /* the same, but that a collective does not count where there are turns, as
                       * loops that wait may hold some; or a lane caught up with others */
    bool changed;     /* memory changed */
    bool stopped;     /* no thread could make progress, and that was told */
    lw_status status; /* set by calls from kernel code; its message is set too */
    lw_status failed; /* of a block: those before it, which alone are resident, go on */

    /* over rounds: see ref_schedule, "progress" */
    bool has_turns; /* a thread came to one */
    uint64_t patience;
    bool saved;
    uint64_t age, age_max;

    struct lw__ref_lanes lanes; /* scratch of the collective that runs */
};

/* The row that a pointer's tag names, 0: it has none of this launch. */
static inline size_t lw__ref_tagged_row(const struct lw_ref_launch *launch, uint64_t pointer)
{
    const struct lw_ref_kernel *kernel = launch->code->kernel;
    const uint64_t tag = pointer >> LW_REF_ADDRESS_BITS;
    const size_t row = tag & (kernel->object_count - 1); /* a power of two */
    return tag - row == launch->tag && kernel->rows[row].kind != LW_REF_NOTHING ? row : 0;
}
#endif
