/* check.h - the parts of the device `check`.
 *
 *     device      the device: ref's, with launches that are watched
 *     watch       what a launch tells: blocks, fences, collectives, refusals
 *     access      an access: does it race, is it aligned, what it will write
 *     shadow      a cell for each granule of memory, in pages
 *     summary     who accessed a granule, in constant space: exact where barriers alone order
 *     clock       what is known of threads
 *     orders      who knows what, where fences and warp_sync order, too
 *     history     every access to a granule that may still race, for such kernels
 *     outcome     the bytes that a launch writes: as they were, as the first schedule left them
 *     arithmetic  what is wrong with an operation on integers, in words
 *     compare     what schedules leave in buffers, against each other
 *     gone        memory of buffers that were destroyed
 *     state       of a device: what lw_check_configure has set, where buffers were
 *     leak        what a program has not destroyed
 *     suppress    a file of findings that are not to be told
 *     source      lines of the source, and what their comments allow
 *     undefined   which bits of memory are undefined
 *     tell        findings of a launch, in words
 *
 * Letters: a *granule* is 4 bytes, or one where a page has been accessed by bytes; an *interval* is
 * what a warp does between two barriers.
 */
#ifndef LW_RUN_CHECK_H
#define LW_RUN_CHECK_H

#include "run/queue/queue.h"
#include "run/ref/ref.h"

/* Kinds of access. Two atomic ones never race; nor do two reads. */
enum lw__kind { LW_KIND_READ, LW_KIND_WRITE, LW_KIND_ATOMIC_READ, LW_KIND_ATOMIC_WRITE, LW_KINDS };

static inline bool lw__kinds_conflict(enum lw__kind a, enum lw__kind b)
{
    const bool writes = (a | b) & LW_KIND_WRITE, is_plain = (a & b & LW_KIND_ATOMIC_READ) == 0;
    return writes && is_plain;
}

/* One access of a thread to a granule. clock: its time, see orders.c; 0: without fences. */
struct lw__access {
    uint64_t block;  /* linear index in the grid */
    uint32_t thread; /* linear index in the block */
    uint32_t site;
    uint64_t clock;
    enum lw__kind kind;
};

/* ---- clock.c --------------------------------------------------------------------------------- */

struct lw__order;

/* What is known: of block b all before an epoch, of a thread all up to a time, and its atomic
 * writes up to another. Never changed once made, so many threads may hold one. NULL: nothing. */
struct lw__clock;
void lw__clock_release(struct lw__clock *clock);
struct lw__clock *lw__clock_hold(struct lw__clock *clock);
/* lw__clock_knows - are those accesses known that these lanes of a warp made? `first`: one by its
 * first lane. Else *lane is one whose access is not. */
bool lw__clock_knows(const struct lw__clock *clock, const struct lw__access *first, uint32_t lanes,
                     uint32_t *lane);

/* All clocks of a schedule. */
struct lw__clocks {
    uint64_t lines; /* so many have begun */
    bool failed;    /* memory was short: some know less */
};
/* lw__clock_join - what both know. lw__clock_without - what is not of that block.
 * lw__clock_of_thread - what the thread itself did, and its block before its epoch.
 * lw__clock_of_warp - the same of those of its threads that are active, of `threads` first to end-1
 * owns   a hold of the result */
struct lw__clock *lw__clock_join(struct lw__clocks *clocks, struct lw__clock *a,
                                 struct lw__clock *b);
struct lw__clock *lw__clock_without(struct lw__clocks *clocks, struct lw__clock *clock,
                                    uint64_t block);
struct lw__clock *lw__clock_of_thread(struct lw__clocks *clocks, uint64_t block, uint32_t thread,
                                      uint64_t time, uint64_t writes);
struct lw__clock *lw__clock_of_warp(struct lw__clocks *clocks, uint64_t block,
                                    const struct lw__order *threads, int first, int end,
                                    const bool *active);

/* ---- orders.c -------------------------------------------------------------------------------- */

struct lw__orders;

/* What a thread knows and has made known; all zero when a block starts. */
struct lw__order {
    uint64_t time; /* epoch << 32 | fences, warp_syncs and atomic writes in it */
    struct lw__clock *known;
    struct lw__clock *released[2], *pending[2]; /* by fences of: the block, the device */
    uint64_t released_time[2];                  /* the thread's own, UINT64_MAX: no fence yet;
                                                 * that of a device counts for the block, too */
};

struct lw__orders *lw__orders_create(void); /* NULL: memory is short */
void lw__orders_free(struct lw__orders *orders);
void lw__orders_of_cuda(struct lw__orders *orders);      /* fences are sequentially consistent */
bool lw__orders_failed(const struct lw__orders *orders); /* memory was short */
void lw__order_start(struct lw__order *order);
void lw__order_end(struct lw__order *order); /* releases what it holds */

/* A fence of the thread; an atomic access of it to this address, which reads, writes, or both. */
void lw__order_fence(struct lw__orders *orders, struct lw__order *order, bool is_of_device);
void lw__order_atomic(struct lw__orders *orders, struct lw__order *order, uint64_t block,
                      uint32_t thread, uint64_t address, bool reads, bool writes);

/* A barrier of the block, and others have returned before it; a warp_sync of those of its threads
 * first to end - 1 that are active, and of no others: a lane that has returned takes no part. */
void lw__order_barrier(struct lw__orders *orders, struct lw__order *threads, int count,
                       uint64_t block, uint32_t epoch);
void lw__order_warp(struct lw__orders *orders, struct lw__order *threads, uint64_t block, int first,
                    int end, const bool *active);

/* ---- history.c ------------------------------------------------------------------------------- */

struct lw__history;

/* True if the access is ordered after all lanes of `earlier`; else *lane is one that it is not. */
typedef bool lw__is_ordered(const void *user, const struct lw__access *earlier, uint32_t lanes,
                            const struct lw__access *now, uint32_t *lane);

/* lw__history_find - an access that races with `now`; kind: of those that are asked for.
 *     coherent: an atomic is ordered before what a thread does there after a later one of its own
 * lw__history_add - `now` happened. False: memory is short. */
bool lw__history_find(struct lw__history *const *history, enum lw__kind kind,
                      const struct lw__access *now, bool coherent, lw__is_ordered *is_ordered,
                      const void *user, struct lw__access *found);
bool lw__history_add(struct lw__history **history, const struct lw__access *now,
                     lw__is_ordered *is_ordered, const void *user);
struct lw__history *lw__history_copy(const struct lw__history *history);

/* ---- summary.c ------------------------------------------------------------------------------- */

/* Of a warp's interval. */
struct lw__interval {
    uint64_t block;
    uint32_t epoch, warp;
};
struct lw__intervals {
    struct lw__interval *rows; /* row 0 is nobody's */
    size_t count, capacity;
};

/* The accesses of a kind to a granule. An entry is interval << 32 | lane << 27 | site, 0: none.
 * `other` is by a thread from which the last is not ordered, as far from it as there is one: of
 * another block, else of another warp in the same epoch, else of another lane in the interval. */
struct lw__summary {
    uint64_t last, other;
};
enum { LW_SITE_BITS = LW_REF_LANE_SHIFT, LW_LANE_BITS = 5 };

static inline uint32_t lw__entry_site(uint64_t entry)
{
    return (uint32_t)entry & (LW_REF_ENTRY_TWIN - 1);
}

static inline bool lw__entry_is_same_thread(uint64_t a, uint64_t b)
{
    return a >> LW_SITE_BITS == b >> LW_SITE_BITS;
}

uint64_t lw__summary_entry(uint32_t interval, uint32_t lane, uint32_t site);
/* An entry that is not ordered before an access by `now`; 0: all are. */
uint64_t lw__summary_find(const struct lw__intervals *intervals, const struct lw__summary *summary,
                          uint64_t now);
void lw__summary_add(const struct lw__intervals *intervals, struct lw__summary *summary,
                     uint64_t now);

/* ---- shadow.c -------------------------------------------------------------------------------- */

enum { LW_PAGE_BYTES = 4096, LW_GRANULE_BYTES = 4 };

static inline size_t lw__page_hash(uint64_t number)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* Knuth's multiplicative hash */
    return (size_t)(number * golden >> 32);
}

/* Summaries of granules: the last accesses, READ and WRITE, as lw_ref_watched.cells has them, with
 * LW_REF_ENTRY_MORE where the others are in the second array. NULL: none has such. */
struct lw__cell {
    uint64_t of[2];
};
struct lw__plane {
    struct lw__cell *last, *other;
};

struct lw__outcome_page;
struct lw__page {
    uint64_t number;
    size_t granule;                   /* bytes: 4 or 1 */
    bool is_flat;                     /* plain.last is in the shadow's array of cells */
    struct lw__plane plain, atomic;   /* plain.last is always there */
    struct lw__history **events;      /* NULL: not kept */
    struct lw__outcome_page *outcome; /* of its memory, NULL: not known yet */
};

/* Pages by address. All zero is empty. */
enum { LW_SHADOW_RECENT = 64 };
struct lw__shadow {
    struct lw__page **pages;
    size_t count, capacity;
    struct lw__page *recent[LW_SHADOW_RECENT]; /* by the last bits of the page number */
    struct lw__cell *flat; /* of pages that follow each other; NULL: there are none */
};
void lw__shadow_free(struct lw__shadow *shadow); /* what it holds; it is empty then */

/* lw__shadow_recent - the page of the address, if it was used of late; else NULL.
 * lw__shadow_page - the page of the address; by_bytes: its granules become bytes. NULL: memory is
 * short. */
static inline struct lw__page *lw__shadow_recent(const struct lw__shadow *shadow, uint64_t address)
{
    const uint64_t number = address / LW_PAGE_BYTES;
    struct lw__page *page = shadow->recent[number % LW_SHADOW_RECENT];
    return page && page->number == number ? page : NULL;
}
struct lw__page *lw__shadow_page(struct lw__shadow *shadow, uint64_t address, bool by_bytes);
/* lw__shadow_flat - all pages of so many bytes, with their cells in one array; the first is of the
 * start of its page. A page whose granules become bytes or have atomics leaves it, and its cells
 * there are all ones, which are in order with nothing. False: memory is short. */
bool lw__shadow_flat(struct lw__shadow *shadow, uint64_t address, uint64_t bytes);
bool lw__page_add_atomic(struct lw__page *page);
bool lw__page_add_events(struct lw__page *page);

/* lw__page_summary - of a granule's accesses of that kind. lw__page_set puts it back, where the
 * plane of that kind is there; false: memory is short. lw__page_forget - what is below an entry. */
struct lw__summary lw__page_summary(const struct lw__page *page, size_t granule,
                                    enum lw__kind kind);
bool lw__page_set(struct lw__page *page, size_t granule, enum lw__kind kind,
                  struct lw__summary summary);
void lw__page_forget(struct lw__page *page, size_t granule, uint64_t before);

/* ---- outcome.c ------------------------------------------------------------------------------- */

enum { LW_OUTCOME_WORD = 64, LW_OUTCOME_WORDS = LW_PAGE_BYTES / LW_OUTCOME_WORD };

struct lw__outcome_page {
    uint64_t number;
    uint64_t written[LW_OUTCOME_WORDS]; /* a bit a byte */
    unsigned char before[LW_PAGE_BYTES], first[LW_PAGE_BYTES];
};

/* Pages by address. All zero is empty. */
struct lw__outcome {
    struct lw__outcome_page **pages;
    size_t count, capacity;
    struct lw__outcome_page *latest;
};
void lw__outcome_free(struct lw__outcome *outcome); /* what it holds; it is empty then */

/* lw__outcome_keep - these bytes will be written. False: memory is short.
 * lw__outcome_page_of - the page of the address; NULL: memory is short.
 * lw__outcome_keep_in - as keep, of bytes that are in the page, and in one of its words.
 * lw__outcome_take_first - what is there is the outcome of the first schedule.
 * lw__outcome_put_before, lw__outcome_put_first - have the bytes what they had then. */
bool lw__outcome_keep(struct lw__outcome *outcome, uint64_t address, uint64_t bytes);
struct lw__outcome_page *lw__outcome_page_of(struct lw__outcome *outcome, uint64_t address);
void lw__outcome_keep_in(struct lw__outcome_page *page, uint64_t address, uint64_t bytes);
void lw__outcome_take_first(struct lw__outcome *outcome);
void lw__outcome_put_before(const struct lw__outcome *outcome);
void lw__outcome_put_first(const struct lw__outcome *outcome);

/* lw__outcome_next - from the address on, a byte that is not what the first schedule left; end:
 * there is none. */
uint64_t lw__outcome_next(const struct lw__outcome *outcome, uint64_t address, uint64_t end);

/* ---- gone.c ---------------------------------------------------------------------------------- */

/* Where memory was. Locked by the device's state. */
enum { LW_GONE_MAX = 256 };
struct lw__range {
    uint64_t begin, bytes;
};
struct lw__gone {
    struct lw__range ranges[LW_GONE_MAX];
    size_t next;
};

/* lw__gone_add - a buffer was destroyed. lw__gone_reuse - a new one has the memory.
 * lw__gone_find - the one that held the address; false: none did. */
void lw__gone_add(struct lw__gone *gone, uint64_t begin, uint64_t bytes);
void lw__gone_reuse(struct lw__gone *gone, uint64_t begin, uint64_t bytes);
bool lw__gone_find(const struct lw__gone *gone, uint64_t address, struct lw__range *found);

/* ---- state.c --------------------------------------------------------------------------------- */

enum { LW_SCHEDULES = 3, LW_SCHEDULES_MAX = 1000 };

/* Of a device; never changed while launches read it. */
struct lw__check_settings {
    int schedules;
    bool strict;
    uint64_t seed;
    struct lw__suppressions *suppressions;
};

/* State of a device. */
lw_status lw__state_open(const char *name, void **state);
void lw__state_close(void *state);
struct lw__check_settings lw__state_of(void *state); /* its suppressions are held */
lw_status
lw__state_check(const lw_device *device); /* LW_E_ARG: it has none, it is another device */

/* As lw__device_ops.memory_made and memory_gone. lw__state_gone - as lw__gone_find. */
void lw__state_memory_made(void *state, const void *memory, size_t bytes);
void lw__state_memory_gone(void *state, const void *memory, size_t bytes);
bool lw__state_gone(void *state, uint64_t address, struct lw__range *found);

/* Of the schedules from 0: forward, reverse, then hashed ones with seeds of their own. */
struct lw__ref_schedule lw__check_schedule(const struct lw__check_settings *settings, int number);
void lw__check_name_schedule(struct lw__message *m, const struct lw__check_settings *settings,
                             int number);
/* ---- undefined.c ----------------------------------------------------------------------------- */

/* What a block has undefined. All zero is none. */
struct lw__undefined {
    struct lw_ref_shadow block;    /* of its memory, */
    size_t bytes;                  /* of which there are so many */
    struct lw__privates *privates; /* of each thread */
    size_t thread_count;
};

/* Shadows of defined memory, which all of it shares. All zero is none. */
struct lw__defined {
    struct lw_ref_shadow read, written;
    uint64_t *zeros, *sink;
    size_t zero_bytes, sink_bytes;
    uint64_t *quick; /* of lw_ref_calls */
};
void lw__undefined_close(struct lw__defined *defined);
/* For the code of a launch: which rows are defined, and what their shadows are. False: memory is
 * short. */
bool lw__undefined_open(struct lw__defined *defined, struct lw_ref_launch *launch);

/* A block starts; false: memory is short. It ends. */
bool lw__undefined_start(struct lw__undefined *undefined, const struct lw__ref_block *block);
void lw__undefined_end(struct lw__undefined *undefined);

/* As lw_ref_calls.variable and shadow. False, or pointers that are NULL: memory is short. */
bool lw__undefined_private(struct lw__undefined *undefined, const struct lw__ref_thread *thread,
                           uint64_t pointer, uint64_t bytes, struct lw_ref_shadow at,
                           uint32_t number);
struct lw__check;
struct lw_ref_shadow lw__undefined_shadow(struct lw__check *check,
                                          const struct lw__undefined *undefined,
                                          const struct lw__ref_thread *thread, uint64_t pointer,
                                          uint64_t bytes, bool is_written);

/* A collective ran for the active ones of these threads: what of its result is undefined. */
void lw__undefined_collective(struct lw__ref_thread *threads, int count, uint32_t op,
                              const bool *active);

/* What is wrong with that use of what comes from there; did a lane lack its source? */
void lw__undefined_tell(struct lw__message *m, const struct lw__site *use,
                        const struct lw__site *from);
bool lw__undefined_is_lane(const struct lw__site *from);

/* ---- tell.c ---------------------------------------------------------------------------------- */

enum lw__class {
    LW_CLASS_RACE_WARP,
    LW_CLASS_RACE_SHARED,
    LW_CLASS_RACE_GLOBAL,
    LW_CLASS_BENIGN_WRITE,
    LW_CLASS_BENIGN_READ,
    LW_CLASS_BARRIER,
    LW_CLASS_BOUNDS,
    LW_CLASS_MISALIGNED,
    LW_CLASS_DEADLOCK,
    LW_CLASS_NONDETERMINISTIC,
    LW_CLASS_UNINITIALISED,
    LW_CLASS_LANE,
    LW_CLASS_OVERFLOW,
    LW_CLASS_USE_AFTER_FREE,
    LW_CLASS_LEAK, /* leak.c makes these findings */
    LW_CLASS_ASSUMPTION,
};

/* Something found, as the launch knows it: numbers only, so that the same again costs little. */
struct lw__found {
    enum lw__class class;
    bool is_warning;             /* as its class, but for races of code for lockstep */
    struct lw__access at, other; /* other.site UINT32_MAX: there is none */
    int schedule;                /* the first in which it was seen */
    size_t count;                /* in that schedule */
    uint32_t origin;             /* of a race: that of the object's declaration, or 0 */
    char *what; /* owned; of a race and of what differs the object, else the message */
};

/* The site of the atomic by which a block has learnt last of others, UINT32_MAX: of none. */
struct lw__learnt {
    uint32_t *sites;
    size_t count;
    struct lw__access latest; /* of any block */
};

struct lw__check {
    const struct lw__launch *request;
    struct lw__intervals intervals;
    struct lw__shadow global;
    struct lw__defined defined;
    struct lw__orders *orders; /* NULL: barriers alone order */
    struct lw__learnt learnt;
    uint64_t accesses;
    uint64_t unwritten; /* as lw_ref_calls has it, while no thread is astray */
    size_t astray;      /* blocks that have one */
    bool has_atomics;   /* there was an atomic access */
    bool has_ended;     /* a thread ended early: a deadlock that follows from that is not told */
    bool failed;        /* memory was short */
    uint64_t proved[LW_PROOF_WORDS]; /* as lw__prove sets them */

    /* of all schedules */
    void *device; /* its state */
    struct lw__check_settings settings;
    int schedule; /* the number of the one that runs */
    bool is_done; /* the others would do the same as the first */
    struct lw__outcome outcome;
    struct lw__found *found;
    size_t found_count, found_capacity;
};

/* lw__check_found - the row of such a finding, counted once more; *is_new: it needs `what`. NULL:
 * memory is short. */
struct lw__found *lw__check_found(struct lw__check *check, enum lw__class class,
                                  const struct lw__access *at, const struct lw__access *other,
                                  bool *is_new);
/* lw__check_has - is any of them of the class? lw__check_has_errors - is any no warning?
 * lw__check_tell - all of them to the findings of the stream. False: memory is short. */
bool lw__check_has(const struct lw__check *check, enum lw__class class);
bool lw__check_has_errors(const struct lw__check *check);
bool lw__check_tell(const struct lw__check *check);
/* lw__check_tell_proofs - which accesses are proved, to the same. False: memory is short. */
bool lw__check_tell_proofs(const struct lw__check *check, const struct lw_proofs *proofs);

/* ---- arithmetic.c ---------------------------------------------------------------------------- */

/* lw__tell_overflow - the message of an operation whose result its type does not hold, as
 * lw_ref_calls.overflow has it. */
void lw__tell_overflow(struct lw__message *m, uint64_t a, uint64_t b, uint32_t what);

/* ---- compare.c ------------------------------------------------------------------------------- */

/* lw__learnt - the block read by an atomic what others may have written. False: memory is short.
 * lw__check_compare - what the schedule that has just run left: what differs becomes findings.
 * False: memory is short. */
bool lw__learnt(struct lw__learnt *learnt, const struct lw__access *now);
bool lw__check_compare(struct lw__check *check);

/* lw__check_is_class - is a word of so many bytes the name of a class? lw__check_try_classes - all
 * of them, where something else was typed. lw__check_about - of the class with that number, its
 * name and what it is; false: there are fewer. */
struct lw__nearest;
bool lw__check_is_class(const char *word, size_t length);
void lw__check_try_classes(struct lw__nearest *nearest);
bool lw__check_about(size_t number, const char **name, const char **about, bool *warning);
lw_finding lw__check_class(enum lw__class class); /* a finding of it, all else zero */

/* ---- source.c -------------------------------------------------------------------------------- */

/* lw__source_line - *copy is to free(); NULL: there is none.
 * lw__source_allows - a comment there allows findings of the class: `lanewise-allow: CLASS, ...` at
 * the end of the line, or alone in the line above. A word of it that is no class is told.
 * False: memory is short. */
bool lw__source_line(const struct lw__launch *request, const char *file, int line, char **copy);
bool lw__source_allows(const struct lw__launch *request, const lw_place *place, const char *class,
                       struct lw__message *misspelt, bool *allows);

/* ---- suppress.c ------------------------------------------------------------------------------ */

struct lw__suppressions; /* never changed once read; NULL: nothing is suppressed */
struct lw__suppressions *lw__suppressions_hold(struct lw__suppressions *suppressions);
void lw__suppressions_release(struct lw__suppressions *suppressions);

/* lw__suppressions_read - a file. errors: LW_E_IO, LW_E_MEMORY; LW_E_ARG with the line.
 * lw__suppressions_find - what suppresses the finding, as "FILE:LINE"; false: nothing does. */
lw_status lw__suppressions_read(const char *path, struct lw__suppressions **suppressions);
bool lw__suppressions_find(const struct lw__suppressions *suppressions, const lw_finding *finding,
                           struct lw__message *by);

/* ---- text.c, json.c, sarif.c: for lw_check_write --------------------------------------------- */

void lw__check_text(struct lw__text *to, const struct lw__told *told);
void lw__check_json(struct lw__text *to, const struct lw__told *told);
void lw__check_json_proof(struct lw__text *to, const struct lw__proof *proof);
void lw__check_sarif(struct lw__text *to, struct lw__findings *findings, lw_check_verdict verdict,
                     const char *why);

/* ---- watch.c --------------------------------------------------------------------------------- */

extern const struct lw__ref_watcher lw__check_watcher;

/* lw__check_begin - before a schedule; what all schedules share stays. False: memory is short.
 * lw__check_end - releases what is of the schedule.
 * lw__check_lack_memory - the launch fails for it. */
bool lw__check_begin(struct lw__check *check);
void lw__check_end(struct lw__check *check);
void lw__check_lack_memory(struct lw__check *check, const struct lw__ref_block *block);

/* What is kept for a resident block. */
struct lw__watched {
    struct lw__check *check;
    uint64_t index; /* linear, in the grid */
    uint32_t epoch;
    uint64_t begin;              /* entries from before the block are below */
    struct lw_ref_watched quick; /* quick.now: entries from before the epoch are below */
    bool has_ended;              /* a thread ended early: what follows from that is not told */
    const struct lw__ref_thread *astray; /* it goes on to an address that is undefined; until its
                                          * access, all are told */
    uint32_t interval[LW_REF_THREADS_MAX / LW_WARP_SIZE]; /* of each warp; 0: it has none yet */
    struct lw__shadow shared; /* what is below `begin` in it is of blocks that have ended */
    struct lw__undefined undefined;
    size_t thread_count;
    struct lw__order threads[]; /* none where barriers alone order */
};

/* lw__check_astray - a thread of the block is, or none is any more: NULL. */
void lw__check_astray(struct lw__ref_block *block, const struct lw__ref_thread *thread);

static inline bool lw__objects_overlap(const struct lw__object *a, const struct lw__object *b)
{
    return a->memory < b->memory + b->bytes && b->memory < a->memory + a->bytes;
}

static inline struct lw__watched *lw__watched(const struct lw__ref_thread *thread)
{
    return (struct lw__watched *)thread->block->watch;
}

/* ---- access.c -------------------------------------------------------------------------------- */

/* lw__check_observe - as lw_ref_calls.observe.
 * lw__check_access - what an entry of a summary stands for.
 * lw__check_row - of what is pointed to. */
void lw__check_observe(struct lw_ref_thread *t, uint64_t pointer, uint64_t bytes, uint32_t what,
                       uint32_t site);
struct lw__access lw__check_access(const struct lw__intervals *intervals, uint64_t entry,
                                   enum lw__kind kind);
const struct lw_ref_row *lw__check_row(const struct lw__ref_thread *thread, uint64_t pointer);
#endif
