/* nearest.h - names: are two the same; "did you mean" for words of a command line and names in
 * kernels. */
#ifndef LW_BASE_NEAREST_H
#define LW_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

struct lw__nearest {
    const char *typed;
    size_t length;    /* of typed */
    const char *word; /* the nearest so far; NULL: none is near */
    size_t changes;
    char text[64];
};

/* lw__same_name - true if two names of kernels differ in blanks alone: "f<int, 2>", "f<int,2>". */
bool lw__same_name(const char *a, const char *b);

/* lw__distance - the changes from n letters to m; more than either has if that is more than 31. */
size_t lw__distance(const char *a, size_t n, const char *b, size_t m);

/* lw__nearest_try - a word that may have been meant.
 * lw__nearest_alias - `word`, where `alias` was typed.
 * lw__nearest_text - "; did you mean 'WORD'?", or "" where none is near. */
void lw__nearest_try(struct lw__nearest *nearest, const char *word);
void lw__nearest_alias(struct lw__nearest *nearest, const char *alias, const char *word);
const char *lw__nearest_text(struct lw__nearest *nearest);
#endif
