/* kernel_expression.c - expressions in the kernel language, with their guards. */
#include "kernel.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const binary_text[BINARIES] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
const char *const compare_text[COMPARISONS] = {"<", "<=", ">", ">=", "==", "!="};
const char *const overflow_text[OVERFLOWS] = {"add", "sub", "mul"};
const char *const reduction_text[REDUCTIONS] = {"add", "mul", "and", "or", "xor", "max", "min"};

void kernel_function(FILE *to, const struct program *p, const char *name, enum type type)
{
    const char *at = strchr(name, '@');
    if (at)
        fprintf(to, "%.*s%s%s", (int)(at - name), name, p->language->type[type], at + 1);
    else
        fputs(name, to);
}

void write_name(FILE *to, const struct var *v)
{
    static const char letter[] = {[SCALAR] = 'v', [COUNTER] = 'i', [VECTOR] = 'q', [ARRAY] = 'a',
                                  [STRUCT] = 'r', [SHARED] = 's',  [POINTER] = 'p'};
    fprintf(to, "%c%d", letter[v->shape], v->id);
}

void write_real(FILE *to, double value, enum type type)
{
    if (isnan(value))
        fprintf(to, "NAN");
    else if (isinf(value))
        fprintf(to, "%sINFINITY", value < 0 ? "-" : "");
    else
        fprintf(to, "%a%s", value, type == F64 ? "" : "f");
}

int bytes_count(const struct expr *e)
{
    return e->var->count * (int)(element_size(e->var->type) / element_size(e->type));
}

static void constant(FILE *to, const struct program *p, const struct expr *e)
{
    const char *name = p->language->type[e->type];
    if (is_float(e->type)) {
        bool is_plain = e->type == F32 || (e->type == F64 && isfinite(e->real));
        fprintf(to, is_plain ? "(" : "((%s)", name);
        write_real(to, e->real, e->type);
        fputc(')', to);
    } else if (e->type == I32) {
        fprintf(to, "(%" PRId32 ")", (int32_t)e->bits);
    } else if (is_signed(e->type)) {
        fprintf(to, "(%s)(%" PRId64 ")", name, (int64_t)e->bits);
    } else {
        fprintf(to, "(%s)%" PRIu64 "u", name, e->bits);
    }
}

void kernel_operand(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    if (p->language->halves_by_name && e->type != type && (is_half(e->type) || is_half(type)))
        p->language->cast(to, p, e, type);
    else
        kernel_expression(to, p, e);
}

void kernel_condition(FILE *to, const struct program *p, const struct expr *e)
{
    kernel_operand(to, p, e, is_half(e->type) ? F32 : e->type);
}

/* A kid as a value of a type, its own or one to which it is converted. */
static void kid_as(FILE *to, const struct program *p, const struct expr *e, int i, enum type type)
{
    fputc('(', to);
    kernel_operand(to, p, e->kid[i], type);
    fputc(')', to);
}

static void kid(FILE *to, const struct program *p, const struct expr *e, int i)
{
    kid_as(to, p, e, i, e->kid[i]->type);
}

static void condition_kid(FILE *to, const struct program *p, const struct expr *e)
{
    fputc('(', to);
    kernel_condition(to, p, e->kid[0]);
    fputc(')', to);
}

/* call - each operand as it is, or all converted to a type. */
static void call(FILE *to, const struct program *p, const struct expr *e, const char *name,
                 enum type type)
{
    kernel_function(to, p, name, e->kid[0]->type);
    fputc('(', to);
    for (int i = 0; i < KIDS && e->kid[i]; i++) {
        fputs(i ? ", " : "", to);
        kernel_operand(to, p, e->kid[i], type == NO_TYPE ? e->kid[i]->type : type);
    }
    fputc(')', to);
}

/* An operation that has a name there. */
static bool by_name(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    const char *name = p->language->named ? p->language->named(p, e, type) : NULL;
    if (name)
        call(to, p, e, name, type);
    return name != NULL;
}

static void binary(FILE *to, const struct program *p, const struct expr *e)
{
    if (by_name(to, p, e, e->type))
        return;
    for (int i = 0; i < 2; i++) {
        int guard = binary_guard(e, i);
        bool is_divisor = i == 1 && !is_float(e->type) && (e->op == B_DIV || e->op == B_REM);
        bool is_count = i == 1 && (e->op == B_SHL || e->op == B_SHR);
        fputs(i == 1 ? "" : "(", to);
        kid_as(to, p, e, i, e->type);
        if (guard)
            fprintf(to, " >> %d", guard);
        if (is_count)
            fprintf(to, " & %d", types[e->type].bits - 1);
        if (is_divisor)
            fputs(is_signed(e->type) ? " & 255 | 1" : " | 1", to);
        fprintf(to, i == 0 ? ") %s (" : ")", binary_text[e->op]);
    }
}

static void compare(FILE *to, const struct program *p, const struct expr *e)
{
    const enum type with = common(e->kid[0]->type, e->kid[1]->type);
    if (by_name(to, p, e, with))
        return;
    kid_as(to, p, e, 0, with);
    fprintf(to, " %s ", compare_text[e->op]);
    kid_as(to, p, e, 1, with);
}

static void unary(FILE *to, const struct program *p, const struct expr *e)
{
    bool guard =
        e->op == U_MINUS && is_signed(e->kid[0]->type) && types[e->kid[0]->type].bits >= 32;
    fprintf(to, "%c(", "-~!"[e->op]);
    if (e->op == U_NOT)
        condition_kid(to, p, e);
    else
        kid(to, p, e, 0);
    fputs(guard ? " >> 1)" : ")", to);
}

static void overflow(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "UNLESS_OVER(%s, %s, ", overflow_text[e->op], p->language->type[e->type]);
    kid(to, p, e, 0);
    fputs(", ", to);
    kid(to, p, e, 1);
    fputc(')', to);
}

/* Powers of a few bits: with more, most are 0 or infinite. */
static void exponent(FILE *to, const struct program *p, const struct expr *e)
{
    const struct language *l = p->language;
    fprintf(to, "%s%s(", l->exponent[e->op], e->kid[0]->type == F32 ? "f" : "");
    kid(to, p, e, 0);
    fputs(!e->kid[1] ? "" : e->op == E_POWI ? ", (" : ", ", to);
    if (e->kid[1])
        kid(to, p, e, 1);
    fputs(l->exponent_end[e->op], to);
}

static void maths(FILE *to, const struct program *p, const struct expr *e)
{
    char name[NAME_MAX_BYTES];
    const bool has_suffix = p->language->is_cuda && !has_style(p, BY_OVERLOAD) && e->type == F32;
    snprintf(name, sizeof name, "%s%s", p->language->maths[e->op], has_suffix ? "f" : "");
    if (!by_name(to, p, e, e->type))
        call(to, p, e, name, e->type);
}

static void cell(FILE *to, const struct program *p, const struct expr *e)
{
    const struct row r = row_of(p, e);
    const struct expr *wild = wild_of(e->kid[WILD], 0);
    wild_index(to, p, wild);
    if (e->safe)
        fprintf(to, "%s * %d + (%s * %d + %s) * %d + %d", p->language->place[P_THREAD_X], r.each,
                p->language->place[P_THREAD_Z], p->block[1], p->language->place[P_THREAD_Y], r.line,
                r.first);
    else
        fprintf(to, "THREAD * %d + %d", r.each, r.first);
    wild_close(to, p, wild);
}

static void row(FILE *to, const struct program *p, const struct expr *e)
{
    wild_open(to, p, wild_of(e->kid[WILD], 0));
    if (e->op > 1)
        fprintf(to, "((const %s%d *)row_%s)", p->language->vector[e->type], e->op,
                types[e->type].name);
    else if (e->kid[0]) {
        fputc('(', to);
        condition_kid(to, p, e);
        fprintf(to, " ? row_%s : row_%s + 1)", types[e->type].name, types[e->type].name);
    } else
        fprintf(to, "row_%s", types[e->type].name);
    cell(to, p, e);
    if (e->op > 1)
        fprintf(to, ".%c", "xyzw"[e->sub]);
}

static void record(FILE *to, const struct program *p, const struct expr *e)
{
    if (e->op >= 0 && p->structure.field[e->op].width)
        fprintf(to, "(%s)", p->language->type[e->type]);
    wild_open(to, p, wild_of(e->kid[WILD], 0));
    fprintf(to, "((const struct record%d_%d *)rec_u8)", p->number, p->structure.id);
    cell(to, p, e);
    if (e->op < 0)
        return;
    fprintf(to, p->structure.field[e->op].count ? ".f%d[%d]" : ".f%d", e->op, e->sub);
}

static void index_of(FILE *to, const struct program *p, const struct expr *e, int i, int size)
{
    const struct expr *wild = wild_of(e->kid[WILD], i);
    wild_index(to, p, wild);
    kid(to, p, e, i);
    fputs(" & ", to);
    wild_cut(to, p, wild, size - 1);
    wild_close(to, p, wild);
}

static void element(FILE *to, const struct program *p, const struct expr *e)
{
    const struct expr *wild = wild_of(e->kid[WILD], 0);
    switch (e->kind) {
    case X_PART:
    case X_REDUCE:
        if (e->var->columns)
            index_of(to, p, e, 0, e->var->columns);
        if (e->kind == X_REDUCE)
            break;
        if (e->index >= 0)
            fprintf(to, ".%c", "xyzw"[e->index]);
        break;
    case X_FIELD:
        if (e->var->count)
            index_of(to, p, e, 0, e->var->count);
        if (e->index >= 0)
            fprintf(to, e->var->structure->field[e->index].count ? ".f%d[%d]" : ".f%d", e->index,
                    e->sub);
        break;
    case X_ITEM:
        if (e->kid[1])
            index_of(to, p, e, 0, e->var->count / e->var->columns);
        if (e->kid[0])
            index_of(to, p, e, e->kid[1] != NULL, e->kid[1] ? e->var->columns : e->var->count);
        break;
    case X_BYTES: index_of(to, p, e, 0, bytes_count(e)); break;
    case X_SHARED:
        wild_index(to, p, wild);
        fputs("(uint32_t)", to);
        kid(to, p, e, 0);
        fputs(" % (uint32_t)", to);
        wild_cut(to, p, wild, program_threads(p));
        wild_close(to, p, wild);
        break;
    case X_OWN:
        wild_index(to, p, wild);
        fputs("THREAD", to);
        wild_close(to, p, wild);
        break;
    default: break;
    }
}

/* A loop's counter that is a pointer is marked by its count. */
static void variable(FILE *to, const struct program *p, const struct expr *e)
{
    bool is_pointer = (e->var->is_reference && !is_cxx_reference(p, e->var)) ||
                      (e->var->shape == COUNTER && e->var->count);
    if (e->kind == X_BYTES)
        fprintf(to, "((%s%s *)", e->var->is_parameter ? "const " : "", p->language->type[e->type]);
    fputs(is_pointer ? "(*" : "", to);
    write_name(to, e->var);
    fputs(is_pointer || e->kind == X_BYTES ? ")" : "", to);
}

void kernel_place(FILE *to, const struct program *p, const struct expr *e)
{
    wild_open(to, p, wild_of(e->kid[WILD], -1));
    variable(to, p, e);
    element(to, p, e);
}

/* The places are in an array, where it is chosen from. */
static void chosen(FILE *to, const struct program *p, const struct expr *e,
                   const struct expr *const places[2])
{
    const bool has_literals = p->language->has_literals;
    if (has_literals && is_whole(e))
        fprintf(to, "((struct record%d_%d *[]){", p->number, p->structure.id);
    else if (has_literals)
        fprintf(to, "((%s *[]){", p->language->type[e->type]);
    else
        fputs("one_of(", to);
    for (int i = 0; i < 2; i++) {
        fputs(i ? ", &" : "&", to);
        kernel_place(to, p, places[i]);
    }
    fputs(has_literals ? "})[!" : ", !", to);
    condition_kid(to, p, e);
    fputs(has_literals ? "]" : ")", to);
}

void kernel_address(FILE *to, const struct program *p, const struct expr *e, const struct var *of)
{
    const struct expr *places[2];
    const int count = places_of(e, places);
    const bool is_place = is_cxx_reference(p, of);
    if (count > 1 && e->safe) {
        fputs(is_place ? "*" : "", to);
        chosen(to, p, e, places);
        return;
    }
    if (count > 1) {
        condition_kid(to, p, e);
        fputs(" ? ", to);
    }
    for (int i = 0; i < count; i++) {
        fprintf(to, "%s%s", i == 0 ? "" : " : ", is_place ? "" : "&");
        kernel_place(to, p, places[i]);
    }
}

static void reduce(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "__builtin_reduce_%s(", reduction_text[e->op]);
    kernel_place(to, p, e);
    fputc(')', to);
}

/* What is the same for all threads of a block looks as if it were not. */
static const char *hidden(const struct program *p, bool is_uniform)
{
    return p->is_hiding && is_uniform ? " + zero0" : "";
}

static void atomic_cell(FILE *to, const struct program *p, const struct expr *e)
{
    const struct expr *wild = wild_of(e->kid[WILD], 0);
    wild_open(to, p, wild);
    fprintf(to, "cells_%s", types[e->type].name);
    wild_index(to, p, wild);
    fprintf(to, "%d", e->op);
    wild_close(to, p, wild);
}

static void input(FILE *to, const struct program *p, const struct expr *e)
{
    const struct expr *wild = wild_of(e->kid[WILD], 0);
    const bool has_hint = has_style(p, BY_HINT) && !has_style(p, BY_SYMBOL);
    fputs(has_hint ? "__ldg(&" : "", to);
    wild_open(to, p, wild);
    fprintf(to, "in_%s", types[e->type].name);
    wild_index(to, p, wild);
    kid(to, p, e, 0);
    fprintf(to, "%s & ", hidden(p, e->kid[0]->kind == X_CONST));
    wild_cut(to, p, wild, INPUTS - 1);
    wild_close(to, p, wild);
    fputs(has_hint ? ")" : "", to);
}

static void matrix(FILE *to, const struct program *p, const struct expr *e)
{
    wild_open(to, p, wild_of(e->kid[WILD], -1));
    fprintf(to, "mat_%s", types[e->type].name);
    for (int i = 0; i < 2; i++) {
        const struct expr *wild = wild_of(e->kid[WILD], i);
        wild_index(to, p, wild);
        fputs("(uint32_t)", to);
        kid(to, p, e, i);
        fprintf(to, " %% (uint32_t)%s", i == 0 ? "height" : "width");
        wild_close(to, p, wild);
    }
}

void kernel_expression(FILE *to, const struct program *p, const struct expr *e)
{
    switch (e->kind) {
    case X_CONST: constant(to, p, e); break;
    case X_FIELD:
        if (e->index >= 0 && p->structure.field[e->index].width)
            fprintf(to, "(%s)", p->language->type[e->type]);
        kernel_place(to, p, e);
        break;
    case X_VAR:
    case X_PART:
    case X_ITEM:
    case X_BYTES:
    case X_SHARED:
    case X_OWN: kernel_place(to, p, e); break;
    case X_CELL: atomic_cell(to, p, e); break;
    case X_INPUT: input(to, p, e); break;
    case X_MATRIX: matrix(to, p, e); break;
    case X_ROW: row(to, p, e); break;
    case X_RECORD: record(to, p, e); break;
    case X_PLACE:
        fprintf(to, "(%s%s)", p->language->place[e->op], hidden(p, e->op >= UNIFORM_PLACES));
        break;
    case X_UNARY: unary(to, p, e); break;
    case X_BINARY: binary(to, p, e); break;
    case X_COMPARE: compare(to, p, e); break;
    case X_LOGIC:
        condition_kid(to, p, e);
        fputs(e->op ? " || (" : " && (", to);
        kernel_condition(to, p, e->kid[1]);
        fputc(')', to);
        break;
    case X_CHOOSE:
        condition_kid(to, p, e);
        fputs(" ? ", to);
        kid_as(to, p, e, 1, e->type);
        fputs(" : ", to);
        kid_as(to, p, e, 2, e->type);
        break;
    case X_CAST: p->language->cast(to, p, e->kid[0], e->type); break;
    case X_MATHS: maths(to, p, e); break;
    case X_BITS: call(to, p, e, p->language->bits[e->op], NO_TYPE); break;
    case X_OVERFLOW: overflow(to, p, e); break;
    case X_WHOLE: call(to, p, e, p->language->whole[e->op], NO_TYPE); break;
    case X_REDUCE: reduce(to, p, e); break;
    case X_EXPONENT: exponent(to, p, e); break;
    case X_TOGETHER: p->language->together(to, p, e); break;
    case X_WILD: break;
    }
}
