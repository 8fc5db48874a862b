/* findings.c - the findings of a stream.
 *
 * Rows never move, and only the count of a row changes. So callers can read strings while other
 * launches add to the list.
 */
#include "run/report/findings.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lw__findings_row {
    struct lw__told told;
    struct lw__findings_row *next;
    lw_place stack[]; /* then the strings */
};

struct lw__findings_proof {
    struct lw__proof proof;
    struct lw__findings_proof *next;
};

struct lw__findings {
    pthread_mutex_t lock;
    struct lw__findings_row *first, **end;
    struct lw__findings_row *told; /* the last that a wait has told of; NULL: none */
    struct lw__coverage covered;
    struct lw__findings_proof *first_proof, **end_proofs;
};

struct lw__findings *lw__findings_create(void)
{
    struct lw__findings *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    pthread_mutex_init(&f->lock, NULL);
    f->end = &f->first;
    f->end_proofs = &f->first_proof;
    return f;
}

void lw__findings_destroy(struct lw__findings *f)
{
    if (!f)
        return;
    while (f->first) {
        struct lw__findings_row *row = f->first;
        f->first = row->next;
        free(row);
    }
    while (f->first_proof) {
        struct lw__findings_proof *proof = f->first_proof;
        f->first_proof = proof->next;
        free(proof);
    }
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool is_same_place(const lw_place *a, const lw_place *b)
{
    if (!a->file || !b->file)
        return a->file == b->file;
    return a->line == b->line && a->column == b->column && !strcmp(a->file, b->file);
}

/* The two places of a race are a pair: in either order. */
static bool is_same(const lw_finding *a, const lw_finding *b)
{
    if (strcmp(a->name, b->name) || strcmp(a->kernel, b->kernel))
        return false;
    return (is_same_place(&a->at, &b->at) && is_same_place(&a->other, &b->other)) ||
           (is_same_place(&a->at, &b->other) && is_same_place(&a->other, &b->at));
}

/* Where a row keeps its strings, but for those of the stack. */
enum { STRINGS = 11 };
static void find_strings(struct lw__told *t, const char **strings[STRINGS])
{
    const char **all[STRINGS] = {&t->finding.name,
                                 &t->finding.kernel,
                                 &t->finding.message,
                                 &t->finding.fix,
                                 &t->finding.object,
                                 &t->finding.at.file,
                                 &t->finding.other.file,
                                 &t->line,
                                 &t->other_line,
                                 &t->suppressed_by,
                                 &t->note};
    memcpy(strings, all, sizeof all);
}

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static void move(const char **text, char **room)
{
    const size_t bytes = bytes_of(*text);
    if (!bytes)
        return;
    memcpy(*room, *text, bytes);
    *text = *room;
    *room += bytes;
}

static struct lw__findings_row *copy(const struct lw__told *told)
{
    const char **strings[STRINGS];
    struct lw__told own = *told;
    const size_t places = own.finding.stack_count;
    size_t bytes = places * sizeof(lw_place);
    find_strings(&own, strings);
    for (size_t i = 0; i < STRINGS; i++)
        bytes += bytes_of(*strings[i]);
    for (size_t i = 0; i < places; i++)
        bytes += bytes_of(own.finding.stack[i].file);
    struct lw__findings_row *row = malloc(sizeof *row + bytes);
    if (!row)
        return NULL;
    char *room = (char *)(row->stack + places);
    for (size_t i = 0; i < STRINGS; i++)
        move(strings[i], &room);
    for (size_t i = 0; i < places; i++) {
        row->stack[i] = own.finding.stack[i];
        move(&row->stack[i].file, &room);
    }
    assert(room == (char *)(row + 1) + bytes);
    own.finding.stack = row->stack;
    row->told = own;
    row->next = NULL;
    return row;
}

/* Locked. */
static bool add(struct lw__findings *f, const struct lw__told *told)
{
    struct lw__findings_row *row = f->first;
    while (row && !is_same(&row->told.finding, &told->finding))
        row = row->next;
    if (row) {
        row->told.finding.count += told->finding.count;
        return true;
    }
    row = copy(told);
    if (!row)
        return false;
    *f->end = row;
    f->end = &row->next;
    if (told->suppressed_by)
        f->covered.suppressed++;
    else if (told->finding.warning)
        f->covered.warnings++;
    else
        f->covered.errors++;
    return true;
}

bool lw__findings_add(struct lw__findings *f, const struct lw__told *told)
{
    pthread_mutex_lock(&f->lock);
    const bool added = add(f, told);
    pthread_mutex_unlock(&f->lock);
    return added;
}

void lw__findings_cover(struct lw__findings *f, const struct lw__coverage *launches)
{
    pthread_mutex_lock(&f->lock);
    f->covered.launches += launches->launches;
    f->covered.blocks += launches->blocks;
    f->covered.accesses += launches->accesses;
    f->covered.screened += launches->screened;
    f->covered.schedules = launches->schedules;
    f->covered.seed = launches->seed;
    pthread_mutex_unlock(&f->lock);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static bool is_same_access(const struct lw__proof *a, const struct lw__proof *b)
{
    return a->line == b->line && a->column == b->column && !strcmp(a->access, b->access) &&
           !strcmp(a->object, b->object) && !strcmp(a->kernel, b->kernel) &&
           !strcmp(a->file, b->file);
}

static struct lw__findings_proof *copy_proof(const struct lw__proof *proof)
{
    struct lw__proof own = *proof;
    const char **strings[] = {&own.kernel, &own.file, &own.access, &own.object};
    enum { COUNT = sizeof strings / sizeof strings[0] };
    size_t bytes = 0;
    for (size_t i = 0; i < COUNT; i++)
        bytes += bytes_of(*strings[i]);
    struct lw__findings_proof *row = malloc(sizeof *row + bytes);
    if (!row)
        return NULL;
    char *room = (char *)(row + 1);
    for (size_t i = 0; i < COUNT; i++)
        move(strings[i], &room);
    assert(room == (char *)(row + 1) + bytes);
    *row = (struct lw__findings_proof){.proof = own};
    return row;
}

/* Locked. */
static bool add_proof(struct lw__findings *f, const struct lw__proof *proof)
{
    struct lw__findings_proof *row = f->first_proof;
    while (row && !is_same_access(&row->proof, proof))
        row = row->next;
    if (row) {
        row->proof.is_proved &= proof->is_proved;
        return true;
    }
    row = copy_proof(proof);
    if (!row)
        return false;
    *f->end_proofs = row;
    f->end_proofs = &row->next;
    return true;
}

bool lw__findings_prove(struct lw__findings *f, const struct lw__proof *proof)
{
    pthread_mutex_lock(&f->lock);
    const bool added = add_proof(f, proof);
    pthread_mutex_unlock(&f->lock);
    return added;
}

bool lw__findings_next_proof(struct lw__findings *f, const struct lw__findings_proof **at,
                             struct lw__proof *proof)
{
    pthread_mutex_lock(&f->lock);
    const struct lw__findings_proof *row = *at ? (*at)->next : f->first_proof;
    if (row)
        *proof = row->proof;
    pthread_mutex_unlock(&f->lock);
    *at = row;
    return row;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool lw__findings_next(struct lw__findings *f, const struct lw__findings_row **at,
                       struct lw__told *told)
{
    pthread_mutex_lock(&f->lock);
    const struct lw__findings_row *row = *at ? (*at)->next : f->first;
    if (row)
        *told = row->told;
    pthread_mutex_unlock(&f->lock);
    *at = row;
    return row;
}

struct lw__coverage lw__findings_covered(struct lw__findings *f)
{
    pthread_mutex_lock(&f->lock);
    const struct lw__coverage covered = f->covered;
    pthread_mutex_unlock(&f->lock);
    return covered;
}

lw_status lw__findings_news(struct lw__findings *f)
{
    size_t errors = 0;
    lw_finding first = {0};
    pthread_mutex_lock(&f->lock);
    struct lw__findings_row *row = f->told ? f->told->next : f->first;
    for (; row; row = row->next) {
        const bool is_error = !row->told.finding.warning && !row->told.suppressed_by;
        if (is_error && errors++ == 0)
            first = row->told.finding;
        f->told = row;
    }
    pthread_mutex_unlock(&f->lock);
    if (!errors)
        return LW_OK;
    return lw__fail(LW_E_CHECK, "kernel '%s': %zu finding%s: %s:%d:%d: %s: %s", first.kernel,
                    errors, errors > 1 ? "s, the first" : "", first.at.file, first.at.line,
                    first.at.column, first.name, first.message);
}
