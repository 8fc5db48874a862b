/* image.h - what `lanewise cc` writes into an object: kernels with their code, for each target and
 * block size. lw_program_load makes a program of an image on a device.
 *
 * Programs need not look inside. All of it is constant, and in the object's own sections; machine
 * code is linked as usual. The structs begin with version and sizes. The library refuses an image
 * of another version, since the machine code depends on the version too.
 */
#ifndef LANEWISE_IMAGE_H
#define LANEWISE_IMAGE_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Add one with every change of these structs, the manifest, or the ABI of machine code and library
 * (src/base: manifest.h, cpu_abi.h, ref_abi.h, cuda_abi.h, bounds_abi.h, proof_abi.h). */
enum { LW_IMAGE_VERSION = 7 };

/* Machine code; its type follows from the target. */
typedef void lw_image_function(void);

/* Code of one kernel, for blocks of one size. */
typedef struct lw_image_code {
    const char *target;           /* "cpu:avx2", "cuda:sm_70", "ref" */
    const char *kernel;
    lw_dim3 block;                /* ref: 0, 0, 0, for all sizes */
    bool is_guarded;              /* cpu: each access is compared with its object */
    lw_image_function *entry;     /* cpu; ref: the address of its data; NULL: it is packed */
    lw_image_function *resume;    /* ref: what resumes a thread of any kernel */
    const void *packed;           /* cuda: PTX; cpu: a shared object; as LZ4 blocks are */
    size_t packed_bytes, payload_bytes; /* compressed; decompressed */
    const char *manifest;         /* the source lines that the code refers to, and a NUL; */
    size_t manifest_bytes;        /* without the NUL. ref: of all kernels together */
} lw_image_code;

struct lw_image {
    uint32_t version;             /* LW_IMAGE_VERSION */
    uint32_t bytes, code_bytes;   /* of this struct; of a row of codes */
    uint64_t id;                  /* a hash of the contents */
    const char *name;             /* of the kernel file, for messages */
    const char *manifest;         /* kernels and their parameters, manifest_bytes and a NUL */
    size_t manifest_bytes;
    lw_image_function *const *sizes; /* of each kernel: computes declared sizes, or NULL */
    const void *const *proofs;    /* of each kernel: when all its accesses are in bounds, a struct
                                   * lw_proofs; NULL: no code is guarded */
    const lw_image_code *codes;
    size_t code_count;
    const void *bitcode;          /* for sizes that are not there, compressed; NULL: left out */
    size_t bitcode_bytes;
    size_t common_bytes, guarded_bytes; /* decompressed: the plain form's, then the guarded one's */
};

#ifdef __cplusplus
}
#endif
#endif
