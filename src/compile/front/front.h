/* front.h - from the text of a kernel file to LLVM IR: clang, each kernel's C signature, what the
 * language refuses, and the declared sizes of parameters.
 *
 * The order of use, on clang's raw module (clang_contract_test.c tests what is relied on in it):
 *     lw__front_diag         clang's messages           -> diag rows
 *     lw__front_signature    debug info, ast-print text -> struct lw__kernels
 *     lw__front_refuse       the module                 -> diag rows
 *     lw__front_sizes        only if nothing was refused: lw.sizes.K functions; no vla checks left
 *     lw__front_manifest     struct lw__kernels         -> kernel and param rows
 */
#ifndef LW_COMPILE_FRONT_H
#define LW_COMPILE_FRONT_H
#include "compile/support/unit.h"

/* The folder that holds lanewise/kernel.h; false, with a message: there is none. */
enum { LW_PATH_MAX = 4096 };

/* Names of our header that the kernel file defines itself, each "NAME=NAME" and a NUL. suspect: add
 * names in lines with clang's errors. acquit: remove those whose functions clang misses without the
 * header; true: there were some. */
struct lw__own {
    struct lw__text names;
    size_t count;
};

/* ---- clang_messages.c ----------------------------------------------------------------------- */

/* The reason why a name of the C library, or a builtin, is refused; NULL: unknown. */
const char *lw__front_reason(const char *name, size_t length);
void lw__front_diag(struct lw__diags *diags, const char *stderr_text);

/* ---- clang.c --------------------------------------------------------------------------------- */

bool lw__pass_front(struct lw__unit *unit);
bool lw__pass_signature(struct lw__unit *unit);
/* traces.c: remove all calls of trace(), and the loads of what they were given. */
void lw__front_drop_traces(LLVMModuleRef module);
bool lw__pass_refuse(struct lw__unit *unit);
bool lw__pass_sizes(struct lw__unit *unit);
bool lw__header_folder(char folder[LW_PATH_MAX]);
/* The file of that name in the folder of this program. */
bool lw__beside_program(char path[LW_PATH_MAX], const char *name);
/* Precompile kernel.h of the folder; rule: the Makefile's, of the headers that clang read. */
bool lw__clang_make_header(struct lw__unit *unit, const char *folder, struct lw__text *module,
                           struct lw__text *rule);
/* Add a dep row for the file; none if it cannot be read. */
void lw__dependency_add(struct lw__unit *unit, const char *path);

/* ---- clang_words.c --------------------------------------------------------------------------- */

/* What comes before each CUDA file, in lanewise/cuda. */
#define LW_CUDA_HEADER "lanewise_cuda.h"

enum lw__clang_job {
    LW_CLANG_BUILD,  /* bitcode */
    LW_CLANG_TEXT,   /* the same as text */
    LW_CLANG_PRINT,  /* declarations */
    LW_CLANG_HEADER, /* kernel.h as a module */
};

/* What a run of clang is told besides. */
struct lw__how {
    const struct lw__own *own;
    const char *module; /* the header as clang has parsed it, or NULL */
    bool is_header;     /* the header itself is to be parsed */
};

/* The words of a command line, to NULL; the folder has our headers. */
const char **lw__clang_words(struct lw__unit *unit, enum lw__clang_job job,
                             const struct lw__how *how, const char *folder);
/* The hash goes on over all of them. */
uint64_t lw__clang_hash_flags(uint64_t hash);
/* What makes clang compile the options' instances, which nobody may launch: more text. */
void lw__clang_add_instances(const struct lw__options *options, struct lw__text *text);

/* ---- clang_program.c ------------------------------------------------------------------------- */

/* True if the clang in this program is used. */
bool lw__clang_is_inside(void);
/* The hash goes on over what is known of clang. False: it is not clang alone. */
bool lw__clang_hash(uint64_t *hash);
/* Start clang with these words, to NULL, the first in the place of its name. in, keep, process are
 * lw__child's. */
bool lw__clang_start(struct lw__arena *arena, const char *const *argv, int in, const int *keep,
                     size_t keep_count, struct lw__process *process);

/* The headers of the clang in this program: texts, each with its NUL. */
const char *lw__clang_own_headers(const char **end);

/* ---- clang_version.c ------------------------------------------------------------------------- */

/* True if clang 19 made the module. False: another, and the process has told so.
 * lw__clang_asked - the same, of the clang that would be started. */
bool lw__clang_made(LLVMModuleRef module);
bool lw__clang_asked(struct lw__unit *unit);

/* ---- header_module.c ------------------------------------------------------------------------- */

/* True if clang gives for this text the same with the header's module at `path` as without it, as
 * long as it has no message. source: the text's descriptor, or -1 for that of options->path. */
bool lw__header_module(struct lw__unit *unit, int source, char path[LW_PATH_MAX]);
bool lw__header_module_make(struct lw__unit *unit); /* to options->header_module */

/* ---- irregular_files.c ----------------------------------------------------------------------- */

/* Errors for each file that the text includes, or a header of the user's, and that is none. */
void lw__front_regular(struct lw__unit *unit);

/* ---- own_names.c ----------------------------------------------------------------------------- */

bool lw__own_suspect(struct lw__arena *arena, struct lw__own *own, const char *said);
bool lw__own_acquit(struct lw__own *own, const char *said);
/* True for <lanewise/kernel.h> and its parts (own_names.c). */
bool lw__is_our_header(const char *file, size_t length);
/* The text of lanewise/NAME; NULL, with a message: it cannot be read. */
const char *lw__our_header(struct lw__arena *arena, const char *name);

/* ---- cuda_module.c --------------------------------------------------------------------------- */

/* A kernel that the command line asks for: a variable of this name and a number points to it; its
 * attribute has what was asked. */
#define LW_INSTANCE "lw.instance"
#define LW_ALIAS "lw.alias"
/* What a function's annotations say of why kernels that reach it are refused; a line for each:
 * TEXT, or with tabs between TEXT, LINE, COLUMN, FILE. Without a place it is that of the call. */
#define LW_REFUSED "lw.refused"
bool lw__cuda_module(struct lw__unit *unit);

/* ---- function_pointers.c --------------------------------------------------------------------- */

/* Calls through pointers become calls of the functions that they may be. */
void lw__front_function_pointers(struct lw__unit *unit);
/* True if a pointer that is called is from a virtual table. */
bool lw__front_is_virtual(LLVMValueRef callee);

/* ---- half_conversions.c ---------------------------------------------------------------------- */

/* The module as text, with conversions between _Float16 and __bf16 through float. */
void lw__front_unmix(const char *module, struct lw__text *out);

/* ---- inline_ptx.c ---------------------------------------------------------------------------- */

/* Of an asm statement that stays: its first instruction that has no equal. */
#define LW_PTX "lw.ptx"
void lw__front_inline_ptx(struct lw__unit *unit);

/* ---- debug_types.c --------------------------------------------------------------------------- */

/* A type without const, volatile, restrict, _Atomic and typedef names; NULL is void. */
LLVMMetadataRef lw__type_strip(LLVMContextRef context, LLVMMetadataRef type);
bool lw__type_is_const(LLVMContextRef context, LLVMMetadataRef type);
/* The innermost element of an array of any rank; other types are their own. */
LLVMMetadataRef lw__type_element(LLVMContextRef context, LLVMMetadataRef type);
uint64_t lw__type_size(LLVMContextRef context, LLVMMetadataRef type);
uint64_t lw__type_align(LLVMContextRef context, LLVMMetadataRef type);
/* The type as C spells it, typedef names kept; and as docs/layout.md has it. */
void lw__type_spell(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out);
void lw__type_layout(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out);
/* The name of a type in this one that the kernel language refuses, or NULL. */
const char *lw__type_refused(LLVMContextRef context, LLVMMetadataRef type);

/* ---- lockstep.c ------------------------------------------------------------------------------ */

/* Below sm_70: warp_sync() after accesses to shared and volatile memory. */
bool lw__front_has_lockstep(const struct lw__unit *unit);
void lw__front_lockstep(struct lw__unit *unit);

/* ---- signature.c ----------------------------------------------------------------------------- */

/* How many declared sizes lw.sizes.K writes for a parameter; 0 if the outer one is open. */
unsigned lw__param_dims(const struct lw__param *param);
/* The same for the kernel: there is no lw.sizes.K if it is 0. */
unsigned lw__kernel_dims(const struct lw__kernel *kernel);
/* Errors of kernels go to diags, here and in the two below. */
void lw__front_signature(struct lw__arena *arena, LLVMModuleRef module, const char *ast_text,
                         struct lw__diags *diags, struct lw__kernels *kernels);
/* The kernel row and its param rows. */
void lw__front_manifest(const struct lw__kernel *kernel, uint64_t shared_bytes, bool uses_dynamic,
                        uint64_t shared_align, struct lw__text *manifest);
/* Emit the load of argument `index` from the packed arguments, as the kernel's IR parameter. A
 * struct that IR passes by pointer gets a copy of its own. The builder is in an entry block. */
LLVMValueRef lw__front_load_argument(LLVMBuilderRef builder, const struct lw__kernel *kernel,
                                     unsigned index, LLVMValueRef packed);

/* ---- prototype.c ----------------------------------------------------------------------------- */

/* The brackets of the `count` parameters of kernel `name`, from clang's -ast-print text; none if
 * the text does not have the kernel. */
void lw__front_prototype(struct lw__arena *arena, const char *ast_text, const char *name,
                         unsigned count, struct lw__brackets *brackets);

/* ---- reached.c ------------------------------------------------------------------------------- */

struct lw__reached {
    LLVMValueRef *values;
    size_t count;
};
void lw__reached_find(struct lw__arena *arena, LLVMValueRef kernel, struct lw__reached *reached);
bool lw__is_reached(const struct lw__reached *reached, LLVMValueRef value);

/* ---- refused_marks.c ------------------------------------------------------------------------- */

/* Report a function's marks: those with a place, or with `call`, where it is called, the others. */
void lw__front_marked(struct lw__arena *arena, struct lw__diags *diags, LLVMValueRef function,
                      const struct lw__loc *call);
/* The call in the user's text that leads to this one in a header of clang's, as `new` does. */
LLVMValueRef lw__front_call_of_user(LLVMValueRef call);

/* ---- restrictions.c -------------------------------------------------------------------------- */

void lw__front_refuse(struct lw__arena *arena, LLVMModuleRef module, struct lw__diags *diags);
/* The same of a CUDA file, kernel by kernel with what it calls: those with errors go. */
void lw__front_refuse_kernels(struct lw__arena *arena, LLVMModuleRef module,
                              struct lw__diags *diags, struct lw__kernels *kernels);

/* ---- formats.c ------------------------------------------------------------------------------- */

/* Report what is wrong with the text of a printf, assert, assert_that or trace, and its arguments;
 * nothing for other calls. The text becomes the literal itself. */
void lw__front_check_text(struct lw__diags *diags, LLVMValueRef call);

/* ---- array_sizes.c --------------------------------------------------------------------------- */

void lw__front_sizes(struct lw__arena *arena, LLVMModuleRef module,
                     const struct lw__kernels *kernels, struct lw__diags *diags);

/* ---- size_arithmetic.c ----------------------------------------------------------------------- */

/* lw.sizes.K also tells of arithmetic that has no result. */
void lw__front_test_sizes(struct lw__arena *arena, LLVMValueRef function);

/* ---- misspelt_names.c ------------------------------------------------------------------------ */

/* Add "; did you mean 'NAME'?" for a similar name of kernel.h, or for a similar name of another
 * language with its name here; or the header that has the name. Nothing if none is similar. */
void lw__front_nearest(struct lw__arena *arena, struct lw__text *out, const char *name,
                       size_t length, bool is_called);

/* ---- foreign_names.c ------------------------------------------------------------------------- */

/* Lanewise's name for one of CUDA, OpenCL or Mojo; NULL: it is none of these. */
const char *lw__front_foreign(const char *name, size_t length);
struct lw__nearest;
void lw__front_try_foreign(struct lw__nearest *nearest); /* all of them, as candidates */
#endif
