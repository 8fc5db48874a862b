/* describe.c - the kernels' rows of the manifest, and the limits of shared memory. */
#include "base/manifest.h"
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/front/front.h"

enum { SHARED_MAX = 48 * 1024 }; /* the kernel language's limit, the same on every device */

/* lw__pass_describe - the kernel and param rows of the manifest.
 * needs SIGNATURE COMMON   makes DESCRIBED
 */
bool lw__pass_describe(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const struct lw__kernel *kernel = &unit->kernels.rows[i];
        struct lw__shared_layout layout;
        lw__shared_layout(unit, kernel->function, &layout);
        if (kernel->guarded_shared_bytes > layout.bytes) /* checks keep what nothing reads */
            layout.bytes = kernel->guarded_shared_bytes;
        if (layout.bytes > SHARED_MAX)
            lw__diags_error(&unit->diags, kernel->loc,
                            "kernel '%s' has %llu bytes of SHARED memory, at most %d are possible",
                            kernel->name, (unsigned long long)layout.bytes, SHARED_MAX);
        if (layout.align > LW_SHARED_ALIGN)
            lw__diags_error(&unit->diags, kernel->loc,
                            "kernel '%s' aligns SHARED memory to %llu bytes, at most %d are "
                            "possible",
                            kernel->name, (unsigned long long)layout.align, LW_SHARED_ALIGN);
        lw__front_manifest(kernel, layout.bytes, layout.dynamic, layout.align, &unit->manifest);
    }
    return true;
}
