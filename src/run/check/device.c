/* device.c - the device `check`: ref's, with launches that are watched.
 *
 * A program for it is one for ref whose code tells of each access (src/compile/ref/observe.c). It
 * runs a launch several times, with another order of threads each, from the same memory; what is
 * left are the bits of ref. What it finds goes to the stream; the launch itself succeeds.
 */
#include "run/check/check.h"
#include <stdlib.h>

#if defined(__aarch64__)
static const char target[] = "check:aarch64";
#else
static const char target[] = "check";
#endif

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

/* True if every schedule does the same. Barriers alone order the threads, and nothing that they do
 * between two barriers conflicts. So each thread reads the same in any schedule, and its control
 * flow and its accesses are the same. After an atomic access, or a finding, it is not known. */
static bool is_same_in_any_order(const struct lw__check *check)
{
    return !check->has_atomics && !check->found_count && !check->failed;
}

/* Begun; the bytes that it writes have what they had before the launch. */
static lw_status run_schedule(struct lw__check *check, const struct lw__launch *launch)
{
    const struct lw__ref_code code = lw__ref_code_of(launch);
    const struct lw__ref_schedule schedule = lw__check_schedule(&check->settings, check->schedule);
    struct lw__outcome *outcome = &check->outcome;
    const lw_status status = lw__ref_run(launch, &code, &lw__check_watcher, check, &schedule);
    if (!status && !check->schedule && is_same_in_any_order(check)) {
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

static void release(struct lw__check *check)
{
    for (size_t i = 0; i < check->found_count; i++)
        free(check->found[i].what);
    free(check->found);
    lw__outcome_free(&check->outcome);
    lw__suppressions_release(check->settings.suppressions);
}

static lw_status check_launch(void *state, const struct lw__launch *launch)
{
    struct lw__check check = {.request = launch, .device = state, .settings = lw__state_of(state)};
    const lw_dim3 grid = launch->grid;
    uint64_t accesses = 0;
    lw_status status = run_schedules(&check, &accesses);
    if (!check.failed && !lw__check_tell(&check) && !status)
        status = lack_memory(launch);
    if (!status)
        lw__findings_cover(launch->findings, (uint64_t)grid.x * grid.y * grid.z, accesses,
                           check.settings.schedules, check.settings.seed);
    release(&check);
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
        },
    .target = target,
    .picture_target = LW_PICTURE_TARGET,
    .has_findings = true,
    .open = lw__state_open,
    .close = lw__state_close,
    .memory_made = lw__state_memory_made,
    .memory_gone = lw__state_memory_gone,
    .load = lw__ref_load,
    .unload = lw__ref_unload,
    .find = lw__ref_find,
    .sizes = lw__ref_sizes,
    .launch = check_launch,
};
