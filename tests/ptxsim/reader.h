/* reader.h - PTX text as tokens, and what module.c and decode.c share while they read it. */
#ifndef PTXSIM_READER_H
#define PTXSIM_READER_H

#include "ptxsim.h"

/* A word has letters, digits and _ $ % . or is a negative number; all else is one character. */
struct token {
    const char *text;
    size_t length;
    uint32_t line;
};

struct reader {
    const char *at;
    uint32_t line;
    struct token token; /* the next one; of length 0 at the end */
    char *log;          /* empty: nothing is wrong so far */
    size_t room;
    struct module *module;
};

/* reader_fail - the first thing that is wrong is kept. Returns false. */
bool reader_fail(struct reader *in, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct token reader_next(struct reader *in); /* take a token */
bool is_word(const struct token *t, const char *word);
bool reader_take(struct reader *in, const char *word); /* the next token, if it is that */
bool reader_expect(struct reader *in, const char *word);
bool reader_number(struct reader *in, uint64_t *number);
char *copy_word(const struct token *t);

/* parse_number - also floats by their bits: 0f3F800000. */
bool parse_number(const struct token *t, uint64_t *number);

/* type_bits - of .u32 or u32, 32; 1 of .pred; 0: it is no type. */
uint32_t type_bits(const char *text, size_t length);

/* grow - room for one more element behind `count`; ends the program where there is none. */
void *grow(void *array, uint32_t count, size_t size);

/* decode_body - statements up to the function's end, behind its {. */
bool decode_body(struct reader *in, struct function *f, const struct variable *parameters);
bool read_variable(struct reader *in, bool is_shared);
#endif
