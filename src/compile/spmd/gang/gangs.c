/* gangs.c - how many threads run together; kernels whose blocks run in several gangs.
 *
 * Gangs are coroutines that yield to each other (base/cpu_abi.h). Parts of a block that need not
 * yield are rounds: whole_block.c. Two kinds of kernels run in gangs. With spin loops, one warp is
 * a gang, since warps make progress independently. The others are kernels of which a whole block
 * would be too much code. A gang's code is made like a block's, for fewer threads. Its threads are
 * only known at run time. A last gang with fewer threads has code of its own.
 *
 *     lw.gang.K, lw.gang.K.last    the coroutines: lw_cpu_gang_start
 *     lw.gangs.K                   struct lw_cpu_gangs
 *     lw.cpu.K                     passes it to the library
 */
#include "compile/spmd/gang/gang.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/control/control.h"
#include "base/cpu_abi.h"
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stddef.h>

#define FIELD(name) offsetof(struct lw_cpu_gang, name)
static const char resumer[] = "lw.resume";

/* ---- how many threads ------------------------------------------------------------------------ */

/* Estimated LLVM instructions per instruction and piece: plain, under masks, per lane of an atomic;
 * and per class of blocks. LLVM takes about a second for 10,000. */
enum { PLAIN_COST = 1, MASKED_COST = 3, ATOMIC_LANE_COST = 4, CLASS_COST = 12, COST_MAX = 60000 };

/* Pieces of a round. Without loops, so few that all values stay in registers from block to block,
 * but as many as transpose their loads together (memory/transpose.c). With loops, as many as have
 * registers for what a loop carries, since their chains of operations hide each other's latency. */
enum { ROUND_LEAST = 4 };

/* Which lanes run a block: all; lanes that constants tell, so that it has one copy with constant
 * masks; or some. */
enum who { WHO_ALL, WHO_KNOWN, WHO_SOME };

static uint64_t cost_of_instruction(const struct lw__facts *facts, LLVMValueRef i, enum who who)
{
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return who == WHO_KNOWN && lw__spmd_combines(facts, i)
                   ? PLAIN_COST
                   : ATOMIC_LANE_COST * facts->config.width;
    if (lw__shape_of(facts, i).kind <= LW_SHAPE_OFFSET && !lw__ir_collective(i, NULL))
        return 0;
    return who == WHO_SOME ? MASKED_COST : PLAIN_COST;
}

static uint64_t cost_of_block(const struct lw__facts *facts, uint32_t b, enum who who)
{
    uint64_t cost = who == WHO_SOME && facts->class_of[b] == b ? CLASS_COST : 0;
    EACH_INSTRUCTION(i, facts->cfg.blocks[b])
        cost += cost_of_instruction(facts, i, who);
    return cost;
}

/* Of one piece. alone: of a gang that shares its code with no other, so that its threads are
 * known. */
static uint64_t cost_of(const struct lw__facts *facts, bool alone)
{
    uint64_t cost = 0;
    enum who *who = lw__new(&facts->config.unit->scratch, facts->region_count, sizeof *who);
    for (size_t k = 0; k < facts->region_count; k++)
        who[k] = facts->regions[k].is_loop ? WHO_SOME : WHO_KNOWN;
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        const int of = facts->entered_at[b] < 0 ? facts->region_of[b] : facts->entered_at[b];
        assert(of >= 0 || !lw__spmd_is_divergent(facts, b));
        if (lw__spmd_is_divergent(facts, b) && !lw__spmd_never_agrees(facts, b))
            who[of] = WHO_SOME;
    }
    for (size_t k = 0; k < facts->region_count; k++) /* outer before inner */
        if (facts->regions[k].parent >= 0 && who[facts->regions[k].parent] == WHO_SOME)
            who[k] = WHO_SOME;
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        const int r = facts->region_of[b];
        cost += cost_of_block(facts, b, r < 0 ? WHO_ALL : alone ? who[r] : WHO_SOME);
    }
    return cost;
}

/* A warp's threads, doubled while the code stays within limits. All, if constants decide so much
 * that it is no more code. */
static uint32_t affordable(const struct lw__facts *facts)
{
    const struct lw__gang_config *config = &facts->config;
    const uint64_t cost = cost_of(facts, false);
    uint32_t threads = 32;
    while (threads < config->threads && cost * (2 * threads / config->width) <= COST_MAX)
        threads *= 2;
    const bool is_no_more =
        cost_of(facts, true) * config->pieces <= cost * (threads / config->width);
    return is_no_more ? config->threads : threads;
}

/* True if the block's threads have the same relative indices in every gang of so many. */
static bool fits(const struct lw__facts *facts, uint32_t threads)
{
    const uint32_t row = facts->config.dim[0], plane = row * facts->config.dim[1];
    return facts->config.threads % threads == 0 && (row % threads == 0 || threads % row == 0) &&
           (plane % threads == 0 || threads % plane == 0);
}

/* True if nothing in the kernel concerns more than a warp. */
static bool can_have_rounds(const struct lw__facts *facts)
{
    if (facts->has_spin_loops || facts->config.unit->gang)
        return false;
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        if (facts->has_block_op[b])
            return false;
    return true;
}

/* True if nothing concerns more than a piece either. */
static bool can_have_single_pieces(const struct lw__facts *facts)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        if (lw__ir_collective_in(facts->cfg.blocks[b]))
            return false;
    return fits(facts, facts->config.width);
}

/* The most threads of a round, up to so many; 0: rounds of these cannot be alike. */
static uint32_t round_of(const struct lw__facts *facts, uint32_t threads)
{
    while (threads && !fits(facts, threads))
        threads -= 32;
    return threads;
}

/* The best number of threads of a round; 0: the block is not more. */
static uint32_t best_round(const struct lw__facts *facts)
{
    const struct lw__gang_config *config = &facts->config;
    const uint32_t registers = config->unit->target->registers,
                   pieces = facts->loops.count ? registers / 2 : ROUND_LEAST,
                   most = pieces * config->width > 32 ? pieces * config->width : 32,
                   threads = config->threads <= most ? 0 : round_of(facts, most);
    return threads >= ROUND_LEAST * config->width ? threads : 0;
}

struct lw__division lw__gang_divide(const struct lw__facts *facts)
{
    if (facts->has_spin_loops)
        return (struct lw__division){LW_DIVISION_GANGS, 32, false};
    const uint32_t round = can_have_rounds(facts) ? best_round(facts) : 0;
    if (round)
        return (struct lw__division){LW_DIVISION_ROUNDS, round, false};
    const uint32_t wanted = facts->config.unit->gang, threads = wanted ? wanted : affordable(facts);
    assert(threads % 32 == 0 || threads >= facts->config.threads);
    if (threads < facts->config.threads)
        return (struct lw__division){LW_DIVISION_GANGS, threads, false};
    return (struct lw__division){LW_DIVISION_NONE, facts->config.threads, false};
}

bool lw__gang_divide_further(const struct lw__facts *facts, struct lw__division *division)
{
    const uint32_t quarter = division->threads / 4 / 32 * 32, threads = quarter ? quarter : 32;
    if (division->threads <= 32) {
        const bool more = !division->masked;
        division->masked = true;
        if (more && division->kind == LW_DIVISION_ROUNDS && can_have_single_pieces(facts))
            division->threads = facts->config.width;
        return more;
    }
    const uint32_t round = division->kind != LW_DIVISION_GANGS && can_have_rounds(facts)
                               ? round_of(facts, threads)
                               : 0;
    *division = round ? (struct lw__division){LW_DIVISION_ROUNDS, round, false}
                      : (struct lw__division){LW_DIVISION_GANGS, threads, false};
    return true;
}

/* ---- the coroutine --------------------------------------------------------------------------- */

/* Request memory for the frame, after the arrays of the gang's threads that are too large for it.
 * Their size is known at the end. */
static LLVMValueRef ask_for_memory(LLVMBuilderRef b, LLVMValueRef bytes, LLVMValueRef align,
                                   void *user)
{
    struct lw__spmd *s = user;
    struct lw__gang *g = s->gang;
    LLVMBuilderRef before = s->builder;
    (void)align; /* no more than LW_CPU_ALIGN: no vector is larger */
    s->builder = b;
    LLVMValueRef none = lw__spmd_const64(s, 0);
    g->bytes = LLVMBuildAdd(b, bytes, none, "");
    g->memory = lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, gang_memory), s->ptr,
                                  (LLVMTypeRef[]){s->ptr, s->ptr, s->i64},
                                  (LLVMValueRef[]){s->worker, g->record, g->bytes}, 3);
    g->from = LLVMBuildGEP2(b, s->i8, g->memory, &none, 1, "");
    s->builder = before;
    return LLVMBuildSelect(b, LLVMBuildIsNull(b, g->memory, ""), LLVMConstNull(s->ptr), g->from,
                           "");
}

static void end_in(struct lw__spmd *s, LLVMBasicBlockRef block, int state)
{
    LLVMPositionBuilderAtEnd(s->builder, block);
    lw__gang_set(s, FIELD(state), lw__spmd_const32(s, state));
    LLVMBuildBr(s->builder, s->gang->co.final);
}

/* ramp: allocas, the frame; begin: arguments, the gang's code; done; stop. */
static bool build(struct lw__spmd *s)
{
    struct lw__gang *g = s->gang;
    s->launch = LLVMGetParam(s->function, 0);
    s->worker = LLVMGetParam(s->function, 1);
    g->record = LLVMGetParam(s->function, 2);
    lw__coroutine_open(s->module, s->function, ask_for_memory, s, &g->co);
    s->frame = g->memory;
    assert(s->frame);
    LLVMPositionBuilderBefore(s->alloca_builder, LLVMGetBasicBlockTerminator(g->co.entry));
    s->dummy = LLVMBuildAlloca(s->alloca_builder, LLVMArrayType2(s->i64, 8), "dummy");
    LLVMSetAlignment(s->dummy, 64);
    s->done = LLVMAppendBasicBlockInContext(s->context, s->function, "done");
    s->stop = LLVMAppendBasicBlockInContext(s->context, s->function, "stop");
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(s->context, s->function, "gang");
    LLVMPositionBuilderAtEnd(s->builder, g->co.body);
    lw__spmd_open_launch(s);
    g->first = s->config->end_gang - s->config->first_gang == 1
                   ? lw__spmd_const32(s, (int64_t)s->config->first_gang * s->config->gang_threads)
                   : lw__spmd_field(s, s->i32, g->record, FIELD(first));
    g->exchange = lw__spmd_field(s, s->ptr, g->record, FIELD(exchange));
    s->block_linear = lw__spmd_field(s, s->i64, g->record, FIELD(block));
    for (unsigned k = 0; k < 3; k++)
        s->block_idx[k] = lw__spmd_field(s, s->i32, g->record, FIELD(block_idx) + 4 * k);
    lw__spmd_open_exited(s);
    LLVMBuildBr(s->builder, first);
    LLVMPositionBuilderAtEnd(s->builder, first);
    lw__spmd_control(s);
    LLVMSetCurrentDebugLocation2(s->builder, NULL);
    end_in(s, s->done, LW_CPU_RETURNED);
    end_in(s, s->stop, LW_CPU_STOPPED);
    assert(LLVMGetOperand(g->bytes, 1) == LLVMGetOperand(g->from, 1));
    LLVMSetOperand(g->bytes, 1, lw__spmd_const64(s, (int64_t)s->frame_bytes));
    LLVMSetOperand(g->from, 1, lw__spmd_const64(s, (int64_t)s->frame_bytes));
    lw__coroutine_close(&g->co);
    return (!s->failed && lw__spmd_place_shared(s, g->co.body)) || s->unit->diags.errors > 0;
}

/* A function cannot have another's lines: it gets a subprogram of its own, with the same ones. */
static void own_lines(struct lw__unit *unit, LLVMValueRef function, LLVMMetadataRef model)
{
    LLVMMetadataRef file = LLVMDIScopeGetFile(model);
    const unsigned line = LLVMDISubprogramGetLine(model);
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMDIBuilderRef b = LLVMCreateDIBuilder(unit->module);
    LLVMDIBuilderCreateCompileUnit(b, LLVMDWARFSourceLanguageC11, file, "", 0, 0, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(b, file, NULL, 0, 0);
    LLVMMetadataRef own = LLVMDIBuilderCreateFunction(b, file, name, length, name, length, file,
                                                      line, type, 1, 1, line, 0, 1);
    LLVMSetSubprogram(function, own);
    EACH_INSTRUCTION_OF(i, function) {
        /* a helper's line may be in another file */
        LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i), scope;
        if (!at)
            continue;
        scope = LLVMDIBuilderCreateLexicalBlockFile(
            b, own, LLVMDIScopeGetFile(LLVMDILocationGetScope(at)), 0);
        LLVMInstructionSetDebugLoc(
            i, LLVMDIBuilderCreateDebugLocation(unit->context, LLVMDILocationGetLine(at),
                                                LLVMDILocationGetColumn(at), scope, NULL));
    }
    LLVMDIBuilderFinalize(b);
    LLVMDisposeDIBuilder(b);
}

static LLVMValueRef declare(struct lw__spmd *s, const char *ending)
{
    LLVMTypeRef types[] = {s->ptr, s->ptr, s->ptr};
    const char *name =
        lw__format(&s->unit->scratch, "lw.gang.%s%s", s->config->kernel->name, ending);
    LLVMValueRef f = LLVMAddFunction(s->module, name, LLVMFunctionType(s->ptr, types, 3, 0));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    lw__llvm_attribute(f, "nounwind", true);
    return f;
}

/* The code for the gangs of the config; NULL: none. *too_long: it would have more than length_max
 * instructions (0: no limit). */
static LLVMValueRef build_gangs(const struct lw__gang_config *config, uint64_t length_max,
                                bool has_lines, bool *too_long)
{
    struct lw__gang gang = {0};
    const struct lw__arena_mark mark = lw__arena_mark(&config->unit->scratch);
    struct lw__facts facts;
    bool ok = lw__facts_analyse(&facts, config);
    if (!ok) {
        lw__arena_release(&config->unit->scratch, mark);
        return NULL;
    }
    struct lw__spmd s;
    lw__spmd_open(&s, &facts);
    s.length_max = length_max;
    s.gang = &gang;
    LLVMValueRef f = s.function = declare(&s, has_lines ? "" : ".last");
    LLVMMetadataRef lines = LLVMGetSubprogram(facts.scalar);
    if (lines && has_lines)
        LLVMSetSubprogram(f, lines);
    ok = build(&s);
    if (ok && lines && !has_lines)
        own_lines(config->unit, f, lines);
    *too_long = s.too_long;
    lw__spmd_close(&s);
    lw__arena_release(&config->unit->scratch, mark);
    if (*too_long)
        LLVMDeleteFunction(f);
    return ok ? f : NULL;
}

/* Of the block: gangs from ... to - 1, each of so many threads. The last may have fewer than the
 * others. */
static struct lw__gang_config part_of(const struct lw__gang_config *block,
                                      struct lw__division division, uint32_t from, uint32_t to,
                                      uint32_t threads)
{
    struct lw__gang_config part = *block;
    part.threads = threads;
    part.gang_threads = division.threads;
    part.masked_only = division.masked;
    part.first_gang = from, part.end_gang = to;
    part.pieces = (threads + part.width - 1) / part.width;
    return part;
}

/* ---- lw.cpu.K -------------------------------------------------------------------------------- */

static LLVMValueRef make_resumer(struct lw__unit *unit)
{
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, resumer);
    if (f)
        return f;
    lw__coroutine_resumer(unit->module, resumer);
    f = LLVMGetNamedFunction(unit->module, resumer);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    return f;
}

static LLVMValueRef make_table(struct lw__spmd *s, LLVMValueRef start, LLVMValueRef last,
                               uint32_t gang_threads)
{
    LLVMValueRef fields[] = {start, last, make_resumer(s->unit), lw__spmd_const32(s, s->threads),
                             lw__spmd_const32(s, gang_threads)};
    LLVMValueRef value = LLVMConstStructInContext(s->context, fields, 5, 0);
    const char *name = lw__format(&s->unit->scratch, "lw.gangs.%s", s->config->kernel->name);
    LLVMValueRef table = LLVMAddGlobal(s->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

bool lw__gang_widen(const struct lw__facts *facts, struct lw__division division,
                    uint64_t length_max, bool *too_long)
{
    const struct lw__gang_config *block = &facts->config;
    struct lw__unit *unit = block->unit;
    struct lw__spmd s;
    lw__spmd_open(&s, facts);
    const uint32_t threads = division.threads, full = block->threads / threads,
                   rest = block->threads % threads;
    const struct lw__gang_config whole = part_of(block, division, 0, full, threads),
                                 end = part_of(block, division, full, full + 1, rest);
    LLVMValueRef start = NULL, last = NULL;
    if (full)
        start = last = build_gangs(&whole, length_max, true, too_long);
    if (rest && (start || !full))
        last = build_gangs(&end, length_max, !full, too_long);
    if (*too_long && start)
        LLVMDeleteFunction(start);
    start = start ? start : last;
    const bool ok = start && last && !unit->diags.errors;
    if (ok) {
        /* The function that passes the table to the library. It has no lines: the gang's code
         * has the kernel's. */
        LLVMValueRef table = make_table(&s, start, last, threads);
        s.function = lw__spmd_declare(&s, s.config->kernel->name);
        LLVMValueRef args[5];
        LLVMGetParams(s.function, args);
        s.worker = args[1];
        args[4] = table;
        LLVMPositionBuilderAtEnd(s.builder,
                                 LLVMAppendBasicBlockInContext(s.context, s.function, ""));
        LLVMBuildRet(s.builder, lw__spmd_call_out(
                                    &s, offsetof(struct lw_cpu_calls, run_gangs), s.i32,
                                    (LLVMTypeRef[]){s.ptr, s.ptr, s.i64, s.i64, s.ptr}, args, 5));
    }
    lw__spmd_close(&s);
    return ok || unit->diags.errors > 0;
}
