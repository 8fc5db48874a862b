/* query.c - queries about a module, and the edits that LLVM's C API lacks. */
#include "compile/llvm/llvm.h"
#include "base/manifest.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

const char *lw__ir_callee(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction))
        return "";
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    size_t length;
    return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

/* lw.<name> or lw.<name>.<type> */
enum lw__op lw__ir_collective(LLVMValueRef instruction, const char **type)
{
    const char *name = lw__ir_callee(instruction);
    if (strncmp(name, "lw.", 3))
        return LW_OP_NONE;
    name += 3;
    size_t length = strcspn(name, ".");
    for (int op = 1; op < LW_OP_COUNT; op++) {
        if (strlen(lw__op_table[op].name) != length || strncmp(name, lw__op_table[op].name, length))
            continue;
        if (type)
            *type = name[length] ? name + length + 1 : "";
        return (enum lw__op)op;
    }
    return LW_OP_NONE;
}

/* The first instruction of this block, or of the next one in the function that is not empty. */
static LLVMValueRef first_from(LLVMBasicBlockRef block)
{
    LLVMValueRef first = NULL;
    for (; block && !first; block = LLVMGetNextBasicBlock(block))
        first = LLVMGetFirstInstruction(block);
    return first;
}

LLVMValueRef lw__ir_first(LLVMValueRef function)
{
    return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef lw__ir_next(LLVMValueRef i)
{
    LLVMValueRef next = LLVMGetNextInstruction(i);
    return next ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(i)));
}

LLVMValueRef lw__ir_user_left(LLVMValueRef function)
{
    LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL;
    return use ? LLVMGetUser(use) : NULL;
}

LLVMValueRef lw__ir_collective_in(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && !lw__ir_collective(i, NULL))
        i = LLVMGetNextInstruction(i);
    return i;
}

LLVMOperandBundleRef lw__ir_instance(LLVMValueRef collective)
{
    return LLVMGetNumOperandBundles(collective) ? LLVMGetOperandBundleAtIndex(collective, 0) : NULL;
}

bool lw__ir_is_kernel(struct lw__unit *unit, LLVMValueRef function)
{
    for (size_t i = 0; i < unit->kernels.count; i++)
        if (unit->kernels.rows[i].function == function)
            return true;
    return false;
}

const char *lw__ir_literal(LLVMValueRef pointer)
{
    LLVMValueRef value = LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer)
                             ? LLVMGetInitializer(pointer)
                             : NULL;
    LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;
    size_t length;
    if (!type || LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetElementType(type) != LLVMInt8TypeInContext(LLVMGetTypeContext(type)))
        return NULL;
    if (LLVMIsNull(value))
        return LLVMGetArrayLength2(type) ? "" : NULL;
    if (!LLVMIsConstantString(value))
        return NULL;
    const char *text = LLVMGetAsString(value, &length);
    return memchr(text, 0, length) ? text : NULL;
}

bool lw__ir_guards(LLVMValueRef instruction)
{
    return !strncmp(lw__ir_callee(instruction), LW_GUARD ".", sizeof LW_GUARD);
}

bool lw__ir_prints(LLVMValueRef instruction)
{
    const char *name = lw__ir_callee(instruction);
    return !strcmp(name, "lw.printf") || !strcmp(name, "lw.assert_that");
}

bool lw__ir_fails(LLVMValueRef instruction)
{
    const char *name = lw__ir_callee(instruction);
    return !strcmp(name, "lw.assert_fail") || !strcmp(name, "lw.assert_that");
}

bool lw__ir_is_libcall(const char *name)
{
    return !strcmp(name, "__extendhfsf2") || !strcmp(name, "__truncsfhf2") ||
           !strcmp(name, "__truncsfbf2");
}

LLVMAtomicOrdering lw__ir_fence_order(const char *callee)
{
    return strcmp(callee, "lw.fence_seq_cst") ? LLVMAtomicOrderingAcquireRelease
                                              : LLVMAtomicOrderingSequentiallyConsistent;
}

enum lw__thread_index lw__ir_thread_index(const char *callee, unsigned *axis)
{
    static const struct {
        const char *name;
        unsigned axes;
    } rows[] = {
#define LW_INDEX(name, axes, place, field, hardware) [LW_INDEX_##name] = {"lw." #name, axes},
#include "compile/llvm/thread_indices.def"
    };
    for (unsigned k = LW_INDEX_none + 1; k < sizeof rows / sizeof *rows; k++) {
        const size_t n = strlen(rows[k].name);
        const bool has_axis = rows[k].axes > 1;
        if (strncmp(callee, rows[k].name, n) || callee[n] != (has_axis ? '.' : '\0'))
            continue;
        if (axis)
            *axis = has_axis ? (unsigned)(callee[n + 1] - 'x') : 0;
        return (enum lw__thread_index)k;
    }
    return LW_INDEX_none;
}

bool lw__ir_index_varies(enum lw__thread_index index)
{
    return index == LW_INDEX_thread_idx || index == LW_INDEX_lane_id || index == LW_INDEX_warp_id;
}

LLVMValueRef lw__ir_address(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetOperand(i, 0);
    return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
}

LLVMTypeRef lw__ir_accessed(LLVMValueRef i)
{
    return LLVMTypeOf(LLVMIsALoadInst(i)    ? i
                      : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0)
                                            : LLVMGetOperand(i, 1));
}

LLVMValueRef lw__ir_object(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

bool lw__ir_is_written(LLVMValueRef pointer)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool reads = LLVMIsALoadInst(user) || LLVMIsAICmpInst(user) ||
                           (LLVMIsACallInst(user) &&
                            !(LLVMIsAMemIntrinsic(user) && LLVMGetOperand(user, 0) == pointer));
        if (LLVMIsAGetElementPtrInst(user) ? lw__ir_is_written(user) : !reads)
            return true;
    }
    return false;
}

bool lw__ir_is_private(LLVMValueRef pointer)
{
    return LLVMIsAAllocaInst(lw__ir_object(pointer));
}

bool lw__ir_is_arith(LLVMValueRef i)
{
    return LLVMIsABinaryOperator(i) || LLVMIsAUnaryOperator(i) || LLVMIsACastInst(i) ||
           LLVMIsACmpInst(i) || LLVMIsASelectInst(i) || LLVMIsAFreezeInst(i);
}

bool lw__ir_is_speculatable(LLVMValueRef call)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("speculatable", 12);
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMIsAFunction(f) && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
}

LLVMTypeRef lw__ir_scalar(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef lw__ir_shaped_like(LLVMTypeRef scalar, LLVMTypeRef shape)
{
    return LLVMGetTypeKind(shape) == LLVMVectorTypeKind
               ? LLVMVectorType(scalar, LLVMGetVectorSize(shape))
               : scalar;
}

bool lw__ir_saturates(LLVMValueRef call, bool *is_signed)
{
    *is_signed = lw__ir_calls(call, LW_LLVM_fptosi_sat);
    return *is_signed || lw__ir_calls(call, LW_LLVM_fptoui_sat);
}

bool lw__ir_only_accesses(LLVMValueRef user, LLVMValueRef p)
{
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) != p;
    if (LLVMIsAAtomicRMWInst(user))
        return LLVMGetOperand(user, 1) != p;
    if (LLVMIsAAtomicCmpXchgInst(user))
        return LLVMGetOperand(user, 1) != p && LLVMGetOperand(user, 2) != p;
    return LLVMIsALoadInst(user) || LLVMIsAICmpInst(user);
}

LLVMIntPredicate lw__ir_swapped(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSLE: return LLVMIntSGE;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntUGE: return LLVMIntULE;
    default: return p;
    }
}

LLVMIntPredicate lw__ir_inverse(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntEQ: return LLVMIntNE;
    case LLVMIntNE: return LLVMIntEQ;
    case LLVMIntUGT: return LLVMIntULE;
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntULT: return LLVMIntUGE;
    case LLVMIntULE: return LLVMIntUGT;
    case LLVMIntSGT: return LLVMIntSLE;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntSLT: return LLVMIntSGE;
    default: return LLVMIntSGT;
    }
}

LLVMValueRef lw__ir_incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

bool lw__ir_may_write(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    const bool is_call = LLVMIsACallInst(i) && !lw__ir_collective(i, NULL);
    return LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (is_call && (strncmp(name, "llvm.", 5) || !strncmp(name, "llvm.mem", 8)));
}

bool lw__ir_divides(LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMSDiv || op == LLVMSRem || op == LLVMUDiv || op == LLVMURem;
}

bool lw__ir_divides_all(LLVMValueRef d)
{
    return LLVMIsAConstantInt(d) && !LLVMIsNull(d) && LLVMConstIntGetSExtValue(d) != -1;
}

bool lw__ir_may_trap(LLVMValueRef i)
{
    return lw__ir_divides(i) && !lw__ir_divides_all(LLVMGetOperand(i, 1));
}

void lw__ir_set_range(LLVMValueRef value, uint64_t first, uint64_t last)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMMetadataRef ends[] = {LLVMValueAsMetadata(LLVMConstInt(type, first, 0)),
                              LLVMValueAsMetadata(LLVMConstInt(type, last + 1, 0))};
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(context, "range", 5),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, ends, 2)));
}

static unsigned kind_of(LLVMValueRef i, const char *kind)
{
    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(i)), kind,
                                    (unsigned)strlen(kind));
}

void lw__ir_mark(LLVMValueRef i, const char *kind)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMSetMetadata(i, kind_of(i, kind), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
}

bool lw__ir_is_marked(LLVMValueRef i, const char *kind)
{
    return LLVMIsAInstruction(i) && LLVMGetMetadata(i, kind_of(i, kind));
}

void lw__ir_set_rare(LLVMValueRef branch)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMGetCondition(branch)));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMMetadataRef node[] = {LLVMMDStringInContext2(context, "branch_weights", 14),
                              LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0)),
                              LLVMValueAsMetadata(LLVMConstInt(i32, 2000, 0))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, node, 3)));
}

bool lw__ir_in_section(LLVMValueRef global, const char *section)
{
    const char *name = LLVMGetSection(global);
    return name && !strcmp(name, section);
}

size_t lw__ir_site_at(struct lw__unit *unit, struct lw__loc loc, const char *what)
{
    const unsigned column = loc.column ? loc.column : lw__front_column(&unit->diags, loc);
    lw__text_add(&unit->sites, "site\t");
    lw__row_file(&unit->sites, &unit->diags, loc);
    lw__text_add(&unit->sites, "\t%u\t%u\t%s\n", lw__row_line(loc.line), column, what);
    return unit->site_count++;
}

size_t lw__ir_site(struct lw__unit *unit, LLVMValueRef instruction, const char *what)
{
    enum { MOST = 16 };
    struct lw__loc callers[MOST];
    const size_t count =
        lw__has(unit, LW_IS_OBSERVED) ? lw__loc_callers(instruction, callers, MOST) : 0;
    const size_t site = lw__ir_site_at(unit, lw__loc_of(instruction), what);
    for (size_t i = 0; i < count; i++)
        lw__ir_site_at(unit, callers[i], LW_SITE_CALL);
    return site;
}

LLVMValueRef *lw__ir_list(struct lw__arena *arena, LLVMValueRef function,
                          bool (*wants)(LLVMValueRef i), size_t *count)
{
    LLVMValueRef *list = NULL;
    *count = 0;
    EACH_INSTRUCTION_OF(i, function) {
        if (wants && !wants(i))
            continue;
        list = lw__one_more(arena, list, *count, sizeof *list);
        list[(*count)++] = i;
    }
    return list;
}

LLVMValueRef lw__ir_call(LLVMBuilderRef b, LLVMModuleRef module, const char *name,
                         LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    enum { MOST = 16 };
    LLVMTypeRef types[MOST];
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    return LLVMBuildCall2(b, type, f ? f : LLVMAddFunction(module, name, type), args, count, "");
}

LLVMValueRef lw__ir_first_after_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* The builder would give it the builder's location and no name. Messages have those of variables.
 */
void lw__ir_move(LLVMValueRef instruction, LLVMBuilderRef to)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(instruction);
    size_t length;
    const char *name =
        LLVMIsAAllocaInst(instruction) ? LLVMGetValueName2(instruction, &length) : "";
    LLVMInstructionRemoveFromParent(instruction);
    LLVMInsertIntoBuilderWithName(to, instruction, name);
    LLVMInstructionSetDebugLoc(instruction, loc);
}

void lw__ir_redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == from)
            LLVMSetSuccessor(end, k, to);
}

/* The instructions before `instruction` move to a new block, to which all predecessors now branch.
 * The old block keeps its terminator, so that the phis of its successors stay valid. The new block
 * has no terminator yet. */
LLVMBasicBlockRef lw__ir_split_before(LLVMValueRef instruction)
{
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(instruction);
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(tail)));
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(context, tail, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    /* not ReplaceAllUsesWith: that changes the phis of tail's successors too */
    for (LLVMUseRef use; (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(tail)));)
        lw__ir_redirect(LLVMGetInstructionParent(LLVMGetUser(use)), tail, head);
    LLVMPositionBuilderAtEnd(b, head);
    for (LLVMValueRef i = LLVMGetFirstInstruction(tail), next; i != instruction; i = next) {
        next = LLVMGetNextInstruction(i);
        lw__ir_move(i, b);
    }
    LLVMDisposeBuilder(b);
    return head;
}

bool lw__ir_is_order(LLVMIntPredicate p)
{
    return p != LLVMIntEQ && p != LLVMIntNE;
}

bool lw__ir_is_logic(LLVMValueRef v)
{
    const LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
    return op == LLVMICmp || op == LLVMAnd || op == LLVMOr || op == LLVMXor || op == LLVMSelect;
}

bool lw__ir_is_truth(LLVMValueRef v, bool value)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == value;
}

bool lw__ir_joined(LLVMValueRef c, bool by_or, LLVMValueRef of[2])
{
    const LLVMOpcode op = LLVMIsAInstruction(c) ? LLVMGetInstructionOpcode(c) : 0;
    const bool is_select =
        op == LLVMSelect && lw__ir_is_truth(LLVMGetOperand(c, by_or ? 1 : 2), by_or);
    if (!is_select && op != (by_or ? LLVMOr : LLVMAnd))
        return false;
    of[0] = LLVMGetOperand(c, 0);
    of[1] = LLVMGetOperand(c, is_select && by_or ? 2 : 1);
    return true;
}

LLVMValueRef lw__ir_negated(LLVMValueRef c)
{
    const bool is = LLVMIsAInstruction(c) && LLVMGetInstructionOpcode(c) == LLVMXor &&
                    lw__ir_is_truth(LLVMGetOperand(c, 1), true);
    return is ? LLVMGetOperand(c, 0) : NULL;
}

enum lw__native lw__native_of(const char *name)
{
    static const struct {
        const char *name;
        enum lw__native native;
    } known[] = {{"lw.fmax.f32", LW_NATIVE_FMAX},   {"lw.fmax.f64", LW_NATIVE_FMAX},
                 {"lw.fmin.f32", LW_NATIVE_FMIN},   {"lw.fmin.f64", LW_NATIVE_FMIN},
                 {"lw.scale.f32", LW_NATIVE_SCALE}, {"lw.rarely.f32", LW_NATIVE_RARELY}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(name, known[k].name))
            return known[k].native;
    return LW_NATIVE_NONE;
}

bool lw__spmd_is_native(LLVMValueRef i)
{
    return lw__native_of(lw__ir_callee(i)) != LW_NATIVE_NONE;
}

bool lw__spmd_is_rarely(LLVMValueRef i)
{
    return LLVMIsACallInst(i) && lw__native_of(lw__ir_callee(i)) == LW_NATIVE_RARELY;
}

bool lw__ir_is_cuda(LLVMModuleRef module)
{
    return LLVMGetModuleFlag(module, LW_CUDA_FLAG, strlen(LW_CUDA_FLAG));
}

void lw__ir_remove(LLVMValueRef function)
{
    LLVMReplaceAllUsesWith(function, LLVMGetUndef(LLVMTypeOf(function)));
    LLVMDeleteFunction(function);
}
