/* ref_machine.h - kernels for the scheduler of `ref`, written by hand as state machines.
 *
 * A kernel is a C function `void body(struct machine *m)`. Its frame is struct machine, taken from
 * the scheduler as a coroutine's is, so all it remembers over a suspension it keeps there:
 *     static void body(struct machine *m)
 *     {
 *         BEGIN(m);
 *         AT(m, LW_OP_barrier, 0, SITE, KEY(10));     suspend in a collective
 *         YIELD(m, SITE);                             suspend at a loop's back edge
 *         END(m);
 *     }
 * The including file is linked with src/run/ref_*.c and src/base, not with the rest of the library:
 * it brings its own lw__output.
 */
#include "run/ref/ref.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    struct lw_ref_thread *t;
    int line;     /* of BEGIN ... END where the body goes on; 0 at the start */
    int64_t i, n; /* the body's variables */
    uint64_t v;
};

typedef void (*body_fn)(struct machine *m);

/* The packed arguments: the body, then what the test gives it. */
struct args {
    body_fn body;
    void *data;
};

#define BEGIN(m)                                                                                   \
    switch ((m)->line) {                                                                           \
    case 0:
#define SUSPEND(m)                                                                                 \
    do {                                                                                           \
        (m)->line = __LINE__;                                                                      \
        return;                                                                                    \
    case __LINE__:;                                                                                \
    } while (0)
#define END(m)                                                                                     \
    }                                                                                              \
    (m)->t->state = LW_REF_RETURNED

#define KEY(...)                                                                                   \
    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[])                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define AT(m, op, type, site, ...)                                                                 \
    do {                                                                                           \
        wait_at((m)->t, op, type, site, __VA_ARGS__);                                              \
        SUSPEND(m);                                                                                \
    } while (0)
#define YIELD(m, where)                                                                            \
    do {                                                                                           \
        (m)->t->state = LW_REF_YIELD;                                                              \
        (m)->t->site = where;                                                                      \
        SUSPEND(m);                                                                                \
    } while (0)

static inline void wait_at(struct lw_ref_thread *t, uint32_t op, uint32_t type, uint32_t site,
                           size_t key_length, const uint64_t *key)
{
    t->state = LW_REF_COLLECTIVE;
    t->op = op;
    t->type = type;
    t->site = site;
    t->key_length = (uint32_t)key_length;
    memcpy(t->key, key, key_length * sizeof key[0]);
}

static void *machine_ramp(struct lw_ref_thread *t)
{
    struct machine *m = t->calls->frame(t, sizeof *m, 64);
    if (!m)
        return NULL;
    memset(m, 0, sizeof *m);
    m->t = t;
    ((const struct args *)(const void *)t->args)->body(m);
    return m;
}

static void machine_resume(void *handle)
{
    struct machine *m = handle;
    ((const struct args *)(const void *)m->t->args)->body(m);
}

static inline void *data_of(const struct machine *m)
{
    return ((const struct args *)(const void *)m->t->args)->data;
}

/* ---- what the library's other files would give ----------------------------------------------- */

struct lw__output {
    char text[8192]; /* "block thread|text" for each piece */
};

bool lw__output_add(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                    const char *text)
{
    size_t length = strlen(out->text);
    snprintf(out->text + length, sizeof out->text - length, "%d,%d,%d %d,%d,%d|%s", block[0],
             block[1], block[2], thread[0], thread[1], thread[2], text);
    return true;
}

/* ---- launching and checking ------------------------------------------------------------------ */

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static inline void check_text(const char *file, int line, const char *is, const char *expected)
{
    if (strcmp(is, expected) == 0)
        return;
    fprintf(stderr, "%s:%d:\n  is       %s\n  expected %s\n", file, line, is, expected);
    failures++;
}
#define CHECK_TEXT(is, expected) check_text(__FILE__, __LINE__, is, expected)

/* One line of the pretended source for each site. */
static const struct lw__site sites[] = {
    {"k.c", 10, 5, "barrier"}, {"k.c", 20, 5, "warp_sum"}, {"k.c", 30, 5, "loop"},
    {"k.c", 40, 5, "assert"},  {"k.c", 50, 5, "barrier"},
};
enum { LINE_10, LINE_20, LINE_30, LINE_40, LINE_50 };

struct run {
    lw_dim3 grid, block;
    size_t shared_bytes, dynamic_bytes;
    struct lw__output output;
    atomic_bool cancelled;
    lw_status status;
};

static inline lw_status run(struct run *r, body_fn body, void *data)
{
    struct args args = {body, data};
    struct lw__ref_code code = {.ramp = machine_ramp, .resume = machine_resume};
    struct lw__launch launch = {
        .kernel = "k",
        .grid = r->grid,
        .block = r->block,
        .shared_bytes = r->shared_bytes,
        .dynamic_bytes = r->dynamic_bytes,
        .args = (const char *)&args,
        .args_bytes = sizeof args,
        .sites = sites,
        .site_count = sizeof sites / sizeof sites[0],
        .cancelled = &r->cancelled,
        .output = &r->output,
    };
    r->status = lw__ref_run(&launch, &code, NULL, NULL, NULL);
    return r->status;
}

/* run_1d - blocks of threads, in one dimension; the message of a failure stays in lw_last_error. */
static inline lw_status run_1d(uint32_t blocks, uint32_t threads, body_fn body, void *data)
{
    struct run r = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    return run(&r, body, data);
}
