/* texts.c - a read of each byte that a %s prints.
 *
 * The library reads the text of a %s while the thread stands. Before that the kernel reads it, too:
 *
 *     for (n = 0; p && n < most && p[n]; n++)
 *
 * So all that looks at accesses looks at these: checks of bounds, undefined bits, races. What the
 * library then reads has been allowed. A literal needs no loop. The pass comes after the inliner,
 * so that the loop is no part of any instance, and before the accesses are looked at.
 */
#include "base/conversion.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"

struct reader {
    struct lw__unit *unit;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64;
};

/* How many bytes the conversion prints at most; precision: the argument for a `*`. */
static LLVMValueRef most_of(struct reader *r, const struct lw__conversion *c,
                            LLVMValueRef precision)
{
    LLVMValueRef most = LLVMConstInt(r->i64, LW_TEXT_BYTES_MAX, 0);
    if (!c->takes_precision)
        return c->precision < 0 ? most : LLVMConstInt(r->i64, (unsigned)c->precision, 0);
    LLVMValueRef wide = LLVMBuildZExt(r->b, LLVMBuildIntCast2(r->b, precision, r->i32, 1, ""),
                                      r->i64, ""); /* a negative one is none, and large */
    LLVMValueRef is_less = LLVMBuildICmp(r->b, LLVMIntULT, wide, most, "");
    return LLVMBuildSelect(r->b, is_less, wide, most, "");
}

/* The loop, before the call. The byte is used as what is printed is, not as a branch is. */
static void read_text(struct reader *r, LLVMValueRef call, LLVMValueRef text, LLVMValueRef most)
{
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(r->unit->context, tail, "text");
    LLVMBasicBlockRef read = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMBuildCondBr(r->b, LLVMBuildIsNull(r->b, text, ""), tail, test);
    LLVMPositionBuilderAtEnd(r->b, test);
    LLVMValueRef n = LLVMBuildPhi(r->b, r->i64, "");
    LLVMBuildCondBr(r->b, LLVMBuildICmp(r->b, LLVMIntULT, n, most, ""), read, tail);
    LLVMPositionBuilderAtEnd(r->b, read);
    LLVMValueRef at = LLVMBuildGEP2(r->b, r->i8, text, &n, 1, "");
    LLVMValueRef byte = LLVMBuildLoad2(r->b, r->i8, at, "");
    LLVMValueRef is_end = LLVMBuildIsNull(r->b, byte, "");
    lw__ir_mark(byte, LW_TEXT_BYTE);
    lw__ir_mark(is_end, "nosanitize");
    LLVMBuildCondBr(r->b, is_end, tail, next);
    LLVMPositionBuilderAtEnd(r->b, next);
    LLVMValueRef more = LLVMBuildAdd(r->b, n, LLVMConstInt(r->i64, 1, 0), "");
    LLVMBuildBr(r->b, test);
    LLVMAddIncoming(n, (LLVMValueRef[]){LLVMConstInt(r->i64, 0, 0), more},
                    (LLVMBasicBlockRef[]){head, next}, 2);
}

/* Each %s of the format; front/formats.c has seen to it that its arguments are there. */
static void read_texts(struct reader *r, LLVMValueRef call)
{
    const char *format = lw__ir_literal(LLVMGetOperand(call, 0));
    unsigned next = 1;
    struct lw__conversion c;
    while (lw__conversion_next(&format, &c)) {
        next += c.takes_width;
        LLVMValueRef precision = c.takes_precision ? LLVMGetOperand(call, next++) : NULL;
        LLVMValueRef text = LLVMGetOperand(call, next++);
        if (lw__conversion_kind(&c) != 's' || lw__ir_literal(text))
            continue;
        LLVMPositionBuilderBefore(r->b, call);
        read_text(r, call, text, most_of(r, &c, precision));
    }
}

/* lw__pass_texts - kernels read what their %s print.
 * needs ENTERED
 */
bool lw__pass_texts(struct lw__unit *unit)
{
    LLVMContextRef c = unit->context;
    struct reader r = {unit, LLVMCreateBuilderInContext(c), LLVMInt8TypeInContext(c),
                       LLVMInt32TypeInContext(c), LLVMInt64TypeInContext(c)};
    for (size_t k = 0; k < unit->kernels.count; k++) {
        size_t count;
        LLVMValueRef *calls =
            lw__ir_list(&unit->scratch, unit->kernels.rows[k].function, lw__ir_prints, &count);
        for (size_t i = 0; i < count; i++)
            read_texts(&r, calls[i]);
    }
    LLVMDisposeBuilder(r.b);
    return true;
}
