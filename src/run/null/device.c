/* device.c - the device that accepts everything and runs nothing.
 *
 * It measures everything around a launch: argument checks, queueing and waiting cost on every
 * device what a program costs here.
 *
 * To add a device:
 * - Copy this file to a folder of that name, and list the copy in meson.build.
 * - Add a row to devices.def.
 * Slots left out are NULL; device_ops.h says for each what NULL means.
 */
#include "run/report/report.h"

/* A real device runs launch->entry for every block of launch->grid here, polls launch->cancelled,
 * and on failure returns lw__fail(status, "<kernel>: what, values", ...). */
static lw_status launch(void *state, const struct lw__launch *launch)
{
    (void)state;
    (void)launch;
    return LW_OK;
}

const struct lw__device_ops lw__device_null = {
    .info =
        {
            .name = "null",
            .description = "accepts every launch and runs nothing",
            .max_shared_bytes = LW_SHARED_BYTES_MAX,
            .max_dynamic_bytes = 96 << 10,
            .max_print_bytes = LW_PRINT_BYTES_MAX,
        },
    .target = "null", /* lanewise-compile checks the program and emits no code */
    .launch = launch,
};
