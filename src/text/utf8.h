/* utf8.h - which bytes are UTF-8: for JSON and XML, which are nothing else.
 */
#ifndef LW_TEXT_UTF8_H
#define LW_TEXT_UTF8_H

/* lw__utf8_length - bytes of the well-formed UTF-8 sequence at text; 0: there is none. Overlong
 * forms, surrogates and values past U+10FFFF are not well-formed (RFC 3629). */
int lw__utf8_length(const char *text);
#endif
