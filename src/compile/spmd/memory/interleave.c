/* interleave.c - the fields of consecutive structs or short vectors, together.
 *
 * in[i].x, in[i].y, in[i].z, in[i].w, with i the thread, are four loads of a kernel. The lanes of
 * each are four elements apart. All of a piece's are one row in memory:
 *
 *     in memory                              deinterleaved
 *     v0: x0 y0 z0 w0 x1 y1 z1 w1 ...        x0 x1 x2 x3 ...
 *     v1: x4 y4 z4 w4 x5 y5 z5 w5 ...        y0 y1 y2 y3 ...
 *     ...                                    ...
 *
 * So as many whole vectors are loaded as there are fields. They are deinterleaved by log2 of that
 * many rounds of even and odd elements. Stores do the reverse. Loads are emitted at the first of a
 * group, stores at the last: nothing in between may be affected. If lanes are masked off, each
 * field is accessed separately.
 *
 * Where the lanes' structs are not consecutive, as in in[at[i]].x, 16 or 32 bytes of each lane are
 * loaded and transposed (chunks.c), instead of a gather for each field.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <stdlib.h>
#include <string.h>

enum half { LOWER, UPPER };
enum { STEPS_MAX = 4 }; /* of an address, that are the same for all lanes */

/* The even or odd elements of a followed by b. */
static LLVMValueRef deinterleave(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, int odd)
{
    int indices[LW_LANES_MAX];
    for (int l = 0; l < (int)s->width; l++)
        indices[l] = 2 * l + odd;
    return lw__spmd_shuffle(s, a, b, indices, s->width);
}

/* Elements of a and b alternately, from their lower or upper halves. */
static LLVMValueRef join(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, enum half half)
{
    int indices[LW_LANES_MAX], width = (int)s->width;
    for (int l = 0; l < width; l++)
        indices[l] = l / 2 + (half == UPPER ? width / 2 : 0) + (l % 2 ? width : 0);
    return lw__spmd_shuffle(s, a, b, indices, s->width);
}

/* The address of vector k of the row, and its alignment. */
static LLVMValueRef vector_address(struct lw__spmd *s, const struct lw__access *first, uint32_t k,
                                   unsigned *align)
{
    LLVMValueRef base = lw__spmd_base(s, first->address, first->piece);
    const int64_t bytes = (int64_t)k * s->width * first->size, low = bytes & -bytes;
    *align = bytes && low < first->align ? (unsigned)low : first->align;
    return bytes ? lw__spmd_bytes_on(s, base, lw__spmd_const64(s, bytes)) : base;
}

static void store_fields(struct lw__spmd *s, const struct lw__access *fields, uint32_t side)
{
    LLVMValueRef v[LW_FIELDS_MAX];
    for (uint32_t k = 0; k < side; k++) {
        LLVMValueRef value = LLVMGetOperand(fields[k].instruction, 0);
        v[k] = lw__access_moved(s, &fields[k], lw__spmd_vector(s, value, fields[k].piece));
    }
    LLVMValueRef next[LW_FIELDS_MAX];
    for (uint32_t round = 1; round < side; round *= 2) {
        for (uint32_t k = 0; k < side / 2; k++) {
            next[2 * k] = join(s, v[k], v[k + side / 2], LOWER);
            next[2 * k + 1] = join(s, v[k], v[k + side / 2], UPPER);
        }
        memcpy(v, next, side * sizeof *v);
    }
    for (uint32_t k = 0; k < side; k++) {
        unsigned align;
        LLVMValueRef address = vector_address(s, &fields[0], k, &align);
        LLVMSetAlignment(LLVMBuildStore(s->builder, v[k], address), align);
    }
}

/* True if all lanes run it, each one struct further, or no windows reach those that are apart. */
static bool is_row(const struct lw__spmd *s, const struct lw__access *a,
                   const struct lw__interleaved *row)
{
    const uint32_t side = row->side;
    if (a->mask || a->count != s->width)
        return false;
    if (row->apart || !a->constant)
        return row->apart && !(a->constant && lw__access_has_windows(s, a));
    for (uint32_t l = 0; l < s->width; l++)
        if (a->distance[l] != (int64_t)l * side * a->size)
            return false;
    return true;
}

/* The address of each lane's first field. What is the same for all lanes is added to each: a loop
 * then takes the lanes out of their vector once. */
static void lane_addresses(struct lw__spmd *s, const struct lw__access *leader, int64_t first,
                           LLVMValueRef *rows)
{
    if (leader->constant) {
        LLVMValueRef base = lw__spmd_base(s, leader->address, leader->piece);
        for (uint32_t l = 0; l < s->width; l++)
            rows[l] = lw__spmd_bytes_on(s, base, lw__spmd_const64(s, leader->distance[l] + first));
        return;
    }
    LLVMValueRef steps[STEPS_MAX], from = leader->address;
    uint32_t count = 0;
    while (count < STEPS_MAX && LLVMIsAGetElementPtrInst(from) && LLVMGetNumOperands(from) == 2 &&
           lw__is_uniform(s->facts, LLVMGetOperand(from, 1)) &&
           LLVMGetInstructionParent(from) == LLVMGetInstructionParent(leader->instruction)) {
        steps[count++] = from;
        from = LLVMGetOperand(from, 0);
    }
    LLVMValueRef lanes = lw__spmd_vector(s, from, leader->piece);
    for (uint32_t l = 0; l < s->width; l++) {
        rows[l] = LLVMBuildExtractElement(s->builder, lanes, lw__spmd_const32(s, l), "");
        for (uint32_t k = count; k-- > 0;) {
            LLVMValueRef by = lw__spmd_uniform(s, LLVMGetOperand(steps[k], 1));
            rows[l] = LLVMBuildGEP2(s->builder, LLVMGetGEPSourceElementType(steps[k]), rows[l], &by,
                                    1, "");
        }
        if (first)
            rows[l] = lw__spmd_bytes_on(s, rows[l], lw__spmd_const64(s, first));
    }
}

bool lw__access_interleaved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask)
{
    struct lw__access fields[LW_FIELDS_MAX];
    const struct lw__interleaved *row = lw__spmd_interleaved(s->facts, a->instruction);
    if (!row || !is_row(s, a, row))
        return false;
    if (!row->leads)
        return true;
    for (uint32_t k = 0; k < row->side; k++) {
        if (!lw__access_describe(s, row->fields[k], &fields[k]))
            return true; /* refused */
        lw__access_lanes(s, fields[k].address, a->piece, mask, &fields[k]);
    }
    if (row->apart) {
        LLVMValueRef rows[LW_LANES_MAX], v[LW_FIELDS_MAX];
        lane_addresses(s, a, row->first, rows);
        lw__chunks_load(s, a, rows, row->side, v);
        for (uint32_t k = 0; k < row->side; k++)
            lw__access_set(s, &fields[k], v[k]);
    } else if (LLVMIsAStoreInst(a->instruction)) {
        store_fields(s, fields, row->side);
    } else {
        LLVMValueRef v[LW_FIELDS_MAX];
        LLVMTypeRef type = LLVMVectorType(fields[0].moved, s->width);
        for (uint32_t k = 0; k < row->side; k++) {
            unsigned align;
            LLVMValueRef address = vector_address(s, &fields[0], k, &align);
            v[k] = LLVMBuildLoad2(s->builder, type, address, "");
            LLVMSetAlignment(v[k], align);
        }
        LLVMValueRef next[LW_FIELDS_MAX];
        for (uint32_t round = 1; round < row->side; round *= 2) {
            for (uint32_t k = 0; k < row->side / 2; k++) {
                next[k] = deinterleave(s, v[2 * k], v[2 * k + 1], 0);
                next[row->side / 2 + k] = deinterleave(s, v[2 * k], v[2 * k + 1], 1);
            }
            memcpy(v, next, row->side * sizeof *v);
        }
        for (uint32_t k = 0; k < row->side; k++)
            lw__access_set(s, &fields[k], v[k]);
    }
    return true;
}
