/* unroll_loads.c - loops make several iterations under one test, and issue all their loads first
 *
 *     while (i < n) {                     limit = n - 3 * step, where that and the addresses allow
 *         sum += a[i] * b[i];             while (i < limit) {
 *         i += step;                          load a[i], a[i + step], ... b[i], b[i + step], ...
 *     }                                       the body four times, in its order
 *                                         }
 *                                         while (i < n) ...
 *
 * A thread has as many loads in flight as precede the first use of one. Neither LLVM nor the
 * driver's assembler moves a load over a test, or over a store that may alias it. LLVM's own
 * unrolling needs the trip count, a division by a step that only the launch knows. It also needs a
 * promise that the counter does not wrap around; the limit needs neither. A load is issued before
 * earlier stores if both addresses advance by one step and their distance excludes an overlap. That
 * is checked once, before the loop. Arithmetic keeps its order.
 */
#include "compile/gpu/unroll_loads.h"
#include <string.h>

enum { WORDS_AHEAD = 16 }; /* registers for loads issued early */

size_t lw__unrolled_find(const struct lw__unrolled_loop *t, LLVMValueRef v)
{
    size_t k = 0;
    while (k < t->item_count && t->items[k].instruction != v)
        k++;
    return k;
}

static bool is_inside(const struct lw__unrolled_loop *t, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && lw__unrolled_find(t, v) < t->item_count;
}

LLVMValueRef lw__unrolled_next(const struct lw__unrolled_loop *t, LLVMValueRef phi)
{
    return lw__ir_incoming(phi, t->latch);
}

LLVMValueRef lw__unrolled_begin(const struct lw__unrolled_loop *t, LLVMValueRef phi)
{
    return lw__ir_incoming(phi, t->before);
}

/* ---- does the loop qualify? ------------------------------------------------------------------ */

/* True if the header has one entry and one back edge. */
static bool find_ends(struct lw__unrolled_loop *t)
{
    const struct lw__cfg *g = t->cfg;
    const uint32_t h = t->loop->header, first = g->pred_start[h];
    if (g->pred_start[h + 1] - first != 2 ||
        t->loop->body[g->pred[first]] == t->loop->body[g->pred[first + 1]])
        return false;
    const bool swapped = t->loop->body[g->pred[first]];
    t->header = g->blocks[h];
    t->before = g->blocks[g->pred[first + swapped]];
    t->latch = g->blocks[g->pred[first + !swapped]];
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(t->before)) == 1 &&
           t->latch != t->header;
}

/* True if the header has the only exit, and all terminators are branches. */
static bool leaves_at_header(struct lw__unrolled_loop *t)
{
    const struct lw__cfg *g = t->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!t->loop->body[b])
            continue;
        if (!LLVMIsABranchInst(LLVMGetBasicBlockTerminator(g->blocks[b])))
            return false;
        EACH_SUCCESSOR(to, g, b) {
            const bool stays = t->loop->body[to];
            if (stays && b == t->loop->header)
                t->stay = g->blocks[to];
            if (!stays && b != t->loop->header)
                return false;
        }
    }
    return LLVMIsConditional(LLVMGetBasicBlockTerminator(t->header)) && t->stay;
}

static bool is_plain(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAAtomicRMWInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingMonotonic;
    if (LLVMIsACallInst(i))
        return lw__ir_is_speculatable(i);
    return !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAAllocaInst(i);
}

/* False if threads converge or wait in the loop, or it has an inner loop. */
static bool list_items(struct lw__unrolled_loop *t, const struct lw__loops *loops)
{
    for (size_t l = 0; l < loops->count; l++)
        if (&loops->loops[l] != t->loop && t->loop->body[loops->loops[l].header] &&
            loops->loops[l].size < t->loop->size)
            return false;
    for (uint32_t b = 0; b < t->cfg->count; b++)
        EACH_INSTRUCTION(i, t->cfg->blocks[b]) {
            if (!t->loop->body[b])
                break;
            if (t->item_count == LW_UNROLL_SIZE || !is_plain(i))
                return false;
            t->items[t->item_count++] = (struct lw__unrolled_item){.instruction = i, .level = -1};
        }
    return true;
}

/* ---- its counter ----------------------------------------------------------------------------- */

/* A pointer, or an integer of 32 or 64 bits. */
static bool is_word(LLVMValueRef v)
{
    const bool is_int = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
    const unsigned bits = is_int ? LLVMGetIntTypeWidth(LLVMTypeOf(v)) : 64;
    return bits == 64 || bits == 32;
}

/* The value added to the phi in each iteration, or NULL if it is no counter. */
static LLVMValueRef step_of(const struct lw__unrolled_loop *t, LLVMValueRef phi)
{
    LLVMValueRef next = lw__unrolled_next(t, phi);
    const bool adds = is_inside(t, next) && LLVMGetInstructionOpcode(next) == LLVMAdd;
    if (!adds &&
        !(is_inside(t, next) && LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2))
        return NULL;
    const bool swapped = adds && LLVMGetOperand(next, 1) == phi;
    LLVMValueRef step = LLVMGetOperand(next, !swapped);
    return LLVMGetOperand(next, swapped) == phi && !is_inside(t, step) && is_word(phi) ? step
                                                                                       : NULL;
}

static bool is_of_header(const struct lw__unrolled_loop *t, LLVMValueRef v)
{
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == t->header;
}

/* counter < bound, or <=, as the condition to stay. */
static bool set_comparison(struct lw__unrolled_loop *t, LLVMIntPredicate p)
{
    t->is_signed = p == LLVMIntSLT || p == LLVMIntSLE;
    t->or_equal = p == LLVMIntULE || p == LLVMIntSLE;
    return t->is_signed || p == LLVMIntULT || p == LLVMIntULE;
}

/* Where all of it is constant LLVM knows the trip count. */
static bool find_counter(struct lw__unrolled_loop *t)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->header), test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test))
        return false;
    const bool right = is_of_header(t, LLVMGetOperand(test, 1));
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    p = right ? lw__ir_swapped(p) : p;
    p = LLVMGetSuccessor(end, 0) == t->stay ? p : lw__ir_inverse(p);
    t->counter = LLVMGetOperand(test, right);
    t->bound = LLVMGetOperand(test, !right);
    if (!is_of_header(t, t->counter) || is_inside(t, t->bound) || !set_comparison(t, p) ||
        LLVMGetTypeKind(LLVMTypeOf(t->counter)) != LLVMIntegerTypeKind)
        return false;
    t->step = step_of(t, t->counter);
    return t->step && !(LLVMIsAConstantInt(t->step) && LLVMIsAConstantInt(t->bound) &&
                        LLVMIsAConstantInt(lw__unrolled_begin(t, t->counter)));
}

/* ---- addresses that advance by one step ------------------------------------------------------ */

/* True if v, an operand of sext or zext, has the same value in the wider type in all iterations. */
static bool stays_in_range(const struct lw__unrolled_loop *t, LLVMValueRef v, bool is_signed)
{
    if (!is_inside(t, v))
        return true;
    if (v == t->counter)
        return t->is_signed == is_signed;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return (is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v)) && lw__unrolled_is_linear(t, v) &&
               stays_in_range(t, LLVMGetOperand(v, 0), is_signed) &&
               stays_in_range(t, LLVMGetOperand(v, 1), is_signed);
    default: return false;
    }
}

static bool moves_by_index(const struct lw__unrolled_loop *t, LLVMValueRef gep)
{
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (is_inside(t, index) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64)
            return false;
        if (!lw__unrolled_is_linear(t, index))
            return false;
    }
    return lw__unrolled_is_linear(t, LLVMGetOperand(gep, 0));
}

/* True if v changes by the same amount from each iteration to the next, modulo its width. */
bool lw__unrolled_is_linear(const struct lw__unrolled_loop *t, LLVMValueRef v)
{
    if (!is_inside(t, v))
        return true;
    if (is_of_header(t, v))
        return step_of(t, v);
    LLVMValueRef a = LLVMGetOperand(v, 0);
    LLVMValueRef b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr: return moves_by_index(t, v);
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v))
            return false;
        return lw__unrolled_is_linear(t, a) && lw__unrolled_is_linear(t, b);
    case LLVMAdd:
    case LLVMSub: return lw__unrolled_is_linear(t, a) && lw__unrolled_is_linear(t, b);
    case LLVMMul:
        return lw__unrolled_is_linear(t, a) && lw__unrolled_is_linear(t, b) &&
               !(is_inside(t, a) && is_inside(t, b));
    case LLVMShl: return lw__unrolled_is_linear(t, a) && !is_inside(t, b);
    case LLVMTrunc: return lw__unrolled_is_linear(t, a);
    case LLVMSExt: return lw__unrolled_is_linear(t, a) && stays_in_range(t, a, true);
    case LLVMZExt: return lw__unrolled_is_linear(t, a) && stays_in_range(t, a, LLVMGetNNeg(v));
    default: return false;
    }
}

/* ---- which loads are issued early ------------------------------------------------------------ */

static LLVMValueRef object_of(LLVMValueRef pointer)
{
    for (;;) {
        pointer = lw__ir_object(pointer);
        if (!LLVMIsAAddrSpaceCastInst(pointer))
            return pointer;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

bool lw__unrolled_is_global(const struct lw__unrolled_loop *t, LLVMValueRef address)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(address));
    return !space || space == t->target->global;
}

static unsigned space_of(LLVMValueRef access)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(lw__ir_address(access)));
}

/* True if the memories differ: in address space, one private to the thread, or one read-only. */
static bool are_apart(LLVMValueRef load, LLVMValueRef writer)
{
    const unsigned a = space_of(load), b = space_of(writer);
    LLVMValueRef from = object_of(lw__ir_address(load)), to = object_of(lw__ir_address(writer));
    return lw__ir_is_marked(load, "invariant.load") || (a && b && a != b) ||
           (from != to && (LLVMIsAAllocaInst(from) || LLVMIsAAllocaInst(to)) &&
            (a || b || (LLVMIsAAllocaInst(from) && LLVMIsAAllocaInst(to))));
}

/* True if no store can alias the load in the unrolled iterations. A check before the loop may be
 * needed for that. */
static bool can_pass_writers(struct lw__unrolled_loop *t, LLVMValueRef load)
{
    const unsigned before = t->pair_count;
    const size_t place = lw__unrolled_find(t, load);
    for (size_t k = 0; k < t->item_count; k++) {
        LLVMValueRef w = t->items[k].instruction;
        if ((!LLVMIsAStoreInst(w) && !LLVMIsAAtomicRMWInst(w)) || are_apart(load, w))
            continue;
        if (t->pair_count == LW_UNROLL_PAIRS || !lw__unrolled_is_linear(t, lw__ir_address(load)) ||
            !lw__unrolled_is_linear(t, lw__ir_address(w))) {
            t->pair_count = before;
            return false;
        }
        t->pairs[t->pair_count++] = (struct lw__unrolled_pair){load, w, k < place};
    }
    return true;
}

static int level_of_operands(const struct lw__unrolled_loop *t, LLVMValueRef i)
{
    int level = 0;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        const size_t at = lw__unrolled_find(t, LLVMGetOperand(i, k));
        if (at < t->item_count && t->items[at].level < 0)
            return -1;
        if (at < t->item_count && t->items[at].level > level)
            level = t->items[at].level;
    }
    return level;
}

static int level_of(struct lw__unrolled_loop *t, LLVMValueRef i)
{
    if (LLVMIsAPHINode(i))
        return is_of_header(t, i) && step_of(t, i) ? 0 : -1;
    const uint32_t home = lw__cfg_index(t->cfg, LLVMGetInstructionParent(i)),
                   latch = lw__cfg_index(t->cfg, t->latch);
    if (LLVMIsATerminatorInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
        LLVMIsACallInst(i) || !lw__cfg_dominates(t->cfg, home, latch))
        return -1;
    const int level = level_of_operands(t, i);
    if (!LLVMIsALoadInst(i) || level < 0)
        return level;
    return level < LW_UNROLL_LEVELS && can_pass_writers(t, i) ? level + 1 : -1;
}

static unsigned words_of(const struct lw__unrolled_loop *t, LLVMValueRef load)
{
    LLVMModuleRef module = LLVMGetGlobalParent(t->cfg->function);
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
    return (unsigned)((LLVMStoreSizeOfType(data, LLVMTypeOf(load)) + 3) / 4);
}

/* As many iterations as there are registers for the loads issued early. */
static bool choose_count(struct lw__unrolled_loop *t, uint32_t threads)
{
    unsigned words = 0, room = t->target->registers / threads / 2;
    room = room < WORDS_AHEAD ? room : WORDS_AHEAD;
    for (size_t k = 0; k < t->item_count; k++) {
        struct lw__unrolled_item *item = &t->items[k];
        item->level = level_of(t, item->instruction);
        item->ahead = LLVMIsALoadInst(item->instruction) && item->level > 0 &&
                      lw__unrolled_is_global(t, lw__ir_address(item->instruction)) &&
                      !LLVMIsAAllocaInst(object_of(lw__ir_address(item->instruction)));
        words += item->ahead ? words_of(t, item->instruction) : 0;
    }
    t->count = LW_UNROLL_COUNT;
    while (t->count > 1 && t->count * words > room)
        t->count /= 2;
    return words && t->count > 1;
}

/* ---- all loops of a kernel ------------------------------------------------------------------- */

/* A loop with LLVM's own metadata is left to LLVM. */
static void consider(LLVMContextRef context, const struct lw__gpu_target *target,
                     const struct lw__cfg *cfg, const struct lw__loops *loops, size_t l,
                     uint32_t threads, bool *some)
{
    struct lw__unrolled_loop t = {
        .context = context, .target = target, .cfg = cfg, .loop = &loops->loops[l]};
    if (!find_ends(&t) || !leaves_at_header(&t) ||
        lw__loop_has_word(LLVMGetBasicBlockTerminator(t.latch), "llvm.loop.unroll.") ||
        !list_items(&t, loops) || !find_counter(&t) || !choose_count(&t, threads))
        return;
    *some = true;
    lw__unrolled_build(&t);
}

void lw__gpu_unroll_loads(struct lw__unit *unit, const struct lw__kernel *kernel, bool *some)
{
    const uint32_t threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    struct lw__cfg cfg;
    lw__cfg_build(&unit->scratch, kernel->function, &cfg);
    struct lw__loops loops;
    lw__loops_build(&cfg, &loops);
    for (size_t l = 0; l < loops.count; l++)
        consider(unit->context, unit->gpu, &cfg, &loops, l, threads, some);
    lw__arena_release(&unit->scratch, mark);
}
