/* spmd.h - one kernel on its way from one thread's code to SIMD code for a block.
 *
 * The lanes of a block run together as the gang. A value of the kernel is cut into `pieces` of
 * `width` lanes each; piece p holds threads p * width ... p * width + width - 1, x fastest. What a
 * value looks like over the lanes is its shape; what code is made for it follows from that:
 *
 *     shape      lanes                                     kept as
 *     OFFSET     u + lanes[t], u unknown, lanes constant    one scalar: thread 0's value
 *       known    lanes[t]                                   nothing, constants
 *     PIECE      b(p) + l * stride in lane l of piece p     a scalar a piece: its lane 0's value
 *     VARYING    anything                                   a vector a piece
 *
 * A value is uniform where it is OFFSET and all its lanes are equal.
 *
 * The kernel's blocks lie in a tree of regions (spmd_region.c). A region is what a divergent branch
 * decides, up to its join, where all lanes that entered are together again. Outside of regions
 * control flow is the kernel's own; inside, the blocks run one after the other under masks, or, as
 * long as all lanes agree, as a second, unmasked copy of the kernel's control flow
 * (spmd_control.c).
 *
 * Values that live across blocks go through allocas, their slots, of which LLVM makes phis.
 */
#ifndef LW_COMPILE_SPMD_H
#define LW_COMPILE_SPMD_H
#include "compile/compile.h"

struct lw__unit;

/* target_cpu.c: lanes of a piece at the unit's vector level; spmd.c: pieces of a kernel's block. */
uint32_t lw__spmd_width(const struct lw__unit *unit);
uint32_t lw__spmd_pieces(const struct lw__unit *unit, const struct lw__kernel *kernel);

/* spmd_native.c: has the unit's level an instruction for this function of devlib? */
bool lw__spmd_has_native(const struct lw__unit *unit, const char *name);

/* spmd_unroll.c: say on the loops' branches how LLVM is to unroll them, add to *marked how many:
 * loops that stay; that become straight code; of which some trips become one. */
bool lw__spmd_mark_kept(const struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__spmd_mark_whole(const struct lw__unit *unit, const struct lw__kernel *kernel,
                         uint32_t *marked);
/* Add to *depths how deep the loops lie that are marked to be straight code. */
bool lw__spmd_count_nests(const struct lw__unit *unit, const struct lw__kernel *kernel,
                          uint32_t *depths);
bool lw__spmd_mark_sums(const struct lw__unit *unit, const struct lw__kernel *kernel,
                        uint32_t *marked);

/* spmd_join.c: a branch that the thread's place decides has its join to itself; is that what v is
 * made of, with constants and nothing else? */
bool lw__spmd_part_joins(LLVMValueRef function);
bool lw__spmd_is_placed(LLVMValueRef v);
bool lw__spmd_decides_by_way(LLVMBasicBlockRef join); /* an i1 depends on the way to it */
/* spmd_select.c: such a branch around a few values becomes a choice between them. */
void lw__spmd_select_placed(LLVMValueRef function);
/* spmd_parts.c: no phi, select or freeze takes a pair of cmpxchg along; no integer is loaded or
 * stored that is not one of 1, 2, 4 or 8 bytes; no number is made of a vector's bits. */
void lw__spmd_part_pairs(LLVMValueRef function);
void lw__spmd_part_integers(LLVMValueRef function);
void lw__spmd_part_vectors(LLVMValueRef function);
/* spmd_tail.c: what threads do before they return, once for each way to it that a block operation
 * parts from the others; before they fail, once for each way: mergereturn has made one end of all.
 */
bool lw__spmd_part_returns(LLVMValueRef function);
bool lw__spmd_part_dead_ends(LLVMValueRef function);

/* ---- shapes (spmd_lanes.c, spmd_shape.c, spmd_shape_arith.c) --------------------------------- */

enum lw__shape_kind { LW_SHAPE_NONE, LW_SHAPE_OFFSET, LW_SHAPE_PIECE, LW_SHAPE_VARYING };

struct lw__value_shape {
    uint8_t kind;         /* enum lw__shape_kind; NONE: not reached yet */
    bool known;           /* OFFSET: lanes[] are the values themselves */
    bool nsw, nuw;        /* no lane's value wraps around with respect to thread 0's, as a signed
                             or an unsigned number */
    const int64_t *lanes; /* OFFSET: one a thread, sign-extended (i1: 0 or 1); NULL: all 0. Where
                             not known, lanes[0] is 0. */
    int64_t stride;       /* PIECE */
    uint8_t low_bits;     /* OFFSET: of thread 0's value so many low bits are known, */
    uint64_t low;         /* and are these */
};

struct lw__spmd;
bool lw__shape_is_uniform(const struct lw__spmd *s, struct lw__value_shape shape);
/* Is every lane l of every piece base(piece) + l * *stride, the same stride for all pieces? */
bool lw__shape_as_piece(const struct lw__spmd *s, struct lw__value_shape shape, int64_t *stride);
/* The same of one piece. */
bool lw__shape_piece_stride(const struct lw__spmd *s, struct lw__value_shape shape, uint32_t piece,
                            int64_t *stride);
struct lw__value_shape lw__shape_of(const struct lw__spmd *s, LLVMValueRef value);

/* Thread t's difference from thread 0. */
int64_t lw__shape_offset_at(struct lw__value_shape shape, uint32_t t);
/* spmd_shape_arith.c: the shape of arithmetic on integers, a cast, an address; false: it is none.
 * Of what is pure: uniform of uniform operands, one a piece of one a piece. */
bool lw__shape_of_number(struct lw__spmd *s, LLVMValueRef instruction,
                         struct lw__value_shape *shape);
struct lw__value_shape lw__shape_of_operands(const struct lw__spmd *s, LLVMValueRef instruction);
/* The shape, of low bits that are known: these; those that a and b have in common. */
struct lw__value_shape lw__shape_with_low(struct lw__value_shape shape, uint64_t low,
                                          unsigned bits);
struct lw__value_shape lw__shape_low_of_both(struct lw__value_shape shape, struct lw__value_shape a,
                                             struct lw__value_shape b);
/* spmd_lanes.c: an integer instruction of known operands, thread by thread. */
bool lw__lanes_evaluate(struct lw__spmd *s, LLVMValueRef instruction,
                        struct lw__value_shape *shape);
int64_t *lw__lanes_new(struct lw__spmd *s); /* s->threads of them, freed with s; NULL: no memory */
void lw__lanes_free(struct lw__spmd *s);
int64_t lw__lanes_wrap(int64_t value, unsigned bits);
/* lw.thread_idx.*, lw.lane_id, lw.warp_id; false: another name. */
bool lw__lanes_place(struct lw__spmd *s, const char *name, struct lw__value_shape *shape);

/* The successor of a branch, as 0 or 1, that nobody comes back from, a failed assert, and that only
 * this branch leads to; -1: it is none of that kind. Lanes that go there end the launch, so the
 * branch does not part the others. */
int lw__spmd_dead_end(const struct lw__spmd *s, uint32_t branch);

/* Who goes different ways. Where s->by_warp is not set, warps are parted as their lanes are. */
enum lw__apart { LW_APART_NOBODY, LW_APART_WARPS, LW_APART_LANES };
/* Is the value the same for all, or (s->by_warp) for all of a warp? */
bool lw__shape_keeps_together(const struct lw__spmd *s, struct lw__value_shape shape);

/* spmd_shape.c: shapes of all values, and which terminators are divergent: part lanes. */
bool lw__spmd_shapes(struct lw__spmd *s);
bool lw__spmd_is_divergent(const struct lw__spmd *s, uint32_t block);
/* Who leaves the loops around block `home` in different trips, by the edge? */
enum lw__apart lw__spmd_leave_apart(const struct lw__spmd *s, uint32_t home, uint32_t from,
                                    uint32_t to);
/* Do constants tell that some lanes take each side of the divergent branch? */
bool lw__spmd_never_agrees(const struct lw__spmd *s, uint32_t block);

/* ---- regions (spmd_region.c, spmd_class.c) --------------------------------------------------- */

struct lw__region {
    uint32_t head; /* block whose branch enters it, not in it; or the header of a loop, in it */
    bool is_loop;  /* the head is a loop's header: entered along its edges */
    uint32_t join; /* where all are together again; not in it; UINT32_MAX: they never are */
    bool *blocks;  /* per block: in the region or in one inside */
    uint32_t first, last, size; /* of them: the lowest, the highest, how many */
    int parent;                 /* -1: the kernel */
    uint32_t *order;            /* the blocks as spmd_class.c places them, each loop in one piece */
    uint32_t order_count;

    /* Its own blocks fall into classes: blocks that the same lanes run, connected by uniform
     * control flow. A class is named by its first block. */
    uint32_t entered_from; /* the class of the parent whose lanes enter */
    uint32_t *heads;       /* the classes' names in the order in which they run; a child that is a
                              loop may be a class by itself, named by its header */
    uint32_t head_count;
    struct lw__repeat { /* classes first .. last run again while lanes wait at the first */
        uint32_t first, last;
    } *repeats; /* inner before outer */
    uint32_t repeat_count;
};
bool lw__spmd_regions(struct lw__spmd *s);
bool lw__spmd_classes(struct lw__spmd *s);
/* The largest loop with this header; NULL: none has. */
const struct lw__loop *lw__spmd_loop_at(const struct lw__spmd *s, uint32_t header);
void lw__spmd_regions_free(struct lw__spmd *s);

/* ---- the whole ------------------------------------------------------------------------------- */

enum { LW_SPMD_PIECES_MAX = 256 };

/* The vector levels; target_cpu.c has their words in --device cpu:LEVEL. */
enum lw__level { LW_LEVEL_BASELINE, LW_LEVEL_AVX2, LW_LEVEL_AVX512, LW_LEVEL_AARCH64 };
uint32_t lw__spmd_registers(enum lw__level level); /* for vectors */

struct lw__gang;    /* spmd_gang.c */
struct lw__emitted; /* spmd_value.c: what is there for a value in the block under way */

/* A load or store that goes together with those of its struct's other fields, where all lanes of a
 * piece run them; the one that leads makes the code of all. */
enum { LW_FIELDS_MAX = 8 };
struct lw__interleaved {
    LLVMValueRef access, fields[LW_FIELDS_MAX]; /* fields by their addresses */
    uint32_t side;                              /* how many */
    bool leads;
};

struct lw__spmd {
    struct lw__unit *unit;
    const struct lw__kernel *kernel;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef data;
    enum lw__level level;
    uint32_t dim[3];        /* of the block */
    uint32_t threads;       /* of the gang: all of the block, or some warps of it */
    uint32_t width, pieces; /* lanes of a piece; pieces of the gang, the last may be partial */
    uint32_t gang_threads;  /* of each gang of the block but the last, which may have fewer; */
    uint32_t gangs_from, gangs_to; /* of the gangs that run this code, the first and the end */
    struct lw__gang *gang;         /* in the code of a gang that is not the block */
    bool by_warp;                  /* lanes are parted only where those of a piece, a warp, are */
    uint32_t from, to;             /* the pieces under way: of a loop that a group makes by itself,
                                 else all; the others are as if they had no threads */

    /* the kernel: read, never changed */
    LLVMValueRef scalar;
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *operations;   /* per block: an operation of the block is in it */
    uint32_t *ipdom;    /* per block: immediate post-dominator, UINT32_MAX: none */
    uint8_t *apart;     /* per block: enum lw__apart, of those that its terminator parts */
    uint8_t *joins;     /* per block: enum lw__apart, of those that come here in different ways */
    uint32_t *meets_at; /* per block: where a divergent branch's lanes are together again */
    uint8_t *leaves_apart; /* per loop: enum lw__apart, of those that leave it in different trips */
    LLVMValueRef *waits; /* per block: the access for which the loop with this header waits, NULL */
    bool has_waits;
    struct lw__interleaved *interleaved; /* by access; owns: release with free() */
    size_t interleaved_count;
    struct lw__value_map *values; /* argument or instruction -> its row below */
    struct lw__value_shape *shapes;
    struct lw__emitted *emitted;
    size_t value_count;
    struct lw__region *regions; /* outer before inner */
    size_t region_count;
    int *region_of;     /* per block: the innermost region that holds it, -1 */
    int *entered_at;    /* per block: the region that its branch enters, -1 */
    int *looped_at;     /* per block: the region that is the loop with this header, -1 */
    uint32_t *class_of; /* per block: its class, within region_of */
    void *lane_memory;

    /* the function under way */
    LLVMValueRef function;
    LLVMBuilderRef b;
    LLVMBuilderRef entry;   /* in front of its first block's terminator: allocas */
    LLVMBasicBlockRef done; /* where the block's threads have all returned */
    LLVMBasicBlockRef stop; /* branch here where a call has stopped the launch */
    LLVMValueRef *gone;     /* per piece a slot: threads that meet no more; NULL: nobody asks */
    LLVMValueRef *awaiting; /* the same: of those gone, who wait for others of their warp */
    bool *awaited;          /* per block: threads may wait in it for others at a block operation */
    bool *meets_later;      /* where gone is set, per block: it has or leads to an operation of the
                               block; */
    bool *may_end;          /* threads may come from it to their end without one */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
    LLVMValueRef launch, worker, block_linear, block_idx[3], grid_dim[3], shared;
    LLVMValueRef printed; /* room for the arguments of any printf; NULL: there was none yet */
    LLVMValueRef dummy;   /* 64 bytes that a masked-off scalar access may touch */
    uint64_t serial;      /* of the emission of a block: what it makes is at hand for one */
    uint64_t scope;       /* of what is read and spread: a part of a block's code that dominates the
                           rest of itself */
    const LLVMValueRef *mask; /* per piece: of the lanes that are in the block; NULL: all are */
    LLVMValueRef *arguments;  /* what the kernel's parameters are here */
    uint64_t private_bytes;   /* of the threads' arrays on the stack, */
    uint64_t frame_bytes;     /* and of the others: they lie in the frame, */
    LLVMValueRef frame;       /* which this call gives; NULL: there are none */
    bool failed;              /* something was refused, or memory was short */
};

uint32_t lw__spmd_value_index(const struct lw__spmd *s, LLVMValueRef value); /* UINT32_MAX */
bool lw__spmd_values_build(struct lw__spmd *s);
void lw__spmd_values_free(struct lw__spmd *s);
/* Conditions that scalars decide and only branches ask for are made where a branch parts lanes, of
 * what they are computed from: as long as lanes agree nobody needs them lane by lane. */
void lw__spmd_defer_conditions(struct lw__spmd *s);
bool lw__spmd_is_deferred(const struct lw__spmd *s, LLVMValueRef v);

/* spmd.c: refuse the instruction; always false. */
bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what);
/* spmd.c: a kernel as the one function lw.cpu.K, the block being the gang; the parts of which such
 * functions are made: facts of s->scalar for s->dim, s->threads and s->gang; places of SHARED
 * variables; what the launch gives, at s->b. */
bool lw__spmd_widen_whole(struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__spmd_open(struct lw__spmd *s, struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__spmd_analyse(struct lw__spmd *s);
void lw__spmd_close(struct lw__spmd *s);
LLVMValueRef lw__spmd_field(struct lw__spmd *s, LLVMTypeRef type, LLVMValueRef record,
                            size_t offset);        /* loaded */
LLVMValueRef lw__spmd_declare(struct lw__spmd *s); /* lw.cpu.K */
void lw__spmd_open_launch(struct lw__spmd *s);
void lw__spmd_open_gone(struct lw__spmd *s);
bool lw__spmd_place_shared(struct lw__spmd *s, LLVMBasicBlockRef known);

/* A remark: something slow that users may want to change: "gather", "scatter", "serialised",
 * "masked loop", and why. */
void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, const char *what,
                     const char *why);

/* ---- values in the block under way (spmd_value.c) -------------------------------------------- */

/* A mask: one <width x i1> a piece; NULL: all lanes of the piece. A constant all-zero piece has
 * no lane. */
typedef LLVMValueRef *lw__mask;

LLVMTypeRef lw__spmd_vector_type(const struct lw__spmd *s, LLVMTypeRef scalar);
LLVMValueRef lw__spmd_splat(struct lw__spmd *s, LLVMValueRef scalar);
LLVMValueRef lw__spmd_const32(const struct lw__spmd *s, int64_t value);
LLVMValueRef lw__spmd_const64(const struct lw__spmd *s, int64_t value);
/* <width x type> of these constants; type an integer. */
LLVMValueRef lw__spmd_const_lanes(const struct lw__spmd *s, LLVMTypeRef type, const int64_t *lanes);
/* Permute: result[i] = i-th of indices in a ++ b (width lanes each); negative: any. */
LLVMValueRef lw__spmd_shuffle(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b,
                              const int *indices, uint32_t count);

/* An operand or any value of the kernel, as it is needed. Uniform values and constants have all
 * three forms. */
LLVMValueRef lw__spmd_uniform(struct lw__spmd *s, LLVMValueRef v);          /* it is uniform */
LLVMValueRef lw__spmd_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p); /* lane 0 of piece p;
                                                                               not VARYING */
LLVMValueRef lw__spmd_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p);

/* What the block has made for an instruction, in the form that its shape asks for. */
void lw__spmd_set_uniform(struct lw__spmd *s, LLVMValueRef v, LLVMValueRef scalar);
void lw__spmd_set_base(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef scalar);
void lw__spmd_set_vector(struct lw__spmd *s, LLVMValueRef v, uint32_t p, LLVMValueRef vector);

/* A value of struct type ({T, i1} of cmpxchg): its members, each a vector a piece. */
LLVMValueRef lw__spmd_part(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t part);
void lw__spmd_set_part(struct lw__spmd *s, LLVMValueRef v, uint32_t p, uint32_t part,
                       LLVMValueRef vector);
/* The allocas that hold a value across blocks: one, or one a piece. */
LLVMValueRef *lw__spmd_slots(struct lw__spmd *s, LLVMValueRef v, uint32_t *count);

/* ---- masks (spmd_mask.c) --------------------------------------------------------------------- */

bool lw__mask_is_none(LLVMValueRef piece);                            /* constant, all zero */
LLVMValueRef lw__mask_vector(struct lw__spmd *s, LLVMValueRef piece); /* NULL -> all ones */
LLVMValueRef lw__mask_and(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b); /* pieces; NULL ok */
LLVMValueRef lw__mask_and_not(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lw__mask_without(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef part);
LLVMValueRef lw__mask_or(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b);
/* Lane l as bit l: those that no constant in the mask rules out; the mask within a set of lanes. */
uint64_t lw__mask_may(const struct lw__spmd *s, LLVMValueRef piece);
LLVMValueRef lw__mask_within(struct lw__spmd *s, LLVMValueRef piece, uint64_t lanes);
LLVMValueRef lw__mask_bits(struct lw__spmd *s, LLVMValueRef piece); /* i<width>; NULL: all ones */
LLVMValueRef lw__mask_any(struct lw__spmd *s, const LLVMValueRef *pieces); /* i1 over the gang */
LLVMValueRef lw__mask_piece_any(struct lw__spmd *s, LLVMValueRef piece);   /* i1 */
/* Which threads of piece p exist and are under way: NULL all of them. */
LLVMValueRef lw__mask_exists(struct lw__spmd *s, uint32_t p);

/* ---- instruction families ---------------------------------------------------------------------
 * Each emits one instruction of the kernel at s->b and sets its value. mask: of the lanes that run
 * it; never NULL itself (its pieces may be).
 */

/* spmd_arith.c: everything pure; for one piece, or for the scalar form (p = UINT32_MAX). */
bool lw__spmd_arith_scalar(struct lw__spmd *s, LLVMValueRef i);
bool lw__spmd_arith_base(struct lw__spmd *s, LLVMValueRef i, uint32_t p);
bool lw__spmd_arith_vector(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
/* One piece of what needs no mask, in the form that its shape asks for; not set. */
LLVMValueRef lw__spmd_arith_again(struct lw__spmd *s, LLVMValueRef i, uint32_t p);

/* spmd_native.c: devlib functions that stay calls until they are widened: is it such a call; the
 * call, its first two operands as these vectors or scalars. */
bool lw__spmd_is_native(LLVMValueRef i);
bool lw__spmd_is_rarely(LLVMValueRef i); /* a call of lw.rarely */
LLVMValueRef lw__spmd_native(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b);
/* AVX-512: the larger or smaller of vectors without signalling NaNs; of a vector with itself, it
 * without. */
LLVMValueRef lw__spmd_extreme(struct lw__spmd *s, bool max, LLVMValueRef a, LLVMValueRef b);

/* spmd_divide.c: a division or remainder of vectors, where no lane traps. */
LLVMValueRef lw__spmd_divide(struct lw__spmd *s, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b);
/* spmd_convert.c: a call of fptosi.sat or fptoui.sat, of this vector. */
LLVMValueRef lw__spmd_convert(struct lw__spmd *s, LLVMValueRef call, bool is_signed,
                              LLVMValueRef x);

/* spmd_memory.c: loads and stores, one piece; and those at a uniform address, for all. */
bool lw__spmd_load(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
bool lw__spmd_store(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
/* spmd_memory_turn.c: would some pieces of a load or store be better done together? All of it. */
bool lw__spmd_turns(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
bool lw__spmd_turned(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
/* spmd_memory_interleave.c: which accesses go together. */
bool lw__spmd_find_interleaved(struct lw__spmd *s);
bool lw__spmd_load_uniform(struct lw__spmd *s, LLVMValueRef i);
bool lw__spmd_store_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);

/* spmd_call.c: at s->b, the call that gives the worker's frame; its operand 1 is the bytes. */
LLVMValueRef lw__spmd_frame(struct lw__spmd *s);
/* spmd_private.c: so many bytes of the frame; an alloca; its shape; by what factor offsets of an
 * address into one grow. */
LLVMValueRef lw__spmd_in_frame(struct lw__spmd *s, uint64_t bytes, uint64_t align);
bool lw__spmd_private(struct lw__spmd *s, LLVMValueRef variable);
struct lw__value_shape lw__private_shape(struct lw__spmd *s, LLVMValueRef variable);
uint64_t lw__private_scale(const struct lw__spmd *s, LLVMValueRef pointer);

/* spmd_serial.c: llvm.memcpy, memmove and memset, for all pieces. */
bool lw__spmd_memory_intrinsic(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);

/* spmd_atomic.c: atomicrmw and cmpxchg, one piece; and at a uniform address, for all. The result is
 * VARYING; that of cmpxchg, {T, i1}, is a struct of two vectors. */
bool lw__spmd_atomic(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask);
bool lw__spmd_atomic_uniform(struct lw__spmd *s, LLVMValueRef i, lw__mask mask);
/* Does one atomic operation do for all lanes? */
bool lw__spmd_combines(const struct lw__spmd *s, LLVMValueRef i);

/* spmd_warp.c: does a warp's part of the operation depend on no other warp's, nor go better with
 * them; it, for one warp. */
bool lw__spmd_is_warps_own(const struct lw__spmd *s, LLVMValueRef call);
void lw__spmd_one_warp(struct lw__spmd *s, LLVMValueRef call, lw__mask mask, uint32_t warp);

/* spmd_warp.c, spmd_block.c: collectives, over all pieces at once. */
bool lw__spmd_warp(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                   lw__mask mask);
bool lw__spmd_block(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                    lw__mask mask);

/* spmd_trips.c: lanes that are here in different trips are of different instances. Do some of the
 * trips differ by lane? Then an operation of the warp is done once for each of them. */
bool lw__spmd_trips_differ(const struct lw__spmd *s, LLVMValueRef call);
/* Does the instance hold a trip of this loop, too: do threads of different trips meet apart? */
bool lw__spmd_parts_trips(const struct lw__cfg *g, const struct lw__loop *l, LLVMValueRef call);
/* Which they are, by their numbers among the operands of the call's bundle; returns how many. */
enum { LW_TRIPS_MAX = LW_REF_KEY_MAX };
unsigned lw__spmd_differing_trips(const struct lw__spmd *s, LLVMValueRef call, unsigned *operands);
/* The value in the first lane of a mask; keep of a mask the lanes in the same trips as that one. */
LLVMValueRef lw__spmd_first_value(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *mask);
void lw__spmd_first_instance(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *mask);
bool lw__spmd_warp_by_trips(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                            lw__mask mask);

/* spmd_group.c: how many pieces make a region, a loop, by themselves before others begin with it;
 * s->pieces or more: all together. */
uint32_t lw__spmd_group(const struct lw__spmd *s, int region);

/* spmd_hold.c: per block, is an operation of the block in it? */
void lw__spmd_find_operations(const struct lw__cfg *cfg, bool *operations);
bool lw__spmd_meets_in_loop(const struct lw__cfg *g, const bool *operations,
                            const struct lw__loop *l);
/* spmd_hold.c: the ways to returns belong to their loops. */
bool lw__spmd_hold_returns(struct lw__spmd *s, bool *held);
/* Who leaves, in different trips, a loop that has been made to hold returns and behind which the
 * value is used: it lasts from the first that leave to the last. */
enum lw__apart lw__spmd_held_apart(const struct lw__spmd *s, LLVMValueRef v);
bool lw__spmd_lasts(const struct lw__spmd *s, LLVMValueRef v);
/* Who takes the edge in different trips of a loop that holds returns, and leaves it thereby? */
enum lw__apart lw__spmd_leave_held(const struct lw__spmd *s, uint32_t from, uint32_t to);
/* spmd_foresee.c: is there something to ask? Of the lanes of one piece that go from -> to, those
 * that come to no block operation any more; NULL: none that we know of. */
bool lw__spmd_find_gone(struct lw__spmd *s);
LLVMValueRef lw__spmd_gone_along(struct lw__spmd *s, uint32_t from, uint32_t to, uint32_t piece,
                                 LLVMValueRef mask);

/* spmd_await.c: where threads that are gone wait for others of their warp, later[b]: a block
 * operation is in block b, or can be reached from it; lanes of a piece that are gone, on their way
 * to block `to`; those that have met; live lanes, and who awaits them. */
bool lw__spmd_find_awaited(struct lw__spmd *s, const bool *later);
void lw__spmd_await_along(struct lw__spmd *s, uint32_t to, uint32_t piece, LLVMValueRef gone);
void lw__spmd_await_no_more(struct lw__spmd *s, const LLVMValueRef *mask);
void lw__spmd_add_awaiting(struct lw__spmd *s, LLVMValueRef *live);

/* spmd_wait.c: find loops that wait; does the one with this header write what others may read? */
bool lw__spmd_find_waits(struct lw__spmd *s);
bool lw__spmd_loop_writes(const struct lw__spmd *s, uint32_t header);

/* spmd_gang.c: how many threads of the kernel should be a round, and how many a gang, of which s
 * has the facts with the block as the gang (0: these); the kernel in gangs of so many. */
uint32_t lw__gang_round(const struct lw__spmd *s);
uint32_t lw__gang_choose(const struct lw__spmd *s);
bool lw__gang_widen(struct lw__unit *unit, const struct lw__kernel *kernel, uint32_t threads);
/* Where s->gang is set: the value of lw.thread_idx.* or its like, of one piece or (p = UINT32_MAX)
 * of thread 0; the gang's first thread; suspend in the next trip of a loop that waits, and
 * perhaps writes. */
LLVMValueRef lw__gang_place(struct lw__spmd *s, const char *name, uint32_t p);
LLVMValueRef lw__gang_first(struct lw__spmd *s); /* i32 */
void lw__gang_wait(struct lw__spmd *s, LLVMValueRef access, lw__mask mask, bool writes);
/* spmd_meet.c: a block operation there. */
void lw__gang_meet(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask);

/* target_cpu_ahead.c, _choice.c, _fused.c, _masks.c, _quirks.c: of a finished lw.cpu.K, or of a
 * gang's. */
bool lw__cpu_fetch_ahead(LLVMValueRef function);
void lw__cpu_masks_as_words(LLVMValueRef function);
void lw__cpu_share_fused(LLVMValueRef function); /* for levels without fma */
void lw__cpu_hide_half_masks(LLVMValueRef function);
void lw__cpu_mask_choices(LLVMValueRef function);
void lw__cpu_choose_ones(LLVMValueRef function);
void lw__cpu_compare_one(LLVMValueRef function);
void lw__cpu_divide_by_lane(LLVMValueRef function);
void lw__cpu_define_lanes(LLVMValueRef function);
void lw__cpu_define_addresses(LLVMValueRef function);
void lw__cpu_repeat_addresses(LLVMValueRef function);
void lw__cpu_add_indices(LLVMValueRef function);
void lw__cpu_split_blocks(LLVMValueRef function);
bool lw__cpu_is_mask(LLVMValueRef v); /* a vector of i1 */
/* An i64 at its start, 0, of which LLVM does not know that one bit, or all 64 are: of the sign of
 * the address that its first argument is. */
LLVMValueRef lw__cpu_never(LLVMBuilderRef b, LLVMValueRef function, bool all_bits);

/* spmd_control.c: the blocks of the kernel, for one block of threads, from s->b on; a return
 * branches to s->done. */
void lw__spmd_control(struct lw__spmd *s);
#endif
