/* values.c - where the emitted forms of the kernel's values are kept.
 *
 * In the block that computes a value its forms are available. Elsewhere they are loaded from its
 * slots, allocas that the block stores to. Phis have slots only: the edges store to them.
 */
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

/* ---- small makers ---------------------------------------------------------------------------- */

LLVMTypeRef lw__spmd_vector_type(const struct lw__spmd *s, LLVMTypeRef scalar)
{
    return LLVMVectorType(scalar, s->width);
}

LLVMValueRef lw__spmd_const32(const struct lw__spmd *s, int64_t value)
{
    return LLVMConstInt(s->i32, (unsigned long long)value, 1);
}

LLVMValueRef lw__spmd_const64(const struct lw__spmd *s, int64_t value)
{
    return LLVMConstInt(s->i64, (unsigned long long)value, 1);
}

LLVMValueRef lw__spmd_const_lanes(const struct lw__spmd *s, LLVMTypeRef type, const int64_t *lanes)
{
    LLVMValueRef v[64];
    for (uint32_t l = 0; l < s->width; l++)
        v[l] = LLVMConstInt(type, (unsigned long long)lanes[l], 1);
    return LLVMConstVector(v, s->width);
}

LLVMValueRef lw__spmd_splat(struct lw__spmd *s, LLVMValueRef scalar)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, LLVMTypeOf(scalar));
    if (LLVMIsConstant(scalar) && !LLVMIsAConstantExpr(scalar) && !LLVMIsAGlobalValue(scalar)) {
        LLVMValueRef v[64];
        for (uint32_t l = 0; l < s->width; l++)
            v[l] = scalar;
        return LLVMConstVector(v, s->width);
    }
    LLVMValueRef one =
        LLVMBuildInsertElement(s->builder, LLVMGetPoison(type), scalar, lw__spmd_const64(s, 0), "");
    LLVMValueRef zeros = LLVMConstNull(lw__spmd_vector_type(s, s->i32));
    return LLVMBuildShuffleVector(s->builder, one, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef lw__spmd_shuffle(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b,
                              const int *indices, uint32_t count)
{
    LLVMValueRef v[128];
    assert(count <= 128);
    for (uint32_t l = 0; l < count; l++)
        v[l] = indices[l] < 0 ? LLVMGetPoison(s->i32) : lw__spmd_const32(s, indices[l]);
    return LLVMBuildShuffleVector(s->builder, a, b, LLVMConstVector(v, count), "");
}

/* ---- forms ----------------------------------------------------------------------------------- */

static struct lw__emitted *emitted_of(struct lw__spmd *s, LLVMValueRef v)
{
    uint32_t index = lw__spmd_value_index(s->facts, v);
    struct lw__emitted *e = &s->emitted[index];
    assert(index < s->facts->value_count);
    assert(s->facts->shapes[index].kind != LW_SHAPE_NONE);
    if (e->form)
        return e;
    LLVMTypeRef type = LLVMTypeOf(v);
    bool scalar = s->facts->shapes[index].kind == LW_SHAPE_OFFSET;
    e->members =
        LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1;
    e->forms = (scalar ? 1 : s->pieces) * e->members;
    e->form = lw__new(&s->arena, 2 * e->forms + s->pieces, sizeof(LLVMValueRef));
    e->slot = lw__new(&s->arena, e->forms, sizeof(LLVMValueRef));
    e->live_across_exit = !scalar && !LLVMIsAPHINode(v) && lw__spmd_live_across_exit(s->facts, v);
    e->read = e->form + e->forms;
    e->vector = e->read + e->forms;
    return e;
}

static LLVMValueRef slot_of(struct lw__spmd *s, LLVMValueRef v, struct lw__emitted *e, uint32_t k)
{
    if (e->slot[k])
        return e->slot[k];
    bool vector = lw__shape_of(s->facts, v).kind == LW_SHAPE_VARYING;
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        type = LLVMStructGetTypeAtIndex(type, vector ? k / s->pieces : k);
    e->slot[k] =
        LLVMBuildAlloca(s->alloca_builder, vector ? lw__spmd_vector_type(s, type) : type, "");
    return e->slot[k];
}

static void open_scope(struct lw__spmd *s, struct lw__emitted *e)
{
    if (e->read_in == s->dominance_scope)
        return;
    memset(e->read, 0, e->forms * sizeof *e->read);
    memset(e->vector, 0, s->pieces * sizeof *e->vector);
    e->read_in = s->dominance_scope;
}

static LLVMValueRef form_of(struct lw__spmd *s, LLVMValueRef v, uint32_t k)
{
    struct lw__emitted *e = emitted_of(s, v);
    assert(k < e->forms);
    if (e->emitted_in == s->emission_id && e->form[k])
        return e->form[k];
    open_scope(s, e);
    if (!e->read[k] && s->facts->uses[e - s->emitted].deferred) {
        e->read[k] = lw__spmd_arith_again(s, v, k);
    } else if (!e->read[k]) {
        LLVMValueRef slot = slot_of(s, v, e, k);
        e->read[k] = LLVMBuildLoad2(s->builder, LLVMGetAllocatedType(slot), slot, "");
    }
    return e->read[k];
}

static void set_form(struct lw__spmd *s, LLVMValueRef v, uint32_t k, LLVMValueRef to)
{
    struct lw__emitted *e = emitted_of(s, v);
    assert(k < e->forms && !s->facts->uses[e - s->emitted].deferred);
    if (e->emitted_in != s->emission_id) {
        memset(e->form, 0, e->forms * sizeof *e->form);
        e->emitted_in = s->emission_id;
        e->read_in = 0;
    }
    e->form[k] = to;
    if (!s->facts->uses[e - s->emitted].crosses)
        return;
    LLVMValueRef slot = slot_of(s, v, e, k), mask = s->mask ? s->mask[k % s->pieces] : NULL;
    assert(LLVMTypeOf(to) == LLVMGetAllocatedType(slot));
    if (e->live_across_exit && mask) {
        LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(to), slot, "");
        to = LLVMBuildSelect(s->builder, mask, to, old, "");
    }
    LLVMBuildStore(s->builder, to, slot);
}

void lw__spmd_set_uniform(struct lw__spmd *s, LLVMValueRef v, LLVMValueRef scalar)
{
    assert(lw__shape_of(s->facts, v).kind == LW_SHAPE_OFFSET);
    set_form(s, v, 0, scalar);
}

void lw__spmd_set_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef scalar)
{
    bool varying = lw__shape_of(s->facts, v).kind == LW_SHAPE_VARYING;
    set_form(s, v, p, varying ? lw__spmd_splat(s, scalar) : scalar);
}

void lw__spmd_set_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef vector)
{
    assert(lw__shape_of(s->facts, v).kind == LW_SHAPE_VARYING);
    set_form(s, v, p, vector);
}

void lw__spmd_set_member(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t member,
                         LLVMValueRef vector)
{
    assert(p < s->pieces);
    set_form(s, v, member * s->pieces + p, vector);
}

LLVMValueRef lw__spmd_member(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t member)
{
    assert(p < s->pieces);
    return form_of(s, v, member * s->pieces + p);
}

LLVMValueRef *lw__spmd_slots(struct lw__spmd *s, LLVMValueRef v, uint32_t *count)
{
    struct lw__emitted *e = emitted_of(s, v);
    for (uint32_t k = 0; k < e->forms; k++)
        slot_of(s, v, e, k);
    *count = e->forms;
    return e->slot;
}

/* Arguments and constants, in the function's form. */
static LLVMValueRef given(struct lw__spmd *s, LLVMValueRef v)
{
    if (!LLVMIsAArgument(v))
        return v;
    for (unsigned k = 0; k < LLVMCountParams(s->facts->scalar); k++)
        if (LLVMGetParam(s->facts->scalar, k) == v)
            return s->arguments[k];
    return v;
}

LLVMValueRef lw__spmd_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p)
{
    uint32_t index = lw__spmd_value_index(s->facts, v);
    if (index == UINT32_MAX)
        return given(s, v);
    struct lw__value_shape shape = s->facts->shapes[index];
    uint32_t t = p * s->width;
    assert(shape.kind != LW_SHAPE_VARYING && t < s->threads);
    if (shape.kind == LW_SHAPE_OFFSET && shape.known && shape.lanes)
        return LLVMConstInt(LLVMTypeOf(v), (unsigned long long)shape.lanes[t], 1);
    if (shape.kind == LW_SHAPE_OFFSET) {
        LLVMValueRef base = form_of(s, v, 0);
        int64_t offset = shape.lanes ? shape.lanes[t] : 0;
        if (!offset)
            return base;
        if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind) {
            LLVMValueRef by = lw__spmd_const64(s, offset);
            return LLVMBuildGEP2(s->builder, s->i8, base, &by, 1, "");
        }
        return LLVMBuildAdd(s->builder, base,
                            LLVMConstInt(LLVMTypeOf(base), (unsigned long long)offset, 1), "");
    }
    return form_of(s, v, p);
}

LLVMValueRef lw__spmd_uniform(struct lw__spmd *s, LLVMValueRef v)
{
    assert(lw__is_uniform(s->facts, v));
    return lw__spmd_base(s, v, 0);
}

static LLVMValueRef spread(struct lw__spmd *s, LLVMValueRef v, uint32_t p)
{
    int64_t offset[64];
    struct lw__value_shape shape = lw__shape_of(s->facts, v);
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef base = lw__spmd_base(s, v, p);
    bool flat = true;
    /* Lane l's difference from lane 0 of the piece. Threads that do not exist continue as the
     * last does. */
    for (uint32_t l = 0; l < s->width; l++) {
        uint32_t t = p * s->width + l;
        if (shape.kind == LW_SHAPE_PIECE)
            offset[l] = (int64_t)((uint64_t)shape.stride * l);
        else if (t < s->threads)
            offset[l] =
                shape.lanes
                    ? (int64_t)((uint64_t)shape.lanes[t] - (uint64_t)shape.lanes[p * s->width])
                    : 0;
        else
            offset[l] = l >= 2 ? 2 * offset[l - 1] - offset[l - 2] : l ? offset[l - 1] : 0;
    }
    for (uint32_t l = 0; l < s->width; l++)
        flat &= !offset[l];
    if (flat)
        return lw__spmd_splat(s, base);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef by = lw__spmd_const_lanes(s, s->i64, offset);
        return LLVMBuildGEP2(s->builder, s->i8, base, &by, 1, "");
    }
    if (LLVMIsAConstantInt(base)) { /* the builder does not fold all of it */
        for (uint32_t l = 0; l < s->width; l++)
            offset[l] = (int64_t)((uint64_t)offset[l] + LLVMConstIntGetZExtValue(base));
        return lw__spmd_const_lanes(s, type, offset);
    }
    return LLVMBuildAdd(s->builder, lw__spmd_splat(s, base), lw__spmd_const_lanes(s, type, offset),
                        "");
}

LLVMValueRef lw__spmd_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p)
{
    uint32_t index = lw__spmd_value_index(s->facts, v);
    if (index == UINT32_MAX)
        return lw__spmd_splat(s, given(s, v));
    if (s->facts->shapes[index].kind == LW_SHAPE_VARYING)
        return form_of(s, v, p);
    struct lw__emitted *e = emitted_of(s, v);
    open_scope(s, e);
    if (!e->vector[p])
        e->vector[p] = spread(s, v, p);
    return e->vector[p];
}
