/* xml.h - XML, for drawings. */
#ifndef LW_TEXT_XML_H
#define LW_TEXT_XML_H

#include "base/base.h"
#include <stdio.h>

/* lw__xml_add - length bytes of a text as the content of an element; what XML forbids becomes '?'.
 * lw__xml_write - all of a text, to a file. */
void lw__xml_add(struct lw__text *to, const char *text, size_t length);
void lw__xml_write(FILE *to, const char *text);
#endif
