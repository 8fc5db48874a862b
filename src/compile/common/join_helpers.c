/* join_helpers.c - which helpers are inlined at each call, and which once, for all calls.
 *
 * Inlining a helper at each call copies what it calls. Helpers that call the one below twice would
 * become code as long as two to the power of their depth. So a function's length is computed before
 * anything is inlined. If it is more than LENGTH_MAX, the calls of its long helpers are joined
 * (join_calls.c), callers first: when a helper's turn comes, all its calls are in the function.
 *
 * The bound above which a helper is long is halved until the result is short enough. So as much is
 * copied as fits. A kernel with collectives has each call of its own inlined, since no path may be
 * added around a collective. Calls in its helpers are joined. Helpers that hold collectives are
 * those of join_collectives.c.
 */
#include "compile/common/common.h"
#include "compile/common/helpers.h"
#include "compile/llvm/llvm.h"

/* Lengths, in instructions: the most that is left as it is; what is aimed at beyond that; of the
 * longest helper that is copied, first and last; of a call that stays. */
enum {
    LENGTH_MAX = 16000,
    LENGTH_AIM = 4000,
    COPIED_FIRST = 2000,
    COPIED_LAST = 16,
    CALL_LENGTH = 8
};

/* Of f: with the calls inlined that are not joined. */
static uint64_t length_of(const struct lw__helpers *h, LLVMValueRef f)
{
    uint64_t length = 0;
    EACH_INSTRUCTION_OF(i, f) {
        const struct lw__helper *callee = lw__helpers_callee(h, i);
        length += callee ? (callee->joined ? CALL_LENGTH : callee->length) : lw__helpers_weight(i);
        if (length > LW_LENGTH_MANY)
            length = LW_LENGTH_MANY;
    }
    return length;
}

static void mark_reached(struct lw__helpers *h, LLVMValueRef f)
{
    EACH_INSTRUCTION_OF(i, f) {
        struct lw__helper *callee = lw__helpers_callee(h, i);
        if (callee && !callee->seen) {
            callee->seen = true;
            mark_reached(h, callee->function);
        }
    }
}

/* The length of f if helpers of more than `most` are joined. */
static uint64_t length_with(struct lw__helpers *h, LLVMValueRef f, uint64_t most)
{
    for (size_t i = 0; i < h->count; i++)
        h->row[i].joined = h->row[i].seen = false;
    mark_reached(h, f);
    uint64_t length = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct lw__helper *row = &h->row[i];
        row->length = length_of(h, row->function);
        row->joined = row->seen && row->length > most;
        length += row->joined ? row->length : 0;
    }
    return length + length_of(h, f);
}

/* ---- one root: a kernel, or a helper of one that has collectives ----------------------------- */

/* True if the use is the callee of a call in f. */
static bool is_call_in(LLVMUseRef use, LLVMValueRef helper, LLVMValueRef f)
{
    LLVMValueRef user = LLVMGetUser(use);
    return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == helper &&
           LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == f;
}

static void join_into(struct lw__helpers *h, LLVMValueRef f, LLVMValueRef helper)
{
    unsigned count = 0;
    EACH_USE(use, helper)
        count += is_call_in(use, helper, f);
    if (count < 2)
        return;
    LLVMValueRef *calls = lw__new(&h->unit->scratch, count, sizeof(LLVMValueRef));
    count = 0;
    EACH_USE(use, helper)
        if (is_call_in(use, helper, f))
            calls[count++] = LLVMGetUser(use);
    lw__join_calls(h->unit, f, calls, count);
}

static bool reaches_joined(const struct lw__helpers *h, LLVMValueRef f)
{
    EACH_INSTRUCTION_OF(i, f) {
        const struct lw__helper *callee = lw__helpers_callee(h, i);
        if (callee && callee->reaches)
            return true;
    }
    return false;
}

/* Make f short enough. Callers first. */
static bool shorten(struct lw__helpers *h, LLVMValueRef f)
{
    uint64_t most = COPIED_FIRST;
    if (length_with(h, f, UINT64_MAX) <= LENGTH_MAX)
        return true;
    while (length_with(h, f, most) > LENGTH_AIM && most > COPIED_LAST)
        most /= 2;
    for (size_t i = 0; i < h->count; i++)
        h->row[i].reaches = h->row[i].joined || reaches_joined(h, h->row[i].function);
    for (size_t i = h->count; i-- > 0;) {
        const struct lw__helper *row = &h->row[i];
        if (!row->seen || !row->reaches || row->function == f)
            continue;
        if (row->joined)
            join_into(h, f, row->function);
        EACH_USE(use, row->function)
            if (is_call_in(use, row->function, f))
                lw__helpers_inline_call(h->unit, LLVMGetUser(use));
        if (!lw__llvm_passes(h->unit, LW_PASSES_inline_calls))
            return false;
    }
    return true;
}

static bool has_collective(LLVMValueRef f)
{
    EACH_BLOCK(b, f)
        if (lw__ir_collective_in(b))
            return true;
    return false;
}

/* The helpers that f calls are roots. */
static bool shorten_called(struct lw__helpers *h, LLVMValueRef f)
{
    bool ok = true;
    for (size_t i = 0; ok && i < h->count; i++)
        EACH_USE(use, h->row[i].function) {
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
    struct lw__helpers h = {.unit = unit};
    bool ok = true;
    lw__helpers_list(&h);
    for (size_t i = 0; ok && i < unit->kernels.count; i++) {
        LLVMValueRef f = unit->kernels.rows[i].function;
        if (length_with(&h, f, UINT64_MAX) > LENGTH_MAX)
            ok = has_collective(f) ? shorten_called(&h, f) : shorten(&h, f);
    }
    return ok;
}
