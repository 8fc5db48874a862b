/* inline_ptx.c - CUDA: asm statements with instructions of PTX that have an equal here.
 *
 * The text is read statement by statement. A register is a value that its last statement gave, so
 * there are no branches, and a guard, @p, selects between the new value and the old one. What is
 * not known keeps its asm statement, with the instruction as a mark (LW_PTX): restrictions.c
 * refuses it.
 */
#include "compile/front/inline_ptx.h"
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.' || c == ':';
}

static void skip_blanks(const char **c)
{
    while (**c == ' ' || **c == '\t' || **c == '\n' || **c == '\r')
        ++*c;
}

/* The text as its author wrote it: LLVM has $0 for %0, and marks braces. Comments are blanks. */
static const char *original(struct lw__arena *arena, const char *text, size_t length)
{
    struct lw__text out = lw__text_in(arena);
    lw__text_add(&out, "%s", "");
    for (size_t i = 0; i < length; i++) {
        const char next = i + 1 < length ? text[i + 1] : 0;
        if (text[i] == '$' && next) {
            i++;
            lw__text_add(&out, "%s%c", next >= '0' && next <= '9' ? "%" : "",
                         next == '('   ? '{'
                         : next == ')' ? '}'
                                       : next);
        } else if (text[i] == '/' && (next == '/' || next == '*')) {
            const char *end = next == '/' ? "\n" : "*/";
            while (i < length && strncmp(text + i, end, strlen(end)) != 0)
                i++;
            i += strlen(end) - 1;
            lw__text_add(&out, " ");
        } else {
            lw__text_add_bytes(&out, text + i, 1);
        }
    }
    return out.data;
}

static const char *read_name(struct ptx *x, const char **c)
{
    const char *begin = *c;
    while (is_name(**c))
        ++*c;
    return *c == begin ? NULL : lw__copy_bytes(&x->unit->scratch, begin, (size_t)(*c - begin));
}

/* A register, or a number: 12, -1, 0x1f, 0f3F800000, 0d3FF0000000000000. */
static bool read_value(struct ptx *x, const char **c, struct ptx_operand *out)
{
    skip_blanks(c);
    out->is_negated = **c == '!';
    *c += out->is_negated;
    const bool is_minus = **c == '-';
    const char first = (*c)[is_minus];
    if (first < '0' || first > '9')
        return !is_minus && (out->name = read_name(x, c)) != NULL;
    *c += is_minus;
    out->is_float = first == '0' && (*c)[1] && strchr("fFdD", (*c)[1]);
    char *end;
    out->number = out->is_float ? strtoull(*c + 2, &end, 16) : strtoull(*c, &end, 0);
    if (is_minus)
        out->number = 0 - out->number;
    *c = end + (*end == 'U');
    return true;
}

static bool read_address(struct ptx *x, const char **c, struct ptx_operand *out)
{
    ++*c; /* [ */
    if (!read_value(x, c, out) || !out->name)
        return false;
    out->is_address = true;
    skip_blanks(c);
    if (**c == '+') {
        struct ptx_operand offset = {0};
        ++*c;
        if (!read_value(x, c, &offset) || offset.name)
            return false;
        out->number = offset.number;
    }
    skip_blanks(c);
    return *(*c)++ == ']';
}

static bool read_operand(struct ptx *x, const char **c, struct ptx_statement *s)
{
    struct ptx_operand *to = s->operand[s->operands];
    unsigned *lanes = &s->lanes[s->operands];
    skip_blanks(c);
    *lanes = 1;
    if (**c == '[')
        return read_address(x, c, to);
    if (**c != '{')
        return read_value(x, c, to);
    for (*lanes = 0; **c == '{' || **c == ','; ++*lanes) {
        ++*c;
        if (*lanes == 4 || !read_value(x, c, &to[*lanes]))
            return false;
        skip_blanks(c);
    }
    return *(*c)++ == '}';
}

/* @p opcode operands */
static bool read_statement(struct ptx *x, const char *c, struct ptx_statement *s)
{
    if (*c == '@') {
        c++;
        s->has_guard = true;
        if (!read_value(x, &c, &s->guard))
            return false;
        skip_blanks(&c);
    }
    const char *opcode = read_name(x, &c);
    if (!opcode)
        return false;
    char *words = lw__copy(&x->unit->scratch, opcode);
    for (char *word = words; word; s->words++) {
        char *point = strchr(word, '.');
        if (s->words == PTX_WORDS)
            return false;
        if (point)
            *point++ = 0;
        s->word[s->words] = word;
        word = point;
    }
    skip_blanks(&c);
    for (; *c; s->operands++) {
        if (s->operands == PTX_OPERANDS || !read_operand(x, &c, s))
            return false;
        skip_blanks(&c);
        if (*c == '|') {
            c++;
            skip_blanks(&c);
            s->second = read_name(x, &c);
            skip_blanks(&c);
        }
        if (*c && *c++ != ',')
            return false;
    }
    return true;
}

/* .reg .u32 a, b<4>; */
static bool declare(struct ptx *x, const char *c)
{
    struct ptx_type type;
    c += strlen(".reg");
    skip_blanks(&c);
    const char *word = read_name(x, &c);
    if (!word || *word != '.' || !ptx_read_type(word + 1, &type))
        return false;
    for (;;) {
        skip_blanks(&c);
        const char *name = read_name(x, &c);
        if (!name)
            return false;
        if (*c == '<') {
            char *end;
            const unsigned long count = strtoul(c + 1, &end, 10);
            for (unsigned long i = 0; i < count && i < 1000; i++)
                ptx_add(x, lw__format(&x->unit->scratch, "%s%lu", name, i), ptx_llvm_type(x, type));
            c = end + (*end == '>');
        } else {
            ptx_add(x, name, ptx_llvm_type(x, type));
        }
        skip_blanks(&c);
        if (!*c)
            return true;
        if (*c++ != ',')
            return false;
    }
}

/* The statement that is not known, or NULL. */
static const char *read_all(struct ptx *x, const char *text)
{
    for (const char *c = text;;) {
        while (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r' || *c == ';' || *c == '{' ||
               *c == '}')
            c++;
        const size_t length = strcspn(c, ";");
        if (!length)
            return NULL;
        char *one = lw__copy_bytes(&x->unit->scratch, c, length);
        for (size_t end = length; end && strchr(" \t\n\r}", one[end - 1]) && !strchr(one, '{');)
            one[--end] = 0;
        c += length;
        struct ptx_statement s = {.text = one};
        const bool is_known =
            !strncmp(one, ".reg", 4)
                ? declare(x, one)
                : read_statement(x, one, &s) && (ptx_arithmetic(x, &s) || ptx_memory(x, &s));
        if (!is_known)
            return one;
    }
}

/* ---- The asm statement ----------------------------------------------------------------------- */

/* Registers %0, %1 ... of the statement's operands: outputs, then inputs. One that is both has its
 * value as an input more, whose constraint is the number of the output. */
static void add_operands(struct ptx *x, const char *constraints, size_t length, unsigned *outputs)
{
    struct lw__arena *arena = &x->unit->scratch;
    LLVMTypeRef result = LLVMTypeOf(x->call);
    const bool is_struct = LLVMGetTypeKind(result) == LLVMStructTypeKind;
    unsigned operand = 0, input = 0;
    *outputs = 0;
    for (size_t i = 0; i < length;) {
        const char *one = constraints + i;
        const size_t end = i + strcspn(one, ",");
        if (*one == '=') {
            ptx_add(x, lw__format(arena, "%%%u", operand++),
                    is_struct ? LLVMStructGetTypeAtIndex(result, *outputs) : result);
            ++*outputs;
        } else if (*one != '~') {
            LLVMValueRef value = LLVMGetOperand(x->call, input++);
            struct ptx_register *r =
                *one >= '0' && *one <= '9'
                    ? ptx_find(x, lw__format(arena, "%%%.*s", (int)(end - i), one))
                    : NULL;
            if (!r) {
                r = ptx_add(x, lw__format(arena, "%%%u", operand), LLVMTypeOf(value));
                r->value = value;
            } else {
                r->value = ptx_as(x, value, r->type, false);
            }
            operand++;
        }
        i = end + 1;
    }
}

static void replace(struct lw__unit *unit, LLVMValueRef call)
{
    struct ptx x = {.unit = unit,
                    .module = unit->module,
                    .context = unit->context,
                    .call = call,
                    .function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))};
    LLVMValueRef statement = LLVMGetCalledValue(call);
    size_t length, constraint_length;
    const char *text = LLVMGetInlineAsmAsmString(statement, &length);
    const char *constraints = LLVMGetInlineAsmConstraintString(statement, &constraint_length);
    text = original(&unit->scratch, text, length);
    constraints = lw__copy_bytes(&unit->scratch, constraints, constraint_length);
    unsigned outputs;
    x.b = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderBefore(x.b, call);
    LLVMSetCurrentDebugLocation2(x.b, LLVMInstructionGetDebugLoc(call));
    add_operands(&x, constraints, constraint_length, &outputs);
    const char *unknown = read_all(&x, text);
    if (unknown) {
        LLVMValueRef mark = LLVMMetadataAsValue(
            unit->context, LLVMMDStringInContext2(unit->context, unknown, strlen(unknown)));
        LLVMSetMetadata(call, LLVMGetMDKindIDInContext(unit->context, LW_PTX, strlen(LW_PTX)),
                        LLVMMDNodeInContext(unit->context, &mark, 1));
    } else {
        LLVMTypeRef type = LLVMTypeOf(call);
        LLVMValueRef all = NULL;
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            all = LLVMGetUndef(type);
            for (unsigned i = 0; i < outputs; i++)
                all = LLVMBuildInsertValue(x.b, all, x.registers[i].value, i, "");
        } else if (outputs) {
            all = x.registers[0].value;
        }
        if (all)
            LLVMReplaceAllUsesWith(call, all);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(x.b);
}

void lw__front_inline_ptx(struct lw__unit *unit)
{
    EACH_FUNCTION(f, unit->module)
        EACH_INSTRUCTION_OF_SAFE(i, f)
            if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                replace(unit, i);
}
