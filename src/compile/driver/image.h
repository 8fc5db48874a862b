/* image.h - the parts of `lanewise cc`: one object from one kernel file.
 *
 *     image_options   which targets, blocks; what goes into the object
 *     image_build     a job for each kernel, target and block, in children side by side
 *     image_header    the header, and the C that calls the library and lists the code
 *     image_c_types   structs by value as C, from their layout
 *     image_object    names, constants, the linker
 *     image_files     the files that it makes, and what it says
 *
 * The object holds a lw_image (lanewise/image.h). Its symbols begin with lw.FILE. and are hidden,
 * but for the functions of the header: FILE_K for each kernel K, and FILE_program.
 */
#ifndef LW_COMPILE_IMAGE_H
#define LW_COMPILE_IMAGE_H
#include "compile/support/unit.h"
#include "base/manifest_read.h"

enum { LW_TARGETS_MAX = 32, LW_IMAGE_BLOCKS_MAX = 256 };

/* One size of block, for one target or for all that have none of their own. */
struct lw__image_block {
    const char *target; /* target_length bytes of it; NULL: all */
    size_t target_length;
    uint32_t dims[3];
};

/* The options: lw__options.image. */
struct lw__image_options {
    struct lw__arena *arena; /* lw__options.arena */
    const char *file;        /* FILE: what the object's names begin with */
    const char *source;      /* the kernel file's name without its folder */
    const char *object;      /* where the files go; NULL: nowhere */
    const char *header, *depfile;
    bool no_debug, no_bitcode; /* -g0, --no-bitcode */
    char *words;               /* the text of targets, cut */
    const char *targets[LW_TARGETS_MAX];
    size_t target_count;
    struct lw__image_block blocks[LW_IMAGE_BLOCKS_MAX];
    size_t block_count;
};

/* All of it, by children that run the driver's pipeline. */
bool lw__pass_image(struct lw__unit *unit);
bool lw__pass_hide(struct lw__unit *unit);

/* After the passes: the files, unless there are errors, and without --out what the compiler says.
 * Returns the exit status of a failure, or 0. */
int lw__image_deliver(struct lw__unit *unit);

/* Read one option and its value; *is_known: it is one of these. False, with a message: an error. */
bool lw__image_option(struct lw__options *options, const char *name, const char *value,
                      bool *is_known);
/* Add what is missing, and check that all fits together; false, with a message: it does not. */
bool lw__image_check(struct lw__options *options);
/* X[,Y[,Z]]: within the kernel language's limits of a block. */
bool lw__block_dims(const char *text, uint32_t block[3]);

/* The result of one child: code of a kernel for a target and a block, or of all kernels (ref). */
struct lw__image_job {
    const char *target; /* as the image has it */
    const char *kernel; /* NULL: all */
    uint32_t block[3];
    bool is_guarded; /* of the guarded form */
    bool is_small;   /* in gangs of 32 threads: short code that is made fast */
    bool is_packed;  /* it is a constant, which the library unpacks and loads */
    unsigned has;    /* the target's capabilities */
    int pid, out;
    struct lw__text result; /* manifest and payload */
    struct lw__manifest manifest;
    struct lw__text packed; /* the payload, if it is_packed */
};

/* The header, and the C file. */
struct lw__image_code {
    const struct lw__image_options *options;
    const struct lw__manifest *kernels;
    const struct lw__image_job *jobs;
    size_t job_count;
    /* numbers of constants: see lw__image_constants */
    size_t manifest;
    size_t bitcode;                     /* SIZE_MAX: left out */
    size_t common_bytes, guarded_bytes; /* of the bitcode before it was packed */
    const size_t *proofs;               /* of each kernel; NULL: there is no guarded form */
    const size_t *job_manifests, *job_payloads;
    const struct lw__image_constants *constants;
    uint64_t id;
};
void lw__image_header(const struct lw__image_options *options, const struct lw__manifest *kernels,
                      struct lw__text *header);
void lw__image_source(const struct lw__image_code *code, const struct lw__text *header,
                      struct lw__text *source);

/* In this order: definitions of the structs that kernels take by value, each once; the C type of a
 * parameter; asserts that the structs are what the kernels take. */
void lw__image_types(const struct lw__image_options *options, const struct lw__manifest *kernels,
                     struct lw__text *out);
const char *lw__image_type(const struct lw__image_options *options,
                           const struct lw__manifest *kernels, size_t param);
bool lw__image_is_struct(const struct lw__manifest_param *param);
const char *lw__image_scalar(const char *layout); /* NULL: no scalar */
/* The function of a kernel without FILE_: scale_float of the C++ kernel "scale<float>". */
const char *lw__image_function(struct lw__arena *arena, const char *kernel);
bool lw__image_is_reserved(const char *name, size_t length); /* by C++ */
void lw__image_asserts(const struct lw__image_options *options, const struct lw__manifest *kernels,
                       struct lw__text *out);

/* Bytes that the C file names; equal ones are stored once. */
struct lw__image_constants {
    struct lw__constant {
        const char *data;
        size_t bytes;
    } *rows;
    size_t count;
};
size_t lw__image_constant(struct lw__arena *arena, struct lw__image_constants *constants,
                          const char *data, size_t bytes);

/* An archive of objects, for the linker. */
void lw__archive_begin(struct lw__text *archive);
void lw__archive_add(struct lw__text *archive, const char *object, size_t bytes);

/* In this order: the constants as an object; the C file compiled by clang; all linked to one
 * object. */
bool lw__image_emit_constants(struct lw__unit *unit, const struct lw__image_constants *constants,
                              struct lw__text *archive);
bool lw__image_compile(struct lw__unit *unit, const struct lw__text *source,
                       struct lw__text *archive);
bool lw__image_link(struct lw__unit *unit, const struct lw__text *archive);
#endif
