/* amx.c - products of bfloat16 numbers by AMX, for processors that have it.
 *
 *     lw.amx_products(sums, x, y, steps, squares)
 *
 * is called by kernels/matmul_amx.c, once for a block, and gets its body here. It adds to squares
 * of 32 x 32 sums, row by row. A step is 32 terms: of x 32 rows of them, of y 16 rows of pairs of
 * terms, 32 columns each. All squares have the same x; the y of one square follows that of the one
 * before. Squares, x and y are two tiles wide or high: each tile takes part in two products.
 *
 *     sums   0 1     x   4     y   6 7     numbers of tiles, 16 rows of 64 bytes each
 *            2 3         5
 *
 * The function has its own target features. A kernel runs on any processor of its level as long as
 * nobody calls this.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

enum { TILES = 8, ROWS = 16, ROW = 64, TILE = ROWS * ROW /* bytes */, CONFIG = 64 };

struct amx {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i64;
};

static LLVMValueRef number(struct amx *a, uint64_t n)
{
    return LLVMConstInt(a->i64, n, 0);
}

/* What ldtilecfg reads: the first palette, and all tiles of full size. */
static LLVMValueRef make_config(struct amx *a)
{
    char bytes[CONFIG] = {1};
    for (int t = 0; t < TILES; t++) {
        bytes[16 + 2 * t] = ROW;
        bytes[48 + t] = ROWS;
    }
    LLVMValueRef text = LLVMConstStringInContext2(a->context, bytes, CONFIG, true),
                 config = LLVMAddGlobal(a->module, LLVMTypeOf(text), "lw.amx_tiles");
    LLVMSetInitializer(config, text);
    LLVMSetGlobalConstant(config, true);
    LLVMSetLinkage(config, LLVMPrivateLinkage);
    LLVMSetAlignment(config, CONFIG);
    return config;
}

static LLVMValueRef past(struct amx *a, LLVMValueRef pointer, uint64_t bytes)
{
    LLVMValueRef at = number(a, bytes);
    return LLVMBuildGEP2(a->b, a->i8, pointer, &at, 1, "");
}

/* A tile is loaded from or stored to memory, whose rows are `stride` bytes apart. */
static void move(struct amx *a, enum lw__intrinsic how, unsigned tile, LLVMValueRef base,
                 uint64_t offset, uint64_t stride)
{
    LLVMValueRef args[] = {LLVMConstInt(a->i8, tile, 0), past(a, base, offset), number(a, stride)};
    lw__llvm_intrinsic(a->b, a->module, how, NULL, args, 3);
}

static void move_sums(struct amx *a, enum lw__intrinsic how, LLVMValueRef sums)
{
    for (unsigned t = 0; t < 4; t++)
        move(a, how, t, sums, t / 2 * (uint64_t)(2 * TILE) + t % 2 * (uint64_t)ROW, 2 * ROW);
}

static void multiply(struct amx *a, unsigned sum, unsigned x, unsigned y)
{
    LLVMValueRef args[] = {LLVMConstInt(a->i8, sum, 0), LLVMConstInt(a->i8, x, 0),
                           LLVMConstInt(a->i8, y, 0)};
    lw__llvm_intrinsic(a->b, a->module, LW_LLVM_tdpbf16ps, NULL, args, 3);
}

/* What a loop goes on with, from its first values on. */
static LLVMValueRef phi(struct amx *a, LLVMValueRef first, LLVMBasicBlockRef from)
{
    LLVMValueRef v = LLVMBuildPhi(a->b, LLVMTypeOf(first), "");
    LLVMAddIncoming(v, &first, &from, 1);
    return v;
}

/* The end of a loop's block: `again` while the count, one less, is not 0. */
static void repeat(struct amx *a, LLVMValueRef *phis, LLVMValueRef *next, unsigned count,
                   LLVMBasicBlockRef again, LLVMBasicBlockRef done)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(a->b);
    for (unsigned k = 0; k < count; k++)
        LLVMAddIncoming(phis[k], &next[k], &here, 1);
    LLVMValueRef more = LLVMBuildICmp(a->b, LLVMIntNE, next[count - 1], number(a, 0), "");
    LLVMBuildCondBr(a->b, more, again, done);
}

/* One square after the other. y goes on from one to the next, x begins anew. */
static void make_body(struct amx *a, LLVMValueRef f)
{
    enum { SUMS, X, Y, STEPS, SQUARES };
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(a->context, f, ""),
                      square = LLVMAppendBasicBlockInContext(a->context, f, "square"),
                      step = LLVMAppendBasicBlockInContext(a->context, f, "step"),
                      whole = LLVMAppendBasicBlockInContext(a->context, f, "whole"),
                      done = LLVMAppendBasicBlockInContext(a->context, f, "done");
    LLVMPositionBuilderAtEnd(a->b, entry);
    LLVMValueRef config = make_config(a);
    lw__llvm_intrinsic(a->b, a->module, LW_LLVM_ldtilecfg, NULL, &config, 1);
    LLVMBuildBr(a->b, square);

    LLVMPositionBuilderAtEnd(a->b, square);
    LLVMValueRef sums = phi(a, LLVMGetParam(f, SUMS), entry), y = phi(a, LLVMGetParam(f, Y), entry),
                 squares = phi(a, LLVMGetParam(f, SQUARES), entry);
    move_sums(a, LW_LLVM_tileloadd64, sums);
    LLVMBuildBr(a->b, step);

    LLVMPositionBuilderAtEnd(a->b, step);
    LLVMValueRef at[] = {phi(a, LLVMGetParam(f, X), square), phi(a, y, square),
                         phi(a, LLVMGetParam(f, STEPS), square)};
    move(a, LW_LLVM_tileloadd64, 4, at[0], 0, ROW);
    move(a, LW_LLVM_tileloadd64, 6, at[1], 0, 2 * ROW);
    move(a, LW_LLVM_tileloadd64, 7, at[1], ROW, 2 * ROW);
    move(a, LW_LLVM_tileloadd64, 5, at[0], TILE, ROW);
    for (unsigned t = 0; t < 4; t++)
        multiply(a, t, 4 + t / 2, 6 + t % 2);
    LLVMValueRef next[] = {past(a, at[0], 2 * TILE), past(a, at[1], 2 * TILE),
                           LLVMBuildSub(a->b, at[2], number(a, 1), "")};
    repeat(a, at, next, 3, step, whole);

    LLVMPositionBuilderAtEnd(a->b, whole);
    move_sums(a, LW_LLVM_tilestored64, sums);
    repeat(a, (LLVMValueRef[]){sums, y, squares},
           (LLVMValueRef[]){past(a, sums, 4 * TILE), next[1],
                            LLVMBuildSub(a->b, squares, number(a, 1), "")},
           3, square, done);

    LLVMPositionBuilderAtEnd(a->b, done);
    lw__llvm_intrinsic(a->b, a->module, LW_LLVM_tilerelease, NULL, NULL, 0);
    LLVMBuildRetVoid(a->b);
}

void lw__cpu_define_amx(struct lw__unit *unit)
{
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, LW_AMX_PRODUCTS);
    if (!f)
        return;
    assert(lw__has(unit, LW_MAY_HAVE_AMX) && !LLVMCountBasicBlocks(f));
    struct amx a = {.module = unit->module, .context = unit->context};
    a.i8 = LLVMInt8TypeInContext(a.context);
    a.i64 = LLVMInt64TypeInContext(a.context);
    a.b = LLVMCreateBuilderInContext(a.context);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    lw__llvm_word(f, "target-cpu", unit->target->processor);
    lw__llvm_word(f, "target-features", "+amx-tile,+amx-bf16");
    make_body(&a, f);
    LLVMDisposeBuilder(a.b);
}
