/* bounds_abi.h - code for `cpu` whose accesses stay within their objects: what it and the device
 * agree on.
 *
 * The compiler makes such code for --bounds (compile/guard). A kernel has one parameter more, a
 * struct lw_bounds of the launch; its address is the last eight bytes of the packed arguments. An
 * access that is refused is told by lw_cpu_calls.refused, with LW_REFUSED_WORDS words.
 */
#ifndef LW_BOUNDS_ABI_H
#define LW_BOUNDS_ABI_H
#include "base/ref_abi.h"
#include <stdint.h>

/* An access of n bytes at p is within where p - address <= bytes and bytes - (p - address) >= n,
 * unsigned. */
struct lw_bound {
    uint64_t address, bytes;
};

enum { LW_BOUNDS_PARAMS = 64 }; /* a kernel has no more (compile/support/unit.h) */

struct lw_bounds {
    uint64_t dynamic_bytes;      /* of DYNAMIC_SHARED variables */
    const struct lw_bound *live; /* what a pointer of unknown origin may be into: disjoint, by */
    uint64_t live_count;         /* address; at least one */
    uint64_t live_step;          /* the largest power of two that is at most live_count */
    struct lw_bound params[LW_BOUNDS_PARAMS]; /* of a pointer or TENSOR its buffer, else 0 */
};

/* An object, as the code knows it. */
struct lw_bounds_object {
    const char *name; /* in the source; "": it has none. Of an argument the launch knows it */
    uint64_t kind;    /* enum lw_ref_memory */
    uint64_t place;   /* ARGUMENT: the parameter's index */
    uint64_t element; /* bytes of an element; 0: it is counted in bytes. Not of an argument */
};

enum lw_refused_kind {
    LW_REFUSED_READ, /* those of enum lw__access_kind (compile/ref/ref.h) */
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
