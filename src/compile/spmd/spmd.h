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
 * The kernel's blocks lie in a tree of regions (analysis/regions.c). A region is what a divergent
 * branch decides, up to its join, where all lanes that entered are together again. Outside of
 * regions control flow is the kernel's own; inside, the blocks run one after the other under masks,
 * or, as long as all lanes agree, as a second, unmasked copy of the kernel's control flow
 * (control/linearize.c).
 *
 * Values that live across blocks go through allocas, their slots, of which LLVM makes phis.
 *
 * Folders, the lowest first: analysis (facts), prepare, emit (an instruction), memory, collective,
 * runtime (calls of the library), control (which blocks, under which mask), gang (the function).
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
    uint8_t low_bits;     /* OFFSET: of thread 0's value so many low bits are known, */
    uint64_t low;         /* and are these */
};

struct lw__spmd;

/* Who goes different ways. Where s->by_warp is not set, warps are parted as their lanes are. */
enum lw__divergence { LW_DIVERGENCE_NONE, LW_DIVERGENCE_PER_WARP, LW_DIVERGENCE_PER_LANE };

struct lw__region {
    uint32_t head; /* block whose branch enters it, not in it; or the header of a loop, in it */
    bool is_loop;  /* the head is a loop's header: entered along its edges */
    uint32_t join; /* where all are together again; not in it; UINT32_MAX: they never are */
    bool *blocks;  /* per block: in the region or in one inside */
    uint32_t first, last, size; /* of them: the lowest, the highest, how many */
    int parent;                 /* -1: the kernel */
    uint32_t *order; /* the blocks as analysis/schedule.c places them, each loop in one piece */
    uint32_t order_count;

    /* Its own blocks fall into classes: blocks that the same lanes run, connected by uniform
     * control flow. A class is named by its first block. */
    uint32_t entered_from; /* the class of the parent whose lanes enter */
    uint32_t *heads;       /* the classes' names in the order in which they run; a child that is a
                              loop may be a class by itself, named by its header */
    uint32_t head_count;
    struct lw__loop_range { /* classes first .. last run again while lanes wait at the first */
        uint32_t first, last;
    } *repeats; /* inner before outer */
    uint32_t repeat_count;
};

enum { LW_SPMD_PIECES_MAX = 256 };

/* The code of a gang, while it is made; of a round only the first thread is set. */
struct lw__gang {
    struct lw__coroutine co;
    LLVMValueRef record;              /* struct lw_cpu_gang * */
    LLVMValueRef first;               /* its first thread, i32 */
    LLVMValueRef exchange;            /* struct lw_cpu_exchange * */
    LLVMValueRef memory, bytes, from; /* asked for: where; how many; where the frame begins */
};

/* What is there for a value in the block under way. */
struct lw__emitted {
    LLVMTypeRef type;        /* of a slot of part 0 */
    uint64_t emitted_in;     /* s->emission_id of the block that made `form` */
    uint64_t read_in;        /* s->dominance_scope in which `read` and `vector` are good */
    LLVMValueRef *form;      /* made by the block: forms of them, parts * pieces or 1 */
    LLVMValueRef *read;      /* loaded from the slots */
    LLVMValueRef *vector;    /* made of a scalar form, pieces */
    LLVMValueRef *slot;      /* NULL where there is none yet */
    uint32_t forms, members; /* parts: members of a struct, 1 of other types */
    bool crosses;            /* used in other blocks, or a phi */
    bool live_across_exit;   /* lanes get it in different trips, and it is used behind them all */
    bool deferred;           /* a condition that is made where it is asked for */
};

/* The number of each value: open addressing. */
struct lw__value_map {
    size_t mask;
    struct {
        LLVMValueRef value;
        uint32_t index;
    } slot[];
};

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
    uint32_t first_gang, end_gang; /* of the gangs that run this code, the first and the end */
    struct lw__gang *gang;         /* in the code of a gang that is not the block */
    bool by_warp;                  /* lanes are parted only where those of a piece, a warp, are */
    /* The pieces under way: of a loop that a group of pieces runs by itself, else all. The others
     * are as if they had no threads. */
    uint32_t first_piece, end_piece;

    /* the kernel: read, never changed */
    LLVMValueRef scalar;
    struct lw__cfg cfg;
    struct lw__loops loops;
    bool *has_block_op; /* per block: a collective of the block is in it */
    uint32_t *ipdom;    /* per block: immediate post-dominator, UINT32_MAX: none */
    /* Each an enum lw__divergence: per block, of its terminator; per block, of the edges into it;
     * per loop, of the iterations in which lanes leave it. */
    uint8_t *divergence_of, *phi_divergence, *exit_divergence;
    uint32_t *reconverges_at;  /* per block: where a divergent branch's lanes reconverge */
    LLVMValueRef *spin_access; /* per block: what the spin loop with this header reads, or NULL */
    bool has_spin_loops;
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
    LLVMBuilderRef builder;
    LLVMBuilderRef alloca_builder; /* in front of its first block's terminator: allocas */
    LLVMBasicBlockRef done;        /* where the block's threads have all returned */
    LLVMBasicBlockRef stop;        /* branch here where a call has stopped the launch */
    /* Per piece a slot: threads that reach no further barrier; of these, who wait for others of
     * their warp. NULL: nobody asks. */
    LLVMValueRef *exited_mask, *waiting_mask;
    bool *is_wait_point; /* per block: threads may wait in it for others at a barrier */
    bool
        *reaches_block_op; /* with exited_mask, per block: it has or leads to a block collective; */
    bool *may_exit;        /* threads may come from it to their end without one */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
    LLVMValueRef launch, worker, block_linear, block_idx[3], grid_dim[3], shared;
    LLVMValueRef printed; /* room for the arguments of any printf; NULL: there was none yet */
    LLVMValueRef dummy;   /* 64 bytes that a masked-off scalar access may touch */
    uint64_t emission_id; /* of the emission of a block: what it makes is at hand for one */
    /* Of what is read and spread: a part of a block's code that dominates the rest of itself. */
    uint64_t dominance_scope;
    const LLVMValueRef *mask; /* per piece: of the lanes that are in the block; NULL: all are */
    LLVMValueRef *arguments;  /* what the kernel's parameters are here */
    uint64_t private_bytes;   /* of the threads' arrays on the stack, */
    uint64_t frame_bytes;     /* and of the others: they lie in the frame, */
    LLVMValueRef frame;       /* which this call gives; NULL: there are none */
    bool failed;              /* something was refused, or memory was short */
};

/* A mask: one <width x i1> a piece; NULL: all lanes of the piece. A constant all-zero piece has
 * no lane. */
typedef LLVMValueRef *lw__mask;

#endif
