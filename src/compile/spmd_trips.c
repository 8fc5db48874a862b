/* spmd_trips.c - collectives that lanes reach in different trips of a loop.
 *
 * An arm that leaves a loop belongs to the trip that it leaves, but it runs when all lanes have
 * left: its instance then holds trips that differ by lane. The lanes of one instance are those
 * with the same trips; the operation is done for one instance after the other.
 */
#include "compile/spmd_copy.h"
#include <stdlib.h>

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
bool lw__spmd_parts_trips(const struct lw__cfg *g, const struct lw__loop *l, LLVMValueRef call)
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
    if (!bundle) /* an operation of spmd_meet.c is in no loop */
        return 0;
    for (unsigned k = 1; k < LLVMGetNumOperandBundleArgs(bundle); k += 2) {
        LLVMValueRef trip = LLVMGetOperandBundleArgAtIndex(bundle, k);
        struct lw__value_shape shape = lw__shape_of(s, trip);
        if (shape.kind != LW_SHAPE_NONE && !lw__shape_keeps_together(s, shape) &&
            count < LW_TRIPS_MAX)
            operands[count++] = k;
    }
    LLVMDisposeOperandBundle(bundle);
    return count;
}

/* The trips themselves. */
static unsigned differing(const struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *trips)
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

LLVMValueRef lw__spmd_first_value(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *mask)
{
    LLVMTypeRef bits_type = LLVMIntTypeInContext(s->context, s->width);
    LLVMValueRef best = LLVMConstNull(LLVMTypeOf(v));
    for (uint32_t p = s->pieces; p-- > 0;) {
        LLVMValueRef bits = lw__mask_bits(s, mask[p]);
        LLVMValueRef args[] = {bits, LLVMConstInt(s->i1, 0, 0)};
        LLVMValueRef lane =
            lw__llvm_intrinsic(s->b, s->module, "llvm.cttz", &bits_type, 1, args, 2);
        lane = LLVMBuildURem(s->b, lane, LLVMConstInt(bits_type, s->width, 0), "");
        LLVMValueRef one = LLVMBuildExtractElement(s->b, lw__spmd_vector(s, v, p), lane, "");
        best = LLVMBuildSelect(s->b, lw__mask_piece_any(s, mask[p]), one, best, "");
    }
    return best;
}

struct instances {
    LLVMValueRef *left, *mask, *result; /* per piece: slot, of this round, slot */
    LLVMBasicBlockRef again, done;
};

void lw__spmd_first_instance(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *mask)
{
    LLVMValueRef trips[LW_TRIPS_MAX];
    unsigned count = differing(s, call, trips);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef value = lw__spmd_splat(s, lw__spmd_first_value(s, trips[k], mask));
        for (uint32_t p = 0; p < s->pieces; p++) {
            LLVMValueRef same =
                LLVMBuildICmp(s->b, LLVMIntEQ, lw__spmd_vector(s, trips[k], p), value, "");
            mask[p] = lw__mask_and(s, mask[p], same);
        }
    }
}

static void choose(struct lw__spmd *s, LLVMValueRef call, struct instances *n)
{
    for (uint32_t p = 0; p < s->pieces; p++)
        n->mask[p] = LLVMBuildLoad2(s->b, lw__spmd_vector_type(s, s->i1), n->left[p], "");
    lw__spmd_first_instance(s, call, n->mask);
}

/* Keep what these lanes got; they are done. */
static void keep(struct lw__spmd *s, LLVMValueRef call, struct instances *n)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    LLVMValueRef *rest = lw__copy_memory(s->pieces, sizeof *rest);
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (n->result) {
            LLVMValueRef v = lw__spmd_vector(s, call, p);
            LLVMValueRef old = LLVMBuildLoad2(s->b, LLVMTypeOf(v), n->result[p], "");
            LLVMBuildStore(s->b, LLVMBuildSelect(s->b, n->mask[p], v, old, ""), n->result[p]);
        }
        rest[p] = LLVMBuildLoad2(s->b, type, n->left[p], "");
        rest[p] = lw__mask_and_not(s, rest[p], n->mask[p]);
        LLVMBuildStore(s->b, rest[p], n->left[p]);
    }
    LLVMBuildCondBr(s->b, lw__mask_any(s, rest), n->again, n->done);
    free(rest);
}

bool lw__spmd_warp_by_trips(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                            lw__mask mask)
{
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
    LLVMTypeRef lanes = lw__spmd_vector_type(s, s->i1);
    LLVMValueRef *memory = lw__copy_memory(3 * s->pieces, sizeof *memory);
    struct instances n = {.left = memory,
                          .mask = memory + s->pieces,
                          .result = has_result ? memory + 2 * s->pieces : NULL};
    for (uint32_t p = 0; p < s->pieces; p++) {
        n.left[p] = LLVMBuildAlloca(s->entry, lanes, "");
        LLVMBuildStore(s->b, lw__mask_vector(s, mask[p]), n.left[p]);
        if (has_result)
            n.result[p] = LLVMBuildAlloca(s->entry, lw__spmd_vector_type(s, LLVMTypeOf(call)), "");
    }
    n.again = LLVMAppendBasicBlockInContext(s->context, s->function, "instance");
    n.done = LLVMAppendBasicBlockInContext(s->context, s->function, "instances");
    LLVMBuildBr(s->b, n.again);
    LLVMPositionBuilderAtEnd(s->b, n.again);
    choose(s, call, &n);
    bool ok = lw__spmd_warp(s, call, op, type, n.mask);
    if (ok)
        keep(s, call, &n);
    LLVMPositionBuilderAtEnd(s->b, n.done);
    for (uint32_t p = 0; ok && has_result && p < s->pieces; p++)
        lw__spmd_set_vector(
            s, call, p, LLVMBuildLoad2(s->b, LLVMGetAllocatedType(n.result[p]), n.result[p], ""));
    free(memory);
    return ok;
}
