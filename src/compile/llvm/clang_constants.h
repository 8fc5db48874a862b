/* clang_constants.h - calls of constexpr functions that are constants. */
#ifndef LW_COMPILE_CLANG_CONSTANTS_H
#define LW_COMPILE_CLANG_CONSTANTS_H
#include <clang/AST/DeclBase.h>

/* In a declaration of the file. Such a function may call itself, which kernels cannot. */
void lw__fold_constant_calls(clang::Decl *within);
#endif
