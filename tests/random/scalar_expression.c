/* scalar_expression.c - expressions for one thread t of the scalar program, every conversion of C
 * written out. What threads do together was computed before, into an array. Functions have the
 * kernel language's names. */
#include "language.h"
#include "scalar.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const place_text[PLACES] = {"t",
                                               "(t % 32)",
                                               "(t / 32)",
                                               "(t % NX)",
                                               "(t / NX % NY)",
                                               "(t / NX / NY)",
                                               "(bx * NX + t % NX)",
                                               "bx",
                                               "by",
                                               "bz",
                                               "NX",
                                               "GX"};

/* open_cast - begins the conversion of a value; as many `)` as it returns end it. */
static const char *open_cast(FILE *to, enum type target, enum type from)
{
    if (target == from) {
        fputs("(", to);
        return ")";
    }
    if (is_half(target)) {
        fprintf(to, "%s(", types[target].name);
        return ")";
    }
    if (target == BOOL) {
        fputs("((", to);
        return ") != 0)";
    }
    if (is_float(from) && !is_float(target)) {
        fprintf(to, "to_%s(", types[target].name);
        return ")";
    }
    fprintf(to, "((%s)(", types[target].scalar);
    return "))";
}

static void converted(FILE *to, const struct program *p, const struct expr *e, enum type target)
{
    const char *end = open_cast(to, target, e->type);
    scalar_expression(to, p, e);
    fputs(end, to);
}

static void constant(FILE *to, const struct expr *e)
{
    const char *name = types[e->type].scalar;
    if (is_float(e->type)) {
        fprintf(to, "%s(", is_half(e->type) ? types[e->type].name : "");
        write_real(to, e->real, e->type);
        fputc(')', to);
    } else if (is_signed(e->type)) {
        fprintf(to, "(%s)(%" PRId64 ")", name, (int64_t)e->bits);
    } else {
        fprintf(to, "(%s)%" PRIu64 "u", name, e->bits);
    }
}

static void binary(FILE *to, const struct program *p, const struct expr *e)
{
    bool is_shift = e->op == B_SHL || e->op == B_SHR;
    fprintf(to, "%s(", is_float(e->type) ? is_half(e->type) ? types[e->type].name : "" : "");
    if (!is_float(e->type))
        fprintf(to, "(%s)(", types[e->type].scalar);
    for (int i = 0; i < 2; i++) {
        enum type own = promoted(e->kid[i]->type);
        int guard = binary_guard(e, i);
        bool is_divisor = i == 1 && !is_float(e->type) && (e->op == B_DIV || e->op == B_REM);
        const char *end = is_shift && i ? "" : open_cast(to, e->type, own);
        fputc('(', to);
        converted(to, p, e->kid[i], own);
        if (guard)
            fprintf(to, " >> %d", guard);
        if (is_shift && i)
            fprintf(to, " & %d", types[e->type].bits - 1);
        if (is_divisor)
            fputs(is_signed(e->type) ? " & 255 | 1" : " | 1", to);
        fprintf(to, ")%s", end);
        if (i == 0)
            fprintf(to, " %s ", binary_text[e->op]);
    }
    fputs(is_float(e->type) ? ")" : "))", to);
}

static void unary(FILE *to, const struct program *p, const struct expr *e)
{
    enum type own = promoted(e->kid[0]->type);
    if (e->op == U_NOT) {
        fputs("(int32_t)!(", to);
        scalar_expression(to, p, e->kid[0]);
        fputs(")", to);
        return;
    }
    bool guard = e->op == U_MINUS && is_signed(own) && types[e->kid[0]->type].bits >= 32;
    guard = guard && is_signed(e->kid[0]->type);
    fprintf(to, "(%s)(%c(", types[e->type].scalar, "-~"[e->op]);
    converted(to, p, e->kid[0], own);
    fputs(guard ? " >> 1))" : "))", to);
}

static void compare(FILE *to, const struct program *p, const struct expr *e)
{
    enum type with = common(e->kid[0]->type, e->kid[1]->type);
    fputs("(int32_t)(", to);
    converted(to, p, e->kid[0], with);
    fprintf(to, " %s ", compare_text[e->op]);
    converted(to, p, e->kid[1], with);
    fputc(')', to);
}

static void logic(FILE *to, const struct program *p, const struct expr *e)
{
    fputs("(int32_t)((", to);
    scalar_expression(to, p, e->kid[0]);
    fprintf(to, ") %s (", e->op ? "||" : "&&");
    scalar_expression(to, p, e->kid[1]);
    fputs("))", to);
}

static void choose(FILE *to, const struct program *p, const struct expr *e)
{
    fputs("((", to);
    scalar_expression(to, p, e->kid[0]);
    fputs(") ? ", to);
    converted(to, p, e->kid[1], e->type);
    fputs(" : ", to);
    converted(to, p, e->kid[2], e->type);
    fputs(")", to);
}

static void maths(FILE *to, const struct program *p, const struct expr *e)
{
    const char *name = kernel_language.maths[e->op];
    name = !strcmp(name, "fmin") ? "lesser" : !strcmp(name, "fmax") ? "greater" : name;
    fprintf(to, "%s%s(", name, e->type == F32 ? "f" : "");
    for (int i = 0; i < KIDS && e->kid[i]; i++) {
        fputs(i ? ", " : "", to);
        converted(to, p, e->kid[i], e->type);
    }
    fputc(')', to);
}

static void bits(FILE *to, const struct program *p, const struct expr *e)
{
    int width = types[e->kid[0]->type].bits < 8 ? 8 : types[e->kid[0]->type].bits;
    fprintf(to, "%s((uint64_t)(uint%d_t)(", kernel_language.bits[e->op], width);
    scalar_expression(to, p, e->kid[0]);
    fprintf(to, "), %d)", width);
}

static void overflow(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "UNLESS_OVER(%s, %s, (", overflow_text[e->op], types[e->type].scalar);
    scalar_expression(to, p, e->kid[0]);
    fputs("), (", to);
    scalar_expression(to, p, e->kid[1]);
    fputs("))", to);
}

static void whole(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "%s_%s(", kernel_language.whole[e->op], types[e->type].name);
    for (int i = 0; i < KIDS && e->kid[i]; i++) {
        fputs(i ? ", " : "", to);
        scalar_expression(to, p, e->kid[i]);
    }
    fputc(')', to);
}

static void exponent(FILE *to, const struct program *p, const struct expr *e)
{
    static const char *const names[] = {"fraction_of", "ldexp", "powi", "exponent_of"};
    const bool is_float = e->kid[0]->type == F32;
    fprintf(to, "%s%s(", names[e->op], e->op == E_OF || !is_float ? "" : "f");
    scalar_expression(to, p, e->kid[0]);
    fputs(e->kid[1] ? ", (" : "", to);
    if (e->kid[1]) {
        scalar_expression(to, p, e->kid[1]);
        fputs(e->op == E_POWI ? " & 31) - 15" : ")", to);
    }
    fputc(')', to);
}

static void reduce(FILE *to, const struct program *p, const struct expr *e)
{
    static const char *const how[] = {"SUM", "PRODUCT", "BITS_AND", "BITS_OR", "BITS_XOR"};
    const char *extreme = is_float(e->type) ? e->op == R_MAX ? "GREATER" : "LESSER"
                          : e->op == R_MAX  ? "MOST"
                                            : "LEAST";
    fprintf(to, "REDUCE_VECTOR(%s, ", types[e->type].scalar);
    scalar_place(to, p, e);
    fprintf(to, ", %d, %s)", e->var->count, e->op < R_MAX ? how[e->op] : extreme);
}

void scalar_name(FILE *to, const struct var *v)
{
    fputs(v->is_reference ? "(*" : "", to);
    write_name(to, v);
    if (!v->is_parameter && v->shape != SHARED)
        fputs("[t]", to);
    fputs(v->is_reference ? ")" : "", to);
}

static void index_of(FILE *to, const struct program *p, const struct expr *e, int size)
{
    fputs(e->kind == X_SHARED ? "[(uint32_t)(" : "[(", to);
    scalar_expression(to, p, e->kid[0]);
    fprintf(to, e->kind == X_SHARED ? ") %% %du]" : ") & %d]",
            e->kind == X_SHARED ? size : size - 1);
}

static void item(FILE *to, const struct program *p, const struct expr *e)
{
    if (!e->kid[1]) {
        index_of(to, p, e, e->var->count);
        return;
    }
    fputs("[((", to);
    scalar_expression(to, p, e->kid[0]);
    fprintf(to, ") & %d) * %d + ((", e->var->count / e->var->columns - 1, e->var->columns);
    scalar_expression(to, p, e->kid[1]);
    fprintf(to, ") & %d)]", e->var->columns - 1);
}

static void matrix(FILE *to, const struct program *p, const struct expr *e)
{
    scalar_open_stored(to, "get", e->type);
    fprintf(to, "mat_%s[(uint32_t)(", types[e->type].name);
    scalar_expression(to, p, e->kid[0]);
    fprintf(to, ") %% %du * %d + (uint32_t)(", HEIGHT, WIDTH);
    scalar_expression(to, p, e->kid[1]);
    fprintf(to, ") %% %du])", WIDTH);
}

void scalar_open_stored(FILE *to, const char *what, enum type t)
{
    if (is_half(t))
        fprintf(to, "%s_%s", what, types[t].name);
    fputc('(', to);
}

static void input(FILE *to, const struct program *p, const struct expr *e)
{
    scalar_open_stored(to, "get", e->type);
    fprintf(to, "in_%s", types[e->type].name);
    index_of(to, p, e, INPUTS);
    fputc(')', to);
}

static void cell(FILE *to, const struct program *p, const struct expr *e)
{
    const struct row r = row_of(p, e);
    if (e->safe)
        fprintf(to, "(t %% NX * %d + t / NX * %d + %d)", r.each, r.line, r.first);
    else
        fprintf(to, "(t * %d + %d)", r.each, r.first);
}

static void row(FILE *to, const struct program *p, const struct expr *e)
{
    scalar_open_stored(to, "get", e->type);
    fprintf(to, "row_%s[", types[e->type].name);
    cell(to, p, e);
    fprintf(to, " * %d + %d", e->op, e->sub);
    if (e->kid[0]) {
        fputs(" + !(", to);
        scalar_expression(to, p, e->kid[0]);
        fputc(')', to);
    }
    fputs("])", to);
}

static void record(FILE *to, const struct program *p, const struct expr *e)
{
    if (p->structure.field[e->op].width)
        fprintf(to, "(%s)", types[e->type].scalar);
    scalar_open_stored(to, "get", e->type);
    fprintf(to, "((const struct record%d_%d_stored *)rec_u8)[", p->number, p->structure.id);
    cell(to, p, e);
    fprintf(to, p->structure.field[e->op].count ? "].f%d[%d])" : "].f%d)", e->op, e->sub);
}

void scalar_place(FILE *to, const struct program *p, const struct expr *e)
{
    if (e->kind == X_BYTES)
        fprintf(to, "((%s *)", types[e->type].stored);
    scalar_name(to, e->var);
    switch (e->kind) {
    case X_PART:
    case X_REDUCE:
        if (e->var->columns)
            index_of(to, p, e, e->var->columns);
        if (e->kind == X_REDUCE)
            break;
        if (e->index >= 0)
            fprintf(to, "[%d]", e->index);
        break;
    case X_FIELD:
        if (e->var->count)
            index_of(to, p, e, e->var->count);
        if (e->index >= 0)
            fprintf(to, e->var->structure->field[e->index].count ? ".f%d[%d]" : ".f%d", e->index,
                    e->sub);
        break;
    case X_ITEM:
        if (e->kid[0])
            item(to, p, e);
        break;
    case X_BYTES:
        fputs(")", to);
        index_of(to, p, e, bytes_count(e));
        break;
    case X_SHARED: index_of(to, p, e, program_threads(p)); break;
    case X_OWN: fputs("[t]", to); break;
    default: break;
    }
}

/* Results are held as they are combined: 16-bit floats in float, votes in uint32_t. */
static void together(FILE *to, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    const char *name = !is_half(e->type) ? types[e->type].scalar : types[e->type].name;
    if (is_half(e->type) ? info->moves : !info->is_vote)
        fprintf(to, "c%d[t]", e->temp);
    else
        fprintf(to, is_half(e->type) ? "%s(c%d[t])" : "((%s)c%d[t])", name, e->temp);
}

void scalar_expression(FILE *to, const struct program *p, const struct expr *e)
{
    switch (e->kind) {
    case X_CONST: constant(to, e); break;
    case X_FIELD:
        if (e->index >= 0 && p->structure.field[e->index].width)
            fprintf(to, "(%s)", types[e->type].scalar);
        scalar_place(to, p, e);
        break;
    case X_VAR:
    case X_PART:
    case X_ITEM:
    case X_BYTES:
    case X_SHARED:
    case X_OWN: scalar_place(to, p, e); break;
    case X_CELL:
        scalar_open_stored(to, "get", e->type);
        fprintf(to, "cells_%s[%d])", types[e->type].name, e->op);
        break;
    case X_INPUT: input(to, p, e); break;
    case X_MATRIX: matrix(to, p, e); break;
    case X_ROW: row(to, p, e); break;
    case X_RECORD: record(to, p, e); break;
    case X_PLACE: fputs(place_text[e->op], to); break;
    case X_UNARY: unary(to, p, e); break;
    case X_BINARY: binary(to, p, e); break;
    case X_COMPARE: compare(to, p, e); break;
    case X_LOGIC: logic(to, p, e); break;
    case X_CHOOSE: choose(to, p, e); break;
    case X_CAST: converted(to, p, e->kid[0], e->type); break;
    case X_MATHS: maths(to, p, e); break;
    case X_BITS: bits(to, p, e); break;
    case X_OVERFLOW: overflow(to, p, e); break;
    case X_WHOLE: whole(to, p, e); break;
    case X_REDUCE: reduce(to, p, e); break;
    case X_EXPONENT: exponent(to, p, e); break;
    case X_TOGETHER: together(to, e); break;
    case X_WILD: break; /* nobody is wrong here */
    }
}
