/* shared_memory.c - SHARED variables become offsets from a base address.
 *
 * In the common bitcode a SHARED variable is a global in section lw.shared, and a DYNAMIC_SHARED
 * one in lw.dynshared. Each kernel lays out those that it uses. Uses are in instructions, in
 * constant expressions (&tile[3][4]) and in constant data (an initialiser with a tensor's address).
 * The latter two are rebuilt as instructions, since the base is known at run time only.
 */
#include "base/manifest.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { MAX_DEPTH = 32 }; /* of nested constants; cyclic initialisers exist */

static bool is_static_shared(LLVMValueRef v)
{
    return LLVMIsAGlobalVariable(v) && lw__ir_in_section(v, "lw.shared");
}

static bool is_dynamic_shared(LLVMValueRef v)
{
    return LLVMIsAGlobalVariable(v) && lw__ir_in_section(v, "lw.dynshared");
}

bool lw__ir_is_shared(LLVMValueRef v)
{
    return is_static_shared(v) || is_dynamic_shared(v);
}

static bool has_operands(LLVMValueRef v)
{
    return LLVMIsAConstantExpr(v) || LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) ||
           LLVMIsAConstantVector(v);
}

/* Call found() for each variable that `takes` takes and a constant refers to. True if there is any.
 */
static bool refers(LLVMValueRef v, int depth, bool (*takes)(LLVMValueRef g),
                   void (*found)(LLVMValueRef g, void *user), void *user)
{
    bool any = false;
    if (!LLVMIsConstant(v) || depth > MAX_DEPTH)
        return false;
    if (LLVMIsAGlobalVariable(v) && takes(v)) {
        if (found)
            found(v, user);
        return true;
    }
    if (LLVMIsAGlobalVariable(v)) {
        LLVMValueRef initial = LLVMGetInitializer(v);
        return initial && refers(initial, depth + 1, takes, found, user);
    }
    if (has_operands(v))
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            any |= refers(LLVMGetOperand(v, (unsigned)i), depth + 1, takes, found, user);
    return any;
}

/* ---- layout ---------------------------------------------------------------------------------- */

struct finder {
    struct lw__arena *arena;
    struct lw__shared_layout *layout;
    LLVMTargetDataRef data;
    uint64_t dynamic_align;
};

static uint64_t round_up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1) / align * align;
}

static uint64_t align_of(const struct finder *f, LLVMValueRef global)
{
    const uint64_t align = LLVMGetAlignment(global);
    return align ? align : LLVMABIAlignmentOfType(f->data, LLVMGlobalGetValueType(global));
}

static uint64_t size_of(const struct finder *f, LLVMValueRef global)
{
    return LLVMABISizeOfType(f->data, LLVMGlobalGetValueType(global));
}

/* By alignment, then by size, the greatest first: the bytes of all do not depend on which use of a
 * variable a pass has left first. */
static bool comes_before(const struct finder *f, LLVMValueRef a, LLVMValueRef b)
{
    const uint64_t x = align_of(f, a), y = align_of(f, b);
    return x != y ? x > y : size_of(f, a) > size_of(f, b);
}

static void note(LLVMValueRef global, void *user)
{
    struct finder *f = user;
    struct lw__shared_layout *l = f->layout;
    size_t at = l->count;
    for (size_t i = 0; i < l->count; i++)
        if (l->globals[i] == global)
            return;
    l->globals = lw__one_more(f->arena, l->globals, l->count, sizeof(LLVMValueRef));
    l->offsets = lw__one_more(f->arena, l->offsets, l->count, sizeof *l->offsets);
    for (; at > 0 && comes_before(f, global, l->globals[at - 1]); at--)
        l->globals[at] = l->globals[at - 1];
    l->globals[at] = global;
    l->count++;
}

static void place(struct finder *f, size_t number)
{
    struct lw__shared_layout *l = f->layout;
    LLVMValueRef global = l->globals[number];
    const uint64_t align = align_of(f, global);
    l->offsets[number] = 0;
    if (is_static_shared(global)) {
        l->offsets[number] = round_up(l->bytes, align);
        l->bytes = l->offsets[number] + size_of(f, global);
    } else {
        l->dynamic = true;
        f->dynamic_align = align > f->dynamic_align ? align : f->dynamic_align;
    }
    l->align = align > l->align ? align : l->align;
}

static void find(struct finder *f, LLVMValueRef function)
{
    EACH_INSTRUCTION_OF(i, function)
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            refers(LLVMGetOperand(i, (unsigned)k), 0, f->layout->takes, note, f);
}

void lw__globals_of(struct lw__unit *unit, LLVMValueRef function, bool (*takes)(LLVMValueRef g),
                    struct lw__shared_layout *l)
{
    struct finder f = {&unit->scratch, l, LLVMGetModuleDataLayout(unit->module), 1};
    *l = (struct lw__shared_layout){.takes = takes};
    find(&f, function);
}

void lw__shared_layout(struct lw__unit *unit, LLVMValueRef function, struct lw__shared_layout *l)
{
    struct finder f = {&unit->scratch, l, LLVMGetModuleDataLayout(unit->module), 1};
    *l = (struct lw__shared_layout){.takes = lw__ir_is_shared};
    find(&f, function);
    for (size_t i = 0; i < l->count; i++)
        place(&f, i);
    if (f.dynamic_align > LW_DYNAMIC_ALIGN) /* it then begins after padding of the static part */
        l->bytes = round_up(l->bytes, f.dynamic_align);
}

/* ---- replacement ----------------------------------------------------------------------------- */

struct replacer {
    struct lw__unit *unit;
    const struct lw__shared_layout *layout;
    LLVMValueRef base;       /* shared memory, a ptr that dominates the kernel's body */
    LLVMBuilderRef early;    /* where the base is known: copies of constant data */
    LLVMBasicBlockRef entry; /* for allocas */
    struct {
        LLVMValueRef constant, copy;
    } copies[64];
    size_t copy_count;
    bool failed;
};

static LLVMValueRef rebuild(struct replacer *r, LLVMBuilderRef b, LLVMValueRef v);

/* Constant data that holds addresses of shared memory: each thread fills in a copy. */
static LLVMValueRef copy_of(struct replacer *r, LLVMValueRef global)
{
    for (size_t i = 0; i < r->copy_count; i++)
        if (r->copies[i].constant == global)
            return r->copies[i].copy;
    if (r->copy_count == sizeof r->copies / sizeof *r->copies) {
        r->failed =
            !lw__defect("more than %zu constants hold addresses of block memory", r->copy_count);
        return global;
    }
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(r->unit->context);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(r->entry));
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    LLVMDisposeBuilder(b);
    if (LLVMGetAlignment(global))
        LLVMSetAlignment(copy, LLVMGetAlignment(global));
    LLVMBuildStore(r->early, rebuild(r, r->early, LLVMGetInitializer(global)), copy);
    r->copies[r->copy_count].constant = global;
    r->copies[r->copy_count++].copy = copy;
    return copy;
}

static LLVMValueRef rebuild_aggregate(struct replacer *r, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(v));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(r->unit->context);
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef part = rebuild(r, b, LLVMGetOperand(v, (unsigned)i));
        result =
            LLVMIsAConstantVector(v)
                ? LLVMBuildInsertElement(b, result, part, LLVMConstInt(i32, (unsigned)i, 0), "")
                : LLVMBuildInsertValue(b, result, part, (unsigned)i, "");
    }
    return result;
}

static LLVMValueRef rebuild_expression(struct replacer *r, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetConstOpcode(v);
    LLVMValueRef operand[16];
    int n = LLVMGetNumOperands(v);
    for (int i = 0; i < n && i < 16; i++)
        operand[i] = rebuild(r, b, LLVMGetOperand(v, (unsigned)i));
    switch (op) {
    case LLVMGetElementPtr:
        return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(v), operand[0], operand + 1,
                             (unsigned)n - 1, "");
    case LLVMTrunc:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return LLVMBuildCast(b, op, operand[0], LLVMTypeOf(v), "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor:
    case LLVMShl: return LLVMBuildBinOp(b, op, operand[0], operand[1], "");
    default: r->failed = !lw__defect("constant expression %d on block memory", (int)op); return v;
    }
}

static LLVMValueRef rebuild(struct replacer *r, LLVMBuilderRef b, LLVMValueRef v)
{
    if (r->failed || !refers(v, 0, r->layout->takes, NULL, NULL))
        return v;
    if (LLVMIsAGlobalVariable(v) && r->layout->takes(v)) {
        uint64_t offset = is_dynamic_shared(v) ? round_up(r->layout->bytes, LW_DYNAMIC_ALIGN) : 0;
        for (size_t i = 0; i < r->layout->count; i++) {
            if (r->layout->globals[i] != v)
                continue;
            if (r->layout->places)
                return r->layout->places[i];
            if (is_static_shared(v))
                offset = r->layout->offsets[i];
        }
        LLVMTypeRef i8 = LLVMInt8TypeInContext(r->unit->context);
        LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(r->unit->context), offset, 0);
        return LLVMBuildGEP2(b, i8, r->base, &index, 1, "");
    }
    if (LLVMIsAGlobalVariable(v))
        return copy_of(r, v);
    return LLVMIsAConstantExpr(v) ? rebuild_expression(r, b, v) : rebuild_aggregate(r, b, v);
}

/* lw__shared_replace - replace all uses of shared memory in `function` by offsets from `base`.
 * `early` is where base is known, before the kernel's body; allocas are put in `entry`. */
bool lw__shared_replace(struct lw__unit *unit, LLVMValueRef function,
                        const struct lw__shared_layout *layout, LLVMValueRef base,
                        LLVMBuilderRef early, LLVMBasicBlockRef entry)
{
    struct replacer r = {
        .unit = unit, .layout = layout, .base = base, .early = early, .entry = entry};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    EACH_INSTRUCTION_OF(i, function)
        if (!r.failed) {
            /* A phi's operand is rebuilt at the end of the incoming block. */
            for (int k = 0; k < LLVMGetNumOperands(i) && !r.failed; k++) {
                LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
                if (!refers(v, 0, layout->takes, NULL, NULL))
                    continue;
                if (LLVMIsAPHINode(i))
                    LLVMPositionBuilderBefore(
                        b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, (unsigned)k)));
                else
                    LLVMPositionBuilderBefore(b, i);
                LLVMSetOperand(i, (unsigned)k, rebuild(&r, b, v));
            }
        }
    LLVMDisposeBuilder(b);
    return !r.failed;
}
