/* proof_abi.h - accesses that a launch may prove to be in bounds: what the compiler tells of them.
 *
 * Of a kernel K there is lw.proofs.K, a struct lw_proofs: compile/proof/ makes it, and run/proof/
 * evaluates it at each launch. A row is a check: of an access, or of an index. It is made of
 * *terms*: integers of some bits, which wrap.
 *
 * A term stands for all values that it has in any thread whenever that comes to the access. Its
 * leaves are what the launch knows: thread and block indices, the sizes, the scalar arguments.
 */
#ifndef LW_PROOF_ABI_H
#define LW_PROOF_ABI_H
#include <stdint.h>

enum {
    LW_PROOFS_MAX = 256, /* rows of a kernel */
    LW_PROOF_WORDS = LW_PROOFS_MAX / 64,
    LW_TERMS_MAX = 8192 /* of a kernel */
};

enum lw_term_kind {
    LW_TERM_ANY,      /* nothing is known of it */
    LW_TERM_CONSTANT, /* number */
    LW_TERM_ARGUMENT, /* at byte `number` of the packed arguments */
    LW_TERM_PLACE,    /* number: enum lw_term_place */
    LW_TERM_START,    /* how far the pointer of parameter `number` is after its buffer's start */
    LW_TERM_SIZE,     /* bytes of that buffer */
    LW_TERM_ADD,      /* of a and b, which have its bits */
    LW_TERM_SUBTRACT,
    LW_TERM_MULTIPLY,
    LW_TERM_UDIV,
    LW_TERM_UREM,
    LW_TERM_SDIV,
    LW_TERM_SREM,
    LW_TERM_SHL, /* any, if b is not less than the bits */
    LW_TERM_LSHR,
    LW_TERM_ASHR,
    LW_TERM_AND,
    LW_TERM_OR,
    LW_TERM_XOR,
    LW_TERM_SEXT, /* of a, which has other bits */
    LW_TERM_ZEXT,
    LW_TERM_TRUNC,
    LW_TERM_EITHER,   /* a or b */
    LW_TERM_WHERE,    /* a, if b has any value, of whatever bits */
    LW_TERM_LIMITED,  /* a, for which a comparison with b holds; number: enum lw_term_order */
    LW_TERM_DISTANCE, /* a - b, where a >= b; number: as signed numbers? */
    LW_TERM_COUNTER,  /* a where a loop is entered, b in each later iteration. b may be made of the
                       * counter, which then stands for its value in the iteration before */
    LW_TERM_COUNTED,  /* a, a counter, where b iterations came before, a number of 64 bits */
    LW_TERM_TIMES,    /* a, extended: how often counter b went up from 0 by one. Any, if b may have
                       * its greatest number, and then begin anew */
    LW_TERM_KINDS
};

/* Three axes each. */
enum lw_term_place {
    LW_PLACE_THREAD = 0,
    LW_PLACE_BLOCK = 3,
    LW_PLACE_BLOCK_DIM = 6,
    LW_PLACE_GRID_DIM = 9,
    LW_PLACE_LANE = 12,
    LW_PLACE_WARP = 13,
    LW_PLACE_DYNAMIC_BYTES = 14,
    LW_PLACE_LINEAR = 15, /* warp * 32 + lane */
    LW_PLACE_GLOBAL = 16  /* block * block_dim + thread */
};

/* LLVM's predicates, in their order. */
enum lw_term_order {
    LW_ORDER_EQ,
    LW_ORDER_NE,
    LW_ORDER_UGT,
    LW_ORDER_UGE,
    LW_ORDER_ULT,
    LW_ORDER_ULE,
    LW_ORDER_SGT,
    LW_ORDER_SGE,
    LW_ORDER_SLT,
    LW_ORDER_SLE
};

struct lw_term {
    uint16_t kind; /* enum lw_term_kind */
    uint16_t bits; /* 1 to 64 */
    uint32_t a, b; /* numbers of terms */
    uint32_t padding;
    int64_t number;
};

/* at + bytes <= size, without wrapping: of an access its offset in its object, and the object's
 * size; of an index (which has 1 byte, or none where &a[n] is allowed) what it may not reach. */
struct lw_proof {
    uint32_t at, bytes, size; /* terms of 64 bits */
    uint32_t site;            /* for check: where it is, */
    uint32_t param;           /* and the parameter that has the buffer; UINT32_MAX: it is no access
                               * to one */
    uint32_t padding;
};

/* After it its rows, then the terms. */
struct lw_proofs {
    uint32_t count, term_count;
    uint32_t is_partial; /* launches are not proved: some accesses may have no row */
    uint32_t padding;
    struct lw_proof rows[];
};
#endif
