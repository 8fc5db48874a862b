/* shadow_memory.c - where the shadow of memory is.
 *
 *     private variables   in variables beside them, of as many bytes, if the pointer is known
 *     constants           nowhere: all of it is defined
 *     lw.undefined.N      all of it is undefined, and its origin is N
 *     other memory        where the device says; also a private variable that is told to it,
 *                         because there are pointers to it that are not known here
 */
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LW_SHADOW_LOAD, LW_SHADOW_STORE }; /* as the device takes it */
enum { ORIGIN_BYTES = 4, STORES_MAX = 64, ALIGN_MAX = 16 };

static LLVMValueRef number(struct lw__shadow_work *w, uint64_t value)
{
    return LLVMConstInt(w->i64, value, 0);
}

/* ---- private variables ----------------------------------------------------------------------- */

/* True if no pointer to it comes of this use that cannot be followed. */
static bool is_followed_use(LLVMValueRef user, LLVMValueRef p)
{
    const char *name = lw__ir_callee(user);
    return lw__ir_only_accesses(user, p) || lw__is_access_check(user) || lw__is_index_check(user) ||
           !strcmp(name, LW_DECLARED) || !strcmp(name, "lw.shadow_update") ||
           !strcmp(name, "lw.undefined_use") || !strncmp(name, "llvm.", 5) ||
           !strncmp(name, "__msan_", 7);
}

static bool is_followed(LLVMValueRef p)
{
    EACH_USE(u, p) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool follows = LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == p;
        if (follows ? !is_followed(user) : !is_followed_use(user, p))
            return false;
    }
    return true;
}

static LLVMValueRef add_alloca(struct lw__shadow_work *w, LLVMValueRef beside, LLVMTypeRef type,
                               uint64_t count, unsigned align)
{
    LLVMPositionBuilderBefore(w->b, beside);
    LLVMSetCurrentDebugLocation2(w->b, NULL);
    LLVMValueRef a = LLVMBuildAlloca(w->b, LLVMArrayType2(type, count), "");
    LLVMSetAlignment(a, align > ALIGN_MAX ? align : ALIGN_MAX);
    return a;
}

/* The variable's row. The builder moves. */
static struct lw__shadow_variable *variable_of(struct lw__shadow_work *w, LLVMValueRef alloca)
{
    for (size_t k = 0; k < w->variable_count; k++)
        if (w->variables[k].variable == alloca)
            return &w->variables[k];
    w->variables =
        lw__one_more(&w->unit->scratch, w->variables, w->variable_count, sizeof *w->variables);
    uint32_t site = UINT32_MAX;
    (void)lw__shadow_site(alloca, &site);
    struct lw__shadow_variable *v = &w->variables[w->variable_count++];
    *v = (struct lw__shadow_variable){.variable = alloca,
                                      .bytes =
                                          LLVMABISizeOfType(w->data, LLVMGetAllocatedType(alloca)),
                                      .number = site + 1,
                                      .is_followed = is_followed(alloca)};
    const uint64_t origins = (v->bytes + ORIGIN_BYTES - 1) / ORIGIN_BYTES;
    v->shadow = add_alloca(w, alloca, w->i8, v->bytes, LLVMGetAlignment(alloca));
    v->origin = add_alloca(w, alloca, w->i32, origins, 0);
    return v;
}

/* The pointer, with another one in place of the variable. */
static LLVMValueRef moved(struct lw__shadow_work *w, LLVMValueRef pointer, LLVMValueRef to)
{
    if (!LLVMIsAGetElementPtrInst(pointer))
        return to;
    const unsigned count = (unsigned)LLVMGetNumIndices(pointer);
    LLVMValueRef base = moved(w, LLVMGetOperand(pointer, 0), to);
    LLVMValueRef *indices = lw__new(&w->unit->scratch, count, sizeof(LLVMValueRef));
    for (unsigned k = 0; k < count; k++)
        indices[k] = LLVMGetOperand(pointer, k + 1);
    return LLVMBuildGEP2(w->b, LLVMGetGEPSourceElementType(pointer), base, indices, count, "");
}

static void of_variable(struct lw__shadow_work *w, const struct lw__shadow_variable *v,
                        LLVMValueRef pointer, LLVMValueRef *shadow, LLVMValueRef *origin)
{
    LLVMValueRef from_start = moved(w, pointer, LLVMConstNull(w->ptr));
    LLVMValueRef offset = LLVMBuildPtrToInt(w->b, from_start, w->i64, "");
    offset = LLVMBuildAnd(w->b, offset, number(w, ~(uint64_t)(ORIGIN_BYTES - 1)), "");
    assert(v->shadow && v->origin);
    *shadow = moved(w, pointer, v->shadow);
    *origin = LLVMBuildGEP2(w->b, w->i8, v->origin, &offset, 1, "");
}

static void build_set(struct lw__shadow_work *w, LLVMValueRef at, unsigned byte, LLVMValueRef bytes)
{
    LLVMValueRef set = LLVMBuildMemSet(w->b, at, LLVMConstInt(w->i8, byte, 0), bytes, 1);
    lw__ir_mark(set, LW_REF_OWN);
}

void lw__shadow_lower_declared(struct lw__shadow_work *w, LLVMValueRef call)
{
    const struct lw__shadow_variable *v = variable_of(w, LLVMGetOperand(call, 0));
    const uint64_t count = (v->bytes + ORIGIN_BYTES - 1) / ORIGIN_BYTES;
    LLVMPositionBuilderBefore(w->b, call);
    build_set(w, v->shadow, 0xff, number(w, v->bytes));
    if (count > STORES_MAX) /* 0 in it stands for the variable's own */
        build_set(w, v->origin, 0, number(w, count * ORIGIN_BYTES));
    for (uint64_t k = 0; k < count && count <= STORES_MAX; k++) {
        LLVMValueRef index = number(w, k);
        LLVMBuildStore(w->b, LLVMConstInt(w->i32, v->number, 0),
                       LLVMBuildGEP2(w->b, w->i32, v->origin, &index, 1, ""));
    }
    LLVMInstructionEraseFromParent(call);
}

void lw__shadow_tell_variables(struct lw__shadow_work *w)
{
    for (size_t k = 0; k < w->variable_count; k++) {
        const struct lw__shadow_variable *v = &w->variables[k];
        if (v->is_followed)
            continue;
        LLVMPositionBuilderBefore(w->b, LLVMGetNextInstruction(v->variable));
        LLVMSetCurrentDebugLocation2(w->b, NULL);
        LLVMValueRef args[] = {v->variable, number(w, v->bytes), v->shadow, v->origin,
                               LLVMConstInt(w->i32, v->number, 0)};
        lw__shadow_call(w, "lw.shadow_variable", w->none, args, 5);
    }
}

/* ---- accesses of the shadow ------------------------------------------------------------------ */

/* Accesses through the pointer are the shadow's own, and need no alignment. */
static void own_accesses(struct lw__shadow_work *w, LLVMValueRef pointer)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool accesses =
            LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer);
        if (LLVMIsAGetElementPtrInst(user))
            own_accesses(w, user);
        if (!accesses)
            continue;
        lw__ir_mark(user, LW_REF_OWN);
        LLVMSetAlignment(user, 1);
    }
}

/* In place of what is loaded through the pointer. */
static void replace_loads(LLVMValueRef pointer,
                          LLVMValueRef (*by)(LLVMTypeRef type, uint32_t number), uint32_t number)
{
    EACH_USE_SAFE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsALoadInst(user))
            continue;
        LLVMReplaceAllUsesWith(user, by(LLVMTypeOf(user), number));
        LLVMInstructionEraseFromParent(user);
    }
}

static LLVMValueRef nothing(LLVMTypeRef type, uint32_t number)
{
    (void)number;
    return LLVMConstNull(type);
}

static LLVMValueRef everything(LLVMTypeRef type, uint32_t number)
{
    (void)number;
    return LLVMConstAllOnes(type);
}

static LLVMValueRef this_number(LLVMTypeRef type, uint32_t number)
{
    return LLVMConstInt(type, number, 0);
}

/* An origin that is loaded as 0 is that of the variable. */
static void complete_origins(struct lw__shadow_work *w, LLVMValueRef pointer, uint32_t number)
{
    EACH_USE(u, pointer) {
        LLVMValueRef load = LLVMGetUser(u);
        if (!LLVMIsALoadInst(load))
            continue;
        LLVMPositionBuilderBefore(w->b, LLVMGetNextInstruction(load));
        LLVMValueRef own = LLVMConstInt(w->i32, number, 0);
        LLVMValueRef is_none = LLVMBuildICmp(w->b, LLVMIntEQ, load, LLVMConstNull(w->i32), "");
        LLVMValueRef chosen = LLVMBuildSelect(w->b, is_none, own, load, "");
        LLVMReplaceAllUsesWith(load, chosen); /* its own two, too */
        LLVMSetOperand(is_none, 0, load);
        LLVMSetOperand(chosen, 2, load);
    }
}

/* Where a fixed part of a pair is taken, take this instead. */
static void replace_part(LLVMValueRef pair, unsigned part, LLVMValueRef by)
{
    EACH_USE_SAFE(u, pair) {
        LLVMValueRef user = LLVMGetUser(u);
        if (*LLVMGetIndices(user) != part)
            continue;
        LLVMReplaceAllUsesWith(user, by);
        LLVMInstructionEraseFromParent(user);
    }
}

static LLVMValueRef part_of(LLVMValueRef pair, unsigned part)
{
    EACH_USE(u, pair)
        if (*LLVMGetIndices(LLVMGetUser(u)) == part)
            return LLVMGetUser(u);
    return NULL;
}

/* ---- which memory ---------------------------------------------------------------------------- */

enum memory { OF_DEVICE, OF_VARIABLE, OF_CONSTANT, OF_UNDEFINED };

static enum memory memory_of(LLVMValueRef object)
{
    if (LLVMIsAAllocaInst(object))
        return OF_VARIABLE;
    if (!LLVMIsAGlobalVariable(object) || lw__ir_is_shared(object))
        return OF_DEVICE;
    size_t length;
    return strncmp(LLVMGetValueName2(object, &length), LW_UNDEFINED, strlen(LW_UNDEFINED))
               ? OF_CONSTANT
               : OF_UNDEFINED;
}

static LLVMValueRef ask_device(struct lw__shadow_work *w, LLVMValueRef pointer, LLVMValueRef bytes,
                               int kind)
{
    LLVMValueRef args[] = {pointer, bytes, LLVMConstInt(w->i32, (unsigned)kind, 0)};
    return lw__shadow_call(w, "lw.shadow", w->pair, args, 3);
}

static void lower_for_device(struct lw__shadow_work *w, LLVMValueRef call, LLVMValueRef bytes,
                             int kind)
{
    LLVMPositionBuilderBefore(w->b, call);
    LLVMValueRef pair = ask_device(w, LLVMGetOperand(call, 0), bytes, kind);
    for (unsigned part = 0; part < 2; part++) {
        LLVMValueRef pointer = part_of(call, part);
        if (pointer)
            own_accesses(w, pointer);
    }
    LLVMReplaceAllUsesWith(call, pair);
}

static void lower_for_variable(struct lw__shadow_work *w, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), shadow, origin, part;
    const struct lw__shadow_variable *v = variable_of(w, lw__ir_object(pointer));
    if ((part = part_of(call, 1)))
        complete_origins(w, part, v->number);
    LLVMPositionBuilderBefore(w->b, call);
    of_variable(w, v, pointer, &shadow, &origin);
    replace_part(call, 0, shadow);
    replace_part(call, 1, origin);
}

void lw__shadow_lower_pointer(struct lw__shadow_work *w, LLVMValueRef call)
{
    static const size_t prefix = sizeof "__msan_metadata_ptr_for_" - 1;
    const char *what = lw__ir_callee(call) + prefix, *size = strchr(what, '_') + 1;
    const int kind = *what == 'l' ? LW_SHADOW_LOAD : LW_SHADOW_STORE;
    LLVMValueRef object = lw__ir_object(LLVMGetOperand(call, 0));
    LLVMValueRef bytes =
        *size == 'n' ? LLVMGetOperand(call, 1) : number(w, (uint64_t)strtoul(size, NULL, 10));
    enum memory memory = memory_of(object);
    if (memory == OF_CONSTANT && kind == LW_SHADOW_STORE) /* the access itself is refused */
        memory = OF_DEVICE;
    uint32_t site = UINT32_MAX;
    size_t length;
    if (memory == OF_UNDEFINED)
        site =
            (uint32_t)strtoul(LLVMGetValueName2(object, &length) + strlen(LW_UNDEFINED), NULL, 10);
    if (memory == OF_DEVICE)
        lower_for_device(w, call, bytes, kind);
    else if (memory == OF_VARIABLE)
        lower_for_variable(w, call);
    for (unsigned k = 0; k < 2 && memory >= OF_CONSTANT; k++) {
        LLVMValueRef part = part_of(call, k);
        if (part)
            replace_loads(part,
                          memory == OF_CONSTANT ? nothing
                          : k                   ? this_number
                                                : everything,
                          site + 1);
        if (part)
            LLVMInstructionEraseFromParent(part);
    }
    if (!w->failed)
        LLVMInstructionEraseFromParent(call);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* At the builder. */
static void find(struct lw__shadow_work *w, LLVMValueRef pointer, LLVMValueRef bytes, int kind,
                 LLVMValueRef *shadow, LLVMValueRef *origin)
{
    LLVMValueRef object = lw__ir_object(pointer), pair;
    if (memory_of(object) == OF_VARIABLE) {
        of_variable(w, variable_of(w, object), pointer, shadow, origin);
        return;
    }
    pair = ask_device(w, pointer, bytes, kind);
    *shadow = LLVMBuildExtractValue(w->b, pair, 0, "");
    *origin = LLVMBuildExtractValue(w->b, pair, 1, "");
}

void lw__shadow_lower_copy(struct lw__shadow_work *w, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    LLVMValueRef bytes = LLVMGetOperand(call, 2), shadow[2] = {0}, origin[2] = {0};
    const bool sets = !strncmp(name, "llvm.memset", 11);
    /* rows first: making one moves the builder */
    if (LLVMIsAAllocaInst(lw__ir_object(to)))
        (void)variable_of(w, lw__ir_object(to));
    if (!sets && LLVMIsAAllocaInst(lw__ir_object(from)))
        (void)variable_of(w, lw__ir_object(from));
    LLVMPositionBuilderBefore(w->b, call);
    if (LLVMTypeOf(bytes) != w->i64)
        bytes = LLVMBuildZExt(w->b, bytes, w->i64, "");
    if (!sets)
        find(w, from, bytes, LW_SHADOW_LOAD, &shadow[1], &origin[1]);
    find(w, to, bytes, LW_SHADOW_STORE, &shadow[0], &origin[0]);
    if (sets) {
        build_set(w, shadow[0], 0, bytes);
        return;
    }
    /* As many bytes of whole origins. */
    LLVMValueRef words = LLVMBuildAdd(w->b, bytes, number(w, ORIGIN_BYTES - 1), "");
    words = LLVMBuildAnd(w->b, words, number(w, ~(uint64_t)(ORIGIN_BYTES - 1)), "");
    lw__ir_mark(LLVMBuildMemMove(w->b, shadow[0], 1, shadow[1], 1, bytes), LW_REF_OWN);
    lw__ir_mark(LLVMBuildMemMove(w->b, origin[0], 1, origin[1], 1, words), LW_REF_OWN);
}
