/* programs.c - the kernels of the operations, which lanewise cc compiled into this library. */
#include "ops/op.h"

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

/* The device keeps the program, so the kernel outlives this hold of it. */
lw_status lw__ops_kernel(const struct lw__call *call, enum lw__ops_program program,
                         const char *name, lw_kernel **kernel)
{
    lw_program *p;
    lw_status status = programs[program](call->device, &p);

    if (!status) {
        status = lw_program_kernel(p, name, kernel);
        lw_program_destroy(p);
    }
    return lw__call_named(call, status);
}
