/* kernel.c - a program as a kernel file. */
#include "random.h"
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
     "        while ((now_ = atomic_cas(p, old_, old_ + add_)) != old_)                   \\\n"
     "            old_ = now_;                                                            \\\n"
     "    } while (0)\n"},
};

void write_prelude(FILE *to, const char *kernels)
{
    fputs("#include <lanewise/kernel.h>\n", to);
    for (size_t i = 0; i < sizeof prelude / sizeof *prelude; i++)
        if (!kernels || strstr(kernels, prelude[i].name))
            fprintf(to, "\n%s", prelude[i].text);
}

const char *const atomic_text[ATOMICS] = {"add", "min",      "max", "and", "or",
                                          "xor", "exchange", "cas", "sub"};

struct writer {
    FILE *to;
    struct program *p;
    int depth;
};

static void line(struct writer *w)
{
    fprintf(w->to, "%*s", 4 * w->depth, "");
}

static void expression(struct writer *w, const struct expr *e)
{
    kernel_expression(w->to, w->p, e);
}

/* implied - the expression without the cast that an assignment makes anyway. */
static const struct expr *implied(const struct expr *e)
{
    if (e->kind != X_CAST)
        return e;
    return is_half(e->kid[0]->type) && is_half(e->type) ? e : e->kid[0];
}

static void type_name(struct writer *w, const struct var *v)
{
    if (v->shape == STRUCT)
        fprintf(w->to, "struct record%d_%d ", w->p->number, v->structure->id);
    else if (v->shape == VECTOR)
        fprintf(w->to, "%s%d ", types[v->type].vector, v->count);
    else
        fprintf(w->to, "%s %s", types[v->type].kernel, v->shape == POINTER ? "*" : "");
}

static void declaration(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->var;
    type_name(w, v);
    write_name(w->to, v);
    if (v->shape == ARRAY)
        fprintf(w->to, "[%d]", v->count);
    fputs(" = ", w->to);
    if (v->shape == SCALAR) {
        expression(w, implied(s->value[0]));
    } else if (v->shape == STRUCT) {
        int n = 0;
        fputc('{', w->to);
        for (int f = 0; f < FIELDS; f++) {
            int count = v->structure->field[f].count;
            fputs(count ? "{" : "", w->to);
            for (int i = 0; i < (count ? count : 1); i++) {
                expression(w, s->value[n++]);
                fputs(i + 1 < count ? ", " : "", w->to);
            }
            fprintf(w->to, "%s%s", count ? "}" : "", f + 1 < FIELDS ? ", " : "}");
        }
    } else {
        for (int i = 0; i < v->count; i++) {
            fputs(i ? ", " : "{", w->to);
            expression(w, s->value[i]);
        }
        fputc('}', w->to);
    }
    fputs(";\n", w->to);
}

/* x = x + e is written x += e where the operands need no guard. */
static void assignment(struct writer *w, const struct stmt *s)
{
    const struct expr *e = implied(s->value[0]);
    bool is_compound = e->kind == X_BINARY && same_place(e->kid[0], s->target) &&
                       !binary_guard(e, 0) && !binary_guard(e, 1) &&
                       (is_float(e->type) ||
                        (e->op != B_DIV && e->op != B_REM && e->op != B_SHL && e->op != B_SHR)) &&
                       (is_float(e->type) == is_float(s->target->type));
    expression(w, s->target);
    fprintf(w->to, " %s= ", is_compound ? binary_text[e->op] : "");
    expression(w, is_compound ? e->kid[1] : e);
    fputs(";\n", w->to);
}

static void vector(struct writer *w, const struct stmt *s)
{
    write_name(w->to, s->var);
    fputs(" = ", w->to);
    write_name(w->to, s->from[0]);
    fprintf(w->to, " %s ", binary_text[s->op]);
    if (s->from[1]) {
        write_name(w->to, s->from[1]);
    } else {
        fputc('(', w->to);
        expression(w, s->value[0]);
        fputc(')', w->to);
    }
    fputs(";\n", w->to);
}

static void output(struct writer *w, enum type t, int slot)
{
    fprintf(w->to, "out_%s[ME * %d + %d]", types[t].name, w->p->slots[t], slot);
}

static void store(struct writer *w, const struct stmt *s)
{
    const struct var *v = s->from[0];
    if (v)
        fprintf(w->to, "((%s%d *)%s_%s)[ME * %d + %d]", types[v->type].vector, v->count,
                vectors_text[v->count == 4], types[v->type].name,
                w->p->vectors[v->count == 4][v->type], s->slot);
    else
        output(w, s->value[0]->type, s->slot);
    fputs(" = ", w->to);
    if (v)
        write_name(w->to, v);
    else
        expression(w, s->value[0]);
    fputs(";\n", w->to);
}

static void atomic(struct writer *w, const struct stmt *s)
{
    enum type t = s->value[0]->type;
    int cell = s->op == A_SUB ? A_ADD : s->op;
    if (s->op == A_CAS)
        fprintf(w->to, "CAS_ADD(&cells_%s[%d], ", types[t].name, cell);
    else
        fprintf(w->to, "atomic_%s(&cells_%s[%d], ", atomic_text[s->op], types[t].name, cell);
    expression(w, s->value[0]);
    fputs(");\n", w->to);
}

static void own_atomic(struct writer *w, const struct stmt *s)
{
    write_name(w->to, s->var);
    fprintf(w->to, " = atomic_%s(&", atomic_text[s->op]);
    output(w, s->value[0]->type, s->slot);
    fputs(", ", w->to);
    expression(w, s->value[0]);
    if (s->op == A_CAS) {
        fputs(", ", w->to);
        expression(w, s->value[1]);
    }
    fputs(");\n", w->to);
}

static void block(struct writer *w, const struct block *b);

static void braced(struct writer *w, const struct block *b)
{
    fputs("{\n", w->to);
    w->depth++;
    block(w, b);
    w->depth--;
    line(w);
    fputs("}", w->to);
}

static void branch(struct writer *w, const struct stmt *s)
{
    fputs("if (", w->to);
    expression(w, s->value[0]);
    fputs(") ", w->to);
    braced(w, &s->body);
    if (s->other.first) {
        fputs(" else ", w->to);
        braced(w, &s->other);
    }
    fputs("\n", w->to);
}

/* Trips: at most s->trips, by s->value[0]; s->value[1] may end the loop earlier. */
static void condition(struct writer *w, const struct stmt *s, const char *counter)
{
    fprintf(w->to, "%s", counter);
    write_name(w->to, s->var);
    fputs(" < ", w->to);
    fputs("(int)((", w->to);
    expression(w, s->value[0]);
    fprintf(w->to, ") & %d)", s->trips);
    if (!s->value[1])
        return;
    fputs(" && (", w->to);
    expression(w, s->value[1]);
    fputs(")", w->to);
}

/* A loop's counter; one that is jumped into has it declared before. */
static void begin(struct writer *w, const struct stmt *s)
{
    fputs(holds_entry(s, -1) ? "" : "int ", w->to);
    write_name(w->to, s->var);
    fprintf(w->to, " = %s; ", s->op == L_STRIDE ? "ME" : s->op == L_WHILE ? "-1" : "0");
}

/* The loops on the way to an entry. */
static void begin_inside(struct writer *w, const struct block *b, int entry)
{
    for (const struct stmt *s = b->first; s; s = s->next) {
        if (s->kind == S_LOOP && holds_entry(s, entry))
            begin(w, s);
        begin_inside(w, &s->body, entry);
        begin_inside(w, &s->other, entry);
        for (int i = 0; i < s->arms; i++)
            begin_inside(w, &s->arm[i].body, entry);
    }
}

static void jump_in(struct writer *w, const struct stmt *s)
{
    begin(w, s);
    begin_inside(w, &s->body, s->entry);
    fputs("if (", w->to);
    expression(w, s->value[2]);
    fprintf(w->to, ") goto entry%d;\n", s->entry);
    line(w);
}

static void loop(struct writer *w, const struct stmt *s)
{
    FILE *to = w->to;
    if (s->value[2])
        jump_in(w, s);
    if (s->op == L_WHILE || s->op == L_DO) {
        begin(w, s);
        fputc('\n', to);
        line(w);
    }
    if (s->op == L_FOR || s->op == L_ENDLESS || s->op == L_STRIDE) {
        fputs("for (", to);
        begin(w, s);
        if (s->op != L_ENDLESS)
            condition(w, s, "");
        fputs("; ", to);
        write_name(to, s->var);
        if (s->op == L_STRIDE)
            fprintf(to, " += %d) ", program_threads(w->p) * program_blocks(w->p));
        else
            fputs("++) ", to);
    } else if (s->op == L_WHILE) {
        fputs("while (", to);
        condition(w, s, "++");
        fputs(") ", to);
    } else {
        fputs("do ", to);
    }
    fputs("{\n", to);
    w->depth++;
    if (s->op == L_ENDLESS) {
        line(w);
        fputs("if (!(", to);
        condition(w, s, "");
        fputs(")) {\n", to);
        w->depth++;
        block(w, &s->other);
        line(w);
        fputs("break;\n", to);
        w->depth--;
        line(w);
        fputs("}\n", to);
    }
    block(w, &s->body);
    w->depth--;
    line(w);
    fputs(s->op == L_DO ? "} while (" : "}\n", to);
    if (s->op == L_DO) {
        condition(w, s, "++");
        fputs(");\n", to);
    }
}

static void choice(struct writer *w, const struct stmt *s)
{
    fputs("switch (((uint32_t)(", w->to);
    expression(w, s->value[0]);
    fprintf(w->to, ")) %% %du) {\n", SWITCH_VALUES);
    for (int i = 0; i < s->arms; i++) {
        const struct arm *a = &s->arm[i];
        for (int v = 0; v <= SWITCH_VALUES; v++) {
            if (!(a->labels >> v & 1))
                continue;
            line(w);
            if (v == SWITCH_VALUES)
                fputs("default:\n", w->to);
            else
                fprintf(w->to, "case %d:\n", v);
        }
        w->depth++;
        line(w);
        braced(w, &a->body);
        fputs("\n", w->to);
        line(w);
        fputs(a->falls_through ? "// fall through\n" : "break;\n", w->to);
        w->depth--;
    }
    line(w);
    fputs("}\n", w->to);
}

static void call(struct writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper;
    write_name(w->to, s->var);
    fprintf(w->to, " = helper%d_%d(", w->p->number, h->id);
    for (int i = 0; i < h->parameters; i++) {
        fputs(i ? ", " : "", w->to);
        expression(w, s->value[i]);
    }
    if (h->pointer) {
        fputs(h->parameters ? ", " : "", w->to);
        if (s->from[1]) {
            fputc('(', w->to);
            expression(w, s->value[h->parameters]);
            fputs(") ? ", w->to);
            write_name(w->to, s->from[1]);
            fputs(" : ", w->to);
        }
        write_name(w->to, s->from[0]);
    }
    fputs(");\n", w->to);
}

static void statement(struct writer *w, const struct stmt *s)
{
    FILE *to = w->to;
    line(w);
    switch (s->kind) {
    case S_DECLARE: declaration(w, s); break;
    case S_ASSIGN: assignment(w, s); break;
    case S_VECTOR: vector(w, s); break;
    case S_COPY:
        write_name(to, s->var);
        fputs(" = ", to);
        if (s->value[0])
            expression(w, s->value[0]);
        else
            write_name(to, s->from[0]);
        fputs(";\n", to);
        break;
    case S_STORE: store(w, s); break;
    case S_ATOMIC: atomic(w, s); break;
    case S_OWN_ATOMIC: own_atomic(w, s); break;
    case S_IF: branch(w, s); break;
    case S_LOOP: loop(w, s); break;
    case S_SWITCH: choice(w, s); break;
    case S_LABEL:
        braced(w, &s->body);
        fprintf(to, "\nlabel%d:;\n", s->op);
        break;
    case S_ENTRY: fprintf(to, "entry%d:;\n", s->op); break;
    case S_BREAK: fputs("break;\n", to); break;
    case S_CONTINUE: fputs("continue;\n", to); break;
    case S_GOTO: fprintf(to, "goto label%d;\n", s->op); break;
    case S_RETURN:
        fputs("return", to);
        if (s->value[0]) {
            fputc(' ', to);
            expression(w, implied(s->value[0]));
        }
        fputs(";\n", to);
        break;
    case S_BARRIER: fputs("barrier();\n", to); break;
    case S_WARP_SYNC: fputs("warp_sync();\n", to); break;
    case S_FENCE: fputs(s->op ? "fence_device();\n" : "fence_block();\n", to); break;
    case S_ASSERT: /* no grid has 77 blocks */
        fputs(s->op ? "assert(grid_dim.x != 77 || (" : "assert((", to);
        expression(w, s->value[0]);
        fputs(s->op ? "));\n" : ") || grid_dim.x != 77);\n", to);
        break;
    case S_CALL: call(w, s); break;
    }
}

static void block(struct writer *w, const struct block *b)
{
    for (const struct stmt *s = b->first; s; s = s->next)
        statement(w, s);
}

static void declare_counter(struct stmt *s, void *user)
{
    struct writer *w = user;
    if (s->kind != S_LOOP || !holds_entry(s, -1))
        return;
    line(w);
    fputs("int ", w->to);
    write_name(w->to, s->var);
    fputs(" = 0;\n", w->to);
}

/* A function's; counters of loops that are jumped into have their place in front of the jump. */
static void body(struct writer *w, struct block *b)
{
    struct visitor v = {NULL, declare_counter, w};
    visit_block(b, &v);
    block(w, b);
}

static void helper(struct writer *w, struct helper *h)
{
    fprintf(w->to, "\nstatic %s helper%d_%d(", types[h->type].kernel, w->p->number, h->id);
    for (int i = 0; i < h->parameters + (h->pointer != NULL); i++) {
        const struct var *v = i < h->parameters ? h->parameter[i] : h->pointer;
        fputs(i ? ", " : "", w->to);
        type_name(w, v);
        write_name(w->to, v);
    }
    if (!h->parameters && !h->pointer)
        fputs("void", w->to);
    fputs(")\n{\n", w->to);
    body(w, &h->body);
    fputs("    return ", w->to);
    expression(w, implied(h->result));
    fputs(";\n}\n", w->to);
}

static void structure(struct writer *w)
{
    fprintf(w->to, "\nstruct record%d_%d {\n", w->p->number, w->p->structure.id);
    for (int f = 0; f < FIELDS; f++) {
        int count = w->p->structure.field[f].count;
        fprintf(w->to, "    %s f%d", types[w->p->structure.field[f].type].kernel, f);
        fprintf(w->to, count ? "[%d];\n" : ";\n", count);
    }
    fputs("};\n", w->to);
}

static void parameters(struct writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    for (int i = 0; i < count; i++) {
        const struct buffer *b = &list[i];
        fprintf(w->to, "%s\n    ", i ? "," : "");
        if (b->count)
            fprintf(w->to, "%s%s *%s", b->is_const ? "const " : "", types[b->type].kernel, b->name);
        else {
            type_name(w, b->var);
            fputs(b->name, w->to);
        }
    }
    fputs(count ? ")\n" : "void)\n", w->to);
}

static void shared(struct writer *w, bool at_file)
{
    const struct program *p = w->p;
    for (int i = 0; i < p->shareds; i++) {
        const struct var *v = p->shared[i];
        bool is_outside = v->place == AT_FILE || v->place == AT_LAUNCH;
        if (is_outside != at_file)
            continue;
        if (at_file)
            fprintf(w->to, "#define s%d kernel%d_s%d\n", v->id, p->number, v->id);
        line(w);
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

/* Where a thread is in this program's launch. */
static void places(struct writer *w)
{
    const struct program *p = w->p;
    fprintf(w->to,
            "\n#undef BLOCK_NUMBER\n#undef ME\n"
            "#define BLOCK_NUMBER ((block_idx.z * %d + block_idx.y) * %d + block_idx.x)\n"
            "#define ME (BLOCK_NUMBER * %d + THREAD)\n",
            p->grid[1], p->grid[0], program_threads(p));
}

static void head(struct writer *w)
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
static void hide(struct writer *w)
{
    struct buffer list[BUFFERS_MAX];
    int count = list_buffers(w->p, list);
    line(w);
    fputs("int zero0 = shuffle(0, lane_id());\n", w->to);
    w->p->is_hiding = true;
    for (int i = 0; i < count; i++)
        if (list[i].count == 0 && list[i].var->shape == SCALAR) {
            line(w);
            fprintf(w->to, "%s = shuffle(%s, lane_id());\n", list[i].name, list[i].name);
        }
}

void write_kernel(FILE *to, struct program *p)
{
    struct writer w = {to, p, 0};
    program_number(p);
    places(&w);
    if (p->has_structures)
        structure(&w);
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
    if (p->hides)
        hide(&w);
    for (int i = 0; i < p->shareds; i++) {
        fprintf(to, "    s%d[THREAD] = ", p->shared[i]->id);
        kernel_expression(to, p, p->shared_start[i]);
        fputs(";\n", to);
    }
    body(&w, &p->body);
    fputs("}\n", to);
    p->is_hiding = false;
    for (int i = 0; i < p->shareds; i++)
        if (p->shared[i]->place == AT_FILE || p->shared[i]->place == AT_LAUNCH)
            fprintf(to, "#undef s%d\n", p->shared[i]->id);
}
