/* kernel_wild.c - accesses that are outside, in the kernel language. */
#include "kernel.h"
#include <inttypes.h>

/* # is whether the access is wrong, @ the amount. */
static const struct {
    const char *open, *index, *close;
} forms[WILD_FORMS] = {
    [F_CHOOSE] = {"", "[# ? @ : (int64_t)(", ")]"},  [F_ADD] = {"", "[(", ") + (# ? @ : 0)]"},
    [F_COMPLEMENT] = {"", "[(", ") ^ -(int64_t)#]"}, [F_BASE] = {"(", " + (# ? @ : 0))[", "]"},
    [F_LATER] = {"(&", "[", "])[# ? @ : 0]"},        [F_WIDER] = {"", "[", "]"},
};

static void is_wrong(FILE *to, const struct program *p, const struct expr *wild)
{
    fprintf(to, "(wild >> %d & 1", wild->index);
    if (wild->kid[0]) {
        fputs(" && (", to);
        kernel_condition(to, p, wild->kid[0]);
        fputc(')', to);
    }
    fputc(')', to);
}

static void amount(FILE *to, const struct program *p, const struct expr *wild)
{
    if (wild->safe)
        fprintf(to, "wild_i64[(THREAD + %d) & %d]", wild->index, WILD_AMOUNTS - 1);
    else
        fprintf(to, "(%s)(%" PRId64 ")", p->language->type[wild->type], (int64_t)wild->bits);
}

static void text(FILE *to, const struct program *p, const struct expr *wild, const char *form)
{
    for (; *form; form++)
        if (*form == '#')
            is_wrong(to, p, wild);
        else if (*form == '@')
            amount(to, p, wild);
        else
            fputc(*form, to);
}

const struct expr *wild_of(const struct expr *e, int axis)
{
    return e && e->kind == X_WILD && (axis < 0 || e->sub == axis) ? e : NULL;
}

void wild_open(FILE *to, const struct program *p, const struct expr *wild)
{
    if (wild)
        text(to, p, wild, forms[wild->op].open);
}

void wild_index(FILE *to, const struct program *p, const struct expr *wild)
{
    text(to, p, wild, wild ? forms[wild->op].index : "[");
}

void wild_cut(FILE *to, const struct program *p, const struct expr *wild, int limit)
{
    const bool is_wider = wild && wild->op == F_WIDER;
    text(to, p, wild, is_wider ? "(# ? @ : " : "");
    fprintf(to, is_wider ? "%d)" : "%d", limit);
}

void wild_close(FILE *to, const struct program *p, const struct expr *wild)
{
    text(to, p, wild, wild ? forms[wild->op].close : "]");
}

void wild_array(FILE *to, const struct program *p, const struct expr *wild, const struct var *v)
{
    wild_open(to, p, wild);
    write_name(to, v);
    text(to, p, wild, wild ? " + (# ? @ : 0))" : "");
}
