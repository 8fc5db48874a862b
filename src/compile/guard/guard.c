/* guard.c - accesses outside of their objects end the launch before they touch memory.
 *
 *         call void @lw.access(ptr %p, i64 4, i32 0)
 *
 * becomes, where the object of %p has %size bytes and %p is 4 * %i bytes after its start,
 *
 *         %fails = icmp uge i32 %i, %count
 *         call void @lw.guard.i32(i1 %fails, i32 %i, ...)
 *
 * (LW_GUARD of ir/ir.h). So a check is one comparison of a number that the address has, in its own
 * width, with one that is known where the kernel begins; and control flow stays that of the kernel.
 * The comparison may fail although the access is within, but not the other way: what the call has
 * besides decides then. The clean-up has run before, with the checks in it; so no access was moved
 * before its check.
 */
#include "compile/guard/guard.h"
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/instrument/instrument.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

static LLVMValueRef number(const struct lw__guard *g, uint64_t value)
{
    return LLVMConstInt(g->i64, value, 0);
}

/* ---- checks ---------------------------------------------------------------------------------- */

_Static_assert((int)LW_REFUSED_READ == LW_ACCESS_READ && (int)LW_REFUSED_WRITE == LW_ACCESS_WRITE &&
                   (int)LW_REFUSED_ATOMIC == LW_ACCESS_ATOMIC &&
                   (int)LW_REFUSED_ENDED == LW_ACCESS_ENDED,
               "what access_checks.c says of an access");

/* A check: outside is what is not below the limit, in bytes after the start of the object. */
struct bound {
    const struct lw__guard_object *object; /* by which alone start and limit are known, or NULL */
    LLVMValueRef number;                   /* an i32 or i64 */
    bool is_signed;
    uint64_t scale, constant; /* constant + scale * number bytes after the start */
    LLVMValueRef start, limit;
    LLVMValueRef words[LW_REFUSED_WORDS]; /* but for OFFSET */
};

/* Set the builder before the instruction, and to its line of the source. */
static void place_at(struct lw__guard *g, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(g->b, instruction);
    LLVMSetCurrentDebugLocation2(g->b, LLVMInstructionGetDebugLoc(instruction));
}

static void call_guard(struct lw__guard *g, const struct bound *c, LLVMValueRef fails)
{
    LLVMValueRef args[LW_GUARD_OPERANDS] = {
        [LW_GUARD_FAILS] = fails,
        [LW_GUARD_NUMBER] = c->number,
        [LW_GUARD_SIGNED] = LLVMConstInt(g->i1, c->is_signed, 0),
        [LW_GUARD_SCALE] = number(g, c->scale),
        [LW_GUARD_START] = LLVMBuildAdd(g->b, c->start, number(g, c->constant), ""),
        [LW_GUARD_LIMIT] = c->limit,
        [LW_GUARD_KIND] = c->words[LW_REFUSED_KIND],
        [LW_GUARD_OBJECT] = c->words[LW_REFUSED_OBJECT],
        [LW_GUARD_BYTES] = c->words[LW_REFUSED_BYTES],
        [LW_GUARD_SIZE] = c->words[LW_REFUSED_SIZE],
        [LW_GUARD_BASE] = c->words[LW_REFUSED_BASE]};
    const char *name = LLVMTypeOf(c->number) == g->i32 ? LW_GUARD ".i32" : LW_GUARD ".i64";
    LLVMValueRef call = lw__instrument_call(g->b, g->unit->module, name, args, LW_GUARD_OPERANDS);
    /* each has a place in the source */
    lw__llvm_attribute(LLVMGetCalledValue(call), "nomerge", true);
}

/* The numbers from 0 up that are below the limit, if 0 is `from` bytes after the start. It has no
 * select: of a comparison with one LLVM would make two. */
static LLVMValueRef count_below(struct lw__guard *g, LLVMValueRef from, LLVMValueRef limit,
                                uint64_t scale)
{
    assert(scale);
    LLVMValueRef args[] = {limit, from};
    LLVMValueRef room =
        lw__llvm_intrinsic(g->b, g->unit->module, LW_LLVM_usub_sat, &g->i64, args, 2);
    room = LLVMBuildAdd(g->b, room, number(g, scale - 1), "");
    return LLVMBuildUDiv(g->b, room, number(g, scale), "");
}

/* Built before the check: may the access be outside? True unless the number is surely within. If
 * the constant is negative, the first `before` numbers lie before the start of the object. They are
 * subtracted from the number before it is compared. In 32 bits a difference that wraps around is
 * not less than `most`, and others are. */
static LLVMValueRef may_fail(struct lw__guard *g, const struct bound *c, LLVMValueRef check)
{
    const int64_t constant = (int64_t)c->constant;
    assert(c->scale);
    const uint64_t before = constant < 0 ? ((uint64_t)-constant + c->scale - 1) / c->scale : 0;
    const uint64_t all = c->is_signed ? UINT64_C(1) << 31 : UINT64_C(1) << 32;
    const uint64_t most = all - before < UINT32_MAX ? all - before : UINT32_MAX;
    LLVMTypeRef type = LLVMTypeOf(c->number);
    assert(type == g->i32 || type == g->i64);
    LLVMValueRef from = number(g, c->constant + before * c->scale);
    if (type == g->i32 && before > INT32_MAX)
        return LLVMConstInt(g->i1, 1, 0);
    if (c->object && lw__guard_is_constant(c->object))
        lw__guard_at_begin(g);
    LLVMValueRef start = LLVMBuildAdd(g->b, c->start, from, "");
    LLVMValueRef count = count_below(g, start, c->limit, c->scale);
    if (type == g->i32) {
        LLVMValueRef args[] = {count, number(g, most)};
        count = lw__llvm_intrinsic(g->b, g->unit->module, LW_LLVM_umin, &g->i64, args, 2);
        count = LLVMBuildTrunc(g->b, count, g->i32, "");
    }
    place_at(g, check);
    LLVMValueRef behind = LLVMBuildSub(g->b, c->number, LLVMConstInt(type, before, 0), "");
    return LLVMBuildICmp(g->b, LLVMIntUGE, behind, count, "");
}

/* In place of the check. */
static void build_guard(struct lw__guard *g, LLVMValueRef check, const struct bound *c)
{
    LLVMValueRef fails = may_fail(g, c, check);
    if (!lw__ir_is_truth(fails, false))
        call_guard(g, c, fails);
    LLVMInstructionEraseFromParent(check);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A variable that nothing has set is some number, of which LLVM may take another one where it is
 * compared and where it is used. So an index that is loaded from a private variable is frozen. */
static void settle(struct lw__guard *g, LLVMValueRef user, unsigned operand)
{
    LLVMValueRef v = LLVMGetOperand(user, operand);
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v)) {
        settle(g, v, 0);
    } else if (LLVMIsUndef(v)) {
        LLVMSetOperand(user, operand, LLVMConstNull(LLVMTypeOf(v)));
    } else if (LLVMIsALoadInst(v) && lw__ir_is_private(LLVMGetOperand(v, 0))) {
        place_at(g, LLVMGetNextInstruction(v));
        LLVMValueRef frozen = LLVMBuildFreeze(g->b, v, "");
        LLVMReplaceAllUsesWith(v, frozen);
        LLVMSetOperand(frozen, 0, v);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* At the builder: the offsets below which so many bytes are within the size. */
static LLVMValueRef limit_of(struct lw__guard *g, LLVMValueRef size, LLVMValueRef bytes)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGE, size, bytes, "");
    LLVMValueRef last = LLVMBuildSub(b, size, bytes, "");
    LLVMValueRef limit = LLVMBuildAdd(b, last, number(g, 1), "");
    limit = LLVMBuildSelect(b, fits, limit, number(g, 0), "");
    if (LLVMIsAConstantInt(bytes))
        return limit;
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, bytes, number(g, 0), "");
    return LLVMBuildSelect(b, none, number(g, UINT64_MAX), limit, "");
}

static void lower_access(struct lw__guard *g, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 1);
    assert(LLVMGetNumArgOperands(call) == LW_ACCESS_ARGS && LLVMTypeOf(bytes) == g->i64);
    const uint64_t kind = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    const bool ended = kind & LW_ACCESS_ENDED;
    const uint64_t fixed = lw__guard_fixed_size(g, pointer);
    const uint64_t count = LLVMIsAConstantInt(bytes) ? LLVMConstIntGetZExtValue(bytes) : 0;
    if (!ended && ((LLVMIsAConstantInt(bytes) && !count) ||
                   (fixed && count && lw__is_within(g->data, pointer, count, fixed) &&
                    !lw__guard_object(g, pointer)->slot))) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    const struct lw__guard_object *object = lw__guard_object(g, pointer);
    place_at(g, call);
    const struct lw__ir_place place = lw__ir_place_of(g->b, g->data, pointer);
    assert(object->start && object->says);
    if (count && lw__guard_is_constant(object))
        lw__guard_at_begin(g);
    LLVMValueRef size = lw__guard_size(g, object);
    LLVMValueRef limit = ended ? number(g, 0) : limit_of(g, size, bytes);
    place_at(g, call);
    struct bound c = {.object = count ? object : NULL,
                      .number = place.number ? place.number : LLVMConstNull(g->i32),
                      .is_signed = place.is_signed,
                      .scale = place.number ? place.scale : 1,
                      .constant = place.constant,
                      .start = object->start,
                      .limit = limit,
                      .words = {[LW_REFUSED_KIND] = number(g, kind),
                                [LW_REFUSED_OBJECT] = object->says,
                                [LW_REFUSED_BYTES] = bytes,
                                [LW_REFUSED_SIZE] = size,
                                [LW_REFUSED_BASE] = object->base ? object->base : number(g, 0)}};
    build_guard(g, call, &c);
}

static void lower_index(struct lw__guard *g, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, LW_INDEX_POINTER);
    assert(LLVMGetNumArgOperands(call) == LW_INDEX_ARGS);
    const struct lw__guard_object *object = lw__guard_object(g, pointer);
    place_at(g, call);
    LLVMValueRef axis = LLVMBuildSExt(g->b, LLVMGetOperand(call, LW_INDEX_AXIS), g->i64, "");
    LLVMValueRef count = LLVMGetOperand(call, LW_INDEX_COUNT);
    LLVMValueRef behind = LLVMBuildZExt(g->b, LLVMGetOperand(call, LW_INDEX_BEHIND), g->i64, "");
    struct bound c = {.number = LLVMGetOperand(call, LW_INDEX_NUMBER),
                      .scale = 1,
                      .start = number(g, 0),
                      .limit = LLVMBuildAdd(g->b, count, behind, ""),
                      .words = {[LW_REFUSED_KIND] = number(g, LW_REFUSED_INDEX),
                                [LW_REFUSED_OBJECT] = object->says,
                                [LW_REFUSED_BYTES] = count,
                                [LW_REFUSED_SIZE] = axis,
                                [LW_REFUSED_BASE] = object->base ? object->base : number(g, 0)}};
    lw__ir_narrow(g->b, &c.number, &c.is_signed);
    build_guard(g, call, &c);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool is_check(LLVMValueRef i)
{
    return lw__is_access_check(i) || lw__is_index_check(i) || lw__is_promise(i);
}

static void guard_kernel(struct lw__unit *unit, struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    struct lw__guard g = {.unit = unit,
                          .kernel = kernel,
                          .function = lw__add_record(unit, &unit->arena, kernel,
                                                     lw_bounds_bytes(kernel->param_count)),
                          .b = LLVMCreateBuilderInContext(c),
                          .data = LLVMGetModuleDataLayout(unit->module),
                          .i1 = LLVMInt1TypeInContext(c),
                          .i8 = LLVMInt8TypeInContext(c),
                          .i32 = LLVMInt32TypeInContext(c),
                          .i64 = LLVMInt64TypeInContext(c),
                          .ptr = LLVMPointerTypeInContext(c, 0)};
    size_t count;
    assert(LLVMCountParams(g.function) == kernel->param_count);
    assert(kernel->params[kernel->param_count - 1].in_place);
    lw__where_kernel(unit, kernel);
    /* The first load of the record. Values for the whole kernel are built after it, and after all
     * variables, which the clean-up may have left anywhere in the block. They lose their names
     * when the block is split, so they are noted here. */
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g.function)), next;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(g.b, first);
    for (LLVMValueRef i = first; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAAllocaInst(i))
            lw__ir_move(i, g.b);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g.function)); i != first;
         i = LLVMGetNextInstruction(i))
        lw__guard_note_variable(&g, i);
    g.bounds = LLVMGetParam(g.function, g.kernel->param_count - 1);
    g.dynamic_bytes = LLVMBuildLoad2(g.b, g.i64, g.bounds, "");
    g.begin = LLVMBuildLoad2(g.b, g.i64, g.bounds, "");
    _Static_assert(!offsetof(struct lw_bounds, dynamic_bytes), "the first");
    lw__prune_checks(&unit->scratch, g.data, g.function);
    EACH_INSTRUCTION_OF(i, g.function)
        if (LLVMIsAGetElementPtrInst(i))
            for (int k = 1; k < LLVMGetNumOperands(i); k++)
                settle(&g, i, (unsigned)k);
    LLVMValueRef *checks = lw__ir_list(&unit->scratch, g.function, is_check, &count);
    for (size_t i = 0; i < count; i++)
        if (lw__is_access_check(checks[i]))
            lower_access(&g, checks[i]);
        else if (lw__is_index_check(checks[i]))
            lower_index(&g, checks[i]);
        else
            LLVMInstructionEraseFromParent(checks[i]);
    LLVMDisposeBuilder(g.b);
}

/* lw__pass_guard - checks become calls of lw.guard; each kernel gets the record of its launch. What
 * is promised is not looked at.
 * needs COMMON BLOCKS
 */
bool lw__pass_guard(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++)
        guard_kernel(unit, &unit->kernels.rows[i]);
    return true;
}
