/* unit.h - one compilation: its options, what is known so far, its result.
 *
 * One struct lw__unit is one compilation. Passes (driver/passes.def) take it from text to payload.
 * Each computes facts or makes new code, and returns whether the compilation can continue. Errors
 * in the kernels are diag rows of unit->manifest; defects of ours and of the machine go through
 * lw__defect().
 *
 * The folder holds what every other one needs: messages, child processes, the table of kernels.
 */
#ifndef LW_COMPILE_SUPPORT_H
#define LW_COMPILE_SUPPORT_H
#include "base/base.h"
#include "base/collectives.h"
#include "compile/support/arena.h"
#include "compile/support/target.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A source location; line 0 is unknown. The strings live as long as the module, without NUL. */
struct lw__loc {
    const char *file, *directory; /* as the debug info spells them: file may be relative */
    unsigned file_length, directory_length;
    unsigned line, column; /* column 0 is unknown: then that of the name in the line */
    const char *name;      /* of what is there, or NULL */
    size_t name_length;
};

/* Where diagnostics go: lw__unit_begin. */
struct lw__diags {
    struct lw__text *rows;             /* the manifest: diag rows are appended */
    struct lw__arena *arena, *scratch; /* the unit's */
    struct lw__source *sources;        /* files that were read: source_text.c */
    const char *main_name;             /* what users call the main file */
    struct lw__loc main;               /* how the module spells it; lw__diags_module fills it in */
    int source_fd; /* the main file's text, if it is not a file by that name; or 0 */
    unsigned errors;
    bool crashed; /* clang has crashed, and a row tells so */
    bool is_cuda; /* errors name CUDA's words */
};

enum {
    LW_PARAMS_MAX = 64,        /* parameters of a kernel */
    LW_ARG_BYTES_MAX_C = 4096, /* their bytes */
    LW_ARG_BYTES_MAX_CUDA = 32764,
    LW_RANK_MAX = 12,      /* declared sizes of one parameter */
    LW_SIZE_VARIABLE = -1, /* a declared size that is computed from earlier arguments */
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
    bool by_value;  /* a struct or union: its IR parameter is an integer or a pointer to a copy */
    bool in_place;  /* a record: its IR parameter is a pointer to it in the packed arguments */
    bool is_symbol; /* a variable of the device: common/symbols.c */
    uint64_t symbol_bytes;
    struct lw__brackets brackets;
    size_t origin; /* for check: 1 + the site of its declaration, or 0 */
};

struct lw__kernel {
    char *name;
    char *alias; /* as --instantiate wrote it; NULL: it did not */
    LLVMValueRef function;
    struct lw__loc loc;
    char *signature;          /* "void scale(int n, float x[n], float factor)" */
    uint32_t block[3];        /* 0, 0, 0 without BLOCK(...) */
    struct lw__param *params; /* param_count, one for each IR parameter */
    unsigned param_count;
    uint64_t arg_bytes;
    bool follows_addresses; /* common/addresses.c */
    const char *proofs;     /* proof_bytes of a struct lw_proofs (base/proof_abi.h), or NULL */
    size_t proof_bytes;
    bool is_partial;               /* no launch can prove all of its accesses */
    uint64_t guarded_shared_bytes; /* of SHARED in the guarded form */
};

struct lw__kernels {
    struct lw__kernel *rows; /* in source order */
    size_t count;
};

/* The facts of a unit's module; see driver/passes.def. */
enum {
    FACT_RAW = 1 << 0,       /* module is clang's output */
    FACT_SIGNATURE = 1 << 1, /* kernels[] is filled in */
    FACT_ALLOWED = 1 << 2,   /* nothing that the language refuses */
    FACT_SIZES = 1 << 3,     /* lw.sizes.K exist; no vla checks are left */
    FACT_LINKED = 1 << 4,    /* lw.* maths, conversions and atomics have bodies */
    FACT_HALF = 1 << 5, /* half and bfloat are only stored, loaded and moved; no division traps */
    FACT_INLINED = 1 << 6,    /* kernels call nothing but lw.* operations and llvm.* */
    FACT_INSTANCE = 1 << 7,   /* each collective carries an "lw.instance" bundle */
    FACT_COMMON = 1 << 8,     /* cleaned up: what all targets start from */
    FACT_DESCRIBED = 1 << 12, /* the manifest has the kernels' rows */
    FACT_THREADS = 1 << 9,    /* lw.ref.K exist */
    FACT_OBJECT = 1 << 10,    /* unit->payload is an object file */
    FACT_PAYLOAD = 1 << 11,   /* unit->payload is what the library gets */
    FACT_BLOCKS = 1 << 13,    /* kernels[] are those to build now, each for its block */
    FACT_PREPARED = 1 << 14,  /* kernels know their block; scalars only, short loops unrolled */
    FACT_WIDENED = 1 << 15,   /* lw.cpu.K exist */
    FACT_FINAL = 1 << 16,     /* optimised: left to the code generator */
    FACT_ENTERED = 1 << 17,   /* each loop has one entry */
    FACT_CONVERGED = 1 << 18, /* collectives are calls of devlib, each with the lanes that take
                               * part */
    FACT_LOWERED = 1 << 19,   /* entries as cuda_abi.h has them; no lw.* is left */
    FACT_BUILTIN = 1 << 20,   /* the only intrinsics are exact on all targets, or refused */
};

/* What the first launch needs, where that is known: driver/first_launch.c. */
struct lw__first {
    int fd;             /* where its result goes; -1: nothing is known */
    const char *kernel; /* NULL: the only one */
    uint32_t block[3];
};

/* Options of one run, as driver/main.c read them. */
struct lw__options {
    const char *device; /* ref, null, cuda:sm_80, cpu:avx2 ... */
    const char *path;   /* kernel file; NULL: source_fd, or common_fd */
    const char *name;   /* the text's name in messages */
    int source_fd, out_fd;
    int common_fd;      /* instead of a text: common bitcode, see base/cpu_abi.h; -1 */
    const char *kernel; /* the only one to build, or NULL */
    uint32_t block[3];  /* threads of a block; 0, 0, 0: those of BLOCK(...) */
    struct lw__first first;
    struct lw__arena arena; /* has the words below */
    char **clang_args;      /* -D and -I, in order, each with its value */
    size_t clang_arg_count;
    bool is_cuda;       /* --cuda, or the name ends in .cu or .cuh */
    unsigned cuda_arch; /* 80 for sm_80: what __CUDA_ARCH__ is ten times of */
    char **instances;   /* --instantiate: kernels as C++ writes them after & */
    size_t instance_count;
    bool debug;                /* -O0: every variable has its value at each line; for ref */
    bool bounds;               /* also a form whose accesses stay within their objects; with
                                * common_fd or show that form */
    const char *show;          /* stage to print instead of building, or NULL */
    const char *header_module; /* --header-module: where to, or NULL (front/header_module.c) */
    const char *only_pass;     /* --pass: run this one on an IR file, or NULL */
    uint64_t without;          /* --without-workaround: bits 1 << enum lw__workaround */
    bool time_passes;          /* the table of driver/time_passes.c instead of a result */
    bool image_ref;    /* with image: ref's job, which begins with the text, for its checks */
    bool image_packed; /* with image: code that the library loads when it is first needed */
    struct lw__image_options *image; /* --image: what lanewise cc makes (driver/image.h), or NULL */
};

/* A child process; its output goes to memory files. */
struct lw__process {
    int pid, out, err;
};

struct lw__unit {
    const struct lw__options *options;
    const struct lw__target *target;  /* of options->device, or of the stage that is shown */
    const struct lw__gpu_target *gpu; /* gpu/gpu.h; NULL: it is for none */
    uint32_t gang;                    /* threads of a gang that the device's name asks for, or 0 */
    struct lw__times *times;          /* --time-passes, or NULL */
    struct lw__arena arena;           /* what lives as long as the unit */
    struct lw__arena scratch;         /* what one pass needs */
    unsigned facts;
    LLVMContextRef context;
    struct lw__text llvm_said; /* LLVM's error messages, see llvm/context.c */
    LLVMModuleRef module;
    LLVMTargetMachineRef machine; /* x86-64 baseline, made by llvm19; then that of the device */
    struct lw__kernels kernels;   /* front/front.h */
    struct lw__diags diags;       /* diag rows go to manifest */
    struct lw__text ast_print;    /* clang -ast-print of the text; for sizes */
    struct lw__text manifest;     /* diag, dep, then kernel, param and site rows */
    struct lw__text sites;        /* site rows, numbered by site_count */
    size_t site_count;
    struct lw__kernels operations; /* of blocks in gangs, not widened yet; see gang_barrier.c */
    bool has_rare;                 /* code that lanes rarely need is behind a branch: lw.rarely */
    bool has_clamps;               /* what an edge clamps is behind a branch */
    bool misused;                  /* there is no route to what the command line asks for */
    struct lw__text payload;
    struct lw__text header; /* of an image, whose payload is the object */
    char *guarded;          /* common bitcode of that form, guarded_bytes, or NULL: guard/forms.c */
    size_t guarded_bytes;
    struct lw__text common; /* common bitcode with the kernel of the first launch, and which that */
    char *first;            /* is; NULL: there is none, or its code is made anyway */
    bool first_is_guarded;  /* the bitcode is of the guarded form */
};

/* Note what this program is doing. If a signal or LLVM ends it, its last line on standard error
 * gives pass, kernel and line. lw__where_tell writes that line at other ends. */
enum { LW_EXIT_DEFECT = 3 };

/* Has the unit's target these capabilities? */
static inline bool lw__has(const struct lw__unit *unit, unsigned capabilities)
{
    return (unit->target->has & capabilities) == capabilities;
}

/* ---- report.c -------------------------------------------------------------------------------- */

/* Print the message to standard error, for the library to pass on; always false. For a defect of
 * ours or of the machine, not of the kernels. */
bool lw__defect(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Manifest and payload to options->out_fd. */
bool lw__write_result(struct lw__unit *unit);
bool lw__print(const char *text); /* to standard output; false: it could not be written */

/* ---- unit.c ---------------------------------------------------------------------------------- */

/* All of the unit is new, its texts in its arena. The options live as long as it. */
void lw__unit_begin(struct lw__unit *unit, const struct lw__options *options);
/* Add a row, all zero but its name, a copy. Rows may move. */
struct lw__kernel *lw__kernels_add(struct lw__arena *arena, struct lw__kernels *kernels,
                                   const char *name);

/* ---- process.c ------------------------------------------------------------------------------- */

/* Limit this program and its children to LW_COMPILE_SECONDS of processor time each. Give them the
 * stack that deeply nested texts need. */
void lw__process_limits(void);
/* End this program, and so its children, LW_COMPILE_CLOCK_SECONDS from now. */
void lw__process_begin(void);
/* End this program when the one that started it ends. */
void lw__process_leave_none(void);
/* What a child is, and gets: the descriptors 0, 1, 2, and from 3 on those in keep[]. */
struct lw__child {
    const char *const *words; /* to NULL: a program, looked for in PATH, and what it is told */
    int (*run)(const char *const *words); /* instead, in a copy of this process: its exit status */
    int in;                               /* standard input; -1: none */
    const int *keep;
    size_t keep_count;
};
/* Start it without a shell; its output goes to memory files out, err, released by the caller with
 * close. 0; -1 after lw__defect; or errno: there is no such program. */
int lw__process_start(const struct lw__child *child, struct lw__process *process);
/* Wait for it; *exit_code is its status, or 128 + signal. out and err are rewound to be read. */
bool lw__process_wait(struct lw__process *process, int *exit_code);
bool lw__read_all(int fd, struct lw__text *text); /* from the start to the end */
int lw__memory_file(const char *name);            /* -1: none could be made */

/* The remarks: what slows a kernel down. */
enum lw__remark {
#define LW_REMARK(id, what, advice) LW_REMARK_##id,
#include "compile/support/remarks.def"
#undef LW_REMARK
};

/* ---- diagnostics.c --------------------------------------------------------------------------- */

/* Find how the module spells the main file, so that messages can use main_name. */
void lw__diags_module(struct lw__diags *diags, LLVMModuleRef module);
/* One more error. */
void lw__diags_error(struct lw__diags *diags, struct lw__loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* In CUDA what is wrong with a kernel is refused for that kernel, not for its file. Errors between
 * begin and end become a `refused` row. True: there were some. */
struct lw__kernel_errors {
    struct lw__text *all, rows;
    unsigned errors;
};
void lw__kernel_errors_begin(struct lw__diags *diags, struct lw__kernel_errors *errors);
bool lw__kernel_errors_end(struct lw__diags *diags, struct lw__kernel_errors *errors,
                           const char *kernel, const char *alias);
/* The `refused` rows of the kernel, or of all with NULL, become errors again: there is no other
 * kernel to go on with. False: there are none. */
bool lw__kernel_errors_tell(struct lw__diags *diags, const char *kernel);
/* A remark on something slow that users may want to change: why, and in a note what to do. Once a
 * location. */
void lw__diags_remark(struct lw__diags *diags, struct lw__loc loc, enum lw__remark remark,
                      const char *why);
/* A line as a row holds it: 0, unknown, if #line made it larger than INT32_MAX. */
unsigned lw__row_line(unsigned line);
/* One field of a manifest row with its escapes; and the file of a location, as the user names
 * it. */
void lw__row_field(struct lw__text *row, const char *bytes, size_t count);
void lw__row_file(struct lw__text *row, const struct lw__diags *diags, struct lw__loc loc);
bool lw__row_is_main(const struct lw__diags *diags, struct lw__loc loc); /* in the main file? */

/* ---- source_text.c --------------------------------------------------------------------------- */

/* The column of a location with a line: its own, else that of its name in that line of the text, or
 * of the line's first word. */
unsigned lw__front_column(struct lw__diags *diags, struct lw__loc loc);
/* A line of the source: *length bytes; NULL: it is not available. */
const char *lw__front_line(struct lw__diags *diags, struct lw__loc loc, size_t *length);
/* The first occurrence of the name in the main file; line 0: none. */
struct lw__loc lw__front_find(struct lw__diags *diags, const char *name);

/* True if the character may be in an identifier. */
static inline bool lw__is_word_char(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* ---- snippet.c ------------------------------------------------------------------------------- */

/* skip: the end of the snippet that clang drew at the start of text. take: it becomes a row; its
 * lines are numbered so that the caret's is `line`. draw: one for a location. */
const char *lw__snippet_skip(const char *text);
void lw__snippet_take(const struct lw__diags *diags, const char *text, unsigned line);
void lw__snippet_draw(struct lw__diags *diags, struct lw__loc loc, unsigned column);

#endif
