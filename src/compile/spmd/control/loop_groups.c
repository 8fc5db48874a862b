/* loop_groups.c - which loops a group of pieces executes to the end before others begin.
 *
 * If lanes leave a loop in different iterations, all its pieces go on until the last lane is done.
 * The values that the loop carries are live for all of them. If nothing makes lanes converge in the
 * loop, they may execute it in any order. So few pieces do at a time, a warp's lanes as on a GPU: a
 * Mandelbrot set is 3 times as fast (AVX-512). But if the pieces read adjacent memory, they run in
 * step, so that whole cache lines and pages are used. So the loop may read only registers, shared
 * memory, private arrays and single addresses. It may also read addresses without a linear rule for
 * all pieces, such as a warp's own row. It may write only private arrays and shared memory.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

/* Pieces whose chains of operations hide each other's latency, as far as registers allow. And
 * groups: each has a copy of the loop's code. */
enum { GROUP = 2, GROUPS_MAX = 16 };

/* Shared memory, constants, or a thread's own array. */
static bool is_near(LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return LLVMIsAGlobalVariable(object) || LLVMIsAAllocaInst(object) ||
           LLVMIsAConstantExpr(object);
}

/* True if a linear rule gives the addresses of all pieces. */
static bool is_side_by_side(const struct lw__spmd *s, LLVMValueRef pointer)
{
    const struct lw__value_shape shape = lw__shape_of(s->facts, pointer);
    return shape.kind == LW_SHAPE_OFFSET && !lw__shape_is_uniform(s->facts, shape);
}

/* Elementwise intrinsics, thread indices and checks. */
static bool is_free_call(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    return lw__ir_thread_index(name, NULL) || lw__spmd_is_native(i) || lw__ir_guards(i) ||
           (!strncmp(name, "llvm.", 5) && strncmp(name, "llvm.mem", 8));
}

/* True if the instruction affects no other lanes, nor memory that lanes read side by side. */
static bool is_free(const struct lw__spmd *s, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
               (is_near(LLVMGetOperand(i, 0)) || !is_side_by_side(s, LLVMGetOperand(i, 0)));
    if (LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
               is_near(LLVMGetOperand(i, 1)) && !lw__is_uniform(s->facts, LLVMGetOperand(i, 1));
    if (LLVMIsACallInst(i))
        return is_free_call(i);
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) &&
           !LLVMIsAReturnInst(i) && !LLVMIsAUnreachableInst(i) && !LLVMIsAAllocaInst(i);
}

uint32_t lw__spmd_group(const struct lw__spmd *s, int region)
{
    const struct lw__region *r = &s->facts->regions[region];
    assert(r->is_loop);
    for (uint32_t b = r->first; b <= r->last; b++)
        EACH_INSTRUCTION(i, s->facts->cfg.blocks[b])
            if (r->blocks[b] && !is_free(s, i))
                return s->pieces;
    const uint32_t least = (s->pieces + GROUPS_MAX - 1) / GROUPS_MAX;
    return least > GROUP ? least : GROUP;
}
