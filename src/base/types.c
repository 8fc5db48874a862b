/* types.c - sizes and names of the element types, for everyone. */
#include "base/base.h"

static bool known(lw_dtype dtype)
{
    return (unsigned)dtype < LW_DTYPE_COUNT;
}

size_t lw_dtype_size(lw_dtype dtype)
{
    return known(dtype) ? lw__dtypes[dtype].bytes : 0;
}

const char *lw_dtype_name(lw_dtype dtype)
{
    return known(dtype) ? lw__dtypes[dtype].name : "?";
}
