/* forms.c - a kernel in two forms: plain, and guarded.
 *
 * On `cpu` a launch that proves all accesses of the kernel to be in bounds runs the plain form,
 * others the guarded one; on `cuda` the latter has to be asked for. The text is compiled once, and
 * the module divides here, before the clean-up:
 *
 *     the copy     what is assumed and each access get checks; it is cleaned up, the proofs are
 *                  read off it, and its bitcode waits for a launch that is not proved
 *     the module   loses its checks (instrument/plain.c), and goes on
 */
#include "compile/common/common.h"
#include "compile/guard/guard.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include "compile/proof/proof.h"
#include <assert.h>

static bool guard_copy(struct lw__unit *unit, struct lw__kernel *rows)
{
    if (!lw__pass_promises(unit) || !lw__pass_texts(unit) || !lw__pass_access(unit) ||
        !lw__pass_clean(unit) ||
        (unit->options->image && !lw__llvm_passes(unit, LW_PASSES_keep_lines)))
        return false;
    /* Of each kernel of the copy its proofs and its block memory, for the row of the same
     * kernel. */
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(unit->module);
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
        struct lw__text text = lw__text_in(&unit->arena);
        lw__prune_checks(&unit->scratch, data, unit->kernels.rows[i].function);
        struct lw__proofs proofs;
        lw__proofs_of(&unit->scratch, &unit->kernels.rows[i], data, false, &proofs);
        if (unit->options->image) /* which has one form of such a kernel */
            proofs.is_partial = lw__proofs_are_rare(&proofs);
        lw__proofs_write(&proofs, &text);
        rows[i].proofs = text.data;
        rows[i].proof_bytes = text.length;
        rows[i].is_partial = proofs.is_partial;
        struct lw__shared_layout layout;
        lw__shared_layout(unit, unit->kernels.rows[i].function, &layout);
        rows[i].guarded_shared_bytes = layout.bytes;
        lw__arena_release(&unit->scratch, mark);
    }
    lw__hold_signed_indices(unit);
    lw__narrow_counters(unit);
    LLVMMemoryBufferRef bitcode = lw__common_bitcode(unit);
    unit->guarded_bytes = LLVMGetBufferSize(bitcode);
    unit->guarded = lw__copy_bytes(&unit->arena, LLVMGetBufferStart(bitcode), unit->guarded_bytes);
    LLVMDisposeMemoryBuffer(bitcode);
    return true;
}

/* lw__pass_forms - with --bounds: the bitcode of the guarded form, and each kernel's proofs.
 * needs ENTERED
 */
bool lw__pass_forms(struct lw__unit *unit)
{
    struct lw__kernel *rows = unit->kernels.rows;
    LLVMModuleRef module = unit->module;
    if (!unit->options->bounds)
        return true;
    /* The unit's module becomes a copy, in which its kernels are. */
    struct lw__kernels *kernels = &unit->kernels;
    LLVMModuleRef copy = LLVMCloneModule(unit->module);
    struct lw__kernel *copied = lw__new(&unit->arena, kernels->count + 1, sizeof *copied);
    for (size_t i = 0; i < kernels->count; i++) {
        copied[i] = kernels->rows[i];
        size_t length;
        copied[i].function =
            LLVMGetNamedFunction(copy, LLVMGetValueName2(copied[i].function, &length));
        assert(copied[i].function != kernels->rows[i].function && copied[i].function);
    }
    kernels->rows = copied;
    unit->module = copy;
    const bool ok = guard_copy(unit, rows);
    LLVMDisposeModule(unit->module);
    unit->module = module;
    unit->kernels.rows = rows;
    return ok;
}
