/* module.c - what a GPU's program holds beside its entries: devlib's functions, texts that the host
 * reads, and scratch memory of block ops.
 */
#include "compile/gpu/gpu.h"
#include "compile/common/common.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The result of the first step holds what the host calls. devlib is inlined, then deleted. */
void lw__gpu_keep_entries(struct lw__unit *unit)
{
    EACH_FUNCTION_SAFE(f, unit->module) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (!LLVMCountBasicBlocks(f)) {
            if (!LLVMGetFirstUse(f))
                LLVMDeleteFunction(f);
        } else if (lw__ir_is_libcall(name) || !strncmp(name, "lw.sizes.", 9)) {
            LLVMDeleteFunction(f);
        } else if (!lw__ir_is_kernel(unit, f)) {
            const unsigned apart = LLVMGetEnumAttributeKindForName("noinline", 8);
            lw__link_no_target(f);
            LLVMSetLinkage(f, LLVMInternalLinkage);
            if (!LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, apart))
                lw__llvm_attribute(f, "alwaysinline", true);
        }
    }
}

/* The bytes of a constant text; NULL: it is none. LLVM has "" as a zero and not as data. */
static const char *text_of(LLVMValueRef g, size_t *bytes)
{
    LLVMValueRef value = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
    if (!value || !LLVMIsGlobalConstant(g) || lw__ir_is_shared(g))
        return NULL;
    if (LLVMIsAConstantDataSequential(value) && LLVMIsConstantString(value))
        return LLVMGetAsString(value, bytes);
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_empty =
        LLVMIsNull(value) && LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
        LLVMGetArrayLength2(type) == 1 &&
        LLVMGetElementType(type) == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
    *bytes = 1;
    return is_empty ? "" : NULL;
}

/* All texts become one array, one after the other, so that the host finds a text by its address. */
void lw__gpu_gather_texts(struct lw__unit *unit)
{
    struct lw__text all = lw__text_in(&unit->scratch);
    LLVMContextRef c = unit->context;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c), i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef g, next, array = NULL;
    EACH_GLOBAL(g, unit->module) {
        size_t bytes;
        const char *text = text_of(g, &bytes);
        if (text)
            lw__text_add_bytes(&all, text, bytes);
    }
    if (all.length) {
        LLVMValueRef data = LLVMConstStringInContext2(c, all.data, all.length, 1);
        array = LLVMAddGlobalInAddressSpace(unit->module, LLVMTypeOf(data), unit->gpu->texts,
                                            unit->gpu->global);
        LLVMSetInitializer(array, data);
        LLVMSetGlobalConstant(array, 1);
    }
    uint64_t at = 0;
    for (g = LLVMGetFirstGlobal(unit->module); array && g; g = next) {
        next = LLVMGetNextGlobal(g);
        size_t bytes;
        if (g == array || !text_of(g, &bytes))
            continue;
        LLVMValueRef offset = LLVMConstInt(i64, at, 0);
        LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(LLVMConstGEP2(i8, array, &offset, 1),
                                                         LLVMPointerTypeInContext(c, 0)));
        LLVMDeleteGlobal(g);
        at += bytes;
    }
}

/* devlib's own scratch memory: static shared memory. */
void lw__gpu_place_scratch(struct lw__unit *unit)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(unit->context, 0);
    EACH_GLOBAL_SAFE(g, unit->module) {
        if (!lw__ir_in_section(g, "lw.scratch"))
            continue;
        if (!LLVMGetFirstUse(g)) {
            LLVMDeleteGlobal(g);
            continue;
        }
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        LLVMValueRef s = LLVMAddGlobalInAddressSpace(unit->module, type, "", unit->gpu->shared);
        LLVMSetAlignment(s, 8);
        /* External: LLVM assumes that a barrier does not change the module's internal memory. */
        LLVMSetInitializer(s, LLVMGetUndef(type));
        LLVMSetLinkage(s, LLVMExternalLinkage);
        LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(s, ptr));
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        LLVMSetValueName2(s, name, length);
        LLVMDeleteGlobal(g);
    }
}

/* lw__pass_host - what of a program for the GPU the host calls: lw.sizes.K, lw.common.
 * needs COMMON DESCRIBED   makes FINAL   breaks COMMON
 */
bool lw__pass_host(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++) {
        LLVMValueRef f = unit->kernels.rows[i].function;
        LLVMSetSubprogram(f, NULL);
        LLVMDeleteFunction(f);
    }
    unit->kernels.count = 0;
    return lw__llvm_passes(unit, LW_PASSES_drop_unused);
}
