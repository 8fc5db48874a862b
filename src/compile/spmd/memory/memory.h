/* memory.h - loads, stores and atomics of the lanes of a piece. */
#ifndef LW_COMPILE_SPMD_MEMORY_H
#define LW_COMPILE_SPMD_MEMORY_H
#include "compile/spmd/spmd.h"

enum { LW_LANES_MAX = 64 };

/* The access of one piece's lanes to memory. */
struct lw__access {
    LLVMValueRef instruction, address;
    LLVMTypeRef type;  /* the element's, in the kernel */
    LLVMTypeRef moved; /* as it is moved: 16-bit floats are i16 */
    unsigned size, align;
    bool is_volatile;
    LLVMAtomicOrdering ordering;
    uint32_t piece;
    LLVMValueRef mask;              /* the lanes that run it; NULL: exactly those of active[] */
    bool active[LW_LANES_MAX];      /* lanes that may run it */
    uint32_t count, first, last;    /* of those */
    bool constant;                  /* distance[] is known */
    int64_t distance[LW_LANES_MAX]; /* bytes from lane 0's address */
};

/* A store at an index that counts the active lanes below. open ends the builder's block in a test
 * for gaps, and continues where there are some; close continues after both cases. False: it is no
 * such store. */
struct lw__pack {
    uint32_t piece, below;     /* how many bits of the value are below lane 0's */
    LLVMValueRef rank, bits;   /* the kernel's instruction that counts, and the value whose bits */
    LLVMValueRef first, count; /* here: the first active lane's address; active lanes, i32 */
    LLVMBasicBlockRef behind;
};

/* A loop over the active lanes. The builder is in its body between open and close, and after it
 * later. Get all values from lw__spmd_* before open: values they cache in the body are not valid
 * after it. */
struct lw__lane_loop {
    LLVMValueRef lane;     /* i32 */
    LLVMValueRef carry[2]; /* in the body: the result of earlier lanes; after it: of all lanes */
    LLVMValueRef rest;
    LLVMBasicBlockRef head, done;
};

/* An operand whose lanes are extracted one by one. */
struct lw__lane_operand {
    LLVMValueRef value;
    bool same;           /* for all lanes of the piece */
    LLVMValueRef memory; /* that has its lanes; NULL: they are extracted */
};

/* ---- access.c -------------------------------------------------------------------------------- */

/* Loads and stores, one piece; and those at a uniform address, for all. */
bool lw__spmd_load(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
bool lw__spmd_store(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
bool lw__spmd_load_uniform(struct lw__spmd *s, LLVMValueRef i);
bool lw__spmd_store_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
/* What is the same for all pieces of a load or store; false: refused. */
bool lw__access_describe(struct lw__spmd *s, LLVMValueRef i, struct lw__access *a);
/* What differs by piece: the addresses of its lanes. */
void lw__access_lanes(struct lw__spmd *s, LLVMValueRef address, uint32_t p, LLVMValueRef mask,
                      struct lw__access *a);
/* Set the result of a load for its piece, from the loaded vector. */
void lw__access_set(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef moved);
/* The address, if all lanes that may run it have the same, or s->dummy if none does; NULL: they
 * differ. */
LLVMValueRef lw__access_single(struct lw__spmd *s, const struct lw__access *a);
/* The value, in memory form, of the last active lane of the piece; any if it has none. */
LLVMValueRef lw__access_last(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);
/* Base + bytes; bytes an i64 or a vector of them. */
LLVMValueRef lw__spmd_bytes_on(struct lw__spmd *s, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef lw__access_mask(struct lw__spmd *s, const struct lw__access *a); /* never NULL */
/* A scalar or vector in the form of memory; loads give that form. */
LLVMValueRef lw__access_moved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);
LLVMValueRef lw__access_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef address);
void lw__access_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                      LLVMValueRef address);

/* ---- transpose.c ----------------------------------------------------------------------------- */

/* True if several pieces of a load or store should be transposed together. */
bool lw__memory_can_transpose(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
/* Emit all pieces of it. */
bool lw__memory_transpose(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);

/* ---- chunks.c -------------------------------------------------------------------------------- */

enum { LW_CHUNK = 16 }; /* bytes */

/* Transpose the side x side elements in each chunk: log2(side) perfect shuffles. */
void lw__chunks_transpose(struct lw__spmd *s, LLVMValueRef *v, uint32_t side);
/* Load `side` adjacent elements at each lane's row, a chunk or two; v[k]: the k-th of all lanes. */
void lw__chunks_load(struct lw__spmd *s, const struct lw__access *a, const LLVMValueRef *rows,
                     uint32_t side, LLVMValueRef *v);

/* ---- interleave.c ---------------------------------------------------------------------------- */

/* True if the access is made, or has been, with those of its struct's other fields. */
bool lw__access_interleaved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask);

/* ---- private_arrays.c ------------------------------------------------------------------------ */

/* That many bytes of the frame. */
LLVMValueRef lw__spmd_in_frame(struct lw__spmd *s, uint64_t bytes, uint64_t align);
/* Emit the alloca of a private variable: memory for the copies of all threads. */
bool lw__spmd_private(struct lw__spmd *s, LLVMValueRef variable);

/* ---- lane_loop.c ----------------------------------------------------------------------------- */

/* llvm.memcpy, memmove and memset, for all pieces. */
bool lw__spmd_memory_intrinsic(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__lane_loop_open(struct lw__spmd *s, LLVMValueRef mask, LLVMValueRef carry0,
                        LLVMValueRef carry1, struct lw__lane_loop *loop);
void lw__lane_loop_close(struct lw__spmd *s, struct lw__lane_loop *loop, LLVMValueRef carry0,
                         LLVMValueRef carry1);
struct lw__lane_operand lw__lane_operand(struct lw__spmd *s, LLVMValueRef v, uint32_t p);
/* Store a vector before the loop, so that each lane is loaded in it. LLVM would store the vector in
 * every iteration. Slots differ between the operands of a loop. */
void lw__lane_keep(struct lw__spmd *s, struct lw__lane_operand *operand, unsigned slot);
LLVMValueRef lw__lane_pick(struct lw__spmd *s, struct lw__lane_operand operand,
                           const struct lw__lane_loop *loop);
LLVMValueRef lw__serial_load(struct lw__spmd *s, const struct lw__access *a);
void lw__serial_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);

/* ---- atomics.c ------------------------------------------------------------------------------- */

/* Atomicrmw and cmpxchg, of one piece; and at a uniform address, for all. The result is VARYING;
 * that of cmpxchg, {T, i1}, is a struct of two vectors. */
bool lw__spmd_atomic(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
bool lw__spmd_atomic_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
/* True if one atomic operation does for all lanes. */
bool lw__spmd_combines(const struct lw__facts *facts, LLVMValueRef i);

/* ---- strided.c ------------------------------------------------------------------------------- */

/* Lanes at constant distances, by vectors in memory form. NULL, false: they are too far apart. */
bool lw__access_has_windows(const struct lw__spmd *s, const struct lw__access *a); /* unmasked */
LLVMValueRef lw__access_load_windows(struct lw__spmd *s, const struct lw__access *a);
bool lw__access_store_windows(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value);

/* ---- clamped.c ------------------------------------------------------------------------------- */

/* The lanes' addresses are a row, unless an edge clamps some of them. */
bool lw__access_is_clamped(const struct lw__spmd *s, const struct lw__access *a);
LLVMValueRef lw__clamped_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask);

/* ---- prefetch.c ------------------------------------------------------------------------------ */

/* True if one place tells those of all lanes: then the prefetch is emitted once, for the current
 * pieces. Else for each piece. */
bool lw__prefetch_is_joint(const struct lw__spmd *s, LLVMValueRef call);
void lw__spmd_prefetch_joint(struct lw__spmd *s, LLVMValueRef call);
void lw__spmd_prefetch(struct lw__spmd *s, LLVMValueRef call, uint32_t p, LLVMValueRef mask);

/* ---- compress_store.c ------------------------------------------------------------------------ */

bool lw__pack_open(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                   struct lw__pack *k);
void lw__pack_close(struct lw__spmd *s, const struct lw__pack *k);
#endif
