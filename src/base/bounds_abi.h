/* bounds_abi.h - code for `cpu` and `cuda` whose accesses stay within their objects: what it and
 * the device agree on.
 *
 * The compiler makes such code for --bounds (compile/guard). After the packed arguments, at the
 * next multiple of eight, lies the struct lw_bounds of the launch. An access that is refused is
 * told with LW_REFUSED_WORDS words: by lw_cpu_calls.refused, or in struct lw_cuda_launch.
 */
#ifndef LW_BOUNDS_ABI_H
#define LW_BOUNDS_ABI_H
#include <stddef.h>
#include <stdint.h>

/* An access of n bytes at p is within where p - address <= bytes and bytes - (p - address) >= n,
 * unsigned. */
struct lw_bound {
    uint64_t address, bytes;
};

enum { LW_BOUNDS_PARAMS = 64 }; /* a kernel has no more (compile/support/unit.h) */

/* For a kernel with n parameters 2 * n rows follow, or 1 for none. The first n are of the
 * parameters: of a pointer or TENSOR its buffer, else 0. The next live_count are what a pointer of
 * unknown origin may be into: disjoint, by address. On `cpu` they may be more than n. */
struct lw_bounds {
    uint64_t dynamic_bytes; /* of DYNAMIC_SHARED variables */
    uint64_t live_count;    /* at least one */
    uint64_t live_step;     /* the largest power of two that is at most live_count */
    struct lw_bound rows[2 * LW_BOUNDS_PARAMS];
};

static inline uint64_t lw_bounds_bytes(uint64_t params)
{
    return offsetof(struct lw_bounds, rows) + (params ? 2 * params : 1) * sizeof(struct lw_bound);
}

/* An object, as the code knows it; for `cuda` at any address of LW_CUDA_TEXT. */
struct lw_bounds_object {
    uint64_t kind;    /* enum lw_ref_memory (ref_abi.h), not 0 */
    uint64_t place;   /* ARGUMENT: the parameter's index */
    uint64_t element; /* bytes of an element; 0: it is counted in bytes. Not of an argument */
    char name[];      /* in the source; "": it has none. Of an argument the launch knows it */
};

enum lw_refused_kind {
    LW_REFUSED_READ, /* those of enum lw__access_kind (compile/instrument) */
    LW_REFUSED_WRITE,
    LW_REFUSED_ATOMIC,
    LW_REFUSED_INDEX,
    LW_REFUSED_ENDED = 4, /* is added: within a variable of a function that has returned */
};

/* What is told of a refused access. */
enum {
    LW_REFUSED_KIND,   /* bits of enum lw_refused_kind */
    LW_REFUSED_OBJECT, /* address of a struct lw_bounds_object; 0: of a pointer of unknown origin */
    LW_REFUSED_OFFSET, /* bytes from the object's start, or from 0. INDEX: the index */
    LW_REFUSED_BYTES,  /* of the access. INDEX: how many there are */
    LW_REFUSED_SIZE,   /* bytes of the object. INDEX: the tensor's axis, or -1 */
    LW_REFUSED_BASE,   /* address of a buffer, where OBJECT is 0; 0: the pointer is into none */
    LW_REFUSED_WORDS
};
#endif
