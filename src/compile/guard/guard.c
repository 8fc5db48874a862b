/* guard.c - accesses outside of their objects end the launch before they touch memory.
 *
 *         call void @lw.access(ptr %p, i64 4, i32 0)
 *
 * becomes, where the object of %p has %size bytes and %p is %offset behind its start,
 *
 *         %outside = icmp uge i64 %offset, (%size - 3, or 0 if that is less)
 *         br i1 %outside, label %bad, label %go
 *     bad:
 *         call void @lw.refused(ptr null, ...)
 *         unreachable
 *
 * so a refused access is like a failed assert. The offset is a sum of indices, and has the shape of
 * the address. The clean-up has run before, with the checks in it; so no access was moved before
 * its check.
 */
#include "compile/guard/guard.h"
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/ref/ref.h"
#include <stddef.h>
#include <string.h>

static LLVMValueRef number(const struct lw__guard *g, uint64_t value)
{
    return LLVMConstInt(g->i64, value, 0);
}

/* ---- refusing -------------------------------------------------------------------------------- */

_Static_assert((int)LW_REFUSED_READ == LW_ACCESS_READ && (int)LW_REFUSED_WRITE == LW_ACCESS_WRITE &&
                   (int)LW_REFUSED_ATOMIC == LW_ACCESS_ATOMIC &&
                   (int)LW_REFUSED_ENDED == LW_ACCESS_ENDED,
               "what access_checks.c says of an access");

static void build_refusal(struct lw__guard *g, LLVMValueRef words[LW_REFUSED_WORDS])
{
    LLVMTypeRef types[1 + LW_REFUSED_WORDS] = {g->ptr};
    LLVMValueRef args[1 + LW_REFUSED_WORDS] = {LLVMConstNull(g->ptr)};
    for (int k = 0; k < LW_REFUSED_WORDS; k++) {
        types[1 + k] = g->i64;
        args[1 + k] = words[k];
    }
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(g->unit->context), types, 1 + LW_REFUSED_WORDS, 0);
    LLVMValueRef f = LLVMGetNamedFunction(g->unit->module, LW_REFUSED);
    if (!f) {
        f = LLVMAddFunction(g->unit->module, LW_REFUSED, type);
        lw__llvm_attribute(f, "nounwind", true);
        lw__llvm_attribute(f, "noreturn", true);
    }
    LLVMBuildCall2(g->b, type, f, args, 1 + LW_REFUSED_WORDS, "");
    LLVMBuildUnreachable(g->b);
}

/* In place of the check, which is removed: the launch ends where `outside`. */
static void refuse_if(struct lw__guard *g, LLVMValueRef check, LLVMValueRef outside,
                      LLVMValueRef words[LW_REFUSED_WORDS])
{
    if (!lw__ir_is_truth(outside, false)) {
        LLVMBasicBlockRef head = lw__ir_split_before(check), tail = LLVMGetInstructionParent(check);
        LLVMBasicBlockRef bad = LLVMInsertBasicBlockInContext(g->unit->context, tail, "");
        LLVMPositionBuilderAtEnd(g->b, head);
        lw__ir_set_rare(LLVMBuildCondBr(g->b, outside, bad, tail));
        LLVMPositionBuilderAtEnd(g->b, bad);
        build_refusal(g, words);
    }
    LLVMInstructionEraseFromParent(check);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* At the builder: are `bytes` from the offset on outside of the size? */
static LLVMValueRef is_outside(struct lw__guard *g, LLVMValueRef offset, LLVMValueRef size,
                               LLVMValueRef bytes)
{
    LLVMBuilderRef b = g->b;
    if (LLVMIsAConstantInt(bytes)) {
        LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGE, size, bytes, "");
        LLVMValueRef last = LLVMBuildSub(b, size, bytes, "");
        LLVMValueRef starts = LLVMBuildAdd(b, last, number(g, 1), ""); /* that are possible */
        starts = LLVMBuildSelect(b, fits, starts, number(g, 0), "");
        return LLVMBuildICmp(b, LLVMIntUGE, offset, starts, "");
    }
    LLVMValueRef behind = LLVMBuildICmp(b, LLVMIntUGT, offset, size, "");
    LLVMValueRef left = LLVMBuildSub(b, size, offset, "");
    LLVMValueRef short_of = LLVMBuildICmp(b, LLVMIntULT, left, bytes, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, bytes, number(g, 0), "");
    return LLVMBuildAnd(b, some, LLVMBuildOr(b, behind, short_of, ""), "");
}

static void lower_access(struct lw__guard *g, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1);
    const uint64_t kind = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    const bool ended = kind & LW_ACCESS_ENDED;
    const uint64_t fixed = lw__guard_fixed_size(g, pointer);
    const uint64_t count = LLVMIsAConstantInt(bytes) ? LLVMConstIntGetZExtValue(bytes) : 0;
    if (!ended && ((LLVMIsAConstantInt(bytes) && !count) ||
                   (fixed && count && lw__is_within(g->data, pointer, count, fixed) &&
                    !lw__guard_object(g, pointer)->slot))) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    const struct lw__guard_object *object = lw__guard_object(g, pointer);
    LLVMPositionBuilderBefore(g->b, call);
    LLVMSetCurrentDebugLocation2(g->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef offset =
        LLVMBuildAdd(g->b, object->start, lw__ir_offset(g->b, g->data, pointer, 1), "");
    LLVMValueRef size = lw__guard_size(g, object);
    LLVMValueRef words[LW_REFUSED_WORDS] = {[LW_REFUSED_KIND] = number(g, kind),
                                            [LW_REFUSED_OBJECT] = object->says,
                                            [LW_REFUSED_OFFSET] = offset,
                                            [LW_REFUSED_BYTES] = bytes,
                                            [LW_REFUSED_SIZE] = size,
                                            [LW_REFUSED_BASE] =
                                                object->base ? object->base : number(g, 0)};
    LLVMValueRef outside = ended ? LLVMConstInt(g->i1, 1, 0) : is_outside(g, offset, size, bytes);
    refuse_if(g, call, outside, words);
}

static void lower_index(struct lw__guard *g, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, LW_INDEX_POINTER);
    const struct lw__guard_object *object = lw__guard_object(g, pointer);
    LLVMPositionBuilderBefore(g->b, call);
    LLVMSetCurrentDebugLocation2(g->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef outside = LLVMBuildNot(g->b, LLVMGetOperand(call, LW_INDEX_OK), "");
    LLVMValueRef axis = LLVMBuildSExt(g->b, LLVMGetOperand(call, LW_INDEX_AXIS), g->i64, "");
    LLVMValueRef words[LW_REFUSED_WORDS] = {
        [LW_REFUSED_KIND] = number(g, LW_REFUSED_INDEX),
        [LW_REFUSED_OBJECT] = object->says,
        [LW_REFUSED_OFFSET] = LLVMGetOperand(call, LW_INDEX_NUMBER),
        [LW_REFUSED_BYTES] = LLVMGetOperand(call, LW_INDEX_COUNT),
        [LW_REFUSED_SIZE] = axis,
        [LW_REFUSED_BASE] = object->base ? object->base : number(g, 0)};
    refuse_if(g, call, outside, words);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool is_check(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    return !strcmp(name, "lw.access") || !strcmp(name, "lw.index");
}

/* The checks as they stand, before code is added. */
static LLVMValueRef *checks_of(struct lw__guard *g, size_t *count)
{
    LLVMValueRef *list = NULL;
    *count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(g->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_check(i)) {
                list = lw__one_more(&g->unit->scratch, list, *count, sizeof *list);
                list[(*count)++] = i;
            }
    return list;
}

/* The first load of the record: what holds for the whole kernel is built before it. Variables lose
 * their names when their block is split, so these are noted here. */
static void open_record(struct lw__guard *g)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g->function));
    for (; LLVMIsAAllocaInst(at); at = LLVMGetNextInstruction(at))
        lw__guard_note_variable(g, at);
    LLVMPositionBuilderBefore(g->b, at);
    g->bounds = LLVMGetParam(g->function, g->kernel->param_count - 1);
    g->dynamic_bytes = LLVMBuildLoad2(g->b, g->i64, g->bounds, "");
    _Static_assert(!offsetof(struct lw_bounds, dynamic_bytes), "the first");
}

static void guard_kernel(struct lw__unit *unit, struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    struct lw__guard g = {.unit = unit,
                          .kernel = kernel,
                          .function = lw__add_record(unit, &unit->arena, kernel),
                          .b = LLVMCreateBuilderInContext(c),
                          .data = LLVMGetModuleDataLayout(unit->module),
                          .i1 = LLVMInt1TypeInContext(c),
                          .i8 = LLVMInt8TypeInContext(c),
                          .i32 = LLVMInt32TypeInContext(c),
                          .i64 = LLVMInt64TypeInContext(c),
                          .ptr = LLVMPointerTypeInContext(c, 0)};
    size_t count;
    lw__where_kernel(unit, kernel);
    open_record(&g);
    lw__prune_checks(&unit->scratch, g.data, g.function);
    LLVMValueRef *checks = checks_of(&g, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(lw__ir_callee(checks[i]), "lw.access"))
            lower_access(&g, checks[i]);
        else
            lower_index(&g, checks[i]);
    LLVMDisposeBuilder(g.b);
}

/* lw__pass_guard - checks become branches; each kernel gets the record of its launch.
 * needs COMMON DESCRIBED
 */
bool lw__pass_guard(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++)
        guard_kernel(unit, &unit->kernels.rows[i]);
    return true;
}
