/* match_instances.c - collectives that lanes reach in different iterations of a loop.
 *
 * An arm that leaves a loop belongs to the iteration that it leaves. But it runs when all lanes
 * have left. Its instance then holds iteration numbers that differ by lane. The lanes of one
 * instance are those with the same iterations. The operation is executed for one instance after the
 * other.
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"

LLVMValueRef lw__spmd_first_value(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *mask)
{
    LLVMTypeRef bits_type = LLVMIntTypeInContext(s->context, s->width);
    LLVMValueRef best = LLVMConstNull(LLVMTypeOf(v));
    for (uint32_t p = s->pieces; p-- > 0;) {
        LLVMValueRef bits = lw__mask_bits(s, mask[p]);
        LLVMValueRef args[] = {bits, LLVMConstInt(s->i1, 0, 0)};
        LLVMValueRef lane =
            lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_cttz, &bits_type, args, 2);
        lane = LLVMBuildURem(s->builder, lane, LLVMConstInt(bits_type, s->width, 0), "");
        LLVMValueRef one = LLVMBuildExtractElement(s->builder, lw__spmd_vector(s, v, p), lane, "");
        best = LLVMBuildSelect(s->builder, lw__mask_piece_any(s, mask[p]), one, best, "");
    }
    return best;
}

struct instances {
    LLVMValueRef *left, *mask, *result; /* per piece: slot, of this round, slot */
    LLVMBasicBlockRef again, done;
};

void lw__spmd_first_instance(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *mask)
{
    LLVMValueRef iterations[LW_ITERATIONS_MAX];
    unsigned count = lw__spmd_iteration_values(s->facts, call, iterations);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef value = lw__spmd_splat(s, lw__spmd_first_value(s, iterations[k], mask));
        for (uint32_t p = 0; p < s->pieces; p++) {
            LLVMValueRef same = LLVMBuildICmp(s->builder, LLVMIntEQ,
                                              lw__spmd_vector(s, iterations[k], p), value, "");
            mask[p] = lw__mask_and(s, mask[p], same);
        }
    }
}

bool lw__spmd_warp_by_iterations(struct lw__spmd *s, LLVMValueRef call, enum lw__op op,
                                 const char *type, lw__mask mask)
{
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
    LLVMTypeRef lanes = lw__spmd_vector_type(s, s->i1);
    LLVMValueRef *memory = lw__new(&s->unit->scratch, 3 * s->pieces, sizeof *memory);
    struct instances n = {.left = memory,
                          .mask = memory + s->pieces,
                          .result = has_result ? memory + 2 * s->pieces : NULL};
    for (uint32_t p = 0; p < s->pieces; p++) {
        n.left[p] = LLVMBuildAlloca(s->alloca_builder, lanes, "");
        LLVMBuildStore(s->builder, lw__mask_vector(s, mask[p]), n.left[p]);
        if (has_result)
            n.result[p] =
                LLVMBuildAlloca(s->alloca_builder, lw__spmd_vector_type(s, LLVMTypeOf(call)), "");
    }
    n.again = lw__builder_new_block(s, "instance");
    n.done = lw__builder_new_block(s, "instances");
    LLVMBuildBr(s->builder, n.again);
    LLVMPositionBuilderAtEnd(s->builder, n.again);
    for (uint32_t p = 0; p < s->pieces; p++)
        n.mask[p] = LLVMBuildLoad2(s->builder, lw__spmd_vector_type(s, s->i1), n.left[p], "");
    lw__spmd_first_instance(s, call, n.mask);
    bool ok = lw__spmd_warp(s, call, op, type, n.mask);
    if (ok) {
        /* Store these lanes' results, and remove them from `left`. */
        LLVMValueRef *rest = lw__new(&s->unit->scratch, s->pieces, sizeof *rest);
        for (uint32_t p = 0; p < s->pieces; p++) {
            if (n.result) {
                LLVMValueRef v = lw__spmd_vector(s, call, p);
                LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(v), n.result[p], "");
                LLVMBuildStore(s->builder, LLVMBuildSelect(s->builder, n.mask[p], v, old, ""),
                               n.result[p]);
            }
            rest[p] = LLVMBuildLoad2(s->builder, lanes, n.left[p], "");
            rest[p] = lw__mask_and_not(s, rest[p], n.mask[p]);
            LLVMBuildStore(s->builder, rest[p], n.left[p]);
        }
        LLVMBuildCondBr(s->builder, lw__mask_any(s, rest), n.again, n.done);
    }
    LLVMPositionBuilderAtEnd(s->builder, n.done);
    for (uint32_t p = 0; ok && has_result && p < s->pieces; p++)
        lw__spmd_set_vector(
            s, call, p,
            LLVMBuildLoad2(s->builder, LLVMGetAllocatedType(n.result[p]), n.result[p], ""));
    return ok;
}
