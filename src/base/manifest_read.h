/* manifest_read.h - the manifest of manifest.h as structs.
 *
 * All strings and rows belong to the manifest and live until lw__manifest_free.
 */
#ifndef LW_MANIFEST_READ_H
#define LW_MANIFEST_READ_H

#include "base/base.h"

struct lw__manifest_dep {
    const char *path;
    uint64_t hash; /* lw__hash of the file's bytes */
};

struct lw__manifest_kernel {
    const char *name, *signature;
    int line;
    lw_dim3 block; /* all 0: not fixed */
    size_t shared_bytes;
    bool uses_dynamic;
    size_t arg_bytes;
    size_t shared_align;             /* a power of two */
    size_t first_param, param_count; /* its rows in params */
    size_t symbol_count;             /* the rows behind those: variables of the device */
    bool follows_addresses;          /* to any buffer of the device */
    const char *alias;               /* another name; NULL: there is none */
};

struct lw__manifest_refused {
    const char *name, *file, *text;
    int line, column;
};

struct lw__manifest_param {
    const char *name, *type, *layout;
    size_t offset, size; /* inside arg_bytes */
    int dims;
    bool is_symbol;
    size_t symbol_bytes;
};

struct lw__manifest_site {
    const char *file;
    int line, column;
    const char *what;
};

struct lw__manifest {
    char *text;        /* a copy, cut into the fields that the rows point to */
    size_t text_bytes; /* of the manifest itself: the payload starts after them */
    size_t payload_bytes;
    lw_diagnostic *diags;
    struct lw__manifest_dep *deps;
    struct lw__manifest_kernel *kernels;
    struct lw__manifest_param *params;
    struct lw__manifest_site *sites;
    struct lw__manifest_refused *refused;
    size_t refused_count;
    size_t diag_count, dep_count, kernel_count, param_count, site_count;
};

/* lw__manifest_parse - take apart the manifest at the start of bytes, after which is a NUL.
 * errors   LW_E_INTERNAL it is damaged, cut off, or of another version; or the payload has another
 *          length than it says. The text, in why, names the line; LW_E_MEMORY
 * owns     release with lw__manifest_free, also after a failure
 * lw__manifest_read - likewise, with the text as the status's message. */
enum { LW_MANIFEST_WHY = 160 };
lw_status lw__manifest_parse(const char *bytes, size_t length, struct lw__manifest *manifest,
                             char why[LW_MANIFEST_WHY]);
lw_status lw__manifest_read(const char *bytes, size_t length, struct lw__manifest *manifest);
void lw__manifest_free(struct lw__manifest *manifest);
#endif
