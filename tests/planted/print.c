/* print.c - a kernel in C, a step a line. A step of a helper stands where the helper accesses. */
#include "planted.h"

enum { GET, PUT, HELPERS };
static int helper_line[TYPES][HELPERS];

__attribute__((format(printf, 3, 4))) static void line_of(FILE *to, int *line, const char *format,
                                                          ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(to, format, list);
    va_end(list);
    fputc('\n', to);
    ++*line;
}

static const char *text_of(enum type t)
{
    return t == I32X4 ? "(int4){v, v, v, v}" : t == I8 ? "(signed char)v" : "(short)v";
}

void print_prelude(FILE *to, int *line)
{
    line_of(to, line, "#include <lanewise/kernel.h>");
    line_of(to, line, "#define ME ((int)thread_idx.x)");
    line_of(to, line, "#define BLK ((int)block_idx.x)");
    for (enum type t = 0; t < TYPES; t++) {
        const char *name = type_infos[t].name;
        line_of(to, line, "static int get%d(const %s *p, int i)", t, name);
        line_of(to, line, "{");
        helper_line[t][GET] = *line + 1;
        line_of(to, line, "    %s v = p[i];", name);
        line_of(to, line, "    return %s;", t == I32X4 ? "v.x ^ v.w" : "v");
        line_of(to, line, "}");
        line_of(to, line, "static void put%d(%s *p, int i, int v)", t, name);
        line_of(to, line, "{");
        helper_line[t][PUT] = *line + 1;
        line_of(to, line, "    p[i] = %s;", t == I32 ? "v" : text_of(t));
        line_of(to, line, "}");
    }
}

static int power_above(const struct kernel *k)
{
    int n = 1;
    while (n < k->block)
        n *= 2;
    return n;
}

static void print_index(FILE *to, const struct kernel *k, const struct index *i)
{
    fprintf(to, "((ME * %d + i * %d + %d) ^ %d)", i->a, i->c, i->d, i->x);
    if (i->m)
        fprintf(to, " %% %d", i->m);
    if (i->q)
        fprintf(to, " / %d", i->q);
    if (i->b)
        fprintf(to, " + BLK * %d", i->b);
    if (i->flip)
        fprintf(to, " + i %% 2 * %d", i->flip);
    if (i->has_half)
        fprintf(to, " + (%d >> (i + 1))", power_above(k));
    if (i->e)
        fprintf(to, " + %d", i->e);
}

static void print_condition(FILE *to, const struct kernel *k, const struct condition *c)
{
    const int power = power_above(k);
    switch (c->threads) {
    case ALL: fprintf(to, "true"); break;
    case IS: fprintf(to, "ME == %d", c->k); break;
    case BELOW: fprintf(to, "ME < %d", c->k); break;
    case FROM: fprintf(to, "ME >= %d", c->k); break;
    case EVEN: fprintf(to, "ME %% 2 == 0"); break;
    case IN_TREE:
        fprintf(to, "ME < (%d >> (i + 1)) && ME + (%d >> (i + 1)) < %d", power, power, k->block);
        break;
    }
    if (c->blocks != ANY)
        fprintf(to, " && BLK %s %d", c->blocks == BLOCK_IS ? "==" : "!=", c->block);
}

/* The element of a step, or with the helper its arguments. */
static void print_place(FILE *to, const struct kernel *k, const struct step *s)
{
    fprintf(to, "a%d%s", s->array, s->by_helper ? ", " : "[");
    if (k->array[s->array].rows) {
        print_index(to, k, &s->row);
        fprintf(to, "][");
    }
    print_index(to, k, &s->index);
    fprintf(to, "%s", s->by_helper ? "" : "]");
}

static void print_value(FILE *to, const struct step *s)
{
    if (s->salt)
        fprintf(to, "ME * 5 + BLK * 37 + i * 11 + %d", s->salt);
    else
        fprintf(to, "0");
}

static void print_access(FILE *to, const struct kernel *k, const struct step *s)
{
    static const char *const before[] = {[PLAIN_ADD] = "",
                                         [ATOMIC_ADD] = "atomic_add(&",
                                         [ATOMIC_LOAD] = "sum += atomic_load(&",
                                         [ATOMIC_STORE] = "atomic_store(&",
                                         [CAS_FAILS] = "atomic_cas(&",
                                         [SPIN] = "while (atomic_load(&",
                                         [LOCK] = "while (atomic_cas(&",
                                         [LAST] = "if (atomic_add(&"};
    static const char *const behind[] = {
        [PLAIN_ADD] = " += 1;",        [ATOMIC_ADD] = ", 1);", [ATOMIC_LOAD] = ");",
        [CAS_FAILS] = ", -12345, 1);", [SPIN] = ") == 0) { }", [LOCK] = ", 0, 1) != 0) { }",
        [ATOMIC_STORE] = ", "};
    const enum type t = k->array[s->array].type;
    if (s->op == LOAD && s->by_helper)
        fprintf(to, "sum += get%d(", t);
    else if (s->op == LOAD)
        fprintf(to, "{ %s v = ", type_infos[t].name);
    else if (s->op == STORE)
        fprintf(to, s->by_helper ? "put%d(" : "{ int v = ", t);
    else
        fprintf(to, "%s", before[s->op]);
    if (s->op == STORE && !s->by_helper) {
        print_value(to, s);
        fprintf(to, "; ");
    }
    print_place(to, k, s);
    if (s->op == LOAD)
        fprintf(to, s->by_helper ? ");" : t == I32X4 ? "; sum += v.x ^ v.w; }" : "; sum += v; }");
    else if (s->op == STORE && s->by_helper)
        fprintf(to, ", "), print_value(to, s), fprintf(to, ");");
    else if (s->op == STORE)
        fprintf(to, " = %s; }", t == I32 ? "v" : text_of(t));
    else if (s->op == LAST)
        fprintf(to, ", 1) != %d) return;", k->grid - 1);
    else
        fprintf(to, "%s", behind[s->op]);
    if (s->op == ATOMIC_STORE)
        print_value(to, s), fprintf(to, ");");
}

static void print_step(FILE *to, const struct kernel *k, struct step *s, int *line)
{
    static const char *const others[] = {[BARRIER] = "barrier();",
                                         [BLOCK_SUM] = "sum += block_sum(1);",
                                         [WARP_SYNC] = "warp_sync();",
                                         [VOTE] = "sum += warp_any(ME == 1);",
                                         [FENCE_BLOCK] = "fence_block();",
                                         [FENCE_DEVICE] = "fence_device();",
                                         [RETURN] = "return;",
                                         [ELSE] = "} else {",
                                         [END] = "}"};
    if (s->op != IF && (s->when.threads != ALL || s->when.blocks != ANY)) {
        fprintf(to, "if (");
        print_condition(to, k, &s->when);
        line_of(to, line, ")");
    }
    s->line = *line + 1;
    if (s->op <= LAST) {
        const enum type t = k->array[s->array].type;
        s->by_helper &= s->op <= STORE;
        if (s->by_helper)
            s->line = helper_line[t][s->op == STORE];
        print_access(to, k, s);
    } else if (s->op == IF) {
        fprintf(to, "if (");
        print_condition(to, k, &s->when);
        fprintf(to, ") {");
    } else if (s->op == LOOP) {
        fprintf(to, "for (i = 0; i < %d; i++) {", s->count);
    } else {
        fprintf(to, "%s", others[s->op]);
    }
    line_of(to, line, "%s", "");
}

void print_kernel(FILE *to, struct kernel *k, int *line)
{
    fprintf(to, "KERNEL void kernel%d(int *out", k->number);
    for (int i = 0; i < k->arrays; i++)
        if (!k->array[i].is_shared)
            fprintf(to, ", %s *a%d", type_infos[k->array[i].type].name, i);
    line_of(to, line, ")");
    line_of(to, line, "{");
    for (int i = 0; i < k->arrays; i++) {
        struct array *a = &k->array[i];
        a->line = *line + 1;
        if (!a->is_shared)
            continue;
        fprintf(to, "SHARED %s a%d", type_infos[a->type].name, i);
        if (a->rows)
            fprintf(to, "[%d]", a->rows);
        line_of(to, line, "[%d];", a->count);
    }
    line_of(to, line, "unsigned sum = 0; int i = 0; /* what is undefined may be large */");
    for (int i = 0; i < k->steps; i++)
        print_step(to, k, &k->step[i], line);
    k->out_line = *line + 1;
    line_of(to, line, "out[BLK * %d + ME] = sum;", k->block);
    line_of(to, line, "}");
}
