/* overflow_checks.c - clang's checks of integer arithmetic, as an operation of ours.
 *
 * For the device `check`, clang compares the operands of signed arithmetic, of divisions, of
 * shifts, of casts from floating-point numbers and of clz and ctz with what they may be, and calls
 * a handler:
 *
 *         br i1 %ok, label %go, label %bad              call void @lw.overflow(i1 %ok, i64 %a,
 *     bad:                                                                     i64 %b, i32 what)
 *         call void @__ubsan_handle_add_overflow(   becomes
 *             ptr @place, i64 %a, i64 %b)               br label %go
 *         br label %go
 *
 * So the control flow is that of the source. The thread goes on: the value is unspecified only.
 */
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include "base/ref_abi.h"
#include <string.h>

static const char *const handlers[] = {
    [LW_OVERFLOW_ADD] = "__ubsan_handle_add_overflow",
    [LW_OVERFLOW_SUBTRACT] = "__ubsan_handle_sub_overflow",
    [LW_OVERFLOW_MULTIPLY] = "__ubsan_handle_mul_overflow",
    [LW_OVERFLOW_NEGATE] = "__ubsan_handle_negate_overflow",
    [LW_OVERFLOW_DIVIDE] = "__ubsan_handle_divrem_overflow",
    [LW_OVERFLOW_SHIFT] = "__ubsan_handle_shift_out_of_bounds",
    [LW_OVERFLOW_CAST] = "__ubsan_handle_float_cast_overflow",
    [LW_OVERFLOW_COUNT_ZEROS] = "__ubsan_handle_invalid_builtin",
};
enum { HANDLERS = sizeof handlers / sizeof handlers[0] };

/* A type of the handler's first argument, which points to {place, type, type...}: of an integer
 * log2(bits) << 1 | is signed, of a floating-point number its bits. */
static uint32_t info_of(LLVMValueRef call, unsigned number)
{
    LLVMValueRef data = LLVMGetInitializer(LLVMGetOperand(call, 0));
    LLVMValueRef type = LLVMGetInitializer(LLVMGetOperand(data, number + 1));
    return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(type, 1));
}

/* The builtin, from the first argument of its handler: {place, number}. */
static uint32_t builtin_of(LLVMValueRef call)
{
    LLVMValueRef data = LLVMGetInitializer(LLVMGetOperand(call, 0));
    return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(data, 1));
}

static uint32_t what_of(LLVMValueRef call, uint32_t kind)
{
    const bool is_cast = kind == LW_OVERFLOW_CAST;
    if (kind == LW_OVERFLOW_COUNT_ZEROS)
        return kind | builtin_of(call) << LW_OVERFLOW_TYPE_SHIFT;
    const uint32_t integer = info_of(call, is_cast);
    const uint32_t from = is_cast                     ? info_of(call, 0)
                          : kind == LW_OVERFLOW_SHIFT ? info_of(call, 1)
                                                      : 0;
    return kind | integer << LW_OVERFLOW_TYPE_SHIFT | from << LW_OVERFLOW_FROM_SHIFT;
}

/* An operand of the handler: 64 bits, or what points to more. */
static LLVMValueRef operand(LLVMBuilderRef b, LLVMValueRef call, unsigned number, LLVMTypeRef i64)
{
    if (number >= LLVMGetNumArgOperands(call))
        return LLVMConstInt(i64, 0, 0);
    LLVMValueRef v = LLVMGetOperand(call, number);
    return LLVMTypeOf(v) == i64 ? v : LLVMBuildPtrToInt(b, v, i64, "");
}

/* What a condition `not overflowed` is made of: an xor with true, then the second of the pair. */
static LLVMValueRef pair_of(LLVMValueRef ok)
{
    LLVMValueRef v = LLVMIsAInstruction(ok) && LLVMGetInstructionOpcode(ok) == LLVMXor
                         ? LLVMGetOperand(ok, 0)
                         : NULL;
    LLVMValueRef pair = v && LLVMIsAExtractValueInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return pair && strstr(lw__ir_callee(pair), ".with.overflow.") ? pair : NULL;
}

static void replace(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef branch, uint32_t kind)
{
    LLVMBasicBlockRef bad = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef go = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bad), 0);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(bad));
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    /* What the block of the handler computes goes before the branch to it. */
    LLVMPositionBuilderBefore(b, branch);
    for (LLVMValueRef i = LLVMGetFirstInstruction(bad), next; i != call; i = next) {
        next = LLVMGetNextInstruction(i);
        lw__ir_move(i, b);
    }
    LLVMPositionBuilderBefore(b, branch);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef args[] = {LLVMGetCondition(branch), operand(b, call, 1, i64),
                           operand(b, call, 2, i64),
                           LLVMConstInt(LLVMInt32TypeInContext(c), what_of(call, kind), 0)};
    lw__instrument_call(b, module, LW_OVERFLOW, args, 4);
    LLVMBuildBr(b, go);
    LLVMInstructionEraseFromParent(branch);
    LLVMDeleteBasicBlock(bad);
}

/* A branch whose first way is past the handler; NULL: the block is not reached. */
static LLVMValueRef branch_to(LLVMValueRef call)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(LLVMGetInstructionParent(call)));
    LLVMValueRef branch = use ? LLVMGetUser(use) : NULL;
    return branch && LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? branch : NULL;
}

void lw__replace_overflows(struct lw__unit *unit, LLVMBuilderRef b)
{
    for (uint32_t kind = 0; kind < HANDLERS; kind++) {
        LLVMValueRef f = LLVMGetNamedFunction(unit->module, handlers[kind]);
        EACH_CALL(call, f) {
            LLVMValueRef branch = branch_to(call);
            if (branch) {
                /* The result of llvm.sadd.with.overflow and its like is plain arithmetic, as
                 * without the check. */
                static const LLVMOpcode opcodes[] = {[LW_OVERFLOW_ADD] = LLVMAdd,
                                                     [LW_OVERFLOW_SUBTRACT] = LLVMSub,
                                                     [LW_OVERFLOW_MULTIPLY] = LLVMMul,
                                                     [LW_OVERFLOW_NEGATE] = LLVMSub};
                LLVMValueRef pair =
                    kind <= LW_OVERFLOW_NEGATE ? pair_of(LLVMGetCondition(branch)) : NULL;
                for (LLVMUseRef use = pair ? LLVMGetFirstUse(pair) : NULL, next; use; use = next) {
                    LLVMValueRef user = LLVMGetUser(use);
                    next = LLVMGetNextUse(use);
                    if (!LLVMIsAExtractValueInst(user) || *LLVMGetIndices(user))
                        continue;
                    LLVMPositionBuilderBefore(b, user);
                    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(pair));
                    LLVMValueRef plain = LLVMBuildBinOp(b, opcodes[kind], LLVMGetOperand(pair, 0),
                                                        LLVMGetOperand(pair, 1), "");
                    LLVMReplaceAllUsesWith(user, plain);
                    LLVMInstructionEraseFromParent(user);
                }
                replace(b, call, branch, kind);
            } else {
                LLVMInstructionEraseFromParent(call);
            }
        }
        if (f)
            LLVMDeleteFunction(f);
    }
}
