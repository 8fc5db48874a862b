/* device.c - the device `check`: ref's, with launches that are watched.
 *
 * A program for it is one for ref whose code tells of each access (src/compile/ref/observe.c). It
 * leaves the bits of ref. What it finds goes to the stream; the launch itself succeeds.
 */
#include "run/check/check.h"
#include <string.h>

#if defined(__aarch64__)
static const char target[] = "check:aarch64";
#else
static const char target[] = "check";
#endif

static lw_status run(struct lw__check *check, const struct lw__launch *launch)
{
    const struct lw__ref_code code = lw__ref_code_of(launch);
    const lw_dim3 grid = launch->grid;
    const lw_status status = lw__ref_run(launch, &code, &lw__check_watcher, check);
    if (!check->failed && !lw__check_tell(check) && !status)
        return lw__fail(LW_E_MEMORY, "kernel '%s': no memory to check it", launch->kernel);
    LW_TRY(status);
    lw__findings_cover(launch->findings, (uint64_t)grid.x * grid.y * grid.z, check->accesses);
    return LW_OK;
}

static lw_status check_launch(void *state, const struct lw__launch *launch)
{
    struct lw__check check;
    (void)state;
    lw_status status =
        lw__check_open(&check, launch)
            ? run(&check, launch)
            : lw__fail(LW_E_MEMORY, "kernel '%s': no memory to check it", launch->kernel);
    lw__check_close(&check);
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
    .has_findings = true,
    .load = lw__ref_load,
    .unload = lw__ref_unload,
    .find = lw__ref_find,
    .sizes = lw__ref_sizes,
    .launch = check_launch,
};
