/* outside_make.c - a random kernel whose accesses are all within, without races; defects; the text.
 *
 * What is written has one access, and each value that it writes is the same: so no result depends
 * on the order of threads, and block memory is read behind a barrier only.
 */
#include "outside.h"
#include <inttypes.h>
#include <string.h>

const char *const kind_names[KINDS] = {
    "buffer",         "declared", "rows",         "tensor", "SHARED",  "rows of SHARED",
    "DYNAMIC_SHARED", "private",  "private rows", "table",  "returned"};
const struct element elements[ELEMENTS] = {
    {"int8_t", LW_I8, 1, false},  {"int16_t", LW_I16, 2, false}, {"int", LW_I32, 4, true},
    {"int64_t", LW_I64, 8, true}, {"float", LW_F32, 4, true},    {"double", LW_F64, 8, true}};

int threads_of(const struct kernel *k)
{
    return k->block[0] * k->block[1] * k->block[2];
}

bool is_parameter(const struct object *o)
{
    return o->kind <= VIEW;
}

bool has_rows(const struct object *o)
{
    return o->kind == ROWS || o->kind == VIEW || o->kind == ROWS_IN_BLOCK || o->kind == OWN_ROWS;
}

static bool is_own(const struct object *o)
{
    return o->kind == OWN || o->kind == OWN_ROWS;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void make_object(struct kernel *k, struct dice *d)
{
    struct object *o = &k->object[k->objects++];
    *o = (struct object){.kind = (enum kind)below(d, KINDS),
                         .element = below(d, ELEMENTS),
                         .count = 1 + below(d, percent(d, 50) ? 12 : 90),
                         .layout = below(d, 3)};
    for (int i = 0; o->kind == AT_LAUNCH && i + 1 < k->objects; i++)
        if (k->object[i].kind == AT_LAUNCH)
            o->kind = IN_BLOCK;
    o->rows = has_rows(o) ? 1 + below(d, 4) : 1;
    o->size = o->count;
    o->is_named = o->kind == DECLARED || (o->kind <= ROWS && percent(d, 50));
    o->is_written = o->kind != TABLE && o->kind != ENDED && percent(d, 50);
}

static void make_access(struct kernel *k, struct dice *d, int object)
{
    struct object *o = &k->object[object];
    struct access *a = &k->access[k->accesses++];
    *a = (struct access){.object = object,
                         .a = 1 + below(d, 5),
                         .d = below(d, o->count),
                         .salt = 1 + below(d, 90),
                         .within = below(d, 7),
                         .form = (enum form)below(d, FORMS),
                         .way = has_rows(o) ? DIRECT : (enum way)below(d, WAYS)};
    if (o->kind == ENDED)
        a->form = FIXED;
    if (o->kind == TABLE && a->way == AS_NUMBER) /* ref goes by where it points to */
        a->way = DIRECT;
    o->is_gathered |= a->form == GATHERED;
}

void make_kernel(struct kernel *k, uint64_t seed)
{
    static const int blocks[][3] = {{1, 1, 1},  {8, 1, 1},  {31, 1, 1}, {32, 1, 1},
                                    {33, 1, 1}, {64, 1, 1}, {96, 1, 1}, {8, 4, 1},
                                    {4, 3, 2},  {32, 1, 1}, {64, 1, 1}, {200, 1, 1}};
    struct dice d = {seed * UINT64_C(0x9e3779b97f4a7c15) + 3};
    below(&d, 2);
    *k = (struct kernel){.seed = seed, .grid = 1 + below(&d, 3), .is_chosen = percent(&d, 40)};
    memcpy(k->block, blocks[below(&d, 12)], sizeof k->block);
    for (int n = 1 + below(&d, OBJECTS); n > 0; n--)
        make_object(k, &d);
    for (int i = 0; i < k->objects; i++)
        make_access(k, &d, i);
    while (k->accesses < ACCESSES && percent(&d, 60)) {
        const int object = below(&d, k->objects);
        if (!k->object[object].is_written || is_own(&k->object[object]))
            make_access(k, &d, object);
    }
}

/* ---- defects --------------------------------------------------------------------------------- */

static int64_t far(struct dice *d, const struct object *o)
{
    const int64_t all[] = {
        o->count,      -o->count,        1, -1, o->count + 7, 1000, -1000, 1 << 20, -(1 << 20),
        INT32_MAX / 2, -(INT32_MAX / 2), 64};
    return all[below(d, 12)];
}

static bool choose(struct kernel *k, struct dice *d, struct defect *defect)
{
    static const int64_t wild[] = {-1,         -2,        1000000,   INT32_MAX,       INT32_MIN,
                                   UINT32_MAX, INT64_MAX, INT64_MIN, (int64_t)1 << 40};
    const struct access *a = &k->access[defect->access];
    const struct object *o = &k->object[a->object];
    if (o->kind == ENDED)
        return false;
    defect->what = CHOSEN;
    defect->thread = below(d, threads_of(k));
    /* Of an address `ref` has 48 bits. */
    defect->by =
        percent(d, 50) ? o->count + below(d, 3) : wild[below(d, a->way == AS_NUMBER ? 6 : 9)];
    return true;
}

static bool shrink(struct object *o, struct dice *d, struct defect *defect)
{
    if (o->count < 2 || (o->is_named && o->kind != BUFFER))
        return false;
    o->size -= 1 + below(d, o->count > 4 ? 3 : 1);
    defect->what = SHRUNK;
    return true;
}

static bool far_loop(const struct access *a, struct defect *defect)
{
    defect->what = a->form == GUARDED ? UNGUARDED : TOO_FAR;
    return a->form == GUARDED || a->form >= COUNTED;
}

bool make_defect(struct kernel *k, struct dice *d, struct defect *defect)
{
    *defect = (struct defect){.access = below(d, k->accesses), .thread = ALL_THREADS};
    const struct access *a = &k->access[defect->access];
    struct object *o = &k->object[a->object];
    if (k->is_chosen)
        return choose(k, d, defect);
    if (o->kind == ENDED) {
        defect->what = RETURNED;
        return true;
    }
    if (a->form == GATHERED && percent(d, 60)) {
        defect->what = WRONG_DATA;
        defect->thread = below(d, threads_of(k));
        defect->by = percent(d, 50) ? o->count : far(d, o) < 0 ? -1 - below(d, 99) : INT32_MAX;
        return true;
    }
    switch (below(d, 3)) {
    case 0: return shrink(o, d, defect);
    case 1: return far_loop(a, defect);
    default:
        defect->what = SHIFTED;
        defect->is_row = has_rows(o) && percent(d, 40);
        defect->by = far(d, o);
        defect->thread = percent(d, 60) ? below(d, threads_of(k)) : ALL_THREADS;
        return true;
    }
}

/* ---- the text -------------------------------------------------------------------------------- */

/* What is declared for the whole file has the kernel's number in its name. */
static void print_name(FILE *to, const struct kernel *k, int object)
{
    if (k->object[object].kind == TABLE || k->object[object].kind == AT_LAUNCH)
        fprintf(to, "k%d_", k->number);
    fprintf(to, "a%d", object);
}

static void print_count(FILE *to, const struct kernel *k, int object)
{
    if (k->object[object].is_named)
        fprintf(to, "n%d", object);
    else
        fprintf(to, "%d", k->object[object].count);
}

void print_helpers(FILE *to)
{
    fprintf(to, "#include <lanewise/kernel.h>\n"
                "static int *kept(int *own, int n) { own[n & 3] = n; return own; }\n"
                "static int *left(int n)\n"
                "{\n    int own[4] = {n, n, n, n}, *p = own;\n    own[n] = 2;\n    return p;\n}\n");
    for (int e = 0; e < ELEMENTS; e++) {
        const char *name = elements[e].name;
        fprintf(to, "static int get_%s(const %s *p, int64_t i)\n{\n    return (int)p[i];\n}\n",
                name, name);
        fprintf(to, "static void put_%s(%s *p, int64_t i, int v)\n{\n    p[i] = (%s)v;\n}\n", name,
                name, name);
    }
}

static void print_shift(FILE *to, const struct defect *defect)
{
    if (defect->thread == ALL_THREADS)
        fprintf(to, " + %" PRId64, defect->by);
    else
        fprintf(to, " + (me == %d) * %" PRId64, defect->thread, defect->by);
}

static void print_index(FILE *to, const struct kernel *k, int access, const struct defect *defect)
{
    const struct access *a = &k->access[access];
    const bool is_wrong = defect->access == access;
    if (k->is_chosen)
        fprintf(to, "bad == %d && me == who ? wild : (int64_t)(", access);
    switch (a->form) {
    case GUARDED: fprintf(to, "me"); break;
    case FIXED: fprintf(to, "%d", a->d); break;
    case GATHERED: fprintf(to, "at%d[me]", a->object); break;
    case WRAPPED:
        fprintf(to, "(me * %d + %d) %% ", a->a, a->d);
        print_count(to, k, a->object);
        break;
    default: fprintf(to, "i");
    }
    if (is_wrong && defect->what == SHIFTED && !defect->is_row)
        print_shift(to, defect);
    if (k->is_chosen)
        fprintf(to, ")");
}

/* The object, for an address: behind it the index, and a closing bracket. */
static void print_place(FILE *to, const struct kernel *k, int access, const struct defect *defect)
{
    const struct access *a = &k->access[access];
    const struct object *o = &k->object[a->object];
    const char *type = elements[o->element].name;
    if (a->way == AS_NUMBER)
        fprintf(to, "*(%s%s *)((size_t)", o->is_written ? "" : "const ", type);
    else if (a->way == BY_POINTER)
        fprintf(to, "*(");
    else if (o->kind == VIEW)
        fprintf(to, "at(");
    print_name(to, k, a->object);
    fprintf(to, "%s",
            a->way == AS_NUMBER    ? " + (size_t)("
            : a->way == BY_POINTER ? " + ("
            : o->kind == VIEW      ? ", "
                                   : "[");
    if (has_rows(o)) {
        fprintf(to, "(me + %d) %% %d", a->salt, o->rows);
        if (defect->access == access && defect->what == SHIFTED && defect->is_row)
            print_shift(to, defect);
        fprintf(to, o->kind == VIEW ? ", " : "][");
    }
    print_index(to, k, access, defect);
    if (a->way == AS_NUMBER)
        fprintf(to, ") * %d)", elements[o->element].bytes);
    else
        fprintf(to, "%s", a->way == BY_POINTER ? "))" : o->kind == VIEW ? ")" : "]");
}

static void print_call(FILE *to, const struct kernel *k, int access, const struct defect *defect)
{
    const struct access *a = &k->access[access];
    const struct object *o = &k->object[a->object];
    fprintf(to, "%s_%s(", o->is_written ? "put" : "sum += get", elements[o->element].name);
    print_name(to, k, a->object);
    fprintf(to, ", ");
    print_index(to, k, access, defect);
    if (o->is_written)
        fprintf(to, ", %d", a->salt);
    fprintf(to, ");");
}

static void print_act(FILE *to, const struct kernel *k, int access, const struct defect *defect)
{
    const struct access *a = &k->access[access];
    const struct object *o = &k->object[a->object];
    const char *type = elements[o->element].name;
    if (o->kind == ENDED) {
        if (defect->what == RETURNED && defect->access == access)
            fprintf(to, "sum += *left(%d);", 1 + a->d % 3);
        else
            fprintf(to, "{ int mine[4] = {1, 2}; sum += *kept(mine, %d); }", 1 + a->d % 3);
        return;
    }
    if (a->way == BY_HELPER) {
        print_call(to, k, access, defect);
        return;
    }
    if (a->way == COPIED)
        fprintf(to, "{ %s v = %d; memcpy(&%s", type, a->salt, o->is_written ? "" : "v, &");
    else if (!o->is_written)
        fprintf(to, "sum += (int)");
    else if (elements[o->element].is_added && a->salt % 2)
        fprintf(to, "atomic_add(&");
    print_place(to, k, access, defect);
    if (a->way == COPIED)
        fprintf(to, o->is_written ? ", &v, sizeof v); }" : ", sizeof v); sum += (int)v; }");
    else if (!o->is_written)
        fprintf(to, ";");
    else if (elements[o->element].is_added && a->salt % 2)
        fprintf(to, ", 1);");
    else
        fprintf(to, " = %d;", a->salt);
}

static void print_access(FILE *to, const struct kernel *k, int access, const struct defect *defect)
{
    static const char *const within[] = {"if (me % 3 != 1)", "for (int t = 0; t < 1 + me % 2; t++)",
                                         "if (blk != 1)", "if (me & 1)"};
    const struct access *a = &k->access[access];
    const bool is_wrong = defect->access == access, is_far = is_wrong && defect->what == TOO_FAR;
    fprintf(to, "    %s\n", a->within < 4 ? within[a->within] : "");
    if (a->form == GUARDED && !(is_wrong && defect->what == UNGUARDED)) {
        fprintf(to, "    if (me < ");
        print_count(to, k, a->object);
        fprintf(to, ")\n");
    } else if (a->form == BACKWARD) {
        fprintf(to, "    for (int i = ");
        print_count(to, k, a->object);
        fprintf(to, " - 1; i >= %d; i--)\n", -is_far);
    } else if (a->form >= COUNTED) {
        fprintf(to, "    for (int i = %s%d; i <%s ", a->form == COUNTED ? "" : "me + ",
                a->form == COUNTED ? a->d : 0, is_far ? "=" : "");
        print_count(to, k, a->object);
        fprintf(to, "; i += %d)\n", a->form == COUNTED ? 1 : threads_of(k));
    }
    fprintf(to, "        ");
    print_act(to, k, access, defect);
    fprintf(to, "\n");
}

/* ---- the kernel around them ------------------------------------------------------------------ */

static void print_table(FILE *to, const struct kernel *k, int object)
{
    const struct object *o = &k->object[object];
    fprintf(to, "static const %s ", elements[o->element].name);
    print_name(to, k, object);
    fprintf(to, "[%d] = {", o->size);
    for (int i = 0; i < o->size; i++)
        fprintf(to, "%d, ", (i * 5 + 1) % 90);
    fprintf(to, "};\n");
}

static void print_parameter(FILE *to, const struct kernel *k, int object)
{
    const struct object *o = &k->object[object];
    const char *type = elements[o->element].name;
    if (o->is_named)
        fprintf(to, ", int n%d", object);
    if (o->kind == VIEW)
        fprintf(to, ", TENSOR(%s, 2) a%d", type, object);
    else if (is_parameter(o))
        fprintf(to, ", %s%s %sa%d", o->is_written ? "" : "const ", type,
                o->kind == BUFFER ? "*" : "", object);
    if (o->kind == ROWS)
        fprintf(to, "[%d]", o->rows);
    if (o->kind == DECLARED || (o->kind == ROWS && o->is_named))
        fprintf(to, "[n%d]", object);
    else if (o->kind == ROWS)
        fprintf(to, "[%d]", o->size);
    if (o->is_gathered)
        fprintf(to, ", const int *at%d", object);
}

static void print_variable(FILE *to, const struct kernel *k, int object)
{
    const struct object *o = &k->object[object];
    const char *type = elements[o->element].name;
    if (o->kind == AT_LAUNCH)
        fprintf(to, "    DYNAMIC_SHARED(%s, k%d_a%d);\n", type, k->number, object);
    else if (o->kind == IN_BLOCK || o->kind == OWN)
        fprintf(to, "    %s%s a%d[%d];\n", is_own(o) ? "" : "SHARED ", type, object, o->size);
    else if (o->kind == ROWS_IN_BLOCK || o->kind == OWN_ROWS)
        fprintf(to, "    %s%s a%d[%d][%d];\n", is_own(o) ? "" : "SHARED ", type, object, o->rows,
                o->size);
}

static void print_beginning(FILE *to, const struct kernel *k, int object)
{
    const struct object *o = &k->object[object];
    const char *type = elements[o->element].name;
    if (is_parameter(o) || o->kind == TABLE || o->kind == ENDED)
        return;
    fprintf(to, "    for (int i = %s; i < %d; i += %d)\n", is_own(o) ? "0" : "me",
            o->size * o->rows, is_own(o) ? 1 : threads_of(k));
    fprintf(to, "        ((%s *)", type);
    print_name(to, k, object);
    fprintf(to, ")[i] = (%s)(i %% 50);\n", type);
}

void print_kernel(FILE *to, const struct kernel *k, const struct defect *defect)
{
    for (int i = 0; i < k->objects; i++)
        if (k->object[i].kind == TABLE)
            print_table(to, k, i);
    fprintf(to, "KERNEL void kernel%d(int *out", k->number);
    for (int i = 0; i < k->objects; i++)
        print_parameter(to, k, i);
    fprintf(to, "%s)\n{\n", k->is_chosen ? ", int bad, int who, int64_t wild" : "");
    fprintf(to, "    const int blk = block_idx.x, me = %s;\n",
            k->block[1] == 1 ? "thread_idx.x"
                             : "(thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + "
                               "thread_idx.x");
    fprintf(to, "    unsigned sum = blk;\n");
    for (int i = 0; i < k->objects; i++)
        print_variable(to, k, i);
    for (int i = 0; i < k->objects; i++)
        print_beginning(to, k, i);
    fprintf(to, "    barrier();\n");
    for (int i = 0; i < k->accesses; i++)
        print_access(to, k, i, defect);
    for (int i = 0; i < k->objects; i++)
        if (is_own(&k->object[i]))
            fprintf(to, "    sum += (int)((%s *)a%d)[0];\n", elements[k->object[i].element].name,
                    i);
    fprintf(to, "    out[blk * %d + me] = (int)sum;\n}\n", threads_of(k));
}
