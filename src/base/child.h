/* child.h - start a program with the descriptors that it shall have, and no others. */
#ifndef LW_CHILD_H
#define LW_CHILD_H
#include <stddef.h>
#include <sys/types.h>

/* lw__child_start - words[0] is its name. Its input is /dev/null; what it prints, also as errors,
 * goes to `said`. Descriptor 3 + i is files[i]; it is closed where that is -1. No signal is blocked
 * in it or ignored. A file's own number is not that of one before it: 3 + k for a smaller k.
 * 0, or errno. */
int lw__child_start(const char *program, char *const *words, const int *files, size_t count,
                    int said, pid_t *pid);
#endif
