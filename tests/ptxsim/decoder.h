/* decoder.h - a function whose statements are being decoded: what its names are, and the operands
 * of one of them. */
#ifndef PTXSIM_DECODER_H
#define PTXSIM_DECODER_H

#include "reader.h"

enum { OPERANDS_MAX = 5, VECTOR_MAX = 4, DEPTH_MAX = 8 };

struct name { /* of one slot, of a row of registers, or of a label: the instruction */
    const char *text;
    size_t length;
    uint32_t at, count;
};

struct names {
    struct name *rows;
    uint32_t count;
};

struct decoder {
    struct reader *in;
    struct function *f;
    const struct variable *parameters;
    struct names registers, labels, jumps; /* jumps: to resolve, each of an instruction */
    struct names slots;     /* what is visible by a name of its own, the innermost { } last */
    struct names scoped;    /* what { } at each depth have declared: the next takes its slots */
    struct names constants; /* those of the frame, without a text */
    struct token local;     /* the name of the local array */
    uint32_t depth, visible[DEPTH_MAX]; /* of { }; slots at its beginning */
};

void add_name(struct names *n, const struct token *t, uint32_t at, uint32_t count);
/* find_name - the last of that name, or NULL. */
const struct name *find_name(const struct names *n, const struct token *t);
uint32_t add_slot(struct decoder *d, uint64_t value);
/* emit - another instruction; the pointer is good until the next. */
struct instruction *emit(struct decoder *d, uint32_t op, uint32_t line);
bool unknown(struct decoder *d, const struct token *t); /* fails */
bool find_register(struct decoder *d, const struct token *t, uint32_t *slot);
/* value_of - a register, a number, what the thread is, or the address of what has a name. */
bool value_of(struct decoder *d, const struct token *t, uint32_t *slot);

/* As it stands in the text: a word, {words} or [word+offset]. */
struct operand {
    struct token token, words[VECTOR_MAX];
    uint32_t count; /* of words; 0: none */
    bool is_address;
    int32_t offset;
};

/* read_operands - up to the ; at most OPERANDS_MAX. */
bool read_operands(struct decoder *d, struct operand *o, uint32_t *count);
#endif
