/* tell.c - what a launch has found, as findings in words.
 */
#include "run/check/check.h"
#include "base/nearest.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *about, *fix;
    bool warning;
} classes[] = {
    [LW_CLASS_RACE_WARP] = {"race-warp", "Two lanes of a warp access the same bytes in no order",
                            "warp_sync() or barrier() between the two accesses", false},
    [LW_CLASS_RACE_SHARED] = {"race-shared",
                              "Threads of a block access the same bytes of it in no order",
                              "barrier() between the two accesses", false},
    [LW_CLASS_RACE_GLOBAL] = {"race-global",
                              "Threads access the same bytes of global memory in no order",
                              "barrier() between the two accesses", false},
    [LW_CLASS_BENIGN_WRITE] = {"benign-write", "Threads write the same value in no order",
                               "let one thread write it", true},
    [LW_CLASS_BENIGN_READ] = {"benign-read",
                              "The first read of a loop that compares and swaps is no atomic",
                              "read it by an atomic, or through a volatile pointer", true},
    [LW_CLASS_BARRIER] = {"barrier-divergence", "Not all threads of a block reach a barrier",
                          "move the barrier to where all threads of the block come", false},
    [LW_CLASS_BOUNDS] = {"out-of-bounds", "An access outside of its object",
                         "compare the index with the size first", false},
    [LW_CLASS_MISALIGNED] = {"misaligned", "An access at an address that its type does not allow",
                             "give the pointer's type the alignment that it has", false},
    [LW_CLASS_DEADLOCK] = {"deadlock", "No thread can make progress",
                           "let every wait end by something that another thread does", false},
    [LW_CLASS_NONDETERMINISTIC] = {"nondeterministic", "A result depends on the order of threads",
                                   "let the result not depend on the order of atomics", true},
    [LW_CLASS_UNINITIALISED] = {"uninitialised", "A value that nothing has written is used",
                                "write it first, on every path that leads here", false},
    [LW_CLASS_LANE] = {"undefined-lane", "A value of a lane that is not there is used",
                       "use it only where the lane that it comes from takes part", false},
    [LW_CLASS_OVERFLOW] = {"overflow", "Arithmetic whose result its type does not hold",
                           "use a wider or an unsigned type, or test the operands first", false},
    [LW_CLASS_USE_AFTER_FREE] = {"use-after-free", "An access to an object that is no more",
                                 "keep the object until its last access", false},
    [LW_CLASS_LEAK] = {"leak", "A buffer or stream that the program has not destroyed",
                       "destroy it on every path, before lw_device_close", false},
    [LW_CLASS_ASSUMPTION] = {"assumption", "What the program promises to the compiler is not so",
                             "assume only what holds for all inputs", false},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

bool lw__check_is_class(const char *word, size_t length)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (strlen(classes[i].name) == length && !strncmp(word, classes[i].name, length))
            return true;
    return false;
}

void lw__check_try_classes(struct lw__nearest *nearest)
{
    for (size_t i = 0; i < CLASSES; i++)
        lw__nearest_try(nearest, classes[i].name);
}

bool lw__check_about(size_t number, const char **name, const char **about, bool *warning)
{
    if (number >= CLASSES)
        return false;
    *name = classes[number].name;
    *about = classes[number].about;
    *warning = classes[number].warning;
    return true;
}

lw_finding lw__check_class(enum lw__class class)
{
    return (lw_finding){
        .name = classes[class].name, .warning = classes[class].warning, .fix = classes[class].fix};
}

/* ---- finding --------------------------------------------------------------------------------- */

struct lw__found *lw__check_found(struct lw__check *check, enum lw__class class,
                                  const struct lw__access *at, const struct lw__access *other,
                                  bool *is_new)
{
    const uint32_t there = other ? other->site : UINT32_MAX;
    *is_new = false;
    for (size_t i = 0; i < check->found_count; i++) {
        struct lw__found *f = &check->found[i];
        if (f->class != class || !((f->at.site == at->site && f->other.site == there) ||
                                   (f->at.site == there && f->other.site == at->site)))
            continue;
        f->count += f->schedule == check->schedule;
        return f;
    }
    if (check->found_count == check->found_capacity) {
        const size_t capacity = check->found_capacity ? 2 * check->found_capacity : 8;
        struct lw__found *more = realloc(check->found, capacity * sizeof *more);
        if (!more)
            return NULL;
        check->found = more;
        check->found_capacity = capacity;
    }
    struct lw__found *f = &check->found[check->found_count++];
    assert(class != LW_CLASS_LEAK); /* leak.c makes those */
    *f = (struct lw__found){.class = class,
                            .is_warning = classes[class].warning,
                            .at = *at,
                            .schedule = check->schedule,
                            .count = 1};
    f->other = other ? *other : (struct lw__access){.site = UINT32_MAX};
    *is_new = true;
    return f;
}

bool lw__check_has(const struct lw__check *check, enum lw__class class)
{
    for (size_t i = 0; i < check->found_count; i++)
        if (check->found[i].class == class)
            return true;
    return false;
}

bool lw__check_has_errors(const struct lw__check *check)
{
    for (size_t i = 0; i < check->found_count; i++)
        if (!check->found[i].is_warning)
            return true;
    return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

static lw_dim3 split(lw_dim3 size, uint64_t linear)
{
    int32_t index[3];
    lw__place(size, linear, index);
    return (lw_dim3){(uint32_t)index[0], (uint32_t)index[1], (uint32_t)index[2]};
}

static lw_place place_of(const struct lw__check *check, const struct lw__access *access)
{
    const struct lw__launch *request = check->request;
    lw_place place = {.block = split(request->grid, access->block),
                      .thread = split(request->block, access->thread)};
    if (access->site < request->site_count) {
        const struct lw__site *site = &request->sites[access->site];
        place.file = site->file;
        place.line = site->line;
        place.column = site->column;
    } else if (access->site != UINT32_MAX) {
        place.file = "";
    }
    return place;
}

/* The calls of helpers behind a site. */
static size_t stack_of(const struct lw__check *check, const struct lw__access *access,
                       lw_place *stack, size_t most)
{
    const struct lw__launch *request = check->request;
    size_t count = 0;
    if (access->site >= request->site_count)
        return 0;
    for (size_t i = access->site + 1; i < request->site_count && count < most; i++) {
        if (strcmp(request->sites[i].what, LW_SITE_CALL))
            break;
        struct lw__access call = *access;
        call.site = (uint32_t)i;
        stack[count++] = place_of(check, &call);
    }
    return count;
}

/* An index as one number where its space has one axis. */
static void add_index(struct lw__message *m, lw_dim3 size, lw_dim3 index)
{
    if (size.y == 1 && size.z == 1)
        lw__message_add(m, "%u", index.x);
    else
        lw__message_add(m, "(%u,%u,%u)", index.x, index.y, index.z);
}

static void add_thread(struct lw__message *m, const struct lw__check *check, const lw_place *place,
                       bool with_block)
{
    if (with_block) {
        lw__message_add(m, "block ");
        add_index(m, check->request->grid, place->block);
        lw__message_add(m, " ");
    }
    lw__message_add(m, "thread ");
    add_index(m, check->request->block, place->thread);
}

/* ---- races ----------------------------------------------------------------------------------- */

static const char *verb_of(enum lw__kind kind)
{
    static const char *const verbs[] = {
        [LW_KIND_READ] = "reads",
        [LW_KIND_WRITE] = "writes",
        [LW_KIND_ATOMIC_READ] = "reads, by an atomic,",
        [LW_KIND_ATOMIC_WRITE] = "changes, by an atomic,",
    };
    return verbs[kind];
}

static const char *lack_of(const struct lw__found *f)
{
    if (f->at.block != f->other.block)
        return "no order between blocks";
    return f->class == LW_CLASS_RACE_WARP ? "no warp_sync or barrier in between"
                                          : "no barrier in between";
}

static bool is_race(enum lw__class class)
{
    return class <= LW_CLASS_BENIGN_READ;
}

static bool is_benign(enum lw__class class)
{
    return class == LW_CLASS_BENIGN_WRITE || class == LW_CLASS_BENIGN_READ;
}

static const char *fix_of(const struct lw__found *f)
{
    const bool of_blocks = is_race(f->class) && f->at.block != f->other.block;
    if (of_blocks && !is_benign(f->class))
        return "let one block own it, make all accesses atomic, or use two launches";
    if (!is_benign(f->class) && is_race(f->class) && f->at.site == f->other.site)
        return "let one thread write it, or use an atomic operation";
    return classes[f->class].fix;
}

/* Messages of barriers and deadlocks say it themselves. */
static void add_where(struct lw__message *m, const struct lw__check *check,
                      const struct lw__found *f, const lw_finding *finding)
{
    if (f->class == LW_CLASS_BARRIER || f->class == LW_CLASS_DEADLOCK)
        return;
    lw__message_add(m, ", ");
    add_thread(m, check, &finding->at, true);
}

/* With what keeps it from being told. */
static bool add(const struct lw__check *check, const lw_finding *finding)
{
    const struct lw__launch *request = check->request;
    struct lw__message by = {0}, misspelt = {0};
    const lw_place *places[] = {&finding->at, &finding->other};
    struct lw__told told = {.finding = *finding};
    for (size_t i = 0; i < 2 && !told.is_by_source; i++) {
        if (places[i]->file &&
            !lw__source_allows(request, places[i], finding->name, &misspelt, &told.is_by_source))
            return false;
        if (told.is_by_source)
            lw__message_add(&by, "a comment at %s:%d", places[i]->file, places[i]->line);
    }
    if (told.is_by_source || lw__suppressions_find(check->settings.suppressions, finding, &by))
        told.suppressed_by = by.text;
    else if (misspelt.length)
        told.note = misspelt.text;
    char *line, *other = NULL;
    bool added = lw__source_line(request, finding->at.file, finding->at.line, &line) &&
                 lw__source_line(request, finding->other.file, finding->other.line, &other);
    told.line = line;
    told.other_line = other;
    added = added && lw__findings_add(request->findings, &told);
    free(line);
    free(other);
    return added;
}

static bool tell(const struct lw__check *check, const struct lw__found *f)
{
    assert(f->what && f->count > 0 && f->schedule < check->settings.schedules);
    const bool has_object = is_race(f->class) || f->class == LW_CLASS_NONDETERMINISTIC;
    enum { MOST = 16 };
    lw_place stack[MOST];
    struct lw__message m = {0};
    lw_finding finding = {.name = classes[f->class].name,
                          .warning = f->is_warning && !check->settings.strict,
                          .kernel = check->request->kernel,
                          .fix = fix_of(f),
                          .object = has_object ? f->what : "",
                          .at = place_of(check, &f->at),
                          .other = place_of(check, &f->other),
                          .stack = stack,
                          .stack_count = stack_of(check, &f->at, stack, MOST),
                          .count = f->count};
    if (is_race(f->class)) {
        const bool blocks = f->at.block != f->other.block;
        add_thread(&m, check, &finding.at, blocks);
        lw__message_add(&m, " %s %s while ", verb_of(f->at.kind), f->what);
        add_thread(&m, check, &finding.other, blocks);
        lw__message_add(&m, " %s it at %s:%d:%d, ", verb_of(f->other.kind), finding.other.file,
                        finding.other.line, finding.other.column);
        if (!blocks) {
            lw__message_add(&m, "block ");
            add_index(&m, check->request->grid, finding.at.block);
            lw__message_add(&m, ", ");
        }
        lw__message_add(&m, "%s", lack_of(f));
        if (f->class == LW_CLASS_BENIGN_WRITE)
            lw__message_add(&m, "; both write the same");
        if (f->class == LW_CLASS_BENIGN_READ)
            lw__message_add(&m, "; a compare-and-swap looks at it again");
    } else if (f->class == LW_CLASS_NONDETERMINISTIC) {
        lw__message_add(&m, "%s differs between schedules: ", f->what);
        lw__check_name_schedule(&m, &check->settings, f->schedule);
        lw__message_add(&m, " leaves another value than ");
        lw__check_name_schedule(&m, &check->settings, 0);
    } else {
        lw__message_add(&m, "%s", f->what);
        add_where(&m, check, f, &finding);
    }
    finding.message = m.text;
    return add(check, &finding);
}

/* True if it comes of a race: what is read too early was not written. */
static bool is_consequence(const struct lw__check *check, const struct lw__found *f)
{
    for (size_t i = 0; f->class == LW_CLASS_UNINITIALISED && i < check->found_count; i++) {
        const struct lw__found *race = &check->found[i];
        if (race->class < LW_CLASS_BENIGN_WRITE && race->origin == f->other.site + 1)
            return true;
    }
    return false;
}

bool lw__check_tell(const struct lw__check *check)
{
    for (size_t i = 0; i < check->found_count; i++)
        if (!is_consequence(check, &check->found[i]) && !tell(check, &check->found[i]))
            return false;
    return true;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

bool lw__check_tell_proofs(const struct lw__check *check, const struct lw_proofs *proofs)
{
    const struct lw__launch *launch = check->request;
    bool ok = true;
    for (uint32_t i = 0; ok && i < proofs->count; i++) {
        const struct lw_proof *row = &proofs->rows[i];
        if (row->param == UINT32_MAX)
            continue;
        const struct lw__site *site = &launch->sites[row->site];
        const struct lw__proof proof = {
            .kernel = launch->kernel,
            .file = site->file,
            .line = site->line,
            .column = site->column,
            .access = site->what,
            .object = launch->objects[row->param].name,
            .is_proved = check->proved[i / 64] >> i % 64 & 1,
        };
        ok = lw__findings_prove(launch->findings, &proof);
    }
    return ok;
}
