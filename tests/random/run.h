/* run.h - what run.c and wild_run.c share. */
#ifndef RUN_H
#define RUN_H

#include "random.h"
#include <lanewise/lanewise.h>

/* A device with programs built for it, and those as plain C. */
struct pair {
    lw_device *device;
    lw_program *program;
    lw_stream *stream;
    void *scalar;
};
bool build_kernels(struct pair *pair, const char *device, struct program *const *p, int count,
                   struct outcome *o);
bool call_scalar(void *library, struct program *p, void *memory[BUFFERS_MAX]);
lw_arg by_value(const struct program *p, const struct var *v);
lw_status launch(struct pair *pair, struct program *p, lw_arg *args, int count);
bool compare(const struct buffer *b, const void *kernel, const void *scalar, struct outcome *o);

/* wild_run.c. Programs of one mode are built together: a vector level, LANEWISE_BOUNDS. */
int wild_mode(const struct program *p);
bool wild_build(struct pair *cpu, struct pair *ref, struct program *const *p, int count,
                struct outcome *o);
void wild_run(struct pair *cpu, struct pair *ref, struct program *p, struct outcome *o);

#endif
