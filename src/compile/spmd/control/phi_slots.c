/* phi_slots.c - the values that an edge carries: stores to the slots of phis. */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

static bool has_slots(const struct lw__spmd *s, LLVMValueRef phi)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, phi);
    return !(shape.kind == LW_SHAPE_OFFSET && shape.known && shape.lanes);
}

/* True if a slot of a per-piece value belongs to the current pieces. */
static bool is_under_way(const struct lw__spmd *s, uint32_t slot, uint32_t count)
{
    const uint32_t p = slot % s->pieces;
    return count == 1 || (p >= s->first_piece && p < s->end_piece);
}

LLVMValueRef *lw__phis_read(struct lw__spmd *s, uint32_t from, uint32_t to)
{
    size_t total = 0, used = 0;
    uint32_t count;
    EACH_PHI(phi, s->facts->cfg.blocks[to])
        if (has_slots(s, phi)) {
            lw__spmd_slots(s, phi, &count);
            total += count;
        }
    LLVMValueRef *forms = lw__new(&s->unit->scratch, total, sizeof *forms);
    EACH_PHI(phi, s->facts->cfg.blocks[to]) {
        if (!has_slots(s, phi))
            continue;
        LLVMValueRef v = lw__ir_incoming(phi, s->facts->cfg.blocks[from]);
        bool vector = lw__shape_of(s->facts, phi).kind == LW_SHAPE_VARYING;
        lw__spmd_slots(s, phi, &count);
        for (uint32_t p = 0; p < count; p++, used++)
            if (is_under_way(s, p, count))
                forms[used] = vector ? lw__spmd_vector(s, v, p) : lw__spmd_base(s, v, p);
    }
    assert(used == total);
    return forms;
}

void lw__phis_store(struct lw__spmd *s, uint32_t to, LLVMValueRef const *read,
                    const LLVMValueRef *mask)
{
    size_t used = 0;
    uint32_t count;
    EACH_PHI(phi, s->facts->cfg.blocks[to]) {
        if (!has_slots(s, phi))
            continue;
        LLVMValueRef *slots = lw__spmd_slots(s, phi, &count);
        bool blend = mask && lw__shape_of(s->facts, phi).kind == LW_SHAPE_VARYING;
        assert(!blend || count == s->pieces);
        for (uint32_t p = 0; p < count; p++) {
            LLVMValueRef v = read[used++];
            if (!is_under_way(s, p, count) || (blend && lw__mask_is_none(mask[p])))
                continue;
            if (blend && mask[p]) {
                LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(v), slots[p], "");
                v = LLVMBuildSelect(s->builder, mask[p], v, old, "");
            }
            LLVMBuildStore(s->builder, v, slots[p]);
        }
    }
}

bool lw__phis_last(const struct lw__spmd *s, uint32_t block)
{
    bool any = false;
    EACH_PHI(phi, s->facts->cfg.blocks[block])
        any |= lw__spmd_live_across_exit(s->facts, phi);
    return any;
}

void lw__phis_clear(struct lw__spmd *s, uint32_t block)
{
    EACH_PHI(phi, s->facts->cfg.blocks[block]) {
        if (lw__shape_of(s->facts, phi).kind != LW_SHAPE_VARYING ||
            lw__spmd_live_across_exit(s->facts, phi))
            continue;
        uint32_t count;
        LLVMValueRef *slots = lw__spmd_slots(s, phi, &count);
        for (uint32_t k = 0; k < count; k++)
            if (is_under_way(s, k, count))
                LLVMBuildStore(s->builder, LLVMGetPoison(LLVMGetAllocatedType(slots[k])), slots[k]);
    }
}

LLVMValueRef *lw__phis_keep(struct lw__spmd *s, uint32_t block)
{
    size_t n = 0;
    EACH_PHI(phi, s->facts->cfg.blocks[block])
        n++;
    LLVMValueRef *kept = lw__new(&s->unit->scratch, n, sizeof *kept);
    n = 0;
    uint32_t count;
    EACH_PHI(phi, s->facts->cfg.blocks[block]) {
        LLVMValueRef *slots = has_slots(s, phi) ? lw__spmd_slots(s, phi, &count) : NULL;
        if (slots && count == 1)
            kept[n] = LLVMBuildLoad2(s->builder, LLVMGetAllocatedType(*slots), *slots, "");
        n++;
    }
    return kept;
}

void lw__phis_restore(struct lw__spmd *s, uint32_t block, const LLVMValueRef *kept)
{
    uint32_t count;
    EACH_PHI(phi, s->facts->cfg.blocks[block]) {
        if (*kept)
            LLVMBuildStore(s->builder, *kept, *lw__spmd_slots(s, phi, &count));
        kept++;
    }
}
