/* params.h - the declared parameters of an operation, and values for them. */
#ifndef LW_OPS_PARAMS_H
#define LW_OPS_PARAMS_H
#include "lanewise/op_info.h"
#include "ops/op.h"

enum lw__param_type { LW_TYPE_INT, LW_TYPE_REAL, LW_TYPE_BOOL, LW_TYPE_STRING, LW_TYPE_DTYPE };
enum { LW_PARAMS_MAX = 16, LW_PARAMS_ROOM = 1024 };

/* What an int `all` and a dtype `auto` are. */
#define LW_INT_ALL INT64_MIN
enum { LW_DTYPE_AUTO = -1 };

/* Columns field and rule of ops.def; all zero: none, any. */
struct lw__param_rule {
    size_t field; /* its offset in the options, and 1 */
    enum lw__param_kind {
        LW_KIND_ANY,
        LW_KIND_AXIS,
        LW_KIND_FROM,
        LW_KIND_ONE_OF,
        LW_KIND_TWO_FROM
    } kind;
    int least;
    const char *words;
};

struct lw__param_value {
    int64_t i; /* also bool, dtype, the index of a word */
    double r;
    const char *s; /* points into the text that it came from, or into lw_params.text */
    int two[2];
};

struct lw__param_row {
    const char *name;
    enum lw__param_type type;
    bool has_default;
    struct lw__param_value value; /* the default */
    struct lw__param_rule rule;
};

/* A parsed declaration; rows point into text. */
struct lw__declaration {
    char *text;
    size_t count;
    struct lw__param_row rows[LW_PARAMS_MAX];
};

struct lw_params {
    const char *op; /* for messages */
    const struct lw__declaration *declaration;
    const lw_op *of;
    struct lw__param_value values[LW_PARAMS_MAX];
    bool named[LW_PARAMS_MAX], given[LW_PARAMS_MAX]; /* not given: named with null */
    _Atomic(struct lw__replay *) *replays;           /* LW_REPLAYS; NULL: they are for one call */
    char *text; /* strings of the JSON, unescaped: room, or an allocation */
    char room[LW_PARAMS_ROOM];
};

/* lw__declaration_read - from "n:int=0 mode:string=a"; rules: one for each, or NULL.
 * errors   LW_E_ARG it does not parse: the word is named; LW_E_MEMORY
 * owns     release with lw__declaration_free, also after a failure */
lw_status lw__declaration_read(const char *op, const char *parameters,
                               const struct lw__param_rule *rules, struct lw__declaration *out);
void lw__declaration_free(struct lw__declaration *declaration);

/* lw__params_read - values from a JSON object, `null` or NULL: defaults alone.
 * lw__params_take - from words.
 * errors   LW_E_ARG a name, type or missing value, or a rule is broken; LW_E_MEMORY
 * owns     release with lw__params_free, also after a failure */
lw_status lw__params_read(const char *op, const struct lw__declaration *declaration,
                          const char *json, struct lw_params *out);
lw_status lw__params_take(const char *op, const struct lw__declaration *declaration,
                          const lw_word *words, size_t count, struct lw_params *out);
void lw__params_free(struct lw_params *params);

/* lw__param - a value by its name; NULL where the operation has no such parameter. */
const struct lw__param_value *lw__param(const lw_params *params, const char *name);

/* lw__params_fill - set the fields of the options that parameters have.
 * errors   LW_E_ARG an axis that no int holds; x of this rank lacks it */
lw_status lw__params_fill(const lw_params *params, int rank, void *options);
lw_status lw__wrong_axis(const char *op, int64_t axis, int rank); /* that error */
#endif
