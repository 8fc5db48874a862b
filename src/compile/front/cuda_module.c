/* cuda_module.c - clang's module of a CUDA file, as that of a kernel file in C would be.
 *
 * In clang's CUDA mode (clang.c) the device's half of a file is a module of the usual target. What
 * differs from C's is said by annotations and attributes, and becomes what the passes know:
 *     __shared__                       a global with the annotation lw.shared -> section lw.shared
 *     extern __shared__ T name[]       -> section lw.dynshared
 *     __device__, static or not        data that can change -> section lw.symbol: symbols.c
 *     __constant__                     the same, and the annotation lw.constant -> that section
 *     a kernel's name                  mangled -> as C++ writes it, with its template arguments
 *     assert                           the C library's function -> lw.assert_fail
 * Functions that no kernel calls go: the file may have many, for the host's half, too.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/Comdat.h>
#include <string.h>

enum { ANNOTATED_VALUE, ANNOTATION };

enum { DYNAMIC_ALIGN = 16 }; /* what extern __shared__ arrays of any type may expect */

static bool is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == LLVMWin64CallConv;
}

static LLVMValueRef annotations(LLVMModuleRef module)
{
    LLVMValueRef global = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    return global ? LLVMGetInitializer(global) : NULL;
}

static void share(LLVMValueRef global)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    const bool is_dynamic =
        LLVMGetTypeKind(type) == LLVMArrayTypeKind && !LLVMGetArrayLength2(type);
    LLVMSetGlobalConstant(global, 0);
    if (LLVMIsDeclaration(global) && is_dynamic) {
        LLVMSetSection(global, "lw.dynshared");
        if (LLVMGetAlignment(global) < DYNAMIC_ALIGN)
            LLVMSetAlignment(global, DYNAMIC_ALIGN);
        return;
    }
    LLVMSetSection(global, "lw.shared");
    LLVMSetInitializer(global, LLVMGetUndef(type));
    LLVMSetLinkage(global, LLVMInternalLinkage);
}

/* The annotation is of a header of ours, or by llvm/clang_refusals.cpp. */
static void refuse(struct lw__unit *unit, LLVMValueRef function, const char *annotation)
{
    static const char begin[] = LW_REFUSED "\t";
    if (strncmp(annotation, begin, strlen(begin)) != 0)
        return;
    const char *before = lw__llvm_word_of(&unit->scratch, function, LW_REFUSED);
    lw__llvm_word(
        function, LW_REFUSED,
        lw__format(&unit->scratch, "%s%s\n", before ? before : "", annotation + strlen(begin)));
}

/* What the header says of variables: clang keeps no address spaces on this target. */
static void read_annotations(struct lw__unit *unit)
{
    LLVMModuleRef module = unit->module;
    LLVMValueRef rows = annotations(module);
    for (int i = 0; rows && i < LLVMGetNumOperands(rows); i++) {
        LLVMValueRef row = LLVMGetOperand(rows, (unsigned)i);
        LLVMValueRef value = LLVMGetOperand(row, ANNOTATED_VALUE);
        const char *text = lw__ir_literal(LLVMGetOperand(row, ANNOTATION));
        if (text && LLVMIsAFunction(value))
            refuse(unit, value, text);
        if (!text || !LLVMIsAGlobalVariable(value))
            continue;
        if (!strcmp(text, "lw.shared"))
            share(value);
        else if (!strcmp(text, "lw.constant"))
            LLVMSetSection(value, "lw.constant");
    }
    /* An array of unknown size has no definition to be annotated. */
    EACH_GLOBAL(g, module) {
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        if (LLVMIsDeclaration(g) && LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
            !LLVMGetArrayLength2(type))
            share(g);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A function's name with its template arguments. */
static void add_name(LLVMContextRef context, LLVMMetadataRef subprogram, struct lw__text *out)
{
    LLVMMetadataRef name = lw__di_operand(context, subprogram, LW_DI_SUBPROGRAM_NAME);
    unsigned length = 0;
    const char *text = name ? LLVMGetMDString(LLVMMetadataAsValue(context, name), &length) : NULL;
    lw__di_scopes(context, lw__di_operand(context, subprogram, LW_DI_SCOPE), out);
    lw__text_add(out, "%.*s", (int)length, text ? text : "");
}

/* A function of the device gets its name in C++, which messages have. */
static void name_helper(struct lw__unit *unit, LLVMValueRef function)
{
    struct lw__text name = lw__text_in(&unit->scratch);
    if (is_kernel(function) || !LLVMGetSubprogram(function))
        return;
    add_name(unit->context, LLVMGetSubprogram(function), &name);
    LLVMSetValueName2(function, name.data, name.length);
}

/* A variable of the device gets its name in C++. */
static void name_symbol(struct lw__unit *unit, LLVMValueRef global)
{
    LLVMMetadataRef variable = lw__di_of_global(global);
    size_t length = 0;
    const char *name = variable ? lw__di_variable_name(unit->context, variable, &length) : NULL;
    struct lw__text text = lw__text_in(&unit->scratch);
    if (!name)
        return;
    lw__di_scopes(unit->context, lw__di_operand(unit->context, variable, LW_DI_VARIABLE_SCOPE),
                  &text);
    lw__text_add(&text, "%.*s", (int)length, name);
    LLVMSetValueName2(global, text.data, text.length);
}

/* One of a function is _ZZ3sumPfE4part.part, as C's is sum.part: messages begin after the point. */
static void name_local(struct lw__unit *unit, LLVMValueRef global)
{
    LLVMMetadataRef variable = lw__di_of_global(global);
    size_t length = 0, own_length;
    const char *name = variable ? lw__di_variable_name(unit->context, variable, &length) : NULL;
    const char *own = LLVMGetValueName2(global, &own_length);
    if (!name || !length || strchr(own, '.') ||
        (own_length == length && !strncmp(own, name, length)))
        return;
    own = lw__format(&unit->scratch, "%s.%.*s", own, (int)length, name);
    LLVMSetValueName2(global, own, strlen(own));
}

/* "(float *, int)": types of an overload's parameters. */
static void add_types(LLVMContextRef context, LLVMMetadataRef subprogram, struct lw__text *out)
{
    LLVMMetadataRef type = lw__di_operand(context, subprogram, LW_DI_SUBPROGRAM_TYPE);
    LLVMMetadataRef types = lw__di_operand(context, type, LW_DI_SUBROUTINE_TYPES);
    lw__text_add(out, "(");
    for (unsigned i = 1; i < lw__di_operand_count(context, types); i++) {
        lw__text_add(out, i > 1 ? ", " : "");
        lw__type_spell(context, lw__di_operand(context, types, i), out);
    }
    lw__text_add(out, ")");
}

struct named {
    LLVMValueRef function;
    const char *name;
};

static bool is_taken(const struct named *all, size_t count, size_t self)
{
    for (size_t i = 0; i < count; i++)
        if (i != self && !strcmp(all[i].name, all[self].name))
            return true;
    return false;
}

/* Kernels get the names that C++ has for them. One of several with a name gets its parameters'
 * types, too. */
static void name_kernels(struct lw__unit *unit)
{
    struct named *all = NULL;
    size_t count = 0;
    EACH_FUNCTION(f, unit->module) {
        if (!is_kernel(f) || LLVMIsDeclaration(f) || !LLVMGetSubprogram(f))
            continue;
        struct lw__text name = lw__text_in(&unit->scratch);
        add_name(unit->context, LLVMGetSubprogram(f), &name);
        all = lw__one_more(&unit->scratch, all, count, sizeof *all);
        all[count++] = (struct named){f, name.data};
    }
    for (size_t i = 0; i < count; i++) {
        struct lw__text name = lw__text_in(&unit->scratch);
        lw__text_add(&name, "%s", all[i].name);
        if (is_taken(all, count, i))
            add_types(unit->context, LLVMGetSubprogram(all[i].function), &name);
        LLVMSetValueName2(all[i].function, name.data, name.length);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* clang.c has added a variable of this name for each instance: a pointer to the kernel. */
static void take_instances(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->options->instance_count; i++) {
        LLVMValueRef pointer =
            LLVMGetNamedGlobal(unit->module, lw__format(&unit->scratch, LW_INSTANCE ".%zu", i));
        LLVMValueRef kernel = pointer ? LLVMGetInitializer(pointer) : NULL;
        if (kernel && LLVMIsAFunction(kernel))
            lw__llvm_word(kernel, LW_ALIAS, unit->options->instances[i]);
        if (pointer) {
            LLVMReplaceAllUsesWith(pointer, LLVMGetUndef(LLVMTypeOf(pointer)));
            LLVMDeleteGlobal(pointer);
        }
    }
}

/* assert of the host's <assert.h> calls the C library. */
static void replace_asserts(struct lw__unit *unit)
{
    LLVMValueRef theirs = LLVMGetNamedFunction(unit->module, "__assert_fail");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    EACH_CALL(call, theirs) {
        LLVMValueRef text = LLVMGetOperand(call, 0);
        LLVMPositionBuilderBefore(b, call);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
        lw__ir_call(b, unit->module, "lw.assert_fail", LLVMVoidTypeInContext(unit->context), &text,
                    1);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(b);
    if (theirs)
        LLVMDeleteFunction(theirs);
}

/* True if it is a variable of the device. clang does not mark those that are static. */
static bool is_symbol(LLVMValueRef global)
{
    const bool is_own = LLVMGetLinkage(global) == LLVMPrivateLinkage ||
                        lw__ir_in_section(global, "lw.shared") ||
                        lw__ir_in_section(global, "lw.dynshared");
    return !is_own && (LLVMIsExternallyInitialized(global) || !LLVMIsGlobalConstant(global));
}

/* What is no kernel may go, and takes no part in the linker's choice among files. */
static void make_internal(struct lw__unit *unit)
{
    LLVMModuleRef module = unit->module;
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (list)
            LLVMDeleteGlobal(list);
    }
    EACH_FUNCTION(f, module) {
        LLVMSetComdat(f, NULL);
        if (LLVMIsDeclaration(f))
            continue;
        LLVMSetLinkage(f, is_kernel(f) ? LLVMExternalLinkage : LLVMInternalLinkage);
        name_helper(unit, f);
    }
    EACH_GLOBAL(g, module) {
        LLVMSetComdat(g, NULL);
        if (LLVMIsDeclaration(g) || LLVMGetLinkage(g) == LLVMAppendingLinkage)
            continue;
        if (lw__ir_in_section(g, "lw.shared"))
            name_symbol(unit, g);
        if (is_symbol(g)) {
            if (!lw__ir_in_section(g, "lw.constant"))
                LLVMSetSection(g, "lw.symbol");
            name_symbol(unit, g);
        } else {
            name_local(unit, g);
        }
        LLVMSetExternallyInitialized(g, 0);
        if (LLVMGetLinkage(g) != LLVMPrivateLinkage)
            LLVMSetLinkage(g, LLVMInternalLinkage);
    }
}

/* lw__cuda_module - make unit->module, clang's of a CUDA file, one that the passes know. */
bool lw__cuda_module(struct lw__unit *unit)
{
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(unit->context), 1, 0));
    LLVMAddModuleFlag(unit->module, LLVMModuleFlagBehaviorOverride, LW_CUDA_FLAG,
                      strlen(LW_CUDA_FLAG), one);
    read_annotations(unit);
    take_instances(unit);
    replace_asserts(unit);
    make_internal(unit);
    if (!lw__llvm_passes(unit, LW_PASSES_drop_unused))
        return false;
    name_kernels(unit);
    lw__front_inline_ptx(unit);
    lw__front_function_pointers(unit);
    lw__front_lockstep(unit);
    return true;
}
