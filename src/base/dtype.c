/* dtype.c - the element types by the columns of types.def. */
#include "base/base.h"
#include <string.h>

const struct lw__dtype lw__dtypes[] = {
#define LW_TYPE(ENUM, name, bytes, kind, fraction, format, c_name)                                 \
    [LW_##ENUM] = {#name, format, c_name, bytes, fraction, kind},
#include "base/types.def"
#undef LW_TYPE
};
_Static_assert(sizeof lw__dtypes / sizeof lw__dtypes[0] == LW_DTYPE_COUNT, "ORDER DTYPE");

bool lw__dtype_is_float(lw_dtype dtype)
{
    return (unsigned)dtype < LW_DTYPE_COUNT && lw__dtypes[dtype].kind == 'f';
}

bool lw__dtype_is_numpy(lw_dtype dtype)
{
    return !lw__dtypes[dtype].format[1];
}

bool lw__dtype_find(const char *name, size_t length, lw_dtype *dtype)
{
    for (size_t i = 0; i < LW_DTYPE_COUNT; i++)
        if (strlen(lw__dtypes[i].name) == length && !memcmp(lw__dtypes[i].name, name, length)) {
            *dtype = (lw_dtype)i;
            return true;
        }
    return false;
}
