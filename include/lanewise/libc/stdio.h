/* stdio.h - for kernel files that include it: of the C library's there is printf. */
#ifndef LANEWISE_LIBC_STDIO_H
#define LANEWISE_LIBC_STDIO_H
#include <lanewise/kernel.h>
#endif
