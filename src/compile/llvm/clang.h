/* clang.h - between front/ and clang as a library, which is C++. */
#ifndef LW_COMPILE_CLANG_H
#define LW_COMPILE_CLANG_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where clang finds its own headers: in memory, and on no disk. */
#define LW_CLANG_FOLDER "/clang-in-lanewise"

/* The descriptor where it prints the file's declarations, with constants evaluated, beside making
 * bitcode. */
#define LW_CLANG_DECLARATIONS 4

/* Do what the program clang does with these words, the first its name, but for one file and its
 * headers: they are in this program. Once a process, which is then good for nothing but its end.
 * Returns the exit status; a crash ends the process. */
int lw__clang(const char *const *words, size_t count);

/* What clang says of itself: "... clang version 19.1.7 ...". */
const char *lw__clang_version(void);

/* Its headers: for each a line "NAME BYTES\n", that many bytes, and a NUL (clang_headers.S). */
extern const char lw__clang_headers[], lw__clang_headers_end[];

#ifdef __cplusplus
}
#endif
#endif
