/* inline_ptx.h - between the reader of PTX in asm statements and what makes code of it. */
#ifndef LW_COMPILE_INLINE_PTX_H
#define LW_COMPILE_INLINE_PTX_H
#include "compile/front/front.h"

enum { PTX_WORDS = 10, PTX_OPERANDS = 8 };

/* A type of PTX: its letter is that of u32, s32, b32, f32, p for predicates, h for bf16. */
struct ptx_type {
    char letter;
    unsigned bits;
};

/* An operand that was read: a value, or where one goes. Addresses have an offset. */
struct ptx_operand {
    const char *name; /* NULL: a number */
    bool is_float;    /* 0f3F800000 and its like */
    bool is_negated;  /* !p */
    bool is_address;
    uint64_t number; /* or the address's offset */
};

struct ptx_statement {
    const char *text;            /* for messages */
    const char *word[PTX_WORDS]; /* of the opcode, between points */
    unsigned words;
    struct ptx_operand operand[PTX_OPERANDS][4]; /* each a value, or a vector of 2 or 4 */
    unsigned lanes[PTX_OPERANDS];
    unsigned operands;
    const char *second; /* d|p: the predicate beside the first operand, or NULL */
    struct ptx_operand guard;
    bool has_guard;
};

/* A register, special or not, or an operand of the asm statement, %0. */
struct ptx_register {
    const char *name;
    LLVMValueRef value;
    LLVMTypeRef type;
};

struct ptx {
    struct lw__unit *unit;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMValueRef call; /* of the asm statement */
    LLVMValueRef function;
    struct ptx_register *registers;
    size_t register_count;
};

/* inline_ptx_values.c: values of operands, and results. NULL, false: there is no such thing. */
/* The bits of a value as another type, whose upper bits are the sign or zeros. */
LLVMValueRef ptx_as(struct ptx *x, LLVMValueRef value, LLVMTypeRef to, bool is_signed);
struct ptx_register *ptx_find(struct ptx *x, const char *name);
struct ptx_register *ptx_add(struct ptx *x, const char *name, LLVMTypeRef type);
LLVMTypeRef ptx_llvm_type(const struct ptx *x, struct ptx_type type);
LLVMValueRef ptx_value(struct ptx *x, const struct ptx_operand *operand, struct ptx_type type);
LLVMValueRef ptx_address(struct ptx *x, const struct ptx_operand *operand); /* of 64 bits */
bool ptx_result(struct ptx *x, const struct ptx_statement *s, unsigned operand, unsigned lane,
                LLVMValueRef value, bool is_signed);
bool ptx_name_result(struct ptx *x, const struct ptx_statement *s, const char *name,
                     LLVMValueRef value, bool is_signed);
bool ptx_read_type(const char *word, struct ptx_type *type);
bool ptx_is(const struct ptx_statement *s, const char *word); /* one of the opcode's words */
LLVMValueRef ptx_int(const struct ptx *x, unsigned bits, uint64_t number);
LLVMValueRef ptx_call(struct ptx *x, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                      unsigned count);

/* inline_ptx_code.c, inline_ptx_memory.c: code for a statement; false: it has no equal here. */
bool ptx_arithmetic(struct ptx *x, const struct ptx_statement *s);
bool ptx_memory(struct ptx *x, const struct ptx_statement *s);
#endif
