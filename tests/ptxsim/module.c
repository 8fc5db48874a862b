/* module.c - PTX text to a module: its variables and functions, and who calls whom. */
#include "reader.h"
#include <stdlib.h>
#include <string.h>

/* ---- variables ---- */

/* A number, or `generic(name)+number`: the address of a variable. */
static bool read_value(struct reader *in, uint64_t *value)
{
    uint64_t offset = 0;

    if (!reader_take(in, "generic"))
        return reader_number(in, value);
    if (!reader_expect(in, "("))
        return false;
    const struct token name = reader_next(in);
    const struct variable *v = in->module->variables;
    while (v && !is_word(&name, v->name))
        v = v->next;
    if (!v || v->is_shared)
        return reader_fail(in, name.line, "'%.*s' is not known", (int)name.length, name.text);
    if (!reader_expect(in, ")") || (reader_take(in, "+") && !reader_number(in, &offset)))
        return false;
    *value = v->address + offset;
    return true;
}

/* `= {1, 2, 3}` or `= 1`: bytes of each element. */
static bool read_values(struct reader *in, const struct variable *v, uint32_t bytes)
{
    const bool is_list = reader_take(in, "{");
    size_t at = 0;
    uint64_t value;

    do {
        if (!read_value(in, &value))
            return false;
        if (at + bytes > v->bytes)
            return reader_fail(in, in->token.line, "too many values of '%s'", v->name);
        memcpy((char *)(uintptr_t)v->address + at, &value, bytes);
        at += bytes;
    } while (is_list && reader_take(in, ","));
    return !is_list || reader_expect(in, "}");
}

static void place_shared(struct module *m, struct variable *v, uint32_t align)
{
    m->shared_bytes = (m->shared_bytes + align - 1) / align * align;
    v->address = m->shared_bytes;
    m->shared_bytes += (uint32_t)v->bytes;
}

/* Behind all other, as the launch has it. */
static void place_dynamic(struct module *m)
{
    const uint32_t align = m->dynamic_align ? m->dynamic_align : 1;

    m->shared_bytes = (m->shared_bytes + align - 1) / align * align;
}

/* What is not initialised is 0. */
static bool place_global(struct reader *in, struct variable *v, uint32_t bytes)
{
    v->address = memory_create(v->bytes);
    if (!v->address)
        return reader_fail(in, in->token.line, "no memory for '%s'", v->name);
    memset((void *)(uintptr_t)v->address, 0, v->bytes);
    return !reader_take(in, "=") || read_values(in, v, bytes);
}

/* `[N]`, `[]` or nothing. */
static bool read_extent(struct reader *in, uint64_t *count)
{
    *count = 1;
    if (!reader_take(in, "["))
        return true;
    *count = 0;
    if (reader_take(in, "]"))
        return true;
    return reader_number(in, count) && reader_expect(in, "]");
}

static bool read_type(struct reader *in, uint64_t *align, uint32_t *bytes)
{
    *align = 0;
    if (reader_take(in, ".align") && !reader_number(in, align))
        return false;
    const struct token type = reader_next(in);
    *bytes = type_bits(type.text, type.length) / 8;
    *align = *align ? *align : *bytes;
    return *bytes ||
           reader_fail(in, type.line, "'%.*s' is not a type", (int)type.length, type.text);
}

bool read_variable(struct reader *in, bool is_shared)
{
    struct module *m = in->module;
    uint64_t align;
    uint32_t bytes;

    if (!read_type(in, &align, &bytes))
        return false;
    const struct token name = reader_next(in);
    uint64_t count;
    if (!read_extent(in, &count))
        return false;
    struct variable *v;
    v = grow(NULL, 0, sizeof *v);
    *v = (struct variable){m->variables, copy_word(&name), is_shared, 0, count * bytes};
    m->variables = v;
    if (is_shared && !count)
        m->dynamic_align = (uint32_t)align;
    else if (is_shared)
        place_shared(m, v, (uint32_t)align);
    else if (!place_global(in, v, bytes))
        return false;
    return reader_expect(in, ";");
}

const struct variable *module_variable(const struct module *m, const char *name)
{
    const struct variable *v = m->variables;

    while (v && strcmp(v->name, name))
        v = v->next;
    return v;
}

/* ---- functions ---- */

/* One of `(.param .align 16 .b8 name[8], .param .u64 other)`. */
static bool read_parameter(struct reader *in, struct function *f, struct variable **list)
{
    uint64_t align;
    uint32_t bytes;

    if (!reader_expect(in, ".param") || !read_type(in, &align, &bytes))
        return false;
    const struct token name = reader_next(in);
    uint64_t count;
    if (!read_extent(in, &count))
        return false;
    if (!f->is_entry && count != 1)
        return reader_fail(in, name.line, "an array is passed to a function");
    f->parameter_bytes = (uint32_t)((f->parameter_bytes + align - 1) / align * align);
    struct variable *v;
    v = grow(NULL, 0, sizeof *v);
    *v = (struct variable){NULL, copy_word(&name), false,
                           PARAM_WINDOW + SPACE_BEGIN + f->parameter_bytes, count * bytes};
    f->parameter_at = grow(f->parameter_at, f->parameter_count, sizeof *f->parameter_at);
    f->parameter_size = grow(f->parameter_size, f->parameter_count, sizeof *f->parameter_size);
    f->parameter_at[f->parameter_count] = f->parameter_bytes;
    f->parameter_size[f->parameter_count++] = (uint32_t)v->bytes;
    f->parameter_bytes += (uint32_t)v->bytes;
    while (*list)
        list = &(*list)->next;
    *list = v;
    return true;
}

static bool read_parameters(struct reader *in, struct function *f, struct variable **list)
{
    if (!reader_expect(in, "("))
        return false;
    if (reader_take(in, ")"))
        return true;
    do {
        if (!read_parameter(in, f, list))
            return false;
    } while (reader_take(in, ","));
    return reader_expect(in, ")");
}

/* What stands between the parameters and the body. */
static bool read_directives(struct reader *in, struct function *f)
{
    uint64_t number;

    for (;;) {
        const bool is_exact = is_word(&in->token, ".reqntid");
        if (reader_take(in, ".noreturn"))
            continue;
        if (!is_exact && !is_word(&in->token, ".maxntid") && !is_word(&in->token, ".minnctapersm"))
            return true;
        reader_next(in);
        for (int k = 0; k < 3; k++) {
            if (!reader_number(in, &number))
                return false;
            if (is_exact)
                f->threads[k] = (uint32_t)number;
            if (!reader_take(in, ","))
                break;
        }
    }
}

static void free_variables(struct variable *v, bool has_memory)
{
    while (v) {
        struct variable *next = v->next;
        if (has_memory && !v->is_shared && v->address)
            (void)memory_destroy(v->address);
        free(v->name);
        free(v);
        v = next;
    }
}

/* A prototype is forgotten: calls are resolved when all is read. */
static void drop_function(struct module *m, struct function *f)
{
    m->functions = f->next;
    free(f->name);
    free(f->parameter_at);
    free(f->parameter_size);
    free(f);
}

/* The result of a .func has a slot like its parameters; it is the first of them. */
static bool read_function(struct reader *in, bool is_entry)
{
    struct function *f = grow(NULL, 0, sizeof *f), result = {.is_entry = false};
    struct variable *parameters = NULL;
    bool works = true;

    *f = (struct function){.next = in->module->functions,
                           .is_entry = is_entry,
                           .module = in->module,
                           .result = NO_SLOT};
    in->module->functions = f;
    if (!is_entry && is_word(&in->token, "("))
        works = read_parameters(in, &result, &parameters);
    f->result = result.parameter_count ? 0 : NO_SLOT;
    free(result.parameter_at);
    free(result.parameter_size);
    const struct token name = reader_next(in);
    f->name = copy_word(&name);
    works = works && read_parameters(in, f, &parameters) && read_directives(in, f);
    if (works && reader_take(in, ";"))
        drop_function(in->module, f);
    else
        works = works && reader_expect(in, "{") && decode_body(in, f, parameters);
    free_variables(parameters, false);
    return works;
}

/* ---- who calls whom ---- */

static struct function *find_function(const struct module *m, const char *name)
{
    struct function *f = m->functions;

    while (f && strcmp(f->name, name))
        f = f->next;
    return f;
}

/* Recursion would have no end. */
static bool measure(struct reader *in, struct function *f, uint32_t depth)
{
    f->stack_slots = f->frame_slots;
    f->stack_local = f->local_bytes;
    for (uint32_t k = 0; k < f->call_count; k++) {
        struct call *c = &f->calls[k];
        struct function *callee = find_function(in->module, c->name);
        if (!callee || callee->is_entry)
            return reader_fail(in, c->line, "there is no function '%s'", c->name);
        if (callee->parameter_count != c->argument_count ||
            (c->result != NO_SLOT && callee->result == NO_SLOT))
            return reader_fail(in, c->line, "'%s' has other parameters", c->name);
        if (depth == CALLS_MAX)
            return reader_fail(in, c->line, "calls nest too deeply");
        if (!measure(in, callee, depth + 1))
            return false;
        c->callee = callee;
        if (f->frame_slots + callee->stack_slots > f->stack_slots)
            f->stack_slots = f->frame_slots + callee->stack_slots;
        if (f->local_bytes + callee->local_align + callee->stack_local > f->stack_local)
            f->stack_local = f->local_bytes + callee->local_align + callee->stack_local;
    }
    f->stack_local = (f->stack_local + 15) / 16 * 16;
    return true;
}

/* ---- the whole ---- */

static bool skip_head(struct reader *in)
{
    if (reader_take(in, ".version") || reader_take(in, ".address_size")) {
        reader_next(in);
    } else if (reader_take(in, ".target")) {
        do {
            reader_next(in);
        } while (reader_take(in, ","));
    } else {
        return false;
    }
    return true;
}

static bool read_all(struct reader *in)
{
    while (in->token.length) {
        const struct token t = in->token;
        bool works = true;
        if (skip_head(in))
            continue;
        reader_next(in);
        if (is_word(&t, ".visible") || is_word(&t, ".extern") || is_word(&t, ".weak"))
            continue;
        if (is_word(&t, ".global") || is_word(&t, ".const") || is_word(&t, ".shared"))
            works = read_variable(in, t.text[1] == 's');
        else if (is_word(&t, ".func") || is_word(&t, ".entry"))
            works = read_function(in, t.text[1] == 'e');
        else
            works = reader_fail(in, t.line, "'%.*s' is not known", (int)t.length, t.text);
        if (!works)
            return false;
    }
    place_dynamic(in->module);
    for (struct function *f = in->module->functions; f; f = f->next)
        if (!measure(in, f, 0))
            return false;
    return true;
}

static void free_function(struct function *f)
{
    for (uint32_t k = 0; k < f->call_count; k++) {
        free(f->calls[k].name);
        free(f->calls[k].arguments);
    }
    free(f->name);
    free(f->code);
    free(f->frame);
    free(f->lists);
    free(f->calls);
    free(f->parameters);
    free(f->parameter_at);
    free(f->parameter_size);
    free(f);
}

void module_unload(struct module *m)
{
    while (m->functions) {
        struct function *next = m->functions->next;
        free_function(m->functions);
        m->functions = next;
    }
    free_variables(m->variables, true);
    free(m);
}

struct module *module_load(const char *text, char *log, size_t room)
{
    char unread[200];
    struct module *m = calloc(1, sizeof *m);
    struct reader in = {.at = text,
                        .line = 1,
                        .log = room ? log : unread,
                        .module = m,
                        .room = room ? room : sizeof unread};

    if (!m)
        return NULL;
    in.log[0] = '\0';
    m->shared_bytes = SPACE_BEGIN;
    reader_next(&in);
    if (read_all(&in))
        return m;
    module_unload(m);
    return NULL;
}
