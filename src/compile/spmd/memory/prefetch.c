/* prefetch.c - llvm.prefetch by the lanes' addresses.
 *
 * Lanes at constant distances: one for all that lie within a cache line of its address. Others: one
 * a lane. A prefetch of any address does no harm. A lane that is masked off fetches s->dummy where
 * its address may be anything, since a search for its page would take time.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"

enum { LINE = 64 };

static void fetch(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef address)
{
    LLVMValueRef args[4] = {address};
    for (unsigned k = 1; k < 4; k++)
        args[k] = LLVMGetOperand(call, k);
    lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_prefetch, &s->ptr, args, 4);
}

/* A row of lanes, one after the other; distances are from `base`. */
struct row {
    LLVMValueRef base;
    bool any;
    int64_t last; /* distance that was fetched */
};

static void fetch_lane(struct lw__spmd *s, LLVMValueRef call, struct row *row, int64_t distance)
{
    const bool near = row->any && distance < row->last + LINE && distance > row->last - LINE;
    if (near)
        return;
    *row = (struct row){row->base, true, distance};
    fetch(s, call, lw__spmd_bytes_on(s, row->base, lw__spmd_const64(s, distance)));
}

bool lw__prefetch_is_joint(const struct lw__spmd *s, LLVMValueRef call)
{
    return lw__shape_of(s->facts, LLVMGetOperand(call, 0)).kind == LW_SHAPE_OFFSET;
}

void lw__spmd_prefetch_joint(struct lw__spmd *s, LLVMValueRef call)
{
    LLVMValueRef address = LLVMGetOperand(call, 0);
    const int64_t *lanes = lw__shape_of(s->facts, address).lanes;
    const uint32_t first = s->first_piece * s->width, end = s->end_piece * s->width;
    struct row row = {.base = lw__spmd_base(s, address, s->first_piece)};
    fetch_lane(s, call, &row, 0);
    for (uint32_t t = first; lanes && t < end && t < s->threads; t++)
        fetch_lane(s, call, &row, (int64_t)((uint64_t)lanes[t] - (uint64_t)lanes[first]));
}

void lw__spmd_prefetch(struct lw__spmd *s, LLVMValueRef call, uint32_t p, LLVMValueRef mask)
{
    struct lw__access a = {.instruction = call};
    lw__access_lanes(s, LLVMGetOperand(call, 0), p, mask, &a);
    if (!a.count)
        return;
    if (a.constant) {
        struct row row = {.base = lw__spmd_base(s, a.address, p)};
        for (uint32_t l = 0; l < s->width; l++)
            if (a.active[l])
                fetch_lane(s, call, &row, a.distance[l]);
        return;
    }
    LLVMValueRef where = lw__spmd_vector(s, a.address, p);
    if (a.mask)
        where = LLVMBuildSelect(s->builder, a.mask, where, lw__spmd_splat(s, s->dummy), "");
    for (uint32_t l = 0; l < s->width; l++)
        if (a.active[l])
            fetch(s, call, LLVMBuildExtractElement(s->builder, where, lw__spmd_const32(s, l), ""));
}
