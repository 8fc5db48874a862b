/* loop_groups.c - which loops a group of pieces makes to the end before others begin.
 *
 * Where lanes leave a loop in different trips, all pieces that make it together go on until the
 * last lane is done, and what the loop carries is there for all of them. Lanes that nothing brings
 * together in a loop may make it in any order, so few pieces do at a time, a warp's lanes as on a
 * GPU: a Mandelbrot set is 3 times as fast (AVX-512). But where they read memory side by side the
 * block goes in step, so that lines and pages are used up: the loop must read nothing but
 * registers, block memory, private arrays, single addresses and those that no linear rule gives for
 * all pieces together, such as a warp's own row; and write nothing but arrays and block memory.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include <string.h>

/* Pieces whose chains of operations hide each other's latency, as far as registers go; and groups:
 * each has a copy of the loop's code. */
enum { GROUP = 2, GROUPS_MAX = 16 };

/* Block memory, constants, a thread's own array. */
static bool is_near(LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return LLVMIsAGlobalVariable(object) || LLVMIsAAllocaInst(object) ||
           LLVMIsAConstantExpr(object);
}

/* Does a linear rule give the addresses of all pieces? */
static bool is_side_by_side(const struct lw__spmd *s, LLVMValueRef pointer)
{
    const struct lw__value_shape shape = lw__shape_of(s, pointer);
    return shape.kind == LW_SHAPE_OFFSET && !lw__shape_is_uniform(s, shape);
}

/* Elementwise intrinsics, and where the thread is. */
static bool is_free_call(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    return lw__ir_is_thread_index(name) || lw__spmd_is_native(i) ||
           (!strncmp(name, "llvm.", 5) && strncmp(name, "llvm.mem", 8));
}

/* Does the instruction concern no other lanes, nor memory that lanes read side by side? */
static bool is_free(const struct lw__spmd *s, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
               (is_near(LLVMGetOperand(i, 0)) || !is_side_by_side(s, LLVMGetOperand(i, 0)));
    if (LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
               is_near(LLVMGetOperand(i, 1)) &&
               !lw__shape_is_uniform(s, lw__shape_of(s, LLVMGetOperand(i, 1)));
    if (LLVMIsACallInst(i))
        return is_free_call(i);
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) &&
           !LLVMIsAReturnInst(i) && !LLVMIsAUnreachableInst(i) && !LLVMIsAAllocaInst(i);
}

uint32_t lw__spmd_group(const struct lw__spmd *s, int region)
{
    const struct lw__region *r = &s->regions[region];
    for (uint32_t b = r->first; b <= r->last; b++)
        for (LLVMValueRef i = r->blocks[b] ? LLVMGetFirstInstruction(s->cfg.blocks[b]) : NULL; i;
             i = LLVMGetNextInstruction(i))
            if (!is_free(s, i))
                return s->pieces;
    const uint32_t least = (s->pieces + GROUPS_MAX - 1) / GROUPS_MAX;
    return least > GROUP ? least : GROUP;
}
