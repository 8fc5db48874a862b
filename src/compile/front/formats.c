/* formats.c - texts that the host reads are literals, and formats have conversions that it prints.
 *
 * clang warns of a format that does not fit its arguments, as C allows pragmas to silence. Here the
 * same is refused, for the host and the devices rely on it. A constant variable that points to a
 * literal is the literal: printf gets that itself.
 */
#include "base/conversion.h"
#include "base/manifest.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { PRINT_MAX = 64 }; /* arguments of a printf: each has room for all threads */

/* The functions of kernel.h whose first argument is a text. */
static const struct {
    const char *name, *source, *text;
    unsigned most; /* arguments after a format; 0: the text is none */
} functions[] = {
    {"lw.printf", "printf", "format", PRINT_MAX},
    {"lw.assert_that", "assert_that", "message", LW_SAID_MAX},
    {"lw.assert_fail", "assert", "condition", 0},
    {"lw.trace.", "trace", "name", 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The only value that is stored to a variable; NULL: there are several. */
static LLVMValueRef stored_once(LLVMValueRef variable)
{
    LLVMValueRef value = NULL;
    EACH_USE(u, variable) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsALoadInst(user))
            continue;
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable || value)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

/* What a constant variable that is read points to. */
static LLVMValueRef pointed_to(LLVMValueRef text)
{
    LLVMValueRef variable = LLVMIsALoadInst(text) ? LLVMGetOperand(text, 0) : NULL, value = NULL;
    if (variable && LLVMIsAAllocaInst(variable))
        value = stored_once(variable);
    else if (variable && LLVMIsAGlobalVariable(variable) && LLVMIsGlobalConstant(variable))
        value = LLVMGetInitializer(variable);
    return value ? value : text;
}

/* What LLVM's type has to be for a conversion of the kind. */
static bool fits(char kind, LLVMTypeRef type)
{
    switch (kind) {
    case 'f': return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    case 'p':
    case 's': return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    default: return LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
    }
}

/* The arguments of one conversion: for each `*`, then its own. False, with an error: they do not
 * fit. */
static bool check_arguments(struct lw__diags *diags, LLVMValueRef call, const char *function,
                            const struct lw__conversion *c, struct lw__loc loc, unsigned *next,
                            const char *text, int length)
{
    const char kinds[] = {c->takes_width ? 'd' : 0, c->takes_precision ? 'd' : 0,
                          lw__conversion_kind(c)};
    for (size_t k = 0; k < sizeof kinds; k++) {
        if (!kinds[k])
            continue;
        if (*next >= LLVMGetNumArgOperands(call)) {
            lw__diags_error(diags, loc, "%s: '%.*s' lacks an argument", function, length, text);
            return false;
        }
        if (!fits(kinds[k], LLVMTypeOf(LLVMGetOperand(call, *next)))) {
            lw__diags_error(diags, loc, "%s: '%.*s' does not fit argument %u", function, length,
                            text, *next);
            return false;
        }
        ++*next;
    }
    return true;
}

void lw__front_check_text(struct lw__diags *diags, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    size_t f = 0;
    while (f < FUNCTIONS && strncmp(name, functions[f].name, strlen(functions[f].name)))
        f++;
    if (f == FUNCTIONS)
        return;
    const struct lw__loc loc = lw__loc_of(call);
    const unsigned count = LLVMGetNumArgOperands(call) - 1;
    LLVMValueRef value = pointed_to(LLVMGetOperand(call, 0));
    const char *text = lw__ir_literal(value), *function = functions[f].source;
    if (!text) {
        lw__diags_error(diags, loc, "%s needs a literal as its %s", function, functions[f].text);
        return;
    }
    LLVMSetOperand(call, 0, value);
    if (!functions[f].most)
        return;
    if (count > functions[f].most)
        lw__diags_error(diags, loc, "%s with %u arguments, at most %u are possible", function,
                        count, functions[f].most);
    /* The first conversion that is wrong is reported. */
    const char *format = text;
    unsigned next = 1;
    struct lw__conversion c;
    for (const char *at; (at = lw__conversion_next(&format, &c));) {
        const int length = (int)(format - at);
        if (!lw__conversion_kind(&c)) {
            lw__diags_error(diags, loc, "%s has no '%.*s': it has " LW_CONVERSIONS, function,
                            length, at);
            return;
        }
        if (!check_arguments(diags, call, function, &c, loc, &next, at, length))
            return;
    }
}
