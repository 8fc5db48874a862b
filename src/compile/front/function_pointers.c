/* function_pointers.c - CUDA: pointers to functions of the device become numbers.
 *
 * An address of a function is another on each device, and kernels become one function each. So
 * each function whose address is taken gets a number, which is its address everywhere. A call
 * through a pointer calls a helper: a switch over the functions of that type. Where the pointer is
 * a constant after inlining, as a template's argument or a functor's, LLVM folds the switch.
 *
 * A function that is taken only by a virtual table is none of them: virtual calls are refused.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

/* Numbers are as far apart as functions: C++ marks pointers to virtual members by the last bit. */
enum { NUMBER_STEP = 16 };

struct taken {
    LLVMValueRef function;
    LLVMTypeRef type;
    bool is_called; /* may be: its address is not only in virtual tables */
};

struct pointers {
    struct lw__unit *unit;
    struct taken *all;
    size_t count;
    unsigned helpers;
};

static bool starts_with(LLVMValueRef value, const char *prefix)
{
    size_t length;
    return !strncmp(LLVMGetValueName2(value, &length), prefix, strlen(prefix));
}

static bool is_callee(LLVMValueRef user, LLVMValueRef function)
{
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetOperand(user, i) == function)
            return false;
    return true;
}

/* How the address of a constant is used, by what it is part of, too. */
static void look(LLVMValueRef constant, LLVMValueRef function, bool *is_taken, bool *is_called)
{
    EACH_USE(use, constant) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGlobalVariable(user)) {
            *is_taken |= !starts_with(user, "llvm.");
            *is_called |= !starts_with(user, "llvm.") && !starts_with(user, "_ZTV");
        } else if (LLVMIsAConstant(user) && !LLVMIsAGlobalValue(user)) {
            look(user, function, is_taken, is_called);
        } else if (LLVMIsAInstruction(user) && !is_callee(user, function)) {
            *is_taken = *is_called = true;
        }
    }
}

static void find_taken(struct pointers *p)
{
    EACH_FUNCTION(f, p->unit->module) {
        bool is_taken = false, is_called = false;
        if (LLVMIsDeclaration(f) || LLVMGetFunctionCallConv(f) == LLVMWin64CallConv)
            continue;
        look(f, f, &is_taken, &is_called);
        if (!is_taken)
            continue;
        p->all = lw__one_more(&p->unit->scratch, p->all, p->count, sizeof *p->all);
        p->all[p->count++] = (struct taken){f, LLVMGlobalGetValueType(f), is_called};
    }
}

/* The function's number in the place of its address, but where it is called. */
static void number(struct pointers *p, size_t index)
{
    LLVMValueRef f = p->all[index].function;
    LLVMTypeRef word = LLVMInt64TypeInContext(p->unit->context);
    LLVMValueRef place =
        LLVMConstIntToPtr(LLVMConstInt(word, (index + 1) * NUMBER_STEP, 0), LLVMTypeOf(f));
    LLVMValueRef *calls = NULL;
    size_t count = 0;
    EACH_USE(use, f)
        if (is_callee(LLVMGetUser(use), f)) {
            calls = lw__one_more(&p->unit->scratch, calls, count, sizeof(LLVMValueRef));
            calls[count++] = LLVMGetUser(use);
        }
    LLVMReplaceAllUsesWith(f, place);
    for (size_t i = 0; i < count; i++)
        LLVMSetOperand(calls[i], LLVMGetNumArgOperands(calls[i]), f);
}

/* Objects keep their virtual tables. What else is in these has no body here: the run time's types,
 * which dynamic_cast needs, and functions that have none. */
static void drop_types(LLVMModuleRef module)
{
    EACH_GLOBAL(g, module)
        if (starts_with(g, "_ZTI"))
            LLVMReplaceAllUsesWith(g, LLVMConstNull(LLVMTypeOf(g)));
    EACH_FUNCTION(f, module)
        if (starts_with(f, "__cxa_pure_virtual") || starts_with(f, "__cxa_deleted_virtual"))
            LLVMReplaceAllUsesWith(f, LLVMConstNull(LLVMTypeOf(f)));
}

/* clang loads the address from a table that it calls vtable. */
bool lw__front_is_virtual(LLVMValueRef callee)
{
    if (!LLVMIsALoadInst(callee))
        return false;
    LLVMValueRef at = LLVMGetOperand(callee, 0);
    if (LLVMIsAGetElementPtrInst(at))
        at = LLVMGetOperand(at, 0);
    return LLVMIsALoadInst(at) && starts_with(at, "vtable");
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex at)
{
    LLVMAttributeRef list[32];
    const unsigned count = LLVMGetCallSiteAttributeCount(from, at);
    if (count > sizeof list / sizeof *list)
        return;
    LLVMGetCallSiteAttributes(from, at, list);
    for (unsigned i = 0; i < count; i++)
        if (LLVMIsAFunction(to))
            LLVMAddAttributeAtIndex(to, at, list[i]);
        else
            LLVMAddCallSiteAttribute(to, at, list[i]);
}

static void copy_all_attributes(LLVMValueRef from, LLVMValueRef to, unsigned params)
{
    copy_attributes(from, to, LLVMAttributeFunctionIndex);
    for (unsigned i = 0; i <= params; i++) /* 0: the result */
        copy_attributes(from, to, i);
}

/* A helper that calls what its last argument is the number of. */
static LLVMValueRef make_helper(struct pointers *p, LLVMValueRef call, LLVMTypeRef type)
{
    LLVMContextRef context = p->unit->context;
    LLVMModuleRef module = p->unit->module;
    const unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *types = lw__new(&p->unit->scratch, count + 1, sizeof *types);
    LLVMValueRef *args = lw__new(&p->unit->scratch, count + 1, sizeof *args);
    LLVMTypeRef result = LLVMGetReturnType(type), word = LLVMInt64TypeInContext(context);
    LLVMGetParamTypes(type, types);
    types[count] = LLVMPointerTypeInContext(context, 0);
    char name[40];
    snprintf(name, sizeof name, "call through a pointer.%u", p->helpers++);
    LLVMValueRef helper =
        LLVMAddFunction(module, name, LLVMFunctionType(result, types, count + 1, 0));
    LLVMSetLinkage(helper, LLVMInternalLinkage);
    copy_all_attributes(call, helper, count);
    for (unsigned i = 0; i < count; i++)
        args[i] = LLVMGetParam(helper, i);

    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, helper, "entry");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, helper, "return");
    LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(context, helper, "none");
    LLVMPositionBuilderAtEnd(b, end);
    const bool is_void = LLVMGetTypeKind(result) == LLVMVoidTypeKind;
    LLVMValueRef phi = is_void ? NULL : LLVMBuildPhi(b, result, "");
    if (is_void)
        LLVMBuildRetVoid(b);
    else
        LLVMBuildRet(b, phi);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef choice =
        LLVMBuildSwitch(b, LLVMBuildPtrToInt(b, LLVMGetParam(helper, count), word, ""), none, 0);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->all[i].is_called || p->all[i].type != type)
            continue;
        LLVMBasicBlockRef arm = LLVMInsertBasicBlockInContext(context, end, "arm");
        LLVMAddCase(choice, LLVMConstInt(word, (i + 1) * NUMBER_STEP, 0), arm);
        LLVMPositionBuilderAtEnd(b, arm);
        LLVMValueRef inner = LLVMBuildCall2(b, type, p->all[i].function, args, count, "");
        copy_all_attributes(call, inner, count);
        LLVMBuildBr(b, end);
        if (phi)
            LLVMAddIncoming(phi, &inner, &arm, 1);
    }
    LLVMPositionBuilderAtEnd(b, none);
    LLVMValueRef text = LLVMBuildGlobalStringPtr(b, "the pointer is that of no function", "");
    lw__ir_call(b, module, "lw.assert_fail", LLVMVoidTypeInContext(context), &text, 1);
    LLVMBuildUnreachable(b);
    LLVMDisposeBuilder(b);
    return helper;
}

static bool has_functions(const struct pointers *p, LLVMTypeRef type)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->all[i].is_called && p->all[i].type == type)
            return true;
    return false;
}

static void redirect(struct pointers *p, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    if (LLVMIsAFunction(callee) || LLVMIsAInlineAsm(callee) || lw__front_is_virtual(callee) ||
        LLVMIsFunctionVarArg(type) || !has_functions(p, type))
        return;
    const unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *args = lw__new(&p->unit->scratch, count + 1, sizeof *args);
    for (unsigned i = 0; i < count; i++)
        args[i] = LLVMGetOperand(call, i);
    args[count] = callee;
    LLVMValueRef helper = make_helper(p, call, type);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->unit->context);
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef direct =
        LLVMBuildCall2(b, LLVMGlobalGetValueType(helper), helper, args, count + 1, "");
    copy_all_attributes(call, direct, count);
    LLVMReplaceAllUsesWith(call, direct);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}

void lw__front_function_pointers(struct lw__unit *unit)
{
    struct pointers p = {.unit = unit};
    drop_types(unit->module);
    find_taken(&p);
    for (size_t i = 0; i < p.count; i++)
        number(&p, i);
    EACH_FUNCTION(f, unit->module)
        EACH_INSTRUCTION_OF_SAFE(i, f)
            if (LLVMIsACallInst(i))
                redirect(&p, i);
}
