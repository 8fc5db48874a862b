/* spmd.c - each kernel K as lw.cpu.K, which runs whole blocks (base/cpu_abi.h).
 *
 *     shapes    which values are uniform, linear, varying          spmd_shape.c, spmd_lanes.c
 *     regions   what divergent branches decide, who runs together  spmd_region.c, spmd_class.c
 *     control   copies of the blocks, with masks and without       spmd_control.c, _phi, _agree
 *     families  the code of each instruction                       spmd_emit.c and what it calls
 *
 * A new function is built from the kernel, which is only read; then the kernel goes.
 */
#include "base/cpu_abi.h"
#include "compile/spmd_copy.h"
#include "compile/spmd_gang.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint32_t lw__spmd_pieces(const struct lw__unit *unit, const struct lw__kernel *kernel)
{
    const uint32_t *block = kernel->block, width = lw__spmd_width(unit);
    return (block[0] * block[1] * block[2] + width - 1) / width;
}

/* ---- what is said about the kernel ----------------------------------------------------------- */

bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what)
{
    s->failed = true;
    lw__diags_error(&s->unit->diags, lw__loc_of(instruction),
                    "kernel '%s': device %s cannot do this yet: %s", s->kernel->name,
                    lw__is_for_cuda(s->unit) ? "cuda" : "cpu", what);
    return false;
}

void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, const char *what,
                     const char *why)
{
    lw__diags_remark(&s->unit->diags, lw__loc_of(instruction), what, why);
}

/* ---- the kernel's facts ---------------------------------------------------------------------- */

int lw__spmd_dead_end(const struct lw__spmd *s, uint32_t branch)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t first = g->succ_start[branch];
    for (int k = 0; g->succ_start[branch + 1] - first == 2 && k < 2; k++) {
        uint32_t x = g->succ[first + (uint32_t)k];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[x]);
        if (g->pred_start[x + 1] - g->pred_start[x] != 1 || !LLVMIsAUnreachableInst(end))
            continue;
        bool plain = true;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[x]); i;
             i = LLVMGetNextInstruction(i))
            plain &= !LLVMIsAPHINode(i) && !lw__ir_collective(i, NULL);
        if (plain)
            return k;
    }
    return -1;
}

bool lw__spmd_analyse(struct lw__spmd *s)
{
    size_t n = 0;
    if (!lw__cfg_build(s->scalar, &s->cfg))
        return lw__defect("out of memory");
    n = s->cfg.count + 1;
    if (!lw__loops_build(&s->cfg, &s->loops))
        return false;
    s->ipdom = lw__cfg_post_dominators(&s->cfg);
    s->operations = calloc(n, sizeof *s->operations);
    s->apart = calloc(n, sizeof *s->apart);
    s->joins = calloc(n, sizeof *s->joins);
    s->leaves_apart = calloc(s->loops.count + 1, sizeof *s->leaves_apart);
    s->waits = calloc(n, sizeof *s->waits);
    s->region_of = calloc(3 * n, sizeof *s->region_of);
    s->entered_at = s->region_of + n;
    s->looped_at = s->entered_at + n;
    s->class_of = calloc(n, sizeof *s->class_of);
    s->meets_at = calloc(n, sizeof *s->meets_at);
    s->awaited = calloc(n, sizeof *s->awaited);
    s->meets_later = calloc(s->cfg.count + 1, sizeof *s->meets_later);
    s->may_end = calloc(s->cfg.count + 1, sizeof *s->may_end);
    if (!s->ipdom || !s->operations || !s->apart || !s->joins || !s->leaves_apart || !s->waits ||
        !s->region_of || !s->class_of || !s->meets_at || !s->awaited || !s->meets_later ||
        !s->may_end)
        return lw__defect("out of memory");
    lw__spmd_find_operations(&s->cfg, s->operations);
    if (!lw__spmd_values_build(s))
        return false;
    for (bool held = true; held;) /* larger loops may be left apart by more values */
        if (!lw__spmd_shapes(s) || !lw__spmd_hold_returns(s, &held))
            return false;
    lw__loops_nest(&s->loops);
    if (!lw__spmd_find_waits(s))
        return false;
    lw__spmd_defer_conditions(s);
    if (!lw__spmd_find_interleaved(s))
        return false;
    return lw__spmd_regions(s) && (lw__is_for_cuda(s->unit) || lw__spmd_find_gone(s));
}

void lw__spmd_close(struct lw__spmd *s)
{
    LLVMDisposeBuilder(s->b);
    LLVMDisposeBuilder(s->entry);
    lw__spmd_values_free(s);
    lw__spmd_regions_free(s);
    lw__lanes_free(s);
    lw__loops_free(&s->loops);
    lw__cfg_free(&s->cfg);
    free(s->ipdom);
    free(s->operations);
    free(s->apart);
    free(s->joins);
    free(s->leaves_apart);
    free(s->waits);
    free(s->interleaved);
    free(s->region_of);
    free(s->class_of);
    free(s->meets_at);
    free(s->meets_later);
    free(s->may_end);
    free(s->arguments);
    free(s->gone);
    free(s->awaiting);
    free(s->awaited);
}

/* ---- the function around the blocks ---------------------------------------------------------- */

LLVMValueRef lw__spmd_field(struct lw__spmd *s, LLVMTypeRef type, LLVMValueRef record,
                            size_t offset)
{
    LLVMValueRef at = lw__spmd_const64(s, (int64_t)offset);
    return LLVMBuildLoad2(s->b, type, LLVMBuildGEP2(s->b, s->i8, record, &at, 1, ""), "");
}

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
    return LLVMBuildLoad2(s->b, k ? s->i32 : s->i64, c->slot[k], "");
}

/* What does not change from block to block. */
void lw__spmd_open_launch(struct lw__spmd *s)
{
    LLVMValueRef packed =
        lw__spmd_field(s, s->ptr, s->launch, offsetof(struct lw_cpu_launch, args));
    for (unsigned k = 0; k < s->kernel->param_count; k++)
        s->arguments[k] = lw__front_load_argument(s->b, s->kernel, k, packed);
    for (unsigned k = 0; k < 3; k++)
        s->grid_dim[k] =
            lw__spmd_field(s, s->i32, s->launch, offsetof(struct lw_cpu_launch, grid_dim) + 4 * k);
    s->shared = lw__spmd_field(s, s->ptr, s->worker, offsetof(struct lw_cpu_worker, shared));
}

/* The first block's place in the grid. */
static void open_counters(struct lw__spmd *s, struct counters *c)
{
    LLVMValueRef first = LLVMGetParam(s->function, 2), rest = first;
    c->end = LLVMBuildAdd(s->b, first, LLVMGetParam(s->function, 3), "");
    LLVMBuildStore(s->b, first, c->slot[0]);
    for (unsigned k = 0; k < 3; k++) {
        LLVMValueRef size = LLVMBuildZExt(s->b, s->grid_dim[k], s->i64, "");
        LLVMValueRef place = k < 2 ? LLVMBuildURem(s->b, rest, size, "") : rest;
        LLVMBuildStore(s->b, LLVMBuildTrunc(s->b, place, s->i32, ""), c->slot[k + 1]);
        rest = LLVMBuildUDiv(s->b, rest, size, "");
    }
}

/* One block further, x fastest. */
static void step(struct lw__spmd *s, const struct counters *c)
{
    LLVMValueRef one = lw__spmd_const32(s, 1), zero = lw__spmd_const32(s, 0);
    LLVMValueRef carry = one;
    LLVMBuildStore(s->b, LLVMBuildAdd(s->b, load_counter(s, c, 0), lw__spmd_const64(s, 1), ""),
                   c->slot[0]);
    for (unsigned k = 0; k < 3; k++) {
        LLVMValueRef v = LLVMBuildAdd(s->b, load_counter(s, c, k + 1), carry, "");
        LLVMValueRef full = LLVMBuildICmp(s->b, LLVMIntEQ, v, s->grid_dim[k], "");
        LLVMBuildStore(s->b, k < 2 ? LLVMBuildSelect(s->b, full, zero, v, "") : v, c->slot[k + 1]);
        carry = LLVMBuildZExt(s->b, full, s->i32, "");
    }
}

static void open_masks(struct lw__spmd *s, LLVMValueRef *slots, const char *name)
{
    LLVMTypeRef mask = lw__spmd_vector_type(s, s->i1);
    for (uint32_t p = 0; slots && p < s->pieces; p++) {
        slots[p] = LLVMBuildAlloca(s->entry, mask, name);
        LLVMBuildStore(s->b, LLVMConstNull(mask), slots[p]);
    }
}

/* No thread of the block has returned. */
void lw__spmd_open_gone(struct lw__spmd *s)
{
    open_masks(s, s->gone, "gone");
    open_masks(s, s->awaiting, "awaiting");
}

static void open_block(struct lw__spmd *s, const struct counters *c)
{
    LLVMValueRef at = lw__spmd_const64(s, offsetof(struct lw_cpu_worker, block));
    s->block_linear = load_counter(s, c, 0);
    LLVMSetVolatile(/* or it would move behind the loop */
                    LLVMBuildStore(s->b, s->block_linear,
                                   LLVMBuildGEP2(s->b, s->i8, s->worker, &at, 1, "")),
                    1);
    for (unsigned k = 0; k < 3; k++)
        s->block_idx[k] = load_counter(s, c, k + 1);
}

/* ---- rounds: a part of the block's threads after another, all by the same code --------------- */

struct rounds {
    LLVMValueRef slot; /* the first thread of the round */
    LLVMBasicBlockRef body;
};

static void open_rounds(struct lw__spmd *s, struct rounds *r)
{
    r->slot = LLVMBuildAlloca(s->entry, s->i32, "");
    r->body = append(s, "round");
    LLVMBuildStore(s->b, lw__spmd_const32(s, 0), r->slot);
    LLVMBuildBr(s->b, r->body);
    LLVMPositionBuilderAtEnd(s->b, r->body);
    s->gang->first = LLVMBuildLoad2(s->b, s->i32, r->slot, "");
}

static void end_round(struct lw__spmd *s, const struct rounds *r)
{
    LLVMBasicBlockRef all = append(s, "rounds");
    LLVMValueRef next = LLVMBuildNUWAdd(s->b, LLVMBuildLoad2(s->b, s->i32, r->slot, ""),
                                        lw__spmd_const32(s, s->threads), "");
    LLVMValueRef end = lw__spmd_const32(s, (int64_t)s->gangs_to * s->threads);
    LLVMBuildStore(s->b, next, r->slot);
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntULT, next, end, ""), r->body, all);
    LLVMPositionBuilderAtEnd(s->b, all);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Another block? Asked at the end of the loop, which is large and must not be turned around. */
static void end_trip(struct lw__spmd *s, const struct counters *c, LLVMBasicBlockRef body,
                     LLVMBasicBlockRef finished)
{
    LLVMValueRef more = LLVMBuildICmp(s->b, LLVMIntULT, load_counter(s, c, 0), c->end, "");
    LLVMBuildCondBr(s->b, more, body, finished);
}

static void return_status(struct lw__spmd *s, LLVMBasicBlockRef at, int status)
{
    LLVMPositionBuilderAtEnd(s->b, at);
    LLVMBuildRet(s->b, lw__spmd_const32(s, status));
}

/* entry: allocas; launch: arguments; loop over blocks: one block's code, or a loop over its rounds;
 * done; stop. */
static void build(struct lw__spmd *s)
{
    LLVMBasicBlockRef allocas = append(s, "entry"), launch = append(s, "launch"),
                      body = append(s, "block"), finished = append(s, "finished");
    struct counters c;
    struct rounds rounds = {0};
    s->done = append(s, "done");
    s->stop = append(s, "stop");
    LLVMPositionBuilderAtEnd(s->b, allocas);
    LLVMPositionBuilderBefore(s->entry, LLVMBuildBr(s->b, launch));
    for (unsigned k = 0; k < 4; k++)
        c.slot[k] = LLVMBuildAlloca(s->entry, k ? s->i32 : s->i64, "");
    s->dummy = LLVMBuildAlloca(s->entry, LLVMArrayType2(s->i64, 8), "dummy");
    LLVMSetAlignment(s->dummy, 64);
    LLVMPositionBuilderAtEnd(s->b, launch);
    lw__spmd_open_launch(s);
    open_counters(s, &c);
    end_trip(s, &c, body, finished);
    LLVMPositionBuilderAtEnd(s->b, body);
    open_block(s, &c);
    if (s->gang)
        open_rounds(s, &rounds);
    lw__spmd_open_gone(s);
    lw__spmd_control(s);
    LLVMSetCurrentDebugLocation2(s->b, NULL);
    LLVMPositionBuilderAtEnd(s->b, s->done);
    if (s->gang)
        end_round(s, &rounds);
    step(s, &c);
    end_trip(s, &c, body, finished);
    return_status(s, finished, 0);
    return_status(s, s->stop, 1);
    if (s->frame) { /* there may be no memory */
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(allocas));
        LLVMPositionBuilderAtEnd(s->b, allocas);
        LLVMBuildCondBr(s->b, LLVMBuildIsNull(s->b, s->frame, ""), s->stop, launch);
    }
}

/* SHARED variables are places in the worker's block memory, known at the end of a block. */
bool lw__spmd_place_shared(struct lw__spmd *s, LLVMBasicBlockRef known)
{
    struct lw__shared_layout layout;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
    bool ok = lw__shared_layout(s->unit, s->scalar, &layout);
    LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(known));
    ok = ok && lw__shared_replace(s->unit, s->function, &layout, s->shared, s->b, entry);
    lw__shared_layout_free(&layout);
    return ok;
}

LLVMValueRef lw__spmd_declare(struct lw__spmd *s)
{
    struct lw__text name = {0};
    LLVMTypeRef types[] = {s->ptr, s->ptr, s->i64, s->i64};
    lw__text_add(&name, "lw.cpu.%s", s->kernel->name);
    if (name.failed) {
        lw__defect("out of memory");
        return NULL;
    }
    LLVMValueRef f = LLVMAddFunction(s->module, name.data, LLVMFunctionType(s->i32, types, 4, 0));
    lw__text_free(&name);
    lw__llvm_attribute(f, "nounwind", true);
    if (LLVMGetSubprogram(s->scalar))
        LLVMSetSubprogram(f, LLVMGetSubprogram(s->scalar));
    return f;
}

static bool widen(struct lw__spmd *s)
{
    s->function = lw__spmd_declare(s);
    if (!s->function)
        return lw__defect("out of memory");
    s->launch = LLVMGetParam(s->function, 0);
    s->worker = LLVMGetParam(s->function, 1);
    build(s);
    LLVMBasicBlockRef launch = LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(s->function));
    return (!s->failed && lw__spmd_place_shared(s, launch)) || s->unit->diags.errors > 0;
}

bool lw__spmd_open(struct lw__spmd *s, struct lw__unit *unit, const struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    *s = (struct lw__spmd){.unit = unit,
                           .kernel = kernel,
                           .context = c,
                           .module = unit->module,
                           .data = LLVMGetModuleDataLayout(unit->module),
                           .level = (enum lw__level)lw__cpu_level(unit->options->device),
                           .scalar = kernel->function,
                           .scope = 1,
                           .b = LLVMCreateBuilderInContext(c),
                           .entry = LLVMCreateBuilderInContext(c),
                           .i1 = LLVMInt1TypeInContext(c),
                           .i8 = LLVMInt8TypeInContext(c),
                           .i16 = LLVMInt16TypeInContext(c),
                           .i32 = LLVMInt32TypeInContext(c),
                           .i64 = LLVMInt64TypeInContext(c),
                           .f32 = LLVMFloatTypeInContext(c),
                           .f64 = LLVMDoubleTypeInContext(c),
                           .ptr = LLVMPointerTypeInContext(c, 0)};
    memcpy(s->dim, kernel->block, sizeof s->dim);
    s->threads = s->gang_threads = s->dim[0] * s->dim[1] * s->dim[2];
    s->gangs_to = 1;
    s->width = lw__spmd_width(unit);
    s->pieces = s->to = lw__spmd_pieces(unit, kernel);
    s->arguments = calloc(kernel->param_count + 1, sizeof *s->arguments);
    return s->arguments || lw__defect("out of memory");
}

bool lw__spmd_widen_whole(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    struct lw__spmd s;
    bool ok = lw__spmd_open(&s, unit, kernel) && lw__spmd_analyse(&s);
    ok = ok ? widen(&s) : unit->diags.errors > 0;
    lw__spmd_close(&s);
    return ok;
}

static bool widen_in_rounds(struct lw__unit *unit, const struct lw__kernel *kernel,
                            uint32_t threads)
{
    struct lw__spmd s;
    struct lw__gang round = {0};
    bool ok = lw__spmd_open(&s, unit, kernel);
    s.gangs_to = s.threads / threads;
    s.threads = s.gang_threads = threads;
    s.pieces = s.to = threads / s.width;
    s.gang = &round;
    ok = ok && lw__spmd_analyse(&s);
    ok = ok ? widen(&s) : unit->diags.errors > 0;
    lw__spmd_close(&s);
    return ok;
}

static bool widen_kernel(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    struct lw__spmd s;
    lw__where_kernel(unit, kernel);
    bool ok = lw__spmd_open(&s, unit, kernel) && lw__spmd_analyse(&s);
    const uint32_t round = ok ? lw__gang_round(&s) : 0;
    const uint32_t gang = ok && !round ? lw__gang_choose(&s) : 0;
    if (!ok)
        ok = unit->diags.errors > 0;
    else if (round)
        ok = widen_in_rounds(unit, kernel, round);
    else if (gang)
        ok = lw__gang_widen(unit, kernel, gang);
    else
        ok = widen(&s);
    lw__spmd_close(&s);
    LLVMSetSubprogram(kernel->function, NULL);
    if (ok && !unit->diags.errors)
        LLVMDeleteFunction(kernel->function);
    return ok;
}

/* lw__pass_spmd - each kernel K as lw.cpu.K, SIMD code for blocks of one size.
 * needs PREPARED   makes WIDENED   breaks COMMON PREPARED
 */
bool lw__pass_spmd(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count && !unit->diags.errors; i++)
        if (!widen_kernel(unit, &unit->kernels.rows[i]))
            return false;
    return true;
}
