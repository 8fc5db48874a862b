/* array.c - arrays of doubles, and elements of all dtypes. */
#include "conform.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void array_make(struct array *a, lw_dtype dtype, int rank, const size_t *extent)
{
    *a = (struct array){.dtype = dtype, .rank = rank, .count = 1, .repeated = -1};
    for (int k = 0; k < rank; k++) {
        a->extent[k] = extent[k];
        a->count *= extent[k];
    }
    a->value = calloc(a->count + 1, sizeof *a->value);
    if (!a->value)
        abort();
}

void array_free(struct array *a)
{
    free(a->value);
    a->value = NULL;
}

/* The 16-bit floats hold `value` exactly: so its bits are cut, not rounded. */
static uint16_t half_of(lw_dtype dtype, double value)
{
    const float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof bits);
    if (dtype == LW_BF16)
        return (uint16_t)(bits >> 16);
    if (isnan(value))
        return 0x7e00;
    if (value == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) |
                      (bits >> 13 & 0x3ff));
}

static double half_to(lw_dtype dtype, uint16_t half)
{
    const double sign = half & 0x8000 ? -1 : 1;
    const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
    uint32_t bits = (uint32_t)half << 16;
    float single;

    if (dtype == LW_BF16) {
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (!exponent)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

void element_store(lw_dtype dtype, void *memory, size_t index, double value)
{
    switch (dtype) {
    case LW_I8: ((int8_t *)memory)[index] = (int8_t)value; break;
    case LW_I16: ((int16_t *)memory)[index] = (int16_t)value; break;
    case LW_I32: ((int32_t *)memory)[index] = (int32_t)value; break;
    case LW_I64: ((int64_t *)memory)[index] = (int64_t)value; break;
    case LW_U8: ((uint8_t *)memory)[index] = (uint8_t)value; break;
    case LW_U16: ((uint16_t *)memory)[index] = (uint16_t)value; break;
    case LW_U32: ((uint32_t *)memory)[index] = (uint32_t)value; break;
    case LW_U64: ((uint64_t *)memory)[index] = (uint64_t)value; break;
    case LW_BOOL: ((bool *)memory)[index] = value != 0; break;
    case LW_F32: ((float *)memory)[index] = (float)value; break;
    case LW_F64: ((double *)memory)[index] = value; break;
    default: ((uint16_t *)memory)[index] = half_of(dtype, value);
    }
}

double element_load(lw_dtype dtype, const void *memory, size_t index)
{
    switch (dtype) {
    case LW_I8: return ((const int8_t *)memory)[index];
    case LW_I16: return ((const int16_t *)memory)[index];
    case LW_I32: return ((const int32_t *)memory)[index];
    case LW_I64: return (double)((const int64_t *)memory)[index];
    case LW_U8: return ((const uint8_t *)memory)[index];
    case LW_U16: return ((const uint16_t *)memory)[index];
    case LW_U32: return ((const uint32_t *)memory)[index];
    case LW_U64: return (double)((const uint64_t *)memory)[index];
    case LW_BOOL: return ((const uint8_t *)memory)[index];
    case LW_F32: return (double)((const float *)memory)[index];
    case LW_F64: return ((const double *)memory)[index];
    default: return half_to(dtype, ((const uint16_t *)memory)[index]);
    }
}
