/* fuzz_layout.h - what is taken as a parameter is a type, as large. */
#include "fuzz.h"
#include "run/program/program.h"

static inline void ensure_layout(const char *text)
{
    lw_param param = {0};
    size_t bytes;
    if (lw__layout_read(text, &param, &bytes))
        return;
    struct lw__type *type;
    ENSURE(!lw__type_read(text, &type));
    ENSURE(type->bytes == bytes);
    if (param.has_dtype)
        ENSURE(param.kind == LW_PARAM_SCALAR || param.element_bytes > 0);
    if (param.kind == LW_PARAM_POINTER || param.kind == LW_PARAM_TENSOR)
        ENSURE(type->inner->bytes == param.element_bytes);
    ENSURE(param.kind != LW_PARAM_TENSOR || (param.rank >= 1 && param.rank <= 4));
    lw__type_free(type);
    failures = 0;
}
