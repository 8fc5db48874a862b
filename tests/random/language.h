/* language.h - the languages that a tree is printed in: the kernel language and CUDA.
 *
 * kernel*.c print what the two have in common. Where they differs stands here: a word, a table of
 * names, or a function. In a name @ stands for the type that the operation is of.
 */
#ifndef LANGUAGE_H
#define LANGUAGE_H

#include "random.h"

struct kernel_writer;

enum { NAME_MAX_BYTES = 48 };

struct language {
    const char *file; /* the name that messages have; its ending is the language's */
    bool is_cuda;
    /* What no program in it has: jumps into loops, tests for overflow, whole powers, reductions of
     * short vectors; of 16-bit floats: tables, short vectors of more than two, most atomics. */
    struct {
        bool entries, overflow, powers, reductions, half_tables, long_halves, half_atomics;
    } lacks;

    const char *type[TYPES], *vector[TYPES]; /* vector: the first part of short vectors' names */
    const char *place[PLACES], *fence[FENCES], *barrier, *warp_sync;
    const char *maths[MATHS], *bits[BIT_COUNTS], *whole[WHOLES], *exponent[E_OF + 1];
    const char *exponent_end[E_OF + 1];
    const char *atomic[ATOMICS], *cas_add;
    const char *helper, *table, *shared; /* how a declaration of such begins */
    const char *launch_shared;           /* of a type and a number */
    const char *hidden_zero, *hidden; /* the value of a name, which no compiler knows is uniform */
    const char *symbol[2];            /* a variable of the device; one that is constant */
    /* symbol_name - as which it is found. */
    void (*symbol_name)(const struct program *p, const struct buffer *b, char text[NAME_MAX_BYTES]);
    const char *matrix;      /* a parameter, of a type and a name */
    bool has_literals;       /* of arrays: (T *[]){&a, &b} */
    bool halves_by_name;     /* 16-bit floats are converted by functions */
    bool has_plain_volatile; /* ... is a word for all variables */

    /* prelude - what kernels use of their own making; NULL: all of it. */
    void (*prelude)(FILE *to, const char *kernels);
    /* name - as which a kernel is built and launched; head - how it begins; begin, end - what
     * stands around all of a program, NULL: nothing. */
    void (*name)(const struct program *p, char text[NAME_MAX_BYTES]);
    void (*head)(struct kernel_writer *w);
    void (*begin)(struct kernel_writer *w);
    void (*end)(struct kernel_writer *w);
    void (*cast)(FILE *to, const struct program *p, const struct expr *e, enum type type);
    /* named - a function for an operation of the two types' common one; NULL: an operator. */
    const char *(*named)(const struct program *p, const struct expr *e, enum type type);
    void (*together)(FILE *to, const struct program *p, const struct expr *e);
    bool (*has_collective)(enum together op); /* NULL: all of them */
    /* scalar - the value for all elements of a short vector. */
    void (*scalar)(FILE *to, const struct program *p, const struct expr *e, enum type type);
};
extern const struct language kernel_language, cuda_language;

/* What some of the programs in CUDA have. Nothing of it changes what a program does. */
enum style {
    BY_LIBRARY,   /* cooperative groups and cuda::atomic_ref in place of functions */
    BY_REFERENCE, /* every other pointer to an own variable is a reference */
    BY_SYMBOL,    /* inputs and cells are variables of the device */
    BY_FUNCTOR,   /* some helpers are operators of a class */
    BY_NAME,      /* arithmetic of floats and conversions are functions, as __fadd_rn */
    BY_SCOPE,     /* blocks have an object whose destructor counts: which way is left is seen */
    BY_POOL,      /* the launch's block memory is of bytes */
    BY_LAMBDA,    /* arms of a branch that nothing leaves are lambdas */
    BY_EXTERN,    /* the kernel has C's linkage, if it is none of these: */
    BY_TEMPLATE,  /* the kernel is one, and some helpers */
    BY_NAMESPACE, /* all is in one */
    BY_HINT,      /* __ldg, __restrict__, unrolled loops, helpers that are calls */
    BY_OVERLOAD   /* fmin, also for float */
};
bool has_style(const struct program *p, enum style style);
/* is_closed - is nothing left by the block's statements, but by their end? */
bool is_closed(const struct block *b);

bool is_cxx_reference(const struct program *p, const struct var *v);
/* is_generic - a template of the type of its first parameter; is_functor - an object. */
bool is_generic(const struct program *p, const struct helper *h);
bool is_functor(const struct program *p, const struct helper *h);

#endif
