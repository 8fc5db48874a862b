/* join_helpers.c - which helpers are inlined at each call, and which once, for all calls.
 *
 * Inlining a helper at each call copies what it calls. Helpers that call the one below twice would
 * become code as long as two to the power of their depth. So a function's length is computed before
 * anything is inlined. If it is more than LENGTH_MAX, the calls of its long helpers are joined
 * (join_calls.c), callers first: when a helper's turn comes, all its calls are in the function.
 *
 * The bound above which a helper is long is halved until the result is short enough. So as much is
 * copied as fits. A kernel with collectives has each call inlined, since no path may be
 * added around a collective. Calls in its helpers are joined.
 *
 * Lengths are of clang's code, where variables are in memory: their loads and stores do not count.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

/* Lengths, in instructions: the most that is left as it is; what is aimed at beyond that; of the
 * longest helper that is copied, first and last; of a call that stays; of each side of a branch,
 * whose blocks are emitted with masks and without. */
enum {
    LENGTH_MAX = 16000,
    LENGTH_AIM = 4000,
    COPIED_FIRST = 2000,
    COPIED_LAST = 16,
    CALL_LENGTH = 8,
    BRANCH_LENGTH = 60
};

struct helper {
    LLVMValueRef function;
    uint64_t length; /* with those calls inlined that are not joined */
    bool joined;     /* its calls in the root are to be joined */
    bool reaches;    /* it is joined, or calls such a helper */
    bool seen;       /* from the root */
};

/* Callees before callers. */
struct helpers {
    struct lw__unit *unit;
    struct helper *row;
    size_t count;
};

static struct helper *find(const struct helpers *h, LLVMValueRef f)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->row[i].function == f)
            return &h->row[i];
    return NULL;
}

static struct helper *helper_of(const struct helpers *h, LLVMValueRef i)
{
    return LLVMIsACallInst(i) ? find(h, LLVMGetCalledValue(i)) : NULL;
}

/* ---- the order ------------------------------------------------------------------------------- */

static bool is_helper(LLVMValueRef f)
{
    return f && LLVMIsAFunction(f) && LLVMCountBasicBlocks(f) &&
           LLVMGetLinkage(f) == LLVMInternalLinkage;
}

/* There is no recursion. */
static void list(struct helpers *h, LLVMValueRef f)
{
    if (find(h, f))
        return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && is_helper(LLVMGetCalledValue(i)))
                list(h, LLVMGetCalledValue(i));
    if (is_helper(f))
        h->row[h->count++].function = f;
}

static bool list_all(struct helpers *h)
{
    LLVMValueRef f = LLVMGetFirstFunction(h->unit->module);
    size_t count = 0;
    for (; f; f = LLVMGetNextFunction(f))
        count++;
    h->row = calloc(count + 1, sizeof *h->row);
    if (!h->row)
        return lw__defect("out of memory");
    for (f = LLVMGetFirstFunction(h->unit->module); f; f = LLVMGetNextFunction(f))
        if (is_helper(f))
            list(h, f);
    return true;
}

/* ---- lengths --------------------------------------------------------------------------------- */

static bool accesses_variable(LLVMValueRef i)
{
    return (LLVMIsALoadInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 0))) ||
           (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1)));
}

static uint64_t weight(LLVMValueRef i)
{
    if (LLVMIsATerminatorInst(i) && LLVMGetNumSuccessors(i) > 1)
        return BRANCH_LENGTH * (LLVMGetNumSuccessors(i) - 1);
    return !LLVMIsAAllocaInst(i) && !accesses_variable(i) && !LLVMIsADbgInfoIntrinsic(i);
}

/* Of f: with the calls inlined that are not joined. */
static uint64_t length_of(const struct helpers *h, LLVMValueRef f)
{
    enum { MANY = 1 << 30 }; /* of two sums of these, the sum is one */
    uint64_t length = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const struct helper *callee = helper_of(h, i);
            length += callee ? (callee->joined ? CALL_LENGTH : callee->length) : weight(i);
            if (length > MANY)
                length = MANY;
        }
    return length;
}

static void mark_reached(struct helpers *h, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct helper *callee = helper_of(h, i);
            if (callee && !callee->seen) {
                callee->seen = true;
                mark_reached(h, callee->function);
            }
        }
}

/* The length of f if helpers of more than `most` are joined. */
static uint64_t length_with(struct helpers *h, LLVMValueRef f, uint64_t most)
{
    for (size_t i = 0; i < h->count; i++)
        h->row[i].joined = h->row[i].seen = false;
    mark_reached(h, f);
    uint64_t length = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct helper *row = &h->row[i];
        row->length = length_of(h, row->function);
        row->joined = row->seen && row->length > most;
        length += row->joined ? row->length : 0;
    }
    return length + length_of(h, f);
}

/* ---- one root: a kernel, or a helper of one that has collectives ----------------------------- */

static void inline_into(struct helpers *h, LLVMValueRef f, LLVMValueRef helper)
{
    LLVMContextRef context = h->unit->context;
    const unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    for (LLVMUseRef use = LLVMGetFirstUse(helper); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == helper &&
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == f)
            LLVMAddCallSiteAttribute(user, LLVMAttributeFunctionIndex,
                                     LLVMCreateEnumAttribute(context, kind, 0));
    }
}

static bool reaches_joined(const struct helpers *h, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const struct helper *callee = helper_of(h, i);
            if (callee && callee->reaches)
                return true;
        }
    return false;
}

/* Make f short enough. Callers first. */
static bool shorten(struct helpers *h, LLVMValueRef f)
{
    uint64_t most = COPIED_FIRST;
    if (length_with(h, f, UINT64_MAX) <= LENGTH_MAX)
        return true;
    while (length_with(h, f, most) > LENGTH_AIM && most > COPIED_LAST)
        most /= 2;
    for (size_t i = 0; i < h->count; i++)
        h->row[i].reaches = h->row[i].joined || reaches_joined(h, h->row[i].function);
    for (size_t i = h->count; i-- > 0;) {
        const struct helper *row = &h->row[i];
        if (!row->seen || !row->reaches || row->function == f)
            continue;
        if (row->joined)
            lw__join_calls(f, row->function);
        inline_into(h, f, row->function);
        if (!lw__llvm_passes(h->unit->module, h->unit->machine, "always-inline"))
            return false;
    }
    return true;
}

static bool has_collective(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        if (lw__ir_collective_in(b))
            return true;
    return false;
}

/* The helpers that f calls are roots. */
static bool shorten_called(struct helpers *h, LLVMValueRef f)
{
    bool ok = true;
    for (size_t i = 0; ok && i < h->count; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(h->row[i].function); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsACallInst(user) ||
                LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != f)
                continue;
            ok = shorten(h, h->row[i].function);
            break;
        }
    return ok;
}

bool lw__join_helpers(struct lw__unit *unit)
{
    struct helpers h = {.unit = unit};
    bool ok = list_all(&h);
    for (size_t i = 0; ok && i < unit->kernels.count; i++) {
        LLVMValueRef f = unit->kernels.rows[i].function;
        if (length_with(&h, f, UINT64_MAX) > LENGTH_MAX)
            ok = has_collective(f) ? shorten_called(&h, f) : shorten(&h, f);
    }
    free(h.row);
    return ok;
}
