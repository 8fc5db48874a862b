/* private.c - which bytes of the thread's own arrays and structs have a value.
 *
 * Each gets a twin of the same size, whose bytes are all ones where the first has a value: a store
 * sets them, a copy copies them, a declaration clears them, and a load needs them. Scalars of both
 * leave memory in the same way, and what is left folds.
 */
#include "compile/check/screen/screen.h"
#include "compile/llvm/llvm.h"
#include <string.h>

struct twins {
    struct lw__screen *s;
    size_t count;
    struct {
        LLVMValueRef variable, twin;
    } *rows;
};

static LLVMTypeRef bits_of(struct lw__screen *s, uint64_t bytes)
{
    return LLVMIntTypeInContext(s->unit->context, (unsigned)(8 * bytes));
}

static LLVMValueRef twin_of(const struct twins *t, LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].variable == object)
            return t->rows[i].twin;
    return NULL;
}

/* At the builder: where the twin has what the pointer is to. */
static LLVMValueRef beside(struct twins *t, LLVMValueRef pointer)
{
    LLVMValueRef index = lw__ir_offset(t->s->b, t->s->data, pointer, 1);
    return LLVMBuildGEP2(t->s->b, t->s->i8, twin_of(t, pointer), &index, 1, "");
}

static void set_bytes(struct twins *t, LLVMValueRef to, bool have, LLVMValueRef bytes)
{
    LLVMBuildMemSet(t->s->b, to, LLVMConstInt(t->s->i8, have ? 0xff : 0, 0), bytes, 1);
}

static void follow(struct twins *t, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    lw__screen_set_at(t->s, i);
    if (LLVMIsAStoreInst(i) && twin_of(t, LLVMGetOperand(i, 1))) {
        LLVMValueRef v = LLVMGetOperand(i, 0);
        LLVMTypeRef bits = bits_of(t->s, LLVMStoreSizeOfType(t->s->data, LLVMTypeOf(v)));
        LLVMValueRef have =
            lw__screen_is_undefined(v) ? LLVMConstNull(bits) : LLVMConstAllOnes(bits);
        LLVMSetAlignment(LLVMBuildStore(t->s->b, have, beside(t, LLVMGetOperand(i, 1))), 1);
    } else if (LLVMIsALoadInst(i) && twin_of(t, LLVMGetOperand(i, 0))) {
        LLVMTypeRef bits = bits_of(t->s, LLVMStoreSizeOfType(t->s->data, LLVMTypeOf(i)));
        LLVMValueRef have = LLVMBuildLoad2(t->s->b, bits, beside(t, LLVMGetOperand(i, 0)), "");
        LLVMSetAlignment(have, 1);
        lw__screen_require(t->s,
                           LLVMBuildICmp(t->s->b, LLVMIntEQ, have, LLVMConstAllOnes(bits), ""));
    } else if (!strncmp(name, "llvm.mem", 8)) {
        /* From a variable, or from a constant, all of which has a value. */
        LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
        LLVMValueRef bytes = LLVMGetOperand(i, 2);
        if (!strncmp(name, "llvm.memset.", 12) || !twin_of(t, from))
            set_bytes(t, beside(t, to), true, bytes);
        else
            LLVMBuildMemMove(t->s->b, beside(t, to), 1, beside(t, from), 1, bytes);
    } else if (!strcmp(name, "lw.declared")) {
        LLVMTypeRef type = LLVMGetAllocatedType(LLVMGetOperand(i, 0));
        set_bytes(t, twin_of(t, LLVMGetOperand(i, 0)), false,
                  LLVMConstInt(t->s->i64, LLVMABISizeOfType(t->s->data, type), 0));
        LLVMInstructionEraseFromParent(i);
    }
}

static void add_twin(struct twins *t, LLVMValueRef variable)
{
    t->rows = lw__one_more(&t->s->unit->scratch, t->rows, t->count, sizeof *t->rows);
    lw__screen_set_at(t->s, variable);
    t->rows[t->count].variable = variable;
    t->rows[t->count].twin = LLVMBuildAlloca(t->s->b, LLVMGetAllocatedType(variable), "");
    LLVMSetAlignment(t->rows[t->count++].twin, LLVMGetAlignment(variable));
}

void lw__screen_follow_private(struct lw__screen *s)
{
    struct twins t = {.s = s};
    EACH_INSTRUCTION(i, LLVMGetEntryBasicBlock(s->function))
        if (LLVMIsAAllocaInst(i) && i != s->now && i != s->count)
            add_twin(&t, i);
    EACH_INSTRUCTION_OF_SAFE(i, s->function)
        follow(&t, i);
}
