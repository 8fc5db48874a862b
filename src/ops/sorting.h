/* sorting.h - what the operations that sort share: rows of words, and keys that order them. */
#ifndef LW_OPS_SORTING_H
#define LW_OPS_SORTING_H
#include "ops/op.h"

/* ORDER SORT: kernels/sort.c */
enum { LW_SORT_SHORT = 48 };

/* ORDER SORT_KEYS: kernels/sort.h */
struct lw__keys {
    uint64_t sign, negative, positive, zero, magnitude, infinity, nan, flip;
};
struct lw__carried {
    size_t has_index, is_first, is_wide, has_value;
};

/* A sort of all rows, in words. */
struct lw__sorting {
    struct lw__keys keys;
    size_t rows, n, passes;
    lw_dtype dtype, word; /* of x; u32 or u64 */
    bool is_given;        /* the elements come with their indices in their rows, of u32 */
    struct lw__operand x, given, out, other, indices, between, other_between;
    struct lw__carried carried; /* by the last pass */
};

/* lw__sort_begin - x, whose axis is the last and not empty, as rows of words.
 * errors   LW_E_SHAPE an axis too long; those of lw__call_scratch and lw__call_launch */
lw_status lw__sort_begin(struct lw__call *call, struct lw__operand x, bool is_falling,
                         bool nan_first, struct lw__sorting *s);

/* lw__sort_end - sort the rows; out and indices get the first ones of each, as many as they have
 * room for. One of them may be NULL.
 * errors   as above */
lw_status lw__sort_end(struct lw__call *call, struct lw__sorting *s, const struct lw__operand *out,
                       const struct lw__operand *indices);

/* lw__sort_check_indices - errors: LW_E_DTYPE they are not i64. */
lw_status lw__sort_check_indices(const struct lw__call *call, const struct lw__operand *indices);

/* lw__keys_of - how elements of a dtype are ordered. */
struct lw__keys lw__keys_of(lw_dtype dtype, bool is_falling, bool nan_first);

static inline lw_arg lw__arg_keys(const struct lw__sorting *s)
{
    return lw_arg_bytes(&s->keys, sizeof s->keys);
}
static inline lw_arg lw__arg_carried(const struct lw__carried *c)
{
    return lw_arg_bytes(c, sizeof *c);
}

/* The kernel for the size of a word. */
static inline const char *lw__by_word(const struct lw__sorting *s, const char *four,
                                      const char *eight)
{
    return s->word == LW_U32 ? four : eight;
}
#endif
