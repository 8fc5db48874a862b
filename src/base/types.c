/* types.c - sizes, names and kinds of the element types, from types.def. */
#include "base/base.h"

static const struct {
    const char *name;
    unsigned char bytes;
    char kind;
} types[] = {
#define LW_TYPE(ENUM, name, bytes, kind, c_name) [LW_##ENUM] = {#name, bytes, kind},
#include "base/types.def"
#undef LW_TYPE
};
_Static_assert(sizeof types / sizeof types[0] == LW_DTYPE_COUNT, "ORDER DTYPE");

static bool known(lw_dtype dtype)
{
    return (unsigned)dtype < LW_DTYPE_COUNT;
}

size_t lw_dtype_size(lw_dtype dtype)
{
    return known(dtype) ? types[dtype].bytes : 0;
}

const char *lw_dtype_name(lw_dtype dtype)
{
    return known(dtype) ? types[dtype].name : "?";
}

char lw__dtype_kind(lw_dtype dtype)
{
    return known(dtype) ? types[dtype].kind : '?';
}
