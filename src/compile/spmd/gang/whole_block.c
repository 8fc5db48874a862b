/* whole_block.c - each kernel K becomes lw.cpu.K, which runs whole blocks (base/cpu_abi.h).
 *
 *     shapes    which values are uniform, linear, varying    analysis/divergence.c, _constants
 *     regions   divergent branches, and what lanes execute   analysis/regions.c, schedule.c
 *     control   copies of the blocks, with masks and without control/linearize.c, phi_slots.c
 *     families  the code of each instruction                 control/emit_block.c and its callees
 *
 * A new function is built from the kernel, which is only read, and then deleted.
 */
#include "base/bounds_abi.h"
#include "base/cpu_abi.h"
#include "compile/spmd/gang/gang.h"
#include "compile/front/front.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/control/control.h"
#include <assert.h>
#include <stddef.h>

/* ---- the function around the blocks ---------------------------------------------------------- */

static LLVMBasicBlockRef append(struct lw__spmd *s, const char *name)
{
    return LLVMAppendBasicBlockInContext(s->context, s->function, name);
}

/* The counters of the loop over blocks: linear, then x, y, z. */
struct counters {
    LLVMValueRef slot[4], end;
};

static LLVMValueRef load_counter(struct lw__spmd *s, const struct counters *c, unsigned k)
{
    return LLVMBuildLoad2(s->builder, k ? s->i32 : s->i64, c->slot[k], "");
}

static void set_number(struct lw__spmd *s, LLVMValueRef load, const char *kind, uint64_t number)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(lw__spmd_const64(s, number));
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(s->context, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(s->context, LLVMMDNodeInContext2(s->context, &node, 1)));
}

/* Loads of the record of guarded code may leave the loop over blocks: they never fault. */
static void promise_record(struct lw__spmd *s, LLVMValueRef packed)
{
    const struct lw__kernel *kernel = s->config->kernel;
    if (!kernel->param_count || !kernel->params[kernel->param_count - 1].in_place)
        return;
    set_number(s, packed, "dereferenceable", kernel->arg_bytes);
    set_number(s, packed, "align", _Alignof(struct lw_bounds));
}

/* Values that are the same for all blocks of the grid. */
void lw__spmd_open_launch(struct lw__spmd *s)
{
    LLVMValueRef packed =
        lw__spmd_field(s, s->ptr, s->launch, offsetof(struct lw_cpu_launch, args));
    promise_record(s, packed);
    for (unsigned k = 0; k < s->config->kernel->param_count; k++)
        s->arguments[k] = lw__front_load_argument(s->builder, s->config->kernel, k, packed);
    for (unsigned k = 0; k < 3; k++)
        s->grid_dim[k] =
            lw__spmd_field(s, s->i32, s->launch, offsetof(struct lw_cpu_launch, grid_dim) + 4 * k);
    s->shared = lw__spmd_field(s, s->ptr, s->worker, offsetof(struct lw_cpu_worker, shared));
}

static void open_masks(struct lw__spmd *s, LLVMValueRef *slots, const char *name)
{
    LLVMTypeRef mask = lw__spmd_vector_type(s, s->i1);
    for (uint32_t p = 0; slots && p < s->pieces; p++) {
        slots[p] = LLVMBuildAlloca(s->alloca_builder, mask, name);
        LLVMBuildStore(s->builder, LLVMConstNull(mask), slots[p]);
    }
}

/* Initially no thread of the block has exited. */
void lw__spmd_open_exited(struct lw__spmd *s)
{
    open_masks(s, s->exited_mask, "gone");
    open_masks(s, s->waiting_mask, "awaiting");
}

/* ---- rounds: parts of the block's threads, one after the other, by the same code ------------- */

struct rounds {
    LLVMValueRef slot; /* the first thread of the round */
    LLVMBasicBlockRef body;
};

/* ---- all of it ------------------------------------------------------------------------------- */

/* Is there another block? Tested at the end of the loop, which is large and must not be rotated. */
static void end_iteration(struct lw__spmd *s, const struct counters *c, LLVMBasicBlockRef body,
                          LLVMBasicBlockRef finished)
{
    LLVMValueRef more = LLVMBuildICmp(s->builder, LLVMIntULT, load_counter(s, c, 0), c->end, "");
    LLVMBuildCondBr(s->builder, more, body, finished);
}

static void return_status(struct lw__spmd *s, LLVMBasicBlockRef at, int status)
{
    LLVMPositionBuilderAtEnd(s->builder, at);
    LLVMBuildRet(s->builder, lw__spmd_const32(s, status));
}

/* entry: allocas; launch: arguments; loop over blocks: one block's code, or a loop over its rounds;
 * done; stop. */
static void build(struct lw__spmd *s)
{
    LLVMBasicBlockRef allocas = append(s, "entry"), launch = append(s, "launch"),
                      body = append(s, "block"), finished = append(s, "finished");
    struct counters c;
    struct rounds rounds = {0};
    assert(!s->gang == (s->config->end_gang == 1));
    s->done = append(s, "done");
    s->stop = append(s, "stop");
    LLVMPositionBuilderAtEnd(s->builder, allocas);
    LLVMPositionBuilderBefore(s->alloca_builder, LLVMBuildBr(s->builder, launch));
    for (unsigned k = 0; k < 4; k++)
        c.slot[k] = LLVMBuildAlloca(s->alloca_builder, k ? s->i32 : s->i64, "");
    s->dummy = LLVMBuildAlloca(s->alloca_builder, LLVMArrayType2(s->i64, 8), "dummy");
    LLVMSetAlignment(s->dummy, 64);
    LLVMPositionBuilderAtEnd(s->builder, launch);
    lw__spmd_open_launch(s);
    /* The first block's index in the grid. */
    LLVMValueRef first = LLVMGetParam(s->function, 2), rest = first;
    c.end = LLVMBuildAdd(s->builder, first, LLVMGetParam(s->function, 3), "");
    LLVMBuildStore(s->builder, first, c.slot[0]);
    for (unsigned k = 0; k < 3; k++) {
        LLVMValueRef size = LLVMBuildZExt(s->builder, s->grid_dim[k], s->i64, "");
        LLVMValueRef place = k < 2 ? LLVMBuildURem(s->builder, rest, size, "") : rest;
        LLVMBuildStore(s->builder, LLVMBuildTrunc(s->builder, place, s->i32, ""), c.slot[k + 1]);
        rest = LLVMBuildUDiv(s->builder, rest, size, "");
    }
    end_iteration(s, &c, body, finished);
    LLVMPositionBuilderAtEnd(s->builder, body);
    LLVMValueRef at = lw__spmd_const64(s, offsetof(struct lw_cpu_worker, block));
    s->block_linear = load_counter(s, &c, 0);
    LLVMSetVolatile(/* or LLVM would move it after the loop */
                    LLVMBuildStore(s->builder, s->block_linear,
                                   LLVMBuildGEP2(s->builder, s->i8, s->worker, &at, 1, "")),
                    1);
    for (unsigned k = 0; k < 3; k++)
        s->block_idx[k] = load_counter(s, &c, k + 1);
    if (s->gang) {
        rounds.slot = LLVMBuildAlloca(s->alloca_builder, s->i32, "");
        rounds.body = append(s, "round");
        LLVMBuildStore(s->builder, lw__spmd_const32(s, 0), rounds.slot);
        LLVMBuildBr(s->builder, rounds.body);
        LLVMPositionBuilderAtEnd(s->builder, rounds.body);
        s->gang->first = LLVMBuildLoad2(s->builder, s->i32, rounds.slot, "");
    }
    lw__spmd_open_exited(s);
    lw__spmd_control(s);
    LLVMSetCurrentDebugLocation2(s->builder, NULL);
    LLVMPositionBuilderAtEnd(s->builder, s->done);
    if (s->gang) {
        LLVMBasicBlockRef all = append(s, "rounds");
        LLVMValueRef next =
            LLVMBuildNUWAdd(s->builder, LLVMBuildLoad2(s->builder, s->i32, rounds.slot, ""),
                            lw__spmd_const32(s, s->threads), "");
        LLVMValueRef end = lw__spmd_const32(s, (int64_t)s->config->end_gang * s->threads);
        LLVMBuildStore(s->builder, next, rounds.slot);
        LLVMBuildCondBr(s->builder, LLVMBuildICmp(s->builder, LLVMIntULT, next, end, ""),
                        rounds.body, all);
        LLVMPositionBuilderAtEnd(s->builder, all);
    }
    /* One block further, x fastest. */
    LLVMValueRef one = lw__spmd_const32(s, 1), zero = lw__spmd_const32(s, 0);
    LLVMValueRef carry = one;
    LLVMBuildStore(s->builder,
                   LLVMBuildAdd(s->builder, load_counter(s, &c, 0), lw__spmd_const64(s, 1), ""),
                   c.slot[0]);
    for (unsigned k = 0; k < 3; k++) {
        LLVMValueRef v = LLVMBuildAdd(s->builder, load_counter(s, &c, k + 1), carry, "");
        LLVMValueRef full = LLVMBuildICmp(s->builder, LLVMIntEQ, v, s->grid_dim[k], "");
        LLVMBuildStore(s->builder, k < 2 ? LLVMBuildSelect(s->builder, full, zero, v, "") : v,
                       c.slot[k + 1]);
        carry = LLVMBuildZExt(s->builder, full, s->i32, "");
    }
    end_iteration(s, &c, body, finished);
    return_status(s, finished, 0);
    return_status(s, s->stop, 1);
    if (s->frame) { /* there may be no memory */
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(allocas));
        LLVMPositionBuilderAtEnd(s->builder, allocas);
        LLVMBuildCondBr(s->builder, LLVMBuildIsNull(s->builder, s->frame, ""), s->stop, launch);
    }
}

/* SHARED variables are offsets in the worker's block memory, known at the end of a block. */
bool lw__spmd_place_shared(struct lw__spmd *s, LLVMBasicBlockRef known)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
    struct lw__shared_layout layout;
    lw__shared_layout(s->unit, s->facts->scalar, &layout);
    LLVMPositionBuilderBefore(s->builder, LLVMGetBasicBlockTerminator(known));
    return lw__shared_replace(s->unit, s->function, &layout, s->shared, s->builder, entry);
}

static bool widen(struct lw__spmd *s)
{
    s->function = lw__spmd_declare(s, s->config->kernel->name);
    if (LLVMGetSubprogram(s->facts->scalar))
        LLVMSetSubprogram(s->function, LLVMGetSubprogram(s->facts->scalar));
    s->launch = LLVMGetParam(s->function, 0);
    s->worker = LLVMGetParam(s->function, 1);
    build(s);
    if (s->too_long) {
        LLVMDeleteFunction(s->function);
        return false;
    }
    LLVMBasicBlockRef launch = LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(s->function));
    return (!s->failed && lw__spmd_place_shared(s, launch)) || s->unit->diags.errors > 0;
}

static bool widen_by(const struct lw__facts *facts, uint64_t length_max, bool *too_long)
{
    struct lw__gang round = {0};
    struct lw__spmd s;
    lw__spmd_open(&s, facts);
    s.length_max = length_max;
    if (facts->config.end_gang > 1)
        s.gang = &round;
    const bool ok = widen(&s);
    *too_long = s.too_long;
    lw__spmd_close(&s);
    return ok;
}

/* Without facts an error has been told of. */
static bool widen_config(const struct lw__gang_config *config, uint64_t length_max, bool *too_long)
{
    const struct lw__arena_mark mark = lw__arena_mark(&config->unit->scratch);
    struct lw__facts facts;
    const bool ok = lw__facts_analyse(&facts, config) ? widen_by(&facts, length_max, too_long)
                                                      : config->unit->diags.errors > 0;
    lw__arena_release(&config->unit->scratch, mark);
    return ok;
}

/* ---- how much at a time ---------------------------------------------------------------------- */

/* Most instructions of a kernel whose block could be divided further, and of a warp that could be
 * made with masks only. LLVM takes about a second for
 * 10,000, and longer for each of them in a longer function. */
enum { LENGTH_MAX = 60000, WARP_LENGTH_MAX = 200000 };

static bool widen_divided(const struct lw__facts *facts, struct lw__division division,
                          uint64_t length_max, bool *too_long)
{
    *too_long = false;
    if (division.kind == LW_DIVISION_GANGS)
        return lw__gang_widen(facts, division, length_max, too_long);
    if (division.kind == LW_DIVISION_ROUNDS || division.masked) {
        /* As a whole or in rounds. */
        struct lw__gang_config config = facts->config;
        if (division.kind == LW_DIVISION_ROUNDS) {
            assert(config.threads % division.threads == 0);
            assert(division.threads % config.width == 0);
            config.end_gang = config.threads / division.threads;
            config.threads = config.gang_threads = division.threads;
            config.pieces = division.threads / config.width;
        }
        config.masked_only = division.masked;
        return widen_config(&config, length_max, too_long);
    }
    return widen_by(facts, length_max, too_long);
}

/* Try smaller and smaller parts of the block until the code is short enough, then the smallest part
 * with masks only, which may have any length. */
static bool widen_within_limits(const struct lw__facts *facts)
{
    struct lw__division division = lw__gang_divide(facts), smaller = division;
    for (bool too_long = false;; division = smaller) {
        const bool more = lw__gang_divide_further(facts, &smaller);
        const uint64_t most = smaller.masked ? WARP_LENGTH_MAX : LENGTH_MAX;
        const bool ok = widen_divided(facts, division, more ? most : 0, &too_long);
        if (!too_long)
            return ok;
    }
}

static bool widen_kernel(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    const struct lw__gang_config config = lw__gang_config(unit, kernel);
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    lw__where_kernel(unit, kernel);
    struct lw__facts facts;
    bool ok = lw__facts_analyse(&facts, &config);
    ok = ok ? widen_within_limits(&facts) : unit->diags.errors > 0;
    lw__arena_release(&unit->scratch, mark);
    LLVMSetSubprogram(kernel->function, NULL);
    if (ok && !unit->diags.errors)
        LLVMDeleteFunction(kernel->function);
    return ok;
}

/* The block ops that the kernel's gangs have requested, as kernels of their own. */
static bool widen_operations(struct lw__unit *unit)
{
    bool ok = true;
    struct lw__kernels *queue = &unit->operations;
    for (size_t i = 0; ok && i < queue->count; i++) {
        const struct lw__gang_config config = lw__gang_config(unit, &queue->rows[i]);
        bool too_long = false;
        ok = widen_config(&config, 0, &too_long);
        LLVMDeleteFunction(queue->rows[i].function);
    }
    *queue = (struct lw__kernels){0};
    return ok;
}

/* lw__pass_spmd - each kernel K as lw.cpu.K, SIMD code for blocks of one size.
 * needs PREPARED   makes WIDENED   breaks COMMON PREPARED
 */
bool lw__pass_spmd(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count && !unit->diags.errors; i++)
        if (!widen_kernel(unit, &unit->kernels.rows[i]) || !widen_operations(unit))
            return false;
    return true;
}
