/* unsigned_indices.c - CUDA: arithmetic that makes an index does not wrap around.
 *
 * threadIdx and its like are unsigned in CUDA, and unsigned arithmetic may wrap around. So what
 * `row * n + column` gives from lane to lane would not be known, and each lane's element be loaded
 * alone. But such a number is an index, and no launch here has an array of 2^31 elements and plain
 * code (run/launch, run/program/verdict.c), nor 2^31 threads along an axis. So all that is added
 * and multiplied on the way to an address is taken to hold in 31 bits and a sign, as int is in C.
 *
 * Code with checks is for larger arrays, too: there an index may have 32 bits without a sign. So
 * only what is converted to int on its way holds, since C gives it no other meaning. Proofs are
 * read off before, for they know exactly what the program computes.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

struct marker {
    struct lw__arena *arena;
    LLVMValueRef *seen;
    size_t count;
    bool has_checks; /* only what becomes an int */
};

static bool is_new(struct marker *m, LLVMValueRef v)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->seen[i] == v)
            return false;
    m->seen = lw__one_more(m->arena, m->seen, m->count, sizeof(LLVMValueRef));
    m->seen[m->count++] = v;
    return true;
}

/* What the number is made of. */
static void mark(struct marker *m, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
        !is_new(m, v))
        return;
    const bool is_word = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 32;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0));
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        if (is_word)
            LLVMSetNSW(v, 1);
        break;
    case LLVMZExt:
        if (LLVMGetIntTypeWidth(from) != 32) /* a byte or a condition is any number of its width */
            return;
        if (m->has_checks && !LLVMGetNNeg(v))
            return;
        LLVMSetNNeg(v, 1);
        break;
    case LLVMSExt:
    case LLVMPHI:
    case LLVMSelect: break;
    default: return;
    }
    for (int i = LLVMIsASelectInst(v) ? 1 : 0; i < LLVMGetNumOperands(v); i++)
        mark(m, LLVMGetOperand(v, (unsigned)i));
}

static void hold(struct lw__unit *unit, bool has_checks)
{
    const struct lw__arena_mark start = lw__arena_mark(&unit->scratch);
    struct marker m = {.arena = &unit->scratch, .has_checks = has_checks};
    for (size_t k = 0; k < unit->kernels.count; k++)
        EACH_INSTRUCTION_OF(i, unit->kernels.rows[k].function) {
            if (!LLVMIsAGetElementPtrInst(i))
                continue;
            for (int n = 1; n < LLVMGetNumOperands(i); n++)
                mark(&m, LLVMGetOperand(i, (unsigned)n));
        }
    lw__arena_release(&unit->scratch, start);
}

void lw__hold_unsigned_indices(struct lw__unit *unit)
{
    if (lw__ir_is_cuda(unit->module) && !LLVMGetNamedFunction(unit->module, "lw.access"))
        hold(unit, false);
}

void lw__hold_signed_indices(struct lw__unit *unit)
{
    if (lw__ir_is_cuda(unit->module))
        hold(unit, true);
}
