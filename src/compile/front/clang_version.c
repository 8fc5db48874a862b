/* clang_version.c - is it clang 19? Another version takes other flags, says other things, and gives
 * code that is another.
 *
 * A module has the version in it, so that a build that succeeds costs nothing. Where there is no
 * module, clang is asked.
 */
#include "base/manifest.h"
#include "compile/front/front.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 19 };

static const char before_version[] = "clang version ";

/* said: what it says of itself. False after lw__defect. */
static bool judge(const char *said)
{
    const char *version = strstr(said, before_version), *chosen = getenv("LANEWISE_CLANG");
    const char *what = version ? "clang " : *said > ' ' ? "not clang: " : "not clang";
    version = version ? version + sizeof before_version - 1 : said;
    if (what[0] == 'c' && atoi(version) == VERSION)
        return true;
    const int length = (int)strcspn(version, what[0] == 'c' ? " \n" : "\n");
    return lw__defect("%s%s%s, which is %s%.*s; kernels need clang %d, or zig 0.14",
                      chosen ? "LANEWISE_CLANG is '" : "the compiler is ",
                      chosen ? chosen : LW_FRONT_END, chosen ? "'" : "", what,
                      length < 80 ? length : 80, version, VERSION);
}

bool lw__clang_made(LLVMModuleRef module)
{
    static const char name[] = "llvm.ident";
    LLVMValueRef node = NULL, text = NULL;
    unsigned length = 0;
    if (LLVMGetNamedMetadataNumOperands(module, name) != 1)
        return judge("");
    LLVMGetNamedMetadataOperands(module, name, &node);
    if (LLVMGetMDNodeNumOperands(node) == 1)
        LLVMGetMDNodeOperands(node, &text);
    const char *said = text ? LLVMGetMDString(text, &length) : NULL;
    return judge(said ? said : "");
}

bool lw__clang_asked(struct lw__unit *unit)
{
    static const char *const words[] = {LW_FRONT_END, "--version", NULL};
    struct lw__text said = lw__text_in(&unit->scratch);
    if (lw__clang_is_inside())
        return true;
    struct lw__process process;
    int status;
    bool ok = lw__clang_start(&unit->scratch, words, -1, NULL, 0, &process) &&
              lw__process_wait(&process, &status) && lw__read_all(process.out, &said) &&
              judge(said.data);
    if (process.out >= 0)
        close(process.out);
    if (process.err >= 0)
        close(process.err);
    return ok;
}
