/* quick.c - for the device `check`: accesses of which the device need not be told, or asked.
 *
 * Most reads are of buffers that nobody writes in the launch, and that have no undefined bytes. The
 * device sets a bit for each such row (base/ref_abi.h), and the code goes round the call. Of block
 * memory the shadow is beside it, so a call is needed only where a read finds something undefined,
 * whose origin the device may have to fill in.
 */
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include <string.h>

#define FIELD(name) offsetof(struct lw_ref_thread, name)
#define CALL(name) offsetof(struct lw_ref_calls, name)
enum { ORIGIN_BYTES = 4, WORD_MAX = 16 };

static LLVMValueRef number(struct lw__ref *r, uint64_t value)
{
    return LLVMConstInt(r->i64, value, 0);
}

/* ---- who writes ------------------------------------------------------------------------------ */

static bool is_read(LLVMValueRef what)
{
    return LLVMIsAConstantInt(what) &&
           (LLVMConstIntGetZExtValue(what) & LW_OBSERVE_KIND) == LW_OBSERVE_READ;
}

void lw__ref_find_written(struct lw__ref *r, LLVMValueRef *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lw__ir_callee(calls[i]), "lw.observe") != 0 ||
            is_read(LLVMGetOperand(calls[i], 2)))
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
    return is_small && row < LW_REF_QUICK_ROWS && !lw__is_recorded(r->unit) ? row : 0;
}

static LLVMValueRef field_of_calls(struct lw__ref *r, size_t offset)
{
    LLVMValueRef calls = lw__ref_load(r, r->ptr, FIELD(calls)), index = number(r, offset);
    return LLVMBuildGEP2(r->b, r->i8, calls, &index, 1, "");
}

static LLVMValueRef has_bit(struct lw__ref *r, size_t offset, uint64_t row)
{
    LLVMValueRef bits = LLVMBuildLoad2(r->b, r->i64, field_of_calls(r, offset), "");
    bits = LLVMBuildAnd(r->b, bits, number(r, UINT64_C(1) << row), "");
    return LLVMBuildICmp(r->b, LLVMIntNE, bits, number(r, 0), "");
}

/* The builder comes to the end of what is before the call. */
static struct lw__ref_quick open_quick(struct lw__ref *r, LLVMValueRef call)
{
    struct lw__ref_quick quick = {.from = lw__ir_split_before(call)};
    quick.join =
        LLVMInsertBasicBlockInContext(r->unit->context, LLVMGetInstructionParent(call), "");
    LLVMPositionBuilderAtEnd(r->b, quick.from);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    return quick;
}

/* Where it is so, the device is not asked. The builder comes to where it is. */
static void go_round(struct lw__ref *r, struct lw__ref_quick *quick, LLVMValueRef is_so)
{
    LLVMBasicBlockRef ask = LLVMInsertBasicBlockInContext(r->unit->context, quick->join, "");
    quick->from = LLVMGetInsertBlock(r->b);
    LLVMBuildCondBr(r->b, is_so, quick->join, ask);
    LLVMPositionBuilderAtEnd(r->b, ask);
}

LLVMValueRef lw__ref_quick_end(struct lw__ref *r, const struct lw__ref_quick *quick,
                               LLVMValueRef call, LLVMValueRef answer)
{
    if (!quick->from)
        return answer;
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

struct lw__ref_quick lw__ref_quick_observe(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), what = LLVMGetOperand(call, 2);
    const uint64_t row = quick_row(r, pointer, LLVMGetOperand(call, 1));
    if (!row || r->bounds.rows[row].kind != LW_REF_ARGUMENT || r->bounds.rows[row].written ||
        !is_read(what))
        return (struct lw__ref_quick){0};
    struct lw__ref_quick quick = open_quick(r, call);
    const uint64_t log2 = LLVMConstIntGetZExtValue(what) >> LW_OBSERVE_ALIGN_SHIFT;
    LLVMValueRef is_so = has_bit(r, CALL(unwritten), row);
    LLVMValueRef low = LLVMBuildAnd(r->b, LLVMBuildPtrToInt(r->b, pointer, r->i64, ""),
                                    number(r, (UINT64_C(1) << log2) - 1), "");
    is_so = LLVMBuildAnd(r->b, is_so, LLVMBuildICmp(r->b, LLVMIntEQ, low, number(r, 0), ""), "");
    LLVMValueRef accesses = field_of_calls(r, CALL(accesses));
    LLVMValueRef count = LLVMBuildLoad2(r->b, r->i64, accesses, "");
    count = LLVMBuildAdd(r->b, count, LLVMBuildZExt(r->b, is_so, r->i64, ""), "");
    LLVMBuildStore(r->b, count, accesses);
    go_round(r, &quick, is_so);
    return quick;
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

struct lw__ref_quick lw__ref_quick_shadow(struct lw__ref *r, LLVMValueRef call)
{
    LLVMValueRef bytes = LLVMGetOperand(call, 1);
    const uint64_t row = quick_row(r, LLVMGetOperand(call, 0), bytes);
    const bool is_write = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)) != 0;
    const uint64_t kind = row ? r->bounds.rows[row].kind : LW_REF_NOTHING;
    const uint64_t size = row ? LLVMConstIntGetZExtValue(bytes) : 0;
    const bool is_shared = kind == LW_REF_SHARED || kind == LW_REF_DYNAMIC;
    if (!size || !(kind == LW_REF_ARGUMENT || (is_shared && size <= WORD_MAX)))
        return (struct lw__ref_quick){0};
    struct lw__ref_quick quick = open_quick(r, call);
    quick.result = is_shared ? beside(r, call) : of_defined(r, call, is_write);
    go_round(r, &quick,
             !is_shared ? has_bit(r, CALL(defined), row)
             : is_write ? LLVMConstInt(LLVMInt1TypeInContext(r->unit->context), 1, 0)
                        : is_all_zero(r, quick.result, size));
    return quick;
}
