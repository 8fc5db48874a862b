/* shrink.c - the smallest tree that still goes wrong in the same way.
 *
 * Edits are numbered: the k-th statement deleted or replaced by what is in it, the k-th expression
 * by one of its operands or a constant, smaller launches. Each is tried on a copy; what
 * program_check refuses costs nothing, and the others are built a batch at a time. Statements
 * first, from the last to the first, since what comes later uses what comes before; expressions
 * only when no statement can go.
 */
#include "random.h"
#include <string.h>

enum edit {
    DELETE,
    OPEN,
    OPEN_OTHER,
    STATEMENT_EDITS,
    ZERO = STATEMENT_EDITS,
    ONE,
    FIRST,
    SECOND,
    THIRD,
    EDITS
};
enum { BATCH = 12, ROUNDS = 16 };

struct search {
    struct program *p;
    enum edit edit;
    int number, next; /* of the node to edit; of the next one met */
    bool done;
};

/* ---- statements ---------------------------------------------------------------------------- */

static struct block *inner(struct stmt *s, enum edit edit)
{
    if (s->kind == S_SWITCH)
        return &s->arm[edit == OPEN ? 0 : s->arms - 1].body;
    return edit == OPEN ? &s->body : &s->other;
}

static void edit_statement(struct search *w, struct stmt **at)
{
    struct stmt *s = *at;
    w->done = true;
    if (w->edit == DELETE) {
        *at = s->next;
        return;
    }
    struct stmt **end = &inner(s, w->edit)->first;
    w->done = *end != NULL;
    if (!w->done)
        return;
    *at = *end;
    while (*at)
        at = &(*at)->next;
    *at = s->next;
}

static void edit_block(struct search *w, struct block *b)
{
    for (struct stmt **at = &b->first; *at && !w->done; at = &(*at)->next) {
        if (w->next++ == w->number) {
            edit_statement(w, at);
            return;
        }
        edit_block(w, &(*at)->body);
        edit_block(w, &(*at)->other);
        for (int i = 0; i < (*at)->arms; i++)
            edit_block(w, &(*at)->arm[i].body);
    }
}

static void edit_blocks(struct search *w)
{
    for (int i = 0; i < w->p->helpers; i++)
        if (w->p->helper[i])
            edit_block(w, &w->p->helper[i]->body);
    edit_block(w, &w->p->body);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void edit_expr(struct expr *e, void *user)
{
    struct search *w = user;
    if (w->done || w->next++ != w->number)
        return;
    w->done = true;
    if (w->edit == ONE || w->edit == ZERO) {
        uint64_t bits = w->edit == ONE;
        if (e->kind == X_CONST && e->bits <= bits && e->real <= (double)bits)
            w->number = -1;
        else
            *e = *expr_integer(w->p, e->type, bits);
        return;
    }
    struct expr *kid = e->kid[w->edit - FIRST];
    if (kid && (e->kind != X_CAST || kid->type == e->type))
        *e = *expr_cast(w->p, e->type, kid);
    else if (kid && kid->kind != X_CONST && kid->kid[0] && kid->kind != X_CAST)
        *e = *expr_cast(w->p, e->type, kid->kid[0]);
    else
        w->number = -1;
}

/* ---- what is no longer used ---------------------------------------------------------------- */

struct uses {
    bool var[4096], helper[HELPERS_MAX];
};

static void use_expr(struct expr *e, void *user)
{
    struct uses *u = user;
    if (e->var && e->var->id < 4096)
        u->var[e->var->id] = true;
}

static void use_stmt(struct stmt *s, void *user)
{
    struct uses *u = user;
    for (int i = 0; i < 2; i++)
        if (s->from[i] && s->from[i]->id < 4096)
            u->var[s->from[i]->id] = true;
    if (s->helper)
        u->helper[s->helper->id] = true;
}

static void drop_helpers(struct program *p, const struct uses *u)
{
    for (int i = 0; i < p->helpers; i++)
        p->helper[i] = u->helper[i] ? p->helper[i] : NULL;
}

/* Helpers that nobody calls go at once: program_check does not see them. */
static void drop_uncalled(struct program *p)
{
    struct visitor v = {NULL, use_stmt, NULL};
    for (int i = 0; i < HELPERS_MAX; i++) { /* one may have called another */
        struct uses u = {0};
        v.user = &u;
        visit_program(p, &v);
        drop_helpers(p, &u);
    }
}

/* ---- an edit ------------------------------------------------------------------------------- */

/* edited - a copy with the edit, if there is such a node and the program is still one. */
static struct program *edited(const struct program *p, enum edit edit, int number)
{
    struct program *copy = program_clone(p);
    struct search w = {copy, edit, number, 0, false};
    struct visitor v = {edit_expr, NULL, &w};
    bool found[FEATURES];
    if (edit < STATEMENT_EDITS)
        edit_blocks(&w);
    else
        visit_program(copy, &v);
    drop_uncalled(copy);
    const char *why;
    if (w.done && w.number == number && program_check(copy, found, &why))
        return copy;
    program_destroy(copy);
    return NULL;
}

static int count_nodes(const struct program *p, enum edit edit)
{
    struct program *copy = program_clone(p);
    struct search w = {copy, edit, -1, 0, false};
    struct visitor v = {edit_expr, NULL, &w};
    if (edit < STATEMENT_EDITS)
        edit_blocks(&w);
    else
        visit_program(copy, &v);
    program_destroy(copy);
    return w.next;
}

/* ---- trying -------------------------------------------------------------------------------- */

/* What must stay. program_check lets only whole programs through, so another message with the same
 * verdict is no less of a fault. */
struct goal {
    const char *device;
    enum verdict verdict;
};

/* first_bad - index of the first copy that goes wrong in the same way, or -1; the others go. */
static int first_bad(struct program **copies, int count, const struct goal *goal)
{
    struct outcome outcomes[BATCH];
    int found = -1;
    if (count)
        run_programs(goal->device, copies, count, outcomes);
    for (int i = 0; i < count; i++)
        if (found < 0 && outcomes[i].verdict == goal->verdict) {
            found = i;
            copies[i]->fill = outcomes[i].fill;
        } else
            program_destroy(copies[i]);
    return found;
}

/* Statements from the last to the first, expressions from the outermost inwards. */
static struct program *try_edit(struct program *p, enum edit edit, const struct goal *goal,
                                bool *progress)
{
    int nodes = count_nodes(p, edit), step = edit < STATEMENT_EDITS ? -1 : 1;
    int number = step < 0 ? nodes - 1 : 0;
    while (number >= 0 && number < nodes) {
        struct program *copies[BATCH];
        int count = 0, numbers[BATCH];
        for (; number >= 0 && number < nodes && count < BATCH; number += step) {
            copies[count] = edited(p, edit, number);
            numbers[count] = number;
            count += copies[count] != NULL;
        }
        int found = first_bad(copies, count, goal);
        if (found < 0)
            continue;
        program_destroy(p);
        p = copies[found];
        number = numbers[found] - (step < 0);
        nodes = count_nodes(p, edit);
        *progress = true;
    }
    return p;
}

static struct program *try_launch(struct program *p, const struct goal *goal)
{
    static const int sizes[][6] = {{1, 1, 1, 1, 1, 1},  {1, 1, 1, 2, 1, 1},  {1, 1, 1, 4, 1, 1},
                                   {1, 1, 1, 8, 1, 1},  {1, 1, 1, 32, 1, 1}, {1, 1, 1, 33, 1, 1},
                                   {1, 1, 1, 64, 1, 1}, {2, 1, 1, 1, 1, 1},  {2, 1, 1, 32, 1, 1}};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    struct program *copies[SIZES];
    for (int i = 0; i < SIZES; i++) {
        copies[i] = program_clone(p);
        memcpy(copies[i]->grid, sizes[i], sizeof p->grid);
        memcpy(copies[i]->block, sizes[i] + 3, sizeof p->block);
    }
    int found = first_bad(copies, SIZES, goal);
    if (found < 0)
        return p;
    program_destroy(p);
    return copies[found];
}

static void drop_unused(struct program *p)
{
    struct uses u = {0};
    struct visitor v = {use_expr, use_stmt, &u};
    int kept = 0;
    visit_program(p, &v);
    drop_helpers(p, &u);
    for (int i = 0; i < p->shareds; i++)
        if (u.var[p->shared[i]->id]) {
            p->shared[kept] = p->shared[i];
            p->shared_start[kept] = p->shared_start[i];
            p->shared[kept]->shared_index = kept;
            kept++;
        }
    p->shareds = kept;
    for (struct stmt **at = &p->tables.first; *at;)
        if (u.var[(*at)->var->id])
            at = &(*at)->next;
        else
            *at = (*at)->next;
    kept = 0;
    for (int i = 0; i < p->parameters; i++)
        if (u.var[p->parameter[i]->id])
            p->parameter[kept++] = p->parameter[i];
    p->parameters = kept;
    p->fixed_block = false;
}

static struct program *drop(struct program *p, const struct goal *goal)
{
    struct program *copy = program_clone(p);
    drop_unused(copy);
    if (first_bad(&copy, 1, goal) < 0)
        return p;
    program_destroy(p);
    return copy;
}

struct program *shrink(const char *device, struct program *p, const struct outcome *outcome)
{
    struct goal goal = {device, outcome->verdict};
    bool progress = true;
    p->fill = outcome->fill;
    for (int round = 0; round < ROUNDS && progress; round++) {
        progress = false;
        p = try_launch(p, &goal);
        for (int edit = 0; edit < STATEMENT_EDITS; edit++)
            p = try_edit(p, (enum edit)edit, &goal, &progress);
        for (int edit = STATEMENT_EDITS; edit < EDITS && !progress; edit++)
            p = try_edit(p, (enum edit)edit, &goal, &progress);
        p = drop(p, &goal);
    }
    return p;
}
