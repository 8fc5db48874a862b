/* text.h - texts of kernels as data of a program, which then needs no files; text.inc puts them
 * there. Each program has a table of its own.
 */
#ifndef LW_BENCH_TEXT_H
#define LW_BENCH_TEXT_H

#include <stddef.h>

/* kernel_text - FOLDER/NAME, which a 0 ends; NULL: the program has none. */
const char *kernel_text(const char *folder, const char *name, size_t *length);

#endif
