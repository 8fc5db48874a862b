/* front.h - what the front end tells about a kernel file besides its bitcode: diagnostics, each
 * kernel's C signature, what the kernel language refuses, and the declared sizes of parameters.
 *
 * The order of use, on clang's raw module (front_abi.c tests what is relied on in it):
 *     lw__front_diag         clang's messages           -> diag rows
 *     lw__front_signature    debug info, ast-print text -> struct lw__kernels
 *     lw__front_refuse       the module                 -> diag rows
 *     lw__front_sizes        only if nothing was refused: lw.sizes.K functions; no vla checks left
 *     lw__front_manifest     struct lw__kernels         -> kernel and param rows
 */
#ifndef LW_FRONT_H
#define LW_FRONT_H

#include "base/base.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

/* ---- places in the source (ir_loc.c) ---- */

/* A place in the source; line 0 is unknown. The strings live as long as the module, without NUL. */
struct lw__loc {
    const char *file, *directory; /* as the debug info spells them: file may be relative */
    unsigned file_length, directory_length;
    unsigned line, column; /* column 0 is unknown: it is then where the name stands in the line */
    const char *name;      /* of what is there, or NULL */
    size_t name_length;
};

/* Of an instruction (the innermost inlined place that has a line), global variable or function. */
struct lw__loc lw__loc_of(LLVMValueRef value);

/* Of a variable of the function, by its debug info. */
struct lw__loc lw__loc_of_variable(LLVMValueRef function, LLVMMetadataRef variable);

/* A global as the source calls it: clang's own names have the function's and a number as well. */
const char *lw__source_name(LLVMValueRef global);

/* The place where a global's first use by an instruction stands, for one without debug info. */
struct lw__loc lw__loc_of_use(LLVMValueRef global);

/* ---- diagnostics (front_diag.c, front_place.c) ---- */

/* Where diagnostics go. All zero but rows and main_name at the start. */
struct lw__diags {
    struct lw__text *rows; /* the manifest: diag rows are appended */
    const char *main_name; /* what users call the main file */
    struct lw__loc main;   /* how the module spells it; lw__diags_module fills it in */
    int source_fd;         /* the main file's text, where it is not a file by that name; or 0 */
    unsigned errors;
    bool crashed; /* clang did not end well, and a row says so */
};

/* Learn how the module spells the main file, so that messages call it by main_name. */
void lw__diags_module(struct lw__diags *diags, LLVMModuleRef module);

/* One more error. */
void lw__diags_error(struct lw__diags *diags, struct lw__loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Something slow that users may want to change: what, and why. Said once for a place. */
void lw__diags_remark(struct lw__diags *diags, struct lw__loc loc, const char *what,
                      const char *why);

/* The column of a place that has a line: its own, else that of its name in that line of the text,
 * or of the line's first word. */
unsigned lw__front_column(const struct lw__diags *diags, struct lw__loc loc);
/* A line of the source, *length bytes of what is read into text; NULL: it is not to be had. */
const char *lw__front_line(const struct lw__diags *diags, struct lw__loc loc, struct lw__text *text,
                           size_t *length);
/* Where the main file has the name first; line 0: nowhere. */
struct lw__loc lw__front_find(const struct lw__diags *diags, const char *name);

/* A line as a row holds it: 0, unknown, where #line made it larger than INT32_MAX. */
unsigned lw__row_line(unsigned line);

/* One field of a manifest row with its escapes; a place's file as users call it. */
void lw__row_field(struct lw__text *row, const char *bytes, size_t count);
void lw__row_file(struct lw__text *row, const struct lw__diags *diags, struct lw__loc loc);
bool lw__row_is_main(const struct lw__diags *diags, struct lw__loc loc); /* in the main file? */

/* Why a name of the C library, or a builtin, is refused; NULL where nothing is known. */
const char *lw__front_reason(const char *name, size_t length);

void lw__front_diag(struct lw__diags *diags, const char *stderr_text);

/* Is it <lanewise/kernel.h> or what comes with it? (front_own.c) */
bool lw__is_our_header(const char *file, size_t length);

/* The picture below a message (front_snippet.c), as a row behind the message's: the one that clang
 * drew at the start of text, its lines numbered so that the caret's is `line`, and where that ends
 * (rows may be NULL); or one of a place. */
const char *lw__snippet_take(struct lw__text *rows, const char *text, unsigned line);
void lw__snippet_draw(const struct lw__diags *diags, struct lw__loc loc, unsigned column);

/* ---- types (front_types.c) ---- */

/* Tags of debug info nodes: DWARF 5, table 7.3. */
enum lw__di_tag {
    LW_TAG_ARRAY = 0x01,
    LW_TAG_ENUMERATION = 0x04,
    LW_TAG_MEMBER = 0x0d,
    LW_TAG_POINTER = 0x0f,
    LW_TAG_STRUCTURE = 0x13,
    LW_TAG_SUBROUTINE = 0x15,
    LW_TAG_TYPEDEF = 0x16,
    LW_TAG_UNION = 0x17,
    LW_TAG_BASE = 0x24,
    LW_TAG_CONST = 0x26,
    LW_TAG_VOLATILE = 0x35,
    LW_TAG_RESTRICT = 0x37,
    LW_TAG_ATOMIC = 0x47,
};

/* Which operand of LLVM 19's debug info nodes is what: DebugInfoMetadata.h. */
enum lw__di_operand {
    LW_DI_TYPE_BASE = 3,        /* derived types; element of arrays, integer of enums */
    LW_DI_TYPE_ELEMENTS = 4,    /* members, dimensions */
    LW_DI_SUBROUTINE_TYPES = 3, /* result, parameters */
    LW_DI_SUBPROGRAM_TYPE = 4,
    LW_DI_SUBPROGRAM_RETAINED = 7, /* variables: the parameters first */
    LW_DI_VARIABLE_NAME = 1,
    LW_DI_VARIABLE_TYPE = 3,
};

/* A node's tag, 0 for NULL, which is void; its operand `index`, NULL where it has none. */
unsigned lw__di_tag(LLVMMetadataRef node);
LLVMMetadataRef lw__di_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index);

/* A type without const, volatile, restrict, _Atomic and typedef names; NULL is void. */
LLVMMetadataRef lw__type_strip(LLVMContextRef context, LLVMMetadataRef type);
bool lw__type_is_const(LLVMContextRef context, LLVMMetadataRef type);
/* The innermost element of an array of any rank; other types are their own. */
LLVMMetadataRef lw__type_element(LLVMContextRef context, LLVMMetadataRef type);

uint64_t lw__type_size(LLVMContextRef context, LLVMMetadataRef type);
uint64_t lw__type_align(LLVMContextRef context, LLVMMetadataRef type);

/* The type as C spells it, typedef names kept; as docs/layout.md has it. */
void lw__type_spell(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out);
void lw__type_layout(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out);

/* The name of a type in this one that the kernel language refuses, or NULL. */
const char *lw__type_refused(LLVMContextRef context, LLVMMetadataRef type);

/* ---- signatures (front_signature.c, front_prototype.c) ---- */

enum {
    LW_PARAMS_MAX = 64,      /* parameters of a kernel */
    LW_ARG_BYTES_MAX = 4096, /* their bytes */
    LW_RANK_MAX = 12,        /* declared sizes of one parameter */
    LW_SIZE_VARIABLE = -1,   /* a declared size that is computed from earlier arguments */
};

/* The array brackets of one parameter as the source has them, constants evaluated. */
struct lw__brackets {
    char *text;                /* "[rows][16]"; NULL without brackets */
    int64_t size[LW_RANK_MAX]; /* outer first: a constant, or LW_SIZE_VARIABLE */
    unsigned count;
    unsigned variable; /* how many of size are LW_SIZE_VARIABLE */
    bool open;         /* a[][n] or (*a)[n]: the outer size is not declared */
    bool pointer;      /* (*a)[n] */
    bool too_many;     /* more than LW_RANK_MAX; the rest is not in size */
};

struct lw__param {
    char *name;   /* "" where the source gives none */
    char *type;   /* in C: "const float *", "float [rows][16]", "TENSOR(float, 2)" */
    char *layout; /* docs/layout.md */
    uint64_t offset, size, align; /* in the packed arguments, bytes; align may exceed 16 */
    bool by_value; /* a struct or union: its IR parameter is an integer or a pointer to a copy */
    struct lw__brackets brackets;
};

struct lw__kernel {
    char *name;
    LLVMValueRef function;
    struct lw__loc loc;
    char *signature;          /* "void scale(int n, float x[n], float factor)" */
    uint32_t block[3];        /* 0, 0, 0 without BLOCK(...) */
    struct lw__param *params; /* param_count, one for each IR parameter */
    unsigned param_count;
    uint64_t arg_bytes;
};

struct lw__kernels {
    struct lw__kernel *rows; /* in source order */
    size_t count, capacity;
};

/* How many declared sizes lw.sizes.K writes for a parameter; 0 where the outer one is open. */
unsigned lw__param_dims(const struct lw__param *param);
/* The same for the kernel: no lw.sizes.K where it is 0. */
unsigned lw__kernel_dims(const struct lw__kernel *kernel);

/* These three are false only where memory is short; what is wrong with kernels goes to diags. */
bool lw__front_signature(LLVMModuleRef module, const char *ast_text, struct lw__diags *diags,
                         struct lw__kernels *kernels);
void lw__kernel_free(struct lw__kernel *kernel); /* what a row holds */
void lw__kernels_free(struct lw__kernels *kernels);

/* The brackets of the `count` parameters of kernel `name`, from clang's -ast-print text; none where
 * the text does not have the kernel. false: memory is short. */
bool lw__front_prototype(const char *ast_text, const char *name, unsigned count,
                         struct lw__brackets *brackets);

/* The kernel row and its param rows. */
void lw__front_manifest(const struct lw__kernel *kernel, uint64_t shared_bytes, bool uses_dynamic,
                        uint64_t shared_align, struct lw__text *manifest);

/* Emit the load of argument `index` from the packed arguments, as the kernel's IR parameter; a
 * struct that IR passes by pointer gets a copy of its own. The builder stands in an entry block. */
LLVMValueRef lw__front_load_argument(LLVMBuilderRef builder, const struct lw__kernel *kernel,
                                     unsigned index, LLVMValueRef packed);

/* ---- the rest (front_refuse.c, front_sizes.c) ---- */

bool lw__front_refuse(LLVMModuleRef module, struct lw__diags *diags);
bool lw__front_sizes(LLVMModuleRef module, const struct lw__kernels *kernels,
                     struct lw__diags *diags);
/* front_foreign.c: what a name of CUDA, OpenCL or Mojo is here; NULL: it is none of these. */
const char *lw__front_foreign(const char *name, size_t length);
#endif
