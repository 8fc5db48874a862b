/* marks.c - for `lanewise picture`: the device is told which lines a thread runs, and which
 * iterations of loops it is in; and what clang says of the types of SHARED variables.
 *
 * Before the common clean-up a call stands where a block of the control flow comes to another line,
 * and in the header of each loop:
 *
 *     call void @lw.line()
 *     call void @lw.iteration(i32 loop, i32 depth)
 *
 * Loops are numbered in the order of the program, so the iterations that a thread is in, the
 * outermost loop first, order what its warp does as an instance orders its collectives.
 */
#include "compile/check/check.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <string.h>

struct marker {
    struct lw__unit *unit;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
};

static void call(struct marker *m, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(m->unit->context);
    LLVMValueRef made = lw__ir_call(m->b, m->unit->module, name, none, args, count);
    lw__llvm_attribute(LLVMGetCalledValue(made), "nounwind", true);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void mark_lines(struct marker *m, LLVMBasicBlockRef block)
{
    struct lw__loc last = {0};
    EACH_INSTRUCTION(i, block) {
        /* Instructions that stand for no statement: constants come from anywhere. */
        LLVMMetadataRef place = (!LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) &&
                                 strncmp(lw__ir_callee(i), "llvm.dbg", 8))
                                    ? LLVMInstructionGetDebugLoc(i)
                                    : NULL;
        const struct lw__loc loc = place ? lw__loc_of(i) : last;
        if (!place || !loc.line || (loc.line == last.line && loc.file == last.file))
            continue;
        LLVMPositionBuilderBefore(m->b, i);
        LLVMSetCurrentDebugLocation2(m->b, place);
        call(m, "lw.line", NULL, 0);
        last = loc;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static uint32_t depth_of(const struct lw__loops *loops, size_t loop)
{
    uint32_t depth = 0;
    for (int p = loops->loops[loop].parent; p >= 0; p = loops->loops[p].parent)
        depth++;
    return depth;
}

/* lw__pass_marks - lw.line where a block comes to another line, lw.iteration in each loop's header.
 * needs ENTERED
 */
bool lw__pass_marks(struct lw__unit *unit)
{
    struct marker m = {.unit = unit,
                       .b = LLVMCreateBuilderInContext(unit->context),
                       .i32 = LLVMInt32TypeInContext(unit->context)};
    for (size_t k = 0; k < unit->kernels.count; k++) {
        LLVMValueRef f = unit->kernels.rows[k].function;
        EACH_BLOCK(b, f)
            mark_lines(&m, b);
        struct lw__arena *arena = &m.unit->scratch;
        const struct lw__arena_mark mark = lw__arena_mark(arena);
        struct lw__cfg cfg;
        struct lw__loops loops;
        lw__cfg_build(arena, f, &cfg);
        lw__loops_build(&cfg, &loops);
        for (size_t i = 0; i < loops.count; i++) {
            /* Blocks are numbered in the order of the program, so a header's number is its
             * loop's. */
            const uint32_t header = loops.loops[i].header;
            LLVMValueRef first = lw__ir_first_after_phis(cfg.blocks[header]);
            LLVMValueRef args[] = {LLVMConstInt(m.i32, header, 0),
                                   LLVMConstInt(m.i32, depth_of(&loops, i), 0)};
            LLVMPositionBuilderBefore(m.b, first);
            call(&m, "lw.iteration", args, 2);
        }
        lw__arena_release(arena, mark);
    }
    LLVMDisposeBuilder(m.b);
    return true;
}

/* ---- in the reference form ------------------------------------------------------------------- */

static LLVMValueRef site_of(struct lw__ref *r, LLVMValueRef call, const char *what)
{
    return LLVMConstInt(r->i32, lw__ir_site(r->unit, call, what), 0);
}

bool lw__check_lower_mark(struct lw__ref *r, LLVMValueRef mark)
{
    const char *name = lw__ir_callee(mark);
    if (!strcmp(name, "lw.line")) {
        LLVMValueRef site = site_of(r, mark, "line");
        lw__ref_call(r, CALL(line), r->none, &site, 1);
    } else if (!strcmp(name, "lw.iteration")) {
        LLVMValueRef args[] = {LLVMGetOperand(mark, 0), LLVMGetOperand(mark, 1)};
        lw__ref_call(r, CALL(iteration), r->none, args, 2);
    } else if (!strncmp(name, "lw.trace.", 9)) {
        LLVMValueRef args[] = {
            LLVMGetOperand(mark, 0), LLVMConstInt(r->i32, lw__ref_dtype_named(name + 9), 0),
            lw__ref_to_bits(r, LLVMGetOperand(mark, 1)), site_of(r, mark, "trace")};
        lw__ref_call(r, CALL(trace), r->none, args, 4);
    } else {
        return false;
    }
    LLVMInstructionEraseFromParent(mark);
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

char *lw__check_layout_of(struct lw__ref *r, LLVMValueRef global)
{
    struct lw__text text = lw__text_in(&r->unit->scratch);
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    const unsigned dbg = LLVMGetMDKindIDInContext(r->unit->context, "dbg", 3);
    for (unsigned i = 0; i < count && !text.length; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != dbg)
            continue;
        LLVMMetadataRef variable =
            lw__di_operand(r->unit->context, LLVMValueMetadataEntriesGetMetadata(entries, i), 0);
        lw__type_layout(r->unit->context,
                        lw__di_operand(r->unit->context, variable, LW_DI_VARIABLE_TYPE), &text);
    }
    LLVMDisposeValueMetadataEntries(entries);
    return text.data;
}
