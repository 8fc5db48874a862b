/* lld.cpp - lld as a library, which has an interface of C++ only.
 *
 * lld ends the process at some errors; a CrashRecoveryContext makes an error of that too. Each run
 * sets all options of LLVM to their defaults; those that this program has set are out of its reach.
 */
#include "compile/llvm/linker.h"
#include <lld/Common/Driver.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <cstdio>
#include <string>
#include <vector>

LLD_HAS_DRIVER(elf)

static std::vector<llvm::cl::Option *> hide_options()
{
    std::vector<llvm::cl::Option *> set;
    for (const auto &row : llvm::cl::getRegisteredOptions())
        if (row.second->getNumOccurrences())
            set.push_back(row.second);
    for (llvm::cl::Option *option : set)
        option->removeArgument();
    return set;
}

extern "C" int lw__lld(const char *const *words, size_t count, char *said, size_t room)
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    const std::vector<llvm::cl::Option *> set = hide_options();
    llvm::CrashRecoveryContext::Enable();
    const lld::Result result = lld::lldMain(llvm::ArrayRef<const char *>(words, count), stream,
                                            stream, {{lld::Gnu, &lld::elf::link}});
    llvm::CrashRecoveryContext::Disable();
    for (llvm::cl::Option *option : set)
        option->addArgument();
    snprintf(said, room, "%s", text.c_str());
    return result.retCode || result.canRunAgain ? result.retCode : -1;
}
