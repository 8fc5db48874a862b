/* scalar_collective.c - what threads do together, computed before the statement that asks for it.
 *
 * Each operation in an expression becomes an array with its result for every thread of the mask; in
 * an operand of && || ?: the mask is that of the threads that evaluate the operand.
 */
#include "scalar.h"
#include <string.h>

static void find_together(struct expr *e, void *user)
{
    *(bool *)user |= e->kind == X_TOGETHER;
}

static bool has_together(struct expr *e)
{
    bool found = false;
    struct visitor v = {find_together, NULL, &found};
    visit_expr(e, &v);
    return found;
}

/* The type that numbers are combined in. */
static enum type combined_type(const struct expr *e)
{
    if (togethers[e->op].is_vote)
        return BOOL;
    return is_half(e->type) && !togethers[e->op].moves ? F32 : e->type;
}

/* operator_name - the function that combines, defined once in a file. */
static void operator_name(char name[48], const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    const char *type = types[combined_type(e)].name;
    if (info->scans)
        snprintf(name, 48, "scan_%s", type);
    else
        snprintf(name, 48, "%s%d_%s", info->by_user ? "user" : "by",
                 info->by_user ? e->index : (int)info->by, type);
}

/* Of two numbers of any type; the extremes of floats are others. A new operator needs a row. */
static const char *const combinations[] = {[BY_SUM] = "a + b",
                                           [BY_PROD] = "a * b",
                                           [BY_MAX] = "a > b ? a : b",
                                           [BY_MIN] = "a < b ? a : b"};
_Static_assert(sizeof combinations / sizeof *combinations == COMBINATIONS, "LW_OPERATOR");

static void define_operator(struct writer *w, const struct expr *e, const char *name)
{
    const struct together_info *info = &togethers[e->op];
    const char *type = types[combined_type(e)].scalar, *text = combinations[info->by];
    if (info->by_user)
        text = user_operators[e->index].expression;
    else if (is_float(e->type) && info->by == BY_MAX)
        text = "GREATER(a, b)";
    else if (is_float(e->type) && info->by == BY_MIN)
        text = "LESSER(a, b)";
    fprintf(w->before, "#ifndef has_%s\n#define has_%s\n", name, name);
    if (info->scans)
        fprintf(w->before, "SCAN(%s, %s)\n#endif\n", name, type);
    else
        fprintf(w->before, "REDUCTION(%s, %s, %s)\n#endif\n", name, type, text);
}

static void together_value(struct writer *w, const struct expr *e)
{
    struct expr cast = {.kind = X_CAST, .type = combined_type(e), .kid = {e->kid[0]}};
    const struct together_info *info = &togethers[e->op];
    fputc('(', w->to);
    value(w, &cast);
    if (is_signed(e->type) && info->by == BY_PROD)
        fputs(" & 1) ? -1 : 1", w->to);
    else
        fputs(is_signed(e->type) && info->by == BY_SUM && types[e->kid[0]->type].bits >= 32
                  ? ") >> 10"
                  : ")",
              w->to);
    fputs(";\n", w->to);
}

static void combine(struct writer *w, struct expr *e)
{
    static const char *const moves[] = {[T_shuffle] = "TO",
                                        [T_shuffle_up] = "UP",
                                        [T_shuffle_down] = "DOWN",
                                        [T_shuffle_xor] = "XOR",
                                        [T_warp_broadcast] = "TO"};
    const struct together_info *info = &togethers[e->op];
    int id = e->temp, m = top(w), width = info->is_block ? 1024 : 32;
    line(w);
    if (info->moves) {
        fprintf(w->to, "move(m%d, NT, MOVE_%s, sizeof *u%d, u%d, n%d, c%d);\n", m,
                info->is_block ? "IN_BLOCK" : moves[e->op], id, id, id, id);
    } else if (info->is_vote) {
        const char *what = e->op == T_ballot                             ? "BALLOT"
                           : e->op == T_warp_any || e->op == T_block_any ? "ANY"
                           : e->op == T_warp_all || e->op == T_block_all ? "ALL"
                                                                         : "COUNT";
        fprintf(w->to, "vote(m%d, NT, %d, VOTE_%s, u%d, c%d);\n", m, width, what, id, id);
    } else {
        char name[48];
        operator_name(name, e);
        define_operator(w, e, name);
        fprintf(w->to, "%s(m%d, u%d, c%d, NT, ", name, m, id, id);
        if (info->scans)
            fprintf(w->to, "%d, %d);\n", info->is_block, strstr(info->name, "exclusive") != NULL);
        else
            fprintf(w->to, "%d);\n", width);
    }
}

/* prepare_arm - what stands in an operand of && || ?: is done by those who evaluate it. */
static void prepare_arm(struct writer *w, struct expr *condition, bool wanted, struct expr *arm)
{
    if (!has_together(arm))
        return;
    int from = top(w), id = scalar_push(w, M_ARM, 0);
    each(w, from);
    fprintf(w->to, "m%d[t] = %s(", id, wanted ? "!!" : "!");
    value(w, condition);
    fputs(");\n", w->to);
    scalar_prepare(w, arm);
    w->masks--;
}

void scalar_prepare(struct writer *w, struct expr *e)
{
    if (!e || !has_together(e))
        return;
    scalar_prepare(w, e->kid[0]);
    if (e->kind == X_LOGIC) {
        prepare_arm(w, e->kid[0], e->op == 0, e->kid[1]);
        return;
    }
    if (e->kind == X_CHOOSE) {
        prepare_arm(w, e->kid[0], true, e->kid[1]);
        prepare_arm(w, e->kid[0], false, e->kid[2]);
        return;
    }
    scalar_prepare(w, e->kid[1]);
    scalar_prepare(w, e->kid[2]);
    if (e->kind != X_TOGETHER)
        return;
    e->temp = w->names++;
    enum type type = combined_type(e), result = togethers[e->op].is_vote ? U32 : type;
    line(w);
    fprintf(w->to, "%s u%d[NT]; %s c%d[NT];\n", types[type].scalar, e->temp, types[result].scalar,
            e->temp);
    each(w, top(w));
    fprintf(w->to, "u%d[t] = ", e->temp);
    together_value(w, e);
    if (togethers[e->op].moves) {
        line(w);
        fprintf(w->to, "int32_t n%d[NT];\n", e->temp);
        each(w, top(w));
        fprintf(w->to, "n%d[t] = ", e->temp);
        value(w, e->kid[1]);
        fputs(";\n", w->to);
    }
    combine(w, e);
}
