/* location.c - the source location of an instruction, a global, a variable or a function. */
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

LLVMMetadataRef lw__di_of_global(LLVMValueRef global)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    LLVMMetadataRef variable = NULL;
    for (unsigned i = 0; i < count && !variable; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind)
            variable = LLVMDIGlobalVariableExpressionGetVariable(node);
    }
    LLVMDisposeValueMetadataEntries(entries);
    return variable;
}

static LLVMContextRef context_of(LLVMValueRef global)
{
    return LLVMGetModuleContext(LLVMGetGlobalParent(global));
}

/* Without debug info only clang's name is known: `function.x` for a function's static x. */
const char *lw__source_name(LLVMValueRef global)
{
    LLVMMetadataRef variable = LLVMIsAGlobalVariable(global) ? lw__di_of_global(global) : NULL;
    size_t length;
    const char *name =
        variable ? lw__di_variable_name(context_of(global), variable, &length) : NULL;
    if (name && length)
        return name;
    name = LLVMGetValueName2(global, &length);
    const char *dot = LLVMGetLinkage(global) == LLVMInternalLinkage ? strchr(name, '.') : NULL;
    return dot && dot != name && dot[1] ? dot + 1 : name;
}

/* The debug info of an instruction, from the innermost that has a line: an instruction without one
 * is located where it was inlined. Example: the call in a builtin that clang has made a function
 * of. */
static LLVMMetadataRef first_with_line(LLVMMetadataRef at)
{
    while (at && !LLVMDILocationGetLine(at))
        at = LLVMDILocationGetInlinedAt(at);
    return at;
}

static void set_place(LLVMMetadataRef at, struct lw__loc *loc)
{
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(at));
    loc->line = LLVMDILocationGetLine(at);
    loc->column = LLVMDILocationGetColumn(at);
    loc->file = file ? LLVMDIFileGetFilename(file, &loc->file_length) : NULL;
    loc->directory = file ? LLVMDIFileGetDirectory(file, &loc->directory_length) : NULL;
}

size_t lw__loc_callers(LLVMValueRef instruction, struct lw__loc *callers, size_t most)
{
    size_t count = 0;
    LLVMMetadataRef at = first_with_line(LLVMInstructionGetDebugLoc(instruction));
    while (at && count < most && (at = first_with_line(LLVMDILocationGetInlinedAt(at)))) {
        callers[count] = (struct lw__loc){0};
        set_place(at, &callers[count++]);
    }
    return count;
}

struct lw__loc lw__loc_of(LLVMValueRef value)
{
    struct lw__loc loc = {0};
    loc.line = LLVMGetDebugLocLine(value);
    loc.file = LLVMGetDebugLocFilename(value, &loc.file_length);
    loc.directory = LLVMGetDebugLocDirectory(value, &loc.directory_length);
    if (!LLVMIsAInstruction(value)) {
        loc.name = lw__source_name(value);
        loc.name_length = strlen(loc.name);
        return loc;
    }
    loc.column = LLVMGetDebugLocColumn(value);
    LLVMMetadataRef at = loc.line ? NULL : first_with_line(LLVMInstructionGetDebugLoc(value));
    if (at)
        set_place(at, &loc);
    return loc;
}

struct lw__loc lw__loc_of_variable(LLVMValueRef function, LLVMMetadataRef variable)
{
    struct lw__loc loc = lw__loc_of(function);
    loc.line = LLVMDIVariableGetLine(variable);
    loc.name = lw__di_variable_name(context_of(function), variable, &loc.name_length);
    return loc;
}

/* The first instruction that uses the value, itself or through constants; NULL without one. */
static LLVMValueRef first_user(LLVMValueRef value)
{
    EACH_USE(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user))
            user = LLVMIsAGlobalValue(user) ? NULL : first_user(user);
        if (user)
            return user;
    }
    return NULL;
}

struct lw__loc lw__loc_of_use(LLVMValueRef global)
{
    LLVMValueRef user = first_user(global);
    return user ? lw__loc_of(user) : (struct lw__loc){0};
}
