/* analysis.h - facts of a kernel, before any code is made: which values and branches diverge, where
 * lanes reconverge, in which order blocks run. The GPU side uses them, too (ptx/).
 */
#ifndef LW_COMPILE_SPMD_ANALYSIS_H
#define LW_COMPILE_SPMD_ANALYSIS_H
#include "compile/spmd/spmd.h"

/* lw__spmd_differing_iterations: the iteration numbers that differ, as indices of the call's bundle
 * operands. Returns how many. */
enum { LW_ITERATIONS_MAX = LW_REF_KEY_MAX };

/* Conditions joined by && and || are followed to this depth. */
enum { LW_CONDITION_DEPTH = 8 };

/* The layout of the threads' copies of a private array. */
struct lw__private_layout {
    uint64_t element; /* bytes: elements are adjacent by lane; 0: each copy is contiguous */
    uint64_t bytes;   /* of all threads */
};

/* ---- divergence.c ---------------------------------------------------------------------------- */

bool lw__shape_is_uniform(const struct lw__facts *facts, struct lw__value_shape shape);
/* True if every lane l of every piece is base(piece) + l * *stride, with one stride for all
 * pieces. */
bool lw__shape_as_piece(const struct lw__facts *facts, struct lw__value_shape shape,
                        int64_t *stride);
/* The same for one piece. */
bool lw__shape_piece_stride(const struct lw__facts *facts, struct lw__value_shape shape,
                            uint32_t piece, int64_t *stride);
struct lw__value_shape lw__shape_of(const struct lw__facts *facts, LLVMValueRef value);
bool lw__is_uniform(const struct lw__facts *facts, LLVMValueRef value);
bool lw__is_same_in_piece(const struct lw__facts *facts, LLVMValueRef value, uint32_t piece);
/* Thread t's difference from thread 0. */
int64_t lw__shape_offset_at(struct lw__value_shape shape, uint32_t t);
/* True if the value is the same for all, or (config.by_warp) for all of a warp. */
bool lw__shape_is_convergent(const struct lw__facts *facts, struct lw__value_shape shape);
/* Find the shapes of all values, and which terminators are divergent. */
void lw__spmd_shapes(struct lw__facts *facts);
/* Divergence of the iterations in which lanes leave the loops around block `home` by the edge. */
enum lw__divergence lw__spmd_edge_divergence(const struct lw__facts *facts, uint32_t home,
                                             uint32_t from, uint32_t to);
/* True if constants prove that some lanes take each side of the divergent branch. */
bool lw__spmd_never_agrees(const struct lw__facts *facts, uint32_t block);

/* ---- shape_arith.c --------------------------------------------------------------------------- */

/* The shape of integer arithmetic, a cast, or an address; false: it is none of these. */
bool lw__shape_of_number(struct lw__facts *facts, LLVMValueRef instruction,
                         struct lw__value_shape *shape);
/* Of a pure instruction: uniform if all operands are; one value a piece if all have one. */
struct lw__value_shape lw__shape_of_operands(const struct lw__facts *facts,
                                             LLVMValueRef instruction);
/* The shape with known low bits. */
struct lw__value_shape lw__shape_with_low(struct lw__value_shape shape, uint64_t low,
                                          unsigned bits);
/* The shape with the low bits that a and b have in common. */
struct lw__value_shape lw__shape_low_of_both(struct lw__value_shape shape, struct lw__value_shape a,
                                             struct lw__value_shape b);

/* ---- lane_constants.c ------------------------------------------------------------------------ */

/* Evaluate an integer instruction of known operands for each thread. */
bool lw__lanes_evaluate(struct lw__facts *facts, LLVMValueRef instruction,
                        struct lw__value_shape *shape);
int64_t *lw__lanes_new(const struct lw__facts *facts); /* facts->config.threads of them */
int64_t lw__lanes_wrap(int64_t value, unsigned bits);
/* lw.thread_idx.*, lw.lane_id, lw.warp_id; false: another name. */
bool lw__lanes_thread_index(struct lw__facts *facts, const char *name,
                            struct lw__value_shape *shape);

/* ---- branches.c ------------------------------------------------------------------------------ */

/* The successor of a branch, as 0 or 1, from which no lane returns (a failed assert); -1: none. It
 * has no other predecessor. Lanes that go there end the launch, so the branch does not make the
 * others diverge. */
int lw__spmd_dead_end(const struct lw__facts *facts, uint32_t branch);
bool lw__spmd_is_divergent(const struct lw__facts *facts, uint32_t block);

/* ---- regions.c ------------------------------------------------------------------------------- */

void lw__spmd_regions(struct lw__facts *facts);

/* ---- schedule.c ------------------------------------------------------------------------------ */

void lw__spmd_classes(struct lw__facts *facts);
/* The largest loop with this header; NULL: none has. */
const struct lw__loop *lw__spmd_loop_at(const struct lw__facts *facts, uint32_t header);

/* ---- value_numbers.c ------------------------------------------------------------------------- */

uint32_t lw__spmd_value_index(const struct lw__facts *facts, LLVMValueRef value); /* UINT32_MAX */
void lw__spmd_values_build(struct lw__facts *facts);

/* ---- analyse.c ------------------------------------------------------------------------------- */

/* config: of all the block as one gang. analyse: the facts of the kernel, in the scratch arena;
 * false: an error has been told. */
struct lw__gang_config lw__gang_config(struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__facts_analyse(struct lw__facts *facts, const struct lw__gang_config *config);

/* ---- conditions.c ---------------------------------------------------------------------------- */

/* control/branch_votes.c and guards.c follow a condition to its operands, also to those of other
 * blocks. Such values are kept. */
void lw__spmd_keep_conditions(struct lw__facts *facts);
/* A deferred condition is decided by scalars and used by branches only. It is computed where a
 * branch makes lanes diverge: while lanes agree, nothing needs it lane by lane. */
void lw__spmd_defer_conditions(struct lw__facts *facts);
bool lw__spmd_is_deferred(const struct lw__facts *facts, LLVMValueRef v);
/* True if one of x and y is linear in each piece, and the other the same for its lanes. One of them
 * has no rule for all pieces together, such as a warp's own number. */
bool lw__spmd_is_linear_in_pieces(const struct lw__facts *facts, LLVMValueRef x, LLVMValueRef y);
/* True if the value compares others, or joins comparisons. */
bool lw__control_is_condition(LLVMValueRef v);
/* True if scalars decide the condition: it compares linear values, or joins such comparisons. */
bool lw__control_is_linear(const struct lw__facts *facts, LLVMValueRef condition, unsigned depth);

/* ---- one_lane.c ------------------------------------------------------------------------------ */

/* True if dominating branches let at most one lane of each warp, or of a piece, reach it. Then
 * nothing is serialised. */
bool lw__spmd_is_by_one_lane(const struct lw__facts *facts, LLVMValueRef instruction);

/* ---- private_layout.c ------------------------------------------------------------------------ */

struct lw__private_layout lw__private_layout(const struct lw__facts *facts, LLVMValueRef variable);
struct lw__value_shape lw__private_shape(struct lw__facts *facts, LLVMValueRef variable);
uint64_t lw__private_scale(const struct lw__facts *facts, LLVMValueRef pointer);

/* ---- iteration_operands.c -------------------------------------------------------------------- */

/* Lanes in different iterations belong to different instances. True if some iteration numbers
 * differ by lane. Then a warp op is executed once for each of them. */
bool lw__spmd_iterations_differ(const struct lw__facts *facts, LLVMValueRef call);
/* True if the instance holds an iteration number of this loop, so that threads of different
 * iterations do not converge. */
bool lw__spmd_instance_has_iteration(const struct lw__cfg *g, const struct lw__loop *l,
                                     LLVMValueRef call);
unsigned lw__spmd_differing_iterations(const struct lw__facts *facts, LLVMValueRef call,
                                       unsigned *operands);
/* Get the iteration numbers themselves. */
unsigned lw__spmd_iteration_values(const struct lw__facts *facts, LLVMValueRef call,
                                   LLVMValueRef *iterations);

/* ---- loop_exits.c ---------------------------------------------------------------------------- */

/* Per block: does it hold a block op? */
void lw__spmd_find_block_ops(const struct lw__cfg *cfg, bool *operations);
bool lw__spmd_loop_has_block_op(const struct lw__cfg *g, const bool *operations,
                                const struct lw__loop *l);
/* Make loops keep the paths to returns. True if some loop was changed. */
bool lw__spmd_keep_returns(struct lw__facts *facts);
/* Divergence of the iterations in which lanes leave a loop that keeps returns, if v is used after
 * it. Then v must stay valid from the first lanes that leave to the last. */
enum lw__divergence lw__spmd_exit_divergence(const struct lw__facts *facts, LLVMValueRef v);
/* Divergence of the iterations in which lanes take the edge, if it leaves a loop that keeps
 * returns. */
enum lw__divergence lw__spmd_return_divergence(const struct lw__facts *facts, uint32_t from,
                                               uint32_t to);
bool lw__spmd_live_across_exit(const struct lw__facts *facts, LLVMValueRef v);

/* ---- exits.c --------------------------------------------------------------------------------- */

/* True if the kernel can have exited lanes (control/exited_lanes.c). */
bool lw__spmd_find_exits(struct lw__facts *facts);
/* Find wait points: where exited threads wait for others of their warp. later[b]: a block op is in
 * block b, or reachable from it. */
void lw__spmd_find_wait_points(struct lw__facts *facts, const bool *later);

/* ---- interleaved_fields.c -------------------------------------------------------------------- */

void lw__spmd_find_interleaved(struct lw__facts *facts);
/* The access's row; NULL: it is not interleaved. */
const struct lw__interleaved *lw__spmd_interleaved(const struct lw__facts *facts,
                                                   LLVMValueRef access);

/* ---- spin_loops.c ---------------------------------------------------------------------------- */

/* Find the loops that wait for other threads. */
bool lw__spmd_find_spin_loops(struct lw__facts *facts);
#endif
