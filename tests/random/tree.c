/* tree.c - making, copying and walking the trees of programs; C's rules for types. */
#include "random.h"
#include <stdlib.h>
#include <string.h>

const struct type_info types[TYPES] = {
    [I8] = {"i8", "int8_t", "int8_t", 8, 'i'},
    [I16] = {"i16", "int16_t", "int16_t", 16, 'i'},
    [I32] = {"i32", "int32_t", "int32_t", 32, 'i'},
    [I64] = {"i64", "int64_t", "int64_t", 64, 'i'},
    [U8] = {"u8", "uint8_t", "uint8_t", 8, 'u'},
    [U16] = {"u16", "uint16_t", "uint16_t", 16, 'u'},
    [U32] = {"u32", "uint32_t", "uint32_t", 32, 'u'},
    [U64] = {"u64", "uint64_t", "uint64_t", 64, 'u'},
    [BOOL] = {"bool", "bool", "bool", 1, 'b'},
    [F16] = {"f16", "float", "uint16_t", 16, 'f'},
    [BF16] = {"bf16", "float", "uint16_t", 16, 'f'},
    [F32] = {"f32", "float", "float", 32, 'f'},
    [F64] = {"f64", "double", "double", 64, 'f'},
};

enum { ANY_V, ANY_VI, SUMS_V, SUMS_VVI, INTS_V, NONE_P, NONE_N };
enum { WARP, BLOCK };
enum { MOVE, PARTNER, REDUCE, SCAN, VOTE, SYNC };
enum { SAME = NO_TYPE, INT = I32, VOID = BOOL };
const struct together_info togethers[TOGETHERS] = {
#define LW_OP(op, scope, types, arguments, gives, kind, combination)                               \
    [T_##op] = {.name = #op,                                                                       \
                .is_block = scope == BLOCK,                                                        \
                .moves = types##_##arguments == ANY_VI,                                            \
                .is_vote = types##_##arguments == NONE_P,                                          \
                .takes_nothing = types##_##arguments == NONE_N,                                    \
                .by_user = types##_##arguments == SUMS_VVI,                                        \
                .takes_integers = types##_##arguments == INTS_V,                                   \
                .scans = kind == SCAN,                                                             \
                .by = BY_##combination,                                                            \
                .result = (enum type)(gives)},
#include "lanewise/warp_ops.def"
#undef LW_OP
};

/* Each is associative where that matters, and its identity leaves every value as it is, -0 too. */
const struct user_operator user_operators[USER_OPERATORS] = {
    {U32, "0u", "a + b"},
    {U32, "4294967295u", "a < b ? a : b"},
    /* x -> p x + q with p and q modulo 65536, one after the other: does not commute */
    {U32, "1u",
     "((a & 65535u) * (b & 65535u) & 65535u) | (((b & 65535u) * (a >> 16) + (b >> 16)) << 16)"},
    {U64, "0", "a ^ b"},
    {I64, "0", "a | b"},
    {I32, "-1", "a & b"},
    {F32, "-0.0f", "a + b"},
    {F64, "1.0", "a * b"},
};

/* ---- memory -------------------------------------------------------------------------------- */

struct arena {
    struct arena *next;
    _Alignas(16) unsigned char bytes[];
};

void *program_alloc(struct program *p, size_t bytes)
{
    struct arena *a = calloc(1, sizeof *a + bytes);
    if (!a) {
        perror("random");
        exit(1);
    }
    a->next = p->arena;
    p->arena = a;
    return a->bytes;
}

struct program *program_create(uint64_t seed)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p) {
        perror("random");
        exit(1);
    }
    p->seed = seed;
    return p;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    for (struct arena *a = p->arena, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    free(p);
}

struct expr *expr_new(struct program *p, enum expr_kind kind, enum type type)
{
    struct expr *e = program_alloc(p, sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

struct expr *expr_cast(struct program *p, enum type type, struct expr *e)
{
    if (e->type == type)
        return e;
    struct expr *cast = expr_new(p, X_CAST, type);
    cast->kid[0] = e;
    return cast;
}

struct expr *expr_integer(struct program *p, enum type type, uint64_t bits)
{
    struct expr *e = expr_new(p, X_CONST, type);
    e->bits = bits;
    e->real = (double)(int64_t)bits;
    return e;
}

struct stmt *stmt_new(struct program *p, enum stmt_kind kind)
{
    struct stmt *s = program_alloc(p, sizeof *s);
    s->kind = kind;
    return s;
}

struct stmt **block_end(struct block *b)
{
    struct stmt **end = &b->first;
    while (*end)
        end = &(*end)->next;
    return end;
}

struct var *var_new(struct program *p, enum type type, enum shape shape)
{
    struct var *v = program_alloc(p, sizeof *v);
    v->id = p->vars++;
    v->type = type;
    v->shape = shape;
    return v;
}

/* ---- copying: nodes are copied, variables and helpers mapped by number ---------------------- */

struct copying {
    struct program *to;
    struct var **var; /* by id */
    struct helper *helper[HELPERS_MAX];
};

static struct var *copy_var(struct copying *c, const struct var *v)
{
    if (!v)
        return NULL;
    if (!c->var[v->id]) {
        struct var *copy = program_alloc(c->to, sizeof *copy);
        *copy = *v;
        copy->structure = v->structure ? &c->to->structure : NULL;
        c->var[v->id] = copy;
    }
    return c->var[v->id];
}

static struct expr *copy_expr(struct copying *c, const struct expr *e)
{
    if (!e)
        return NULL;
    struct expr *copy = program_alloc(c->to, sizeof *copy);
    *copy = *e;
    copy->var = copy_var(c, e->var);
    for (int i = 0; i < KIDS; i++)
        copy->kid[i] = copy_expr(c, e->kid[i]);
    return copy;
}

static struct block copy_block(struct copying *c, const struct block *b)
{
    struct block copy = {0};
    struct stmt **end = &copy.first;
    for (const struct stmt *s = b->first; s; s = s->next) {
        struct stmt *t = program_alloc(c->to, sizeof *t);
        *t = *s;
        t->var = copy_var(c, s->var);
        t->target = copy_expr(c, s->target);
        for (int i = 0; i < DECLARED_MAX; i++)
            t->value[i] = copy_expr(c, s->value[i]);
        for (int i = 0; i < 2; i++)
            t->from[i] = copy_var(c, s->from[i]);
        t->body = copy_block(c, &s->body);
        t->other = copy_block(c, &s->other);
        for (int i = 0; i < s->arms; i++)
            t->arm[i].body = copy_block(c, &s->arm[i].body);
        t->helper = s->helper ? c->helper[s->helper->id] : NULL;
        t->next = NULL;
        *end = t;
        end = &t->next;
    }
    return copy;
}

static struct helper *copy_helper(struct copying *c, const struct helper *h)
{
    struct helper *copy = program_alloc(c->to, sizeof *copy);
    *copy = *h;
    for (int i = 0; i < h->parameters; i++)
        copy->parameter[i] = copy_var(c, h->parameter[i]);
    copy->pointer = copy_var(c, h->pointer);
    copy->body = copy_block(c, &h->body);
    copy->result = copy_expr(c, h->result);
    return copy;
}

struct program *program_clone(const struct program *p)
{
    struct program *to = program_create(p->seed);
    *to = *p;
    to->arena = NULL;
    struct copying c = {.to = to};
    c.var = program_alloc(to, (size_t)(p->vars + 1) * sizeof *c.var);
    for (int i = 0; i < p->shareds; i++) {
        to->shared[i] = copy_var(&c, p->shared[i]);
        to->shared_start[i] = copy_expr(&c, p->shared_start[i]);
    }
    for (int i = 0; i < p->parameters; i++)
        to->parameter[i] = copy_var(&c, p->parameter[i]);
    for (int i = 0; i < p->helpers; i++)
        if (p->helper[i])
            to->helper[i] = c.helper[i] = copy_helper(&c, p->helper[i]);
    to->tables = copy_block(&c, &p->tables);
    to->body = copy_block(&c, &p->body);
    return to;
}

/* ---- types --------------------------------------------------------------------------------- */

bool is_float(enum type t)
{
    return types[t].kind == 'f';
}

bool is_half(enum type t)
{
    return t == F16 || t == BF16;
}

bool is_signed(enum type t)
{
    return types[t].kind == 'i';
}

enum type promoted(enum type t)
{
    return !is_float(t) && types[t].bits < 32 ? I32 : t;
}

/* C17 6.3.1.8; a 16-bit float is below float, and above all integers; __bf16 becomes _Float16. */
enum type common(enum type a, enum type b)
{
    a = promoted(a), b = promoted(b);
    if (a == b)
        return a;
    if (is_half(a) && is_half(b))
        return F16;
    if (is_float(a) || is_float(b))
        return !is_float(a) ? b : !is_float(b) || a > b ? a : b;
    if (types[a].bits != types[b].bits)
        return types[a].bits > types[b].bits ? a : b;
    return is_signed(a) ? b : a;
}

/* Sums of R - 1 bit numbers, and products of R / 2 bit ones, fit the R bits of a signed type. */
int binary_guard(const struct expr *e, int kid)
{
    enum type from = e->kid[kid]->type, result = e->type;
    if (!is_signed(result) || (e->op != B_ADD && e->op != B_SUB && e->op != B_MUL))
        return 0;
    int bits = types[from].bits + !is_signed(from);
    int allowed = e->op == B_MUL ? types[result].bits / 2 : types[result].bits - 1;
    return bits > allowed ? bits - allowed : 0;
}

int program_threads(const struct program *p)
{
    return p->block[0] * p->block[1] * p->block[2];
}

int program_blocks(const struct program *p)
{
    return p->grid[0] * p->grid[1] * p->grid[2];
}

const char *const vectors_text[2] = {"two", "four"};

enum { ROW_EACH = 3, ROW_MORE = 3 }; /* the most cells */

struct row row_of(const struct program *p, const struct expr *e)
{
    const int lines = p->block[1] * p->block[2], cells = e->index < 0 ? -e->index : e->index;
    const int length = e->safe ? p->block[0] : p->block[0] * lines;
    return (struct row){.first = e->index < 0 ? cells * (length - 1) : 0,
                        .each = e->index,
                        .line = e->safe ? cells * length + (int)e->bits : 0};
}

size_t row_cells(const struct program *p)
{
    return (size_t)(p->block[1] * p->block[2] * (ROW_EACH * p->block[0] + ROW_MORE) + 1);
}

size_t structure_size(const struct structure *s)
{
    size_t at = 0, align = 8; /* bits */
    for (int f = 0; f < FIELDS; f++) {
        size_t size = 8 * element_size(s->field[f].type), width = (size_t)s->field[f].width;
        bool fits = width && at % size + width <= size; /* where the one before has ended */
        align = size > align ? size : align;
        at = fits ? at : (at + size - 1) / size * size;
        at += width ? width : size * (s->field[f].count ? (size_t)s->field[f].count : 1);
    }
    return (at + align - 1) / align * align / 8;
}

int array_of(const struct var *v)
{
    return v->shape == STRUCT ? v->count : v->shape == VECTOR ? v->columns : 0;
}

bool is_place(const struct expr *e)
{
    switch (e->kind) {
    case X_VAR:
        return e->var->shape == SCALAR && !e->var->is_parameter && !e->var->uniform &&
               !e->var->is_volatile;
    case X_FIELD:
        return !e->var->is_parameter && (e->index < 0 || !e->var->structure->field[e->index].width);
    case X_ITEM: return !e->var->is_parameter && e->kid[0];
    case X_OWN: return true;
    case X_CHOOSE:
        return e->kid[1]->kind != X_CHOOSE && e->kid[2]->kind != X_CHOOSE && is_place(e->kid[1]) &&
               is_place(e->kid[2]) && e->kid[1]->type == e->type && e->kid[2]->type == e->type &&
               is_whole(e->kid[1]) == is_whole(e->kid[2]);
    default: return false;
    }
}

int places_of(const struct expr *e, const struct expr *places[2])
{
    const bool is_choice = e->kind == X_CHOOSE;
    places[0] = is_choice ? e->kid[1] : e;
    places[1] = is_choice ? e->kid[2] : NULL;
    return is_choice ? 2 : 1;
}

bool is_whole(const struct expr *e)
{
    return e->kind == X_CHOOSE   ? is_whole(e->kid[1])
           : e->kind == X_RECORD ? e->op < 0
           : e->kind == X_ITEM   ? !e->kid[0]
                                 : (e->kind == X_FIELD || e->kind == X_PART) && e->index < 0;
}

bool same_place(const struct expr *a, const struct expr *b)
{
    return a->kind == b->kind && (a->kind == X_VAR || a->kind == X_PART || a->kind == X_OWN) &&
           a->var == b->var && a->index == b->index;
}

static bool block_holds_entry(const struct block *b, int entry)
{
    for (const struct stmt *s = b->first; s; s = s->next) {
        if (s->kind == S_ENTRY && (entry < 0 || s->op == entry))
            return true;
        bool inside = block_holds_entry(&s->body, entry) || block_holds_entry(&s->other, entry);
        for (int i = 0; i < s->arms; i++)
            inside |= block_holds_entry(&s->arm[i].body, entry);
        if (inside)
            return true;
    }
    return false;
}

static const struct stmt *last_of(const struct block *b)
{
    const struct stmt *last = b->first;
    while (last && last->next)
        last = last->next;
    return last;
}

bool leaves_behind(const struct stmt *s)
{
    const struct stmt *last = s->is_behind && !s->other.first ? last_of(&s->body) : NULL;
    return last && (last->kind == S_BREAK || last->kind == S_CONTINUE || last->kind == S_GOTO ||
                    last->kind == S_RETURN);
}

bool is_departure(const struct stmt *s)
{
    const struct stmt *end = s->departs && s->next ? s->next->next : NULL;
    if (!end || s->next->kind != S_LABEL || end->kind != S_IF || end->departs || end->other.first)
        return false;
    const struct expr *e = s->value[0], *again = end->value[0];
    const struct stmt *last = last_of(&end->body);
    return e->kind == X_VAR && e->var->shape == COUNTER && again->kind == X_VAR &&
           again->var == e->var && last && last->kind == S_RETURN;
}

bool holds_entry(const struct stmt *loop, int entry)
{
    return block_holds_entry(&loop->body, entry) || block_holds_entry(&loop->other, entry);
}

/* ---- walking ------------------------------------------------------------------------------- */

void visit_expr(struct expr *e, const struct visitor *v)
{
    if (!e)
        return;
    if (v->expr)
        v->expr(e, v->user);
    for (int i = 0; i < KIDS; i++)
        visit_expr(e->kid[i], v);
}

void visit_block(struct block *b, const struct visitor *v)
{
    for (struct stmt *s = b->first; s; s = s->next) {
        if (v->stmt)
            v->stmt(s, v->user);
        visit_expr(s->target, v);
        for (int i = 0; i < DECLARED_MAX; i++)
            visit_expr(s->value[i], v);
        visit_block(&s->body, v);
        visit_block(&s->other, v);
        for (int i = 0; i < s->arms; i++)
            visit_block(&s->arm[i].body, v);
    }
}

void visit_program(struct program *p, const struct visitor *v)
{
    for (int i = 0; i < p->shareds; i++)
        visit_expr(p->shared_start[i], v);
    for (int i = 0; i < p->helpers; i++) {
        if (!p->helper[i])
            continue;
        visit_block(&p->helper[i]->body, v);
        visit_expr(p->helper[i]->result, v);
    }
    visit_block(&p->body, v);
}

static void number_expr(struct expr *e, void *user)
{
    struct program *p = user;
    if (e->kind == X_INPUT)
        p->reads[e->type] = true;
    if (e->kind == X_ROW)
        p->has_rows[e->type] = true;
    if (e->kind == X_MATRIX)
        p->has_matrix[e->type] = true;
    if (e->kind == X_CELL)
        p->has_cells[e->type] = true;
    p->has_records |= e->kind == X_RECORD;
    p->has_structures |= e->kind == X_FIELD || e->kind == X_RECORD;
}

static void number_stmt(struct stmt *s, void *user)
{
    struct program *p = user;
    enum type t = s->value[0] ? s->value[0]->type : I32;
    if (s->kind == S_STORE && s->from[0])
        s->slot = p->vectors[s->from[0]->count == 4][s->from[0]->type]++;
    else if (s->kind == S_STORE || s->kind == S_OWN_ATOMIC)
        s->slot = p->slots[t]++;
    if (s->kind == S_ATOMIC)
        p->has_cells[t] = true;
    p->walks |= s->kind == S_LOOP && s->op == L_WALK;
    p->takes_turns |= s->kind == S_TURN;
    p->has_structures |= s->var && s->var->shape == STRUCT;
}

void program_number(struct program *p)
{
    struct visitor v = {number_expr, number_stmt, p};
    memset(p->slots, 0, sizeof p->slots);
    memset(p->vectors, 0, sizeof p->vectors);
    memset(p->reads, 0, sizeof p->reads);
    memset(p->has_rows, 0, sizeof p->has_rows);
    memset(p->has_cells, 0, sizeof p->has_cells);
    memset(p->has_matrix, 0, sizeof p->has_matrix);
    p->has_structures = p->has_records = p->walks = p->takes_turns = false;
    for (int i = 0; i < p->parameters; i++)
        p->has_structures |= p->parameter[i]->shape == STRUCT;
    for (int h = 0; h < p->helpers; h++)
        for (int i = 0; p->helper[h] && i < p->helper[h]->parameters; i++)
            p->has_structures |= p->helper[h]->parameter[i]->shape == STRUCT;
    visit_program(p, &v);
}

/* ---- chance: splitmix64 -------------------------------------------------------------------- */

/* source   Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 */
uint64_t dice_next(struct dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int dice_below(struct dice *d, int n)
{
    return (int)(dice_next(d) % (uint64_t)n);
}

bool dice_percent(struct dice *d, int percent)
{
    return dice_below(d, 100) < percent;
}
