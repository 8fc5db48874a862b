/* quick.c - for the device `check`: accesses of which the device need not be told, or asked.
 *
 * Most reads are of buffers that nobody writes in the launch, and that have no undefined bytes. The
 * device sets a bit for each such row (base/ref_abi.h), and the code goes round the call. Most
 * accesses of block memory are in order with those that its cell has; then the code enters them.
 * Its shadow of undefined bits is beside it, so a call is needed only where a read finds something
 * undefined, whose origin the device may have to fill in.
 */
#include "compile/check/check.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

enum { ORIGIN_BYTES = 4, GRANULE_BYTES = 4, WORD_MAX = 16 };

static LLVMValueRef number(struct lw__ref *r, uint64_t value)
{
    return LLVMConstInt(r->i64, value, 0);
}

/* ---- who writes ------------------------------------------------------------------------------ */

/* What is told of an access but LW_OBSERVE_SAME; LW_OBSERVE_KIND: known only when it runs. */
static uint64_t known_of(LLVMValueRef what)
{
    LLVMValueRef other = what;
    if (LLVMIsASelectInst(what)) {
        other = LLVMGetOperand(what, 2);
        what = LLVMGetOperand(what, 1);
    }
    if (!LLVMIsAConstantInt(what) || !LLVMIsAConstantInt(other))
        return LW_OBSERVE_KIND;
    const uint64_t one = LLVMConstIntGetZExtValue(what) & ~(uint64_t)LW_OBSERVE_SAME;
    const uint64_t two = LLVMConstIntGetZExtValue(other) & ~(uint64_t)LW_OBSERVE_SAME;
    return one == two ? one : LW_OBSERVE_KIND;
}

void lw__check_find_written(struct lw__ref *r, LLVMValueRef *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lw__ir_callee(calls[i]), "lw.observe") != 0 ||
            ((known_of(LLVMGetOperand(calls[i], 2)) & LW_OBSERVE_KIND) == LW_OBSERVE_READ))
            continue;
        const uint64_t row = lw__ref_row_of(r, LLVMGetOperand(calls[i], 0));
        for (size_t k = 1; k < r->bounds.count; k++)
            r->bounds.rows[k].written |= !row || row == k;
    }
}

/* ---- going round ----------------------------------------------------------------------------- */

/* The row of an access that may need no call; 0: it needs one. */
static uint64_t quick_row(struct lw__ref *r, LLVMValueRef pointer, LLVMValueRef bytes)
{
    const uint64_t row = lw__ref_row_of(r, pointer);
    const bool is_small =
        LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) <= LW_REF_QUICK_BYTES;
    return is_small && row < LW_REF_QUICK_ROWS && !lw__has(r->unit, LW_IS_RECORDED) ? row : 0;
}

static LLVMValueRef field_of_calls(struct lw__ref *r, size_t offset)
{
    LLVMValueRef calls = lw__ref_load(r, r->ptr, FIELD(calls)), index = number(r, offset);
    return LLVMBuildGEP2(r->b, r->i8, calls, &index, 1, "");
}

static LLVMValueRef has_bit(struct lw__ref *r, size_t offset, uint64_t row)
{
    assert(row < LW_REF_QUICK_ROWS);
    LLVMValueRef bits = LLVMBuildLoad2(r->b, r->i64, field_of_calls(r, offset), "");
    bits = LLVMBuildAnd(r->b, bits, number(r, UINT64_C(1) << row), "");
    return LLVMBuildICmp(r->b, LLVMIntNE, bits, number(r, 0), "");
}

/* The builder comes to the end of what is before the call. */
static struct lw__check_quick open_quick(struct lw__ref *r, LLVMValueRef call)
{
    struct lw__check_quick quick = {.from = lw__ir_split_before(call)};
    quick.join =
        LLVMInsertBasicBlockInContext(r->unit->context, LLVMGetInstructionParent(call), "");
    LLVMPositionBuilderAtEnd(r->b, quick.from);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    return quick;
}

/* Where it is so, the device is not asked. The builder comes to where it is. */
static void go_round(struct lw__ref *r, struct lw__check_quick *quick, LLVMValueRef is_so)
{
    LLVMBasicBlockRef ask = LLVMInsertBasicBlockInContext(r->unit->context, quick->join, "");
    quick->from = LLVMGetInsertBlock(r->b);
    LLVMBuildCondBr(r->b, is_so, quick->join, ask);
    LLVMPositionBuilderAtEnd(r->b, ask);
}

LLVMValueRef lw__check_quick_end(struct lw__ref *r, const struct lw__check_quick *quick,
                                 LLVMValueRef call, LLVMValueRef answer)
{
    if (!quick->from)
        return answer;
    assert(!answer == !quick->result); /* both ways have one, or neither */
    LLVMValueRef values[] = {quick->result, answer};
    LLVMBasicBlockRef blocks[] = {quick->from, LLVMGetInsertBlock(r->b)};
    LLVMBuildBr(r->b, quick->join);
    LLVMPositionBuilderAtEnd(r->b, quick->join);
    if (answer) {
        answer = LLVMBuildPhi(r->b, LLVMTypeOf(values[1]), "");
        LLVMAddIncoming(answer, values, blocks, 2);
    }
    LLVMBuildBr(r->b, LLVMGetInstructionParent(call));
    LLVMPositionBuilderBefore(r->b, call);
    return answer;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static LLVMValueRef both(struct lw__ref *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(r->b, a, b, "");
}

static LLVMValueRef either(struct lw__ref *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(r->b, a, b, "");
}

/* The address is a multiple of what its type and a granule need. */
static LLVMValueRef is_aligned(struct lw__ref *r, LLVMValueRef address, uint64_t known,
                               uint64_t least)
{
    const uint64_t align = UINT64_C(1) << (known >> LW_OBSERVE_ALIGN_SHIFT & LW_OBSERVE_ALIGN);
    LLVMValueRef low = both(r, address, number(r, (align > least ? align : least) - 1));
    return LLVMBuildICmp(r->b, LLVMIntEQ, low, number(r, 0), "");
}

static void count_access(struct lw__ref *r, LLVMValueRef is_so)
{
    LLVMValueRef accesses = field_of_calls(r, CALL(accesses));
    LLVMValueRef count = LLVMBuildLoad2(r->b, r->i64, accesses, "");
    count = LLVMBuildAdd(r->b, count, LLVMBuildZExt(r->b, is_so, r->i64, ""), "");
    LLVMBuildStore(r->b, count, accesses);
}

static struct lw__check_quick observe_argument(struct lw__ref *r, LLVMValueRef call, uint64_t row)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    const uint64_t known = known_of(LLVMGetOperand(call, 2));
    struct lw__check_quick quick = open_quick(r, call);
    LLVMValueRef address = LLVMBuildPtrToInt(r->b, pointer, r->i64, "");
    LLVMValueRef is_so =
        both(r, has_bit(r, CALL(unwritten), row), is_aligned(r, address, known, 1));
    count_access(r, is_so);
    go_round(r, &quick, is_so);
    return quick;
}

/* ---- block memory ---------------------------------------------------------------------------- */

/* An access of 4 bytes of block memory, as it is compared with its cell. */
struct entering {
    LLVMValueRef now, mine; /* mine: its entry, without flags */
};
#define OF_INTERVAL (UINT64_MAX << 32)
#define OF_LANE (UINT64_C(31) << LW_REF_LANE_SHIFT)

static LLVMValueRef watched_field(struct lw__ref *r, LLVMValueRef watched, LLVMTypeRef type,
                                  LLVMValueRef offset)
{
    return LLVMBuildLoad2(r->b, type, LLVMBuildGEP2(r->b, r->i8, watched, &offset, 1, ""), "");
}

static LLVMValueRef is_below(struct lw__ref *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(r->b, LLVMIntULT, a, b, "");
}

/* The entry differs in no bit of the mask from its own one with these flags. */
static LLVMValueRef is_like(struct lw__ref *r, const struct entering *e, LLVMValueRef entry,
                            uint64_t flags, uint64_t mask)
{
    LLVMValueRef mine = LLVMBuildOr(r->b, e->mine, number(r, flags), "");
    LLVMValueRef differs = both(r, LLVMBuildXor(r->b, entry, mine, ""), number(r, mask));
    return LLVMBuildICmp(r->b, LLVMIntEQ, differs, number(r, 0), "");
}

/* Of an entry that conflicts: ordered before, or of the thread alone. */
static LLVMValueRef is_quiet(struct lw__ref *r, const struct entering *e, LLVMValueRef entry)
{
    return either(r, is_below(r, entry, e->now),
                  is_like(r, e, entry, 0, OF_INTERVAL | OF_LANE | LW_REF_ENTRY_MORE));
}

/* Of the entry of earlier reads: it stays as it is if it is of the thread, or of two other lanes of
 * the warp at the same place. What races with a third races with one of them. */
static LLVMValueRef is_covered(struct lw__ref *r, const struct entering *e, LLVMValueRef entry)
{
    return either(r, is_like(r, e, entry, 0, OF_INTERVAL | OF_LANE),
                  is_like(r, e, entry, LW_REF_ENTRY_MORE | LW_REF_ENTRY_TWIN, ~OF_LANE));
}

/* ... it stays but for the last lane: the other one is of another warp, and as far from any. */
static LLVMValueRef is_far(struct lw__ref *r, const struct entering *e, LLVMValueRef entry)
{
    return is_like(r, e, entry, LW_REF_ENTRY_FAR, OF_INTERVAL | LW_REF_ENTRY_FAR);
}

static LLVMValueRef cell_of(struct lw__ref *r, LLVMValueRef watched, LLVMValueRef address)
{
    LLVMValueRef first =
        watched_field(r, watched, r->i64, number(r, offsetof(struct lw_ref_watched, first)));
    LLVMValueRef cells =
        watched_field(r, watched, r->ptr, number(r, offsetof(struct lw_ref_watched, cells)));
    LLVMValueRef offset = LLVMBuildSub(r->b, address, first, "");
    offset = both(r, offset, number(r, ~(uint64_t)(GRANULE_BYTES - 1)));
    offset = LLVMBuildMul(r->b, offset, number(r, 2 * sizeof(uint64_t) / GRANULE_BYTES), "");
    return LLVMBuildGEP2(r->b, r->i8, cells, &offset, 1, "");
}

static struct lw__check_quick observe_shared(struct lw__ref *r, LLVMValueRef call, uint32_t site)
{
    const uint64_t known = known_of(LLVMGetOperand(call, 2));
    const bool is_write = (known & LW_OBSERVE_KIND) == LW_OBSERVE_WRITE;
    struct lw__check_quick quick = open_quick(r, call);
    LLVMValueRef address = LLVMBuildPtrToInt(r->b, LLVMGetOperand(call, 0), r->i64, "");
    address = both(r, address, number(r, (UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1));
    LLVMValueRef watched = lw__ref_load(r, r->ptr, FIELD(watched));
    LLVMValueRef linear = LLVMBuildZExt(r->b, lw__ref_load(r, r->i32, FIELD(linear)), r->i64, "");
    LLVMValueRef warp = LLVMBuildLShr(r->b, linear, number(r, 5), "");
    LLVMValueRef at = LLVMBuildMul(r->b, warp, number(r, sizeof(uint32_t)), "");
    at = LLVMBuildAdd(r->b, at, number(r, offsetof(struct lw_ref_watched, interval)), "");
    LLVMValueRef interval = LLVMBuildZExt(r->b, watched_field(r, watched, r->i32, at), r->i64, "");
    LLVMValueRef lane =
        LLVMBuildShl(r->b, both(r, linear, number(r, 31)), number(r, LW_REF_LANE_SHIFT), "");
    LLVMValueRef mine = LLVMBuildShl(r->b, interval, number(r, 32), "");
    mine = either(r, either(r, mine, lane), number(r, site));
    const struct entering e = {
        watched_field(r, watched, r->i64, number(r, offsetof(struct lw_ref_watched, now))), mine};
    LLVMValueRef cell = cell_of(r, watched, address), one = number(r, 1);
    LLVMValueRef cell_write = LLVMBuildGEP2(r->b, r->i64, cell, &one, 1, "");
    LLVMValueRef reads = LLVMBuildLoad2(r->b, r->i64, cell, "");
    LLVMValueRef writes = LLVMBuildLoad2(r->b, r->i64, cell_write, "");
    LLVMValueRef own = is_write ? writes : reads, is_past = is_below(r, own, e.now);
    LLVMValueRef covered = is_write ? NULL : is_covered(r, &e, reads);
    LLVMValueRef far = is_write ? NULL : is_far(r, &e, reads), is_so = is_quiet(r, &e, writes);
    is_so = both(r, is_so,
                 is_write ? is_quiet(r, &e, reads) : either(r, either(r, is_past, far), covered));
    is_so = both(r, is_so, LLVMBuildICmp(r->b, LLVMIntNE, interval, number(r, 0), ""));
    is_so = both(r, is_so, is_aligned(r, address, known, GRANULE_BYTES));
    LLVMValueRef entry = LLVMBuildSelect(r->b, is_past, mine, own, "");
    if (!is_write) {
        LLVMValueRef moved = either(r, mine, number(r, LW_REF_ENTRY_MORE | LW_REF_ENTRY_FAR));
        far = both(r, far, LLVMBuildNot(r->b, covered, ""));
        entry = LLVMBuildSelect(r->b, far, moved, entry, "");
    }
    entry = LLVMBuildSelect(r->b, is_so, entry, own, "");
    LLVMBuildStore(r->b, entry, is_write ? cell_write : cell);
    count_access(r, is_so);
    go_round(r, &quick, is_so);
    return quick;
}

struct lw__check_quick lw__check_quick_observe(struct lw__ref *r, LLVMValueRef call, uint32_t site)
{
    LLVMValueRef bytes = LLVMGetOperand(call, 1);
    const uint64_t row = quick_row(r, LLVMGetOperand(call, 0), bytes);
    const struct lw__ref_object *object = &r->bounds.rows[row];
    const uint64_t kind = known_of(LLVMGetOperand(call, 2)) & LW_OBSERVE_KIND;
    const bool is_shared = object->kind == LW_REF_SHARED || object->kind == LW_REF_DYNAMIC;
    if (row && object->kind == LW_REF_ARGUMENT && !object->written && kind == LW_OBSERVE_READ)
        return observe_argument(r, call, row);
    if (row && is_shared && (kind == LW_OBSERVE_READ || kind == LW_OBSERVE_WRITE) &&
        LLVMConstIntGetZExtValue(bytes) == GRANULE_BYTES && site < LW_REF_ENTRY_TWIN)
        return observe_shared(r, call, site);
    return (struct lw__check_quick){0};
}

/* ---- shadows --------------------------------------------------------------------------------- */

static LLVMValueRef pair_of(struct lw__ref *r, LLVMTypeRef type, LLVMValueRef shadow,
                            LLVMValueRef origin)
{
    LLVMValueRef pair = LLVMBuildInsertValue(r->b, LLVMGetUndef(type), shadow, 0, "");
    return LLVMBuildInsertValue(r->b, pair, origin, 1, "");
}

static LLVMValueRef of_defined(struct lw__ref *r, LLVMValueRef call, bool is_write)
{
    const size_t at = is_write ? CALL(written) : CALL(read);
    LLVMValueRef parts[2];
    for (size_t k = 0; k < 2; k++)
        parts[k] = LLVMBuildLoad2(r->b, r->ptr, field_of_calls(r, at + k * sizeof(void *)), "");
    return pair_of(r, LLVMTypeOf(call), parts[0], parts[1]);
}

static LLVMValueRef beside(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMBuildPtrToInt(r->b, LLVMGetOperand(call, 0), r->i64, "");
    LLVMValueRef address =
        LLVMBuildAnd(r->b, pointer, number(r, (UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1), "");
    LLVMValueRef start =
        LLVMBuildPtrToInt(r->b, lw__ref_load(r, r->ptr, FIELD(shared)), r->i64, "");
    LLVMValueRef offset = LLVMBuildSub(r->b, address, start, "");
    LLVMValueRef whole = LLVMBuildAnd(r->b, offset, number(r, ~(uint64_t)(ORIGIN_BYTES - 1)), "");
    LLVMValueRef shadow = lw__ref_load(r, r->ptr, FIELD(shared_shadow));
    LLVMValueRef origin = lw__ref_load(r, r->ptr, FIELD(shared_origin));
    return pair_of(r, LLVMTypeOf(call), LLVMBuildGEP2(r->b, r->i8, shadow, &offset, 1, ""),
                   LLVMBuildGEP2(r->b, r->i8, origin, &whole, 1, ""));
}

/* True if nothing in so many bytes of shadow is undefined. */
static LLVMValueRef is_all_zero(struct lw__ref *r, LLVMValueRef pair, uint64_t bytes)
{
    LLVMTypeRef word = LLVMIntTypeInContext(r->unit->context, 8 * (unsigned)bytes);
    LLVMValueRef shadow = LLVMBuildLoad2(r->b, word, LLVMBuildExtractValue(r->b, pair, 0, ""), "");
    LLVMSetAlignment(shadow, 1);
    return LLVMBuildICmp(r->b, LLVMIntEQ, shadow, LLVMConstNull(word), "");
}

struct lw__check_quick lw__check_quick_shadow(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef bytes = LLVMGetOperand(call, 1);
    const uint64_t row = quick_row(r, LLVMGetOperand(call, 0), bytes);
    const bool is_write = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)) != 0;
    const uint64_t kind = row ? r->bounds.rows[row].kind : LW_REF_NOTHING;
    const uint64_t size = row ? LLVMConstIntGetZExtValue(bytes) : 0;
    const bool is_shared = kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC;
    if (!size || !(kind == LW_REF_ARGUMENT || (is_shared && size <= WORD_MAX)))
        return (struct lw__check_quick){0};
    struct lw__check_quick quick = open_quick(r, call);
    quick.result = is_shared ? beside(r, call) : of_defined(r, call, is_write);
    go_round(r, &quick,
             !is_shared ? has_bit(r, CALL(defined), row)
             : is_write ? LLVMConstInt(LLVMInt1TypeInContext(r->unit->context), 1, 0)
                        : is_all_zero(r, quick.result, size));
    return quick;
}
