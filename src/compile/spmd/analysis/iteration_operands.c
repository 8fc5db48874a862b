/* iteration_operands.c - the iteration numbers in a collective's instance, and which of them differ
 * by lane.
 */
#include "compile/spmd/analysis/analysis.h"

enum { DEPTH_MAX = 4 }; /* of an iteration number's operands */

/* True if v is computed in the loop. The path to a return that the loop keeps does not count: a
 * loop there has iterations of its own. */
static bool is_of_loop(const struct lw__cfg *g, const struct lw__loop *l, LLVMValueRef v,
                       unsigned depth)
{
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    const uint32_t at = lw__cfg_index(g, LLVMGetInstructionParent(v));
    bool is = at != UINT32_MAX && l->back[at];
    for (unsigned k = 0; !is && k < (unsigned)LLVMGetNumOperands(v); k++)
        is = is_of_loop(g, l, LLVMGetOperand(v, k), depth + 1);
    return is;
}

/* The operand that is the loop's iteration number; 0: none is. */
static unsigned iteration_operand(const struct lw__cfg *g, const struct lw__loop *l,
                                  LLVMOperandBundleRef instance)
{
    unsigned k = 1;
    const unsigned count = LLVMGetNumOperandBundleArgs(instance);
    while (k < count && !is_of_loop(g, l, LLVMGetOperandBundleArgAtIndex(instance, k), 0))
        k += 2;
    return k < count ? k : 0;
}

/* True if the places are those of this collective up to its iteration number of the loop. */
static bool leads_into(LLVMOperandBundleRef instance, LLVMValueRef call, const struct lw__cfg *g,
                       const struct lw__loop *l)
{
    LLVMOperandBundleRef inside = lw__ir_instance(call);
    const unsigned iteration = inside ? iteration_operand(g, l, inside) : 0;
    bool leads = iteration && iteration < LLVMGetNumOperandBundleArgs(instance);
    for (unsigned k = 0; leads && k < iteration; k += 2)
        leads = LLVMGetOperandBundleArgAtIndex(instance, k) ==
                LLVMGetOperandBundleArgAtIndex(inside, k);
    if (inside)
        LLVMDisposeOperandBundle(inside);
    return leads;
}

/* If lanes leave in a known iteration, LLVM has replaced its number by a constant, or by the
 * compared value. Then the places show that it is an iteration of the loop. */
bool lw__spmd_instance_has_iteration(const struct lw__cfg *g, const struct lw__loop *l,
                                     LLVMValueRef call)
{
    LLVMOperandBundleRef instance = lw__ir_instance(call);
    if (!instance)
        return false;
    bool has_iteration = iteration_operand(g, l, instance);
    for (uint32_t b = 0; b < g->count; b++)
        EACH_INSTRUCTION(i, g->blocks[b])
            has_iteration = has_iteration || (l->body[b] && lw__ir_collective(i, NULL) &&
                                              leads_into(instance, i, g, l));
    LLVMDisposeOperandBundle(instance);
    return has_iteration;
}

unsigned lw__spmd_differing_iterations(const struct lw__facts *facts, LLVMValueRef call,
                                       unsigned *operands)
{
    unsigned count = 0;
    LLVMOperandBundleRef bundle = lw__ir_instance(call);
    if (!bundle) /* an operation of runtime/gang_barrier.c is in no loop */
        return 0;
    for (unsigned k = 1; k < LLVMGetNumOperandBundleArgs(bundle); k += 2) {
        LLVMValueRef iteration = LLVMGetOperandBundleArgAtIndex(bundle, k);
        struct lw__value_shape shape = lw__shape_of(facts, iteration);
        if (shape.kind != LW_SHAPE_NONE && !lw__shape_is_convergent(facts, shape) &&
            count < LW_ITERATIONS_MAX)
            operands[count++] = k;
    }
    LLVMDisposeOperandBundle(bundle);
    return count;
}

unsigned lw__spmd_iteration_values(const struct lw__facts *facts, LLVMValueRef call,
                                   LLVMValueRef *iterations)
{
    unsigned operands[LW_ITERATIONS_MAX],
        count = lw__spmd_differing_iterations(facts, call, operands);
    LLVMOperandBundleRef bundle = count ? lw__ir_instance(call) : NULL;
    for (unsigned k = 0; k < count; k++)
        iterations[k] = LLVMGetOperandBundleArgAtIndex(bundle, operands[k]);
    if (bundle)
        LLVMDisposeOperandBundle(bundle);
    return count;
}

bool lw__spmd_iterations_differ(const struct lw__facts *facts, LLVMValueRef call)
{
    unsigned operands[LW_ITERATIONS_MAX];
    return lw__spmd_differing_iterations(facts, call, operands) > 0;
}
