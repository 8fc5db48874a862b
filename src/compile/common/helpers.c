/* helpers.c - the helpers of a module, callees first, and the lengths of instructions.
 *
 * Lengths are of clang's code, where variables are in memory: their loads and stores do not count.
 * A branch counts for more: blocks on its sides are emitted with masks and without.
 */
#include "compile/common/helpers.h"
#include "compile/llvm/llvm.h"

enum { BRANCH_LENGTH = 60 }; /* of each side */

static struct lw__helper *find(const struct lw__helpers *h, LLVMValueRef f)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->row[i].function == f)
            return &h->row[i];
    return NULL;
}

struct lw__helper *lw__helpers_callee(const struct lw__helpers *h, LLVMValueRef i)
{
    return LLVMIsACallInst(i) ? find(h, LLVMGetCalledValue(i)) : NULL;
}

static bool is_helper(LLVMValueRef f)
{
    return f && LLVMIsAFunction(f) && LLVMCountBasicBlocks(f) &&
           LLVMGetLinkage(f) == LLVMInternalLinkage;
}

/* There is no recursion. */
static void list(struct lw__helpers *h, LLVMValueRef f)
{
    if (find(h, f))
        return;
    EACH_INSTRUCTION_OF(i, f)
        if (LLVMIsACallInst(i) && is_helper(LLVMGetCalledValue(i)))
            list(h, LLVMGetCalledValue(i));
    if (is_helper(f))
        h->row[h->count++].function = f;
}

void lw__helpers_list(struct lw__helpers *h)
{
    size_t count = 0;
    EACH_FUNCTION(f, h->unit->module)
        count++;
    h->row = lw__new(&h->unit->scratch, count + 1, sizeof *h->row);
    EACH_FUNCTION(f, h->unit->module)
        if (is_helper(f))
            list(h, f);
}

static bool accesses_variable(LLVMValueRef i)
{
    return (LLVMIsALoadInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 0))) ||
           (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1)));
}

uint64_t lw__helpers_weight(LLVMValueRef i)
{
    if (LLVMIsATerminatorInst(i) && LLVMGetNumSuccessors(i) > 1)
        return BRANCH_LENGTH * (LLVMGetNumSuccessors(i) - 1);
    return !LLVMIsAAllocaInst(i) && !accesses_variable(i) && !LLVMIsADbgInfoIntrinsic(i);
}

void lw__helpers_inline_call(struct lw__unit *unit, LLVMValueRef call)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(unit->context, kind, 0));
}
