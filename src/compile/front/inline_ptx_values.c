/* inline_ptx_values.c - registers of PTX in asm statements, their types, and values of operands. */
#include "compile/front/inline_ptx.h"
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

bool ptx_read_type(const char *word, struct ptx_type *type)
{
    if (!strcmp(word, "pred")) {
        *type = (struct ptx_type){'p', 1};
        return true;
    }
    if (!strcmp(word, "bf16")) {
        *type = (struct ptx_type){'h', 16};
        return true;
    }
    char *end;
    const unsigned long bits = word[0] && strchr("usbf", word[0]) ? strtoul(word + 1, &end, 10) : 0;
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || *end ||
        (word[0] == 'f' && bits < 16))
        return false;
    *type = (struct ptx_type){word[0], (unsigned)bits};
    return true;
}

LLVMTypeRef ptx_llvm_type(const struct ptx *x, struct ptx_type type)
{
    if (type.letter == 'h')
        return LLVMBFloatTypeInContext(x->context);
    if (type.letter == 'f')
        return type.bits == 16   ? LLVMHalfTypeInContext(x->context)
               : type.bits == 32 ? LLVMFloatTypeInContext(x->context)
                                 : LLVMDoubleTypeInContext(x->context);
    return LLVMIntTypeInContext(x->context, type.bits);
}

LLVMValueRef ptx_int(const struct ptx *x, unsigned bits, uint64_t number)
{
    return LLVMConstInt(LLVMIntTypeInContext(x->context, bits), number, 0);
}

LLVMValueRef ptx_call(struct ptx *x, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                      unsigned count)
{
    return lw__ir_call(x->b, x->module, name, result, args, count);
}

static unsigned bits_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind: return 64;
    default: return 0;
    }
}

LLVMValueRef ptx_as(struct ptx *x, LLVMValueRef value, LLVMTypeRef to, bool is_signed)
{
    LLVMTypeRef from = LLVMTypeOf(value);
    const unsigned from_bits = bits_of(from), to_bits = bits_of(to);
    if (from == to)
        return value;
    if (!from_bits || !to_bits)
        return NULL;
    LLVMTypeRef word = LLVMIntTypeInContext(x->context, from_bits);
    LLVMTypeRef target = LLVMIntTypeInContext(x->context, to_bits);
    if (LLVMGetTypeKind(from) == LLVMPointerTypeKind)
        value = LLVMBuildPtrToInt(x->b, value, word, "");
    else
        value = LLVMBuildBitCast(x->b, value, word, "");
    if (to_bits < from_bits)
        value = LLVMBuildTrunc(x->b, value, target, "");
    else if (to_bits > from_bits)
        value = is_signed ? LLVMBuildSExt(x->b, value, target, "")
                          : LLVMBuildZExt(x->b, value, target, "");
    if (LLVMGetTypeKind(to) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(x->b, value, to, "");
    return LLVMBuildBitCast(x->b, value, to, "");
}

struct ptx_register *ptx_find(struct ptx *x, const char *name)
{
    for (size_t i = x->register_count; i-- > 0;)
        if (!strcmp(x->registers[i].name, name))
            return &x->registers[i];
    return NULL;
}

struct ptx_register *ptx_add(struct ptx *x, const char *name, LLVMTypeRef type)
{
    x->registers =
        lw__one_more(&x->unit->scratch, x->registers, x->register_count, sizeof *x->registers);
    x->registers[x->register_count] =
        (struct ptx_register){lw__copy(&x->unit->scratch, name), LLVMGetUndef(type), type};
    return &x->registers[x->register_count++];
}

LLVMValueRef ptx_value(struct ptx *x, const struct ptx_operand *operand, struct ptx_type type)
{
    LLVMTypeRef to = ptx_llvm_type(x, type);
    LLVMValueRef value;
    if (operand->name) {
        const struct ptx_register *r = ptx_find(x, operand->name);
        value = r ? ptx_as(x, r->value, to, type.letter == 's') : NULL;
    } else {
        LLVMValueRef bits = ptx_int(x, operand->is_float ? type.bits : 64, operand->number);
        value = ptx_as(x, bits, to, true);
    }
    return value && operand->is_negated ? LLVMBuildNot(x->b, value, "") : value;
}

LLVMValueRef ptx_address(struct ptx *x, const struct ptx_operand *operand)
{
    const struct ptx_register *r = operand->is_address ? ptx_find(x, operand->name) : NULL;
    if (!r || bits_of(r->type) != 64)
        return NULL;
    LLVMValueRef at = ptx_as(x, r->value, LLVMPointerTypeInContext(x->context, 0), false);
    LLVMValueRef offset = ptx_int(x, 64, operand->number);
    return operand->number
               ? LLVMBuildGEP2(x->b, LLVMInt8TypeInContext(x->context), at, &offset, 1, "")
               : at;
}

bool ptx_name_result(struct ptx *x, const struct ptx_statement *s, const char *name,
                     LLVMValueRef value, bool is_signed)
{
    struct ptx_register *r = name ? ptx_find(x, name) : NULL;
    if (name && !strcmp(name, "_"))
        return true;
    value = r && value ? ptx_as(x, value, r->type, is_signed) : NULL;
    if (!value)
        return false;
    if (s->has_guard) {
        LLVMValueRef guard = ptx_value(x, &s->guard, (struct ptx_type){'p', 1});
        if (!guard)
            return false;
        value = LLVMBuildSelect(x->b, guard, value, r->value, "");
    }
    r->value = value;
    return true;
}

bool ptx_result(struct ptx *x, const struct ptx_statement *s, unsigned operand, unsigned lane,
                LLVMValueRef value, bool is_signed)
{
    const struct ptx_operand *to = &s->operand[operand][lane];
    return !to->is_address && ptx_name_result(x, s, to->name, value, is_signed);
}

bool ptx_is(const struct ptx_statement *s, const char *word)
{
    for (unsigned i = 1; i < s->words; i++)
        if (!strcmp(s->word[i], word))
            return true;
    return false;
}
