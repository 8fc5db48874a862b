/* kernel_program.c - what stands around a kernel's statements: its structs, helpers, parameters and
 * block memory. */
#include "kernel.h"

static const char *type_of(const struct kernel_writer *w, enum type t)
{
    return w->p->language->type[t];
}

static void helper(struct kernel_writer *w, struct helper *h)
{
    const bool generic = is_generic(w->p, h), functor = is_functor(w->p, h);
    if (functor)
        fprintf(w->to, "\nstruct helper%d_%d {", w->p->number, h->id);
    fprintf(w->to, "\n%s%s", generic ? "template <typename T> " : "", w->p->language->helper);
    if (has_style(w->p, BY_HINT))
        fputs(h->id % 2 ? "__noinline__ " : "__forceinline__ ", w->to);
    if (h->gives)
        fprintf(w->to, "struct record%d_%d ", w->p->number, w->p->structure.id);
    else
        fprintf(w->to, "%s ", type_of(w, h->type));
    if (functor)
        fputs("operator()(", w->to);
    else
        fprintf(w->to, "helper%d_%d(", w->p->number, h->id);
    for (int i = 0; i < h->parameters + (h->pointer != NULL); i++) {
        const struct var *v = i < h->parameters ? h->parameter[i] : h->pointer;
        fputs(i ? ", " : "", w->to);
        if (i == 0 && generic) {
            fputs("T ", w->to);
            write_name(w->to, v);
        } else {
            kernel_declared(w, v);
        }
    }
    if (w->p->wilds)
        fprintf(w->to, "%suint32_t wild, const %s *wild_i64",
                h->parameters || h->pointer ? ", " : "", type_of(w, I64));
    else if (!h->parameters && !h->pointer)
        fputs("void", w->to);
    fputs(functor ? ") const\n{\n" : ")\n{\n", w->to);
    kernel_body(w, &h->body, h->result);
    fputs(functor ? "}\n};\n" : "}\n", w->to);
}

static void structure(struct kernel_writer *w)
{
    fprintf(w->to, "\nstruct record%d_%d {\n", w->p->number, w->p->structure.id);
    for (int f = 0; f < FIELDS; f++) {
        int count = w->p->structure.field[f].count;
        fprintf(w->to, "    %s f%d", type_of(w, w->p->structure.field[f].type), f);
        int width = w->p->structure.field[f].width;
        fprintf(w->to, count ? "[%d];\n" : width ? " : %d;\n" : ";\n", count ? count : width);
    }
    fputs("};\n", w->to);
}

static void parameters(struct kernel_writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    bool is_first = true;
    for (int i = 0; i < count; i++) {
        const struct buffer *b = &list[i];
        const bool is_alone = b->is_const && has_style(w->p, BY_HINT);
        if (b->is_symbol)
            continue;
        fprintf(w->to, "%s\n    ", is_first ? "" : ",");
        is_first = false;
        if (b->is_matrix)
            fprintf(w->to, w->p->language->matrix, type_of(w, b->type), b->name);
        else if (b->count)
            fprintf(w->to, "%s%s *%s%s", b->is_const ? "const " : "", type_of(w, b->type),
                    is_alone ? "__restrict__ " : "", b->name);
        else if (b->var->id < 0)
            fprintf(w->to, "int %s", b->name);
        else
            kernel_declared(w, b->var);
    }
    fputs(is_first ? "void)\n" : ")\n", w->to);
}

/* Before the kernel, with names of its own; or away with these. */
static void symbols(struct kernel_writer *w, bool begins)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    for (const struct buffer *b = list; b < list + count; b++)
        if (b->is_symbol && begins)
            fprintf(w->to, "#define %s kernel%d_%s\n%s%s %s[%zu];\n", b->name, w->p->number,
                    b->name, w->p->language->symbol[b->is_const], type_of(w, b->type), b->name,
                    b->count);
        else if (b->is_symbol)
            fprintf(w->to, "#undef %s\n", b->name);
}

static void shared(struct kernel_writer *w, bool at_file)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        const struct var *v = p->shared[i];
        bool is_outside = v->place == AT_FILE || v->place == AT_LAUNCH;
        if (is_outside != at_file)
            continue;
        if (at_file)
            fprintf(w->to, "#define s%d kernel%d_s%d\n", v->id, p->number, v->id);
        kernel_line(w);
        const char *name = type_of(w, v->type);
        if (v->place == AT_LAUNCH && has_style(p, BY_POOL))
            fprintf(w->to,
                    "extern __shared__ __align__(16) unsigned char s%d[];\n"
                    "#undef s%d\n#define s%d ((%s *)kernel%d_s%d)\n",
                    v->id, v->id, v->id, name, p->number, v->id);
        else if (v->place == AT_LAUNCH)
            fprintf(w->to, w->p->language->launch_shared, name, v->id);
        else if (v->place == AT_GLOBAL)
            fprintf(w->to, "%s *s%d = all_s%d + BLOCK_NUMBER * %d;\n", name, v->id, v->id,
                    program_threads(p));
        else if (!at_file && has_style(p, BY_TEMPLATE))
            fprintf(w->to, "%s%s s%d[THREADS];\n", w->p->language->shared, name, v->id);
        else
            fprintf(w->to, "%s%s s%d[%d];\n", w->p->language->shared, name, v->id,
                    program_threads(p));
    }
}

static void tables(struct kernel_writer *w)
{
    for (const struct stmt *s = w->p->tables.first; s; s = s->next) {
        fprintf(w->to, "#undef a%d\n#define a%d kernel%d_a%d\n%s", s->var->id, s->var->id,
                w->p->number, s->var->id, w->p->language->table);
        kernel_declaration(w, s);
    }
}

/* Cells for atomics in block memory: what they begin with. */
static void cells(struct kernel_writer *w)
{
    if (!w->p->block_cells)
        return;
    for (int t = 0; t < TYPES; t++)
        if (w->p->has_cells[t])
            fprintf(w->to,
                    "    %s%s cells_%s[%d];\n"
                    "    for (int i = THREAD; i < sizeof cells_%s; i += %d)\n"
                    "        ((uint8_t *)cells_%s)[i] = i / sizeof *cells_%s == %d ? 255 : 0;\n",
                    w->p->language->shared, type_of(w, t), types[t].name, CELLS, types[t].name,
                    program_threads(w->p), types[t].name, types[t].name, A_AND);
    fprintf(w->to, "    %s;\n", w->p->language->barrier);
}

static void turns(struct kernel_writer *w)
{
    const struct language *l = w->p->language;
    if (w->p->takes_turns)
        fprintf(w->to,
                "    %sint turn;\n    %suint32_t chain;\n"
                "    if (THREAD == 0)\n        turn = 0, chain = 7;\n    %s;\n",
                l->shared, l->shared, l->barrier);
}

/* Where a thread is in this program's launch. */
static void places(struct kernel_writer *w)
{
    const struct program *p = w->p;
    const char *const *place = p->language->place;
    fprintf(w->to,
            "\n#undef BLOCK_NUMBER\n#undef ME\n"
            "#define BLOCK_NUMBER ((%s * %d + %s) * %d + %s)\n"
            "#define ME (BLOCK_NUMBER * %d + THREAD)\n",
            place[P_BLOCK_Z], p->grid[1], place[P_BLOCK_Y], p->grid[0], place[P_BLOCK_X],
            program_threads(p));
}

/* What is the same for all threads keeps them together in what it decides, and parts them as far as
 * a compiler knows. */
static void hide(struct kernel_writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    kernel_line(w);
    fprintf(w->to, "int zero0 = %s;\n", w->p->language->hidden_zero);
    w->p->is_hiding = true;
    for (int i = 0; i < count; i++)
        if (list[i].count == 0 && list[i].var->shape == SCALAR) {
            kernel_line(w);
            fprintf(w->to, "%s = ", list[i].name);
            fprintf(w->to, w->p->language->hidden, list[i].name);
            fputs(";\n", w->to);
        }
}

/* A bit for each access that is outside here. */
static void wild(struct kernel_writer *w)
{
    kernel_line(w);
    fprintf(w->to,
            "const uint32_t wild = (wild_block < 0 || BLOCK_NUMBER == wild_block)%s ? "
            "wild_sites : 0;\n",
            w->p->wild_blocks && !w->p->wild_alone
                ? ""
                : " && THREAD >= wild_first && THREAD < wild_last");
}

void write_kernel(FILE *to, struct program *p)
{
    struct kernel_writer w = {.to = to, .p = p};
    program_number(p);
    if (p->language->begin)
        p->language->begin(&w);
    places(&w);
    if (p->has_structures)
        structure(&w);
    tables(&w);
    w.depth = 1;
    for (int i = 0; i < p->helpers; i++)
        if (p->helper[i])
            helper(&w, p->helper[i]);
    w.depth = 0;
    shared(&w, true);
    symbols(&w, true);
    p->language->head(&w);
    parameters(&w);
    fputs("{\n", to);
    w.depth = 1;
    shared(&w, false);
    cells(&w);
    turns(&w);
    if (p->hides)
        hide(&w);
    if (p->wilds)
        wild(&w);
    for (int i = 0; i < p->shareds; i++) {
        fprintf(to, "    s%d[THREAD] = ", p->shared[i]->id);
        kernel_expression(to, p, p->shared_start[i]);
        fputs(";\n", to);
    }
    kernel_body(&w, &p->body, NULL);
    fputs("}\n", to);
    p->is_hiding = false;
    for (int i = 0; i < p->shareds; i++)
        if (p->shared[i]->place == AT_FILE || p->shared[i]->place == AT_LAUNCH)
            fprintf(to, "#undef s%d\n", p->shared[i]->id);
    symbols(&w, false);
    if (p->language->end)
        p->language->end(&w);
}
