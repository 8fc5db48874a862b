/* analysis.h - facts of a kernel, before any code is made: which values and branches diverge, where
 * lanes reconverge, in which order blocks run. The GPU side asks the same questions (ptx/).
 */
#ifndef LW_COMPILE_SPMD_ANALYSIS_H
#define LW_COMPILE_SPMD_ANALYSIS_H
#include "compile/spmd/spmd.h"

/* Which they are, by their numbers among the operands of the call's bundle; returns how many. */
enum { LW_TRIPS_MAX = LW_REF_KEY_MAX };

/* What a condition is made of, joined by && and ||, is looked at this far. */
enum { LW_CONDITION_DEPTH = 8 };

/* How the threads' copies of a private array lie. */
struct lw__private_layout {
    uint64_t element; /* bytes: elements lie together by lane; 0: the copies one after the other */
    uint64_t bytes;   /* of all threads */
};

/* ---- divergence.c ---------------------------------------------------------------------------- */

bool lw__shape_is_uniform(const struct lw__spmd *s, struct lw__value_shape shape);
/* Is every lane l of every piece base(piece) + l * *stride, the same stride for all pieces? */
bool lw__shape_as_piece(const struct lw__spmd *s, struct lw__value_shape shape, int64_t *stride);
/* The same of one piece. */
bool lw__shape_piece_stride(const struct lw__spmd *s, struct lw__value_shape shape, uint32_t piece,
                            int64_t *stride);
struct lw__value_shape lw__shape_of(const struct lw__spmd *s, LLVMValueRef value);
/* Thread t's difference from thread 0. */
int64_t lw__shape_offset_at(struct lw__value_shape shape, uint32_t t);
/* Is the value the same for all, or (s->by_warp) for all of a warp? */
bool lw__shape_is_convergent(const struct lw__spmd *s, struct lw__value_shape shape);
/* Shapes of all values, and which terminators are divergent: part lanes. */
bool lw__spmd_shapes(struct lw__spmd *s);
/* Who leaves the loops around block `home` in different trips, by the edge? */
enum lw__divergence lw__spmd_edge_divergence(const struct lw__spmd *s, uint32_t home, uint32_t from,
                                             uint32_t to);
/* Do constants tell that some lanes take each side of the divergent branch? */
bool lw__spmd_never_agrees(const struct lw__spmd *s, uint32_t block);

/* ---- shape_arith.c --------------------------------------------------------------------------- */

/* The shape of arithmetic on integers, a cast, an address; false: it is none.
 * Of what is pure: uniform of uniform operands, one a piece of one a piece. */
bool lw__shape_of_number(struct lw__spmd *s, LLVMValueRef instruction,
                         struct lw__value_shape *shape);
struct lw__value_shape lw__shape_of_operands(const struct lw__spmd *s, LLVMValueRef instruction);
/* The shape, of low bits that are known: these; those that a and b have in common. */
struct lw__value_shape lw__shape_with_low(struct lw__value_shape shape, uint64_t low,
                                          unsigned bits);
struct lw__value_shape lw__shape_low_of_both(struct lw__value_shape shape, struct lw__value_shape a,
                                             struct lw__value_shape b);

/* ---- lane_constants.c ------------------------------------------------------------------------ */

/* An integer instruction of known operands, thread by thread. */
bool lw__lanes_evaluate(struct lw__spmd *s, LLVMValueRef instruction,
                        struct lw__value_shape *shape);
int64_t *lw__lanes_new(struct lw__spmd *s); /* s->threads of them, freed with s; NULL: no memory */
void lw__lanes_free(struct lw__spmd *s);
int64_t lw__lanes_wrap(int64_t value, unsigned bits);
/* lw.thread_idx.*, lw.lane_id, lw.warp_id; false: another name. */
bool lw__lanes_thread_index(struct lw__spmd *s, const char *name, struct lw__value_shape *shape);

/* ---- branches.c ------------------------------------------------------------------------------ */

/* The successor of a branch, as 0 or 1, that nobody comes back from, a failed assert, and that only
 * this branch leads to; -1: it is none of that kind. Lanes that go there end the launch, so the
 * branch does not part the others. */
int lw__spmd_dead_end(const struct lw__spmd *s, uint32_t branch);
bool lw__spmd_is_divergent(const struct lw__spmd *s, uint32_t block);

/* ---- regions.c ------------------------------------------------------------------------------- */

bool lw__spmd_regions(struct lw__spmd *s);
void lw__spmd_regions_free(struct lw__spmd *s);

/* ---- schedule.c ------------------------------------------------------------------------------ */

bool lw__spmd_classes(struct lw__spmd *s);
/* The largest loop with this header; NULL: none has. */
const struct lw__loop *lw__spmd_loop_at(const struct lw__spmd *s, uint32_t header);

/* ---- value_numbers.c ------------------------------------------------------------------------- */

uint32_t lw__spmd_value_index(const struct lw__spmd *s, LLVMValueRef value); /* UINT32_MAX */
bool lw__spmd_values_build(struct lw__spmd *s);
void lw__spmd_values_free(struct lw__spmd *s);

/* ---- analyse.c ------------------------------------------------------------------------------- */

bool lw__spmd_open(struct lw__spmd *s, struct lw__unit *unit, const struct lw__kernel *kernel);
bool lw__spmd_analyse(struct lw__spmd *s);
void lw__spmd_close(struct lw__spmd *s);

/* ---- conditions.c ---------------------------------------------------------------------------- */

/* control/branch_votes.c looks at what a condition was computed from, also where another block did
 * that: such values are kept. */
void lw__spmd_keep_conditions(struct lw__spmd *s);
/* Conditions that scalars decide and only branches ask for are made where a branch parts lanes, of
 * what they are computed from: as long as lanes agree nobody needs them lane by lane. */
void lw__spmd_defer_conditions(struct lw__spmd *s);
bool lw__spmd_is_deferred(const struct lw__spmd *s, LLVMValueRef v);
/* Is one of x and y linear in each piece and the other the same, and one of them by no rule for all
 * pieces together, such as a warp's own number? */
bool lw__spmd_is_linear_in_pieces(const struct lw__spmd *s, LLVMValueRef x, LLVMValueRef y);
/* Does the value compare others, or join those that do? It again, of other operands. */
bool lw__control_is_condition(const struct lw__spmd *s, LLVMValueRef v);
/* Is the condition a comparison of linear values, or made of such? Then scalars decide it. */
bool lw__control_is_linear(const struct lw__spmd *s, LLVMValueRef condition, unsigned depth);

/* ---- remarks.c ------------------------------------------------------------------------------- */

/* Refuse the instruction; always false. */
bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what);
void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, enum lw__remark remark,
                     const char *why);
/* True if it stands where a compare-and-swap does: an atomic of devlib's that is a loop. */
bool lw__spmd_is_of_swap(const struct lw__spmd *s, LLVMValueRef instruction);

/* ---- one_lane.c ------------------------------------------------------------------------------ */

/* True if the branches before it let at most one lane of each warp, or of a piece, come to it: then
 * nothing is serialised. */
bool lw__spmd_is_by_one_lane(const struct lw__spmd *s, LLVMValueRef instruction);

/* ---- private_layout.c ------------------------------------------------------------------------ */

struct lw__private_layout lw__private_layout(const struct lw__spmd *s, LLVMValueRef variable);
struct lw__value_shape lw__private_shape(struct lw__spmd *s, LLVMValueRef variable);
uint64_t lw__private_scale(const struct lw__spmd *s, LLVMValueRef pointer);

/* ---- trip_operands.c ------------------------------------------------------------------------- */

/* Lanes that are here in different trips are of different instances. Do some of the
 * trips differ by lane? Then an operation of the warp is done once for each of them. */
bool lw__spmd_trips_differ(const struct lw__spmd *s, LLVMValueRef call);
/* Does the instance hold a trip of this loop, too: do threads of different trips meet apart? */
bool lw__spmd_instance_has_trip(const struct lw__cfg *g, const struct lw__loop *l,
                                LLVMValueRef call);
unsigned lw__spmd_differing_trips(const struct lw__spmd *s, LLVMValueRef call, unsigned *operands);
/* The trips themselves. */
unsigned lw__spmd_trip_values(const struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *trips);

/* ---- loop_exits.c ---------------------------------------------------------------------------- */

/* Per block, is an operation of the block in it? */
void lw__spmd_find_block_ops(const struct lw__cfg *cfg, bool *operations);
bool lw__spmd_loop_has_block_op(const struct lw__cfg *g, const bool *operations,
                                const struct lw__loop *l);
/* The ways to returns belong to their loops. */
bool lw__spmd_keep_returns(struct lw__spmd *s, bool *held);
/* Who leaves, in different trips, a loop that has been made to hold returns and behind which the
 * value is used: it lasts from the first that leave to the last. */
enum lw__divergence lw__spmd_exit_divergence(const struct lw__spmd *s, LLVMValueRef v);
/* Who takes the edge in different trips of a loop that holds returns, and leaves it thereby? */
enum lw__divergence lw__spmd_return_divergence(const struct lw__spmd *s, uint32_t from,
                                               uint32_t to);
bool lw__spmd_live_across_exit(const struct lw__spmd *s, LLVMValueRef v);

/* ---- exits.c --------------------------------------------------------------------------------- */

/* Is there something to ask? Of the lanes of one piece that go from -> to, those
 * that come to no block operation any more; NULL: none that we know of. */
bool lw__spmd_find_exits(struct lw__spmd *s);
/* Where threads that are gone wait for others of their warp, later[b]: a block
 * operation is in block b, or can be reached from it; lanes of a piece that are gone, on their way
 * to block `to`; those that have met; live lanes, and who awaits them. */
bool lw__spmd_find_wait_points(struct lw__spmd *s, const bool *later);

/* ---- interleaved_fields.c ----------------------------------------------------------------------
 * */

bool lw__spmd_find_interleaved(struct lw__spmd *s);
/* The access's row; NULL: it goes by itself. */
const struct lw__interleaved *lw__spmd_interleaved(const struct lw__spmd *s, LLVMValueRef access);

/* ---- spin_loops.c ---------------------------------------------------------------------------- */

/* Find loops that wait; does the one with this header write what others may read? */
bool lw__spmd_find_spin_loops(struct lw__spmd *s);
bool lw__spmd_loop_writes(const struct lw__spmd *s, uint32_t header);
#endif
