/* unroll_emit.c - the code of several iterations at once; unroll_loads.c gives the purpose.
 *
 *     head:      the blocks before the loop, up to here; is it allowed? limit
 *     guard:     the loop's phis again; counter < limit, or on to the loop as it was
 *     issue:     the loads of all iterations, with what their addresses need
 *     body k:    iteration k: a copy of the loop without the test and without issue's loads
 */
#include "compile/gpu/unroll_loads.h"
#include <assert.h>
#include <string.h>

/* The copy of each item in each iteration; NULL: none so far. */
struct copies {
    const struct lw__unrolled_loop *t;
    LLVMBuilderRef b;
    LLVMValueRef *at; /* of an item: iteration * item_count + item */
    /* per item: of an address, the distance to the next iteration's, or NULL */
    LLVMValueRef distance[LW_UNROLL_SIZE];
};

static void open_copies(struct copies *c, const struct lw__unrolled_loop *t, LLVMBuilderRef b)
{
    *c = (struct copies){.t = t, .b = b};
    c->at = lw__new(t->cfg->arena, LW_UNROLL_COUNT * t->item_count, sizeof(LLVMValueRef));
}

static LLVMValueRef *place_of(const struct copies *c, unsigned iteration, size_t item)
{
    assert(iteration < c->t->count && item < c->t->item_count);
    return &c->at[iteration * c->t->item_count + item];
}

/* v in that iteration. What is missing is built at b, with the operands it needs. */
static LLVMValueRef value_in(struct copies *c, unsigned iteration, LLVMValueRef v)
{
    const size_t item = lw__unrolled_find(c->t, v);
    if (item == c->t->item_count)
        return v;
    LLVMValueRef *place = place_of(c, iteration, item);
    if (*place)
        return *place;
    if (LLVMIsAPHINode(v))
        return *place = value_in(c, iteration - 1, lw__unrolled_next(c->t, v));
    if (iteration && c->distance[item]) {
        LLVMTypeRef i8 = LLVMInt8TypeInContext(c->t->context);
        LLVMValueRef before = value_in(c, iteration - 1, v);
        return *place = LLVMBuildGEP2(c->b, i8, before, &c->distance[item], 1, "");
    }
    LLVMValueRef made = LLVMInstructionClone(v);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        LLVMSetOperand(made, k, value_in(c, iteration, LLVMGetOperand(v, k)));
    LLVMInsertIntoBuilder(c->b, made);
    return *place = made;
}

/* ---- before the loop ------------------------------------------------------------------------- */

static LLVMValueRef constant(LLVMValueRef like, uint64_t n)
{
    return LLVMConstInt(LLVMTypeOf(like), n, 0);
}

static LLVMValueRef and_also(LLVMBuilderRef b, LLVMValueRef all, LLVMValueRef one)
{
    return all ? LLVMBuildAnd(b, all, one, "") : one;
}

/* The greatest value of the counter, and the smallest. */
static uint64_t greatest(const struct lw__unrolled_loop *t)
{
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(t->counter));
    return UINT64_MAX >> (64 - width + t->is_signed);
}

static LLVMValueRef smallest(const struct lw__unrolled_loop *t)
{
    return constant(t->counter, t->is_signed ? greatest(t) + 1 : 0);
}

/* While the counter is below this limit, t->count - 1 more steps neither wrap around nor leave the
 * bounds. */
static LLVMValueRef build_limit(const struct lw__unrolled_loop *t, LLVMBuilderRef b,
                                LLVMValueRef allowed)
{
    const unsigned more = t->count - 1;
    LLVMValueRef step = LLVMBuildFreeze(b, t->step, ""), bound = t->bound;
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntULE, step, constant(step, greatest(t) / more), "");
    allowed = and_also(b, allowed, fits);
    if (t->or_equal) {
        LLVMValueRef is_last = LLVMBuildICmp(b, LLVMIntNE, bound, constant(bound, greatest(t)), "");
        allowed = and_also(b, allowed, is_last);
        bound = LLVMBuildAdd(b, bound, constant(bound, 1), "");
    }
    LLVMValueRef span = LLVMBuildMul(b, step, constant(step, more), "");
    LLVMValueRef lowest = LLVMBuildAdd(b, span, smallest(t), "");
    LLVMValueRef far = LLVMBuildICmp(b, t->is_signed ? LLVMIntSGE : LLVMIntUGE, bound, lowest, "");
    allowed = LLVMBuildFreeze(b, and_also(b, allowed, far), "");
    return LLVMBuildSelect(b, allowed, LLVMBuildSub(b, bound, span, ""), smallest(t), "");
}

static LLVMValueRef address_in(struct copies *c, unsigned iteration, LLVMValueRef access)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c->t->context);
    LLVMValueRef address = value_in(c, iteration, lw__ir_address(access));
    LLVMTypeRef generic = LLVMPointerTypeInContext(c->t->context, 0);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(address)))
        address = LLVMBuildAddrSpaceCast(c->b, address, generic, "");
    return LLVMBuildPtrToInt(c->b, address, i64, "");
}

/* True at run time if both addresses advance by one step, and the load overlaps no store of earlier
 * iterations. Then no distance between them, plus k steps, is within either's size. */
static LLVMValueRef build_apart(struct copies *c, const struct lw__unrolled_pair *p)
{
    LLVMBuilderRef b = c->b;
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(LLVMGetGlobalParent(c->t->cfg->function));
    const uint64_t read = LLVMStoreSizeOfType(data, lw__ir_accessed(p->load)),
                   written = LLVMStoreSizeOfType(data, lw__ir_accessed(p->writer));
    LLVMValueRef from = address_in(c, 0, p->load), to = address_in(c, 0, p->writer);
    LLVMValueRef step = LLVMBuildSub(b, address_in(c, 1, p->load), from, "");
    LLVMValueRef other = LLVMBuildSub(b, address_in(c, 1, p->writer), to, "");
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, step, other, "");
    LLVMValueRef distance = LLVMBuildSub(b, from, to, "");
    for (unsigned k = 0; k < c->t->count; k++) {
        if (k)
            distance = LLVMBuildAdd(b, distance, step, "");
        LLVMValueRef behind = LLVMBuildAdd(b, distance, constant(distance, read - 1), "");
        if (k || p->in_iteration)
            all = and_also(
                b, all,
                LLVMBuildICmp(b, LLVMIntUGE, behind, constant(behind, read + written - 1), ""));
    }
    return all;
}

/* The distances from one iteration's address to the next's, where all advance by the same. */
static void build_distances(struct copies *c, LLVMValueRef *distances)
{
    const struct lw__unrolled_loop *t = c->t;
    for (size_t k = 0; k < t->item_count; k++) {
        LLVMValueRef access = t->items[k].instruction;
        if (!t->items[k].ahead && !LLVMIsAStoreInst(access))
            continue;
        LLVMValueRef address = lw__ir_address(access);
        const size_t at = lw__unrolled_find(t, address);
        if (at == t->item_count || LLVMIsAPHINode(address) || distances[at] ||
            !lw__unrolled_is_global(t, address) || !lw__unrolled_is_linear(t, address))
            continue;
        LLVMValueRef from = address_in(c, 0, access), to = address_in(c, 1, access);
        distances[at] = LLVMBuildFreeze(c->b, LLVMBuildSub(c->b, to, from, ""), "");
    }
}

/* At the end of head; counters begin where the loop's do. */
static void build_front(const struct lw__unrolled_loop *t, LLVMBuilderRef b, LLVMValueRef *limit,
                        LLVMValueRef *distances)
{
    LLVMValueRef allowed = NULL;
    struct copies c;
    open_copies(&c, t, b);
    for (size_t k = 0; k < t->item_count && LLVMIsAPHINode(t->items[k].instruction); k++)
        *place_of(&c, 0, k) = lw__unrolled_begin(t, t->items[k].instruction);
    for (unsigned k = 0; k < t->pair_count; k++)
        allowed = and_also(b, allowed, build_apart(&c, &t->pairs[k]));
    *limit = build_limit(t, b, allowed);
    build_distances(&c, distances);
}

/* ---- the iterations -------------------------------------------------------------------------- */

/* Loop strength reduction would give the address of each iteration a register that advances; the
 * iterations of an array can share one, at constant distances. */
static void hide_counters(struct copies *c)
{
    for (size_t k = 0; k < c->t->item_count && LLVMIsAPHINode(c->t->items[k].instruction); k++)
        if (c->t->items[k].level == 0)
            *place_of(c, 0, k) = c->t->target->hide(c->b, *place_of(c, 0, k));
}

/* All loads that depend on none, then those that depend on these. */
static void build_issue(struct copies *c)
{
    const struct lw__unrolled_loop *t = c->t;
    for (int level = 1; level <= LW_UNROLL_LEVELS; level++)
        for (unsigned iteration = 0; iteration < t->count; iteration++)
            for (size_t k = 0; k < t->item_count; k++)
                if (t->items[k].ahead && t->items[k].level == level)
                    (void)value_in(c, iteration, t->items[k].instruction);
}

/* Blocks of the loop by their numbers; others are NULL. */
static LLVMBasicBlockRef *new_blocks(const struct lw__unrolled_loop *t)
{
    LLVMBasicBlockRef *blocks = lw__new(t->cfg->arena, t->cfg->count, sizeof(LLVMBasicBlockRef));
    for (uint32_t b = 0; b < t->cfg->count; b++)
        if (t->loop->body[b])
            blocks[b] = LLVMInsertBasicBlockInContext(t->context, t->before, "iteration");
    return blocks;
}

static LLVMBasicBlockRef copy_of(const struct copies *c, LLVMBasicBlockRef *blocks,
                                 LLVMBasicBlockRef block)
{
    return blocks[lw__cfg_index(c->t->cfg, block)];
}

static void copy_phi(struct copies *c, unsigned iteration, LLVMBasicBlockRef *blocks, size_t item)
{
    LLVMValueRef phi = c->t->items[item].instruction;
    LLVMValueRef made = LLVMBuildPhi(c->b, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = value_in(c, iteration, LLVMGetIncomingValue(phi, k));
        LLVMBasicBlockRef from = copy_of(c, blocks, LLVMGetIncomingBlock(phi, k));
        LLVMAddIncoming(made, &v, &from, 1);
    }
    *place_of(c, iteration, item) = made;
}

static LLVMBasicBlockRef copy_next(const struct copies *c, LLVMBasicBlockRef *blocks,
                                   LLVMValueRef end, unsigned k, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);
    return to == c->t->header ? next : copy_of(c, blocks, to);
}

/* The header's terminator goes on in the loop, the latch's to the next iteration. */
static void copy_end(struct copies *c, unsigned iteration, LLVMBasicBlockRef *blocks,
                     LLVMValueRef end, LLVMBasicBlockRef next)
{
    if (LLVMGetInstructionParent(end) == c->t->header)
        LLVMBuildBr(c->b, copy_of(c, blocks, c->t->stay));
    else if (!LLVMIsConditional(end))
        LLVMBuildBr(c->b, copy_next(c, blocks, end, 0, next));
    else
        LLVMBuildCondBr(c->b, value_in(c, iteration, LLVMGetCondition(end)),
                        copy_next(c, blocks, end, 0, next), copy_next(c, blocks, end, 1, next));
}

static void copy_iteration(struct copies *c, unsigned iteration, LLVMBasicBlockRef *blocks,
                           LLVMBasicBlockRef next)
{
    const struct lw__unrolled_loop *t = c->t;
    for (size_t k = 0; k < t->item_count; k++) {
        LLVMValueRef i = t->items[k].instruction;
        LLVMBasicBlockRef home = LLVMGetInstructionParent(i);
        LLVMPositionBuilderAtEnd(c->b, copy_of(c, blocks, home));
        if (LLVMIsATerminatorInst(i))
            copy_end(c, iteration, blocks, i, next);
        else if (LLVMIsAPHINode(i) && home != t->header)
            copy_phi(c, iteration, blocks, k);
        else
            (void)value_in(c, iteration, i);
    }
}

/* The blocks from issue to the end of the last iteration, which is the result. */
static LLVMBasicBlockRef build_iterations(struct copies *c, LLVMBasicBlockRef issue,
                                          LLVMBasicBlockRef guard)
{
    const struct lw__unrolled_loop *t = c->t;
    LLVMBasicBlockRef *blocks[LW_UNROLL_COUNT];
    for (unsigned iteration = 0; iteration < t->count; iteration++)
        blocks[iteration] = new_blocks(t);
    for (unsigned iteration = 0; iteration < t->count; iteration++)
        copy_iteration(c, iteration, blocks[iteration],
                       iteration + 1 < t->count ? copy_of(c, blocks[iteration + 1], t->header)
                                                : guard);
    LLVMPositionBuilderAtEnd(c->b, issue);
    LLVMBuildBr(c->b, copy_of(c, blocks[0], t->header));
    return copy_of(c, blocks[t->count - 1], t->latch);
}

/* The phis of the guard. Those of the loop after it continue with their values. */
static void open_phis(struct copies *c, LLVMBasicBlockRef head)
{
    const struct lw__unrolled_loop *t = c->t;
    for (size_t k = 0; k < t->item_count && LLVMIsAPHINode(t->items[k].instruction); k++) {
        LLVMValueRef phi = t->items[k].instruction, begin = lw__unrolled_begin(t, phi);
        LLVMValueRef made = LLVMBuildPhi(c->b, LLVMTypeOf(phi), "");
        LLVMAddIncoming(made, &begin, &head, 1);
        *place_of(c, 0, k) = made;
    }
}

static void close_phis(struct copies *c, LLVMValueRef *phis, LLVMBasicBlockRef last)
{
    const struct lw__unrolled_loop *t = c->t;
    for (size_t k = 0; k < t->item_count && LLVMIsAPHINode(t->items[k].instruction); k++) {
        LLVMValueRef phi = t->items[k].instruction, made = phis[k];
        LLVMValueRef v = value_in(c, t->count - 1, lw__unrolled_next(t, phi));
        LLVMAddIncoming(made, &v, &last, 1);
        for (unsigned e = 0; e < LLVMCountIncoming(phi); e++)
            if (LLVMGetIncomingBlock(phi, e) == t->before)
                LLVMSetOperand(phi, e, made);
    }
}

void lw__unrolled_build(const struct lw__unrolled_loop *t)
{
    LLVMValueRef limit, distances[LW_UNROLL_SIZE] = {0}, phis[LW_UNROLL_SIZE];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(t->context);
    LLVMBasicBlockRef head = lw__ir_split_before(LLVMGetBasicBlockTerminator(t->before)),
                      guard = LLVMInsertBasicBlockInContext(t->context, t->before, "guard"),
                      issue = LLVMInsertBasicBlockInContext(t->context, t->before, "issue");
    LLVMPositionBuilderAtEnd(b, head);
    build_front(t, b, &limit, distances);
    struct copies c;
    open_copies(&c, t, b);
    memcpy(c.distance, distances, sizeof distances);
    LLVMBuildBr(b, guard);
    LLVMPositionBuilderAtEnd(b, guard);
    open_phis(&c, head);
    const size_t counter = lw__unrolled_find(t, t->counter);
    LLVMValueRef enough = LLVMBuildICmp(b, t->is_signed ? LLVMIntSLT : LLVMIntULT,
                                        *place_of(&c, 0, counter), limit, "");
    LLVMBuildCondBr(b, enough, issue, t->before);
    LLVMPositionBuilderAtEnd(b, issue);
    memcpy(phis, c.at, t->item_count * sizeof *phis);
    hide_counters(&c);
    build_issue(&c);
    LLVMBasicBlockRef last = build_iterations(&c, issue, guard);
    close_phis(&c, phis, last);
    lw__loop_set_metadata(LLVMGetBasicBlockTerminator(last), "llvm.loop.unroll.disable", 0);
    lw__loop_set_metadata(LLVMGetBasicBlockTerminator(t->latch), "llvm.loop.unroll.disable", 0);
    LLVMDisposeBuilder(b);
}
