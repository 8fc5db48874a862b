/* accesses.c - checks before each access: is it within its object, is it in order with others?
 *
 * Granules are counted, not bytes: ir/pointer_offset.c.
 */
#include "compile/check/screen/screen.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <string.h>

static LLVMValueRef number(struct lw__screen *s, uint64_t value)
{
    return LLVMConstInt(s->i64, value, 0);
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct lw__screen_row *lw__screen_row_of(const struct lw__screen *s, LLVMValueRef object)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].value == object)
            return &s->rows[i];
    return NULL;
}

static unsigned operation_of(LLVMValueRef atomic)
{
    switch (LLVMGetAtomicRMWBinOp(atomic)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: return LW_SCREEN_ADDS;
    case LLVMAtomicRMWBinOpAnd: return LW_SCREEN_ANDS;
    case LLVMAtomicRMWBinOpOr: return LW_SCREEN_ORS;
    case LLVMAtomicRMWBinOpXor: return LW_SCREEN_XORS;
    case LLVMAtomicRMWBinOpMax: return LW_SCREEN_MAXES;
    case LLVMAtomicRMWBinOpMin: return LW_SCREEN_MINS;
    case LLVMAtomicRMWBinOpUMax: return LW_SCREEN_UNSIGNED_MAXES;
    case LLVMAtomicRMWBinOpUMin: return LW_SCREEN_UNSIGNED_MINS;
    default: return 0;
    }
}

/* One by which no thread learns of others. */
static bool update_of(const struct lw__screen *s, LLVMValueRef i, struct lw__screen_access *access)
{
    if (LLVMGetFirstUse(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic)
        return false;
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    *access = (struct lw__screen_access){.pointer = pointer,
                                         .object = lw__ir_object(pointer),
                                         .bytes = LLVMStoreSizeOfType(s->data, LLVMTypeOf(i)),
                                         .align = LLVMGetAlignment(i),
                                         .use = LW_SCREEN_UPDATES,
                                         .operation = operation_of(i)};
    return access->operation;
}

bool lw__screen_access_of(const struct lw__screen *s, LLVMValueRef i,
                          struct lw__screen_access *access)
{
    if (LLVMIsAAtomicRMWInst(i))
        return update_of(s, i, access);
    const bool reads = LLVMIsALoadInst(i), writes = LLVMIsAStoreInst(i);
    if ((!reads && !writes) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return false;
    LLVMValueRef pointer = LLVMGetOperand(i, writes);
    LLVMTypeRef type = LLVMTypeOf(reads ? i : LLVMGetOperand(i, 0));
    *access = (struct lw__screen_access){.pointer = pointer,
                                         .object = lw__ir_object(pointer),
                                         .bytes = LLVMStoreSizeOfType(s->data, type),
                                         .align = LLVMGetAlignment(i),
                                         .use = reads ? LW_SCREEN_READS : LW_SCREEN_WRITES};
    return true;
}

/* Memory that the kernel only reads has no cells: nobody writes it in the launch. */
void lw__screen_check_access(struct lw__screen *s, LLVMValueRef i)
{
    struct lw__screen_access access;
    if (!lw__screen_access_of(s, i, &access))
        return;
    const struct lw__screen_row *row = lw__screen_row_of(s, access.object);
    if (!row)
        return;
    lw__screen_set_at(s, i);
    LLVMValueRef count = LLVMBuildLoad2(s->b, s->i64, s->count, "");
    LLVMBuildStore(s->b, LLVMBuildAdd(s->b, count, number(s, 1), ""), s->count);
    const bool is_shared = LLVMIsAGlobalVariable(row->value);
    if (!is_shared && !(row->says.uses & LW_SCREEN_CHANGES))
        return;
    LLVMValueRef first = lw__ir_offset(s->b, s->data, access.pointer, row->says.granule),
                 all = NULL;
    for (uint64_t k = 0; k < access.bytes / row->says.granule; k++) {
        LLVMValueRef granule = k ? LLVMBuildAdd(s->b, first, number(s, k), "") : first;
        LLVMValueRef ok = lw__screen_enter(s, row, access.use, granule);
        all = all ? LLVMBuildAnd(s->b, all, ok, "") : ok;
    }
    lw__screen_require(s, all);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Granules first to first + count - 1 are of the object's. */
static LLVMValueRef is_within(struct lw__screen *s, LLVMValueRef first, uint64_t count,
                              LLVMValueRef granules)
{
    LLVMValueRef ok = LLVMBuildICmp(s->b, LLVMIntULT, first, granules, "");
    if (count == 1)
        return ok;
    LLVMValueRef last = LLVMBuildAdd(s->b, first, number(s, count - 1), "");
    return LLVMBuildAnd(s->b, ok, LLVMBuildICmp(s->b, LLVMIntULT, last, granules, ""), "");
}

void lw__screen_check_bounds(struct lw__screen *s, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), object = lw__ir_object(pointer);
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    const struct lw__screen_row *row = lw__screen_row_of(s, object);
    const uint64_t granule = row ? row->says.granule : 1;
    LLVMValueRef granules =
        row ? row->granules : number(s, LLVMABISizeOfType(s->data, lw__variable_type(object)));
    lw__screen_set_at(s, call);
    if (bytes)
        lw__screen_require(s, is_within(s, lw__ir_offset(s->b, s->data, pointer, granule),
                                        (bytes + granule - 1) / granule, granules));
    LLVMInstructionEraseFromParent(call);
}
