/* spmd.h - one kernel on its way from one thread's code to SIMD code for a block.
 *
 * The lanes of a block run together as the gang. A value of the kernel is cut into `pieces` of
 * `width` lanes each. Piece p holds threads p * width ... p * width + width - 1, x fastest. A
 * value's shape describes it over the lanes, and decides what code is made for it:
 *
 *     shape      lanes                                     kept as
 *     OFFSET     u + lanes[t], u unknown, lanes constant    one scalar: thread 0's value
 *       known    lanes[t]                                   nothing, constants
 *     PIECE      b(p) + l * stride in lane l of piece p     a scalar a piece: its lane 0's value
 *     VARYING    anything                                   a vector a piece
 *
 * A value is uniform if it is OFFSET and all its lanes are equal.
 *
 * The kernel's basic blocks form a tree of regions (analysis/regions.c). A region is what a
 * divergent branch decides, up to its join, where all lanes that entered reconverge. Outside of
 * regions control flow is the kernel's own. Inside, the blocks run one after the other under masks.
 * While all lanes agree, a second, unmasked copy of the control flow runs instead
 * (control/linearize.c).
 *
 * Values that live across blocks go through allocas, their slots, of which LLVM makes phis.
 *
 * Folders, the lowest first:
 *     analysis     facts
 *     prepare      the kernel before widening
 *     emit         one instruction
 *     memory       loads and stores
 *     collective   operations of several lanes
 *     runtime      calls of the library
 *     control      which blocks run, under which mask
 *     gang         the function
 */
#ifndef LW_COMPILE_SPMD_H
#define LW_COMPILE_SPMD_H
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"

struct lw__unit;

enum lw__shape_kind { LW_SHAPE_NONE, LW_SHAPE_OFFSET, LW_SHAPE_PIECE, LW_SHAPE_VARYING };

struct lw__value_shape {
    uint8_t kind;         /* enum lw__shape_kind; NONE: not reached yet */
    bool known;           /* OFFSET: lanes[] are the values themselves */
    bool nsw, nuw;        /* no lane's value wraps around with respect to thread 0's, as a signed
                             or an unsigned number */
    const int64_t *lanes; /* OFFSET: one a thread, sign-extended (i1: 0 or 1); NULL: all 0. Where
                             not known, lanes[0] is 0. */
    int64_t stride;       /* PIECE */
    uint8_t low_bits;     /* OFFSET: this many low bits of thread 0's value are known, */
    uint64_t low;         /* and are these */
};

struct lw__spmd;

/* Which lanes take different edges. Without by_warp, warps diverge as their lanes do. */
enum lw__divergence { LW_DIVERGENCE_NONE, LW_DIVERGENCE_PER_WARP, LW_DIVERGENCE_PER_LANE };

/* Entries first .. last of a list run again while lanes wait at the first. Of several ranges the
 * inner ones come before the outer. */
struct lw__loop_range {
    uint32_t first, last;
};

/* The order in which a region's blocks run, on the CPU and on GPUs. A loop is contiguous in it.
 * Each of them makes a list of its own of it: the CPU of classes, GPUs of sync points. */
struct lw__schedule {
    uint32_t *order; /* the blocks, `count` of them */
    struct lw__loop_range *loops;
    uint32_t count, loop_count;
};

struct lw__region {
    uint32_t head; /* the block whose branch enters it, not in it; or a loop's header, in it */
    bool is_loop;  /* the head is a loop's header: entered along its edges */
    uint32_t join; /* where all lanes reconverge, not in it; UINT32_MAX: they never do */
    bool *blocks;  /* per block: in the region or in an inner one */
    uint32_t first, last, size; /* of its blocks: the lowest, the highest, how many */
    int parent;                 /* -1: the kernel */
    struct lw__schedule schedule;

    /* The region's own blocks are partitioned into classes. A class is blocks that the same lanes
     * run, connected by uniform control flow; its first block names it. */
    uint32_t entered_from; /* the class of the parent whose lanes enter */
    uint32_t *heads;       /* the classes' names in execution order; a child that is a loop may
                            * be a class by itself, named by its header */
    uint32_t head_count;
    struct lw__loop_range *repeats; /* of classes */
    uint32_t repeat_count;
};

enum { LW_SPMD_PIECES_MAX = 256 };

enum { LW_LANE_OPERANDS = 3 };

/* The code of a gang under construction. Of a round only `first` is set. */
struct lw__gang {
    struct lw__coroutine co;
    LLVMValueRef record;              /* struct lw_cpu_gang * */
    LLVMValueRef first;               /* its first thread, i32 */
    LLVMValueRef exchange;            /* struct lw_cpu_exchange * */
    LLVMValueRef memory, bytes, from; /* requested: address; size; where the frame begins */
};

/* The forms of a value that are available in the current block. */
struct lw__emitted {
    LLVMTypeRef type;        /* of a slot of part 0 */
    uint64_t emitted_in;     /* s->emission_id of the block that made `form` */
    uint64_t read_in;        /* s->dominance_scope in which `read` and `vector` are valid */
    LLVMValueRef *form;      /* computed by the block: forms of them, parts * pieces or 1 */
    LLVMValueRef *read;      /* loaded from the slots */
    LLVMValueRef *vector;    /* built from a scalar form, pieces */
    LLVMValueRef *slot;      /* NULL: none so far */
    uint32_t forms, members; /* parts: members of a struct, 1 of other types */
    bool live_across_exit;   /* lanes get it in different iterations, and it is used after all of
                              * them */
};

/* The number of each value: open addressing. */
struct lw__value_map {
    size_t mask;
    struct {
        LLVMValueRef value;
        uint32_t index;
    } slot[];
};

/* Accesses to the fields of one struct, made together where all lanes of a piece execute them. The
 * leading access makes the code of all. */
enum { LW_FIELDS_MAX = 8 };

struct lw__interleaved {
    LLVMValueRef access, fields[LW_FIELDS_MAX]; /* fields by their addresses */
    uint32_t side;                              /* number of fields */
    bool apart;                                 /* the lanes' structs are not consecutive */
    int64_t first;                              /* bytes from the leading access to fields[0] */
    bool leads;
};

/* What is given: the part of a block that one function runs, and how. */
struct lw__gang_config {
    struct lw__unit *unit;
    const struct lw__kernel *kernel;
    LLVMTargetDataRef data;
    uint32_t dim[3];        /* of the block */
    uint32_t threads;       /* of the gang: all of the block, or some warps of it */
    uint32_t width, pieces; /* lanes of a piece; pieces of the gang, the last may be partial */
    uint32_t gang_threads;  /* of each gang of the block but the last, which may have fewer; */
    uint32_t first_gang, end_gang; /* the range of gangs that run this code */
    bool masked_only; /* regions have no code without masks, which would be one copy more for each
                       * region around a block */
    bool by_warp;     /* divergence counts only between the lanes of a piece, a warp */
};

/* Where a value is needed. */
struct lw__use {
    bool crosses;  /* used in other blocks, or a phi */
    bool deferred; /* a condition that is computed where it is used */
};

/* What analysis/ finds out about the kernel, in the scratch arena. Later passes read it and change
 * nothing. */
struct lw__facts {
    struct lw__gang_config config;
    LLVMValueRef scalar; /* the kernel: read, never changed */
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *has_block_op; /* per block: it holds a block op */
    uint32_t *ipdom;    /* per block: immediate post-dominator, UINT32_MAX: none */
    /* Each an enum lw__divergence: per block, of its terminator; per block, of the edges into it;
     * per loop, of the iterations in which lanes leave it. */
    uint8_t *divergence_of, *phi_divergence, *exit_divergence;
    uint32_t *reconverges_at;  /* per block: where a divergent branch's lanes reconverge */
    LLVMValueRef *spin_access; /* per block: what the spin loop with this header reads, or NULL */
    int *spin_state;           /* per block: ... enum lw_cpu_gang_state in its iterations */
    bool *spins_and_writes, *leaves_steady; /* per block: lanes write in such a loop; have left one
                                             * whose state is STEADY */
    bool has_spin_loops;
    struct lw__interleaved *interleaved; /* by access */
    size_t interleaved_count;
    struct lw__value_map *values; /* argument or instruction -> its row below */
    struct lw__value_shape *shapes;
    struct lw__use *uses;
    size_t value_count;
    struct lw__region *regions; /* outer before inner */
    size_t region_count;
    int *region_of;         /* per block: the innermost region that holds it, -1 */
    int *entered_at;        /* per block: the region that its branch enters, -1 */
    int *looped_at;         /* per block: the region that is the loop with this header, -1 */
    uint32_t *class_of;     /* per block: its class, within region_of */
    bool has_exits;         /* threads may reach no further barrier while others do, */
    bool has_wait_points;   /* and some of them wait for others of their warp */
    bool *is_wait_point;    /* per block: exited threads may wait in it for others at a barrier */
    bool *reaches_block_op; /* with has_exits, per block: it has or leads to a block op; */
    bool *may_exit;         /* threads may reach their end from it without one */
};

/* The function under construction: what emit/ and the folders above it change. */
struct lw__spmd {
    struct lw__arena arena; /* what lives as long as the emitter; the rest is in unit->scratch */
    const struct lw__facts *facts;
    const struct lw__gang_config *config; /* that of the facts, as are the next three */
    struct lw__unit *unit;
    LLVMTargetDataRef data;
    uint32_t threads, width, pieces;
    LLVMContextRef context;
    LLVMModuleRef module;
    struct lw__gang *gang; /* in the code of a gang that is not the block */
    /* The current pieces: those of a loop's group (control/loop_groups.c), else all. The others
     * count as having no threads. */
    uint32_t first_piece, end_piece;
    LLVMValueRef function;
    LLVMBuilderRef builder;
    LLVMBuilderRef alloca_builder; /* before its first block's terminator: allocas */
    LLVMBasicBlockRef done;        /* reached when all threads of the block have returned */
    LLVMBasicBlockRef stop;        /* branch here if a call has stopped the launch */
    /* Per piece a slot: threads that reach no further barrier; of these, the ones that wait for
     * others of their warp. NULL: not needed. */
    LLVMValueRef *exited_mask, *waiting_mask;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
    LLVMValueRef launch, worker, block_linear, block_idx[3], grid_dim[3], shared;
    LLVMValueRef printed; /* memory for the arguments of any printf; NULL: none so far */
    /* Of checks (runtime/refused_lanes.c): by operand, memory for it; what is told. NULL: none. */
    LLVMValueRef refused[LW_GUARD_OPERANDS], refused_words;
    struct lw__refusal *refusals; /* the end of each check's lanes that are outside */
    size_t refusal_count;
    LLVMValueRef dummy; /* 64 bytes that a masked-off scalar access may touch */
    LLVMValueRef
        lane_operands[LW_LANE_OPERANDS]; /* memory for lanes of a loop (memory/lane_loop.c),
                                                   * 128 bytes; NULL: none so far */
    uint64_t emission_id; /* of the current block's emission: values it computes are valid in it */
    /* Of values loaded or broadcast: the part of a block's code that dominates its rest. */
    uint64_t dominance_scope;
    struct lw__emitted *emitted; /* by the values' rows */
    const LLVMValueRef *mask;    /* per piece: the lanes that are in the block; NULL: all */
    LLVMValueRef *arguments;     /* the kernel's parameters in this function */
    uint64_t private_bytes;      /* of the threads' arrays on the stack, */
    uint64_t frame_bytes;        /* and of the others: they lie in the frame, */
    LLVMValueRef frame;          /* which this call gives; NULL: there are none */
    /* Of the function: instructions so far, the most it may have (0: any), the last one counted. */
    uint64_t length, length_max;
    LLVMValueRef last_counted;
    bool is_guarded; /* it may have checks (LW_GUARD) */
    bool too_long;   /* the limit is exceeded; then it has failed, too */
    bool failed;     /* something was refused, or memory was short */
};

/* A mask: one <width x i1> a piece. NULL: all lanes of the piece. A piece of a constant zero mask
 * has no lane. */
typedef LLVMValueRef *lw__mask;

#endif
