/* params.c - parameters of operations by name: their declaration; values from JSON or words. */
#include "ops/params.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {"int", "real", "bool", "string", "dtype"};
enum { TYPE_COUNT = LW_TYPE_DTYPE + 1 };
_Static_assert(sizeof type_names / sizeof *type_names == TYPE_COUNT, "enum lw__param_type");

/* ---- one value from text ---- */

static bool read_int(const char *text, int64_t *out)
{
    if (!strcmp(text, "all")) {
        *out = LW_INT_ALL;
        return true;
    }
    errno = 0;
    char *end;
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

/* ---- rules ---- */

static lw_status read_word(const char *op, const struct lw__param_row *row,
                           struct lw__param_value *v)
{
    const size_t length = strlen(v->s);
    char all[80] = "";

    v->i = 0;
    for (const char *at = row->rule.words; *at; v->i++) {
        const size_t n = strcspn(at, ",");

        if (n == length && *at != '-' && !strncmp(at, v->s, n))
            return LW_OK;
        assert(strlen(all) + n + 2 < sizeof all);
        if (*at != '-')
            strncat(strcat(all, *all ? ", " : ""), at, n);
        at += n + strspn(at + n, ", ");
    }
    return lw_fail(LW_E_ARG, "%s: %s is '%.80s'; need one of %s", op, row->name, v->s, all);
}

/* "1" for both, or "1,2". */
static lw_status read_two(const char *op, const struct lw__param_row *row,
                          struct lw__param_value *v)
{
    char *end;
    const long first = strtol(v->s, &end, 10);
    const char *rest = end != v->s && *end == ',' ? end + 1 : v->s;
    const long second = strtol(rest, &end, 10);

    if (end == rest || *end || first < row->rule.least || second < row->rule.least ||
        first > INT_MAX || second > INT_MAX)
        return lw_fail(LW_E_ARG, "%s: %s is '%.80s'; need a number from %d on, or two, as 1,2", op,
                       row->name, v->s, row->rule.least);
    v->two[0] = (int)first;
    v->two[1] = (int)second;
    return LW_OK;
}

static lw_status keep_rule(const char *op, const struct lw__param_row *row,
                           struct lw__param_value *v)
{
    switch (row->rule.kind) {
    case LW_KIND_ONE_OF: return read_word(op, row, v);
    case LW_KIND_TWO_FROM: return read_two(op, row, v);
    case LW_KIND_FROM:
        if (v->i < row->rule.least || v->i > INT_MAX)
            return lw_fail(LW_E_ARG, "%s: %s is %lld; need %d to %d", op, row->name,
                           (long long)v->i, row->rule.least, INT_MAX);
        return LW_OK;
    default: return LW_OK;
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

lw_status lw__declaration_read(const char *op, const char *parameters,
                               const struct lw__param_rule *rules, struct lw__declaration *out)
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
    for (size_t k = 0; rules && k < out->count; k++) {
        assert(out->rows[k].type == LW_TYPE_STRING || rules[k].kind < LW_KIND_ONE_OF);
        assert(out->rows[k].type == LW_TYPE_INT || rules[k].kind == LW_KIND_ANY ||
               rules[k].kind >= LW_KIND_ONE_OF);
        out->rows[k].rule = rules[k];
        if (out->rows[k].has_default)
            LW_TRY(keep_rule(op, &out->rows[k], &out->rows[k].value));
    }
    return LW_OK;
}

void lw__declaration_free(struct lw__declaration *declaration)
{
    free(declaration->text);
    *declaration = (struct lw__declaration){0};
}

/* ---- values ---- */

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

static lw_status unknown(const struct lw_params *p, const char *name)
{
    char known[512] = "it has none";
    size_t length = 0;

    for (size_t k = 0; k < p->declaration->count && length < sizeof known; k++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   k ? ", " : "it has ", p->declaration->rows[k].name);
    return lw_fail(LW_E_ARG, "%s has no parameter '%s'; %s", p->op, name, known);
}

/* null stands for the default. */
static lw_status set_value(struct lw_params *p, const char *name, bool quoted, const char *text)
{
    const struct lw__param_row *row = find_row(p->declaration, name);

    if (!row)
        return unknown(p, name);
    size_t k = (size_t)(row - p->declaration->rows);
    if (p->named[k])
        return lw_fail(LW_E_ARG, "%s: parameter '%s' comes twice", p->op, name);
    p->named[k] = true;
    if (!quoted && !strcmp(text, "null"))
        return LW_OK;
    p->given[k] = true;
    if (is_wanted(row, quoted, text) && read_value(row->type, text, &p->values[k]))
        return keep_rule(p->op, row, &p->values[k]);
    return lw_fail(LW_E_ARG, "%s: parameter '%s' is %s%s%s; need %s %s", p->op, name,
                   quoted ? "\"" : "", text, quoted ? "\"" : "",
                   row->type == LW_TYPE_INT ? "an" : "a", type_names[row->type]);
}

static void start(const char *op, const struct lw__declaration *declaration, struct lw_params *p)
{
    p->op = op;
    p->declaration = declaration;
    p->replays = NULL;
    p->text = NULL;
    for (size_t k = 0; k < declaration->count; k++) {
        p->values[k] = declaration->rows[k].value;
        p->named[k] = p->given[k] = false;
    }
}

static lw_status check_given(const struct lw_params *p)
{
    const struct lw__param_row *rows = p->declaration->rows;

    for (size_t k = 0; k < p->declaration->count; k++)
        if (!p->given[k] && !rows[k].has_default)
            return lw_fail(LW_E_ARG, "%s needs the parameter '%s' (%s)", p->op, rows[k].name,
                           type_names[rows[k].type]);
    return LW_OK;
}

/* In JSON numbers, true and false are plain, all else is a string, also `all` and `inf`. */
static bool is_string(const struct lw_params *p, const lw_word *word)
{
    const struct lw__param_row *row = find_row(p->declaration, word->name);

    if (word->form != LW_WORD_EITHER || !row || row->type == LW_TYPE_BOOL)
        return word->form == LW_WORD_STRING;
    return row->type == LW_TYPE_STRING || row->type == LW_TYPE_DTYPE ||
           !isdigit((unsigned char)word->text[strspn(word->text, "+-.")]);
}

lw_status lw__params_take(const char *op, const struct lw__declaration *declaration,
                          const lw_word *words, size_t count, struct lw_params *out)
{
    start(op, declaration, out);
    for (size_t k = 0; k < count; k++)
        LW_TRY(set_value(out, words[k].name, is_string(out, &words[k]), words[k].text));
    return check_given(out);
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

static lw_status take_member(struct reader *r, struct lw_params *p)
{
    const char *name;

    if (!take_string(r, &name) || !take(r, ':'))
        return malformed(r);
    skip_blanks(r);
    bool quoted = *r->at == '"';
    const char *text;
    if (quoted ? !take_string(r, &text) : !take_word(r, &text))
        return malformed(r);
    return set_value(p, name, quoted, text);
}

static lw_status take_object(struct reader *r, struct lw_params *p)
{
    if (!take(r, '{'))
        return malformed(r);
    if (!take(r, '}')) {
        do
            LW_TRY(take_member(r, p));
        while (take(r, ','));
        if (!take(r, '}'))
            return malformed(r);
    }
    skip_blanks(r);
    return *r->at ? malformed(r) : LW_OK;
}

lw_status lw__params_read(const char *op, const struct lw__declaration *declaration,
                          const char *json, struct lw_params *out)
{
    start(op, declaration, out);
    if (json && *json && strcmp(json, "null")) {
        const size_t bytes = 2 * strlen(json) + 1; /* a word gets a NUL, and no more */
        struct reader r = {.op = op, .at = json};

        r.to = out->text = bytes <= sizeof out->room ? out->room : malloc(bytes);
        if (!out->text)
            return lw_fail(LW_E_MEMORY, "%s: out of memory: its parameters", op);
        LW_TRY(take_object(&r, out));
        assert(r.to <= out->text + bytes);
    }
    return check_given(out);
}

void lw__params_free(struct lw_params *params)
{
    if (params->text != params->room)
        free(params->text);
    params->text = NULL;
}

/* ---- for infer, run and record ---- */

const struct lw__param_value *lw__param(const lw_params *params, const char *name)
{
    const struct lw__param_row *row = find_row(params->declaration, name);

    return row ? &params->values[row - params->declaration->rows] : NULL;
}

lw_status lw__wrong_axis(const char *op, int64_t axis, int rank)
{
    return lw_fail(LW_E_ARG, "%s: x has no axis %lld; its rank is %d", op, (long long)axis, rank);
}

static void fill(const struct lw__param_row *row, const struct lw__param_value *v, void *field)
{
    switch (row->rule.kind) {
    case LW_KIND_AXIS: *(int *)field = v->i == LW_INT_ALL ? 0 : (int)LW_AXIS(v->i); break;
    case LW_KIND_TWO_FROM: memcpy(field, v->two, sizeof v->two); break;
    case LW_KIND_ANY:
        if (row->type == LW_TYPE_BOOL)
            *(bool *)field = v->i;
        else
            *(double *)field = v->r;
        break;
    default: *(int *)field = (int)v->i; /* also of an enum */
    }
}

lw_status lw__params_fill(const lw_params *params, int rank, void *options)
{
    for (size_t k = 0; k < params->declaration->count; k++) {
        const struct lw__param_row *row = &params->declaration->rows[k];
        const struct lw__param_value *v = &params->values[k];

        if (row->rule.kind == LW_KIND_AXIS && v->i != LW_INT_ALL &&
            (v->i >= INT_MAX || v->i < INT_MIN))
            return lw__wrong_axis(params->op, v->i, rank);
        if (row->rule.field)
            fill(row, v, (char *)options + row->rule.field - 1);
    }
    return LW_OK;
}

static lw_status look_up(const lw_params *p, const char *name, enum lw__param_type type,
                         const void *place, const struct lw__param_value **value)
{
    if (!p || !name || !place)
        return lw_fail(LW_E_ARG, "the %s is NULL",
                       !p      ? "list of parameters"
                       : !name ? "parameter's name"
                               : "place for the value");
    const struct lw__param_row *row = find_row(p->declaration, name);
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
