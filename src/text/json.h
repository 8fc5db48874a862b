/* json.h - JSON, as all programs here write it. */
#ifndef LW_TEXT_JSON_H
#define LW_TEXT_JSON_H

#include "base/base.h"
#include <stdio.h>

/* lw__json_add - the text in quotes; bytes that are not UTF-8 become U+FFFD.
 * lw__json_write - the same to a file.
 * lw__json_member - `before`, then "name": "text". */
void lw__json_add(struct lw__text *to, const char *text);
void lw__json_write(FILE *to, const char *text);
void lw__json_member(FILE *to, const char *before, const char *name, const char *text);
#endif
