/* declare.c - for the device `check`: a variable has no value where it is declared.
 *
 * A scalar or short vector is set there to what is loaded from the global `lw.undefined.N`, all of
 * whose bits are undefined; N is the site of the declaration. So it may leave memory, and LLVM has
 * no undefined values to fold. For structs and arrays there is a call instead:
 *
 *     call void @lw.declared(ptr %variable)
 *
 * An alloca has the site as its metadata `lw.site`. shadow.c takes all of them away.
 *
 * A parameter is set before clang declares it; so a variable that its block has set by then is one.
 */
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

struct declarer {
    struct lw__unit *unit;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    unsigned site_kind;
    struct lw__kernel *kernel;
};

/* ---- sites ----------------------------------------------------------------------------------- */

size_t lw__shadow_declaration(struct lw__unit *unit, struct lw__loc loc)
{
    return lw__ir_site_at(
        unit, loc,
        lw__format(&unit->scratch, "'%.*s'", (int)loc.name_length, loc.name ? loc.name : ""));
}

/* True if the line declares dynamic memory of that name. */
static bool declares(const char *line, size_t length, const char *name)
{
    const char *at = line ? memmem(line, length, "DYNAMIC_SHARED", 14) : NULL;
    return at && memmem(at, length - (size_t)(at - line), name, strlen(name));
}

/* Block memory. clang describes none of no fixed size: its declaration is the last before a use. */
size_t lw__shadow_declaration_of(struct lw__unit *unit, LLVMValueRef global, const char *name)
{
    struct lw__loc loc = lw__loc_of(global), use = loc.line ? loc : lw__loc_of_use(global);
    for (unsigned line = use.line; line && !loc.line; line--) {
        use.line = line;
        use.column = 0;
        size_t length;
        const char *at = lw__front_line(&unit->diags, use, &length);
        if (at && declares(at, length, name))
            loc = use;
    }
    if (!loc.line)
        loc = lw__loc_of_use(global);
    loc.name = name;
    loc.name_length = strlen(name);
    return lw__shadow_declaration(unit, loc);
}

static void set_site(struct declarer *d, LLVMValueRef variable, size_t site)
{
    LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(d->i32, site, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(d->unit->context, &number, 1);
    LLVMSetMetadata(variable, d->site_kind, LLVMMetadataAsValue(d->unit->context, node));
}

bool lw__shadow_site(LLVMValueRef variable, uint32_t *site)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(variable));
    LLVMValueRef node = LLVMGetMetadata(variable, LLVMGetMDKindIDInContext(context, "lw.site", 7));
    if (!node || LLVMGetMDNodeNumOperands(node) != 1)
        return false;
    LLVMValueRef number;
    LLVMGetMDNodeOperands(node, &number);
    *site = (uint32_t)LLVMConstIntGetZExtValue(number);
    return true;
}

/* ---- a variable ------------------------------------------------------------------------------ */

static bool is_scalar(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
    case LLVMVectorTypeKind: return true;
    default: return false;
    }
}

/* At the builder: the variable has no value. */
static void undefine(struct declarer *d, LLVMValueRef variable, uint32_t site)
{
    LLVMModuleRef module = d->unit->module;
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    char name[sizeof LW_UNDEFINED + 16];
    snprintf(name, sizeof name, LW_UNDEFINED "%u", site);
    if (is_scalar(type)) {
        LLVMValueRef global = LLVMGetNamedGlobal(module, name);
        if (!global)
            global = LLVMAddGlobal(module, type, name);
        LLVMBuildStore(d->b, LLVMBuildLoad2(d->b, type, global, ""), variable);
        return;
    }
    lw__ir_call(d->b, module, LW_DECLARED, LLVMVoidTypeInContext(d->unit->context), &variable, 1);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* What a declaration declares; NULL: no alloca. */
static LLVMValueRef declared_by(LLVMValueRef declaration)
{
    LLVMValueRef operand = LLVMGetOperand(declaration, 0), variable;
    if (LLVMGetMDNodeNumOperands(operand) != 1)
        return NULL;
    LLVMGetMDNodeOperands(operand, &variable);
    return variable && LLVMIsAAllocaInst(variable) ? variable : NULL;
}

static bool sets(LLVMValueRef i, LLVMValueRef variable)
{
    if (LLVMIsAStoreInst(i))
        return lw__ir_object(LLVMGetOperand(i, 1)) == variable;
    return !strncmp(lw__ir_callee(i), "llvm.mem", 8) &&
           lw__ir_object(LLVMGetOperand(i, 0)) == variable;
}

static bool is_set_before(LLVMValueRef variable, LLVMValueRef at)
{
    while ((at = LLVMGetPreviousInstruction(at)))
        if (sets(at, variable))
            return true;
    return false;
}

static void note(struct declarer *d, LLVMValueRef declaration)
{
    LLVMValueRef variable = declared_by(declaration);
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMGetOperand(declaration, 1));
    uint32_t site;
    if (!variable || lw__shadow_site(variable, &site))
        return;
    struct lw__loc loc = lw__loc_of(declaration);
    loc.name = lw__di_variable_name(d->unit->context, node, &loc.name_length);
    site = (uint32_t)lw__shadow_declaration(d->unit, loc);
    set_site(d, variable, site);
    EACH_USE(u, variable) {
        LLVMValueRef user = LLVMGetUser(u);
        for (unsigned k = 0; LLVMIsAStoreInst(user) && k < d->kernel->param_count; k++)
            if (LLVMGetOperand(user, 0) == LLVMGetParam(d->kernel->function, k))
                d->kernel->params[k].origin = 1 + (size_t)site;
    }
}

static void declare(struct declarer *d, LLVMValueRef declaration)
{
    LLVMValueRef variable = declared_by(declaration);
    uint32_t site;
    if (!variable || is_set_before(variable, declaration) || !lw__shadow_site(variable, &site))
        return;
    LLVMPositionBuilderBefore(d->b, LLVMGetNextInstruction(declaration));
    LLVMSetCurrentDebugLocation2(d->b, LLVMInstructionGetDebugLoc(declaration));
    undefine(d, variable, site);
}

static void for_declarations(struct declarer *d, LLVMValueRef f,
                             void (*fn)(struct declarer *d, LLVMValueRef declaration))
{
    EACH_INSTRUCTION_OF(i, f)
        if (lw__ir_calls(i, LW_LLVM_dbg_declare))
            fn(d, i);
}

/* lw__pass_declare - variables have no value where they are declared.
 * needs ENTERED
 */
bool lw__pass_declare(struct lw__unit *unit)
{
    LLVMContextRef context = unit->context;
    struct declarer d = {.unit = unit,
                         .b = LLVMCreateBuilderInContext(context),
                         .i32 = LLVMInt32TypeInContext(context),
                         .site_kind = LLVMGetMDKindIDInContext(context, "lw.site", 7)};
    LLVMSetIsNewDbgInfoFormat(unit->module, 0); /* declarations as calls, which can be read */
    for (size_t k = 0; k < unit->kernels.count; k++) {
        LLVMValueRef f = unit->kernels.rows[k].function;
        d.kernel = &unit->kernels.rows[k];
        for_declarations(&d, f, note);
        for_declarations(&d, f, declare);
        /* After all allocas of the entry. */
        LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
        while (LLVMIsAAllocaInst(i))
            i = LLVMGetNextInstruction(i);
        LLVMPositionBuilderBefore(d.b, i);
        LLVMSetCurrentDebugLocation2(d.b, NULL);
        for (i = LLVMGetPreviousInstruction(i); i; i = LLVMGetPreviousInstruction(i)) {
            /* clang's own variables, which it does not declare, have the location of their first
             * use. */
            uint32_t site;
            if (!lw__shadow_site(i, &site)) {
                struct lw__loc loc = lw__loc_of_use(i);
                loc.name_length = 0;
                set_site(&d, i, lw__shadow_declaration(d.unit, loc));
                (void)lw__shadow_site(i, &site);
            }
            undefine(&d, i, site);
        }
    }
    LLVMSetIsNewDbgInfoFormat(unit->module, 1);
    LLVMDisposeBuilder(d.b);
    return true;
}
