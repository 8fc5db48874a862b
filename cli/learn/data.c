/* data.c - what the arrays of a case hold: inputs from a seed, outputs of a value that nobody
 * computes, so that an element that was not written is told.
 */
#include "cli/learn/learn.h"
#include "text/half.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of what was not written: a NaN, or a whole number that no puzzle has. */
enum { UNWRITTEN_FLOAT = 0xff, UNWRITTEN = 0xc7 };

double learn_element(lw_dtype dtype, const void *data, size_t index)
{
    const char *from = (const char *)data + index * lw_dtype_size(dtype);
    if (lw__dtype_is_float(dtype))
        return lw__real_get(dtype, from);
    const int64_t whole = lw__integer_get(dtype, from);
    return dtype == LW_U64 ? (double)(uint64_t)whole : (double)whole;
}

void learn_put(lw_dtype dtype, double value, void *data, size_t index)
{
    char *to = (char *)data + index * lw_dtype_size(dtype);
    const int64_t whole = (int64_t)value;
    if (lw__dtype_is_float(dtype))
        lw__real_put(dtype, value, LW_NEAREST, to);
    else if (dtype == LW_BOOL)
        *to = value != 0;
    else
        memcpy(to, &whole, lw_dtype_size(dtype));
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* spread - random numbers in [0, 1) to numbers in [low, high]. */
static void spread(struct learn_data *data, double *random, double low, double high)
{
    const bool is_float = lw__dtype_is_float(data->array->dtype);
    for (size_t i = 0; i < data->count; i++) {
        double width = is_float ? high - low : high - low + 1;
        double value = low + random[i] * width;
        learn_put(data->array->dtype, is_float ? value : floor(value), data->before, i);
    }
}

/* shuffle - 0, 1 ... count - 1 in a random order. */
static void shuffle(struct learn_data *data, const double *random)
{
    for (size_t i = 0; i < data->count; i++) {
        size_t j = (size_t)(random[i] * (double)(i + 1));
        double other = j < i ? learn_element(data->array->dtype, data->before, j) : (double)i;
        learn_put(data->array->dtype, other, data->before, i);
        learn_put(data->array->dtype, (double)i, data->before, j);
    }
}

/* fill - zeros, iota, const VALUE, permutation, rand LOW HIGH */
static int fill(struct learn_data *data, uint64_t seed)
{
    const char *text = data->array->fill;
    double low, high, *random = calloc(data->count + 1, sizeof *random);
    int failed = CLI_DONE;
    if (!random)
        return cli_fail_memory(data->count * sizeof *random);
    lw__fill_make(LW_FILL_RAND, LW_F64, seed, data->count, random);
    if (sscanf(text, "rand %lf %lf", &low, &high) == 2)
        spread(data, random, low, high);
    else if (strcmp(text, "permutation") == 0)
        shuffle(data, random);
    else if (strcmp(text, "iota") == 0)
        for (size_t i = 0; i < data->count; i++)
            learn_put(data->array->dtype, (double)i, data->before, i);
    else if (sscanf(text, "const %lf", &low) == 1)
        for (size_t i = 0; i < data->count; i++)
            learn_put(data->array->dtype, low, data->before, i);
    else if (strcmp(text, "zeros") != 0)
        failed = cli_fail(CLI_BROKEN, "check.txt: there is no fill '%s'", text);
    free(random);
    return failed;
}

int learn_make(const struct learn_array *array, const struct learn_scope *scope, uint64_t seed,
               struct learn_data *data)
{
    int64_t extent[LEARN_RANK];
    size_t rank, bytes = lw_dtype_size(array->dtype);
    *data = (struct learn_data){.array = array, .count = 1};
    int failed = learn_numbers(scope, array->shape, LEARN_RANK, extent, &rank);
    if (failed)
        return failed;
    data->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        data->extent[i] = extent[i] > 0 ? (size_t)extent[i] : 0;
        data->count *= data->extent[i];
    }
    data->before = calloc(data->count + 1, bytes);
    data->expected = calloc(data->count + 1, sizeof *data->expected);
    if (!data->before || !data->expected)
        return cli_fail_memory(data->count * bytes);
    if (array->fill)
        return fill(data, seed);
    memset(data->before, lw__dtype_is_float(array->dtype) ? UNWRITTEN_FLOAT : UNWRITTEN,
           data->count * bytes);
    return CLI_DONE;
}

void learn_drop(struct learn_data *data)
{
    free(data->before);
    free(data->expected);
    data->before = NULL;
    data->expected = NULL;
}

/* ---- elements -------------------------------------------------------------------------------- */

bool learn_was_written(const struct learn_data *data, const void *now, size_t index)
{
    size_t bytes = lw_dtype_size(data->array->dtype);
    const char *is = (const char *)now + index * bytes, *was = (char *)data->before + index * bytes;
    return data->array->role != LEARN_OUT || memcmp(is, was, bytes) != 0;
}

void learn_place(const struct learn_data *data, size_t index, char *text, size_t size)
{
    size_t inner = data->count;
    int length = snprintf(text, size, "%s", data->array->name);
    for (int axis = 0; axis < data->rank && length > 0 && (size_t)length < size; axis++) {
        inner /= data->extent[axis];
        length += snprintf(text + length, size - (size_t)length, "[%zu]", index / inner);
        index %= inner;
    }
}
