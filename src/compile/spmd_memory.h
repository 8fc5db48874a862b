/* spmd_memory.h - inside of the memory family: spmd_memory*.c, spmd_serial.c, spmd_atomic.c. */
#ifndef LW_COMPILE_SPMD_MEMORY_H
#define LW_COMPILE_SPMD_MEMORY_H
#include "compile/spmd.h"

enum { LW_LANES_MAX = 64 };

/* What the lanes of one piece do with memory. */
struct lw__access {
    LLVMValueRef instruction, address;
    LLVMTypeRef type;  /* the element's, in the kernel */
    LLVMTypeRef moved; /* as it is moved: 16-bit floats are i16 */
    unsigned size, align;
    bool is_volatile;
    LLVMAtomicOrdering ordering;
    uint32_t piece;
    LLVMValueRef mask;              /* NULL: exactly the active lanes run it */
    bool active[LW_LANES_MAX];      /* lanes that may run it */
    uint32_t count, first, last;    /* of those */
    bool constant;                  /* distance[] is known */
    int64_t distance[LW_LANES_MAX]; /* bytes from lane 0's address */
};

/* spmd_memory.c: what a load or store says by itself, and for a piece; false: refused. */
bool lw__access_describe(struct lw__spmd *s, LLVMValueRef i, struct lw__access *a);
void lw__access_lanes(struct lw__spmd *s, LLVMValueRef address, uint32_t p, LLVMValueRef mask,
                      struct lw__access *a);
/* The result of a load for its piece, from the vector that was moved. */
void lw__access_set(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef moved);
/* The address, where all lanes that may run it have the same, or s->dummy if none does; NULL where
 * they differ. */
LLVMValueRef lw__access_single(struct lw__spmd *s, const struct lw__access *a);
/* The value, as it is moved, of the last active lane of the piece; any where there is none. */
LLVMValueRef lw__access_last(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);
/* base + bytes; bytes an i64 or a vector of them. */
LLVMValueRef lw__spmd_bytes_on(struct lw__spmd *s, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef lw__access_mask(struct lw__spmd *s, const struct lw__access *a); /* never NULL */
/* A scalar or vector of the element's type as it is moved; what is loaded is in that form. */
LLVMValueRef lw__access_moved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);
LLVMValueRef lw__access_load(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef address);
void lw__access_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                      LLVMValueRef address);

/* spmd_memory_window.c: lanes at constant distances, by vectors. Moved values; NULL, false: they
 * lie too far apart. */
bool lw__access_has_windows(const struct lw__spmd *s, const struct lw__access *a); /* unmasked */
LLVMValueRef lw__access_load_windows(struct lw__spmd *s, const struct lw__access *a);
bool lw__access_store_windows(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value);

/* spmd_memory_interleave.c: true if the access goes, or has gone, with those of its struct's other
 * fields. */
bool lw__access_interleaved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask);

/* spmd_memory_pack.c: a store to where the active lanes below are counted. The builder's block ends
 * in the question whether it leaves gaps; behind open it is where it does, close goes on behind
 * both. false: it is no such store. */
struct lw__pack {
    uint32_t piece, below;     /* how many bits of the value lie below that of lane 0 */
    LLVMValueRef rank, bits;   /* the kernel's: who counts them, in which value */
    LLVMValueRef first, count; /* here: the first active lane's address; active lanes, i32 */
    LLVMBasicBlockRef behind;
};
bool lw__pack_open(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value,
                   struct lw__pack *k);
void lw__pack_close(struct lw__spmd *s, const struct lw__pack *k);

/* spmd_serial.c: a loop over the active lanes. The builder is in the loop's body between open and
 * close, behind it afterwards. Whatever lw__spmd_* is to give must be asked for before open: what
 * it caches is not there behind the loop. */
struct lw__lane_loop {
    LLVMValueRef lane;     /* i32 */
    LLVMValueRef carry[2]; /* in the body: what the lanes before have made; behind: all lanes */
    LLVMValueRef rest;
    LLVMBasicBlockRef head, done;
};
void lw__lane_loop_open(struct lw__spmd *s, LLVMValueRef mask, LLVMValueRef carry0,
                        LLVMValueRef carry1, struct lw__lane_loop *loop);
void lw__lane_loop_close(struct lw__spmd *s, struct lw__lane_loop *loop, LLVMValueRef carry0,
                         LLVMValueRef carry1);
/* An operand, to be picked lane by lane. */
struct lw__lane_operand {
    LLVMValueRef value;
    bool same; /* for all lanes of the piece */
};
struct lw__lane_operand lw__lane_operand(struct lw__spmd *s, LLVMValueRef v, uint32_t p);
LLVMValueRef lw__lane_pick(struct lw__spmd *s, struct lw__lane_operand operand,
                           const struct lw__lane_loop *loop);
LLVMValueRef lw__serial_load(struct lw__spmd *s, const struct lw__access *a);
void lw__serial_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v);
#endif
