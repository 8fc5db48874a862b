/* join_calls.c - several calls of a helper in one function become one call.
 *
 *     x = g(a);          site = 0, arg = a, goto call;
 *     ...                back 0: x = result;
 *     y = g(b);          ...
 *                        site = 1, arg = b, goto call;
 *                        back 1: y = result;
 *                        call: result = g(arg); switch (site) { 0: goto back 0; 1: goto back 1; }
 *
 * No thread's path changes, and without recursion no two calls of a helper are active at a time. So
 * after inlining the helper is there once, with one set of its variables. Its code is in a loop
 * over the calls that one thread makes. Lanes that come from different calls run it together.
 *
 * Calls of several helpers have one loop: it begins with a switch to the helper that is called.
 *
 * The paths that the graph adds, from one call past another, are never taken. But the analysis
 * of convergence would follow them. So no collective may lie on them, or all threads that make one
 * of the calls make all of them: join_helpers.c, join_collectives.c.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The one call of a helper. */
struct callee {
    LLVMValueRef helper;
    unsigned arg_count;
    LLVMValueRef *args;  /* where a call's arguments are kept, */
    LLVMValueRef result; /* and the result; NULL for none */
    LLVMBasicBlockRef block;
};

struct join {
    struct lw__arena *arena;
    LLVMValueRef function;
    LLVMValueRef *calls;
    unsigned *callee_of; /* per call: an index of callees */
    unsigned count, callee_count;
    struct callee *callees;
    LLVMValueRef site; /* where the number of the call is kept */
    LLVMBuilderRef b;
    LLVMTypeRef i32;
};

/* ---- values that the added paths do not define ----------------------------------------------- */

static LLVMValueRef local(struct join *j, LLVMTypeRef type)
{
    LLVMPositionBuilderBefore(j->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(j->function)));
    return LLVMBuildAlloca(j->b, type, "");
}

/* The block at whose end, or in which, the user reads its operand k. */
static LLVMBasicBlockRef place_of_use(LLVMValueRef user, unsigned k)
{
    return LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);
}

static bool is_used_elsewhere(LLVMValueRef i)
{
    EACH_USE(use, i) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != LLVMGetInstructionParent(i))
            return true;
    }
    return false;
}

/* Every use of the value in another block becomes a load. */
static void keep_in_memory(struct join *j, LLVMValueRef i)
{
    LLVMBasicBlockRef own = LLVMGetInstructionParent(i);
    LLVMValueRef memory = local(j, LLVMTypeOf(i));
    for (LLVMUseRef use = LLVMGetFirstUse(i), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        while (next && LLVMGetUser(next) == user)
            next = LLVMGetNextUse(next);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++) {
            LLVMBasicBlockRef at = place_of_use(user, k);
            if (LLVMGetOperand(user, k) != i || at == own)
                continue;
            /* A phi has one value for all edges from a block. */
            unsigned first = k;
            if (LLVMIsAPHINode(user))
                for (first = 0; LLVMGetIncomingBlock(user, first) != at;)
                    first++;
            LLVMPositionBuilderBefore(j->b, LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(at)
                                                                 : user);
            LLVMSetOperand(user, k,
                           first < k
                               ? LLVMGetOperand(user, first)
                               : LLVMBuildLoad2(j->b, LLVMGetAllocatedType(memory), memory, ""));
        }
    }
    LLVMPositionBuilderBefore(j->b, LLVMIsAPHINode(i) ? lw__ir_first_after_phis(own)
                                                      : LLVMGetNextInstruction(i));
    LLVMBuildStore(j->b, i, memory);
}

/* ---- one call -------------------------------------------------------------------------------- */

/* A block before the rest of the first call. */
static LLVMBasicBlockRef new_block(struct join *j, const char *name)
{
    return LLVMInsertBasicBlockInContext(LLVMGetTypeContext(j->i32),
                                         LLVMGetInstructionParent(j->calls[0]), name);
}

/* What is joined has no line: the lines of its callers are not known before it runs. */
static void no_line(struct join *j)
{
    LLVMMetadataRef scope = LLVMGetSubprogram(j->function);
    LLVMSetCurrentDebugLocation2(j->b, scope ? LLVMDIBuilderCreateDebugLocation(
                                                   LLVMGetTypeContext(j->i32), 0, 0, scope, NULL)
                                             : NULL);
}

static void build_call(struct join *j, const struct callee *callee)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(callee->helper);
    LLVMValueRef *args = lw__new(j->arena, callee->arg_count + 1, sizeof *args);
    LLVMPositionBuilderAtEnd(j->b, callee->block);
    no_line(j);
    for (unsigned a = 0; a < callee->arg_count; a++)
        args[a] =
            LLVMBuildLoad2(j->b, LLVMTypeOf(LLVMGetParam(callee->helper, a)), callee->args[a], "");
    LLVMValueRef call = LLVMBuildCall2(j->b, type, callee->helper, args, callee->arg_count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(callee->helper));
    if (callee->result)
        LLVMBuildStore(j->b, call, callee->result);
}

/* At the builder's place: a switch by the call's number, of the calls of one callee or of all. */
static void select_site(struct join *j, const struct callee *of, LLVMBasicBlockRef *to)
{
    LLVMValueRef site = LLVMBuildLoad2(j->b, j->i32, j->site, ""), fork = NULL;
    for (unsigned k = 0; k < j->count; k++) {
        if (of && &j->callees[j->callee_of[k]] != of)
            continue;
        if (fork)
            LLVMAddCase(fork, LLVMConstInt(j->i32, k, 0), to[k]);
        else
            fork = LLVMBuildSwitch(j->b, site, to[k], j->count - 1);
    }
    assert(fork);
}

/* The names say where statements of the source begin and end: they stay with the first part. */
static LLVMBasicBlockRef split(struct join *j, LLVMValueRef call)
{
    LLVMBasicBlockRef before = lw__ir_split_before(call), rest = LLVMGetInstructionParent(call);
    const char *kept = lw__copy(j->arena, LLVMGetBasicBlockName(rest));
    LLVMSetValueName2(LLVMBasicBlockAsValue(rest), "", 0);
    LLVMSetValueName2(LLVMBasicBlockAsValue(before), kept, strlen(kept));
    return before;
}

static void join(struct join *j, LLVMBasicBlockRef *before, LLVMBasicBlockRef *blocks)
{
    for (unsigned k = 0; k < j->count; k++)
        before[k] = split(j, j->calls[k]);
    /* The memory for what passes between the calls and the one call. */
    for (unsigned k = 0; k < j->count; k++) {
        LLVMValueRef helper = LLVMGetCalledValue(j->calls[k]);
        unsigned c = 0;
        while (c < j->callee_count && j->callees[c].helper != helper)
            c++;
        j->callee_of[k] = c;
        assert(c < j->count);
        if (c < j->callee_count)
            continue;
        struct callee *callee = &j->callees[j->callee_count++];
        *callee = (struct callee){.helper = helper, .arg_count = LLVMCountParams(helper)};
        callee->args = lw__new(j->arena, callee->arg_count + 1, sizeof *callee->args);
        for (unsigned a = 0; a < callee->arg_count; a++)
            callee->args[a] = local(j, LLVMTypeOf(LLVMGetParam(helper, a)));
    }
    j->site = local(j, j->i32);
    for (unsigned c = 0; c < j->callee_count; c++) {
        struct callee *callee = &j->callees[c];
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(callee->helper));
        if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
            callee->result = local(j, type);
    }
    LLVMBasicBlockRef to = j->callee_count > 1 ? new_block(j, "helper.which") : NULL;
    for (unsigned c = 0; c < j->callee_count; c++)
        j->callees[c].block = new_block(j, "helper.call");
    /* From before each call to the one call. */
    for (unsigned k = 0; k < j->count; k++) {
        const struct callee *callee = &j->callees[j->callee_of[k]];
        LLVMPositionBuilderAtEnd(j->b, before[k]);
        LLVMSetCurrentDebugLocation2(j->b, LLVMInstructionGetDebugLoc(j->calls[k]));
        for (unsigned a = 0; a < callee->arg_count; a++)
            LLVMBuildStore(j->b, LLVMGetOperand(j->calls[k], a), callee->args[a]);
        LLVMBuildStore(j->b, LLVMConstInt(j->i32, k, 0), j->site);
        LLVMBuildBr(j->b, to ? to : j->callees[0].block);
    }
    for (unsigned k = 0; to && k < j->count; k++)
        blocks[k] = j->callees[j->callee_of[k]].block;
    if (to) {
        LLVMPositionBuilderAtEnd(j->b, to);
        no_line(j);
        select_site(j, NULL, blocks);
    }
    for (unsigned k = 0; k < j->count; k++)
        blocks[k] = LLVMGetInstructionParent(j->calls[k]);
    for (unsigned c = 0; c < j->callee_count; c++) {
        build_call(j, &j->callees[c]);
        select_site(j, &j->callees[c], blocks);
    }
    for (unsigned k = 0; k < j->count; k++) {
        /* Where the call was, its result is loaded. */
        LLVMValueRef result = j->callees[j->callee_of[k]].result;
        LLVMPositionBuilderBefore(j->b, j->calls[k]);
        if (result)
            LLVMReplaceAllUsesWith(j->calls[k],
                                   LLVMBuildLoad2(j->b, LLVMTypeOf(j->calls[k]), result, ""));
        LLVMInstructionEraseFromParent(j->calls[k]);
    }
    LLVMSetCurrentDebugLocation2(j->b, NULL);
    /* Values that cross blocks lie in memory. Where an alloca is, all blocks can see it. */
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(j->function);
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        EACH_INSTRUCTION_SAFE(i, b) {
            if (!(LLVMIsAAllocaInst(i) && b == entry) && is_used_elsewhere(i))
                keep_in_memory(j, i);
        }
}

void lw__join_calls(struct lw__unit *unit, LLVMValueRef function, LLVMValueRef *calls,
                    unsigned count)
{
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    struct join j = {.arena = &unit->scratch,
                     .function = function,
                     .calls = calls,
                     .count = count,
                     .callee_of = lw__new(&unit->scratch, count, sizeof *j.callee_of),
                     .callees = lw__new(&unit->scratch, count, sizeof *j.callees),
                     .b = LLVMCreateBuilderInContext(context),
                     .i32 = LLVMInt32TypeInContext(context)};
    LLVMBasicBlockRef *blocks = lw__new(&unit->scratch, 2 * (size_t)count, sizeof *blocks);
    assert(count > 1);
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMSetIsNewDbgInfoFormat(module, 0); /* declarations as calls, which move with their block */
    join(&j, blocks, blocks + count);
    LLVMSetIsNewDbgInfoFormat(module, 1);
    LLVMDisposeBuilder(j.b);
    lw__arena_release(&unit->scratch, mark);
}
