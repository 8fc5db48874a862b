/* image.h - what `lanewise cc` writes into an object: kernels with their code, for each target and
 * size of block. lw_program_load makes a program of one on a device.
 *
 * Programs need not look inside. All of it is constant, and lies in the object's own sections:
 * machine code is linked like any other. The structs begin with version and sizes; the library
 * refuses an image whose version is not its own, since machine code relies on it as well.
 */
#ifndef LANEWISE_IMAGE_H
#define LANEWISE_IMAGE_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One more with every change of these structs, of the manifest, and of what machine code and the
 * library agree on (src/base: manifest.h, cpu_abi.h, ref_abi.h, cuda_abi.h). */
enum { LW_IMAGE_VERSION = 4 };

/* Machine code; its type follows from the target. */
typedef void lw_image_function(void);

/* Code of one kernel, for blocks of one size. */
typedef struct lw_image_code {
    const char *target;           /* "cpu:avx2", "cuda:sm_70", "ref" */
    const char *kernel;
    lw_dim3 block;                /* ref: 0, 0, 0, for all sizes */
    lw_image_function *entry;     /* cpu; ref: the address of its data; NULL: text */
    lw_image_function *resume;    /* ref: what resumes a thread of any kernel */
    const char *text;             /* cuda: PTX of text_length bytes, packed as LZ4's blocks are */
    size_t text_bytes, text_length;  /* to so many */
    const char *manifest;         /* the source lines that the code counts, manifest_bytes */
    size_t manifest_bytes;        /* and a NUL; ref: of all kernels together */
} lw_image_code;

struct lw_image {
    uint32_t version;             /* LW_IMAGE_VERSION */
    uint32_t bytes, code_bytes;   /* of this struct; of a row of codes */
    uint64_t id;                  /* a hash of the contents */
    const char *name;             /* of the kernel file, for messages */
    const char *manifest;         /* kernels and their parameters, manifest_bytes and a NUL */
    size_t manifest_bytes;
    lw_image_function *const *sizes; /* of each kernel: computes declared sizes, or NULL */
    const lw_image_code *codes;
    size_t code_count;
    const void *common;           /* bitcode for sizes that are not there; NULL: left out */
    size_t common_bytes;
};

#ifdef __cplusplus
}
#endif
#endif
