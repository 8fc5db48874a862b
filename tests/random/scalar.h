/* scalar.h - what the files scalar*.c share. */
#ifndef SCALAR_H
#define SCALAR_H

#include "random.h"

enum mask_kind { M_ROOT, M_LOOP, M_TRIP, M_SWITCH, M_LABEL, M_ARM, M_ENTRY };
enum { MASKS_MAX = 64 };

struct writer {
    FILE *to, *before; /* the function; what must stand in front of it */
    struct program *p;
    int depth, names;
    struct {
        enum mask_kind kind;
        int id, label;
        const struct stmt *loop; /* M_LOOP */
    } mask[MASKS_MAX];
    int masks;
    const struct helper *helper;
    int result; /* of the helper, an array */
};

static inline void line(struct writer *w)
{
    fprintf(w->to, "%*s", 4 * w->depth, "");
}

static inline int top(const struct writer *w)
{
    return w->mask[w->masks - 1].id;
}

static inline void each(struct writer *w, int mask)
{
    line(w);
    fprintf(w->to, "EACH (m%d) ", mask);
}

static inline void value(struct writer *w, const struct expr *e)
{
    scalar_expression(w->to, w->p, e);
}

static inline void open_brace(struct writer *w)
{
    line(w);
    fputs("{\n", w->to);
    w->depth++;
}

static inline void close_brace(struct writer *w)
{
    w->depth--;
    line(w);
    fputs("}\n", w->to);
}

/* scalar_push - a new innermost mask, of nobody. */
int scalar_push(struct writer *w, enum mask_kind kind, int label);

/* scalar_block - the statements; scalar_open_stored - an element of a buffer as a number ("get"),
 * or back ("put"): what stands before it and `(`. */
void scalar_block(struct writer *w, struct block *b);
void scalar_open_stored(FILE *to, const char *what, enum type t);

/* scalar_name - a variable as thread t sees it; scalar_declare - its values of all threads. */
void scalar_name(FILE *to, const struct var *v);
void scalar_place(FILE *to, const struct program *p, const struct expr *e); /* as a target */
void scalar_declare(struct writer *w, const struct var *v);

/* scalar_call - a helper's body, as if it stood at the call; scalar_return - its value;
 * scalar_copy - all of a struct, vector or array; scalar_refer - a reference begins. */
int scalar_push_copy(struct writer *w, enum mask_kind kind, int label);
void scalar_call(struct writer *w, const struct stmt *s);
void scalar_return(struct writer *w, struct expr *e);
void scalar_copy(struct writer *w, const struct expr *to, const struct expr *from);
void scalar_refer(struct writer *w, const struct var *v, const struct expr *e);

/* scalar_prepare - computes what the threads of the innermost mask do together in an expression. */
void scalar_prepare(struct writer *w, struct expr *e);

#endif
