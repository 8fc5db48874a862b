/* programs.c - the kernels of the operations, which lanewise cc compiled into this library.
 *
 * For a device that checks launches they are not in here: its code tells of each access, and is as
 * large as all other code for the host. It is built from the text, installed with kernel.h.
 */
#include "ops/op.h"
#include <assert.h>

/* PROGRAM_program of the headers that cc makes. */
#define LW_OPS_PROGRAM(name, targets, blocks)                                                      \
    lw_status name##_program(lw_device *device, lw_program **program);
#include "ops/ops.def"
#undef LW_OPS_PROGRAM

typedef lw_status get_program(lw_device *device, lw_program **program);

static get_program *const programs[] = {
#define LW_OPS_PROGRAM(name, targets, blocks) name##_program,
#include "ops/ops.def"
#undef LW_OPS_PROGRAM
};

/* Files that the compiler finds where it finds kernel.h. */
static const struct {
    const char *name, *text;
} files[] = {
#define LW_OPS_PROGRAM(name, targets, blocks)                                                      \
    {#name ".c", "#include <lanewise/kernels/" #name ".c>\n"},
#include "ops/ops.def"
#undef LW_OPS_PROGRAM
};

static lw_status find(lw_device *device, enum lw__ops_program program, lw_program **out)
{
    if (lw_device_has_findings(device))
        return lw_program_share(device, files[program].name, files[program].text, out);
    return programs[program](device, out);
}

/* The device keeps the program, so the kernel outlives this hold of it. */
lw_status lw__ops_kernel(const struct lw__call *call, enum lw__ops_program program,
                         const char *name, lw_kernel **kernel)
{
    assert(!call->is_dry && program < LW_PROGRAM_COUNT);
    lw_program *p;
    lw_status status = find(call->device, program, &p);

    if (!status) {
        status = lw_program_kernel(p, name, kernel);
        lw_program_destroy(p);
    }
    return lw__call_named(call, status);
}
