/* kernel_expression.c - expressions in the kernel language, with their guards. */
#include "kernel.h"
#include <inttypes.h>
#include <math.h>

const char *const binary_text[BINARIES] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
const char *const compare_text[COMPARISONS] = {"<", "<=", ">", ">=", "==", "!="};
const char *const maths_text[MATHS] = {"sqrt",  "fabs",     "floor", "ceil", "trunc",
                                       "round", "rint",     "logb",  "fmod", "remainder",
                                       "fdim",  "copysign", "fmin",  "fmax", "fma"};
const char *const whole_text[WHOLES] = {"abs", "bitreverse", "byte_swap",   "min",
                                        "max", "mulhi",      "rotate_left", "clamp"};
const char *const bits_text[BIT_COUNTS] = {"popcount", "clz", "ctz", "ffs", "CLZ", "CTZ"};
const char *const overflow_text[OVERFLOWS] = {"add", "sub", "mul"};
const char *const reduction_text[REDUCTIONS] = {"add", "mul", "and", "or", "xor", "max", "min"};

static const char *const place_text[PLACES] = {
    "THREAD",       "lane_id()",    "warp_id()",         "thread_idx.x",
    "thread_idx.y", "thread_idx.z", "(int)global_idx.x", "block_idx.x",
    "block_idx.y",  "block_idx.z",  "block_dim.x",       "grid_dim.x"};

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

static void constant(FILE *to, const struct expr *e)
{
    const char *name = types[e->type].kernel;
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

static void kid(FILE *to, const struct program *p, const struct expr *e, int i)
{
    fputc('(', to);
    kernel_expression(to, p, e->kid[i]);
    fputc(')', to);
}

static void binary(FILE *to, const struct program *p, const struct expr *e)
{
    for (int i = 0; i < 2; i++) {
        int guard = binary_guard(e, i);
        bool is_divisor = i == 1 && !is_float(e->type) && (e->op == B_DIV || e->op == B_REM);
        bool is_count = i == 1 && (e->op == B_SHL || e->op == B_SHR);
        fputs(i == 1 ? "" : "(", to);
        kid(to, p, e, i);
        if (guard)
            fprintf(to, " >> %d", guard);
        if (is_count)
            fprintf(to, " & %d", types[e->type].bits - 1);
        if (is_divisor)
            fputs(is_signed(e->type) ? " & 255 | 1" : " | 1", to);
        fprintf(to, i == 0 ? ") %s (" : ")", binary_text[e->op]);
    }
}

static void unary(FILE *to, const struct program *p, const struct expr *e)
{
    bool guard =
        e->op == U_MINUS && is_signed(e->kid[0]->type) && types[e->kid[0]->type].bits >= 32;
    fprintf(to, "%c(", "-~!"[e->op]);
    kid(to, p, e, 0);
    fputs(guard ? " >> 1)" : ")", to);
}

static void cast(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "(%s)", types[e->type].kernel);
    kid(to, p, e, 0);
}

/* A sum of signed numbers takes a thousand without overflow, a product only signs. */
static void together_value(FILE *to, const struct program *p, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    kid(to, p, e, 0);
    if (is_signed(e->type) && info->by == BY_PROD)
        fprintf(to, " & 1 ? (%s)-1 : (%s)1", types[e->type].kernel, types[e->type].kernel);
    else if (is_signed(e->type) && info->by == BY_SUM && types[e->kid[0]->type].bits >= 32)
        fputs(" >> 10", to);
}

static void reduce_by_user(FILE *to, const struct program *p, const struct expr *e)
{
    const struct user_operator *o = &user_operators[e->index];
    fputs(togethers[e->op].is_block ? "BLOCK_REDUCE(" : "WARP_REDUCE(", to);
    kernel_expression(to, p, e->kid[0]);
    fprintf(to, ", %s, a, b, %s)", o->identity, o->expression);
}

static void together(FILE *to, const struct program *p, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    if (info->by_user) {
        reduce_by_user(to, p, e);
        return;
    }
    bool is_safe = info->moves && e->safe;
    fprintf(to, "%s%s(", is_safe ? "FROM_ACTIVE(" : "", info->name);
    together_value(to, p, e);
    if (info->moves) {
        fputs(", ", to);
        kernel_expression(to, p, e->kid[1]);
    }
    fputc(')', to);
    if (!is_safe)
        return;
    static const char *const source[] = {[T_shuffle] = "",
                                         [T_shuffle_up] = "lane_id() - ",
                                         [T_shuffle_down] = "lane_id() + ",
                                         [T_shuffle_xor] = "lane_id() ^ ",
                                         [T_warp_broadcast] = ""};
    fprintf(to, ", %s(int64_t)", source[e->op]);
    kid(to, p, e, 1);
    fputs(", ", to);
    kid(to, p, e, 0);
    fputc(')', to);
}

static void overflow(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "UNLESS_OVER(%s, %s, ", overflow_text[e->op], types[e->type].kernel);
    kid(to, p, e, 0);
    fputs(", ", to);
    kid(to, p, e, 1);
    fputc(')', to);
}

/* Powers of a few bits: with more, most are 0 or infinite. */
static void exponent(FILE *to, const struct program *p, const struct expr *e)
{
    static const char *const text[] = {[E_FRACTION] = "__extension__({ int n_; __builtin_frexp",
                                       [E_LDEXP] = "(__builtin_ldexp",
                                       [E_POWI] = "(__builtin_powi",
                                       [E_OF] = "__extension__({ int n_; (void)__builtin_frexp"};
    static const char *const end[] = {[E_FRACTION] = ", &n_); })",
                                      [E_LDEXP] = "))",
                                      [E_POWI] = " & 31) - 15))",
                                      [E_OF] = ", &n_); n_; })"};
    fprintf(to, "%s%s(", text[e->op], e->kid[0]->type == F32 ? "f" : "");
    kid(to, p, e, 0);
    fputs(!e->kid[1] ? "" : e->op == E_POWI ? ", (" : ", ", to);
    if (e->kid[1])
        kid(to, p, e, 1);
    fputs(end[e->op], to);
}

static void call(FILE *to, const struct program *p, const struct expr *e, const char *name)
{
    fprintf(to, "%s(", name);
    for (int i = 0; i < KIDS && e->kid[i]; i++) {
        fputs(i ? ", " : "", to);
        kernel_expression(to, p, e->kid[i]);
    }
    fputc(')', to);
}

static void cell(FILE *to, const struct program *p, const struct expr *e)
{
    const struct row r = row_of(p, e);
    const struct expr *wild = wild_of(e->kid[WILD], 0);
    wild_index(to, p, wild);
    if (e->safe)
        fprintf(to, "thread_idx.x * %d + (thread_idx.z * %d + thread_idx.y) * %d + %d", r.each,
                p->block[1], r.line, r.first);
    else
        fprintf(to, "THREAD * %d + %d", r.each, r.first);
    wild_close(to, p, wild);
}

static void row(FILE *to, const struct program *p, const struct expr *e)
{
    wild_open(to, p, wild_of(e->kid[WILD], 0));
    if (e->op > 1)
        fprintf(to, "((const %s%d *)row_%s)", types[e->type].vector, e->op, types[e->type].name);
    else if (e->kid[0]) {
        fputc('(', to);
        kid(to, p, e, 0);
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
        fprintf(to, "(%s)", types[e->type].kernel);
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
static void variable(FILE *to, const struct expr *e)
{
    bool is_pointer = e->var->is_reference || (e->var->shape == COUNTER && e->var->count);
    if (e->kind == X_BYTES)
        fprintf(to, "((%s%s *)", e->var->is_parameter ? "const " : "", types[e->type].kernel);
    fputs(is_pointer ? "(*" : "", to);
    write_name(to, e->var);
    fputs(is_pointer || e->kind == X_BYTES ? ")" : "", to);
}

void kernel_place(FILE *to, const struct program *p, const struct expr *e)
{
    wild_open(to, p, wild_of(e->kid[WILD], -1));
    variable(to, e);
    element(to, p, e);
}

void kernel_address(FILE *to, const struct program *p, const struct expr *e)
{
    const struct expr *places[2];
    const int count = places_of(e, places);
    const bool is_choice = count > 1;
    if (is_choice && e->safe && is_whole(e))
        fprintf(to, "((struct record%d_%d *[]){", p->number, p->structure.id);
    else if (is_choice && e->safe)
        fprintf(to, "((%s *[]){", types[e->type].kernel);
    else if (is_choice) {
        kid(to, p, e, 0);
        fputs(" ? ", to);
    }
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "&" : e->safe ? ", &" : " : &", to);
        kernel_place(to, p, places[i]);
    }
    if (is_choice && e->safe) {
        fputs("})[!", to);
        kid(to, p, e, 0);
        fputs("]", to);
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
    wild_open(to, p, wild);
    fprintf(to, "in_%s", types[e->type].name);
    wild_index(to, p, wild);
    kid(to, p, e, 0);
    fprintf(to, "%s & ", hidden(p, e->kid[0]->kind == X_CONST));
    wild_cut(to, p, wild, INPUTS - 1);
    wild_close(to, p, wild);
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
    case X_CONST: constant(to, e); break;
    case X_FIELD:
        if (e->index >= 0 && p->structure.field[e->index].width)
            fprintf(to, "(%s)", types[e->type].kernel);
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
        fprintf(to, "(%s%s)", place_text[e->op], hidden(p, e->op >= UNIFORM_PLACES));
        break;
    case X_UNARY: unary(to, p, e); break;
    case X_BINARY: binary(to, p, e); break;
    case X_COMPARE:
    case X_LOGIC:
        kid(to, p, e, 0);
        fprintf(to, " %s ", e->kind == X_COMPARE ? compare_text[e->op] : e->op ? "||" : "&&");
        kid(to, p, e, 1);
        break;
    case X_CHOOSE:
        kid(to, p, e, 0);
        fputs(" ? ", to);
        kid(to, p, e, 1);
        fputs(" : ", to);
        kid(to, p, e, 2);
        break;
    case X_CAST: cast(to, p, e); break;
    case X_MATHS: call(to, p, e, maths_text[e->op]); break;
    case X_BITS: call(to, p, e, bits_text[e->op]); break;
    case X_OVERFLOW: overflow(to, p, e); break;
    case X_WHOLE: call(to, p, e, whole_text[e->op]); break;
    case X_REDUCE: reduce(to, p, e); break;
    case X_EXPONENT: exponent(to, p, e); break;
    case X_TOGETHER: together(to, p, e); break;
    case X_WILD: break;
    }
}
