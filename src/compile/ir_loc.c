/* ir_loc.c - where in the source an instruction, a global or a function stands. */
#include "compile/front.h"

struct lw__loc lw__loc_of(LLVMValueRef value)
{
    struct lw__loc loc = {0};
    loc.line = LLVMGetDebugLocLine(value);
    if (LLVMIsAInstruction(value))
        loc.column = LLVMGetDebugLocColumn(value);
    loc.file = LLVMGetDebugLocFilename(value, &loc.file_length);
    loc.directory = LLVMGetDebugLocDirectory(value, &loc.directory_length);
    return loc;
}

/* The first instruction that uses the value, itself or through constants; NULL without one. */
static LLVMValueRef first_user(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
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
