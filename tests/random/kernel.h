/* kernel.h - what the files kernel*.c share. */
#ifndef KERNEL_H
#define KERNEL_H

#include "language.h"

struct kernel_writer {
    FILE *to;
    struct program *p;
    int depth, scopes; /* scopes: objects of BY_SCOPE around */
};

static inline void kernel_line(struct kernel_writer *w)
{
    fprintf(w->to, "%*s", 4 * w->depth, "");
}

/* kernel_operand - an expression as a value of that type; kernel_condition - is it not 0?
 * kernel_address - what a pointer or reference to a place begins with; kernel_function - a name of
 * a language's tables. */
void kernel_operand(FILE *to, const struct program *p, const struct expr *e, enum type type);
void kernel_condition(FILE *to, const struct program *p, const struct expr *e);
void kernel_address(FILE *to, const struct program *p, const struct expr *e, const struct var *of);
void kernel_function(FILE *to, const struct program *p, const char *name, enum type type);

/* kernel_wild.c: an access, array[index], with what makes it wrong, NULL nothing. The array stands
 * behind `open`, the index between `index` and `close`; an index is cut by so many. */
void wild_open(FILE *to, const struct program *p, const struct expr *wild);
void wild_index(FILE *to, const struct program *p, const struct expr *wild);
void wild_cut(FILE *to, const struct program *p, const struct expr *wild, int limit);
void wild_close(FILE *to, const struct program *p, const struct expr *wild);
/* wild_array - the array alone, of F_BASE. */
void wild_array(FILE *to, const struct program *p, const struct expr *wild, const struct var *v);
/* wild_of - of what may be one, for that axis, or any (-1). */
const struct expr *wild_of(const struct expr *e, int axis);

/* language_c.c: the value of a collective, so that sums have no overflow. */
void together_value(FILE *to, const struct program *p, const struct expr *e, enum type type);

/* kernel_declared - a variable with its type, as it is declared. */
void kernel_declared(struct kernel_writer *w, const struct var *v);
void kernel_declaration(struct kernel_writer *w, const struct stmt *s);

/* kernel_body - a function's statements, and what it returns, NULL nothing. */
void kernel_body(struct kernel_writer *w, struct block *b, struct expr *result);

#endif
