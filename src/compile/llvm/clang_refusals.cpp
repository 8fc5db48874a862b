/* clang_refusals.cpp - errors of clang that are one kernel's: clang goes on, the kernel is refused.
 *
 * In CUDA mode some of clang's rules are about what its own devices lack: kernels that launch
 * kernels, exceptions, letters of PTX in inline assembly. clang takes them for remarks here. The
 * function with such a place gets an annotation. restrictions.c refuses the kernels that reach it.
 */
#include "compile/llvm/clang_refusals.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Sema.h>

using namespace clang;

/* Letters of PTX that x86 lacks or has for less: front/inline_ptx.c reads such an instruction. */
static const unsigned ignored[] = {
    diag::err_asm_invalid_output_constraint, diag::err_asm_invalid_input_constraint,
    diag::err_asm_invalid_output_size, diag::err_asm_invalid_input_size};
static const unsigned refused[] = {diag::err_ref_bad_target, diag::err_cuda_device_exceptions,
                                   diag::err_ovl_no_viable_function_in_call};

/* A severity of warnings would leave errors as they are. */
Refusals::Refusals(DiagnosticsEngine &of) : diagnostics(of), printer(of.takeClient())
{
    diagnostics.setClient(this, /*ShouldOwnClient=*/false);
    for (unsigned error : ignored)
        diagnostics.setSeverity(error, diag::Severity::Ignored, SourceLocation());
    for (unsigned error : refused)
        diagnostics.setSeverity(error, diag::Severity::Remark, SourceLocation());
}

/* A kernel, or of the runtime's functions one that kernels might call in CUDA; empty: neither. */
static std::string reason_of_call(const std::string &name, CUDAFunctionTarget callee)
{
    if (callee == CUDAFunctionTarget::Global)
        return "dynamic parallelism: a kernel cannot launch '" + name +
               "'; launch it from the host";
    if (name == "__cudaPushCallConfiguration") /* part of a launch, told before the kernel's name */
        return "dynamic parallelism: a kernel cannot launch another; launch it from the host";
    if (callee == CUDAFunctionTarget::Host && name.rfind("cuda", 0) == 0)
        return "'" + name + "' is not in the kernel language: call it on the host";
    return "";
}

static std::string name_of(const Diagnostic &said, unsigned argument)
{
    return reinterpret_cast<const NamedDecl *>(said.getRawArg(argument))->getNameAsString();
}

/* Why a kernel is refused for this; empty: it is an error as clang has it. */
static std::string reason(const Diagnostic &said)
{
    enum { CALLEE, KIND, DECLARATION, CALLER, FUNCTION = 0 }; /* of err_ref_bad_target */
    if (said.getID() == diag::err_cuda_device_exceptions)
        return std::string("'") + said.getArgCStr(0) +
               "' is not in the kernel language: return a number that says what failed";
    if (said.getArgSInt(KIND) != FUNCTION)
        return "";
    const auto callee = static_cast<CUDAFunctionTarget>(said.getArgSInt(CALLEE));
    const auto caller = static_cast<CUDAFunctionTarget>(said.getArgSInt(CALLER));
    const std::string name = name_of(said, DECLARATION), why = reason_of_call(name, callee);
    if (why.empty() && caller == CUDAFunctionTarget::HostDevice)
        return "'" + name + "' is a function of the host: declare it __device__";
    return why;
}

void Refusals::take(FullSourceLoc at, const std::string &why)
{
    const PresumedLoc place = at.getPresumedLoc();
    std::string annotation = "lw.refused\t" + why + "\t";
    if (place.isValid())
        annotation += std::to_string(place.getLine()) + "\t" + std::to_string(place.getColumn()) +
                      "\t" + place.getFilename();
    took_last = true;
    for (const Caught &other : all)
        if (other.annotation == annotation)
            return;
    all.push_back({at.getExpansionLoc(), why, annotation, false});
}

/* The notes after a call that fits no function tell if it is the call of a kernel. */
void Refusals::take_note(const Diagnostic &said)
{
    enum { CALLEE = 3 };
    if (said.getID() != diag::note_ovl_candidate_bad_target || open == NONE)
        return;
    const std::string why =
        reason_of_call(open_name, static_cast<CUDAFunctionTarget>(said.getArgSInt(CALLEE)));
    if (why.empty())
        return;
    const FullSourceLoc at = queue[open].getLocation();
    queue.erase(queue.begin() + (std::ptrdiff_t)open, queue.end());
    take(at, why);
}

static std::string called_name(const Diagnostic &said)
{
    return said.getArgKind(0) == DiagnosticsEngine::ak_declarationname
               ? DeclarationName::getFromOpaqueInteger(said.getRawArg(0)).getAsString()
               : "";
}

void Refusals::let_go()
{
    std::vector<StoredDiagnostic> all_held;
    all_held.swap(queue);
    open = NONE;
    is_again = true;
    for (const StoredDiagnostic &said : all_held) {
        failed |= said.getID() == diag::err_ovl_no_viable_function_in_call;
        diagnostics.Report(said);
    }
    is_again = false;
}

void Refusals::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &said)
{
    bool is_one = false;
    for (unsigned error : refused)
        is_one |= said.getID() == error && level == DiagnosticsEngine::Remark;
    if (level == DiagnosticsEngine::Note && took_last && !is_again)
        return;
    if (level != DiagnosticsEngine::Note && !is_again) {
        open = NONE;
        took_last = false;
    }
    if (is_one && said.getID() == diag::err_ovl_no_viable_function_in_call) {
        open = queue.size();
        open_name = called_name(said);
        queue.emplace_back(DiagnosticsEngine::Error, said);
        return;
    }
    if (is_one) {
        const std::string why = reason(said);
        if (!why.empty()) {
            take(FullSourceLoc(said.getLocation(), said.getSourceManager()), why);
            return;
        }
        failed = true;
        level = DiagnosticsEngine::Error;
    }
    if (!queue.empty()) { /* later ones wait, too */
        queue.emplace_back(level, said);
        take_note(said);
        return;
    }
    DiagnosticConsumer::HandleDiagnostic(level, said);
    printer->HandleDiagnostic(level, said);
}

namespace
{
class Annotator : public RecursiveASTVisitor<Annotator>
{
    ASTContext &context;
    const SourceLocation at;
    const std::string &annotation;

    bool has_it(const FunctionDecl *function) const
    {
        for (const auto *other : function->specific_attrs<AnnotateAttr>())
            if (other->getAnnotation() == annotation)
                return true;
        return false;
    }

  public:
    bool has_found = false;

    Annotator(ASTContext &of, SourceLocation place, const std::string &text)
        : context(of), at(place), annotation(text)
    {
    }
    bool shouldVisitTemplateInstantiations() const { return true; }
    bool shouldVisitImplicitCode() const { return true; }
    bool VisitFunctionDecl(FunctionDecl *function)
    {
        const SourceManager &sources = context.getSourceManager();
        const SourceRange range =
            sources.getExpansionRange(function->getSourceRange()).getAsRange();
        if (!function->isThisDeclarationADefinition() || range.isInvalid() ||
            !sources.isPointWithin(at, range.getBegin(), range.getEnd()))
            return true;
        has_found = true;
        if (has_it(function))
            return true;
        function->addAttr(AnnotateAttr::CreateImplicit(context, annotation, nullptr, 0));
        /* What clang would not have emitted it cannot emit. */
        function->setBody(CompoundStmt::Create(context, {}, FPOptionsOverride(), range.getBegin(),
                                               range.getEnd()));
        if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
            constructor->setNumCtorInitializers(0);
        return true;
    }
    bool VisitLambdaExpr(LambdaExpr *lambda)
    {
        return VisitFunctionDecl(lambda->getCallOperator());
    }
};
} // namespace

void Refusals::attach(Decl *within)
{
    let_go();
    for (Caught &caught : all) {
        Annotator annotator(within->getASTContext(), caught.at, caught.annotation);
        annotator.TraverseDecl(within);
        caught.is_attached |= annotator.has_found;
    }
}

void Refusals::end()
{
    for (const Caught &caught : all)
        if (!caught.is_attached) {
            failed = true;
            diagnostics.Report(caught.at,
                               diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
                << caught.text;
        }
}
