/* cells.c - the rule of races: who wrote a granule last, who read it, who changed it by an atomic
 * (base/screen_abi.h).
 *
 * One thread of the machine runs the block, so no cell needs an atomic access. Lanes of one
 * instruction may access the same granule. Each looks at the cell, stores, and looks again under
 * another name, which the compiler cannot tell from other memory. Whichever of two lanes stores
 * first, one of them then sees the other, for all lanes take each step before the next, or one
 * lane takes all of its steps before the next lane. Between accesses of two kinds the order is
 * store, then look at the other kind of cell, so that any order of steps will do.
 *
 *     written  is in order with an access by `me`: nobody, or `me`, or of the block before now
 *     read     the same; of several readers the cell has MANY or FOREIGN, which are nobody's
 *     updated  the same as for readers: two atomics do not race
 *
 * Block memory that was not written since the block's start has no value.
 */
#include "compile/check/screen/screen.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <stddef.h>

static LLVMValueRef compare(struct lw__screen *s, LLVMIntPredicate p, LLVMValueRef a,
                            LLVMValueRef b)
{
    return LLVMBuildICmp(s->b, p, a, b, "");
}

static LLVMValueRef number(struct lw__screen *s, uint64_t value)
{
    return LLVMConstInt(s->i32, value, 0);
}

static LLVMValueRef either(struct lw__screen *s, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(s->b, a, b, "");
}

static LLVMValueRef both(struct lw__screen *s, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(s->b, a, b, "");
}

static LLVMValueRef place(struct lw__screen *s, LLVMValueRef cells, LLVMValueRef granule)
{
    return LLVMBuildGEP2(s->b, s->i32, cells, &granule, 1, "");
}

static LLVMValueRef look(struct lw__screen *s, LLVMValueRef cells, LLVMValueRef granule)
{
    return LLVMBuildLoad2(s->b, s->i32, place(s, cells, granule), "");
}

/* What the cells are compared with. */
struct now {
    LLVMValueRef base, me, span;
};

/* Of this block before now, or of this thread. */
static LLVMValueRef is_own(struct lw__screen *s, const struct now *now, LLVMValueRef cell)
{
    LLVMValueRef since = LLVMBuildSub(s->b, cell, s->first, "");
    return either(s, compare(s, LLVMIntULT, since, now->span),
                  compare(s, LLVMIntEQ, cell, now->me));
}

/* In block memory what is not of this block is as good as nobody. */
static LLVMValueRef is_in_order(struct lw__screen *s, const struct now *now, LLVMValueRef cell,
                                bool is_shared)
{
    if (is_shared)
        return either(s, compare(s, LLVMIntULT, cell, now->base),
                      compare(s, LLVMIntEQ, cell, now->me));
    return either(s, is_own(s, now, cell), compare(s, LLVMIntEQ, cell, number(s, 0)));
}

static LLVMValueRef enter_write(struct lw__screen *s, const struct now *now,
                                const LLVMValueRef *cells, LLVMValueRef granule, bool is_shared)
{
    LLVMValueRef old = look(s, cells[0], granule);
    LLVMBuildStore(s->b, now->me, place(s, cells[0], granule));
    LLVMValueRef again = look(s, cells[1], granule);
    return both(s, is_in_order(s, now, old, is_shared), compare(s, LLVMIntEQ, again, now->me));
}

/* What several readers leave: of this serial alone, or of more. */
static LLVMValueRef several(struct lw__screen *s, const struct now *now, LLVMValueRef old,
                            bool is_shared)
{
    LLVMValueRef many = LLVMBuildOr(s->b, now->base, number(s, LW_SCREEN_MANY), "");
    LLVMValueRef since = LLVMBuildSub(s->b, old, now->base, "");
    if (is_shared)
        return many;
    return LLVMBuildSelect(s->b, compare(s, LLVMIntULE, since, number(s, LW_SCREEN_MANY)), many,
                           number(s, LW_SCREEN_FOREIGN), "");
}

/* A read, or an atomic: those of several threads are in order. */
static void enter_one_of_many(struct lw__screen *s, const struct now *now,
                              const LLVMValueRef *cells, LLVMValueRef granule, bool is_shared)
{
    LLVMValueRef many = LLVMBuildOr(s->b, now->base, number(s, LW_SCREEN_MANY), "");
    LLVMValueRef old = look(s, cells[0], granule);
    LLVMValueRef entry = LLVMBuildSelect(s->b, is_in_order(s, now, old, is_shared), now->me,
                                         several(s, now, old, is_shared), "");
    LLVMBuildStore(s->b, entry, place(s, cells[0], granule));
    LLVMValueRef again = look(s, cells[1], granule);
    /* Of several lanes those whose entry was lost enter that there are several. */
    LLVMBasicBlockRef head = lw__ir_split_before(s->at), tail = LLVMGetInstructionParent(s->at);
    LLVMBasicBlockRef lost = LLVMInsertBasicBlockInContext(s->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(s->b, head);
    lw__ir_set_rare(LLVMBuildCondBr(s->b, compare(s, LLVMIntNE, again, entry), lost, tail));
    LLVMPositionBuilderAtEnd(s->b, lost);
    LLVMBuildStore(s->b, many, place(s, cells[0], granule));
    LLVMBuildBr(s->b, tail);
    LLVMPositionBuilderBefore(s->b, s->at);
}

static const LLVMValueRef *cells_of(const struct lw__screen_row *row, enum lw_screen_use use)
{
    return use == LW_SCREEN_READS    ? row->read
           : use == LW_SCREEN_WRITES ? row->written
                                     : row->updated;
}

/* True if an access of another kind is in order with those of this one. */
static LLVMValueRef is_in_order_with(struct lw__screen *s, const struct now *now,
                                     const struct lw__screen_row *row, enum lw_screen_use use,
                                     LLVMValueRef granule, bool is_shared)
{
    LLVMValueRef cell = look(s, cells_of(row, use)[1], granule);
    return is_shared && use == LW_SCREEN_WRITES ? is_own(s, now, cell)
                                                : is_in_order(s, now, cell, is_shared);
}

LLVMValueRef lw__screen_enter(struct lw__screen *s, const struct lw__screen_row *row,
                              enum lw_screen_use use, LLVMValueRef granule)
{
    static const enum lw_screen_use uses[] = {LW_SCREEN_READS, LW_SCREEN_WRITES, LW_SCREEN_UPDATES};
    assert(row->written[0] && row->granules); /* the code has begun */
    struct now now = {.base = LLVMBuildLoad2(s->b, s->i32, s->now, "")};
    now.me = LLVMBuildAdd(s->b, now.base, s->thread, "");
    now.span = LLVMBuildSub(s->b, now.base, s->first, "");
    const bool is_shared = LLVMIsAGlobalVariable(row->value);
    const uint32_t others = (row->says.uses | (is_shared ? LW_SCREEN_WRITES : 0)) & ~(uint32_t)use;
    LLVMValueRef ok = LLVMConstInt(s->i1, 1, 0);
    if (use == LW_SCREEN_WRITES)
        ok = enter_write(s, &now, cells_of(row, use), granule, is_shared);
    else
        enter_one_of_many(s, &now, cells_of(row, use), granule, is_shared);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (others & uses[i])
            ok = both(s, ok, is_in_order_with(s, &now, row, uses[i], granule, is_shared));
    return ok;
}

void lw__screen_advance(struct lw__screen *s)
{
    const uint64_t step = UINT64_C(1) << LW_SCREEN_SERIAL_SHIFT;
    LLVMValueRef last = number(s, (uint64_t)LW_SCREEN_LAST_SERIAL << LW_SCREEN_SERIAL_SHIFT);
    LLVMValueRef base = LLVMBuildLoad2(s->b, s->i32, s->now, "");
    lw__screen_require(s, compare(s, LLVMIntULT, base, last));
    base = LLVMBuildAdd(s->b, base, number(s, step), "");
    LLVMBuildStore(s->b, base, s->now);
    LLVMValueRef at = LLVMConstInt(s->i64, offsetof(struct lw_screen_record, last), 0);
    LLVMBuildStore(s->b, base, LLVMBuildGEP2(s->b, s->i8, s->record, &at, 1, ""));
}
