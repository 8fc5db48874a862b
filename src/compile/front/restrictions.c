/* restrictions.c - what the kernel language refuses and clang accepts, with its line and reason.
 *
 * It reads clang's raw module: every function that is emitted, every global, every variable's debug
 * type. All findings are reported, each kind once a line (types: once a function). Functions that
 * clang does not emit, since they are not called, are not seen.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <limits.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Of a function: CUDA's local memory of a thread, and far below the stack of a worker thread. */
enum { LOCAL_BYTES_MAX = 512 << 10 };

/* The kinds of findings, to report each once. */
enum kind { KIND_CALL, KIND_POINTER_CALL, KIND_ADDRESS, KIND_ALLOCA, KIND_TYPE, KIND_GOTO };

/* One function of the module, for finding recursion. */
struct node {
    LLVMValueRef function;
    enum { WHITE, OPEN, DONE } state; /* open: on the current path of calls */
};

struct refuse {
    LLVMModuleRef module;
    struct lw__arena *arena;
    LLVMContextRef context;
    struct lw__diags *diags;
    uint64_t *told; /* hashes of what was reported */
    size_t told_count;
    struct node *nodes;
    size_t node_count;
    const struct lw__reached *reached; /* the functions and globals to look at; NULL: all */
};

/* True if this kind, location and detail was not reported before. */
static bool first_time(struct refuse *r, enum kind kind, struct lw__loc loc, const char *detail)
{
    uint64_t hash = lw__hash(LW_HASH_START, &kind, sizeof kind);
    hash = lw__hash(hash, &loc.line, sizeof loc.line);
    hash = lw__hash(hash, loc.file, loc.file ? loc.file_length : 0);
    hash = lw__hash(hash, detail, strlen(detail));
    for (size_t i = 0; i < r->told_count; i++)
        if (r->told[i] == hash)
            return false;
    r->told = lw__one_more(r->arena, r->told, r->told_count, sizeof *r->told);
    r->told[r->told_count++] = hash;
    return true;
}

static const char *name_of(LLVMValueRef value)
{
    size_t length;
    return LLVMGetValueName2(value, &length);
}

/* What the source calls a function: in C++ its linker name says it badly. */
static const char *shown_name(struct refuse *r, LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef name = subprogram && lw__ir_is_cuda(r->module)
                               ? lw__di_operand(r->context, subprogram, LW_DI_SUBPROGRAM_NAME)
                               : NULL;
    unsigned length = 0;
    const char *text =
        name ? LLVMGetMDString(LLVMMetadataAsValue(r->context, name), &length) : NULL;
    return length ? lw__format(r->arena, "%.*s", (int)length, text) : name_of(function);
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_ours(const char *name)
{
    return starts_with(name, "lw.");
}

/* True if a builtin has declared it, or our own header. Debug info has declarations of functions
 * that are called. */
static bool is_known(LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    unsigned length = 0;
    const char *file =
        subprogram ? LLVMDIFileGetFilename(LLVMDIScopeGetFile(subprogram), &length) : NULL;
    return !file || lw__is_our_header(file, length);
}

/* ---- types ---- */

static void refuse_type(struct refuse *r, LLVMValueRef function, struct lw__loc loc,
                        const char *name)
{
    if (!first_time(r, KIND_TYPE, lw__loc_of(function), name))
        return;
    const char *reason = lw__front_reason(name, strlen(name));
    lw__diags_error(r->diags, loc, "'%s' is not in the kernel language: %s", name,
                    reason ? reason : "use double");
}

/* The name in C of an IR type that kernels may not use, or NULL. */
static const char *refused_ir_type(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMX86_FP80TypeKind: return "long double";
    case LLVMFP128TypeKind: return "__float128";
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) == 128 ? "__int128" : NULL;
    case LLVMVectorTypeKind: return refused_ir_type(LLVMGetElementType(type));
    default: return NULL;
    }
}

/* Bit-fields and small structs are moved as integers of odd widths, but have no arithmetic. */
static bool is_odd_arithmetic(LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: break;
    default: return false;
    }
    const unsigned width =
        LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 8;
    return width != 1 && width != 8 && width != 16 && width != 32 && width != 64 && width != 128;
}

static void check_types(struct refuse *r, LLVMValueRef function, LLVMValueRef instruction)
{
    const char *name = refused_ir_type(LLVMTypeOf(instruction));
    for (int i = 0; i < LLVMGetNumOperands(instruction) && !name; i++)
        name = refused_ir_type(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)));
    if (!name && is_odd_arithmetic(instruction))
        name = "_BitInt";
    if (name)
        refuse_type(r, function, lw__loc_of(instruction), name);
}

/* The variables and parameters of a function, by their debug types. */
static void check_variables(struct refuse *r, LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef nodes =
        subprogram ? lw__di_operand(r->context, subprogram, LW_DI_SUBPROGRAM_RETAINED) : NULL;
    const unsigned count =
        nodes ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(r->context, nodes)) : 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef variable = lw__di_operand(r->context, nodes, i);
        if (LLVMGetMetadataKind(variable) != LLVMDILocalVariableMetadataKind)
            continue;
        const char *name =
            lw__type_refused(r->context, lw__di_operand(r->context, variable, LW_DI_VARIABLE_TYPE));
        /* std::complex has one; the header has its products and quotients. */
        const bool is_complex = name && lw__ir_is_cuda(r->module) && !strcmp(name, "_Complex");
        if (name && !is_complex)
            refuse_type(r, function, lw__loc_of_variable(function, variable), name);
    }
}

/* ---- addresses of functions and labels ---- */

static void refuse_address(struct refuse *r, struct lw__loc loc, LLVMValueRef function)
{
    if (first_time(r, KIND_ADDRESS, loc, name_of(function)))
        lw__diags_error(r->diags, loc,
                        "the address of function '%s' is taken: function pointers "
                        "are not in the kernel language",
                        shown_name(r, function));
}

static void refuse_goto(struct refuse *r, struct lw__loc loc)
{
    if (first_time(r, KIND_GOTO, loc, ""))
        lw__diags_error(r->diags, loc, "computed goto is not in the kernel language: use switch");
}

/* A function or label in a constant. Functions of a global's initialiser are in its operands. */
static void check_constant(struct refuse *r, struct lw__loc loc, LLVMValueRef constant)
{
    if (LLVMIsAFunction(constant))
        refuse_address(r, loc, constant);
    if (LLVMIsABlockAddress(constant)) {
        refuse_goto(r, loc);
        return;
    }
    if (LLVMIsAGlobalValue(constant) || !LLVMIsAConstant(constant))
        return;
    for (int i = 0; i < LLVMGetNumOperands(constant); i++)
        check_constant(r, loc, LLVMGetOperand(constant, (unsigned)i));
}

/* ---- calls ---- */

static bool calls(LLVMValueRef function, const char *prefix)
{
    EACH_INSTRUCTION_OF(i, function)
        if (LLVMIsACallInst(i) && starts_with(name_of(LLVMGetCalledValue(i)), prefix))
            return true;
    return false;
}

/* Intrinsics, by prefix, that all targets compute exactly, and those that are refused elsewhere. */
static bool is_allowed_intrinsic(const char *name)
{
    static const char *const allowed[] = {
        "abs.",       "assume",      "bitreverse.",  "bswap.",
        "ceil.",      "copysign.",   "ctlz.",        "ctpop.",
        "cttz.",      "dbg.",        "donothing",    "experimental.noalias.",
        "fabs.",      "floor.",      "fma.f32",      "fma.f64",
        "fma.v",      "fptosi.sat.", "fptoui.sat.",  "fshl.",
        "fshr.",      "is.fpclass.", "lifetime.",    "llrint.",
        "llround.",   "lrint.",      "lround.",      "memcpy.",
        "memmove.",   "memset.",     "nearbyint.",   "prefetch.",
        "rint.",      "round.",      "roundeven.",   "sadd.",
        "sideeffect", "smax.",       "smin.",        "smul.with.",
        "sqrt.",      "ssub.",       "stackrestore", "stacksave",
        "trunc.",     "uadd.",       "umax.",        "umin.",
        "umul.with.", "usub.",
    };
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (starts_with(name + strlen("llvm."), allowed[i]))
            return !strstr(name, "fma.v") || strstr(name, "f32") || strstr(name, "f64");
    return false;
}

static void refuse_intrinsic(struct refuse *r, LLVMValueRef call, const char *name)
{
    struct lw__loc loc = lw__loc_of(call);
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    if (starts_with(name, "llvm.va_"))
        return; /* its function is reported */
    if (starts_with(name, "llvm.frameaddress") && calls(function, "llvm.eh."))
        return; /* a part of setjmp */
    if (starts_with(name, "llvm.experimental.constrained.")) {
        if (first_time(r, KIND_CALL, lw__loc_of(function), "constrained"))
            lw__diags_error(r->diags, loc,
                            "'#pragma STDC FENV_ACCESS ON' is not in the kernel language: numbers "
                            "are rounded to nearest, and nothing traps");
        return;
    }
    const bool jumps = starts_with(name, "llvm.eh.sjlj.");
    if (!first_time(r, KIND_CALL, loc, jumps ? "jump" : name))
        return;
    if (jumps)
        lw__diags_error(r->diags, loc, "setjmp and longjmp are not in the kernel language: %s",
                        lw__front_reason("setjmp", 6));
    else if (starts_with(name, "llvm.x86."))
        lw__diags_error(r->diags, loc,
                        "a builtin of x86 processors ('%s'): kernels run on every "
                        "device",
                        name + strlen("llvm."));
    else
        lw__diags_error(r->diags, loc,
                        "builtin '%s' is not in the kernel language: what it gives would differ "
                        "between devices",
                        name + strlen("llvm."));
}

/* A name that the language reserves, given to a function of the user by an asm label; or one that
 * the header has, with other types. */
static bool check_label(struct refuse *r, LLVMValueRef call, LLVMValueRef callee)
{
    const char *name = name_of(callee);
    if (!is_ours(name) && !starts_with(name, "llvm."))
        return true;
    if (is_known(callee) && LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee))
        return true;
    if (first_time(r, KIND_CALL, lw__loc_of(call), name))
        lw__diags_error(r->diags, lw__loc_of(call),
                        "'%s' is a name of the compiler's: call what <lanewise/kernel.h> declares, "
                        "or a builtin",
                        name);
    return false;
}

static void check_callee(struct refuse *r, LLVMValueRef call, LLVMValueRef callee)
{
    const char *name = name_of(callee);
    struct lw__loc loc = lw__loc_of(call);
    if (!check_label(r, call, callee))
        return;
    if (LLVMGetIntrinsicID(callee)) {
        if (!is_allowed_intrinsic(name))
            refuse_intrinsic(r, call, name);
        return;
    }
    if (LLVMGetFunctionCallConv(callee) == LLVMWin64CallConv) {
        lw__diags_error(r->diags, loc,
                        "'%s' is a KERNEL: kernels are launched, not called; call a static helper "
                        "from both",
                        name);
        return;
    }
    lw__front_marked(r->arena, r->diags, callee, &loc);
    lw__front_check_text(r->diags, call);
    if (!LLVMIsDeclaration(callee) || is_ours(name) ||
        starts_with(name, "__ubsan_handle_vla_bound"))
        return;
    if (!first_time(r, KIND_CALL, loc, name))
        return;
    const char *reason = lw__front_reason(name, strlen(name));
    LLVMValueRef user = lw__front_call_of_user(call);
    if (user != call) {
        name = shown_name(r, LLVMGetCalledValue(user));
        loc = lw__loc_of(user);
    }
    if (reason)
        lw__diags_error(r->diags, loc, "'%s' is not in the kernel language: %s", name, reason);
    else
        lw__diags_error(r->diags, loc, "'%s' has no body: a kernel calls what its file defines",
                        shown_name(r, callee));
}

static void check_call(struct refuse *r, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct lw__loc loc = lw__loc_of(call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        check_constant(r, loc, LLVMGetOperand(call, i));
    if (LLVMIsAInlineAsm(callee)) {
        LLVMValueRef mark =
            LLVMGetMetadata(call, LLVMGetMDKindIDInContext(r->context, LW_PTX, strlen(LW_PTX)));
        LLVMValueRef text = NULL;
        unsigned length = 0;
        if (mark)
            LLVMGetMDNodeOperands(mark, &text);
        if (first_time(r, KIND_CALL, loc, "asm"))
            lw__diags_error(r->diags, loc,
                            mark ? "inline PTX '%s' is not in the kernel language: write it in C++"
                                 : "inline assembly is not in the kernel language",
                            text ? LLVMGetMDString(text, &length) : "");
    } else if (!LLVMIsAFunction(callee)) {
        if (first_time(r, KIND_POINTER_CALL, loc, ""))
            lw__diags_error(r->diags, loc,
                            lw__front_is_virtual(callee)
                                ? "virtual calls are not in the kernel language: use a template, "
                                  "or an object of a class that is known"
                                : "call through a pointer: function pointers are not in "
                                  "the kernel language");
    } else {
        check_callee(r, call, callee);
    }
}

/* ---- stack memory ---- */

/* clang keeps each size of a variable-length array in a variable, for debuggers. */
static bool is_array_alloca(LLVMValueRef alloca)
{
    LLVMValueRef next = LLVMGetNextInstruction(alloca);
    return LLVMIsAStoreInst(next) &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(next, 0))) == LLVMIntegerTypeKind;
}

/* A declared variable is one element, an i32 1; clang counts all other sizes in i64. */
static void check_alloca(struct refuse *r, LLVMValueRef alloca)
{
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    struct lw__loc loc = lw__loc_of(alloca);
    if (LLVMIsAConstantInt(count) && LLVMGetIntTypeWidth(LLVMTypeOf(count)) == 32)
        return;
    if (!first_time(r, KIND_ALLOCA, loc, ""))
        return;
    if (is_array_alloca(alloca))
        lw__diags_error(r->diags, loc,
                        "a local variable-length array is not in the kernel language: "
                        "give it a constant size, or use DYNAMIC_SHARED");
    else
        lw__diags_error(r->diags, loc, "'alloca' is not in the kernel language: %s",
                        lw__front_reason("alloca", 6));
}

/* ---- functions ---- */

static void check_instruction(struct refuse *r, LLVMValueRef function, LLVMValueRef instruction)
{
    check_types(r, function, instruction);
    if (LLVMIsACallInst(instruction)) {
        check_call(r, instruction);
        return;
    }
    if (LLVMIsAAllocaInst(instruction))
        check_alloca(r, instruction);
    if (LLVMGetInstructionOpcode(instruction) == LLVMIndirectBr)
        return; /* it has no line; the labels' addresses have */
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand))
            check_constant(r, lw__loc_of(instruction), operand);
    }
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

static void check_function(struct refuse *r, LLVMValueRef function)
{
    struct lw__loc loc = lw__loc_of(function);
    lw__front_marked(r->arena, r->diags, function, NULL);
    if (is_ours(name_of(function)))
        lw__diags_error(r->diags, loc, "'%s' is a name of the compiler's: give it another",
                        name_of(function));
    if (has_attribute(function, "naked"))
        lw__diags_error(r->diags, loc, "'%s' is naked, which is not in the kernel language",
                        name_of(function));
    /* clang keeps one alloca for each variable. */
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(r->module);
    unsigned long long bytes = 0;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    EACH_INSTRUCTION(i, entry)
        if (LLVMIsAAllocaInst(i)) {
            unsigned long long more = LLVMABISizeOfType(data, LLVMGetAllocatedType(i));
            bytes = more > ULLONG_MAX - bytes ? ULLONG_MAX : bytes + more;
        }
    if (bytes > LOCAL_BYTES_MAX)
        lw__diags_error(r->diags, lw__loc_of(function),
                        "'%s' has %llu bytes of local variables, at most %d are possible",
                        shown_name(r, function), bytes, LOCAL_BYTES_MAX);
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
        lw__diags_error(r->diags, loc,
                        "'%s' takes variable arguments, which are not in the kernel "
                        "language",
                        name_of(function));
    check_variables(r, function);
    EACH_INSTRUCTION_OF(i, function)
        check_instruction(r, function, i);
}

/* ---- global data ---- */

static bool is_block_memory(LLVMValueRef global)
{
    const char *section = LLVMGetSection(global);
    return section && starts_with(section, "lw."); /* shared, or CUDA's variables of the device */
}

/* Private globals are clang's own: texts, initial values of local arrays, locations of size checks.
 * An error inside a global is reported instead of the fact that it can change. */
static void check_global(struct refuse *r, LLVMValueRef global)
{
    if (starts_with(name_of(global), "llvm.") || is_block_memory(global))
        return;
    if (LLVMIsDeclaration(global) && !LLVMGetFirstUse(global))
        return; /* clang's, of a processor's features */
    struct lw__loc loc = lw__loc_of(global);
    if (!loc.line)
        loc = lw__loc_of_use(global);
    LLVMValueRef value = LLVMIsDeclaration(global) ? NULL : LLVMGetInitializer(global);
    const size_t before = r->told_count;
    if (value)
        check_constant(r, loc, value);
    if (r->told_count != before || LLVMGetLinkage(global) == LLVMPrivateLinkage)
        return;
    if (LLVMIsThreadLocal(global) || !value || !LLVMIsGlobalConstant(global)) {
        const char *name = lw__source_name(global);
        if (LLVMIsThreadLocal(global))
            lw__diags_error(r->diags, loc, "'%s' is thread-local: %s", name,
                            lw__front_reason("_Thread_local", 13));
        else if (LLVMIsDeclaration(global))
            lw__diags_error(r->diags, loc,
                            "'%s' is extern and has no value here: a kernel uses what its "
                            "file defines",
                            name);
        else
            lw__diags_error(r->diags, loc,
                            "'%s' is %s data that can change: use SHARED, a buffer, or "
                            "make it const",
                            name,
                            LLVMGetLinkage(global) == LLVMInternalLinkage ? "static" : "global");
    }
}

/* ---- recursion ---- */

static struct node *find_node(struct refuse *r, LLVMValueRef function)
{
    for (size_t i = 0; i < r->node_count; i++)
        if (r->nodes[i].function == function)
            return &r->nodes[i];
    return NULL;
}

/* Follow the calls of a function; one to a function that is still open closes a cycle. */
static void follow_calls(struct refuse *r, struct node *node)
{
    node->state = OPEN;
    EACH_INSTRUCTION_OF(i, node->function) {
        struct node *callee = LLVMIsACallInst(i) ? find_node(r, LLVMGetCalledValue(i)) : NULL;
        if (callee == node)
            lw__diags_error(r->diags, lw__loc_of(i),
                            "recursion: '%s' calls itself; kernels have "
                            "no stack to recurse on",
                            shown_name(r, node->function));
        else if (callee && callee->state == OPEN)
            lw__diags_error(r->diags, lw__loc_of(i),
                            "recursion: '%s' calls '%s', which leads back "
                            "to it; kernels have no stack to recurse on",
                            shown_name(r, node->function), shown_name(r, callee->function));
        else if (callee && callee->state == WHITE)
            follow_calls(r, callee);
    }
    node->state = DONE;
}

static void check_recursion(struct refuse *r)
{
    size_t count = 0;
    EACH_FUNCTION(f, r->module)
        count += !LLVMIsDeclaration(f) && (!r->reached || lw__is_reached(r->reached, f));
    r->nodes = lw__new(r->arena, count + 1, sizeof *r->nodes);
    EACH_FUNCTION(f, r->module)
        if (!LLVMIsDeclaration(f) && (!r->reached || lw__is_reached(r->reached, f)))
            r->nodes[r->node_count++].function = f;
    assert(r->node_count == count);
    for (size_t i = 0; i < count; i++)
        if (r->nodes[i].state == WHITE)
            follow_calls(r, &r->nodes[i]);
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static void check_all(struct refuse *r)
{
    EACH_GLOBAL(g, r->module)
        if (!r->reached || lw__is_reached(r->reached, g))
            check_global(r, g);
    EACH_FUNCTION(f, r->module)
        if (!LLVMIsDeclaration(f) && (!r->reached || lw__is_reached(r->reached, f)))
            check_function(r, f);
    check_recursion(r);
}

void lw__front_refuse_kernels(struct lw__arena *arena, LLVMModuleRef module,
                              struct lw__diags *diags, struct lw__kernels *kernels)
{
    size_t kept = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        const struct lw__kernel k = kernels->rows[i];
        struct refuse r = {.module = module,
                           .arena = arena,
                           .context = LLVMGetModuleContext(module),
                           .diags = diags};
        struct lw__kernel_errors errors;
        struct lw__reached reached;
        lw__reached_find(arena, k.function, &reached);
        r.reached = &reached;
        lw__kernel_errors_begin(diags, &errors);
        check_all(&r);
        if (lw__kernel_errors_end(diags, &errors, k.name, k.alias))
            lw__ir_remove(k.function);
        else
            kernels->rows[kept++] = k;
    }
    kernels->count = kept;
}

/* lw__front_refuse - report everything in the module that docs/kernel-language.md refuses. The
 * module must be clang's, before any pass; it is not changed.
 */
void lw__front_refuse(struct lw__arena *arena, LLVMModuleRef module, struct lw__diags *diags)
{
    struct refuse r = {
        .module = module, .arena = arena, .context = LLVMGetModuleContext(module), .diags = diags};
    size_t length;
    LLVMGetModuleInlineAsm(module, &length);
    if (length)
        lw__diags_error(diags, (struct lw__loc){0},
                        "inline assembly is not in the kernel language");
    check_all(&r);
    /* Other names for functions and data, known at compile time (alias) or at load time
     * (ifunc). */
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(r.module); a; a = LLVMGetNextGlobalAlias(a))
        lw__diags_error(r.diags, lw__front_find(r.diags, name_of(a)),
                        "'%s' is an alias, which is not in the kernel language", name_of(a));
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(r.module); i; i = LLVMGetNextGlobalIFunc(i))
        lw__diags_error(r.diags, lw__front_find(r.diags, name_of(i)),
                        "'%s' is an ifunc, which is not in the kernel language", name_of(i));
}
