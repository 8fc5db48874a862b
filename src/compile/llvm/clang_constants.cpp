/* clang_constants.cpp - calls of constexpr functions that are constants.
 *
 * C++ asks for the constant only where one is needed, as in an array's size. nvcc folds the others,
 * too, and programs count on it: a constexpr function may call itself, which kernels cannot.
 */
#include "compile/llvm/clang_constants.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace
{
class Folder : public RecursiveASTVisitor<Folder>
{
    ASTContext &context;

    /* The value, as an expression in the call's place; NULL: it is none. */
    Expr *folded(Stmt *statement) const
    {
        auto *call = dyn_cast_or_null<CallExpr>(statement);
        const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
        if (!callee || !callee->isConstexpr() || call->isInstantiationDependent() ||
            !call->isPRValue() || !call->getType()->isArithmeticType())
            return nullptr;
        Expr::EvalResult result;
        if (!call->EvaluateAsRValue(result, context) || result.HasSideEffects ||
            !(result.Val.isInt() || result.Val.isFloat()))
            return nullptr;
        return ConstantExpr::Create(context, call, result.Val);
    }

  public:
    explicit Folder(ASTContext &of) : context(of) {}
    bool shouldVisitTemplateInstantiations() const { return true; }
    bool VisitStmt(Stmt *statement)
    {
        if (isa<ConstantExpr>(statement))
            return true;
        for (Stmt *&child : statement->children())
            if (Expr *constant = folded(child))
                child = constant;
        return true;
    }
};
} // namespace

void lw__fold_constant_calls(Decl *within)
{
    ASTContext &context = within->getASTContext();
    if (!context.getSourceManager().isInSystemHeader(within->getLocation()))
        Folder(context).TraverseDecl(within);
}
