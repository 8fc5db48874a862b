/* kernel.h - what the files kernel*.c share. */
#ifndef KERNEL_H
#define KERNEL_H

#include "random.h"

struct kernel_writer {
    FILE *to;
    struct program *p;
    int depth;
};

static inline void kernel_line(struct kernel_writer *w)
{
    fprintf(w->to, "%*s", 4 * w->depth, "");
}

/* kernel_implied - the expression without the cast that an assignment makes anyway. */
const struct expr *kernel_implied(const struct expr *e);

/* kernel_declared - a variable with its type, as it is declared. */
void kernel_declared(struct kernel_writer *w, const struct var *v);
void kernel_declaration(struct kernel_writer *w, const struct stmt *s);

/* kernel_body - a function's statements, and what it returns, NULL nothing. */
void kernel_body(struct kernel_writer *w, struct block *b, struct expr *result);

#endif
