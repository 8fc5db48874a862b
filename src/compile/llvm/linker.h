/* linker.h - between link.c and lld, which is C++. */
#ifndef LW_COMPILE_LINKER_H
#define LW_COMPILE_LINKER_H
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run lld with these words, the first its name. True: it has linked. said: its messages, as much of
 * them as there is room for. */
bool lw__lld(const char *const *words, size_t count, char *said, size_t room);

#ifdef __cplusplus
}
#endif
#endif
