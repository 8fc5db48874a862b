/* machine.h - where and when figures were taken; pipes from those who take them. */
#ifndef LW_BENCH_MACHINE_H
#define LW_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct machine {
    char about[200]; /* processor, how many, system */
    char when[24];   /* "2026-01-31T12:00:00Z" */
    double load;     /* processes that want to run, on average over a minute */
};

void machine_describe(struct machine *machine);

/* read_pipe - size bytes from a pipe; false: it ended, or cannot be read. */
bool read_pipe(int from, void *to, size_t size);

#endif
