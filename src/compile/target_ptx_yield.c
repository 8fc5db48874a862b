/* target_ptx_yield.c - lanes come together again behind loops in which they yield.
 *
 * In a loop with atomics, which may wait for other lanes, the driver's assembler (of CUDA 13.0) has
 * them yield: some go on behind it before the last have left. In front of a collective it then
 * looks whether all are there; but in some kernels it takes for granted that they are, and seven
 * lanes of a warp shuffled with each other (random kernel 1000500454). So all are told to come
 * together: in front of collectives, where the kernel has such a loop, and right behind an atomic
 * operation that becomes one, for the assembler also keeps what lanes share in registers of the
 * warp, which those that go on write. But not behind loops of the text: who has left one may have
 * to do what the others wait for.
 */
#include "compile/target_ptx_meet.h"

void lw__ptx_come_together(struct lw__ptx *x)
{
    LLVMValueRef all = LLVMConstInt(x->i32, UINT32_MAX, 0);
    lw__ptx_call(x, "lw_cuda_warp_sync", &all, 1);
}

static bool has_instruction(LLVMAtomicRMWBinOp op, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return op == LLVMAtomicRMWBinOpFAdd && LLVMGetTypeKind(type) != LLVMHalfTypeKind &&
               LLVMGetTypeKind(type) != LLVMBFloatTypeKind;
    return LLVMGetIntTypeWidth(type) >= 32 && op != LLVMAtomicRMWBinOpNand;
}

/* Does an atomic operation become a loop? Compare-and-swap of 16 bits does not: lw__ptx_quirks. */
static bool becomes_loop(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)
                           ? LLVMTypeOf(LLVMGetOperand(i, 1))
                           : NULL;
    if (type && LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 16;
    return type && !has_instruction(LLVMGetAtomicRMWBinOp(i), type);
}

static bool is_shared_access(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (LLVMIsALoadInst(i) &&
            (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
}

bool lw__ptx_yields(const struct meet *m)
{
    const struct lw__cfg *g = &m->s.cfg;
    bool yields = false;
    for (uint32_t b = 0; b < g->count; b++) {
        const bool in_loop = lw__loops_innermost(&m->s.loops, b) >= 0;
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        for (; !yields && i; i = LLVMGetNextInstruction(i))
            yields = becomes_loop(i) || (in_loop && is_shared_access(i));
    }
    return yields;
}

void lw__ptx_gather_behind_atomics(struct meet *m)
{
    const struct lw__cfg *g = &m->by_warp.cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        LLVMValueRef i = m->by_warp.region_of[b] < 0 ? LLVMGetFirstInstruction(g->blocks[b]) : NULL;
        for (LLVMValueRef next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!becomes_loop(i))
                continue;
            LLVMPositionBuilderBefore(m->x->b, next);
            lw__ptx_come_together(m->x);
        }
    }
}
