/* addresses.c - where addresses are computed: at their use, or once for many of them. */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"

/* ---- addresses at a constant offset from another --------------------------------------------- */

static bool is_constant_away(LLVMValueRef i)
{
    if (!LLVMIsAGetElementPtrInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return false;
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(i, k)))
            return false;
    return !LLVMIsConstant(LLVMGetOperand(i, 0));
}

/* A user in another block, which could have an address of its own there; NULL: none is left. */
static LLVMValueRef user_elsewhere(LLVMValueRef address)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(address);
    EACH_USE(use, address) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) != home)
            return user;
    }
    return NULL;
}

static LLVMValueRef repeat_at(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef user)
{
    LLVMValueRef own = LLVMInstructionClone(address);
    LLVMPositionBuilderBefore(b, user);
    LLVMInsertIntoBuilder(b, own);
    for (int n = 0; n < LLVMGetNumOperands(user); n++)
        if (LLVMGetOperand(user, (unsigned)n) == address)
            LLVMSetOperand(user, (unsigned)n, own);
    return own;
}

/* An instruction has room for a constant offset. But LLVM hoists an address that is invariant in a
 * loop. The code generator sinks it again only if plain loads and stores are its only users, no
 * masked ones. A tile has hundreds of addresses, which are then spilled. So each user gets its
 * own. */
void lw__cpu_repeat_addresses(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        LLVMValueRef user;
        while (is_constant_away(i) && (user = user_elsewhere(i)))
            repeat_at(b, i, user);
        if (is_constant_away(i) && !LLVMGetFirstUse(i))
            LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(b);
}

/* ---- addresses of lanes ---------------------------------------------------------------------- */

/* A narrow index that is widened in another block is widened where the address is. */
static void repeat_index(LLVMBuilderRef b, LLVMValueRef address)
{
    LLVMValueRef index = LLVMGetOperand(address, (unsigned)LLVMGetNumOperands(address) - 1U);
    if ((LLVMIsASExtInst(index) || LLVMIsAZExtInst(index)) &&
        LLVMGetInstructionParent(index) != LLVMGetInstructionParent(address))
        repeat_at(b, index, address);
}

/* A gather has room for one address that all lanes share and an index of each, times its scale, if
 * the sum is in its block, and a narrow index is widened there. Between these and the users are
 * branches where checks are made, or masks are empty. */
void lw__cpu_repeat_lane_addresses(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (!LLVMIsAGetElementPtrInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) != LLVMPointerTypeKind)
            continue;
        LLVMValueRef user;
        while ((user = user_elsewhere(i)))
            repeat_index(b, repeat_at(b, i, user));
        if (LLVMGetFirstUse(i))
            repeat_index(b, i);
        else
            LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(b);
}

/* ---- addresses with many users --------------------------------------------------------------- */

static bool is_sum(LLVMValueRef i)
{
    return LLVMIsAGetElementPtrInst(i) && !is_constant_away(i) &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
}

static unsigned uses_of(LLVMValueRef v)
{
    unsigned n = 0;
    EACH_USE(use, v)
        n++;
    return n;
}

/* An instruction has room for an index, too, but processors split an arithmetic instruction with
 * such an operand. */
void lw__cpu_add_indices(LLVMValueRef function)
{
    enum { USES_MIN = 4 };
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (!is_sum(i) || uses_of(i) < USES_MIN)
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
        LLVMValueRef sum = LLVMBuildFreeze(b, i, "");
        LLVMReplaceAllUsesWith(i, sum);
        LLVMSetOperand(sum, 0, i);
    }
    LLVMDisposeBuilder(b);
}
