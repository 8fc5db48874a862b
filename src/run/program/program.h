/* program.h - programs and their kernels: from a file, a text or an image to code for a launch.
 *
 *     type_layout   what a parameter takes, by its type
 *     verdict       does a launch need guarded code?
 *     image         the code of an image that is linked into the process
 *     specialize    a kernel's code for one size of block
 *     symbols       variables of the device, in CUDA
 *     instances     kernels of CUDA templates that are asked for by name
 *     program       from a source to kernels; their holds, and what they say of themselves
 *     residents     programs that a device keeps: of images, and of texts
 *
 * A program is fixed once it is made; only what specialize.c adds to its kernels grows.
 */
#ifndef LW_RUN_PROGRAM_H
#define LW_RUN_PROGRAM_H

#include "lanewise/image.h"
#include "run/build/build.h"
#include "run/objects/objects.h"

/* ---- for other folders ---- */

enum { LW_VERDICTS = 64 }; /* that a kernel remembers */

typedef void lw__sizes_fn(const char *args, int64_t *sizes);

struct lw_kernel {
    lw_program *program;
    const struct lw__manifest_kernel *row;
    const struct lw__manifest_param *param_rows;
    lw_param *params;
    char **titles;       /* of its parameters, for messages: "dot: parameter 2 'a' (float *)" */
    size_t size_count;   /* declared sizes of all parameters together */
    lw__sizes_fn *sizes; /* NULL: nothing declared, or the device runs nothing */
    void *entry;         /* NULL: specialize.c finds it, by the size of the block */
    struct lw__times times;
    _Atomic(struct lw__special *) specials; /* grows at its head */
    const struct lw_proofs *proofs;         /* in the code; NULL: bounds says all */
    const struct lw_term **leaves;          /* of the proofs, leaf_count: what a launch decides */
    size_t leaf_count;
    _Atomic uint64_t verdicts[LW_VERDICTS]; /* verdict.c */
};

/* A variable of the device, in CUDA. */
struct lw__symbol {
    const char *name;      /* the program's */
    const lw_param *param; /* likewise */
    lw_buffer *buffer;
    struct lw__symbol *next;
};

struct lw_program {
    atomic_size_t holds; /* not of a resident: its holds are its device's */
    lw_device *device;
    char *name;
    char *source;          /* what was built, where the device makes findings; else NULL */
    const lw_image *image; /* of a resident; else NULL */
    uint64_t image_id;
    char *shared_text;         /* of a resident that was made of it; else NULL */
    lw_program *next_resident; /* of the device; fixed once it is in the list */
    struct lw__code code;
    enum lw__wish bounds; /* which launches run code whose accesses stay within their objects */
    lw_param *params;     /* code.manifest.param_count; the kernels' slices */
    char **titles;        /* of each parameter; see lw_kernel */
    lw_kernel *kernels;   /* code.manifest.kernel_count */
    _Atomic(struct lw__symbol *) symbols; /* grows at its head; symbols.c */
    lw_program *root;           /* what it was asked of, which has the symbols; NULL: itself */
    lw_program *next_instance;  /* of the root's list */
    struct lw__instances *more; /* CUDA: instances.c; NULL: there can be none */
};
void lw__program_hold(lw_program *program); /* lw_program_destroy lets go */

/* True if its text was CUDA. */
static inline bool lw__is_cuda(const lw_program *program)
{
    return program->more || program->root;
}

/* True if a launch may have blocks of this size. */
bool lw__is_block(lw_dim3 block);

/* lw__verdict_is_fixed - do all launches of the kernel run the same form?
 * lw__verdict_is_guarded - does this one run the guarded form? Its args and objects are known, or
 * the verdict is fixed. Any thread. */
bool lw__verdict_is_fixed(const lw_kernel *kernel);
bool lw__verdict_is_guarded(lw_kernel *kernel, const struct lw__launch *launch);

/* lw__special_use - give the launch the kernel's code for its block size. The first launch with a
 * size builds the code.
 * errors   LW_E_COMPILE the compiler refuses it, "file:line:column: text"; LW_E_MEMORY; LW_E_IO;
 *          LW_E_INTERNAL. thread: any; one builds, the others wait */
lw_status lw__special_use(lw_kernel *kernel, struct lw__launch *launch);
void lw__special_free(lw_kernel *kernel);

/* lw__image_suggest - `wanted`, if there is code for it; else the first size that has some. */
lw_dim3 lw__image_suggest(lw_kernel *kernel, lw_dim3 wanted);

/* lw__resident_find - the device's program of the image, made with the first call. The caller holds
 * the device; the program is not held.
 * errors   those of lw_program_load */
lw_status lw__resident_find(lw_device *device, const lw_image *image, lw_program **program);
void lw__residents_free(lw_device *device); /* all, where nobody holds the device */

/* ---- inside this folder ---- */

/* lw__layout_read - fill in kind, dtype, element_bytes, is_const and rank from the text of
 * docs/layout.md. *bytes: what a value of the type takes.
 * errors   LW_E_INTERNAL it is malformed, or no parameter's; LW_E_MEMORY. There is no message. */
lw_status lw__layout_read(const char *layout, lw_param *param, size_t *bytes);

/* lw__verdict_has_forms - of an image: may its launches run guarded code there? For a GPU there is
 * plain code.
 * lw__verdict_open - the proofs of a kernel, where the program's bounds do not say all.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the code lacks them */
bool lw__verdict_has_forms(const lw_program *program);
lw_status lw__verdict_open(lw_kernel *kernel);

/* lw__image_code - what a resident's kernel runs with for such blocks; *found: there is some.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the image is damaged; those of the device's load */
lw_status lw__image_code(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                         struct lw__code *code, void **entry, bool *found);

/* lw__image_code_for_all - for all sizes of block, as ref has it. NULL: there is none. */
const lw_image_code *lw__image_code_for_all(const lw_kernel *kernel);

/* lw__image_fail_block - LW_E_UNSUPPORTED: there is none, and why there is no compiler. */
lw_status lw__image_fail_block(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                               const char *why);

/* Of its code: files are named without folders, which say nothing here. */
lw_status lw__image_read_sites(struct lw__code *code, const char *name);

/* lw__special_first - of a program that nobody has yet: take the code for its first launch, if the
 * compiler has made it. The launch reports a failure. */
void lw__special_first(lw_program *program, const struct lw__compile *built);

/* lw__kernel_named - the program's kernel of that name, blanks aside. False: it has none.
 * lw__program_build - lw_program_build; root: of one that is kept by that, or NULL.
 * lw__instances_open - the program may be asked for kernels that it lacks. errors: LW_E_MEMORY
 * lw__instance_find - one that it lacks, built if need be. errors: LW_E_COMPILE the text has none
 * of that name; as lw_program_build. thread: any; one builds, the others wait */
bool lw__kernel_named(lw_program *program, const char *name, lw_kernel **kernel);
lw_status lw__program_build(lw_device *device, const char *path, const lw_build_options *options,
                            lw_program *root, lw_program **program);
lw_status lw__instances_open(lw_program *program, const lw_build_options *options,
                             const char *source);
void lw__instances_close(lw_program *program);
lw_status lw__instance_find(lw_program *program, const char *name, lw_kernel **kernel);
/* LW_E_COMPILE: the compiler has refused a kernel of that name; without a name, any. */
lw_status lw__program_refused(const lw_program *program, const char *name);

/* lw__symbols_open - the program's symbols by its manifest, each a buffer with its value; of one
 * that has a root those that the root lacks, too. errors: LW_E_MEMORY, those of the device
 * lw__symbol_find - NULL: the program has no such. */
lw_status lw__symbols_open(lw_program *program);
void lw__symbols_close(lw_program *program);
const struct lw__symbol *lw__symbol_find(const lw_program *program, const char *name);

/* lw__program_fill - kernels and parameters by the manifest; entries where code is loaded.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the manifest or the code is damaged */
lw_status lw__program_fill(lw_program *program);
void lw__program_free(lw_program *program); /* whoever holds it; not its device */
#endif
