/* chain.c - the text of what waits, and its launch: waiting.h. */
#include "base/base.h"
#include "waiting.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 16384 };

/* What a map is made of. */
typedef struct chain {
    core *core;
    array *in[INPUTS];
    size_t arrays, numbers, names, length, heads;
    lw_map_number number[NUMBERS];
    char number_name[NUMBERS][4];
    const char *head[OPS];
    char text[TEXT];
} chain;

static void add_part(chain *c, const char *text, size_t length)
{
    if (c->length + length < TEXT) {
        memcpy(c->text + c->length, text, length);
        c->text[c->length + length] = '\0';
    }
    c->length += length;
}

static void add(chain *c, const char *text)
{
    add_part(c, text, strlen(text));
}

/* Without printf, which takes longer than all else here. The number has two digits at most. */
static void write_name(char name[4], char letter, size_t number)
{
    size_t n = 0;

    name[n++] = letter;
    if (number >= 10)
        name[n++] = (char)('0' + number / 10);
    name[n++] = (char)('0' + number % 10);
    name[n] = '\0';
}

static void add_name(chain *c, char letter, size_t number)
{
    char name[4];

    write_name(name, letter, number);
    add(c, name);
}

bool is_same_view(const array *a, const array *b)
{
    return a == b || (a->memory == b->memory && a->dtype == b->dtype && a->offset == b->offset &&
                      a->rank == b->rank && !memcmp(a->extent, b->extent, sizeof a->extent) &&
                      !memcmp(a->stride, b->stride, sizeof a->stride));
}

/* The number of an array among the map's. */
static size_t array_name(chain *c, array *a)
{
    size_t k = 0;

    while (k < c->arrays && !is_same_view(c->in[k], a))
        k++;
    if (k == c->arrays) {
        HOLD(a);
        c->in[c->arrays++] = a;
    }
    return k;
}

static lw_arg arg_of(const number *n)
{
    return n->kind == LW_ARG_REAL   ? lw_arg_real(n->as.f)
           : n->kind == LW_ARG_UINT ? lw_arg_uint(n->as.u)
                                    : lw_arg_int(n->as.i);
}

/* A term's value, in the dtype that the function takes. */
static void add_term(chain *c, const waiting *w, size_t k)
{
    array *a = w->in[k].array;
    const lw_dtype in = w->how->in[k];
    const bool is_cast = !a || a->dtype != in;

    if (is_cast) {
        add(c, "((");
        add(c, lw__dtypes[in].c_name);
        add(c, ")");
    }
    if (!a) {
        const size_t n = c->numbers++;

        write_name(c->number_name[n], 'p', n);
        c->number[n] = (lw_map_number){c->number_name[n], arg_of(&w->in[k].number)};
        add(c, c->number_name[n]);
    } else if (a->waiting)
        add_name(c, 't', a->waiting->name);
    else
        add_name(c, 'x', array_name(c, a));
    if (is_cast)
        add(c, ")");
}

/* `const float t3 = (float)(t1 + x0);`, after those of what waits below. */
static void add_statement(chain *c, array *a)
{
    waiting *w = a->waiting;
    const char *type = lw__dtypes[w->how->out].c_name;

    if (w->walk == c->core->walk)
        return;
    for (size_t k = 0; k < w->function->arity; k++)
        if (w->in[k].array && w->in[k].array->waiting)
            add_statement(c, w->in[k].array);
    w->walk = c->core->walk;
    w->name = c->names++;
    size_t head = 0;
    while (w->how->head && head < c->heads && strcmp(c->head[head], w->how->head) != 0)
        head++;
    if (w->how->head && head == c->heads)
        c->head[c->heads++] = w->how->head;
    add(c, "const ");
    add(c, type);
    add(c, " ");
    add_name(c, 't', w->name);
    add(c, " = (");
    add(c, type);
    add(c, ")(");
    for (const char *at = w->how->text; *at;) {
        const size_t plain = strcspn(at, "$");
        add_part(c, at, plain);
        at += plain;
        if (*at) {
            add_term(c, w, (size_t)(at[1] - '0'));
            at += 2;
        }
    }
    add(c, ");\n");
}

/* ---- running ---- */

/* What is launched: a map of the chain, or a reduction of it. */
typedef struct job {
    const char *text, *head;
    const lw_map_reduce_options *options; /* NULL: a map */
    const char *combine;
    double identity;
    const char *finish, *finish_head; /* what becomes of the result x0; or NULL */
    double count;                     /* p0 in it */
} job;

static lw_status queue(const chain *c, lw_stream *s, const lw_tensor *out, const lw_tensor *in,
                       const job *j)
{
    static const char *const names[INPUTS] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    const lw_map_options with = {names, c->number, c->numbers, j->head};

    if (!j->options)
        return lw_map_many(s, out, &j->text, 1, in, c->arrays, &with);
    const lw_map_reduce_options options = {j->options->axis, j->options->keepdims, &with};
    const lw_status status =
        lw_map_reduce(s, *out, j->text, j->combine, j->identity, in, c->arrays, &options);
    const lw_map_number count = {"p0", lw_arg_real(j->count)};
    const lw_map_options more = {names, &count, 1, j->finish_head};
    return status || !j->finish ? status : lw_map_many(s, out, &j->finish, 1, out, 1, &more);
}

/* A map of more axes than the library has; the tensors tell of memory alone. */
static lw_status queue_joined(const chain *c, lw_stream *s, lw_tensor out, const lw_tensor *in,
                              const job *j, joined *axes)
{
    lw_status status;

    do {
        lw_tensor to = out, from[INPUTS];

        joined_tensor(axes, 0, &to);
        for (size_t k = 0; k < c->arrays; k++) {
            from[k] = in[k];
            joined_tensor(axes, k + 1, &from[k]);
        }
        status = queue(c, s, &to, from, j);
    } while (!status && joined_next(axes));
    return status;
}

static int launch(chain *c, const waiting *w, array *to, const job *j)
{
    operand in[INPUTS], out;
    const bool is_joined = to->rank > RANKS;
    joined axes;
    lw_tensor tensors[INPUTS];
    device *d = w->device;
    stream *given = w->stream;
    lw_status status = LW_OK, waited = LW_OK;
    bool is_checked = false;
    size_t taken = 0;

    if (c->core->checker) {
        device *checked = check_device(c->core, d);

        if (!checked && check_note(c->core, "operation '%U': it ran on a GPU", w->function->name))
            return -1;
        if (checked && given && stream_finish(given, -1))
            return -1;
        is_checked = checked;
        given = checked ? check_stream(c->core) : given;
        d = checked ? checked : d;
    }
    int failed =
        (j->head && trap_faults(c->core, d)) || operand_take(c->core, (PyObject *)to, &out);
    if (failed)
        return -1;
    failed = operand_bind(c->core, &out, d, false, true);
    for (; taken < c->arrays && !failed; taken++) {
        failed = operand_take(c->core, (PyObject *)c->in[taken], &in[taken]);
        if (failed)
            break;
        failed = operand_bind(c->core, &in[taken], d, false, false);
        tensors[taken] = in[taken].tensor;
    }
    if (is_joined)
        joined_begin(&axes, to, c->in, c->arrays);
    stream *s = failed ? NULL : given ? given : stream_take(d);
    if (s) {
        Py_BEGIN_ALLOW_THREADS;
        status = is_joined ? queue_joined(c, s->handle, out.tensor, tensors, j, &axes)
                           : queue(c, s->handle, &out.tensor, tensors, j);
        if (!given)
            waited = lw_stream_wait_for(s->handle, SLICE_NS);
        Py_END_ALLOW_THREADS;
        failed = stream_settle(s, given ? NULL : d, is_checked, status, waited);
    }
    while (taken-- > 0)
        operand_drop(&in[taken]);
    operand_drop(&out);
    return s ? failed : -1;
}

/* c may be NULL. */
static void end(chain *c)
{
    for (size_t k = 0; c && k < c->arrays; k++)
        DROP(c->in[k]);
    free(c);
}

/* The functions that the statements call, and `more`; NULL: no memory. */
static char *join_heads(const chain *c, const char *more)
{
    size_t length = strlen(more) + 1;

    for (size_t k = 0; k < c->heads; k++)
        length += strlen(c->head[k]) + 1;
    char *head = malloc(length);
    if (!head)
        return NULL;
    *head = '\0';
    for (size_t k = 0; k < c->heads; k++) {
        strcat(head, c->head[k]);
        strcat(head, "\n");
    }
    return strcat(head, more);
}

/* Of all that waits below: `({ const float t0 = ...; t0; })`. NULL: an exception. */
static chain *begin(array *a)
{
    chain *c = malloc(sizeof *c);

    if (!c)
        return (chain *)PyErr_NoMemory();
    c->core = a->core;
    c->arrays = c->numbers = c->names = c->length = c->heads = 0;
    c->core->walk++;
    add(c, "({\n");
    add_statement(c, a);
    add_name(c, 't', a->waiting->name);
    add(c, "; })");
    if (c->length < TEXT)
        return c;
    raise_text(c->core, LW_E_ARG, "the functions' text is longer than %d bytes", TEXT - 1);
    end(c);
    return NULL;
}

/* The library says it of arrays that have no more axes than its tensors. */
static int check_shape(const array *a, const array *to)
{
    if ((a->rank <= RANKS && to->rank <= RANKS) ||
        (a->rank == to->rank && !memcmp(a->extent, to->extent, sizeof a->extent)))
        return 0;
    PyObject *own = extents_tuple(a->rank, a->extent, 1);
    PyObject *given = own ? extents_tuple(to->rank, to->extent, 1) : NULL;
    if (given)
        raise_text(a->core, LW_E_SHAPE, "the result has shape %S, and the array %S", own, given);
    DROP_IF(own);
    DROP_IF(given);
    return -1;
}

int chain_write(array *a, array *to)
{
    if (check_shape(a, to))
        return -1;
    if (to->rank > RANKS && !array_size(to))
        return 0;
    chain *c = begin(a);
    char *head = c && c->heads ? join_heads(c, "") : NULL;
    int failed = -1;

    if (c && c->heads && !head)
        PyErr_NoMemory();
    else if (c)
        failed = launch(c, a->waiting, to, &(job){.text = c->text, .head = head});
    free(head);
    end(c);
    return failed;
}

/* A reduction's text names its map's type outside of functions, where no statements may be: so
 * `static float chain(float x0, double p0) { return ({ ... }); }`, and the map is the call, with
 * `before` before it. */
static char *write_function(const chain *c, const array *a, const char *more, const char *before,
                            char *call)
{
    const char *const type = lw__dtypes[a->dtype].c_name;
    const size_t room = c->length + strlen(more) + 64 * (2 + INPUTS + NUMBERS);
    char *text = malloc(room), *head = NULL;
    size_t n = 0;

    if (!text)
        return NULL;
    strcat(strcpy(call, before), "(chain(");
    n += (size_t)PyOS_snprintf(text, room, "%sstatic %s chain(", more, type);
    for (size_t k = 0; k < c->arrays + c->numbers; k++) {
        const size_t number = k - c->arrays;
        const bool is_array = k < c->arrays;
        const lw_arg_kind kind = is_array ? LW_ARG_INT : c->number[number].value.kind;
        char name[8];

        PyOS_snprintf(name, sizeof name, is_array ? "x%zu" : "p%zu", is_array ? k : number);
        n += (size_t)PyOS_snprintf(text + n, room - n, "%s%s %s", k ? ", " : "",
                                   is_array              ? lw__dtypes[c->in[k]->dtype].c_name
                                   : kind == LW_ARG_REAL ? "double"
                                   : kind == LW_ARG_UINT ? "uint64_t"
                                                         : "int64_t",
                                   name);
        strcat(strcat(call, k ? ", " : ""), name);
    }
    strcat(call, "))");
    PyOS_snprintf(text + n, room - n, ")\n{\n    return %s;\n}\n", c->text);
    head = join_heads(c, text);
    free(text);
    return head;
}

/* Keys as kernels/extreme.c has them, in the bits of the elements' type: the largest is the
 * result's, and a NaN's is the largest. chain_value gives an element back. */
static const char keys_text[] = "union chain_bits { %s i; %s v; };\n"
                                "static %s chain_key(%s v)\n"
                                "{\n"
                                "    union chain_bits b = {.v = v};\n"
                                "    b.i = v != v ? %s : b.i ^ (b.i >> %d & %s) ^ %d;\n"
                                "    return b.v;\n"
                                "}\n"
                                "static %s chain_best(%s x, %s y)\n"
                                "{\n"
                                "    const union chain_bits a = {.v = x}, b = {.v = y};\n"
                                "    return a.i > b.i ? x : y;\n"
                                "}\n"
                                "static %s chain_value(%s key)\n"
                                "{\n"
                                "    union chain_bits b = {.v = key};\n"
                                "    b.i ^= %d;\n"
                                "    b.i ^= b.i >> %d & %s;\n"
                                "    return b.v;\n"
                                "}\n";

/* Of floats by functions in the head. Integers are combined as int64. */
static const char *find_extreme(lw_dtype dtype, bool is_min, job *j, char *text, size_t room)
{
    const bool is_wide = dtype == LW_F64;
    const char *const t = lw__dtypes[dtype].c_name, *const most =
                                                        is_wide ? "INT64_MAX" : "INT32_MAX";
    const int flip = is_min ? -1 : 0, shift = is_wide ? 63 : 31;

    if (dtype >= LW_F16) {
        PyOS_snprintf(text, room, keys_text, is_wide ? "int64_t" : "int32_t", t, t, t, most, shift,
                      most, flip, t, t, t, t, t, flip, shift, most);
        j->combine = "chain_best(x, y)";
        j->identity = -0.0; /* the smallest key's bits */
        j->finish = "chain_value(x0)";
        j->finish_head = text;
        return "chain_key";
    }
    j->combine = is_min ? "x < y ? x : y" : "x > y ? x : y";
    j->identity = is_min ? 0x1p62 : -0x1p63;
    if (dtype == LW_U64) {
        j->combine =
            is_min ? "(uint64_t)x < (uint64_t)y ? x : y" : "(uint64_t)x > (uint64_t)y ? x : y";
        j->identity = is_min ? -1 : 0; /* all bits, or none */
    }
    return "";
}

/* How the terms are combined; what stands before them, and C that this needs. */
static const char *describe(const array *a, enum reduction how, job *j, char *text, size_t room)
{
    *text = '\0';
    j->combine = "x + y";
    j->identity = -0.0;
    switch (how) {
    case MEAN:
        j->count = j->options->axis ? (double)a->extent[a->rank - 1] : (double)array_size(a);
        j->finish = a->dtype == LW_F32 ? "x0 / (float)p0" : "x0 / p0";
        return a->dtype < LW_F16 ? "(double)" : "";
    case MAX: return find_extreme(a->dtype, false, j, text, room);
    case MIN: return find_extreme(a->dtype, true, j, text, room);
    case ANY:
    case ALL:
        j->combine = how == ANY ? "x | y" : "x & y";
        j->identity = how == ALL;
        return "0 != ";
    default: return "";
    }
}

int chain_reduce(array *a, array *to, enum reduction how, const lw_map_reduce_options *options)
{
    chain *c = begin(a);
    job j = {.options = options};
    char call[32 + 8 * (INPUTS + NUMBERS)], more[1024];
    const char *before = describe(a, how, &j, more, sizeof more);
    char *head = c ? write_function(c, a, more, before, call) : NULL;
    int failed = -1;

    if (c && !head)
        PyErr_NoMemory();
    else if (c) {
        j.text = call;
        j.head = head;
        failed = launch(c, a->waiting, to, &j);
    }
    free(head);
    end(c);
    return failed;
}
