/* trip_operands.c - the iterations of loops that a collective's instance is made of, and which of
 * them differ by lane.
 */
#include "compile/spmd/analysis/analysis.h"

enum { DEPTH_MAX = 4 }; /* of what a trip's number is made of */

/* Is it made in the loop? What is on a way to the return that the loop holds is not: a loop there
 * has trips of its own. */
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

/* The operand that is the trip of the loop, 0: none is. */
static unsigned trip_operand(const struct lw__cfg *g, const struct lw__loop *l,
                             LLVMOperandBundleRef instance)
{
    unsigned k = 1;
    const unsigned count = LLVMGetNumOperandBundleArgs(instance);
    while (k < count && !is_of_loop(g, l, LLVMGetOperandBundleArgAtIndex(instance, k), 0))
        k += 2;
    return k < count ? k : 0;
}

/* Do the places lead into a loop with this collective, by whose instance that is the trip of it? */
static bool leads_into(LLVMOperandBundleRef instance, LLVMValueRef call, const struct lw__cfg *g,
                       const struct lw__loop *l)
{
    LLVMOperandBundleRef inside = lw__ir_instance(call);
    const unsigned trip = inside ? trip_operand(g, l, inside) : 0;
    bool leads = trip && trip < LLVMGetNumOperandBundleArgs(instance);
    for (unsigned k = 0; leads && k < trip; k += 2)
        leads = LLVMGetOperandBundleArgAtIndex(instance, k) ==
                LLVMGetOperandBundleArgAtIndex(inside, k);
    if (inside)
        LLVMDisposeOperandBundle(inside);
    return leads;
}

/* Where lanes leave in a trip that is known, LLVM has put its number, or what it is compared with,
 * for the trip: then the places say that it is one of the loop. */
bool lw__spmd_instance_has_trip(const struct lw__cfg *g, const struct lw__loop *l,
                                LLVMValueRef call)
{
    LLVMOperandBundleRef instance = lw__ir_instance(call);
    if (!instance)
        return false;
    bool parts = trip_operand(g, l, instance);
    for (uint32_t b = 0; !parts && b < g->count; b++) {
        LLVMValueRef i = l->body[b] ? LLVMGetFirstInstruction(g->blocks[b]) : NULL;
        for (; !parts && i; i = LLVMGetNextInstruction(i))
            parts = lw__ir_collective(i, NULL) && leads_into(instance, i, g, l);
    }
    LLVMDisposeOperandBundle(instance);
    return parts;
}

unsigned lw__spmd_differing_trips(const struct lw__spmd *s, LLVMValueRef call, unsigned *operands)
{
    unsigned count = 0;
    LLVMOperandBundleRef bundle = lw__ir_instance(call);
    if (!bundle) /* an operation of runtime/gang_barrier.c is in no loop */
        return 0;
    for (unsigned k = 1; k < LLVMGetNumOperandBundleArgs(bundle); k += 2) {
        LLVMValueRef trip = LLVMGetOperandBundleArgAtIndex(bundle, k);
        struct lw__value_shape shape = lw__shape_of(s, trip);
        if (shape.kind != LW_SHAPE_NONE && !lw__shape_is_convergent(s, shape) &&
            count < LW_TRIPS_MAX)
            operands[count++] = k;
    }
    LLVMDisposeOperandBundle(bundle);
    return count;
}

unsigned lw__spmd_trip_values(const struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *trips)
{
    unsigned operands[LW_TRIPS_MAX], count = lw__spmd_differing_trips(s, call, operands);
    LLVMOperandBundleRef bundle = count ? lw__ir_instance(call) : NULL;
    for (unsigned k = 0; k < count; k++)
        trips[k] = LLVMGetOperandBundleArgAtIndex(bundle, operands[k]);
    if (bundle)
        LLVMDisposeOperandBundle(bundle);
    return count;
}

bool lw__spmd_trips_differ(const struct lw__spmd *s, LLVMValueRef call)
{
    unsigned operands[LW_TRIPS_MAX];
    return lw__spmd_differing_trips(s, call, operands) > 0;
}
