/* layout.h - types by their one-line description: the grammar is docs/layout.md. */
#ifndef LW_TEXT_LAYOUT_H
#define LW_TEXT_LAYOUT_H

#include "base/base.h"

enum lw__form { LW_VOID, LW_SCALAR, LW_STRUCT, LW_ARRAY, LW_VECTOR, LW_POINTER, LW_TENSOR };

struct lw__type {
    enum lw__form form;
    lw_dtype dtype;   /* SCALAR; ARRAY, VECTOR: of the elements */
    bool is_const;    /* POINTER, TENSOR: what it points to */
    size_t bytes;     /* of one value */
    size_t count;     /* ARRAY, VECTOR: elements; TENSOR: rank; STRUCT: fields that have a value of
                       * their own, which for a union is only the first */
    size_t offset;    /* of a field in its struct */
    unsigned width;   /* of a bit-field, a SCALAR, its bits; 0: it is none */
    unsigned bit;     /* of a bit-field: the lowest of them, in the byte at offset */
    const char *name; /* of a field, name_length bytes of the text */
    int name_length;
    struct lw__type *inner; /* STRUCT: the first field; else what it points to or is made of */
    struct lw__type *next;  /* the next field */
};

/* lw__type_read - the type that text describes; text must live as long as the type.
 * errors   LW_E_INTERNAL it is malformed; LW_E_MEMORY. There is no message.
 * owns     release with lw__type_free, which takes NULL */
lw_status lw__type_read(const char *text, struct lw__type **type);
void lw__type_free(struct lw__type *type);
#endif
