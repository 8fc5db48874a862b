/* device.c - the device `check`: ref's, with launches that are watched.
 *
 * A program for it is one for ref whose code tells of each access (src/compile/check/observe.c). It
 * runs a launch several times, with another order of threads each, from the same memory; what is
 * left are the bits of ref. What it finds goes to the stream; the launch itself succeeds.
 */
#include "run/check/check.h"
#include "run/check/screen.h"
#include "run/proof/proof.h"
#include <stdlib.h>

#if defined(__aarch64__)
static const char target[] = "check:aarch64";
#else
static const char target[] = "check";
#endif

/* What load makes of a program. */
struct code {
    void *exact; /* as for ref */
    struct lw__screens *screens;
};

static void check_unload(void *state, void *code)
{
    struct code *c = code;
    if (c && c->exact)
        lw__ref_unload(state, c->exact);
    if (c && c->screens)
        lw__screens_close(c->screens);
    free(c);
}

static lw_status check_load(void *state, const char *path, const void *payload, size_t bytes,
                            void **code)
{
    struct code *c = *code = calloc(1, sizeof *c);
    if (!c)
        return lw__fail(LW_E_MEMORY, "no memory for a program");
    lw_status status = lw__ref_load(state, path, payload, bytes, &c->exact);
    if (!status)
        status = lw__screens_open(path, &c->screens);
    if (status) {
        check_unload(state, c);
        *code = NULL;
    }
    return status;
}

static lw_status check_find(void *code, const char *kernel, void **entry)
{
    return lw__ref_find(((struct code *)code)->exact, kernel, entry);
}

static lw_status check_sizes(void *code, const char *kernel, void **function)
{
    return lw__ref_sizes(((struct code *)code)->exact, kernel, function);
}

static lw_status check_symbol(void *code, const char *name, void **value)
{
    return lw__ref_symbol(((struct code *)code)->exact, name, value);
}

static lw_status lack_memory(const struct lw__launch *launch)
{
    return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to check it", launch->kernel);
}

/* The schedule in which the launch failed, which is not always the first. */
static lw_status name_schedule(const struct lw__check *check, lw_status status)
{
    struct lw__message m = {0}, name = {0};
    if (!status || !check->schedule)
        return status;
    lw__message_add(&m, "%s", lw_last_error());
    lw__check_name_schedule(&name, &check->settings, check->schedule);
    return lw__fail(status, "%s, in schedule %s", m.text, name.text);
}

/* Begun; the bytes that it writes have what they had before the launch. */
static lw_status run_schedule(struct lw__check *check, const struct lw__launch *launch)
{
    const struct code *own = launch->code;
    struct lw__launch exact = *launch;
    exact.code = own->exact;
    const struct lw__ref_code code = lw__ref_code_of(&exact);
    const struct lw__ref_schedule schedule = lw__check_schedule(&check->settings, check->schedule);
    struct lw__outcome *outcome = &check->outcome;
    const lw_status status = lw__ref_run(launch, &code, &lw__check_watcher, check, &schedule);
    /* Every schedule does the same where barriers alone order the threads, and nothing that they
     * do between two barriers conflicts. So each thread reads the same in any schedule, and its
     * control flow and its accesses are the same. After an atomic access, or a finding, it is not
     * known. */
    if (!status && !check->schedule && !check->has_atomics && !check->found_count &&
        !check->failed) {
        check->is_done = true;
        return LW_OK;
    }
    const bool is_compared = check->schedule && !status && !lw__check_has_errors(check);
    if (!check->schedule)
        lw__outcome_take_first(outcome);
    const bool compared = !is_compared || lw__check_compare(check);
    if (check->schedule + 1 < check->settings.schedules && !status)
        lw__outcome_put_before(outcome);
    return compared ? name_schedule(check, status) : lack_memory(launch);
}

/* One schedule after the other; what they print is that of the first. */
static lw_status run_schedules(struct lw__check *check, uint64_t *accesses)
{
    struct lw__launch again = *check->request;
    lw_status status = LW_OK;
    again.recorder = NULL; /* a picture is of the first alone */
    again.output = lw__output_create(again.grid, again.block);
    if (!again.output)
        return lack_memory(&again);
    for (; check->schedule < check->settings.schedules && !status && !check->is_done;
         check->schedule++) {
        const bool is_first = !check->schedule;
        status = lw__check_begin(check) ? run_schedule(check, is_first ? check->request : &again)
                                        : lack_memory(&again);
        if (is_first)
            *accesses = check->accesses;
        lw__check_end(check);
    }
    lw__output_destroy(again.output);
    if (!check->is_done)
        lw__outcome_put_first(&check->outcome);
    return status;
}

/* Large launches are screened first. One of which the screen says that nothing is wrong is done. */
static lw_status check_launch(void *state, const struct lw__launch *launch)
{
    struct lw__check check = {.request = launch, .device = state, .settings = lw__state_of(state)};
    const struct code *code = launch->code;
    const lw_dim3 grid = launch->grid;
    const uint64_t began = lw__clock();
    uint64_t accesses = 0;
    struct lw__screened *screened = lw__screens_find(code->screens, launch->kernel);
    bool is_worth_it;
    lw_status status = lw__screen_is_worth_it(screened, launch, &is_worth_it);
    const struct lw_proofs *proofs;
    const bool is_known = lw__ref_proofs(code->exact, launch->kernel, &proofs);
    if (!status && (!is_known || (proofs && !lw__prove(launch, proofs, check.proved))))
        status = lack_memory(launch);
    const bool is_clean = !status && is_worth_it && lw__screen_run(screened, launch, &accesses);
    if (!status && !is_clean) { /* one thread after another, each access by itself */
        status = run_schedules(&check, &accesses);
        if (!check.failed && !lw__check_tell(&check) && !status)
            status = lack_memory(check.request);
    }
    if (screened && !is_worth_it)
        atomic_fetch_add(&screened->spent, lw__clock() - began);
    const struct lw__coverage covered = {.launches = 1,
                                         .blocks = (uint64_t)grid.x * grid.y * grid.z,
                                         .accesses = accesses,
                                         .screened = is_clean,
                                         .schedules = check.settings.schedules,
                                         .seed = check.settings.seed};
    if (!status)
        lw__findings_cover(launch->findings, &covered);
    if (!status && proofs && !lw__check_tell_proofs(&check, proofs))
        status = lack_memory(launch);
    for (size_t i = 0; i < check.found_count; i++)
        free(check.found[i].what);
    free(check.found);
    lw__outcome_free(&check.outcome);
    lw__suppressions_release(check.settings.suppressions);
    return status;
}

const struct lw__device_ops lw__device_check = {
    .info =
        {
            .name = "check",
            .description = "as ref, and finds races, bad barriers and accesses out of bounds",
            .max_shared_bytes = LW_REF_SHARED_MAX,
            .max_dynamic_bytes = LW_REF_DYNAMIC_MAX,
            .max_print_bytes = LW_REF_PRINT_BYTES,
            .bounds = LW_BOUNDS_ALWAYS,
        },
    .target = target,
    .picture_target = LW_PICTURE_TARGET,
    .has_findings = true,
    .open = lw__state_open,
    .close = lw__state_close,
    .memory_made = lw__state_memory_made,
    .memory_gone = lw__state_memory_gone,
    .load = check_load,
    .unload = check_unload,
    .find = check_find,
    .sizes = check_sizes,
    .symbol = check_symbol,
    .launch = check_launch,
};
