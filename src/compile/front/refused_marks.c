/* refused_marks.c - errors that clang's module has as marks of functions: LW_REFUSED.
 *
 * llvm/clang_refusals.cpp marks functions of the user, with a place. Our headers mark functions of
 * theirs that are not there yet: their place is that of the call. And calls in clang's headers have
 * the place of the user's call.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

/* The next field of a line, without what ends it. */
static char *field(char **cursor)
{
    char *begin = *cursor;
    *cursor += strcspn(*cursor, "\t");
    if (**cursor)
        *(*cursor)++ = 0;
    return begin;
}

void lw__front_marked(struct lw__arena *arena, struct lw__diags *diags, LLVMValueRef function,
                      const struct lw__loc *call)
{
    char *line = lw__llvm_word_of(arena, function, LW_REFUSED);
    for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        struct lw__loc loc = call ? *call : (struct lw__loc){0};
        const char *text = field(&line);
        const bool has_place = *line;
        if (has_place) {
            loc.line = (unsigned)strtoul(field(&line), NULL, 10);
            loc.column = (unsigned)strtoul(field(&line), NULL, 10);
            if (strcmp(line, diags->main_name) != 0) {
                loc.file = line;
                loc.file_length = (unsigned)strlen(line);
                loc.directory = diags->main.directory;
                loc.directory_length = diags->main.directory_length;
            }
        }
        if (has_place == !call)
            lw__diags_error(diags, loc, "%s", text);
    }
}

LLVMValueRef lw__front_call_of_user(LLVMValueRef call)
{
    enum { DEEPEST = 8 };
    for (int depth = 0; depth < DEEPEST; depth++) {
        const struct lw__loc loc = lw__loc_of(call);
        LLVMValueRef outer = NULL;
        if (!loc.file || !memmem(loc.file, loc.file_length, "cuda_wrappers/", 14))
            break;
        EACH_USE(use, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)))
            if (LLVMIsACallInst(LLVMGetUser(use)))
                outer = LLVMGetUser(use);
        if (!outer)
            break;
        call = outer;
    }
    return call;
}
