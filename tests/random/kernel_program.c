/* kernel_program.c - what stands around a kernel's statements: its structs, helpers, parameters and
 * block memory; and what kernels share. */
#include "kernel.h"
#include <string.h>

/* What kernels use of their own making. */
static const struct {
    const char *name, *text;
} prelude[] = {
    {"THREAD", "#define THREAD (warp_id() * WARP_SIZE + lane_id())\n"},
    {"FROM_ACTIVE",
     "/* what was moved, but our own where its source was absent */\n"
     "#define FROM_ACTIVE(moved, source, own)                                             \\\n"
     "    __extension__({                                                                 \\\n"
     "        __typeof__(moved) moved_ = (moved);                                         \\\n"
     "        uint32_t who_ = ballot(true);                                               \\\n"
     "        int64_t from_ = (source);                                                   \\\n"
     "        moved_ = from_ >= 0 && from_ < 32 && (who_ >> from_ & 1) ? moved_ : (own);  \\\n"
     "        moved_; /* a condition's value is an int where this is a short */           \\\n"
     "    })\n"},
    {"UNLESS_OVER",
     "/* a sum, difference or product; the opposite of its low bits where they are not all */\n"
     "#define UNLESS_OVER(op, T, a, b)                                                    \\\n"
     "    __extension__({                                                                 \\\n"
     "        T result_;                                                                  \\\n"
     "        bool is_over_ = __builtin_##op##_overflow(a, b, &result_);                  \\\n"
     "        is_over_ ? (T)~result_ : result_;                                           \\\n"
     "    })\n"},
    {"CAS_ADD",
     "/* atomic_add by atomic_cas */\n"
     "#define CAS_ADD(p, v)                                                               \\\n"
     "    do {                                                                            \\\n"
     "        __typeof__(*(p)) add_ = (v), old_ = atomic_load(p), now_;                   \\\n"
     "        while ((now_ = atomic_cas(p, old_, old_ + (uint64_t)add_)) != old_)         \\\n"
     "            old_ = now_;                                                            \\\n"
     "    } while (0)\n"},
    {"WARP_EXCHANGE",
     "/* what that lane has written, where it is there; else what we have */\n"
     "#define WARP_EXCHANGE(to, cells, value, lane)                                       \\\n"
     "    do {                                                                            \\\n"
     "        const int lane_ = (int)(lane) & 31;                                         \\\n"
     "        cells[THREAD] = (value);                                                    \\\n"
     "        const uint32_t who_ = ballot(true);                                         \\\n"
     "        warp_sync();                                                                \\\n"
     "        to = cells[THREAD - lane_id() + (who_ >> lane_ & 1 ? lane_ : lane_id())];   \\\n"
     "        warp_sync();                                                                \\\n"
     "    } while (0)\n"},
    {"CLZ", "/* without a value for 0, which is the language's then */\n"
            "#define CLZ(x) __builtin_clzg(LW__UNSIGNED(x))\n"},
    {"CTZ", "#define CTZ(x) __builtin_ctzg(LW__UNSIGNED(x))\n"},
    {"IN_TURN",
     "/* what the warps before have left in chain; first lanes wait for them, or all do */\n"
     "#define IN_TURN(to, value, by_all)                                                  \\\n"
     "    do {                                                                            \\\n"
     "        const uint32_t value_ = (value), who_ = ballot(true);                       \\\n"
     "        const bool first_ = (who_ & ((1u << lane_id()) - 1)) == 0;                  \\\n"
     "        int turn_ = block_exclusive_sum((int)first_);                               \\\n"
     "        turn_ = turn + warp_broadcast(turn_, ctz(who_));                            \\\n"
     "        uint32_t left_ = 0;                                                         \\\n"
     "        barrier();                                                                  \\\n"
     "        if (by_all || first_)                                                       \\\n"
     "            while (atomic_load(&turn) != turn_) {                                   \\\n"
     "            }                                                                       \\\n"
     "        warp_sync();                                                                \\\n"
     "        if (first_) {                                                               \\\n"
     "            fence_block();                                                          \\\n"
     "            left_ = chain;                                                          \\\n"
     "            chain = left_ * 5 + value_;                                             \\\n"
     "            fence_block();                                                          \\\n"
     "            atomic_store(&turn, turn_ + 1);                                         \\\n"
     "        }                                                                           \\\n"
     "        to = warp_broadcast(left_, ctz(who_));                                      \\\n"
     "    } while (0)\n"},
};

void write_prelude(FILE *to, const char *kernels)
{
    fputs("#include <lanewise/kernel.h>\n", to);
    for (size_t i = 0; i < sizeof prelude / sizeof *prelude; i++)
        if (!kernels || strstr(kernels, prelude[i].name))
            fprintf(to, "\n%s", prelude[i].text);
}

static void helper(struct kernel_writer *w, struct helper *h)
{
    if (h->gives)
        fprintf(w->to, "\nstatic struct record%d_%d helper%d_%d(", w->p->number, w->p->structure.id,
                w->p->number, h->id);
    else
        fprintf(w->to, "\nstatic %s helper%d_%d(", types[h->type].kernel, w->p->number, h->id);
    for (int i = 0; i < h->parameters + (h->pointer != NULL); i++) {
        const struct var *v = i < h->parameters ? h->parameter[i] : h->pointer;
        fputs(i ? ", " : "", w->to);
        kernel_declared(w, v);
    }
    if (w->p->wilds)
        fprintf(w->to, "%suint32_t wild, const int64_t *wild_i64",
                h->parameters || h->pointer ? ", " : "");
    else if (!h->parameters && !h->pointer)
        fputs("void", w->to);
    fputs(")\n{\n", w->to);
    kernel_body(w, &h->body, h->result);
    fputs("}\n", w->to);
}

static void structure(struct kernel_writer *w)
{
    fprintf(w->to, "\nstruct record%d_%d {\n", w->p->number, w->p->structure.id);
    for (int f = 0; f < FIELDS; f++) {
        int count = w->p->structure.field[f].count;
        fprintf(w->to, "    %s f%d", types[w->p->structure.field[f].type].kernel, f);
        int width = w->p->structure.field[f].width;
        fprintf(w->to, count ? "[%d];\n" : width ? " : %d;\n" : ";\n", count ? count : width);
    }
    fputs("};\n", w->to);
}

static void parameters(struct kernel_writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    for (int i = 0; i < count; i++) {
        const struct buffer *b = &list[i];
        fprintf(w->to, "%s\n    ", i ? "," : "");
        if (b->is_matrix)
            fprintf(w->to, "const %s %s[height][width]", types[b->type].kernel, b->name);
        else if (b->count)
            fprintf(w->to, "%s%s *%s", b->is_const ? "const " : "", types[b->type].kernel, b->name);
        else if (b->var->id < 0)
            fprintf(w->to, "int %s", b->name);
        else
            kernel_declared(w, b->var);
    }
    fputs(count ? ")\n" : "void)\n", w->to);
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
        const char *name = types[v->type].kernel;
        if (v->place == AT_LAUNCH)
            fprintf(w->to, "DYNAMIC_SHARED(%s, s%d);\n", name, v->id);
        else if (v->place == AT_GLOBAL)
            fprintf(w->to, "%s *s%d = all_s%d + BLOCK_NUMBER * %d;\n", name, v->id, v->id,
                    program_threads(p));
        else
            fprintf(w->to, "SHARED %s s%d[%d];\n", name, v->id, program_threads(p));
    }
}

static void tables(struct kernel_writer *w)
{
    for (const struct stmt *s = w->p->tables.first; s; s = s->next) {
        fprintf(w->to, "#undef a%d\n#define a%d kernel%d_a%d\nstatic const ", s->var->id,
                s->var->id, w->p->number, s->var->id);
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
                    "    SHARED %s cells_%s[%d];\n"
                    "    for (int i = THREAD; i < sizeof cells_%s; i += %d)\n"
                    "        ((uint8_t *)cells_%s)[i] = i / sizeof *cells_%s == %d ? 255 : 0;\n",
                    types[t].kernel, types[t].name, CELLS, types[t].name, program_threads(w->p),
                    types[t].name, types[t].name, A_AND);
    fputs("    barrier();\n", w->to);
}

static void turns(struct kernel_writer *w)
{
    if (w->p->takes_turns)
        fputs("    SHARED int turn;\n    SHARED uint32_t chain;\n"
              "    if (THREAD == 0)\n        turn = 0, chain = 7;\n    barrier();\n",
              w->to);
}

/* Where a thread is in this program's launch. */
static void places(struct kernel_writer *w)
{
    const struct program *p = w->p;
    fprintf(w->to,
            "\n#undef BLOCK_NUMBER\n#undef ME\n"
            "#define BLOCK_NUMBER ((block_idx.z * %d + block_idx.y) * %d + block_idx.x)\n"
            "#define ME (BLOCK_NUMBER * %d + THREAD)\n",
            p->grid[1], p->grid[0], program_threads(p));
}

static void head(struct kernel_writer *w)
{
    const struct program *p = w->p;
    shared(w, true);
    fputs("\nKERNEL ", w->to);
    if (p->fixed_block)
        fprintf(w->to, "BLOCK(%d, %d, %d) ", p->block[0], p->block[1], p->block[2]);
    fprintf(w->to, "void kernel%d(", p->number);
}

/* What is the same for all threads keeps them together in what it decides, and parts them as far as
 * a compiler knows. */
static void hide(struct kernel_writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    kernel_line(w);
    fputs("int zero0 = shuffle(0, lane_id());\n", w->to);
    w->p->is_hiding = true;
    for (int i = 0; i < count; i++)
        if (list[i].count == 0 && list[i].var->shape == SCALAR) {
            kernel_line(w);
            fprintf(w->to, "%s = shuffle(%s, lane_id());\n", list[i].name, list[i].name);
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
    struct kernel_writer w = {to, p, 0};
    program_number(p);
    places(&w);
    if (p->has_structures)
        structure(&w);
    tables(&w);
    w.depth = 1;
    for (int i = 0; i < p->helpers; i++)
        if (p->helper[i])
            helper(&w, p->helper[i]);
    w.depth = 0;
    head(&w);
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
}
