/* index_checks.c - clang's checks of array indices, as an operation of ours.
 *
 * For devices that check each access, -fsanitize=array-bounds makes clang compare each index with
 * the size of its array, known or computed: the rows of float a[rows][cols], SHARED and private
 * arrays.
 *
 *         %ok = icmp ult i64 %i, %n                    call void @lw.index(i1 %ok, i64 %i, i64 %n,
 *         br i1 %ok, label %go, label %bad                          ptr %array, i32 -1, i1 false)
 *     bad:                                  becomes    br label %go
 *         call void @__ubsan_handle_out_of_bounds(ptr @place, i64 %i)
 *         br label %go
 *
 * So the control flow is that of the source. For &a[n] clang makes `ule`, and the last operand is
 * true. The array is a pointer into it, null if the code does not show it; messages have its name.
 */
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

static const char handler_name[] = "__ubsan_handle_out_of_bounds";

/* One check: `block` branches to `go`, or to `bad`, which calls the handler. */
struct check {
    LLVMBasicBlockRef block, bad, go;
    LLVMValueRef call, branch;
};

static bool read_check(LLVMValueRef call, struct check *c)
{
    c->call = call;
    c->bad = LLVMGetInstructionParent(call);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(c->bad));
    if (!use)
        return false;
    assert(!LLVMGetNextUse(use)); /* the block goes with this branch */
    c->branch = LLVMGetUser(use);
    c->block = LLVMGetInstructionParent(c->branch);
    c->go = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(c->bad), 0);
    return LLVMIsABranchInst(c->branch) && LLVMIsConditional(c->branch);
}

/* The count for an index that is known to be wrong: the number in the first brackets of the type's
 * name, 'float[6]'. The handler's first argument points to {place, {kind, info, name}, index type}.
 */
static uint64_t count_of_type(LLVMValueRef call)
{
    LLVMValueRef place = LLVMGetInitializer(LLVMGetOperand(call, 0));
    LLVMValueRef name = LLVMGetOperand(LLVMGetInitializer(LLVMGetOperand(place, 1)), 2);
    size_t length;
    const char *text = LLVMGetAsString(name, &length), *bracket = strchr(text, '[');
    return bracket ? strtoull(bracket + 1, NULL, 10) : 0;
}

/* The base pointer of the GEP in `go` that uses the index, if it is computed before the check. */
static LLVMValueRef array_of(const struct check *c, LLVMValueRef index, int depth)
{
    EACH_USE(u, index) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetInstructionParent(user) == c->go) {
            LLVMValueRef base = LLVMGetOperand(user, 0);
            if (base != index &&
                !(LLVMIsAInstruction(base) && LLVMGetInstructionParent(base) == c->go))
                return base;
        }
        if (depth && (LLVMIsASExtInst(user) || LLVMIsAZExtInst(user) ||
                      LLVMGetInstructionOpcode(user) == LLVMMul)) {
            LLVMValueRef base = array_of(c, user, depth - 1);
            if (base)
                return base;
        }
    }
    return NULL;
}

/* A constant has uses everywhere: take the first GEP of `go`. */
static LLVMValueRef array_of_constant(const struct check *c)
{
    LLVMValueRef i = LLVMGetFirstInstruction(c->go);
    while (i && !LLVMIsAGetElementPtrInst(i))
        i = LLVMGetNextInstruction(i);
    LLVMValueRef base = i ? LLVMGetOperand(i, 0) : NULL;
    if (base && LLVMIsAInstruction(base) && LLVMGetInstructionParent(base) == c->go)
        return NULL;
    if (base)
        return base;
    EACH_INSTRUCTION(i, c->go)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
                return v;
        }
    return NULL;
}

/* The location of the array's name: the instruction's own column is that of the element's use. */
static LLVMMetadataRef place_of(LLVMContextRef context, LLVMValueRef call)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(call);
    LLVMValueRef row = LLVMGetOperand(LLVMGetInitializer(LLVMGetOperand(call, 0)), 0);
    const unsigned line = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(row, 1)),
                   column = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(row, 2));
    if (!at || LLVMDILocationGetLine(at) != line)
        return at;
    return LLVMDIBuilderCreateDebugLocation(context, line, column, LLVMDILocationGetScope(at),
                                            LLVMDILocationGetInlinedAt(at));
}

/* lw__pass_rows - clang's checks of indices become calls of lw.index, which has no body; those of
 * arithmetic calls of lw.overflow, of places that are not reached those of lw.promise. Nothing is
 * said of values in memory.
 * needs RAW
 */
bool lw__pass_rows(struct lw__unit *unit)
{
    LLVMValueRef handler = LLVMGetNamedFunction(unit->module, handler_name);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    EACH_CALL(call, handler) {
        struct check c = {0};
        if (read_check(call, &c)) {
            LLVMValueRef ok = LLVMGetCondition(c.branch), place = LLVMGetOperand(c.call, 0);
            LLVMPositionBuilderBefore(b, c.branch);
            if (!lw__ir_is_truth(ok, true)) {
                LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(c.block));
                LLVMContextRef context = LLVMGetModuleContext(module);
                LLVMTypeRef i64 = LLVMInt64TypeInContext(context),
                            ptr = LLVMPointerTypeInContext(context, 0);
                const bool known = !LLVMIsAICmpInst(ok);
                LLVMValueRef index = known ? LLVMGetOperand(c.call, 1) : LLVMGetOperand(ok, 0);
                LLVMValueRef count =
                    known ? LLVMConstInt(i64, count_of_type(c.call), 0) : LLVMGetOperand(ok, 1);
                /* The value that is extended for the comparison: the GEP's index is extended
                 * once more. */
                LLVMValueRef array = known || LLVMIsConstant(index)
                                         ? array_of_constant(&c)
                                         : array_of(&c,
                                                    LLVMIsASExtInst(index) || LLVMIsAZExtInst(index)
                                                        ? LLVMGetOperand(index, 0)
                                                        : index,
                                                    2);
                LLVMValueRef args[LW_INDEX_ARGS] = {
                    [LW_INDEX_OK] = ok,
                    [LW_INDEX_NUMBER] = index,
                    [LW_INDEX_COUNT] = count,
                    [LW_INDEX_POINTER] = array ? array : LLVMConstNull(ptr),
                    [LW_INDEX_AXIS] =
                        LLVMConstInt(LLVMInt32TypeInContext(context), (uint64_t)-1, 1),
                    [LW_INDEX_BEHIND] =
                        LLVMConstInt(LLVMInt1TypeInContext(context),
                                     !known && LLVMGetICmpPredicate(ok) != LLVMIntULT, 0)};
                LLVMSetCurrentDebugLocation2(b, place_of(context, c.call));
                lw__instrument_call(b, module, "lw.index", args, LW_INDEX_ARGS);
            }
            LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(c.branch));
            LLVMBuildBr(b, c.go);
            LLVMInstructionEraseFromParent(c.branch);
            LLVMDeleteBasicBlock(c.bad);
            if (LLVMIsAGlobalVariable(place) && !LLVMGetFirstUse(place))
                LLVMDeleteGlobal(place);
        } else {
            LLVMInstructionEraseFromParent(call);
        } /* in an unreachable block */
    }
    if (handler)
        LLVMDeleteFunction(handler);
    lw__replace_overflows(unit, b);
    lw__replace_unreachable(unit, b);
    /* clang says of a bool in memory that it is 0 or 1, and LLVM leaves out checks of an index
     * that is made of it. What a buffer has is not clang's to say: without that, its lowest bit
     * counts. */
    const unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(unit->module), "range", 5);
    EACH_FUNCTION(f, unit->module)
        EACH_INSTRUCTION_OF(i, f)
            if (LLVMIsALoadInst(i) && LLVMGetMetadata(i, kind))
                LLVMSetMetadata(i, kind, NULL);
    LLVMDisposeBuilder(b);
    return true;
}
