/* first_launch.c - what the first launch needs, made in the same start of this program.
 *
 * Code for one size of block is made in a second step, from the common bitcode (base/cpu_abi.h).
 * Where the host knows kernel and block of its first launch already when it builds the program,
 * it asks for both steps at once (--first), and a start of LLVM is saved. The second step reads the
 * bitcode as if it were the only one, so its result has the same bytes.
 */
#include "compile/driver/driver.h"
#include "compile/llvm/llvm.h"
#include "base/manifest.h"
#include <errno.h>
#include <unistd.h>

bool lw__first_launch(const struct lw__unit *unit)
{
    const struct lw__text *common = &unit->common;
    if (!unit->first)
        return true;
    const int bitcode = lw__memory_file("lanewise-common");
    if (bitcode < 0 || !lw__write_all(bitcode, common->data, common->length)) {
        lw__defect("the common bitcode cannot be kept: %s", strerror(errno));
        if (bitcode >= 0)
            close(bitcode);
        return false;
    }
    /* The options that the second step would have if it were a start of its own. */
    const struct lw__options *o = unit->options;
    struct lw__options second = {.device = o->device,
                                 .name = o->name,
                                 .source_fd = -1,
                                 .out_fd = o->first.fd,
                                 .common_fd = bitcode,
                                 .kernel = unit->first,
                                 .without = o->without,
                                 .bounds = unit->first_is_guarded,
                                 .first.fd = -1};
    memcpy(second.block, o->first.block, sizeof second.block);
    struct lw__unit step;
    lw__unit_begin(&step, &second);
    const bool ok = lw__llvm_start(&step) && lw__pipeline_run(&step) && lw__write_result(&step);
    lw__pipeline_release(&step);
    close(bitcode);
    return ok;
}
