/* clang.cpp - clang as a library, which has an interface of C++ only.
 *
 * As a program it needs 20 ms to be loaded and 5 for a small kernel. What follows is what its
 * main() does for one compilation in one process: the driver makes options of the words, and the
 * front end reads the file. clang's own headers come from memory, so that an installed
 * lanewise-compile needs nothing beside it.
 */
#include "compile/llvm/clang.h"
#include "compile/llvm/clang_constants.h"
#include "compile/llvm/clang_refusals.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Stack.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/FrontendDiagnostic.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <cstdlib>
#include <cstring>

using namespace clang;

/* LLVM's archives name Polly, which is not linked: a plugin that does nothing. */
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}

static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_and_headers()
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const char *at = lw__clang_headers; at < lw__clang_headers_end;) {
        const char *blank = strchr(at, ' ');
        char *text;
        const size_t bytes = strtoul(blank, &text, 10);
        const llvm::StringRef name(at, blank - at);
        memory->addFile(LW_CLANG_FOLDER "/" + name, 0,
                        llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text + 1, bytes), name));
        at = text + 1 + bytes + 1;
    }
    auto all =
        llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    all->pushOverlay(memory);
    return all;
}

/* LLVM cannot go on: clang's last message. */
static void on_fatal_error(void *diagnostics, const char *message, bool)
{
    static_cast<DiagnosticsEngine *>(diagnostics)->Report(diag::err_fe_error_backend) << message;
    _Exit(1);
}

/* Prints the file's declarations, without those of a module that it was parsed with. */
class DeclarationPrinter : public ASTConsumer
{
    llvm::raw_fd_ostream out{LW_CLANG_DECLARATIONS, /*shouldClose=*/false};
    llvm::SmallVector<Decl *, 64> all;

    bool HandleTopLevelDecl(DeclGroupRef group) override
    {
        all.append(group.begin(), group.end());
        return true;
    }
    void HandleTranslationUnit(ASTContext &context) override
    {
        const PrintingPolicy policy(context.getLangOpts());
        for (Decl *declaration : all) {
            declaration->print(out, policy);
            out << ";\n";
        }
        out.flush();
    }
};

/* Gives kernels of CUDA a convention by which each parameter is one of LLVM's. In the text it would
 * be part of their type, and pointers to kernels in the host's half would not fit. So the kernels
 * come last, when nobody looks at their types any more. */
class KernelsLast : public MultiplexConsumer
{
    ASTContext *context = nullptr;
    Refusals &refusals;
    llvm::SmallVector<FunctionDecl *, 16> kernels;
    llvm::SmallVector<Decl *, 16> held; /* in their order: kernels, and what they are in */

    /* The kernels of a declaration, also within namespaces and extern "C". True: there are some, or
     * it is --instantiate's text, a variable that refers to one. */
    bool has_kernels(Decl *declaration)
    {
        auto *function = dyn_cast<FunctionDecl>(declaration);
        if (function && function->hasAttr<CUDAGlobalAttr>())
            kernels.push_back(function);
        bool has = function && function->hasAttr<CUDAGlobalAttr>();
        const auto *variable = dyn_cast<VarDecl>(declaration);
        has |=
            variable && variable->getIdentifier() && variable->getName().starts_with("lw__kernel_");
        if (isa<NamespaceDecl, LinkageSpecDecl>(declaration))
            for (Decl *within : cast<DeclContext>(declaration)->decls())
                has |= has_kernels(within);
        return has;
    }

    void Initialize(ASTContext &of) override
    {
        context = &of;
        MultiplexConsumer::Initialize(of);
    }
    bool HandleTopLevelDecl(DeclGroupRef group) override
    {
        for (Decl *declaration : group) {
            refusals.attach(declaration);
            if (refusals.has_failed())
                continue;
            lw__fold_constant_calls(declaration);
            if (has_kernels(declaration))
                held.push_back(declaration);
            else if (!MultiplexConsumer::HandleTopLevelDecl(DeclGroupRef(declaration)))
                return false;
        }
        return true;
    }
    void HandleTranslationUnit(ASTContext &of) override
    {
        for (FunctionDecl *kernel : kernels) {
            const auto *type = kernel->getType()->castAs<FunctionType>();
            const FunctionType::ExtInfo info = type->getExtInfo().withCallingConv(CC_Win64);
            kernel->setType(QualType(context->adjustFunctionType(type, info), 0));
        }
        refusals.attach(of.getTranslationUnitDecl());
        refusals.end();
        if (refusals.has_failed())
            return;
        for (Decl *declaration : held)
            MultiplexConsumer::HandleTopLevelDecl(DeclGroupRef(declaration));
        MultiplexConsumer::HandleTranslationUnit(of);
    }

  public:
    KernelsLast(std::vector<std::unique_ptr<ASTConsumer>> emitter, Refusals &of)
        : MultiplexConsumer(std::move(emitter)), refusals(of)
    {
    }
};

class EmitKernelsAction : public EmitBCAction
{
    Refusals &refusals;

    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &clang,
                                                   llvm::StringRef file) override
    {
        std::vector<std::unique_ptr<ASTConsumer>> emitter;
        emitter.push_back(EmitBCAction::CreateASTConsumer(clang, file));
        return std::make_unique<KernelsLast>(std::move(emitter), refusals);
    }

  public:
    explicit EmitKernelsAction(Refusals &of) : refusals(of) {}
};

class EmitAndPrintAction : public EmitBCAction
{
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &clang,
                                                   llvm::StringRef file) override
    {
        std::vector<std::unique_ptr<ASTConsumer>> both;
        both.push_back(
            std::make_unique<DeclarationPrinter>()); /* first: the other frees the tree */
        both.push_back(EmitBCAction::CreateASTConsumer(clang, file));
        return std::make_unique<MultiplexConsumer>(std::move(both));
    }
};

/* refusals: NULL if the file is in C. */
static std::unique_ptr<FrontendAction> action_of(frontend::ActionKind kind, Refusals *refusals)
{
    switch (kind) {
    case frontend::EmitBC:
        if (refusals) /* the declarations of C++'s library are many, and nobody reads them */
            return std::make_unique<EmitKernelsAction>(*refusals);
        return std::make_unique<EmitAndPrintAction>();
    case frontend::EmitLLVM: return std::make_unique<EmitLLVMAction>();
    case frontend::EmitObj: return std::make_unique<EmitObjAction>();
    case frontend::GeneratePCH: return std::make_unique<GeneratePCHAction>();
    default: return nullptr;
    }
}

/* `clang -cc1` with these options. */
static int run_front_end(const llvm::opt::ArgStringList &options, const char *program,
                         llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files)
{
    CompilerInstance clang;
    auto *early = new TextDiagnosticBuffer; /* messages on the options, which say how to write */
    DiagnosticsEngine on_options(new DiagnosticIDs, new DiagnosticOptions, early);
    const bool is_read =
        CompilerInvocation::CreateFromArgs(clang.getInvocation(), options, on_options, program);
    clang.createFileManager(files);
    clang.createDiagnostics();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(on_fatal_error, &clang.getDiagnostics());
    early->FlushDiagnostics(clang.getDiagnostics());
    std::unique_ptr<Refusals> refusals;
    if (clang.getLangOpts().CUDA)
        refusals = std::make_unique<Refusals>(clang.getDiagnostics());
    std::unique_ptr<FrontendAction> action =
        action_of(clang.getFrontendOpts().ProgramAction, refusals.get());
    const bool ok =
        is_read && action && clang.ExecuteAction(*action) && !(refusals && refusals->has_failed());
    llvm::outs().flush();
    llvm::errs().flush();
    _Exit(!ok); /* the process ends sooner than all would be given back */
}

static bool is_cuda(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], "--cuda-device-only"))
            return true;
    return false;
}

extern "C" int lw__clang(const char *const *words, size_t count)
{
    noteBottomOfStack(); /* deep nesting then goes on in threads with stacks of their own */
    llvm::SmallVector<const char *, 64> all(words, words + count);
    all.insert(all.begin() + 1,
               {"-nobuiltininc", "-Xclang", "-internal-isystem", "-Xclang", LW_CLANG_FOLDER});
    if (is_cuda(words, count)) /* C++'s library is the host's; wrappers of its headers come first */
        all.insert(all.begin() + 1, {"-isystem", LW_CLANG_FOLDER "/cuda_wrappers"});
    else
        all.insert(all.begin() + 1, "--gcc-toolchain=" LW_CLANG_FOLDER);
    llvm::IntrusiveRefCntPtr<DiagnosticOptions> how = CreateAndPopulateDiagOpts(all).release();
    auto *printer = new TextDiagnosticPrinter(llvm::errs(), how.get());
    printer->setPrefix(words[0]);
    DiagnosticsEngine diagnostics(new DiagnosticIDs, how, printer);
    ProcessWarningOptions(diagnostics, *how, false);
    auto files = files_and_headers();
    driver::Driver driver(words[0], "x86_64-unknown-linux-gnu", diagnostics, "clang", files);
    std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(all));
    if (!compilation || diagnostics.hasErrorOccurred() || compilation->getJobs().size() != 1)
        return 1;
    return run_front_end(compilation->getJobs().begin()->getArguments(), words[0], files);
}

extern "C" const char *lw__clang_version(void)
{
    static const std::string version = getClangFullVersion();
    return version.c_str();
}
