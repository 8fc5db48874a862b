/* scalar_program.c - what stands around the statements of the plain C program: its parameters,
 * block memory, and the loop over the blocks. */
#include "scalar.h"
#include <stdlib.h>

static void structure(struct writer *w)
{
    for (int kind = 0; kind < 2; kind++) {
        fprintf(w->before, "struct record%d_%d%s {", w->p->number, w->p->structure.id,
                kind ? "_stored" : "");
        for (int f = 0; f < FIELDS; f++) {
            const struct type_info *t = &types[w->p->structure.field[f].type];
            int count = w->p->structure.field[f].count;
            fprintf(w->before, " %s f%d", kind ? t->stored : t->scalar, f);
            int width = w->p->structure.field[f].width;
            fprintf(w->before, count ? "[%d];" : width ? " : %d;" : ";", count ? count : width);
        }
        fputs(" };\n", w->before);
    }
}

static void structure_parameter(struct writer *w, const struct var *v, int number)
{
    const char *end = "_stored";
    fprintf(w->to, "    struct record%d_%d r%d;\n", w->p->number, v->structure->id, v->id);
    for (int f = 0; f < FIELDS; f++) {
        enum type t = v->structure->field[f].type;
        int count = v->structure->field[f].count;
        for (int i = 0; i < (count ? count : 1); i++) {
            char at[16] = "";
            if (count)
                snprintf(at, sizeof at, "[%d]", i);
            fprintf(w->to, "    r%d.f%d%s = ", v->id, f, at);
            scalar_open_stored(w->to, "get", t);
            fprintf(w->to, "((const struct record%d_%d%s *)arg[%d])->f%d%s);\n", w->p->number,
                    v->structure->id, end, number, f, at);
        }
    }
}

static void parameters(struct writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    for (int i = 0; i < count; i++) {
        const struct buffer *b = &list[i];
        const char *name = types[b->type].stored;
        if (b->count) {
            fprintf(w->to, "    %s *%s = arg[%d];\n", name, b->name, i);
        } else if (b->var->shape == STRUCT) {
            structure_parameter(w, b->var, i);
        } else {
            fprintf(w->to, "    %s %s = ", types[b->type].scalar, b->name);
            scalar_open_stored(w->to, "get", b->type);
            fprintf(w->to, "*(const %s *)arg[%d]);\n", name, i);
        }
    }
}

static void shared(struct writer *w)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        line(w);
        fprintf(w->to, "%s s%d[NT];\n", types[p->shared[i]->type].scalar, p->shared[i]->id);
        scalar_prepare(w, p->shared_start[i]);
        each(w, top(w));
        fprintf(w->to, "s%d[t] = ", p->shared[i]->id);
        value(w, p->shared_start[i]);
        fputs(";\n", w->to);
    }
}

static void tables(struct writer *w)
{
    for (const struct stmt *s = w->p->tables.first; s; s = s->next) {
        fprintf(w->to, "    const %s a%d[] = {", types[s->var->type].scalar, s->var->id);
        for (int i = 0; i < s->var->count; i++) {
            fputs(i ? ", " : "", w->to);
            value(w, s->value[i]);
        }
        fputs("};\n", w->to);
    }
}

static void cells(struct writer *w)
{
    for (int t = 0; t < TYPES && w->p->block_cells; t++)
        if (w->p->has_cells[t])
            fprintf(w->to,
                    "        %s cells_%s[%d] = {0};\n"
                    "        memset(cells_%s + %d, 0xff, sizeof *cells_%s);\n",
                    types[t].stored, types[t].name, CELLS, types[t].name, A_AND, types[t].name);
}

static void write_back(struct writer *w)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        const struct var *v = p->shared[i];
        if (v->place != AT_GLOBAL)
            continue;
        line(w);
        fprintf(w->to, "ALL all_s%d[BLOCK_NUMBER * NT + t] = ", v->id);
        scalar_open_stored(w->to, "put", v->type);
        fprintf(w->to, "s%d[t]);\n", v->id);
    }
}

static void body(struct writer *w)
{
    const struct program *p = w->p;
    FILE *to = w->to;
    fprintf(to, "void kernel%d(void *const *arg)\n{\n", p->number);
    parameters(w);
    tables(w);
    fprintf(to,
            "    for (int bz = 0; bz < %d; bz++)\n    for (int by = 0; by < %d; by++)\n"
            "    for (int bx = 0; bx < %d; bx++) {\n",
            p->grid[2], p->grid[1], p->grid[0]);
    w->depth = 2;
    int root = scalar_push(w, M_ROOT, 0);
    line(w);
    fprintf(to, "memset(m%d, 1, NT);\n", root);
    if (p->takes_turns)
        fputs("        uint32_t chain = 7;\n", to);
    cells(w);
    shared(w);
    fputs("        {\n", to);
    w->depth++;
    scalar_block(w, &w->p->body);
    fputs("        }\n", to);
    write_back(w);
    fputs("    }\n}\n", to);
}

void write_scalar(FILE *to, struct program *p)
{
    char *text = NULL;
    size_t size = 0;
    struct writer w = {.before = to, .p = p};
    w.to = open_memstream(&text, &size);
    if (!w.to) {
        perror("random");
        exit(1);
    }
    program_number(p);
    fprintf(to, "\n#undef NT\n#undef NX\n#undef NY\n#undef GX\n#undef BLOCK_NUMBER\n");
    fprintf(to, "#define NT %d\n#define NX %d\n#define NY %d\n#define GX %d\n", program_threads(p),
            p->block[0], p->block[1], p->grid[0]);
    fprintf(to, "#define BLOCK_NUMBER ((bz * %d + by) * %d + bx)\n", p->grid[1], p->grid[0]);
    if (p->has_structures)
        structure(&w);
    body(&w);
    fclose(w.to);
    fwrite(text, 1, size, to);
    free(text);
}
