/* save.h - results as files: lanewise-compile and the command write them. */
#ifndef LW_SAVE_H
#define LW_SAVE_H
#include <stdbool.h>
#include <stddef.h>

/* Write every byte, going on after signals. False with errno set where it cannot. */
bool lw__write_all(int descriptor, const void *bytes, size_t count);

struct lw__part {
    const void *bytes;
    size_t count;
};

/* How that went; errno has the reason. */
enum lw__saved {
    LW_SAVE_DONE,
    LW_SAVE_REFUSED, /* the path cannot be opened: a mistake of the command line */
    LW_SAVE_LOST,    /* a full disk, or another shortage of the machine */
};

/* The parts one after the other as a file, whole or not at all: it is written beside its name and
 * renamed. Devices and pipes are written to. */
enum lw__saved lw__save(const char *path, const struct lw__part *parts, size_t count);
#endif
