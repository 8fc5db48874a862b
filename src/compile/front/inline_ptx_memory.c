/* inline_ptx_memory.c - PTX's accesses to memory, atomics, barriers, fences, votes and shuffles in
 * asm statements. They have effects, or need all lanes, so a guard is not taken.
 */
#include "compile/front/inline_ptx.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

static const struct ptx_type predicate = {'p', 1}, word = {'u', 32};

static LLVMTypeRef nothing(const struct ptx *x)
{
    return LLVMVoidTypeInContext(x->context);
}

/* An operation of the lanes, which LLVM may not move to where other lanes are. */
static LLVMValueRef together(struct ptx *x, const char *name, LLVMTypeRef result,
                             LLVMValueRef *args, unsigned count)
{
    LLVMValueRef call = ptx_call(x, name, result, args, count);
    lw__llvm_attribute(LLVMGetCalledValue(call), "convergent", true);
    return call;
}

static void fence(struct ptx *x, const struct ptx_statement *s)
{
    ptx_call(x, ptx_is(s, "cta") ? "lw.fence_block" : "lw.fence_device", nothing(x), NULL, 0);
}

/* Other spaces than these have addresses of their own. */
static bool has_space(const struct ptx_statement *s)
{
    return !ptx_is(s, "param") && !ptx_is(s, "tensor") && !ptx_is(s, "async");
}

/* The name of a type in the compiler's operations. */
static const char *name_of(struct ptx *x, struct ptx_type type)
{
    const char *letter = type.letter == 'f' ? "f" : type.letter == 's' ? "i" : "u";
    return lw__format(&x->unit->scratch, "%s%u", letter, type.bits);
}

/* ---- Loads and stores ------------------------------------------------------------------------ */

static LLVMValueRef load_one(struct ptx *x, const struct ptx_statement *s, LLVMValueRef from,
                             LLVMTypeRef type, struct ptx_type of)
{
    if (ptx_is(s, "relaxed") || ptx_is(s, "acquire")) {
        const char *name = lw__format(&x->unit->scratch, "lw.atomic_load.%s", name_of(x, of));
        return ptx_call(x, name, type, &from, 1);
    }
    LLVMValueRef value = LLVMBuildLoad2(x->b, type, from, "");
    LLVMSetVolatile(value, ptx_is(s, "volatile"));
    return value;
}

static void store_one(struct ptx *x, const struct ptx_statement *s, LLVMValueRef value,
                      LLVMValueRef to, struct ptx_type of)
{
    if (ptx_is(s, "relaxed") || ptx_is(s, "release")) {
        LLVMValueRef args[] = {to, value};
        const char *name = lw__format(&x->unit->scratch, "lw.atomic_store.%s", name_of(x, of));
        ptx_call(x, name, nothing(x), args, 2);
        return;
    }
    LLVMSetVolatile(LLVMBuildStore(x->b, value, to), ptx_is(s, "volatile"));
}

/* A load or store of a value, or of a vector at once. */
static bool access(struct ptx *x, const struct ptx_statement *s, bool is_load)
{
    struct ptx_type type;
    const unsigned data = is_load ? 0 : 1, address = is_load ? 1 : 0;
    const unsigned lanes = ptx_is(s, "v4") ? 4 : ptx_is(s, "v2") ? 2 : 1;
    if (s->words < 2 || s->operands != 2 || !has_space(s) || ptx_is(s, "mmio") ||
        !ptx_read_type(s->word[s->words - 1], &type) || s->lanes[data] != lanes)
        return false;
    LLVMValueRef at = ptx_address(x, &s->operand[address][0]);
    LLVMTypeRef one = ptx_llvm_type(x, type), i64 = LLVMInt64TypeInContext(x->context);
    const bool is_ordered = ptx_is(s, "relaxed") || ptx_is(s, "acquire") || ptx_is(s, "release");
    const bool is_single = lanes == 1 || is_ordered || ptx_is(s, "volatile");
    if (!at)
        return false;
    LLVMValueRef all = NULL;
    LLVMTypeRef vector = LLVMVectorType(one, lanes);
    if (!is_single && is_load) {
        all = LLVMBuildLoad2(x->b, vector, at, "");
        LLVMSetAlignment(all, type.bits / 8 * lanes);
    } else if (!is_single) {
        all = LLVMGetUndef(vector);
    }
    if (ptx_is(s, "release"))
        fence(x, s);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef index = ptx_int(x, 32, i);
        LLVMValueRef place = LLVMConstInt(i64, i, 0);
        LLVMValueRef element = i && is_single ? LLVMBuildGEP2(x->b, one, at, &place, 1, "") : at;
        LLVMValueRef value = is_load ? NULL : ptx_value(x, &s->operand[data][i], type);
        if (is_load)
            value = is_single ? load_one(x, s, element, one, type)
                              : LLVMBuildExtractElement(x->b, all, index, "");
        else if (value && is_single)
            store_one(x, s, value, element, type);
        else if (value)
            all = LLVMBuildInsertElement(x->b, all, value, index, "");
        if (!value || (is_load && !ptx_result(x, s, data, i, value, type.letter == 's')))
            return false;
    }
    if (!is_single && !is_load)
        LLVMSetAlignment(LLVMBuildStore(x->b, all, at), type.bits / 8 * lanes);
    if (ptx_is(s, "acquire"))
        fence(x, s);
    return true;
}

/* ---- Atomics --------------------------------------------------------------------------------- */

/* atom d, [a], b, c; red [a], b */
static bool atomic(struct ptx *x, const struct ptx_statement *s, bool has_result)
{
    static const struct {
        const char *ptx, *ours;
    } ops[] = {{"add", "add"}, {"min", "min"}, {"max", "max"},       {"and", "and"},
               {"or", "or"},   {"xor", "xor"}, {"exch", "exchange"}, {"cas", "cas"}};
    struct ptx_type type;
    if (s->words < 3 || !has_space(s) || !ptx_read_type(s->word[s->words - 1], &type) ||
        type.bits < 32)
        return false;
    const char *op = NULL;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].ptx, s->word[s->words - 2]))
            op = ops[i].ours;
    const unsigned at = has_result, values = op && !strcmp(op, "cas") ? 2 : 1;
    if (!op || s->operands != at + 1 + values)
        return false;
    LLVMValueRef args[3] = {ptx_address(x, &s->operand[at][0])};
    for (unsigned i = 1; args[0] && i <= values; i++)
        if (!(args[i] = ptx_value(x, &s->operand[at + i][0], type)))
            return false;
    if (!args[0])
        return false;
    const bool both = ptx_is(s, "acq_rel");
    if (both || ptx_is(s, "release"))
        fence(x, s);
    const char *name = lw__format(&x->unit->scratch, "lw.atomic_%s.%s", op, name_of(x, type));
    LLVMValueRef old = ptx_call(x, name, ptx_llvm_type(x, type), args, values + 1);
    if (both || ptx_is(s, "acquire"))
        fence(x, s);
    return !has_result || ptx_result(x, s, 0, 0, old, type.letter == 's');
}

/* ---- Barriers -------------------------------------------------------------------------------- */

/* Of the whole block: barrier 0. */
static bool barrier(struct ptx *x, const struct ptx_statement *s)
{
    if (ptx_is(s, "warp") && ptx_is(s, "sync")) {
        together(x, "lw.warp_sync", nothing(x), NULL, 0);
        return true;
    }
    if (ptx_is(s, "red")) {
        const bool counts = ptx_is(s, "popc");
        const char *name = counts             ? "lw.block_count"
                           : ptx_is(s, "and") ? "lw.block_all"
                           : ptx_is(s, "or")  ? "lw.block_any"
                                              : NULL;
        if (!name || s->operands != 3 || s->operand[1][0].name || s->operand[1][0].number)
            return false;
        LLVMValueRef p = ptx_value(x, &s->operand[2][0], predicate);
        if (!p)
            return false;
        LLVMValueRef all = together(x, name, LLVMInt32TypeInContext(x->context), &p, 1);
        if (!counts)
            all = LLVMBuildICmp(x->b, LLVMIntNE, all, ptx_int(x, 32, 0), "");
        return ptx_result(x, s, 0, 0, all, false);
    }
    if (!ptx_is(s, "sync") || s->operands != 1 || s->operand[0][0].name || s->operand[0][0].number)
        return false;
    together(x, "lw.barrier", nothing(x), NULL, 0);
    return true;
}

/* ---- Votes and shuffles ---------------------------------------------------------------------- */

static LLVMValueRef ballot(struct ptx *x, LLVMValueRef p)
{
    return together(x, "lw.ballot", LLVMInt32TypeInContext(x->context), &p, 1);
}

static bool vote(struct ptx *x, const struct ptx_statement *s)
{
    const bool has_mask = ptx_is(s, "sync");
    if (s->operands != 2u + has_mask)
        return false;
    LLVMValueRef p = ptx_value(x, &s->operand[1][0], predicate);
    LLVMValueRef mask =
        has_mask ? ptx_value(x, &s->operand[2][0], word) : ptx_int(x, 32, 0xffffffff);
    if (!p || !mask)
        return false;
    const bool all = ptx_is(s, "all");
    LLVMValueRef zero = ptx_int(x, 32, 0);
    LLVMValueRef yes = LLVMBuildAnd(x->b, ballot(x, all ? LLVMBuildNot(x->b, p, "") : p), mask, "");
    if (ptx_is(s, "ballot"))
        return ptx_result(x, s, 0, 0, yes, false);
    if (!all && !ptx_is(s, "any"))
        return false;
    return ptx_result(x, s, 0, 0, LLVMBuildICmp(x->b, all ? LLVMIntEQ : LLVMIntNE, yes, zero, ""),
                      false);
}

/* d|p, a, b, c: the lane of b, as long as it is within c's bound and section; else its own. */
static bool shuffle(struct ptx *x, const struct ptx_statement *s)
{
    const unsigned mode = 1 + ptx_is(s, "sync");
    if (s->operands != 4u + ptx_is(s, "sync") || s->words != mode + 2)
        return false;
    LLVMValueRef value = ptx_value(x, &s->operand[1][0], word);
    LLVMValueRef by = ptx_value(x, &s->operand[2][0], word);
    LLVMValueRef limits = ptx_value(x, &s->operand[3][0], word);
    if (!value || !by || !limits)
        return false;
    LLVMBuilderRef b = x->b;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->context);
    LLVMValueRef low = ptx_int(x, 32, 31);
    LLVMValueRef lane = ptx_call(x, "lw.lane_id", i32, NULL, 0);
    LLVMValueRef section =
        LLVMBuildAnd(b, LLVMBuildLShr(b, limits, ptx_int(x, 32, 8), ""), low, "");
    LLVMValueRef others = LLVMBuildNot(b, section, "");
    LLVMValueRef first = LLVMBuildAnd(b, lane, section, "");
    LLVMValueRef bound =
        LLVMBuildOr(b, first, LLVMBuildAnd(b, LLVMBuildAnd(b, limits, low, ""), others, ""), "");
    by = LLVMBuildAnd(b, by, low, "");
    value = LLVMBuildFreeze(b, value, ""); /* lanes that are no source may leave it unset */
    const char *how = s->word[mode];
    const bool up = !strcmp(how, "up"), down = !strcmp(how, "down");
    const bool xor = !strcmp(how, "bfly");
    if (!up && !down && !xor&&strcmp(how, "idx") != 0)
        return false;
    LLVMValueRef from = up     ? LLVMBuildSub(b, lane, by, "")
                        : down ? LLVMBuildAdd(b, lane, by, "")
                        : xor  ? LLVMBuildXor(b, lane, by, "")
                               : LLVMBuildOr(b, first, LLVMBuildAnd(b, by, others, ""), "");
    LLVMValueRef is_there = LLVMBuildICmp(b, up ? LLVMIntSGE : LLVMIntSLE, from, bound, "");
    LLVMValueRef args[] = {value, LLVMBuildSelect(b, is_there, from, lane, "")};
    if (xor&&LLVMIsAConstantInt(limits) && LLVMConstIntGetZExtValue(limits) == 31)
        args[1] = by; /* each lane has its source */
    else if (xor)
        args[1] = LLVMBuildXor(b, lane, args[1], "");
    const char *name = xor ? "lw.shuffle_xor.u32" : "lw.shuffle.u32";
    return ptx_result(x, s, 0, 0, together(x, name, i32, args, 2), false) &&
           (!s->second || ptx_name_result(x, s, s->second, is_there, false));
}

bool ptx_memory(struct ptx *x, const struct ptx_statement *s)
{
    const char *op = s->word[0];
    static const char *const idle[] = {"nanosleep", "prefetch", "prefetchu", "brkpt", "pmevent"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (!strcmp(op, idle[i]))
            return true;
    if (s->has_guard)
        return false;
    if (!strcmp(op, "ld") || !strcmp(op, "ldu"))
        return access(x, s, true);
    if (!strcmp(op, "st"))
        return access(x, s, false);
    if (!strcmp(op, "atom"))
        return atomic(x, s, true);
    if (!strcmp(op, "red"))
        return atomic(x, s, false);
    if (!strcmp(op, "bar") || !strcmp(op, "barrier"))
        return barrier(x, s);
    if (!strcmp(op, "membar") || (!strcmp(op, "fence") && !ptx_is(s, "proxy"))) {
        fence(x, s);
        return true;
    }
    if (!strcmp(op, "vote"))
        return vote(x, s);
    if (!strcmp(op, "shfl"))
        return shuffle(x, s);
    if (!strcmp(op, "activemask"))
        return s->operands == 1 && ptx_result(x, s, 0, 0, ballot(x, ptx_int(x, 1, 1)), false);
    if (!strcmp(op, "trap")) {
        LLVMValueRef text = LLVMBuildGlobalStringPtr(x->b, "trap", "");
        ptx_call(x, "lw.assert_fail", nothing(x), &text, 1);
        return true;
    }
    return false;
}
