/* ir.h - a function's graph, for all targets: control flow, loops, shared memory, coroutines, and
 * the check that a module keeps the rules of its facts.
 */
#ifndef LW_COMPILE_IR_H
#define LW_COMPILE_IR_H
#include "compile/support/unit.h"

/* A call of screens (check/screen/screen.h): the launch stops, for something may be wrong. */
#define LW_SUSPECT "lw.suspect"

/* A function's control flow graph, dominators and loops. Blocks are numbered
 * in reverse postorder, then-arms first; blocks that cannot be reached have no number. */
struct lw__cfg {
    struct lw__arena *arena; /* has what is below */
    LLVMValueRef function;
    size_t count;
    LLVMBasicBlockRef *blocks;   /* count, in reverse postorder */
    uint32_t *succ_start, *succ; /* successors of b: succ[succ_start[b] .. succ_start[b+1]) */
    uint32_t *pred_start, *pred;
    uint32_t *idom;            /* immediate dominator; the entry's is itself */
    uint32_t *layout;          /* position in the function's list: source order */
    struct lw__block_map *map; /* block -> number */
};

/* Loops over block b of graph g:
 * EACH_EDGE - its outgoing edges, as indices of succ.
 * EACH_SUCCESSOR, EACH_PREDECESSOR - the numbers of its successors and predecessors. */
#define EACH_EDGE(e, g, b) for (uint32_t e = (g)->succ_start[b]; e < (g)->succ_start[(b) + 1]; e++)
#define EACH_SUCCESSOR(to, g, b) LW_EACH_EDGE_(to, (g)->succ, (g)->succ_start, b)
#define EACH_PREDECESSOR(from, g, b) LW_EACH_EDGE_(from, (g)->pred, (g)->pred_start, b)
#define LW_EACH_EDGE_(x, list, start, b)                                                           \
    for (uint32_t x##_edge = (start)[b], x;                                                        \
         x##_edge < (start)[(b) + 1] && (x = (list)[x##_edge], true); x##_edge++)

/* A loop: header, and body[b] true for every block in it. */
struct lw__loop {
    uint32_t header;
    bool *body;         /* cfg->count */
    bool *back;         /* blocks from which the header is reachable in the loop: all but those of
                    * lw__loops_grow */
    uint32_t size;      /* blocks in body */
    int parent;         /* the next larger loop around, -1: none */
    bool keeps_returns; /* it holds blocks on the way to a return, which do not lead back */
};

struct lw__loops {
    size_t count;
    struct lw__loop *loops;
};

struct lw__shared_layout {
    bool (*takes)(LLVMValueRef global); /* which variables these are */
    size_t count;
    LLVMValueRef *globals;
    uint64_t *offsets;
    LLVMValueRef *places; /* addresses of the variables that are not at base + offset; NULL: all
                           * are */
    uint64_t bytes;       /* of the static part */
    uint64_t align;       /* the largest alignment of a variable, of either part */
    bool dynamic;         /* some DYNAMIC_SHARED name is used */
};

/* Coroutines behind one small interface; see its head. */
struct lw__coroutine {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function, id, handle;
    LLVMBasicBlockRef entry; /* allocas belong here */
    LLVMBasicBlockRef body;  /* runs first once there is memory; no terminator yet */
    LLVMBasicBlockRef final; /* branch here to finish for good */
    LLVMBasicBlockRef cleanup, end;
};

/* Emit code that returns a frame's address, or null. */
typedef LLVMValueRef lw__frame_fn(LLVMBuilderRef b, LLVMValueRef bytes, LLVMValueRef align,
                                  void *user);

/* ---- expand_memcpy.c ------------------------------------------------------------------------- */

/* llvm.memcpy, memmove and memset of few bytes become loads and stores: those that touch
 * private memory, or the others. */
void lw__ir_expand_copies(LLVMValueRef function, bool of_private);

/* ---- atomic_access.c ------------------------------------------------------------------------- */

/* Replace a fence, atomic or volatile access that only C has by shared terms. The builder is before
 * it. False: it is none. */
bool lw__ir_rewrite_access(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef instruction);
/* Atomic accesses of private variables become plain ones, for targets whose atomics reach none. */
void lw__ir_plain_private(LLVMValueRef function);

/* ---- pointer_offset.c ------------------------------------------------------------------------ */

/* At the builder: how many times so many bytes the pointer is after lw__ir_object() of it. */
LLVMValueRef lw__ir_offset(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef pointer,
                           uint64_t bytes);
/* True if each step of the pointer from its object is a multiple of so many bytes. */
bool lw__ir_is_multiple(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t bytes);
/* Adds the bytes that a GEP adds; false: they are not known. */
bool lw__ir_adds_constant(LLVMTargetDataRef data, LLVMValueRef gep, int64_t *offset);
/* The pointer is constant + scale * number bytes after lw__ir_object() of it. */
struct lw__ir_place {
    LLVMValueRef number; /* an i32 or i64; NULL: 0 */
    bool is_signed;      /* an i32 is sign-extended */
    uint64_t scale, constant;
};
struct lw__ir_place lw__ir_place_of(LLVMBuilderRef b, LLVMTargetDataRef data, LLVMValueRef pointer);
/* An integer of at most 64 bits as one of 32, if it is made of one, else of 64. */
void lw__ir_narrow(LLVMBuilderRef b, LLVMValueRef *number, bool *is_signed);

/* ---- verify.c -------------------------------------------------------------------------------- */

/* True if the module keeps the rules of its facts. */
bool lw__ir_verify(struct lw__unit *unit, const char *after);

/* ---- cfg.c ----------------------------------------------------------------------------------- */

/* The graph, its loops and its post-dominators live as long as the arena, or up to a mark. */
void lw__cfg_build(struct lw__arena *arena, LLVMValueRef function, struct lw__cfg *cfg);
uint32_t lw__cfg_index(const struct lw__cfg *cfg, LLVMBasicBlockRef block); /* UINT32_MAX: none */
bool lw__cfg_dominates(const struct lw__cfg *cfg, uint32_t a, uint32_t b);
/* Does each path to instruction b lead through a, another one? */
bool lw__cfg_runs_before(const struct lw__cfg *cfg, LLVMValueRef a, LLVMValueRef b);
/* Set all blocks that a set block leads to. */
void lw__cfg_flow_on(const struct lw__cfg *cfg, bool *set);
/* Set all blocks that lead to a set block. */
void lw__cfg_flow_back(const struct lw__cfg *cfg, bool *set);
/* The same, but not along edges that are shut. */
void lw__cfg_flow_back_past(const struct lw__cfg *cfg, bool *set, const bool *shut);
/* The condition that the block branches on, or NULL. */
LLVMValueRef lw__cfg_condition(const struct lw__cfg *cfg, uint32_t block);

/* ---- postdominators.c ------------------------------------------------------------------------ */

/* Per block the immediate post-dominator, UINT32_MAX where there is none. */
uint32_t *lw__cfg_post_dominators(const struct lw__cfg *cfg);

/* ---- loops.c --------------------------------------------------------------------------------- */

void lw__loops_build(const struct lw__cfg *cfg, struct lw__loops *loops);
/* Also takes a source statement that is only jumped into for a loop with its header. Only while
 * blocks have clang's names. */
void lw__loops_build_by_text(const struct lw__cfg *cfg, struct lw__loops *loops);
/* True if the loop is entered at block b, which is not its header. */
bool lw__loops_is_side_entry(const struct lw__cfg *cfg, const struct lw__loop *loop, uint32_t b);
/* The outermost loop with such an entry, or NULL. */
const struct lw__loop *lw__loops_jumped_into(const struct lw__cfg *cfg,
                                             const struct lw__loops *loops);
void lw__loops_grow(const struct lw__cfg *cfg, struct lw__loop *loop, uint32_t block);
void lw__loops_nest(struct lw__loops *loops);
int lw__loops_innermost(const struct lw__loops *loops, uint32_t block); /* that holds it; -1 */
/* True if a loop's metadata, on its back edge's branch, has a word with that prefix. */
bool lw__loop_has_word(LLVMValueRef back, const char *begin);
/* Give a loop this word only, and the number `count` unless it is 0. */
void lw__loop_set_metadata(LLVMValueRef back, const char *word, uint32_t count);

/* ---- spin_loops.c ---------------------------------------------------------------------------- */

/* How a loop waits for other threads, if it does. */
struct lw__spin {
    LLVMValueRef access; /* what it reads; NULL: it does not wait */
    bool is_steady;      /* an iteration depends on memory alone, not on earlier ones */
};
struct lw__spin lw__spin_of(const struct lw__cfg *cfg, const struct lw__loop *loop);
/* True if a block of the loop changes memory that other threads may read. */
bool lw__spin_writes(const struct lw__cfg *cfg, const struct lw__loop *loop, uint32_t block);

/* ---- source_loops.c -------------------------------------------------------------------------- */

/* True if clang begins a `for`, `while` or `do` at this block. */
bool lw__text_begins_loop(LLVMBasicBlockRef block);
/* The loops of the source. A loop includes the arms that leave it, as far as they lead to wanted
 * blocks. */
void lw__text_loops(const struct lw__cfg *cfg, const bool *wanted, struct lw__loops *loops);

/* ---- shared_memory.c ------------------------------------------------------------------------- */

/* The offsets of SHARED and DYNAMIC_SHARED variables in shared memory. */
bool lw__ir_is_shared(LLVMValueRef v); /* True if it is such a variable, of either kind */
void lw__shared_layout(struct lw__unit *unit, LLVMValueRef function, struct lw__shared_layout *l);
/* Those that `takes` takes and the function refers to: no offsets. */
void lw__globals_of(struct lw__unit *unit, LLVMValueRef function, bool (*takes)(LLVMValueRef g),
                    struct lw__shared_layout *l);
bool lw__shared_replace(struct lw__unit *unit, LLVMValueRef function,
                        const struct lw__shared_layout *layout, LLVMValueRef base,
                        LLVMBuilderRef early, LLVMBasicBlockRef entry);

/* ---- coroutine.c ----------------------------------------------------------------------------- */

void lw__coroutine_open(LLVMModuleRef module, LLVMValueRef function, lw__frame_fn *frame,
                        void *user, struct lw__coroutine *c);
/* End `block` by suspending; execution resumes in `next`. */
void lw__coroutine_suspend(struct lw__coroutine *c, LLVMBasicBlockRef block,
                           LLVMBasicBlockRef next);
void lw__coroutine_close(struct lw__coroutine *c);
/* Void NAME(ptr handle): resume. */
void lw__coroutine_resumer(LLVMModuleRef module, const char *name);
/* Split all coroutines of the module. No other pass may run before. */
bool lw__coroutine_split(struct lw__unit *unit);

/* ---- unreached.c ----------------------------------------------------------------------------- */

/* Where the kernel's code is unreachable, the thread returns. */
void lw__ir_end_unreached(LLVMValueRef kernel);
#endif
