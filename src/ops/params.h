/* params.h - the declared parameters of an operation, and values for them. */
#ifndef LW_OPS_PARAMS_H
#define LW_OPS_PARAMS_H
#include "ops/op.h"

enum lw__param_type { LW_TYPE_INT, LW_TYPE_REAL, LW_TYPE_BOOL, LW_TYPE_STRING, LW_TYPE_DTYPE };
enum { LW_PARAMS_MAX = 16, LW_PARAMS_ROOM = 1024 };

/* What an int `all` and a dtype `auto` are. */
#define LW_INT_ALL INT64_MIN
enum { LW_DTYPE_AUTO = -1 };

struct lw__param_value {
    int64_t i; /* also bool, dtype */
    double r;
    const char *s; /* points into the text that it came from, or into lw_params.text */
};

struct lw__param_row {
    const char *name;
    enum lw__param_type type;
    bool has_default;
    struct lw__param_value value; /* the default */
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
    struct lw__param_value values[LW_PARAMS_MAX];
    char *text; /* strings of the JSON, unescaped: room, or an allocation */
    char room[LW_PARAMS_ROOM];
};

/* lw__declaration_read - from "n:int=0 mode:string=a".
 * errors   LW_E_ARG it does not parse: the word is named; LW_E_MEMORY
 * owns     release with lw__declaration_free, also after a failure */
lw_status lw__declaration_read(const char *op, const char *parameters, struct lw__declaration *out);
void lw__declaration_free(struct lw__declaration *declaration);

/* lw__params_read - values from a JSON object, `null` or NULL: defaults alone.
 * errors   LW_E_ARG a name, type or missing value; LW_E_MEMORY
 * owns     release with lw__params_free, also after a failure */
lw_status lw__params_read(const char *op, const struct lw__declaration *declaration,
                          const char *json, struct lw_params *out);
void lw__params_free(struct lw_params *params);
#endif
