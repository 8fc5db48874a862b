/* objects.c - which object a pointer is into.
 *
 * Of most pointers this is known: a parameter, a variable, a constant. Of a pointer that is one of
 * several, object and size are chosen as the pointer is. A pointer from memory, or made of an
 * integer, is looked up where it is made: among the kernel's own variables, then among the buffers
 * of the launch, which it has sorted.
 */
#include "compile/guard/guard.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

static LLVMValueRef number(const struct lw__guard *g, uint64_t value)
{
    return LLVMConstInt(g->i64, value, 0);
}

/* ---- the record ------------------------------------------------------------------------------ */

void lw__guard_at_begin(struct lw__guard *g)
{
    LLVMPositionBuilderBefore(g->b, g->begin);
    LLVMSetCurrentDebugLocation2(g->b, NULL);
}

static LLVMValueRef load_at(struct lw__guard *g, LLVMTypeRef type, LLVMValueRef from,
                            LLVMValueRef offset)
{
    LLVMContextRef c = g->unit->context;
    LLVMValueRef v =
        LLVMBuildLoad2(g->b, type, LLVMBuildGEP2(g->b, g->i8, from, &offset, 1, ""), "");
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(c, "invariant.load", 14),
                    LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
    return v;
}

static LLVMValueRef field(struct lw__guard *g, LLVMTypeRef type, size_t offset)
{
    return load_at(g, type, g->bounds, number(g, offset));
}

static LLVMValueRef param_field(struct lw__guard *g, unsigned param, size_t offset)
{
    return field(g, g->i64,
                 offsetof(struct lw_bounds, rows) + param * sizeof(struct lw_bound) + offset);
}

/* ---- what is said of an object --------------------------------------------------------------- */

/* The address of a struct lw_bounds_object: bytes, as gpu/module.c gathers texts. */
static LLVMValueRef describe(struct lw__guard *g, const char *name, enum lw_ref_memory kind,
                             uint64_t place, uint64_t element)
{
    const struct lw_bounds_object head = {kind, place, element};
    struct lw__text bytes = lw__text_in(&g->unit->scratch);
    lw__text_add_bytes(&bytes, (const char *)&head, offsetof(struct lw_bounds_object, name));
    lw__text_add_bytes(&bytes, name, strlen(name) + 1);
    LLVMValueRef value = LLVMConstStringInContext2(g->unit->context, bytes.data, bytes.length, 1);
    LLVMValueRef c = LLVMAddGlobal(g->unit->module, LLVMTypeOf(value), "");
    LLVMSetInitializer(c, value);
    LLVMSetGlobalConstant(c, 1);
    LLVMSetLinkage(c, LLVMPrivateLinkage);
    LLVMSetAlignment(c, sizeof(uint64_t));
    return LLVMConstPtrToInt(c, g->i64);
}

static LLVMTypeRef type_of(LLVMValueRef variable)
{
    return LLVMIsAAllocaInst(variable) ? LLVMGetAllocatedType(variable)
                                       : LLVMGlobalGetValueType(variable);
}

static bool is_dynamic(LLVMValueRef variable)
{
    return LLVMIsAGlobalVariable(variable) && lw__ir_in_section(variable, "lw.dynshared");
}

static bool is_variable(LLVMValueRef root)
{
    return LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root);
}

/* The parameter that is a struct passed by value, which the pointer is into; NULL: it is none. */
static const struct lw__param *struct_of(const struct lw__guard *g, LLVMValueRef root,
                                         unsigned *index)
{
    for (*index = 0; *index + 1 < g->kernel->param_count; ++*index)
        if (LLVMGetParam(g->function, *index) == root)
            return g->kernel->params[*index].by_value ? &g->kernel->params[*index] : NULL;
    return NULL;
}

uint64_t lw__guard_fixed_size(const struct lw__guard *g, LLVMValueRef pointer)
{
    LLVMValueRef root = lw__ir_object(pointer);
    unsigned index;
    const struct lw__param *param = struct_of(g, root, &index);
    if (param)
        return param->size;
    return is_variable(root) && !is_dynamic(root) ? LLVMABISizeOfType(g->data, type_of(root)) : 0;
}

/* ---- roots of one object --------------------------------------------------------------------- */

void lw__guard_note_variable(struct lw__guard *g, LLVMValueRef variable)
{
    struct lw__arena *scratch = &g->unit->scratch;
    g->own = lw__one_more(scratch, g->own, g->own_count, sizeof *g->own);
    g->own[g->own_count++] =
        (struct lw__guard_variable){variable, lw__variable_name(scratch, variable)};
}

static const char *name_of(struct lw__guard *g, LLVMValueRef variable)
{
    for (size_t i = 0; i < g->own_count; i++)
        if (g->own[i].value == variable)
            return g->own[i].name;
    return lw__variable_name(&g->unit->scratch, variable);
}

/* A variable of a helper that has returned has no bytes. Where its address is kept, a slot has its
 * size. */
static void follow_lifetime(struct lw__guard *g, struct lw__guard_object *o)
{
    assert(LLVMIsAAllocaInst(o->root) && o->size);
    bool is_checked = false, ends = false;
    if (!lw__variable_escapes(o->root, &is_checked))
        return;
    EACH_USE(u, o->root)
        ends |= lw__ir_calls(LLVMGetUser(u), LW_LLVM_lifetime_end);
    if (!ends)
        return;
    lw__guard_at_begin(g);
    o->slot = LLVMBuildAlloca(g->b, g->i64, "");
    LLVMBuildStore(g->b, number(g, 0), o->slot);
    EACH_USE(u, o->root) {
        LLVMValueRef marker = LLVMGetUser(u);
        const bool starts = lw__ir_calls(marker, LW_LLVM_lifetime_start);
        if (!starts && !lw__ir_calls(marker, LW_LLVM_lifetime_end))
            continue;
        LLVMPositionBuilderBefore(g->b, marker);
        LLVMBuildStore(g->b, starts ? o->size : number(g, 0), o->slot);
    }
}

LLVMValueRef lw__guard_size(struct lw__guard *g, const struct lw__guard_object *object)
{
    assert(object->size);
    return object->slot ? LLVMBuildLoad2(g->b, g->i64, object->slot, "") : object->size;
}

bool lw__guard_is_constant(const struct lw__guard_object *object)
{
    return !object->slot && (!LLVMIsAInstruction(object->root) || LLVMIsAAllocaInst(object->root));
}

static void take_variable(struct lw__guard *g, struct lw__guard_object *o)
{
    const bool is_global = LLVMIsAGlobalVariable(o->root);
    const enum lw_ref_memory kind = !is_global                  ? LW_REF_PRIVATE
                                    : is_dynamic(o->root)       ? LW_REF_DYNAMIC
                                    : lw__ir_is_shared(o->root) ? LW_REF_SHARED
                                                                : LW_REF_CONSTANT;
    LLVMTypeRef type = type_of(o->root);
    o->start = number(g, 0);
    o->size =
        kind == LW_REF_DYNAMIC ? g->dynamic_bytes : number(g, LLVMABISizeOfType(g->data, type));
    o->says = describe(g, name_of(g, o->root), kind, 0, lw__variable_element(g->data, type));
    if (kind == LW_REF_PRIVATE)
        follow_lifetime(g, o);
}

static bool parameter_of(const struct lw__guard *g, LLVMValueRef root, unsigned *index)
{
    for (*index = 0; *index + 1 < g->kernel->param_count; ++*index)
        if (LLVMGetParam(g->function, *index) == root)
            return !g->kernel->params[*index].by_value;
    return false;
}

/* Is the root loaded from the start of a TENSOR that is passed by value? Its pointer has a buffer,
 * unless the kernel sets another. */
static bool tensor_of(const struct lw__guard *g, LLVMValueRef root, unsigned *index)
{
    if (!LLVMIsALoadInst(root))
        return false;
    LLVMValueRef from = LLVMGetOperand(root, 0);
    const struct lw__param *param = struct_of(g, lw__ir_object(from), index);
    return param && param->layout && param->layout[0] == 't' &&
           lw__is_within(g->data, from, sizeof(void *), sizeof(void *)) &&
           !lw__ir_is_written(lw__ir_object(from));
}

static struct lw__guard_object *find(struct lw__guard *g, LLVMValueRef root);

/* ---- roots of several ------------------------------------------------------------------------ */

/* The builder is after the root, at the kernel's beginning for what is known there. */
static void place_after(struct lw__guard *g, LLVMValueRef root)
{
    LLVMSetCurrentDebugLocation2(g->b, NULL);
    if (!LLVMIsAInstruction(root) || LLVMIsAAllocaInst(root))
        lw__guard_at_begin(g);
    else if (LLVMIsAPHINode(root))
        LLVMPositionBuilderBefore(g->b, lw__ir_first_after_phis(LLVMGetInstructionParent(root)));
    else
        LLVMPositionBuilderBefore(g->b, LLVMGetNextInstruction(root));
}

/* After the root: the address of the object. */
static LLVMValueRef base_of(struct lw__guard *g, struct lw__guard_object *o)
{
    if (!o->base) {
        place_after(g, o->root);
        o->base = LLVMBuildPtrToInt(g->b, o->root, g->i64, "");
    }
    return o->base;
}

static bool is_choice(LLVMValueRef root)
{
    return LLVMIsAPHINode(root) || LLVMIsASelectInst(root);
}

static unsigned choice_count(LLVMValueRef root)
{
    return LLVMIsASelectInst(root) ? 2 : LLVMCountIncoming(root);
}

static LLVMValueRef choice_of(LLVMValueRef root, unsigned k)
{
    return LLVMIsASelectInst(root) ? LLVMGetOperand(root, 1 + k) : LLVMGetIncomingValue(root, k);
}

enum { CHOICES_MAX = 64 };

/* Adds the roots that a choice leads to, through others; false: there are too many. */
static bool add_leaves(LLVMValueRef root, LLVMValueRef *seen, unsigned *count)
{
    for (unsigned i = 0; i < *count; i++)
        if (seen[i] == root)
            return true;
    if (*count == CHOICES_MAX)
        return false;
    seen[(*count)++] = root;
    bool fits = true;
    for (unsigned k = 0; is_choice(root) && k < choice_count(root) && fits; k++)
        fits = add_leaves(lw__ir_object(choice_of(root, k)), seen, count);
    return fits;
}

/* The only root that all choices lead to; NULL: there are several. */
static LLVMValueRef only_leaf(LLVMValueRef root)
{
    LLVMValueRef seen[CHOICES_MAX], found = NULL;
    unsigned count = 0;
    if (!add_leaves(root, seen, &count))
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        if (is_choice(seen[i]))
            continue;
        if (found && found != seen[i])
            return NULL;
        found = seen[i];
    }
    return found;
}

/* Of an instruction and of a constant, as of an address in block memory. */
static LLVMOpcode opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
           : LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
                                    : (LLVMOpcode)0;
}

/* The pointer that an integer is computed from; NULL: none, or two. */
static LLVMValueRef pointer_in(LLVMValueRef integer, int depth)
{
    if (opcode_of(integer) == LLVMPtrToInt)
        return LLVMGetOperand(integer, 0);
    if (depth && is_choice(integer)) {
        /* The pointer that all of them are computed from. */
        LLVMValueRef all = NULL;
        for (unsigned k = 0; k < choice_count(integer); k++) {
            LLVMValueRef one = pointer_in(choice_of(integer, k), depth - 1);
            if (!one || (all && lw__ir_object(all) != lw__ir_object(one)))
                return NULL;
            all = one;
        }
        return all;
    }
    const bool is_binary = LLVMIsABinaryOperator(integer) ||
                           (LLVMIsAConstantExpr(integer) && LLVMGetNumOperands(integer) == 2);
    if (!is_binary || !depth)
        return NULL;
    LLVMValueRef a = pointer_in(LLVMGetOperand(integer, 0), depth - 1),
                 b = pointer_in(LLVMGetOperand(integer, 1), depth - 1);
    return a && b ? NULL : a ? a : b;
}

/* The root that this one is made of, in the same object; NULL: it is not known. A pointer that was
 * an integer for a while is still to its object. */
static LLVMValueRef origin_of(LLVMValueRef root)
{
    enum { DEPTH = 8 };
    if (is_choice(root))
        return only_leaf(root);
    LLVMValueRef pointer =
        opcode_of(root) == LLVMIntToPtr ? pointer_in(LLVMGetOperand(root, 0), DEPTH) : NULL;
    return pointer ? lw__ir_object(pointer) : NULL;
}

/* At the builder, which is after the phis: start, of the root in the object. */
static void set_start(struct lw__guard *g, struct lw__guard_object *o)
{
    o->start = LLVMBuildSub(g->b, LLVMBuildPtrToInt(g->b, o->root, g->i64, ""), o->base, "");
}

static void take_phi(struct lw__guard *g, struct lw__guard_object *o)
{
    const unsigned count = LLVMCountIncoming(o->root);
    LLVMPositionBuilderBefore(g->b, o->root);
    o->base = LLVMBuildPhi(g->b, g->i64, "");
    o->size = LLVMBuildPhi(g->b, g->i64, "");
    o->says = LLVMBuildPhi(g->b, g->i64, "");
    place_after(g, o->root);
    set_start(g, o);
    for (unsigned k = 0; k < count; k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(o->root, k);
        struct lw__guard_object *of = find(g, lw__ir_object(LLVMGetIncomingValue(o->root, k)));
        LLVMValueRef base = base_of(g, of);
        LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef size = lw__guard_size(g, of);
        LLVMAddIncoming(o->base, &base, &from, 1);
        LLVMAddIncoming(o->size, &size, &from, 1);
        LLVMAddIncoming(o->says, &of->says, &from, 1);
    }
}

static void take_select(struct lw__guard *g, struct lw__guard_object *o)
{
    struct lw__guard_object *a = find(g, lw__ir_object(LLVMGetOperand(o->root, 1))),
                            *b = find(g, lw__ir_object(LLVMGetOperand(o->root, 2)));
    LLVMValueRef c = LLVMGetOperand(o->root, 0), base_a = base_of(g, a), base_b = base_of(g, b);
    place_after(g, o->root);
    o->base = LLVMBuildSelect(g->b, c, base_a, base_b, "");
    o->size = LLVMBuildSelect(g->b, c, lw__guard_size(g, a), lw__guard_size(g, b), "");
    o->says = LLVMBuildSelect(g->b, c, a->says, b->says, "");
    set_start(g, o);
}

/* ---- roots of unknown origin ----------------------------------------------------------------- */

static void list(struct lw__guard *g, LLVMValueRef variable)
{
    g->variables =
        lw__one_more(&g->unit->scratch, g->variables, g->variable_count, sizeof(LLVMValueRef));
    g->variables[g->variable_count++] = variable;
}

/* Of the program: what describe() makes has no name. */
static bool is_constant(LLVMValueRef global)
{
    const char *section = LLVMGetSection(global);
    size_t length;
    return LLVMIsGlobalConstant(global) && LLVMGetInitializer(global) &&
           *LLVMGetValueName2(global, &length) && (!section || !*section);
}

static LLVMValueRef live_field(struct lw__guard *g, LLVMValueRef row, size_t offset)
{
    LLVMValueRef at = LLVMBuildMul(g->b, row, number(g, sizeof(struct lw_bound)), "");
    return load_at(g, g->i64, g->live, LLVMBuildAdd(g->b, at, number(g, offset), ""));
}

/* A binary search with as many steps for each thread. The builder is at the end of `head`, whose
 * successor becomes `tail`; then it is before the branch to that. The result is the last row that
 * begins at the address or before it, or the first. */
static LLVMValueRef search(struct lw__guard *g, LLVMValueRef bits, LLVMBasicBlockRef head,
                           LLVMBasicBlockRef tail)
{
    LLVMContextRef c = g->unit->context;
    LLVMBasicBlockRef loop = LLVMInsertBasicBlockInContext(c, tail, ""),
                      done = LLVMInsertBasicBlockInContext(c, tail, "");
    LLVMValueRef zero = number(g, 0), one = number(g, 1);
    LLVMPositionBuilderAtEnd(g->b, head);
    LLVMBuildBr(g->b, loop);
    LLVMPositionBuilderAtEnd(g->b, loop);
    LLVMValueRef count = LLVMBuildPhi(g->b, g->i64, ""), step = LLVMBuildPhi(g->b, g->i64, "");
    LLVMValueRef more = LLVMBuildAdd(g->b, count, step, "");
    LLVMValueRef fits = LLVMBuildICmp(g->b, LLVMIntULE, more, g->live_count, "");
    LLVMValueRef row = LLVMBuildSelect(g->b, fits, LLVMBuildSub(g->b, more, one, ""), zero, "");
    LLVMValueRef address = live_field(g, row, offsetof(struct lw_bound, address));
    LLVMValueRef before = LLVMBuildICmp(g->b, LLVMIntULE, address, bits, "");
    LLVMValueRef next =
        LLVMBuildSelect(g->b, LLVMBuildAnd(g->b, fits, before, ""), more, count, "");
    LLVMValueRef half = LLVMBuildLShr(g->b, step, one, "");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, half, zero, ""), loop, done);
    LLVMAddIncoming(count, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){head, loop}, 2);
    LLVMAddIncoming(step, (LLVMValueRef[]){g->live_step, half}, (LLVMBasicBlockRef[]){head, loop},
                    2);
    LLVMPositionBuilderAtEnd(g->b, done);
    LLVMPositionBuilderBefore(g->b, LLVMBuildBr(g->b, tail));
    LLVMValueRef some = LLVMBuildICmp(g->b, LLVMIntNE, next, zero, "");
    return LLVMBuildSelect(g->b, some, LLVMBuildSub(g->b, next, one, ""), zero, "");
}

/* At the builder: the variable instead, if the address is in it. */
static void prefer(struct lw__guard *g, struct lw__guard_object *o, LLVMValueRef bits,
                   const struct lw__guard_object *of)
{
    LLVMValueRef offset = LLVMBuildSub(g->b, bits, of->base, "");
    LLVMValueRef size = lw__guard_size(g, of);
    LLVMValueRef is_in = LLVMBuildICmp(g->b, LLVMIntULT, offset, of->size, "");
    o->base = LLVMBuildSelect(g->b, is_in, of->base, o->base, "");
    o->size = LLVMBuildSelect(g->b, is_in, size, o->size, "");
    o->says = LLVMBuildSelect(g->b, is_in, of->says, o->says, "");
}

static void look_up(struct lw__guard *g, struct lw__guard_object *o)
{
    if (!g->live) {
        lw__guard_at_begin(g);
        LLVMValueRef live =
            number(g, offsetof(struct lw_bounds, rows) +
                          (uint64_t)(g->kernel->param_count - 1) * sizeof(struct lw_bound));
        g->live = LLVMBuildGEP2(g->b, g->i8, g->bounds, &live, 1, "");
        g->live_count = field(g, g->i64, offsetof(struct lw_bounds, live_count));
        g->live_step = field(g, g->i64, offsetof(struct lw_bounds, live_step));
        /* The variables that a pointer from memory may be into: those of the thread that it may
         * have stored the address of, the kernel's of block memory, and constants. */
        struct lw__shared_layout shared;
        bool is_checked = false;
        for (size_t k = 0; k < g->own_count; k++)
            if (lw__variable_escapes(g->own[k].value, &is_checked))
                list(g, g->own[k].value);
        lw__shared_layout(g->unit, g->function, &shared);
        for (size_t k = 0; k < shared.count; k++)
            list(g, shared.globals[k]);
        EACH_GLOBAL(i, g->unit->module)
            if (is_constant(i))
                list(g, i);
    }
    struct lw__guard_object **of = lw__new(&g->unit->scratch, g->variable_count + 1, sizeof *of);
    for (size_t i = 0; i < g->variable_count; i++)
        base_of(g, of[i] = find(g, g->variables[i]));
    place_after(g, o->root);
    LLVMValueRef bits = LLVMBuildPtrToInt(g->b, o->root, g->i64, "");
    LLVMBasicBlockRef head = lw__ir_split_before(LLVMGetNextInstruction(bits));
    LLVMBasicBlockRef tail = LLVMGetNextBasicBlock(head);
    LLVMValueRef row = search(g, bits, head, tail);
    LLVMValueRef base = live_field(g, row, offsetof(struct lw_bound, address)),
                 size = live_field(g, row, offsetof(struct lw_bound, bytes)), none = number(g, 0);
    LLVMValueRef is_in =
        LLVMBuildICmp(g->b, LLVMIntULE, LLVMBuildSub(g->b, bits, base, ""), size, "");
    o->base = LLVMBuildSelect(g->b, is_in, base, none, "");
    o->size = LLVMBuildSelect(g->b, is_in, size, none, "");
    o->says = number(g, 0);
    for (size_t i = 0; i < g->variable_count; i++)
        prefer(g, o, bits, of[i]);
    o->start = LLVMBuildSub(g->b, bits, o->base, "");
}

/* The object of the root that this one is made of; NULL: it is not known, or leads back here. */
static struct lw__guard_object *made_of(struct lw__guard *g, LLVMValueRef root)
{
    LLVMValueRef origin = origin_of(root);
    struct lw__guard_object *of = origin ? find(g, origin) : NULL;
    return of && of->size ? of : NULL;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void take(struct lw__guard *g, struct lw__guard_object *o)
{
    struct lw__guard_object *of;
    unsigned index;
    if (struct_of(g, o->root, &index)) {
        const struct lw__param *p = &g->kernel->params[index];
        o->start = number(g, 0);
        o->size = number(g, p->size);
        o->says = describe(g, p->name ? p->name : "", LW_REF_PRIVATE, 0, 0);
    } else if (is_variable(o->root)) {
        take_variable(g, o);
    } else if (parameter_of(g, o->root, &index) || tensor_of(g, o->root, &index)) {
        /* The buffer of a parameter; pointer: its argument, known where the kernel begins, or
         * that of a TENSOR, known after `root`. */
        lw__guard_at_begin(g);
        o->base = param_field(g, index, offsetof(struct lw_bound, address));
        o->size = param_field(g, index, offsetof(struct lw_bound, bytes));
        o->says = describe(g, "", LW_REF_ARGUMENT, index, 0);
        place_after(g, o->root);
        set_start(g, o);
    } else if ((of = made_of(g, o->root))) {
        o->base = base_of(g, of);
        o->size = of->size;
        o->slot = of->slot;
        o->says = of->says;
        place_after(g, o->root);
        set_start(g, o);
    } else if (LLVMIsConstant(o->root)) { /* null, undefined, an integer */
        o->base = o->size = o->says = number(g, 0);
        o->start = LLVMIsUndef(o->root) ? o->base : LLVMConstPtrToInt(o->root, g->i64);
    } else if (LLVMIsAPHINode(o->root)) {
        take_phi(g, o);
    } else if (LLVMIsASelectInst(o->root)) {
        take_select(g, o);
    } else {
        look_up(g, o);
    }
}

static struct lw__guard_object *listed(const struct lw__guard *g, LLVMValueRef root)
{
    for (size_t i = 0; i < g->object_count; i++)
        if (g->objects[i]->root == root)
            return g->objects[i];
    return NULL;
}

/* Phis that lead back to a select come before it. So what is chosen is known of a phi alone. */
static void take_phis_of(struct lw__guard *g, LLVMValueRef select)
{
    LLVMValueRef seen[CHOICES_MAX];
    unsigned count = 0;
    add_leaves(select, seen, &count);
    for (unsigned i = 0; i < count; i++)
        if (LLVMIsAPHINode(seen[i]))
            find(g, seen[i]);
}

/* It is in the list before it is known: a phi may lead to itself. */
static struct lw__guard_object *find(struct lw__guard *g, LLVMValueRef root)
{
    struct lw__guard_object *o = listed(g, root);
    if (!o && LLVMIsASelectInst(root)) {
        take_phis_of(g, root);
        o = listed(g, root);
    }
    if (o)
        return o;
    struct lw__arena *scratch = &g->unit->scratch;
    o = lw__new(scratch, 1, sizeof *o);
    o->root = root;
    g->objects =
        lw__one_more(scratch, g->objects, g->object_count, sizeof(struct lw__guard_object *));
    g->objects[g->object_count++] = o;
    take(g, o);
    return o;
}

const struct lw__guard_object *lw__guard_object(struct lw__guard *g, LLVMValueRef pointer)
{
    return find(g, lw__ir_object(pointer));
}
