/* params.c - parameters of operations by name: their declaration, their values from JSON. */
#include "ops/params.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {"int", "real", "bool", "string", "dtype"};
enum { TYPE_COUNT = 5 };

/* ---- one value from text ---- */

static bool read_int(const char *text, int64_t *out)
{
    char *end;

    if (!strcmp(text, "all")) {
        *out = LW_INT_ALL;
        return true;
    }
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && !errno && *out != LW_INT_ALL;
}

static bool read_real(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end;
}

static bool read_dtype(const char *text, int64_t *out)
{
    if (!strcmp(text, "auto")) {
        *out = LW_DTYPE_AUTO;
        return true;
    }
    for (int t = 0; t < LW_DTYPE_COUNT; t++)
        if (!strcmp(text, lw_dtype_name((lw_dtype)t))) {
            *out = t;
            return true;
        }
    return false;
}

/* False where the text is no value of the type. A string is kept as it is. */
static bool read_value(enum lw__param_type type, const char *text, struct lw__param_value *out)
{
    switch (type) {
    case LW_TYPE_INT: return read_int(text, &out->i);
    case LW_TYPE_REAL: return read_real(text, &out->r);
    case LW_TYPE_BOOL: out->i = !strcmp(text, "true"); return out->i || !strcmp(text, "false");
    case LW_TYPE_DTYPE: return read_dtype(text, &out->i);
    default: out->s = text; return true;
    }
}

/* ---- declarations ---- */

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

static const struct lw__param_row *find_row(const struct lw__declaration *d, const char *name)
{
    for (size_t k = 0; k < d->count; k++)
        if (!strcmp(d->rows[k].name, name))
            return &d->rows[k];
    return NULL;
}

/* One word, "name:type" or "name:type=default", which is cut up in place. */
static bool read_row(char *word, struct lw__declaration *d)
{
    struct lw__param_row row = {.name = word};
    char *type = strchr(word, ':'), *value = type ? strchr(type, '=') : NULL;
    int t = 0;

    if (!type || d->count == LW_PARAMS_MAX)
        return false;
    *type++ = '\0';
    if (value)
        *value++ = '\0';
    while (t < TYPE_COUNT && strcmp(type, type_names[t]))
        t++;
    if (t == TYPE_COUNT || !is_name(word) || find_row(d, word))
        return false;
    row.type = (enum lw__param_type)t;
    row.has_default = value != NULL;
    if (value && !read_value(row.type, value, &row.value))
        return false;
    d->rows[d->count++] = row;
    return true;
}

lw_status lw__declaration_read(const char *op, const char *parameters, struct lw__declaration *out)
{
    const char *at = parameters ? parameters : "";
    const size_t bytes = strlen(at) + 1;
    char *rest = NULL;

    *out = (struct lw__declaration){.text = malloc(bytes)};
    if (!out->text)
        return lw_fail(LW_E_MEMORY, "%s: out of memory: its parameters", op);
    memcpy(out->text, at, bytes);
    for (char *word = strtok_r(out->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const size_t begin = (size_t)(word - out->text), length = strlen(word);

        if (!read_row(word, out))
            return lw_fail(LW_E_ARG,
                           "%s: parameter '%.*s' is not NAME:TYPE or NAME:TYPE=DEFAULT, with a new "
                           "name and int, real, bool, string or dtype; there may be %d",
                           op, (int)length, at + begin, LW_PARAMS_MAX);
    }
    return LW_OK;
}

void lw__declaration_free(struct lw__declaration *declaration)
{
    free(declaration->text);
    *declaration = (struct lw__declaration){0};
}

/* ---- values from JSON ---- */

/* A flat object of numbers, strings, true, false, null. */
struct reader {
    const char *op, *at;
    char *to; /* where the next text goes */
};

static lw_status malformed(const struct reader *r)
{
    return lw_fail(LW_E_ARG, "%s: the parameters are no JSON object of plain values, at '%.20s'",
                   r->op, r->at);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* The code point of \uXXXX as UTF-8; surrogates are refused. */
static bool take_code(struct reader *r)
{
    unsigned code = 0;

    for (int k = 0; k < 4; k++) {
        const char c = r->at[k];

        if (!isxdigit((unsigned char)c))
            return false;
        code = code * 16 + (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    r->at += 4;
    if (!code || (code >= 0xd800 && code < 0xe000))
        return false;
    if (code < 0x80) {
        *r->to++ = (char)code;
    } else if (code < 0x800) {
        *r->to++ = (char)(0xc0 | code >> 6);
        *r->to++ = (char)(0x80 | (code & 63));
    } else {
        *r->to++ = (char)(0xe0 | code >> 12);
        *r->to++ = (char)(0x80 | (code >> 6 & 63));
        *r->to++ = (char)(0x80 | (code & 63));
    }
    return true;
}

static bool take_escape(struct reader *r)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char c = *r->at++;
    const char *name = c ? strchr(names, c) : NULL;

    if (c == 'u')
        return take_code(r);
    if (name)
        *r->to++ = values[name - names];
    return name != NULL;
}

static bool take_string(struct reader *r, const char **out)
{
    *out = r->to;
    if (!take(r, '"'))
        return false;
    while (*r->at && *r->at != '"') {
        if (*r->at != '\\')
            *r->to++ = *r->at++;
        else if (r->at++, !take_escape(r))
            return false;
    }
    *r->to++ = '\0';
    return take(r, '"');
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* A number as JSON writes it: no +1, 01, .5, 1. or 0x1, which strtod would read. */
static bool is_number(const char *text)
{
    const char *whole = text + (*text == '-'), *at = skip_digits(whole);
    bool is_good = at > whole && (*whole != '0' || at == whole + 1);

    if (is_good && *at == '.') {
        is_good = skip_digits(at + 1) > at + 1;
        at = skip_digits(at + 1);
    }
    if (is_good && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1 + (at[1] == '+' || at[1] == '-');

        is_good = skip_digits(power) > power;
        at = skip_digits(power);
    }
    return is_good && !*at;
}

/* A number or word as text. */
static bool take_word(struct reader *r, const char **out)
{
    const size_t length = strcspn(r->at, ",} \t\r\n");

    *out = r->to;
    memcpy(r->to, r->at, length);
    r->to += length;
    *r->to++ = '\0';
    r->at += length;
    return length > 0;
}

static bool is_special(const char *text)
{
    const char *name = text + (*text == '-');

    return !strcmp(name, "inf") || !strcmp(text, "nan");
}

/* True if JSON has a value of the type in this form. "all" is for what is `all` by default; a real
 * that JSON cannot write is a string, as "inf". */
static bool is_wanted(const struct lw__param_row *row, bool quoted, const char *text)
{
    if (row->type == LW_TYPE_STRING || row->type == LW_TYPE_DTYPE)
        return quoted;
    if (row->type == LW_TYPE_INT && !strcmp(text, "all"))
        return quoted && row->has_default && row->value.i == LW_INT_ALL;
    if (row->type == LW_TYPE_BOOL)
        return !quoted;
    return quoted ? row->type == LW_TYPE_REAL && is_special(text) : is_number(text);
}

/* null stands for the default. */
static lw_status set_value(struct lw_params *p, const struct lw__param_row *row, bool quoted,
                           const char *text, bool *given)
{
    const size_t k = (size_t)(row - p->declaration->rows);

    if (!quoted && !strcmp(text, "null"))
        return LW_OK;
    given[k] = true;
    if (is_wanted(row, quoted, text) && read_value(row->type, text, &p->values[k]))
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: parameter '%s' is %s%s%s; need %s %s", p->op, row->name,
                   quoted ? "\"" : "", text, quoted ? "\"" : "",
                   row->type == LW_TYPE_INT ? "an" : "a", type_names[row->type]);
}

static lw_status unknown(const struct lw_params *p, const char *name)
{
    char known[512] = "it has none";
    size_t length = 0;

    for (size_t k = 0; k < p->declaration->count && length < sizeof known; k++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   k ? ", " : "it has ", p->declaration->rows[k].name);
    return lw_fail(LW_E_ARG, "%s has no parameter '%s'; %s", p->op, name, known);
}

static lw_status take_member(struct reader *r, struct lw_params *p, bool *given, bool *named)
{
    const char *name, *text;
    const struct lw__param_row *row;
    bool quoted;

    if (!take_string(r, &name) || !take(r, ':'))
        return malformed(r);
    skip_blanks(r);
    quoted = *r->at == '"';
    if (quoted ? !take_string(r, &text) : !take_word(r, &text))
        return malformed(r);
    row = find_row(p->declaration, name);
    if (!row)
        return unknown(p, name);
    if (named[row - p->declaration->rows])
        return lw_fail(LW_E_ARG, "%s: parameter '%s' comes twice", p->op, name);
    named[row - p->declaration->rows] = true;
    return set_value(p, row, quoted, text, given);
}

static lw_status take_object(struct reader *r, struct lw_params *p, bool *given)
{
    bool named[LW_PARAMS_MAX] = {false};

    if (!take(r, '{'))
        return malformed(r);
    if (!take(r, '}')) {
        do
            LW_TRY(take_member(r, p, given, named));
        while (take(r, ','));
        if (!take(r, '}'))
            return malformed(r);
    }
    skip_blanks(r);
    return *r->at ? malformed(r) : LW_OK;
}

/* Usual parameters fit without an allocation. */
static lw_status make_room(struct lw_params *p, size_t bytes)
{
    p->text = bytes <= sizeof p->room ? p->room : malloc(bytes);
    return p->text ? LW_OK : lw_fail(LW_E_MEMORY, "%s: out of memory: its parameters", p->op);
}

lw_status lw__params_read(const char *op, const struct lw__declaration *declaration,
                          const char *json, struct lw_params *out)
{
    bool given[LW_PARAMS_MAX] = {false};

    out->op = op;
    out->declaration = declaration;
    out->text = NULL;
    for (size_t k = 0; k < declaration->count; k++)
        out->values[k] = declaration->rows[k].value;
    if (json && *json && strcmp(json, "null")) {
        struct reader r = {.op = op, .at = json};

        LW_TRY(make_room(out, 2 * strlen(json) + 1)); /* a word gets a NUL, and no more */
        r.to = out->text;
        LW_TRY(take_object(&r, out, given));
    }
    for (size_t k = 0; k < declaration->count; k++)
        if (!given[k] && !declaration->rows[k].has_default)
            return lw_fail(LW_E_ARG, "%s needs the parameter '%s' (%s)", op,
                           declaration->rows[k].name, type_names[declaration->rows[k].type]);
    return LW_OK;
}

void lw__params_free(struct lw_params *params)
{
    if (params->text != params->room)
        free(params->text);
    params->text = NULL;
}

/* ---- for infer and record ---- */

static lw_status look_up(const lw_params *p, const char *name, enum lw__param_type type,
                         const void *place, const struct lw__param_value **value)
{
    const struct lw__param_row *row;

    if (!p || !name || !place)
        return lw_fail(LW_E_ARG, "the %s is NULL",
                       !p      ? "list of parameters"
                       : !name ? "parameter's name"
                               : "place for the value");
    row = find_row(p->declaration, name);
    if (!row)
        return unknown(p, name);
    if (row->type != type)
        return lw_fail(LW_E_ARG, "%s: parameter '%s' is of type %s, not %s", p->op, name,
                       type_names[row->type], type_names[type]);
    *value = &p->values[row - p->declaration->rows];
    return LW_OK;
}

#define GETTER(name, type, type_in_c, field)                                                       \
    lw_status lw_params_##name(const lw_params *p, const char *parameter, type_in_c *value)        \
    {                                                                                              \
        const struct lw__param_value *v;                                                           \
                                                                                                   \
        LW_TRY(look_up(p, parameter, type, value, &v));                                            \
        *value = (type_in_c)v->field;                                                              \
        return LW_OK;                                                                              \
    }
GETTER(int, LW_TYPE_INT, int64_t, i)
GETTER(real, LW_TYPE_REAL, double, r)
GETTER(bool, LW_TYPE_BOOL, bool, i)
GETTER(string, LW_TYPE_STRING, const char *, s)
GETTER(dtype, LW_TYPE_DTYPE, lw_dtype, i)
