/* linker.h - between link.c and lld, which is C++. */
#ifndef LW_COMPILE_LINKER_H
#define LW_COMPILE_LINKER_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run lld with these words, the first its name. 0: it has linked; else its status, or 128 + signal.
 * said: its messages, as much of them as there is room for. */
int lw__lld(const char *const *words, size_t count, char *said, size_t room);

#ifdef __cplusplus
}
#endif
#endif
