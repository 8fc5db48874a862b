/* target_ptx_yield.c - lanes come together again behind loops in which they yield.
 *
 * In a loop with atomics, which may wait for other lanes, the driver's assembler (of CUDA 13.0) has
 * them yield: some go on behind it before the last have left. In front of a collective it then
 * looks whether all are there; but in some kernels it takes for granted that they are, and seven
 * lanes of a warp shuffled with each other (random kernel 1000500454). So all are told to come
 * together, by a mask that is no constant to the assembler: right behind an atomic operation that
 * becomes such a loop, for it also keeps what lanes share in registers of the warp, which those
 * that go on write; and in front of collectives, where the kernel has such a loop in its text.
 * Behind that, who has left it may have to do what the others wait for.
 */
#include "compile/target_ptx_meet.h"

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

/* The assembler believes, and leaves out, that all lanes shall come whose mask is a constant. */
static void surely_together(struct meet *m)
{
    LLVMValueRef lanes = lw__ptx_all_lanes(m->x);
    lw__ptx_call(m->x, "lw_cuda_come_together", &lanes, 1);
}

void lw__ptx_find_yields(struct meet *m)
{
    const struct lw__cfg *g = &m->by_warp.cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        const bool all_come = m->by_warp.region_of[b] < 0;
        const bool in_loop = lw__loops_innermost(&m->by_warp.loops, b) >= 0;
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        for (LLVMValueRef next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            const bool loops = becomes_loop(i);
            m->yields |= (in_loop && is_shared_access(i)) || (loops && !all_come);
            if (!loops || !all_come)
                continue;
            LLVMPositionBuilderBefore(m->x->b, next);
            surely_together(m);
        }
    }
}

void lw__ptx_come_together(struct meet *m)
{
    LLVMValueRef all = LLVMConstInt(m->x->i32, UINT32_MAX, 0);
    if (m->yields)
        surely_together(m);
    else
        lw__ptx_call(m->x, "lw_cuda_warp_sync", &all, 1);
}
