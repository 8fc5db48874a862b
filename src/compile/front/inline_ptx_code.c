/* inline_ptx_code.c - PTX's moves, conversions, comparisons and arithmetic in asm statements.
 *
 * Most of arithmetic is a row of a table: a call of src/devlib/inline_ptx.c, lw.ptx.OPCODE.TYPE.
 */
#include "compile/front/inline_ptx.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

/* shape: the result's type and those of the operands. t is the type of the opcode, w twice as long,
 * u an u32. */
static const struct row {
    const char *opcode, *types, *shape;
} rows[] = {
#define INTEGERS "u16 s16 u32 s32 u64 s64"
#define FLOATS "f32 f64"
#define BITS "b16 b32 b64"
    {"add", INTEGERS " " FLOATS, "ttt"},
    {"sub", INTEGERS " " FLOATS, "ttt"},
    {"mul", FLOATS, "ttt"},
    {"mul.lo", INTEGERS, "ttt"},
    {"mul.hi", INTEGERS, "ttt"},
    {"mul.wide", "u16 s16 u32 s32", "wtt"},
    {"mad", FLOATS, "tttt"},
    {"mad.lo", INTEGERS, "tttt"},
    {"mad.hi", INTEGERS, "tttt"},
    {"mad.wide", "u16 s16 u32 s32", "wttw"},
    {"mul24.lo", "u32 s32", "ttt"},
    {"mad24.lo", "u32 s32", "tttt"},
    {"fma", FLOATS, "tttt"},
    {"div", INTEGERS " " FLOATS, "ttt"},
    {"rem", INTEGERS, "ttt"},
    {"min", INTEGERS " " FLOATS, "ttt"},
    {"max", INTEGERS " " FLOATS, "ttt"},
    {"abs", "s16 s32 s64 " FLOATS, "tt"},
    {"neg", "s16 s32 s64 " FLOATS, "tt"},
    {"sad", INTEGERS, "tttt"},
    {"dp4a.u32", "u32", "tttt"},
    {"dp4a.s32", "s32", "tttt"},
    {"and", BITS, "ttt"},
    {"or", BITS, "ttt"},
    {"xor", BITS, "ttt"},
    {"not", BITS, "tt"},
    {"cnot", BITS, "tt"},
    {"shl", BITS, "ttu"},
    {"shr", BITS " " INTEGERS, "ttu"},
    {"shf.l.wrap", "b32", "tttu"},
    {"shf.r.wrap", "b32", "tttu"},
    {"shf.l.clamp", "b32", "tttu"},
    {"shf.r.clamp", "b32", "tttu"},
    {"popc", "b32 b64", "ut"},
    {"clz", "b32 b64", "ut"},
    {"brev", "b32 b64", "tt"},
    {"bfind", "u32 s32 u64 s64", "ut"},
    {"bfind.shiftamt", "u32 s32 u64 s64", "ut"},
    {"bfe", "u32 s32 u64 s64", "ttuu"},
    {"bfi", "b32 b64", "tttuu"},
    {"prmt", "b32", "tttu"},
    {"lop3", "b32", "ttttu"},
    {"copysign", FLOATS, "ttt"},
    {"rcp", FLOATS, "tt"},
    {"sqrt", FLOATS, "tt"},
    {"rsqrt", FLOATS, "tt"},
    {"ex2", "f32", "tt"},
    {"lg2", "f32", "tt"},
    {"sin", "f32", "tt"},
    {"cos", "f32", "tt"},
    {"tanh", "f32", "tt"},
};

/* The opcode without what has no effect here: how exactly floats are rounded to the nearest. */
static void shorten(const struct ptx_statement *s, bool is_float, char *opcode, size_t size)
{
    size_t length = 0;
    for (unsigned i = 0; i + 1 < s->words; i++) {
        const char *word = s->word[i];
        const bool is_idle = is_float && (!strcmp(word, "rn") || !strcmp(word, "ftz") ||
                                          !strcmp(word, "approx") || !strcmp(word, "full"));
        if (!is_idle && length < size)
            length += (size_t)snprintf(opcode + length, size - length, "%s%s", i ? "." : "", word);
    }
}

static bool by_table(struct ptx *x, const struct ptx_statement *s)
{
    struct ptx_type type;
    char opcode[64] = "", name[80];
    if (s->words < 2 || !ptx_read_type(s->word[s->words - 1], &type))
        return false;
    shorten(s, type.letter == 'f', opcode, sizeof opcode);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const size_t count = strlen(row->shape);
        if (strcmp(row->opcode, opcode) != 0 || !strstr(row->types, s->word[s->words - 1]))
            continue;
        if (s->operands != count)
            return false;
        LLVMValueRef args[PTX_OPERANDS];
        LLVMTypeRef result = NULL;
        for (size_t k = 0; k < count; k++) {
            struct ptx_type of = type;
            if (row->shape[k] == 'w')
                of.bits *= 2;
            if (row->shape[k] == 'u')
                of = (struct ptx_type){'u', 32};
            if (!k)
                result = ptx_llvm_type(x, of);
            else if (!(args[k - 1] = ptx_value(x, &s->operand[k][0], of)))
                return false;
        }
        snprintf(name, sizeof name, "lw.ptx.%s.%s", opcode, s->word[s->words - 1]);
        return ptx_result(x, s, 0, 0, ptx_call(x, name, result, args, (unsigned)count - 1),
                          type.letter == 's');
    }
    return false;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static LLVMValueRef place(struct ptx *x, const char *name)
{
    return ptx_call(x, name, LLVMInt32TypeInContext(x->context), NULL, 0);
}

/* Bits below the lane's, itself, those above. */
static LLVMValueRef lane_mask(struct ptx *x, const char *which)
{
    LLVMValueRef lane = place(x, "lw.lane_id");
    LLVMValueRef own = LLVMBuildShl(x->b, ptx_int(x, 32, 1), lane, "");
    LLVMValueRef below = LLVMBuildSub(x->b, own, ptx_int(x, 32, 1), "");
    LLVMValueRef up_to = LLVMBuildOr(x->b, own, below, "");
    return !strcmp(which, "eq")   ? own
           : !strcmp(which, "lt") ? below
           : !strcmp(which, "le") ? up_to
           : !strcmp(which, "gt") ? LLVMBuildNot(x->b, up_to, "")
           : !strcmp(which, "ge") ? LLVMBuildNot(x->b, below, "")
                                  : NULL;
}

/* Time is that of clock64 in lw/program.h, and is its variable if the file has it. */
static LLVMValueRef ticks(struct ptx *x)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(x->context);
    LLVMValueRef global = LLVMGetNamedGlobal(x->module, "lw_ticks");
    if (!global) {
        global = LLVMAddGlobal(x->module, word, "lw_ticks");
        LLVMSetInitializer(global, LLVMConstNull(word));
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetSection(global, "lw.symbol");
    }
    LLVMValueRef args[] = {global, ptx_int(x, 64, 64)};
    return ptx_call(x, "lw.atomic_add.u64", word, args, 2);
}

/* A special register; NULL: it is none, or has no equal. */
static LLVMValueRef special(struct ptx *x, const char *name)
{
    static const struct {
        const char *ptx, *ours;
    } places[] = {{"%tid", "thread_idx"},
                  {"%ntid", "block_dim"},
                  {"%ctaid", "block_idx"},
                  {"%nctaid", "grid_dim"}};
    if (name[0] != '%')
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t length = strlen(places[i].ptx);
        if (!strncmp(name, places[i].ptx, length) && name[length] == '.' &&
            strchr("xyz", name[length + 1]))
            return place(
                x, lw__format(&x->unit->scratch, "lw.%s.%c", places[i].ours, name[length + 1]));
    }
    if (!strncmp(name, "%lanemask_", 10))
        return lane_mask(x, name + 10);
    if (!strcmp(name, "%laneid"))
        return place(x, "lw.lane_id");
    if (!strcmp(name, "%warpid"))
        return place(x, "lw.warp_id");
    if (!strcmp(name, "%smid") || !strcmp(name, "%gridid"))
        return ptx_int(x, 32, 0);
    if (!strcmp(name, "%nsmid"))
        return ptx_int(x, 32, 1);
    if (!strcmp(name, "WARP_SZ"))
        return ptx_int(x, 32, 32);
    if (!strcmp(name, "%clock") || !strcmp(name, "%clock64") || !strcmp(name, "%globaltimer") ||
        !strcmp(name, "%globaltimer_lo"))
        return ticks(x);
    return NULL;
}

/* Of parts, the first the lowest, or into such. */
static bool move(struct ptx *x, const struct ptx_statement *s)
{
    struct ptx_type type, part;
    if (s->words != 2 || s->operands != 2 || !ptx_read_type(s->word[1], &type))
        return false;
    const struct ptx_operand *from = s->operand[1];
    LLVMValueRef value = from->name && s->lanes[1] == 1 ? special(x, from->name) : NULL;
    if (value)
        return ptx_result(x, s, 0, 0, value, false);
    if (s->lanes[1] > 1) {
        part = (struct ptx_type){'b', type.bits / s->lanes[1]};
        value = ptx_int(x, type.bits, 0);
        for (unsigned i = 0; i < s->lanes[1]; i++) {
            LLVMValueRef one = ptx_value(x, &from[i], part);
            if (!one)
                return false;
            one = LLVMBuildZExt(x->b, one, LLVMTypeOf(value), "");
            one = LLVMBuildShl(x->b, one, ptx_int(x, type.bits, i * part.bits), "");
            value = LLVMBuildOr(x->b, value, one, "");
        }
    } else {
        value = ptx_value(x, from, s->lanes[0] > 1 ? (struct ptx_type){'b', type.bits} : type);
    }
    if (!value || s->lanes[0] == 1)
        return value && ptx_result(x, s, 0, 0, value, type.letter == 's');
    part = (struct ptx_type){'b', type.bits / s->lanes[0]};
    for (unsigned i = 0; i < s->lanes[0]; i++) {
        LLVMValueRef one = LLVMBuildLShr(x->b, value, ptx_int(x, type.bits, i * part.bits), "");
        one = LLVMBuildTrunc(x->b, one, ptx_llvm_type(x, part), "");
        if (!ptx_result(x, s, 0, i, one, false))
            return false;
    }
    return true;
}

/* ---- Conversions ----------------------------------------------------------------------------- */

static bool is_float(struct ptx_type type)
{
    return type.letter == 'f' || type.letter == 'h';
}

/* To a whole number, as the opcode says; NULL: it does not. */
static LLVMValueRef rounded(struct ptx *x, const struct ptx_statement *s, LLVMValueRef value,
                            struct ptx_type type)
{
    const char *op = ptx_is(s, "rni")   ? "rint"
                     : ptx_is(s, "rzi") ? "trunc"
                     : ptx_is(s, "rmi") ? "floor"
                     : ptx_is(s, "rpi") ? "ceil"
                                        : NULL;
    if (!op)
        return NULL;
    if (type.bits == 16)
        value = LLVMBuildFPExt(x->b, value, LLVMFloatTypeInContext(x->context), "");
    const char *name =
        lw__format(&x->unit->scratch, "lw.%s.%s", op, type.bits == 64 ? "f64" : "f32");
    return ptx_call(x, name, LLVMTypeOf(value), &value, 1);
}

/* Two floats as halves of a word, the first above. */
static bool convert_pair(struct ptx *x, const struct ptx_statement *s)
{
    const struct ptx_type single = {'f', 32};
    const struct ptx_type half = {ptx_is(s, "bf16x2") ? 'h' : 'f', 16};
    LLVMValueRef all = ptx_int(x, 32, 0);
    if (s->operands != 3 || !ptx_is(s, "rn") || ptx_is(s, "relu"))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef one = ptx_value(x, &s->operand[2 - i][0], single);
        if (!one)
            return false;
        one = LLVMBuildFPTrunc(x->b, one, ptx_llvm_type(x, half), "");
        one = LLVMBuildBitCast(x->b, one, LLVMInt16TypeInContext(x->context), "");
        one = LLVMBuildZExt(x->b, one, LLVMTypeOf(all), "");
        all = LLVMBuildOr(x->b, all, LLVMBuildShl(x->b, one, ptx_int(x, 32, 16 * i), ""), "");
    }
    return ptx_result(x, s, 0, 0, all, false);
}

static bool convert(struct ptx *x, const struct ptx_statement *s)
{
    struct ptx_type to, from;
    if (ptx_is(s, "f16x2") || ptx_is(s, "bf16x2"))
        return convert_pair(x, s);
    if (s->words < 3 || s->operands != 2 || !ptx_read_type(s->word[s->words - 1], &from) ||
        !ptx_read_type(s->word[s->words - 2], &to) || ptx_is(s, "sat"))
        return false;
    LLVMValueRef value = ptx_value(x, &s->operand[1][0], from);
    LLVMTypeRef type = ptx_llvm_type(x, to);
    if (!value)
        return false;
    const bool rounds_elsewhere = ptx_is(s, "rz") || ptx_is(s, "rm") || ptx_is(s, "rp");
    if (is_float(from) && !is_float(to)) {
        value = rounded(x, s, value, from);
        if (!value)
            return false;
        LLVMTypeRef types[] = {type, LLVMTypeOf(value)};
        value = lw__llvm_intrinsic(x->b, x->module,
                                   to.letter == 's' ? LW_LLVM_fptosi_sat : LW_LLVM_fptoui_sat,
                                   types, &value, 1);
    } else if (!is_float(from) && is_float(to)) {
        if (rounds_elsewhere)
            return false;
        value = from.letter == 's' ? LLVMBuildSIToFP(x->b, value, type, "")
                                   : LLVMBuildUIToFP(x->b, value, type, "");
    } else if (is_float(from)) {
        LLVMValueRef whole = rounded(x, s, value, from);
        if (rounds_elsewhere || (from.bits == 16 && to.bits == 16))
            return false;
        value = whole ? whole : value;
        if (LLVMTypeOf(value) != type)
            value = to.bits < from.bits ? LLVMBuildFPTrunc(x->b, value, type, "")
                                        : LLVMBuildFPExt(x->b, value, type, "");
    } else if (to.bits < from.bits) {
        value = LLVMBuildTrunc(x->b, value, type, "");
    } else if (to.bits > from.bits) {
        value = from.letter == 's' ? LLVMBuildSExt(x->b, value, type, "")
                                   : LLVMBuildZExt(x->b, value, type, "");
    }
    return ptx_result(x, s, 0, 0, value, to.letter == 's');
}

/* Addresses are the same in all spaces. */
static bool convert_address(struct ptx *x, const struct ptx_statement *s)
{
    const struct ptx_type word = {'u', 64};
    return s->operands == 2 && ptx_is(s, "u64") &&
           ptx_result(x, s, 0, 0, ptx_value(x, &s->operand[1][0], word), false);
}

/* ---- Predicates ------------------------------------------------------------------------------ */

static LLVMValueRef compared(struct ptx *x, const char *how, struct ptx_type type, LLVMValueRef a,
                             LLVMValueRef b)
{
    static const struct {
        const char *name;
        LLVMIntPredicate is_unsigned, is_signed;
        LLVMRealPredicate is_float;
    } all[] = {{"eq", LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
               {"ne", LLVMIntNE, LLVMIntNE, LLVMRealONE},
               {"lt", LLVMIntULT, LLVMIntSLT, LLVMRealOLT},
               {"le", LLVMIntULE, LLVMIntSLE, LLVMRealOLE},
               {"gt", LLVMIntUGT, LLVMIntSGT, LLVMRealOGT},
               {"ge", LLVMIntUGE, LLVMIntSGE, LLVMRealOGE},
               {"lo", LLVMIntULT, LLVMIntULT, 0},
               {"ls", LLVMIntULE, LLVMIntULE, 0},
               {"hi", LLVMIntUGT, LLVMIntUGT, 0},
               {"hs", LLVMIntUGE, LLVMIntUGE, 0},
               {"equ", 0, 0, LLVMRealUEQ},
               {"neu", 0, 0, LLVMRealUNE},
               {"ltu", 0, 0, LLVMRealULT},
               {"leu", 0, 0, LLVMRealULE},
               {"gtu", 0, 0, LLVMRealUGT},
               {"geu", 0, 0, LLVMRealUGE},
               {"num", 0, 0, LLVMRealORD},
               {"nan", 0, 0, LLVMRealUNO}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, how) != 0)
            continue;
        if (is_float(type))
            return all[i].is_float ? LLVMBuildFCmp(x->b, all[i].is_float, a, b, "") : NULL;
        const LLVMIntPredicate p = type.letter == 's' ? all[i].is_signed : all[i].is_unsigned;
        return p ? LLVMBuildICmp(x->b, p, a, b, "") : NULL;
    }
    return NULL;
}

static bool set_predicate(struct ptx *x, const struct ptx_statement *s)
{
    struct ptx_type type;
    const unsigned words = s->words - ptx_is(s, "ftz");
    if (words != 3 || s->operands != 3 || !ptx_read_type(s->word[s->words - 1], &type))
        return false;
    LLVMValueRef a = ptx_value(x, &s->operand[1][0], type);
    LLVMValueRef b = ptx_value(x, &s->operand[2][0], type);
    LLVMValueRef is = a && b ? compared(x, s->word[1], type, a, b) : NULL;
    return is && ptx_result(x, s, 0, 0, is, false) &&
           (!s->second || ptx_name_result(x, s, s->second, LLVMBuildNot(x->b, is, ""), false));
}

static bool select_value(struct ptx *x, const struct ptx_statement *s)
{
    struct ptx_type type;
    if (s->words != 2 || s->operands != 4 || !ptx_read_type(s->word[1], &type))
        return false;
    LLVMValueRef a = ptx_value(x, &s->operand[1][0], type);
    LLVMValueRef b = ptx_value(x, &s->operand[2][0], type);
    LLVMValueRef p = ptx_value(x, &s->operand[3][0], (struct ptx_type){'p', 1});
    return a && b && p &&
           ptx_result(x, s, 0, 0, LLVMBuildSelect(x->b, p, a, b, ""), type.letter == 's');
}

static bool combine_predicates(struct ptx *x, const struct ptx_statement *s)
{
    const struct ptx_type type = {'p', 1};
    if (s->words != 2 || strcmp(s->word[1], "pred") != 0 || s->operands < 2)
        return false;
    LLVMValueRef a = ptx_value(x, &s->operand[1][0], type);
    LLVMValueRef b = s->operands == 3 ? ptx_value(x, &s->operand[2][0], type) : NULL;
    LLVMValueRef value = !a                           ? NULL
                         : !strcmp(s->word[0], "not") ? LLVMBuildNot(x->b, a, "")
                         : !b                         ? NULL
                         : !strcmp(s->word[0], "and") ? LLVMBuildAnd(x->b, a, b, "")
                         : !strcmp(s->word[0], "or")  ? LLVMBuildOr(x->b, a, b, "")
                         : !strcmp(s->word[0], "xor") ? LLVMBuildXor(x->b, a, b, "")
                                                      : NULL;
    return value && ptx_result(x, s, 0, 0, value, false);
}

/* ---- Carries --------------------------------------------------------------------------------- */

/* PTX has one flag, which lasts from one asm statement to the next: a variable of the function. */
static LLVMValueRef carry_flag(struct ptx *x)
{
    static const char name[] = "lw.carry";
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->function);
    EACH_INSTRUCTION(i, entry) {
        size_t length;
        if (LLVMIsAAllocaInst(i) && !strcmp(LLVMGetValueName2(i, &length), name))
            return i;
    }
    LLVMTypeRef bit = LLVMInt32TypeInContext(x->context);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(x->context);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMValueRef flag = LLVMBuildAlloca(b, bit, name);
    LLVMDisposeBuilder(b);
    return flag;
}

/* add, sub, mad.lo, mad.hi, with c: they take the flag, with .cc: they set it. */
static bool with_carry(struct ptx *x, const struct ptx_statement *s)
{
    static const char *const takes[] = {"addc", "subc", "madc"};
    struct ptx_type type;
    const char *op = s->word[0];
    bool is_taken = false;
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
        is_taken |= !strcmp(op, takes[i]);
    const bool sets = ptx_is(s, "cc"), is_mad = op[0] == 'm';
    if ((!is_taken && !sets) ||
        (strncmp(op, "add", 3) && strncmp(op, "sub", 3) && strncmp(op, "mad", 3)) ||
        !ptx_read_type(s->word[s->words - 1], &type) || is_float(type) || type.bits < 32 ||
        s->operands != (is_mad ? 4 : 3) || s->has_guard)
        return false;
    LLVMTypeRef word = ptx_llvm_type(x, type);
    LLVMValueRef v[3] = {NULL};
    for (unsigned i = 1; i < s->operands; i++)
        if (!(v[i - 1] = ptx_value(x, &s->operand[i][0], type)))
            return false;
    LLVMValueRef a = v[0], b = v[1], flag = carry_flag(x);
    if (is_mad) {
        char name[40];
        snprintf(name, sizeof name, "lw.ptx.mul.%s.%s", ptx_is(s, "hi") ? "hi" : "lo",
                 s->word[s->words - 1]);
        a = ptx_call(x, name, word, v, 2);
        b = v[2];
    }
    const bool subtracts = op[0] == 's';
    LLVMTypeRef bit = LLVMInt32TypeInContext(x->context);
    LLVMValueRef carry = LLVMConstNull(word);
    if (is_taken)
        carry = LLVMBuildZExtOrBitCast(x->b, LLVMBuildLoad2(x->b, bit, flag, ""), word, "");
    LLVMValueRef first = subtracts ? LLVMBuildSub(x->b, a, b, "") : LLVMBuildAdd(x->b, a, b, "");
    LLVMValueRef out = subtracts ? LLVMBuildICmp(x->b, LLVMIntULT, a, b, "")
                                 : LLVMBuildICmp(x->b, LLVMIntULT, first, a, "");
    LLVMValueRef all =
        subtracts ? LLVMBuildSub(x->b, first, carry, "") : LLVMBuildAdd(x->b, first, carry, "");
    LLVMValueRef again = subtracts ? LLVMBuildICmp(x->b, LLVMIntULT, first, carry, "")
                                   : LLVMBuildICmp(x->b, LLVMIntULT, all, first, "");
    if (sets) {
        LLVMValueRef either = LLVMBuildZExt(x->b, LLVMBuildOr(x->b, out, again, ""), bit, "");
        LLVMBuildStore(x->b, either, flag);
    }
    return ptx_result(x, s, 0, 0, all, type.letter == 's');
}

bool ptx_arithmetic(struct ptx *x, const struct ptx_statement *s)
{
    const char *op = s->word[0];
    if (!strcmp(op, "mov"))
        return move(x, s);
    if (!strcmp(op, "cvt"))
        return convert(x, s);
    if (!strcmp(op, "cvta"))
        return convert_address(x, s);
    if (!strcmp(op, "setp"))
        return set_predicate(x, s);
    if (!strcmp(op, "selp"))
        return select_value(x, s);
    return with_carry(x, s) || by_table(x, s) || combine_predicates(x, s);
}
