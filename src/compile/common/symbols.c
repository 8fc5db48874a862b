/* symbols.c - __constant__ and __device__ variables of a CUDA file become parameters.
 *
 * Such a variable keeps its value between launches, and the host has it by its name. So it is a
 * buffer of the program's, which the library makes with the value in the payload. Each
 * kernel that uses it gets its address as one parameter more, after its own: all that looks at
 * accesses then takes it for what it is, an object with a name.
 */
#include "compile/common/common.h"
#include "compile/front/front.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include "base/manifest.h"

static bool is_symbol(LLVMValueRef global)
{
    return lw__ir_in_section(global, "lw.symbol") || lw__ir_in_section(global, "lw.constant");
}

/* The variable's type in the debug info; NULL: there is none. */
static LLVMMetadataRef type_of(LLVMContextRef context, LLVMValueRef global)
{
    LLVMMetadataRef variable = lw__di_of_global(global);
    return variable ? lw__di_operand(context, variable, LW_DI_VARIABLE_TYPE) : NULL;
}

/* A pointer to the variable's elements, as a parameter's row has it. */
static void describe(struct lw__unit *unit, LLVMValueRef global, struct lw__param *param)
{
    struct lw__text type = lw__text_in(&unit->arena), layout = type;
    LLVMMetadataRef node = type_of(unit->context, global);
    LLVMMetadataRef element = node ? lw__type_element(unit->context, node) : NULL;
    lw__text_add(&layout, lw__ir_in_section(global, "lw.constant") ? "pc(" : "p(");
    if (element)
        lw__type_layout(unit->context, element, &layout);
    else
        lw__text_add(&layout, "void");
    lw__text_add(&layout, ")");
    if (node)
        lw__type_spell(unit->context, node, &type);
    size_t length;
    param->name = lw__copy(&unit->arena, LLVMGetValueName2(global, &length));
    param->type = type.length ? type.data : lw__copy(&unit->arena, "void");
    param->layout = layout.data;
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(unit->module);
    param->is_symbol = true;
    param->symbol_bytes = LLVMABISizeOfType(data, LLVMGlobalGetValueType(global));
}

static bool add_params(struct lw__unit *unit, struct lw__kernel *k)
{
    struct lw__shared_layout symbols;
    lw__globals_of(unit, k->function, is_symbol, &symbols);
    if (!symbols.count)
        return true;
    if (k->param_count + symbols.count > LW_PARAMS_MAX) {
        lw__diags_error(&unit->diags, k->loc,
                        "kernel '%s' has %u parameters and uses %zu variables of the device; "
                        "together at most %d are possible",
                        k->name, k->param_count, symbols.count, LW_PARAMS_MAX);
        return true;
    }
    LLVMValueRef f = k->function;
    for (size_t i = 0; i < symbols.count; i++) {
        f = lw__add_record(unit, &unit->arena, k, 0);
        describe(unit, symbols.globals[i], &k->params[k->param_count - 1]);
    }
    symbols.places = lw__new(&unit->scratch, symbols.count, sizeof *symbols.places);
    for (size_t i = 0; i < symbols.count; i++)
        symbols.places[i] = LLVMGetParam(f, (unsigned)(k->param_count - symbols.count + i));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
    LLVMBuilderRef early = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderBefore(early, LLVMGetFirstInstruction(entry));
    const bool ok = lw__shared_replace(unit, f, &symbols, NULL, early, entry);
    LLVMDisposeBuilder(early);
    return ok;
}

/* The value stays in the payload, under a name for the library: what the module has of it is the
 * value before any launch. */
static void keep_values(struct lw__unit *unit)
{
    EACH_GLOBAL(g, unit->module)
        if (is_symbol(g)) {
            size_t length;
            const char *name =
                lw__format(&unit->scratch, LW_SYMBOL_PREFIX ".%s", LLVMGetValueName2(g, &length));
            LLVMSetValueName2(g, name, strlen(name));
            LLVMSetSection(g, "");
            LLVMSetLinkage(g, LLVMExternalLinkage);
        }
}

/* lw__pass_symbols - the variables of a CUDA file become parameters of the kernels that use them.
 * needs ENTERED
 */
bool lw__pass_symbols(struct lw__unit *unit)
{
    if (!lw__ir_is_cuda(unit->module))
        return true;
    for (size_t i = 0; i < unit->kernels.count; i++)
        if (!add_params(unit, &unit->kernels.rows[i]))
            return false;
    keep_values(unit);
    return true;
}
