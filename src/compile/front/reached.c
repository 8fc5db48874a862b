/* reached.c - the functions and globals that a kernel refers to, by what it calls, too. */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"

bool lw__is_reached(const struct lw__reached *r, LLVMValueRef value)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->values[i] == value)
            return true;
    return false;
}

/* Add what a constant or a global refers to. */
static void add(struct lw__arena *arena, struct lw__reached *r, LLVMValueRef value)
{
    if (!LLVMIsConstant(value) || LLVMIsABlockAddress(value))
        return;
    if (LLVMIsAFunction(value) || LLVMIsAGlobalVariable(value)) {
        if (lw__is_reached(r, value))
            return;
        r->values = lw__one_more(arena, r->values, r->count, sizeof(LLVMValueRef));
        r->values[r->count++] = value;
        LLVMValueRef initial = LLVMIsAGlobalVariable(value) ? LLVMGetInitializer(value) : NULL;
        if (initial)
            add(arena, r, initial);
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        add(arena, r, LLVMGetOperand(value, (unsigned)i));
}

void lw__reached_find(struct lw__arena *arena, LLVMValueRef kernel, struct lw__reached *r)
{
    *r = (struct lw__reached){0};
    add(arena, r, kernel);
    for (size_t i = 0; i < r->count; i++) { /* what is found on the way is looked at, too */
        if (!LLVMIsAFunction(r->values[i]))
            continue;
        EACH_INSTRUCTION_OF(instruction, r->values[i])
            for (int k = 0; k < LLVMGetNumOperands(instruction); k++) {
                LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)k);
                if (!LLVMValueIsBasicBlock(operand))
                    add(arena, r, operand);
            }
    }
}
