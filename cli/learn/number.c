/* number.c - whole numbers in check.txt: `(n+255)/256`, `passes==block_requests`.
 *
 * An expression has no blanks. The reader descends: a comparison of sums of products of units.
 */
#include "cli/learn/learn.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

struct reader {
    const struct learn_scope *scope;
    const char *all, *at;
    int depth;
    bool is_wrong;
};

static int64_t read_comparison(struct reader *r);

static bool take(struct reader *r, const char *sign)
{
    size_t length = strlen(sign);
    bool is_there = strncmp(r->at, sign, length) == 0;
    r->at += is_there ? length : 0;
    return is_there;
}

static int64_t read_unit(struct reader *r)
{
    enum { DEEPEST = 32 };
    int64_t value = 0;
    size_t length = strspn(r->at, letters);
    if (take(r, "(")) {
        if (++r->depth < DEEPEST)
            value = read_comparison(r);
        r->depth--;
        r->is_wrong |= !take(r, ")");
    } else if (take(r, "-")) {
        if (++r->depth < DEEPEST)
            value = (int64_t)(0 - (uint64_t)read_unit(r));
        r->depth--;
    } else if (*r->at >= '0' && *r->at <= '9') {
        value = strtoll(r->at, NULL, 10);
        r->at += strspn(r->at, "0123456789");
    } else {
        const int64_t *found = length ? learn_get(r->scope, r->at, length) : NULL;
        r->is_wrong |= !found;
        value = found ? *found : 0;
        r->at += length;
    }
    return value;
}

static int64_t read_product(struct reader *r)
{
    int64_t value = read_unit(r);
    while (!r->is_wrong && *r->at && strchr("*/%", *r->at)) {
        char sign = *r->at++;
        int64_t other = read_unit(r);
        if (sign == '*')
            value = (int64_t)((uint64_t)value * (uint64_t)other);
        else if (other <= 0)
            r->is_wrong = true;
        else
            value = sign == '/' ? value / other : value % other;
    }
    return value;
}

static int64_t read_sum(struct reader *r)
{
    int64_t value = read_product(r);
    while (!r->is_wrong && (*r->at == '+' || *r->at == '-')) {
        bool is_plus = *r->at++ == '+';
        uint64_t other = (uint64_t)read_product(r);
        value = (int64_t)((uint64_t)value + (is_plus ? other : 0 - other));
    }
    return value;
}

static int64_t read_comparison(struct reader *r)
{
    int64_t value = read_sum(r);
    while (!r->is_wrong && *r->at && strchr("=!<>", *r->at)) {
        if (take(r, "=="))
            value = value == read_sum(r);
        else if (take(r, "!="))
            value = value != read_sum(r);
        else if (take(r, "<="))
            value = value <= read_sum(r);
        else if (take(r, ">="))
            value = value >= read_sum(r);
        else if (take(r, "<"))
            value = value < read_sum(r);
        else if (take(r, ">"))
            value = value > read_sum(r);
        else
            r->is_wrong = true;
    }
    return value;
}

/* ---- in files -------------------------------------------------------------------------------- */

int learn_set(struct learn_scope *scope, const char *name, int64_t number)
{
    size_t i = 0;
    while (i < scope->count && strcmp(scope->values[i].name, name) != 0)
        i++;
    if (i == LEARN_VALUES)
        return cli_fail(CLI_BROKEN, "check.txt: more than %d names", LEARN_VALUES);
    scope->values[i] = (struct learn_value){name, number};
    scope->count += i == scope->count;
    return CLI_DONE;
}

const int64_t *learn_get(const struct learn_scope *scope, const char *name, size_t length)
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct learn_value *value = &scope->values[i];
        if (strlen(value->name) == length && memcmp(value->name, name, length) == 0)
            return &value->number;
    }
    return NULL;
}

int learn_number(const struct learn_scope *scope, const char *text, int64_t *number)
{
    size_t count;
    return learn_numbers(scope, text, 1, number, &count);
}

int learn_numbers(const struct learn_scope *scope, const char *text, size_t most, int64_t *numbers,
                  size_t *count)
{
    struct reader r = {.scope = scope, .all = text, .at = text};
    *count = 0;
    do {
        numbers[(*count)++] = read_comparison(&r);
    } while (!r.is_wrong && *count < most && take(&r, ","));
    if (r.is_wrong || *r.at)
        return cli_fail(CLI_BROKEN, "check.txt: '%s' is no number, at '%s'", text, r.at);
    return CLI_DONE;
}
