/* clang_refusals.h - errors of clang that are one kernel's: clang goes on, the kernel is refused.
 */
#ifndef LW_COMPILE_CLANG_REFUSALS_H
#define LW_COMPILE_CLANG_REFUSALS_H
#include <clang/AST/DeclBase.h>
#include <clang/Basic/Diagnostic.h>
#include <memory>
#include <string>
#include <vector>

/* Between clang and its printer. What it catches is attached to the function it stands in, as an
 * annotation "lw.refused", TEXT, LINE, COLUMN, FILE with tabs between (front/cuda_module.c). */
class Refusals : public clang::DiagnosticConsumer
{
    struct Caught {
        clang::SourceLocation at;
        std::string text, annotation;
        bool is_attached;
    };
    clang::DiagnosticsEngine &diagnostics;
    std::unique_ptr<clang::DiagnosticConsumer> printer;
    std::vector<Caught> all;
    bool took_last = false, failed = false, is_again = false;
    /* What waits to be printed: a call that fits no function, and all after it. open: it is the
     * last but for its notes. */
    enum : size_t { NONE = SIZE_MAX };
    std::vector<clang::StoredDiagnostic> queue;
    size_t open = NONE;
    std::string open_name;

    void take(clang::FullSourceLoc at, const std::string &why);
    void take_note(const clang::Diagnostic &said);
    void let_go();

  public:
    /* The engine's printer from now on is this one. */
    explicit Refusals(clang::DiagnosticsEngine &of);
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic &said) override;
    void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *p) override
    {
        printer->BeginSourceFile(language, p);
    }
    void EndSourceFile() override
    {
        let_go();
        printer->EndSourceFile();
    }
    void finish() override { printer->finish(); }

    /* Annotate the functions in a declaration, and instances of templates. */
    void attach(clang::Decl *within);
    /* The whole file has been attached: what is in no function is an error. */
    void end();
    /* True if there was an error that clang took for a remark. */
    bool has_failed() const { return failed; }
};
#endif
